package state

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// The parts of an archive.
const (
	filesPart    = "files/"
	tablesPart   = "postgres/"
	manifestName = "manifest.json"
	format       = 1
)

// maxManifest bounds what is read of a manifest, in bytes.
const maxManifest = 64 << 20

// Manifest is the last part of a backup and says what is in it: an archive without one, or
// with other parts than it tells, is not whole.
type Manifest struct {
	Format  int              `json:"format"`
	Program string           `json:"program"` // version that made it
	Made    time.Time        `json:"made"`
	Parts   []Part           `json:"parts"`
	Tables  []postgres.Table `json:"tables,omitempty"` // of PostgreSQL, in the order of the parts
}

// Part is a file of the archive.
type Part struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hex
}

// Options of a backup.
type Options struct {
	DataDir string
	// Database is where the tables in PostgreSQL are; nil: there are none.
	Database *postgres.Config
	Schemas  []postgres.Schema
	// AuditFile is the audit log, which a restore must not turn back and a backup of state
	// does not hold; empty: there is none.
	AuditFile string
	// WithoutSources leaves out what can be ingested again.
	WithoutSources bool
	Program        string // version
	Clock          func() time.Time
}

// skipped reports paths below a data directory that are no state: of living processes, made
// again from what else is there, or secrets that every deployment makes for itself.
func (o Options) skipped(rel string) bool {
	name := path.Base(rel)
	switch {
	case rel == auth.KeyFileName, rel == "keys", rel == "chatbi/running", rel == "router/owners", rel == "findata/vectors":
		return true
	case o.Database != nil && strings.HasPrefix(rel, "chatbi/results"): // their index is in the database, and is not dumped
		return true
	case o.WithoutSources && rel == "sources":
		return true
	case o.AuditFile != "" && filepath.Join(o.DataDir, filepath.FromSlash(rel)) == filepath.Clean(o.AuditFile):
		return true
	}
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".db-wal") || strings.HasSuffix(name, ".db-shm") ||
		strings.HasPrefix(name, ".restore-") || strings.HasPrefix(name, ".hop-") ||
		strings.HasPrefix(name, ".person-") || strings.HasPrefix(name, ".probe-") || strings.HasPrefix(name, ".doctor-") || strings.HasPrefix(name, "dibrain-panic-")
}

// Backup writes all that is kept to out, as a compressed tar, while processes serve: each
// SQLite file and the tables in PostgreSQL are as they were at one moment, and what refers to
// files that went meanwhile says that they were removed. Secrets are not in it.
func Backup(ctx context.Context, o Options, out io.Writer) (Manifest, error) {
	packed := gzip.NewWriter(out)
	w := &archive{tar: tar.NewWriter(packed), now: o.Clock().UTC().Truncate(time.Second)}
	m := Manifest{Format: format, Program: o.Program, Made: w.now}
	err := w.files(ctx, o)
	if err == nil && o.Database != nil {
		m.Tables, err = w.tables(ctx, o)
	}
	if err != nil {
		return Manifest{}, err
	}
	m.Parts = w.parts
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return Manifest{}, err
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(text)), ModTime: w.now}); err != nil {
		return Manifest{}, err
	}
	if _, err := w.tar.Write(text); err != nil {
		return Manifest{}, err
	}
	return m, errors.Join(w.tar.Close(), packed.Close())
}

// archive is a backup being written.
type archive struct {
	tar   *tar.Writer
	now   time.Time
	parts []Part
}

