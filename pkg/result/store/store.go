// Package store keeps results for their owners, so that they can be read on page
// by page. It is one SQLite file, bounded by age, bytes and number; what is
// beyond the bounds is removed, oldest first. Processes of one machine may share
// the file.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	_ "modernc.org/sqlite" // the driver

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
)

//go:embed schema.sql
var schema string

// idPrefix begins the ids of results.
const idPrefix = "res_"

// Bounds of one chunk: what a page has to read at least.
const (
	chunkRows  = 500
	chunkBytes = 256 << 10
)

// Config of a Store. All bounds are needed.
type Config struct {
	Path       string        // of the SQLite file; its folder is made
	MaxAge     time.Duration // a result can be read so long
	MaxBytes   int64         // of all results
	MaxResults int           // their number
	// MaxOwnBytes and MaxOwnResults bound those of one owner; 0: as all.
	MaxOwnBytes   int64
	MaxOwnResults int
	Clock         func() time.Time
	Random        io.Reader // of ids; nil: the system's
}

// Store keeps results. It is safe for concurrent use.
type Store struct {
	config Config
	db     *sql.DB
}

// Open opens the file and makes it where it is missing.
func Open(ctx context.Context, config Config) (*Store, error) {
	if config.MaxOwnBytes <= 0 {
		config.MaxOwnBytes = config.MaxBytes
	}
	if config.MaxOwnResults <= 0 {
		config.MaxOwnResults = config.MaxResults
	}
	if err := os.MkdirAll(filepath.Dir(config.Path), 0o700); err != nil {
		return nil, unusable(config.Path, err)
	}
	// The file is made here, so that nobody else can read it from the start.
	f, err := os.OpenFile(config.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(config.Path, err)
	}
	if err := f.Close(); err != nil {
		return nil, unusable(config.Path, err)
	}
	dsn := (&url.URL{Scheme: "file", Opaque: url.PathEscape(config.Path), RawQuery: url.Values{
		"_pragma": {"busy_timeout(5000)", "auto_vacuum(incremental)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(on)"},
		"_txlock": {"immediate"},
	}.Encode()}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, unusable(config.Path, err)
	}
	db.SetMaxOpenConns(4)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(unusable(config.Path, err), db.Close())
	}
	return &Store{config: config, db: db}, nil
}

func unusable(path string, cause error) error {
	return fault.New(codes.FailedPrecondition, "RESULT_STORE_UNUSABLE",
		"the result store "+path+" cannot be used: check that the folder can be written and the disk is not full; results are a cache, so the file may be deleted",
		"file", path).Because(cause)
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Put keeps a result for its owner and returns its id. A result that is larger
// than the whole store has the error RESULT_TOO_LARGE.
func (s *Store) Put(ctx context.Context, owner run.Principal, t result.Table) (id string, err error) {
	if owner.IsZero() {
		return "", fault.New(codes.Unauthenticated, "UNAUTHENTICATED", "a result needs an owner: sign in")
	}
	columns, err := json.Marshal(t.Columns)
	if err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	chunks, size, err := cut(t.Rows)
	if err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	if most := min(s.config.MaxBytes, s.config.MaxOwnBytes); size > most {
		return "", fault.New(codes.ResourceExhausted, "RESULT_TOO_LARGE",
			fmt.Sprintf("the result has %d bytes and at most %d are stored for one person: narrow the question", size, most))
	}
	id = run.NewID(idPrefix, s.config.Random)
	err = s.within(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO results (id, owner, created_ms, columns, rows, truncated, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			id, owner.ID, s.config.Clock().UnixMilli(), string(columns), len(t.Rows), t.Truncated, size)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			if _, err := tx.ExecContext(ctx, `INSERT INTO chunks (result_id, first_row, data) VALUES (?, ?, ?)`, id, c.first, c.data); err != nil {
				return err
			}
		}
		return s.prune(ctx, tx, owner)
	})
	if err != nil {
		return "", fmt.Errorf("store a result: %w", err)
	}
	// Gives the pages of removed results back to the disk; only a matter of space.
	_, _ = s.db.ExecContext(ctx, `PRAGMA incremental_vacuum`)
	return id, nil
}

