package examples

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// maxProposals bounds what one person proposes in one source and nobody has looked at.
const maxProposals = 100

// Store keeps the examples of people in a SQLite file. The file is made by the
// first example; reading where there is none opens nothing. It may be used
// concurrently, also by several processes.
type Store struct {
	path string
	most int

	mu     sync.Mutex
	db     *sql.DB
	closed bool
}

// NewStore returns a store in dataDir/text2sql/examples.db with at most so many
// examples of a source. It opens nothing yet.
func NewStore(dataDir string, most int) *Store {
	return &Store{path: filepath.Join(dataDir, "text2sql", "examples.db"), most: most}
}

// open returns the database, nil where it does not exist and create is false.
func (s *Store) open(ctx context.Context, create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.New(codes.Unavailable, "SHUTTING_DOWN", "The service is shutting down: try again in a moment.")
	}
	if s.db != nil {
		return s.db, nil
	}
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, nil
		}
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			return nil, s.fault("make the folder", err)
		}
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(s.path)+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, s.fault("open", err)
	}
	db.SetMaxOpenConns(2)
	if err := migrate(ctx, db); err != nil {
		return nil, s.fault("bring up to date", errors.Join(err, db.Close()))
	}
	s.db = db
	return db, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func (s *Store) fault(doing string, err error) error {
	return fault.New(codes.Unavailable, ReasonUnavailable,
		"The store of verified queries cannot be used: check the data directory's rights and free space, or move the file away to begin anew.").
		ForOperator("%s", s.path).Because(fmt.Errorf("%s %s: %w", doing, s.path, err))
}

// Close closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// change does all of do or nothing. Faults of do stay as they are.
func (s *Store) change(ctx context.Context, create bool, do func(*sql.Tx) error) error {
	db, err := s.open(ctx, create)
	if err != nil || db == nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.fault("write to", err)
	}
	if err := do(tx); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, back)
		}
		if own := new(*fault.Error); errors.As(err, own) {
			return err
		}
		return s.fault("write to", err)
	}
	if err := tx.Commit(); err != nil {
		return s.fault("write to", err)
	}
	return nil
}

func isTaken(err error) bool {
	return err != nil && strings.Contains(err.Error(), "UNIQUE constraint failed")
}

// Add stores an example under its question's key. A question that has an approved
// SQL takes no other; of the same person's proposals for one question the newest
// stays.
func (s *Store) Add(ctx context.Context, e Example, key string) error {
	tables, err := json.Marshal(e.Tables)
	if err != nil {
		return fmt.Errorf("store the tables of an example: %w", err)
	}
	return s.change(ctx, true, func(tx *sql.Tx) error {
		var have int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM examples WHERE source = ?`, e.Source).Scan(&have); err != nil {
			return err
		}
		if have >= s.most {
			return fault.New(codes.ResourceExhausted, ReasonFull, fmt.Sprintf(
				"Source %q has %d verified queries and proposals already, which is the most (text2sql.max_examples). Remove some that are not needed.", e.Source, have))
		}
		if e.Status == Proposed {
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM examples WHERE source = ? AND added_by = ? AND status = 'proposed'`, e.Source, e.AddedBy).Scan(&have); err != nil {
				return err
			}
			if have >= maxProposals {
				return fault.New(codes.ResourceExhausted, ReasonFull, fmt.Sprintf(
					"%d proposals of yours wait for a curator already. Ask one to look at them, or remove some.", have))
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM examples WHERE source = ? AND question_key = ? AND added_by = ? AND status = 'proposed'`, e.Source, key, e.AddedBy); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO examples (id, source, mart, question, question_key, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.ID, e.Source, e.Mart, e.Question, key, e.SQL, string(tables), string(e.Status), e.AddedBy, nanos(e.AddedAt), e.ApprovedBy, nanos(e.ApprovedAt), e.RunID)
		if isTaken(err) {
			return exists()
		}
		if err != nil || e.Status != Approved {
			return err
		}
		return revise(ctx, tx, e.Source)
	})
}

// Approve makes a proposal an approved example.
func (s *Store) Approve(ctx context.Context, e Example, by string, at time.Time) error {
	return s.change(ctx, false, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE examples SET status = 'approved', approved_by = ?, approved_at = ? WHERE id = ? AND status = 'proposed'`, by, nanos(at), e.ID)
		if isTaken(err) {
			return exists()
		}
		if err != nil {
			return err
		}
		return revise(ctx, tx, e.Source)
	})
}

