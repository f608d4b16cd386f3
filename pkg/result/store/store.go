// Package store keeps results for their owners, so that they can be read on page
// by page. Each is an Arrow file that is written while its rows come; a SQLite file
// beside the folder is the index of them. Both are bounded by age, bytes and number;
// what is beyond the bounds is removed, oldest first. Processes of one machine may
// share them.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
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

// Config of a Store. All bounds are needed.
type Config struct {
	Path       string        // of the SQLite file; its folder is made, and beside it, without the ending, that of the rows
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
	s := &Store{config: config}
	if err := os.MkdirAll(s.folder(), 0o700); err != nil {
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
	s.db = db
	if err := s.sweep(ctx); err != nil {
		return nil, errors.Join(unusable(config.Path, err), db.Close())
	}
	return s, nil
}

func unusable(path string, cause error) error {
	return fault.New(codes.FailedPrecondition, "RESULT_STORE_UNUSABLE",
		"the result store "+path+" cannot be used: check that the folder can be written and the disk is not full; results are a cache, so the file may be deleted",
		"file", path).Because(cause)
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Put keeps a result that is in memory and returns its id. Its errors are those of a
// Writer.
func (s *Store) Put(ctx context.Context, owner run.Principal, t result.Table) (id string, err error) {
	w, err := s.Begin(ctx, owner, t.Columns)
	if err != nil {
		return "", err
	}
	if err := w.Append(ctx, t.Rows); err != nil {
		return "", errors.Join(err, w.Discard())
	}
	return w.Finish(ctx, t.Truncated, "")
}

// Reusable returns the id of the result that an owner's statement of this key has given,
// where it is kept still; empty: none is.
func (s *Store) Reusable(ctx context.Context, owner run.Principal, key string) (id string, created time.Time, err error) {
	var at int64
	err = s.db.QueryRowContext(ctx, `SELECT id, created_ms FROM reusable JOIN results ON id = result_id
		WHERE reusable.owner = ?1 AND results.owner = ?1 AND key = ?2 AND created_ms > ?3`, owner.ID, key, s.oldest()).Scan(&id, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("look for a result that can be used again: %w", err)
	}
	return id, time.UnixMilli(at), nil
}

// Why a result was removed, as the table removed keeps it.
const (
	whyAge   = "age"
	whyQuota = "quota"
	whyOwner = "owner" // who deleted it
)

// maxRemoved bounds what is remembered of removed results.
const maxRemoved = 10_000

// prune removes what is too old, then what is beyond the bounds: of the owner who
// has just stored, that owner's oldest; of all together, the oldest of whoever has
// most, so that nobody loses a result to somebody who stores more. Results that are
// being written count and stay; where they leave no room, the error is RESULT_STORE_FULL.
func (s *Store) prune(ctx context.Context, tx *sql.Tx, owner run.Principal, gone *[]string) error {
	now := s.config.Clock().UnixMilli()
	if err := s.pruneOld(ctx, tx, gone); err != nil {
		return err
	}
	var own, all int64 // bytes of what is being written
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(bytes) FILTER (WHERE owner = ?), 0), coalesce(sum(bytes), 0) FROM writing`, owner.ID).Scan(&own, &all); err != nil {
		return err
	}
	if own > s.config.MaxOwnBytes {
		return full(fmt.Sprintf("results of yours that are being read have all of the %s that one person may keep (chatbi.store.max_own_bytes)", result.Bytes(s.config.MaxOwnBytes)))
	}
	if all > s.config.MaxBytes {
		return full(fmt.Sprintf("results that are being read have all of the %s that are kept (chatbi.store.max_bytes)", result.Bytes(s.config.MaxBytes)))
	}
	const beyond = `id IN (SELECT id FROM (
			SELECT id, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
			FROM results WHERE owner = ? WINDOW newest AS (ORDER BY created_ms DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
		) WHERE position > ? OR total > ?)`
	if err := remove(ctx, tx, gone, now, whyQuota, beyond, owner.ID, s.config.MaxOwnResults, s.config.MaxOwnBytes-own); err != nil {
		return err
	}
	for {
		var number, bytes int64
		if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(bytes), 0) FROM results`).Scan(&number, &bytes); err != nil {
			return err
		}
		share := `sum(bytes)`
		switch {
		case bytes > s.config.MaxBytes-all:
		case number > int64(s.config.MaxResults):
			share = `count(*)`
		default:
			_, err := tx.ExecContext(ctx, `DELETE FROM removed WHERE id IN (SELECT id FROM removed ORDER BY removed_ms DESC, rowid DESC LIMIT -1 OFFSET ?)`, maxRemoved)
			return err
		}
		const oldestOfTheLargest = `id = (SELECT id FROM results WHERE owner = (SELECT owner FROM results GROUP BY owner ORDER BY %s DESC, owner LIMIT 1)
			ORDER BY created_ms, rowid LIMIT 1)`
		if err := remove(ctx, tx, gone, now, whyQuota, fmt.Sprintf(oldestOfTheLargest, share)); err != nil {
			return err
		}
	}
}

