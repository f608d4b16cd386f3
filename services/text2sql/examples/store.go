package examples

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
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
const prefix = "text2sql_"

// maxProposals bounds what one person proposes in one source and nobody has looked at.
const maxProposals = 100

// Store keeps the examples of people. It may be used concurrently, also by several
// processes: what one has approved another knows by the revision of the source.
type Store struct {
	tables small.Store
	most   int
}

// NewStore returns a store in tables, with at most so many examples of a source.
func NewStore(tables small.Store, most int) *Store {
	return &Store{tables: tables, most: most}
}

// File is the store of a data directory. The file is made by the first example; reading
// where there is none opens nothing.
func File(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, "text2sql", "examples.db"), Migrations: migrations, Reason: ReasonUnavailable,
		Message: "The store of verified queries cannot be used: check the data directory's rights and free space, or move the file away to begin anew.",
	}
}

// Tables are those of the store in either kind.
func Tables(dataDir string) (small.Tables, error) {
	schema, err := small.PostgresSchema("verified queries", prefix, postgresMigrations, postgresVersion, "examples", "revisions")
	return small.Tables{File: File(dataDir), Schema: schema, Prefix: prefix}, err
}

// Ready says whether the store can be reached.
func (s *Store) Ready(ctx context.Context) error { return s.tables.Ready(ctx) }

// Close gives up what the store is kept in.
func (s *Store) Close() error { return s.tables.Close() }

// Add stores an example under its question's key. A question that has an approved
// SQL takes no other; of the same person's proposals for one question the newest
// stays.
func (s *Store) Add(ctx context.Context, e Example, key string) error {
	tables, err := json.Marshal(e.Tables)
	if err != nil {
		return fmt.Errorf("store the tables of an example: %w", err)
	}
	return s.tables.Write(ctx, "add a verified query", func(ctx context.Context, tx small.Tx) error {
		if err := tx.Lock(ctx, e.Source); err != nil { // who adds after it counts after it
			return err
		}
		var have int
		if _, err := tx.First(ctx, `SELECT count(*) FROM {examples} WHERE source = $1`, []any{e.Source}, &have); err != nil {
			return err
		}
		if have >= s.most {
			return fault.New(codes.ResourceExhausted, ReasonFull, fmt.Sprintf(
				"Source %q has %d verified queries and proposals already, which is the most (text2sql.max_examples). Remove some that are not needed.", e.Source, have))
		}
		if e.Status == Proposed {
			if _, err := tx.First(ctx, `SELECT count(*) FROM {examples} WHERE source = $1 AND added_by = $2 AND status = 'proposed'`, []any{e.Source, e.AddedBy}, &have); err != nil {
				return err
			}
			if have >= maxProposals {
				return fault.New(codes.ResourceExhausted, ReasonFull, fmt.Sprintf(
					"%d proposals of yours wait for a curator already. Ask one to look at them, or remove some.", have))
			}
			if err := tx.Exec(ctx, `DELETE FROM {examples} WHERE source = $1 AND question_key = $2 AND added_by = $3 AND status = 'proposed'`, e.Source, key, e.AddedBy); err != nil {
				return err
			}
		}
		err := tx.Exec(ctx, `INSERT INTO {examples} (id, source, mart, question, question_key, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			e.ID, e.Source, e.Mart, e.Question, key, e.SQL, string(tables), string(e.Status), e.AddedBy, store.Nanos(e.AddedAt), e.ApprovedBy, store.Nanos(e.ApprovedAt), e.RunID)
		if tx.Taken(err) {
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
	return s.tables.Change(ctx, "approve a verified query", func(ctx context.Context, tx small.Tx) error {
		err := tx.Exec(ctx, `UPDATE {examples} SET status = 'approved', approved_by = $1, approved_at = $2 WHERE id = $3 AND status = 'proposed'`, by, store.Nanos(at), e.ID)
		if tx.Taken(err) {
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
	return s.tables.Change(ctx, "remove a verified query", func(ctx context.Context, tx small.Tx) error {
		if err := tx.Exec(ctx, `DELETE FROM {examples} WHERE id = $1`, e.ID); err != nil {
			return err
		}
		return revise(ctx, tx, e.Source)
	})
}

func revise(ctx context.Context, tx small.Tx, source string) error {
	return tx.Exec(ctx, `INSERT INTO {revisions} (source, n) VALUES ($1, 1) ON CONFLICT (source) DO UPDATE SET n = {revisions}.n + 1`, source)
}

// Revision grows with each change of a source's approved examples.
func (s *Store) Revision(ctx context.Context, source string) (n int64, err error) {
	err = s.tables.Read(ctx, "look for changes of verified queries", func(ctx context.Context, q small.Querier) error {
		_, err := q.First(ctx, `SELECT n FROM {revisions} WHERE source = $1`, []any{source}, &n)
		return err
	})
	return n, err
}

const columns = `id, source, mart, question, sql, tables, status, added_by, added_at, approved_by, approved_at, run_id`

// Get reads an example by its id; ok is false where there is none.
func (s *Store) Get(ctx context.Context, id string) (e Example, ok bool, err error) {
	list, err := s.query(ctx, `SELECT `+columns+` FROM {examples} WHERE id = $1`, id)
	if err != nil || len(list) == 0 {
		return Example{}, false, err
	}
	return list[0], true, nil
}

// AllApproved reads the approved examples of a source, newest first.
func (s *Store) AllApproved(ctx context.Context, source string) ([]Example, error) {
	return s.query(ctx, `SELECT `+columns+` FROM {examples} WHERE source = $1 AND status = 'approved' ORDER BY added_at DESC, id DESC`, source)
}

// List reads a page of a source's examples, newest first; status may be empty.
func (s *Store) List(ctx context.Context, source string, status Status, page store.Page) (list []Example, next string, err error) {
	name := "examples:" + source + ":" + string(status)
	after, more, err := store.ParseCursor(name, page.Token)
	if err != nil {
		return nil, "", err
	}
	where, args := `source = $1`, []any{source, page.Size + 1}
	if status != "" {
		args = append(args, string(status))
		where += fmt.Sprintf(` AND status = $%d`, len(args))
	}
	if more {
		args = append(args, after.At, after.ID)
		where += fmt.Sprintf(` AND (added_at, id) < ($%d, $%d)`, len(args)-1, len(args))
	}
	list, err = s.query(ctx, `SELECT `+columns+` FROM {examples} WHERE `+where+` ORDER BY added_at DESC, id DESC LIMIT $2`, args...)
	if err != nil || len(list) <= page.Size {
		return list, "", err
	}
	last := list[page.Size-1]
	return list[:page.Size], store.Cursor{List: name, At: store.Nanos(last.AddedAt), ID: last.ID}.Token(), nil
}

func (s *Store) query(ctx context.Context, text string, args ...any) (list []Example, err error) {
	err = s.tables.Read(ctx, "read verified queries", func(ctx context.Context, q small.Querier) error {
		list = nil
		return q.Each(ctx, text, args, func(row small.Row) error {
			e := Example{Origin: Person}
			var tables string
			var added, approved int64
			if err := row.Scan(&e.ID, &e.Source, &e.Mart, &e.Question, &e.SQL, &tables, &e.Status, &e.AddedBy, &added, &e.ApprovedBy, &approved, &e.RunID); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(tables), &e.Tables); err != nil {
				return err
			}
			e.AddedAt, e.ApprovedAt = store.FromNanos(added), store.FromNanos(approved)
			list = append(list, e)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}
