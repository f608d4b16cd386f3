package examples

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

//go:embed migrations/*.sql
var migrations embed.FS

// maxProposals bounds what one person proposes in one source and nobody has looked at.
const maxProposals = 100

// Store keeps the examples of people in a SQLite file. The file is made by the
// first example; reading where there is none opens nothing. It may be used
// concurrently, also by several processes.
type Store struct {
	file *lazy.File
	most int
}

// NewStore returns a store in dataDir/text2sql/examples.db with at most so many
// examples of a source. It opens nothing yet.
func NewStore(dataDir string, most int) *Store {
	return &Store{most: most, file: lazy.New(File(dataDir))}
}

// File is the store of a data directory.
func File(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "text2sql", "examples.db"), Migrations: migrations, Reason: ReasonUnavailable,
		Message: "The store of verified queries cannot be used: check the data directory's rights and free space, or move the file away to begin anew.",
	}
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

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
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
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
			e.ID, e.Source, e.Mart, e.Question, key, e.SQL, string(tables), string(e.Status), e.AddedBy, store.Nanos(e.AddedAt), e.ApprovedBy, store.Nanos(e.ApprovedAt), e.RunID)
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
	return s.file.Change(ctx, false, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE examples SET status = 'approved', approved_by = ?, approved_at = ? WHERE id = ? AND status = 'proposed'`, by, store.Nanos(at), e.ID)
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
	return s.file.Change(ctx, false, func(tx *sql.Tx) error {
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
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return 0, err
	}
	var n int64
	err = db.QueryRowContext(ctx, `SELECT n FROM revisions WHERE source = ?`, source).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, s.file.Fault("read", err)
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
	return list[:page.Size], store.Cursor{List: name, At: store.Nanos(last.AddedAt), ID: last.ID}.Token(), nil
}

func (s *Store) query(ctx context.Context, text string, args ...any) (list []Example, err error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		e := Example{Origin: Person}
		var tables string
		var added, approved int64
		if err := rows.Scan(&e.ID, &e.Source, &e.Mart, &e.Question, &e.SQL, &tables, &e.Status, &e.AddedBy, &added, &e.ApprovedBy, &approved, &e.RunID); err != nil {
			return nil, s.file.Fault("read", err)
		}
		if err := json.Unmarshal([]byte(tables), &e.Tables); err != nil {
			return nil, s.file.Fault("read", err)
		}
		e.AddedAt, e.ApprovedAt = store.FromNanos(added), store.FromNanos(approved)
		list = append(list, e)
	}
	if err := rows.Err(); err != nil {
		return nil, s.file.Fault("read", err)
	}
	return list, nil
}