type chunk struct {
	first int
	data  []byte
}

func cut(rows [][]any) (chunks []chunk, size int64, err error) {
	for first := 0; first < len(rows); {
		end, bytes := first, int64(0)
		for end < len(rows) && end-first < chunkRows && bytes < chunkBytes {
			bytes += result.Size(rows[end])
			end++
		}
		data, err := encodeRows(rows[first:end])
		if err != nil {
			return nil, 0, err
		}
		chunks, size = append(chunks, chunk{first, data}), size+int64(len(data))
		first = end
	}
	return chunks, size, nil
}

// Why a result was removed, as the table removed keeps it.
const (
	whyAge   = "age"
	whyQuota = "quota"
)

// maxRemoved bounds what is remembered of removed results.
const maxRemoved = 10_000

// prune removes what is too old, then what is beyond the bounds: of the owner who
// has just stored, that owner's oldest; of all together, the oldest of whoever has
// most, so that nobody loses a result to somebody who stores more.
func (s *Store) prune(ctx context.Context, tx *sql.Tx, owner run.Principal) error {
	now := s.config.Clock().UnixMilli()
	if err := s.pruneOld(ctx, tx); err != nil {
		return err
	}
	const beyond = `id IN (SELECT id FROM (
			SELECT id, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
			FROM results WHERE owner = ? WINDOW newest AS (ORDER BY created_ms DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
		) WHERE position > ? OR total > ?)`
	if err := remove(ctx, tx, now, whyQuota, beyond, owner.ID, s.config.MaxOwnResults, s.config.MaxOwnBytes); err != nil {
		return err
	}
	for {
		var number, bytes int64
		if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(bytes), 0) FROM results`).Scan(&number, &bytes); err != nil {
			return err
		}
		share := `sum(bytes)`
		switch {
		case bytes > s.config.MaxBytes:
		case number > int64(s.config.MaxResults):
			share = `count(*)`
		default:
			_, err := tx.ExecContext(ctx, `DELETE FROM removed WHERE id IN (SELECT id FROM removed ORDER BY removed_ms DESC, rowid DESC LIMIT -1 OFFSET ?)`, maxRemoved)
			return err
		}
		const oldestOfTheLargest = `id = (SELECT id FROM results WHERE owner = (SELECT owner FROM results GROUP BY owner ORDER BY %s DESC, owner LIMIT 1)
			ORDER BY created_ms, rowid LIMIT 1)`
		if err := remove(ctx, tx, now, whyQuota, fmt.Sprintf(oldestOfTheLargest, share)); err != nil {
			return err
		}
	}
}

// pruneOld removes what is too old.
func (s *Store) pruneOld(ctx context.Context, tx *sql.Tx) error {
	return remove(ctx, tx, s.config.Clock().UnixMilli(), whyAge, `created_ms <= ?`, s.oldest())
}

// Prune removes what is too old and gives its space back, so that a store that nobody
// writes to does not keep results for ever.
func (s *Store) Prune(ctx context.Context) error {
	if err := s.within(ctx, func(tx *sql.Tx) error { return s.pruneOld(ctx, tx) }); err != nil {
		return fmt.Errorf("remove old results: %w", err)
	}
	_, err := s.db.ExecContext(ctx, `PRAGMA incremental_vacuum`)
	return err
}

// remove removes the results of a condition and remembers them.
func remove(ctx context.Context, tx *sql.Tx, now int64, why, condition string, args ...any) error {
	note := `INSERT OR REPLACE INTO removed (id, owner, removed_ms, why) SELECT id, owner, ?, ? FROM results WHERE ` + condition
	if _, err := tx.ExecContext(ctx, note, append([]any{now, why}, args...)...); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM results WHERE `+condition, args...)
	return err
}

// oldest is the time at which a result has become too old.
func (s *Store) oldest() int64 { return s.config.Clock().Add(-s.config.MaxAge).UnixMilli() }

func (s *Store) within(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