// files takes the files of the data directory. SQLite files come first, for they name others.
func (w *archive) files(ctx context.Context, o Options) error {
	var databases, others []string
	err := filepath.WalkDir(o.DataDir, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file != o.DataDir {
			return nil // it went meanwhile
		}
		if err != nil || file == o.DataDir {
			return err
		}
		rel, err := filepath.Rel(o.DataDir, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case o.skipped(rel):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() || !entry.Type().IsRegular():
		case strings.HasSuffix(rel, ".db"):
			databases = append(databases, rel)
		default:
			others = append(others, rel)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the data directory: %w", err)
	}
	for _, rel := range databases {
		if err := w.database(ctx, o.DataDir, rel); err != nil {
			return fmt.Errorf("copy %s: %w", rel, err)
		}
	}
	for _, rel := range others {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.file(filesPart+rel, filepath.Join(o.DataDir, filepath.FromSlash(rel))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy %s: %w", rel, err)
		}
	}
	return nil
}

// database takes a SQLite file as it is at one moment, whoever writes to it.
func (w *archive) database(ctx context.Context, dir, rel string) (err error) {
	scratch, err := os.MkdirTemp("", "dibrain-backup-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	db, err := openFile(filepath.Join(dir, filepath.FromSlash(rel)), "")
	if err != nil {
		return err
	}
	copied := filepath.Join(scratch, "copy.db")
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, copied)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return w.file(filesPart+rel, copied)
}

// openFile opens a SQLite file with options behind those of all.
func openFile(path, options string) (*sql.DB, error) {
	at := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	return sql.Open("sqlite", at.String()+"?_pragma=busy_timeout(5000)"+options)
}

// file takes a file. One that shrinks while it is read is an error, of one that grows the
// beginning is taken.
func (w *archive) file(name, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime().UTC().Truncate(time.Second)}); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), io.LimitReader(f, info.Size()))
	if err == nil && n < info.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	w.parts = append(w.parts, Part{Name: name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// tables takes the tables in PostgreSQL. Their sizes are known when they have been read, so
// that each goes by a file of its own.
func (w *archive) tables(ctx context.Context, o Options) (tables []postgres.Table, err error) {
	scratch, err := os.MkdirTemp("", "dibrain-backup-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	err = postgres.Dump(ctx, *o.Database, o.Schemas, func(t postgres.Table, copyTo func(io.Writer) error) error {
		f, err := os.OpenFile(filepath.Join(scratch, t.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(copyTo(f), f.Close()); err != nil {
			return err
		}
		tables = append(tables, t)
		return w.file(tablesPart+t.Name+".copy", f.Name())
	})
	return tables, err
}

// damaged says that a file is no whole backup.
func damaged(what string, err error) error {
	return fault.New(codes.DataLoss, "BACKUP_DAMAGED", "The file is no whole backup: "+what+". Nothing was changed; take another one.").Because(err)
}

// Restore brings a backup back. The data directory must be empty but for what a backup leaves
// out, or replace says that what is there may go; the same holds for the tables. The archive is
// read and checked as a whole before anything is touched; no process may serve meanwhile.
func Restore(ctx context.Context, o Options, in io.Reader, replace bool) (_ Manifest, err error) {
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return Manifest{}, err
	}
	// Beside what it becomes, so that a rename is enough.
	scratch, err := os.MkdirTemp(o.DataDir, ".restore-")
	if err != nil {
		return Manifest{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	m, err := unpack(ctx, in, scratch)
	if err != nil {
		return Manifest{}, err
	}
	if len(m.Tables) > 0 && o.Database == nil {
		return Manifest{}, fault.New(codes.FailedPrecondition, "BACKUP_OTHER_STORE",
			"The backup holds tables of PostgreSQL. Set store.kind to postgres, with the database to restore to.")
	}
	if err := nobodyServes(o.DataDir); err != nil {
		return Manifest{}, err
	}
	old, err := held(o, scratch)
	if err != nil {
		return Manifest{}, err
	}
	if len(old) > 0 && !replace {
		return Manifest{}, fault.New(codes.FailedPrecondition, "STORE_NOT_EMPTY", fmt.Sprintf(
			"The data directory holds %s already, which a restore would mix with the backup's. Restore to an empty one, or give --replace to remove what is there.", old[0]))
	}
	if o.Database != nil { // first: it goes through as a whole or not at all
		if err := restoreTables(ctx, o, m, scratch, replace); err != nil {
			return Manifest{}, err
		}
	}
	for _, rel := range old {
		if err := os.RemoveAll(filepath.Join(o.DataDir, filepath.FromSlash(rel))); err != nil {
			return Manifest{}, err
		}
	}
	for _, p := range m.Parts {
		rel, ok := strings.CutPrefix(p.Name, filesPart)
		if !ok {
			continue
		}
		to := filepath.Join(o.DataDir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return Manifest{}, err
		}
		if err := os.Rename(filepath.Join(scratch, filepath.FromSlash(p.Name)), to); err != nil {
			return Manifest{}, err
		}
	}
	return m, nil
}

// nobodyServes tells of a process that has the data directory's sessions open: it holds a lock
// on a file of its own.
func nobodyServes(dir string) error {
	owners, err := filepath.Glob(filepath.Join(dir, "router", "owners", "*"))
	if err != nil {
		return err
	}
	for _, file := range owners {
		lock := flock.New(file)
		free, err := lock.TryLock()
		if err != nil || free {
			if err := errors.Join(err, lock.Unlock()); err != nil {
				return err
			}
			continue
		}
		return fault.New(codes.FailedPrecondition, "STORE_IN_USE", "A process serves this data directory. Stop it, restore, and start it again.")
	}
	return nil
}

// held lists what is in the data directory and a backup would hold.
func held(o Options, scratch string) ([]string, error) {
	all := o
	all.WithoutSources = false
	var list []string
	err := filepath.WalkDir(o.DataDir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == o.DataDir {
			return err
		}
		rel, err := filepath.Rel(o.DataDir, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		wal := strings.HasSuffix(rel, ".db-wal") || strings.HasSuffix(rel, ".db-shm") // they would spoil the file that is restored
		switch {
		case file == scratch:
			return fs.SkipDir
		case all.skipped(rel) && !wal:
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir():
			list = append(list, rel)
		}
		return nil
	})
	return list, err
}

// unpack reads an archive into a folder and holds it against its manifest.
func unpack(ctx context.Context, in io.Reader, dir string) (m Manifest, err error) {
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return m, damaged("it is not compressed as one", err)
	}
	var found []Part
	r := tar.NewReader(unpacked)
	for {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return m, damaged("its list of contents is missing", nil)
		}
		if err != nil {
			return m, damaged("it breaks off", err)
		}
		if h.Name == manifestName {
			text, err := io.ReadAll(io.LimitReader(r, maxManifest))
			if err != nil {
				return m, damaged("it breaks off", err)
			}
			if err := json.Unmarshal(text, &m); err != nil {
				return m, damaged("its list of contents cannot be read", err)
			}
			break
		}
		if h.Typeflag != tar.TypeReg || !fs.ValidPath(h.Name) || !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			return m, damaged("it holds something that is no file of a backup", nil)
		}
		p, err := unpackFile(r, h, dir)
		if err != nil {
			return m, err
		}
		found = append(found, p)
	}
	switch {
	case m.Format > format:
		return m, fault.New(codes.FailedPrecondition, "BACKUP_TOO_NEW", fmt.Sprintf("The backup was made by dibrain %s in a newer form. Restore it with that version, or a newer one.", m.Program))
	case !slices.Equal(m.Parts, found):
		return m, damaged("what is in it is not what its list says", nil)
	}
	return m, nil
}

func unpackFile(r io.Reader, h *tar.Header, dir string) (Part, error) {
	to := filepath.Join(dir, filepath.FromSlash(h.Name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return Part{}, err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Part{}, damaged("it holds a file twice", nil)
	}
	if err != nil {
		return Part{}, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), r) // of the size that the header says
	if err := errors.Join(err, f.Close()); err != nil {
		return Part{}, damaged("it breaks off", err)
	}
	return Part{Name: h.Name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// restoreTables loads the dumped tables.
func restoreTables(ctx context.Context, o Options, m Manifest, dir string, replace bool) (err error) {
	next := 0
	var open *os.File
	defer func() {
		if open != nil {
			err = errors.Join(err, open.Close())
		}
	}()
	return postgres.Load(ctx, *o.Database, o.Schemas, replace, func() (postgres.Table, io.Reader, error) {
		if open != nil {
			if err := open.Close(); err != nil {
				return postgres.Table{}, nil, err
			}
			open = nil
		}
		if next == len(m.Tables) {
			return postgres.Table{}, nil, io.EOF
		}
		t := m.Tables[next]
		next++
		var err error
		open, err = os.Open(filepath.Join(dir, tablesPart, filepath.Base(t.Name)+".copy"))
		return t, open, err
	})
}
