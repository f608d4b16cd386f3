package ingest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	sqlite3 "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store/schema"
)

// reasonChanged is the reason of a fault that a file was written to while it was read.
const reasonChanged = "INPUT_CHANGED"

const (
	// sqliteMagic begins each file of SQLite 3 that is not encrypted.
	sqliteMagic = "SQLite format 3\x00"
	// sqlite2Magic begins the files of SQLite 2.
	sqlite2Magic = "** This file contains an SQLite 2"
	// duckdbMagic stands in a DuckDB file, so many bytes behind its beginning.
	duckdbMagic   = "DUCK"
	duckdbMagicAt = 8
	// walSuffix is added to the name of the file for that of the log beside it.
	walSuffix = "-wal"
	// sqliteHeader is how much of a file tells what it is, in bytes.
	sqliteHeader = 64
	// Where the header of a SQLite file says how it is read; 2 means with a log beside it.
	sqliteReadVersionAt = 19
	// sqliteBusy bounds waiting for another program's write.
	sqliteBusy = 5 * time.Second
	// smallestPage is what the size of a database is a multiple of, in bytes.
	smallestPage = 512
)

func sqliteEndings() []string { return []string{".sqlite", ".sqlite3", ".db"} }

// sqliteInput is a SQLite file that is open for reading. All of it is read as it was at one
// moment, whatever its owner writes meanwhile.
type sqliteInput struct {
	path string // as it was given
	file string // with all links followed
	db   *sql.DB
	conn *sql.Conn
	// still is the file as it was when it was opened, where nothing but that tells whether
	// somebody wrote into it; else nil.
	still fs.FileInfo
}

// openSQLite opens a file and begins to read. Nothing is written, neither into the file nor
// beside it, but for what SQLite itself keeps beside a file whose log is there.
func openSQLite(ctx context.Context, path string, info fs.FileInfo, maxBytes int64) (_ *sqliteInput, err error) {
	head, err := sqliteHead(path, info.Size())
	if err != nil {
		return nil, err
	}
	file, err := filepath.EvalSymlinks(path) // SQLite looks for the log beside the file itself
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return nil, fault.New(codes.FailedPrecondition, "INPUT_UNREADABLE", path+" cannot be read: check where it leads").Because(err)
	}
	if err := checkBeside(file, maxBytes); err != nil {
		return nil, err
	}
	in := &sqliteInput{path: path, file: file}
	query := fmt.Sprintf("mode=ro&_pragma=busy_timeout(%d)&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)", sqliteBusy.Milliseconds())
	if _, err := os.Lstat(file + walSuffix); errors.Is(err, fs.ErrNotExist) && head[sqliteReadVersionAt] == 2 {
		// SQLite would make a log and an index of it, and leave them there. Nobody writes
		// into the file as long as there is no log.
		query += "&immutable=1"
		in.still = info
	}
	address := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(file), RawQuery: query}
	if in.db, err = sql.Open("sqlite", address.String()); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if in.conn, err = in.db.Conn(ctx); err != nil {
		return nil, in.fault(ctx, err)
	}
	if _, err = in.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, in.fault(ctx, err)
	}
	var tables int64 // the first reading begins what is seen of the file
	if err = in.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, in.fault(ctx, err)
	}
	return in, nil
}

// checkBeside checks what SQLite opens beside a file: it would follow links, and keep the
// index of the log in what they lead to.
func checkBeside(file string, maxBytes int64) error {
	for _, suffix := range []string{walSuffix, "-shm", "-journal"} {
		info, err := os.Lstat(file + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is a link: copy the database with the files beside it, and give the copy", file+suffix)
		}
		if _, err := CheckInput(file+suffix, maxBytes); err != nil {
			return err
		}
	}
	return nil
}

// close ends the reading.
func (in *sqliteInput) close() error {
	var errs []error
	if in.conn != nil {
		errs = append(errs, in.conn.Close())
	}
	return errors.Join(append(errs, in.db.Close())...)
}