func full(what string) error {
	e := fault.New(codes.ResourceExhausted, "RESULT_STORE_FULL", what+": wait until one is done, or ask for fewer rows or columns")
	e.RetryAfter = 5 * time.Second
	return e
}

// pruneOld removes what is too old.
func (s *Store) pruneOld(ctx context.Context, tx *sql.Tx, gone *[]string) error {
	return remove(ctx, tx, gone, s.config.Clock().UnixMilli(), whyAge, `created_ms <= ?`, s.oldest())
}

// Prune removes what is too old and gives its space back, so that a store that nobody
// writes to does not keep results for ever. What killed processes left goes too.
func (s *Store) Prune(ctx context.Context) error {
	if err := s.change(ctx, func(tx *sql.Tx, gone *[]string) error { return s.pruneOld(ctx, tx, gone) }); err != nil {
		return fmt.Errorf("remove old results: %w", err)
	}
	if err := s.sweep(ctx); err != nil {
		return fmt.Errorf("remove old results: %w", err)
	}
	_, err := s.db.ExecContext(ctx, `PRAGMA incremental_vacuum`)
	return err
}

// Delete removes a result of the owner's, with its file, and returns what it had. What is
// not there has the errors of Page.
func (s *Store) Delete(ctx context.Context, owner run.Principal, id string) (rows, bytes int64, err error) {
	err = s.change(ctx, func(tx *sql.Tx, gone *[]string) error {
		const one = `id = ? AND owner = ? AND created_ms > ?`
		args := []any{id, owner.ID, s.oldest()}
		if err := tx.QueryRowContext(ctx, `SELECT rows, bytes FROM results WHERE `+one, args...).Scan(&rows, &bytes); err != nil {
			return err
		}
		return remove(ctx, tx, gone, s.config.Clock().UnixMilli(), whyOwner, one, args...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, s.missing(ctx, owner, id)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("remove result %s: %w", id, err)
	}
	return rows, bytes, nil
}

// remove removes the results of a condition, remembers them and says which they were.
func remove(ctx context.Context, tx *sql.Tx, gone *[]string, now int64, why, condition string, args ...any) (err error) {
	note := `INSERT OR REPLACE INTO removed (id, owner, removed_ms, why) SELECT id, owner, ?, ? FROM results WHERE ` + condition
	if _, err := tx.ExecContext(ctx, note, append([]any{now, why}, args...)...); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `DELETE FROM results WHERE `+condition+` RETURNING id`, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		*gone = append(*gone, id)
	}
	return rows.Err()
}

// oldest is the time at which a result has become too old.
func (s *Store) oldest() int64 { return s.config.Clock().Add(-s.config.MaxAge).UnixMilli() }

// change changes the index, and removes the files of the results that it let go once
// that is certain.
func (s *Store) change(ctx context.Context, do func(tx *sql.Tx, gone *[]string) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var gone []string
	if err := do(tx, &gone); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.removeFiles(gone)
	return nil
}