// Remove deletes an example.
func (s *Store) Remove(ctx context.Context, e Example) error {
	return s.change(ctx, false, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM examples WHERE id = ?`, e.ID); err != nil {
			return err
		}
		return revise(ctx, tx, e.Source)
	})
}

func revise(ctx context.Context, tx *sql.Tx, source string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO revisions (source, n) VALUES (?, 1) ON CONFLICT (source) DO UPDATE SET n = n + 1`, source)
	return err
}

// Revision grows with each change of a source's approved examples.
func (s *Store) Revision(ctx context.Context, source string) (int64, error) {
	db, err := s.open(ctx, false)
	if err != nil || db == nil {
		return 0, err
	}
	var n int64
	err = db.QueryRowContext(ctx, `SELECT n FROM revisions WHERE source = ?`, source).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, s.fault("read", err)
	}
	return n, nil
}

const columns = `id, source, mart, question, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id`

// Get reads an example by its id; ok is false where there is none.
func (s *Store) Get(ctx context.Context, id string) (e Example, ok bool, err error) {
	list, err := s.query(ctx, `SELECT `+columns+` FROM examples WHERE id = ?`, id)
	if err != nil || len(list) == 0 {
		return Example{}, false, err
	}
	return list[0], true, nil
}

// AllApproved reads the approved examples of a source, newest first.
func (s *Store) AllApproved(ctx context.Context, source string) ([]Example, error) {
	return s.query(ctx, `SELECT `+columns+` FROM examples WHERE source = ? AND status = 'approved' ORDER BY added_at DESC, id DESC`, source)
}

// List reads a page of a source's examples, newest first; status may be empty.
func (s *Store) List(ctx context.Context, source string, status Status, page store.Page) (list []Example, next string, err error) {
	name := "examples:" + source + ":" + string(status)
	after, more, err := store.ParseCursor(name, page.Token)
	if err != nil {
		return nil, "", err
	}
	where, args := `source = ?`, []any{source}
	if status != "" {
		where, args = where+` AND status = ?`, append(args, string(status))
	}
	if more {
		where, args = where+` AND (added_at, id) < (?, ?)`, append(args, after.At, after.ID)
	}
	list, err = s.query(ctx, `SELECT `+columns+` FROM examples WHERE `+where+` ORDER BY added_at DESC, id DESC LIMIT ?`, append(args, page.Size+1)...)
	if err != nil || len(list) <= page.Size {
		return list, "", err
	}
	last := list[page.Size-1]
	return list[:page.Size], store.Cursor{List: name, At: nanos(last.AddedAt), ID: last.ID}.Token(), nil
}

func (s *Store) query(ctx context.Context, text string, args ...any) (list []Example, err error) {
	db, err := s.open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, s.fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		e := Example{Origin: Person}
		var tables string
		var added, approved int64
		if err := rows.Scan(&e.ID, &e.Source, &e.Mart, &e.Question, &e.SQL, &tables, &e.Status, &e.AddedBy, &added, &e.ApprovedBy, &approved, &e.RunID); err != nil {
			return nil, s.fault("read", err)
		}
		if err := json.Unmarshal([]byte(tables), &e.Tables); err != nil {
			return nil, s.fault("read", err)
		}
		e.AddedAt, e.ApprovedAt = fromNanos(added), fromNanos(approved)
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fault("read", err)
	}
	return list, nil
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
