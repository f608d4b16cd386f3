// Package memory keeps what each person did with the tables shown and what they
// prefer, in findata's own SQLite file or in tables of PostgreSQL that several findatas
// share. The file is made by the first feedback or preference; reading where there is
// none opens nothing.
package memory

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/store/lazy"
	"github.com/dibrain/dibrain/pkg/store/small"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed postgres/migrations/*.sql
var postgresMigrations embed.FS

// postgresVersion is the number of the newest file in postgres/migrations.
const postgresVersion = 1

// prefix begins the names of the tables in PostgreSQL.
const prefix = "findata_"

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

// Store keeps feedback and preferences. It may be used concurrently, and by several
// processes.
type Store struct {
	cfg    Config
	tables small.Store
	clock  func() time.Time
}

// New returns a store in tables.
func New(cfg Config, tables small.Store, clock func() time.Time) *Store {
	return &Store{cfg: cfg, clock: clock, tables: tables}
}

// File is the store of a data directory.
func File(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "findata", "findata.db"), Migrations: migrations, Reason: "PREFERENCES_UNAVAILABLE",
		Message: "the store of preferences and feedback cannot be used: check the data directory's rights and free space, or move the file away to begin anew",
	}
}

// Tables are those of the store in either kind. What curators decided is among them in
// PostgreSQL alone: package library keeps files of it otherwise.
func Tables(dataDir string) (small.Tables, error) {
	schema, err := small.PostgresSchema("preferences", prefix, postgresMigrations, postgresVersion,
		"feedback", "preferences", "feature_names", "answer", "shown", "review", "use_day", "curated")
	return small.Tables{File: File(dataDir), Schema: schema, Prefix: prefix}, err
}

// lockPerson lets what is written of a person in a source be written one after another: then
// a higher number is later, and bounds hold.
func lockPerson(ctx context.Context, tx small.Tx, person, source string) error {
	return tx.Lock(ctx, fmt.Sprintf("person %q in %q", person, source))
}

// Add stores what a person did with tables, and drops their oldest entries
// beyond the bound.
func (s *Store) Add(ctx context.Context, person, source, question string, tables []string, kind Kind) error {
	return s.tables.Write(ctx, "store feedback", func(ctx context.Context, tx small.Tx) error {
		if err := lockPerson(ctx, tx, person, source); err != nil {
			return err
		}
		at := s.clock().UnixMilli()
		for _, t := range tables {
			if err := tx.Exec(ctx, `INSERT INTO {feedback} (person, source, question, table_name, kind, at) VALUES ($1, $2, $3, $4, $5, $6)`,
				person, source, question, t, string(kind), at); err != nil {
				return err
			}
			if err := judge(ctx, tx, person, source, question, t, kind); err != nil {
				return err
			}
		}
		return tx.Exec(ctx, `DELETE FROM {feedback} WHERE person = $1 AND source = $2 AND id <= (
			SELECT id FROM {feedback} WHERE person = $1 AND source = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`,
			person, source, s.cfg.MaxFeedback)
	})
}

// Recent returns a person's latest feedback, newest first, at most limit.
func (s *Store) Recent(ctx context.Context, person, source string, limit int) (entries []Entry, err error) {
	err = s.tables.Read(ctx, "read feedback", func(ctx context.Context, q small.Querier) error {
		entries = nil
		return q.Each(ctx, `SELECT question, table_name, kind, at FROM {feedback} WHERE person = $1 AND source = $2 ORDER BY id DESC LIMIT $3`,
			[]any{person, source, limit}, func(row small.Row) error {
				var e Entry
				var at int64
				if err := row.Scan(&e.Question, &e.Table, &e.Kind, &at); err != nil {
					return err
				}
				e.At = time.UnixMilli(at)
				entries = append(entries, e)
				return nil
			})
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// Mark is of what is stored of a person in a source: it is equal as long as neither their
// feedback nor their preferences have changed, whichever process writes them.
func (s *Store) Mark(ctx context.Context, person, source string) (string, error) {
	var latest int64
	var content string
	err := s.tables.Read(ctx, "look for changes of preferences", func(ctx context.Context, q small.Querier) error {
		_, err := q.First(ctx, `SELECT coalesce((SELECT max(id) FROM {feedback} WHERE person = $1 AND source = $2), 0),
			coalesce((SELECT content FROM {preferences} WHERE person = $1 AND source = $2), '')`, []any{person, source}, &latest, &content)
		return err
	})
	return fmt.Sprint(latest, " ", content), err
}

// Preferences returns what a person has set; ok is false where they set nothing.
func (s *Store) Preferences(ctx context.Context, person, source string) (p Preferences, ok bool, err error) {
	err = s.tables.Read(ctx, "read preferences", func(ctx context.Context, q small.Querier) error {
		var raw string
		if ok, err = q.First(ctx, `SELECT content FROM {preferences} WHERE person = $1 AND source = $2`, []any{person, source}, &raw); err != nil || !ok {
			return err
		}
		p = Preferences{}
		return json.Unmarshal([]byte(raw), &p)
	})
	if err != nil {
		return Preferences{}, false, err
	}
	return p, ok, nil
}

// SetPreferences replaces what a person has set.
func (s *Store) SetPreferences(ctx context.Context, person, source string, p Preferences) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write preferences as JSON: %w", err)
	}
	return s.tables.Write(ctx, "store preferences", func(ctx context.Context, tx small.Tx) error {
		return tx.Exec(ctx, `INSERT INTO {preferences} (person, source, content, at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (person, source) DO UPDATE SET content = excluded.content, at = excluded.at`, person, source, string(raw), s.clock().UnixMilli())
	})
}

// Close gives up what the store is kept in.
func (s *Store) Close() error { return s.tables.Close() }
