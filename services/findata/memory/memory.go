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
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/store/lazy"
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
	file  *lazy.File
	clock func() time.Time
}

// New returns a store in dataDir/findata/findata.db. It opens nothing yet.
func New(cfg Config, dataDir string, clock func() time.Time) *Store {
	return &Store{cfg: cfg, clock: clock, file: lazy.New(File(dataDir))}
}

// File is the store of a data directory.
func File(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "findata", "findata.db"), Migrations: migrations, Reason: "PREFERENCES_UNAVAILABLE",
		Message: "the store of preferences and feedback cannot be used: check the data directory's rights and free space, or move the file away to begin anew",
	}
}

// Add stores what a person did with tables, and drops their oldest entries
// beyond the bound.
func (s *Store) Add(ctx context.Context, person, source, question string, tables []string, kind Kind) error {
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
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

// Recent returns a person's latest feedback, newest first, at most limit.
func (s *Store) Recent(ctx context.Context, person, source string, limit int) (entries []Entry, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT question, table_name, kind, at FROM feedback WHERE person = ? AND source = ? ORDER BY id DESC LIMIT ?`, person, source, limit)
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e Entry
		var at int64
		if err := rows.Scan(&e.Question, &e.Table, &e.Kind, &at); err != nil {
			return nil, s.file.Fault("read", err)
		}
		e.At = time.UnixMilli(at)
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.file.Fault("read", err)
	}
	return entries, nil
}

// Preferences returns what a person has set; ok is false where they set nothing.
func (s *Store) Preferences(ctx context.Context, person, source string) (p Preferences, ok bool, err error) {
	db, err := s.file.Open(ctx, false)
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
		return p, false, s.file.Fault("read", err)
	}
	return p, true, nil
}

// SetPreferences replaces what a person has set.
func (s *Store) SetPreferences(ctx context.Context, person, source string, p Preferences) error {
	db, err := s.file.Open(ctx, true)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write preferences as JSON: %w", err)
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO preferences (person, source, content, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (person, source) DO UPDATE SET content = excluded.content, at = excluded.at`, person, source, string(raw), s.clock().UnixMilli()); err != nil {
		return s.file.Fault("write to", err)
	}
	return nil
}

// Close closes the database.
func (s *Store) Close() error { return s.file.Close() }