// unchanged is a fault where somebody wrote into the file while it was read without a lock.
func (in *sqliteInput) unchanged() error {
	if in.still == nil {
		return nil
	}
	now, err := os.Stat(in.file)
	_, logErr := os.Lstat(in.file + walSuffix)
	if err != nil || logErr == nil || now.Size() != in.still.Size() || !now.ModTime().Equal(in.still.ModTime()) {
		return fault.New(codes.Aborted, reasonChanged, in.path+" was changed by another program while it was read: run this again").Because(err)
	}
	return nil
}

// fault says what to do about an error of the driver that concerns the whole file.
func (in *sqliteInput) fault(ctx context.Context, err error) error {
	var driver *sqlite3.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // a reading that was ended says nothing of the file
	case !errors.As(err, &driver):
		return fmt.Errorf("read %s: %w", in.path, err)
	}
	switch driver.Code() & schema.Primary {
	case lib.SQLITE_NOTADB:
		return encrypted(in.path).Because(err)
	case lib.SQLITE_CORRUPT:
		return fault.Invalid("path", "INPUT_DAMAGED", "%s is a damaged SQLite database: bring back a copy, or save what can be read with `sqlite3 FILE .recover`; SQLite says: %s", in.path, driver.Error()).Because(err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fault.New(codes.Unavailable, "INPUT_BUSY", fmt.Sprintf("another program has been writing to %s for more than %s: try again when it is done, or give a copy", in.path, sqliteBusy)).Because(err)
	}
	return fault.Invalid("path", "INPUT_UNREADABLE", "%s cannot be opened as a SQLite database: close it in other programs, or copy it, with the file %s if there is one, to a folder that you may write to, and give the copy; SQLite says: %s",
		in.path, filepath.Base(in.path)+walSuffix, driver.Error()).Because(err)
}

func encrypted(path string) *fault.Error {
	return fault.Invalid("path", "INPUT_ENCRYPTED", "%s is no SQLite database, or an encrypted one: where it is encrypted, write it without a key there, with SQLCipher by ATTACH 'plain.db' AS plain KEY ''; SELECT sqlcipher_export('plain'); and give plain.db", path)
}

// sqliteHead reads the head of a file, and says what the file is where it is no database of
// SQLite 3.
func sqliteHead(path string, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(codes.FailedPrecondition, "INPUT_UNREADABLE", path+" cannot be read: check its rights").Because(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	head := make([]byte, sqliteHeader)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fault.New(codes.FailedPrecondition, "INPUT_UNREADABLE", path+" cannot be read: check the disk").Because(err)
	}
	none := func(format string, args ...any) error {
		return fault.Invalid("path", "INPUT_NOT_SQLITE", path+" is no SQLite database: "+format, args...)
	}
	switch head := head[:n]; {
	case n == 0:
		return nil, none("it is empty; where another program has it open, let it write first")
	case bytes.HasPrefix(head, []byte(sqliteMagic)) && n == sqliteHeader:
	case bytes.HasPrefix(head, []byte(sqlite2Magic)):
		return nil, none("SQLite 2 wrote it; dump it there, and ingest the dump with sql-dump")
	case n > duckdbMagicAt && bytes.HasPrefix(head[duckdbMagicAt:], []byte(duckdbMagic)):
		return nil, none("it is one of DuckDB, which ingest duckdb reads")
	case bytes.IndexByte(head, 0) < 0 && isPlainText(head):
		return nil, none("it is a text; ingest sql-dump reads dumps, and ingest files reads files of values")
	case size%smallestPage == 0 && binary.BigEndian.Uint64(head) != 0:
		return nil, encrypted(path)
	default:
		return nil, none("its beginning is that of another kind of file; check the path, or copy it again from where it comes")
	}
	return head, nil
}

// isPlainText reports bytes that are letters, digits and signs of ASCII.
func isPlainText(head []byte) bool {
	return bytes.IndexFunc(head, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' && r != '\r' && r != '\t' }) < 0
}
