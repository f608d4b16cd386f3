// Package memory keeps what each person did with the tables shown and what they
// prefer, in findata's own SQLite store. The file is made by the first feedback
// or preference; reading where there is none opens nothing.
package memory

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
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dibrain/dibrain/pkg/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Kind is what a person did with a table.
type Kind string

// Kinds of feedback.
const (
	Shown    Kind = "shown"
	Clicked  Kind = "clicked"
	Accepted Kind = "accepted"
	Rejected Kind = "rejected"
)

// Config bounds a Store.
type Config struct {
	// MaxFeedback bounds the stored feedback of one person in one source.
	MaxFeedback int
	// MaxShown bounds the stored answers of one person in one source; 0: none are.
	MaxShown int
}

// Entry is one piece of feedback.
type Entry struct {
	Question string
	Table    string // idc_region.schema.table
	Kind     Kind
	At       time.Time
}

// Preferences are one person's, as set or as learned.
type Preferences struct {
	Marts  []string `json:"marts,omitempty"`
	Tables []string `json:"tables,omitempty"`
	Region string   `json:"region,omitempty"`
	Grain  string   `json:"grain,omitempty"`
}

// Store keeps feedback and preferences. It may be used concurrently.
type Store struct {
	cfg   Config
	path  string
	clock func() time.Time

	mu     sync.Mutex
	db     *sql.DB
	closed bool
}

// New returns a store in dataDir/findata/findata.db. It opens nothing yet.
func New(cfg Config, dataDir string, clock func() time.Time) *Store {
	return &Store{cfg: cfg, path: filepath.Join(dataDir, "findata", "findata.db"), clock: clock}
}

// open returns the database, nil where it does not exist and make is false.
func (s *Store) open(ctx context.Context, create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.New(codes.Unavailable, "SHUTTING_DOWN", "the service is shutting down: try again in a moment")
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
	db, err := sql.Open("sqlite", "file:"+s.path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
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
	return fault.New(codes.Unavailable, "PREFERENCES_UNAVAILABLE",
		"the store of preferences and feedback cannot be used: check the data directory's rights and free space, or move the file away to begin anew").
		ForOperator("%s", s.path).Because(fmt.Errorf("%s %s: %w", doing, s.path, err))
}

// Add stores what a person did with tables, and drops their oldest entries
// beyond the bound.
func (s *Store) Add(ctx context.Context, person, source, question string, tables []string, kind Kind) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		at := s.clock().UnixMilli()
		for _, t := range tables {
			if _, err := tx.ExecContext(ctx, `INSERT INTO feedback (person, source, question, table_name, kind, at) VALUES (?, ?, ?, ?, ?, ?)`,
				person, source, question, t, string(kind), at); err != nil {
				return err
			}
			if err := judge(ctx, tx, person, source, question, t, kind); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM feedback WHERE person = ? AND source = ? AND id <= (
			SELECT id FROM feedback WHERE person = ? AND source = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
			person, source, person, source, s.cfg.MaxFeedback)
		return err
	})
}

// change does all of do or nothing, making the file where there is none.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	db, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.fault("write to", err)
	}
	if err := do(tx); err != nil {
		return errors.Join(s.fault("write to", err), ignoreDone(tx.Rollback()))
	}
	if err := tx.Commit(); err != nil {
		return s.fault("write to", err)
	}
	return nil
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// Recent returns a person's latest feedback, newest first, at most limit.
func (s *Store) Recent(ctx context.Context, person, source string, limit int) (entries []Entry, err error) {
	db, err := s.open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT question, table_name, kind, at FROM feedback WHERE person = ? AND source = ? ORDER BY id DESC LIMIT ?`, person, source, limit)
	if err != nil {
		return nil, s.fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Entry
		var at int64
		if err := rows.Scan(&e.Question, &e.Table, &e.Kind, &at); err != nil {
			return nil, s.fault("read", err)
		}
		e.At = time.UnixMilli(at)
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fault("read", err)
	}
	return entries, nil
}

// Preferences returns what a person has set; ok is false where they set nothing.
func (s *Store) Preferences(ctx context.Context, person, source string) (p Preferences, ok bool, err error) {
	db, err := s.open(ctx, false)
	if err != nil || db == nil {
		return p, false, err
	}
	var raw string
	err = db.QueryRowContext(ctx, `SELECT content FROM preferences WHERE person = ? AND source = ?`, person, source).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(raw), &p)
	}
	if err != nil {
		return p, false, s.fault("read", err)
	}
	return p, true, nil
}

// SetPreferences replaces what a person has set.
func (s *Store) SetPreferences(ctx context.Context, person, source string, p Preferences) error {
	db, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write preferences as JSON: %w", err)
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO preferences (person, source, content, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (person, source) DO UPDATE SET content = excluded.content, at = excluded.at`, person, source, string(raw), s.clock().UnixMilli()); err != nil {
		return s.fault("write to", err)
	}
	return nil
}

// Close closes the database.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}
