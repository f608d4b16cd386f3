// Package store keeps results for their owners, so that they can be read on page
// by page. Each is an Arrow file that is written while its rows come, in a folder or in
// object storage; an index of them is in a SQLite file, which processes of one machine
// may share, or in PostgreSQL, which those of several do. Both are bounded by age, bytes
// and number; what is beyond the bounds is removed, oldest first.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// idPrefix begins the ids of results.
const idPrefix = "res_"

// Config of a Store. All bounds are needed.
type Config struct {
	// Path of the SQLite file with the index; its folder is made. It is not looked at where
	// Database is set.
	Path string
	// Database has the index in PostgreSQL; whoever opened it closes it. Lease is how long
	// a process that gives no sign of life there is taken to write its results; default
	// DefaultLease.
	Database *postgres.Database
	Lease    time.Duration
	// Files keep the rows; nil: a folder beside the SQLite file, without its ending.
	Files Files

	MaxAge     time.Duration // a result can be read so long
	MaxBytes   int64         // of all results
	MaxResults int           // their number
	// MaxOwnBytes and MaxOwnResults bound those of one owner; 0: as all.
	MaxOwnBytes   int64
	MaxOwnResults int
	Clock         func() time.Time
	Random        io.Reader    // of ids; nil: the system's
	Log           *slog.Logger // nil: slog.Default
	Meter         *meter.Set   // nil: nothing is counted
}

// DefaultLease is that of Config.
const DefaultLease = 15 * time.Second

// Store keeps results. It is safe for concurrent use.
type Store struct {
	config     Config
	index      index
	files      Files
	background *background
}

// Open opens the index, and makes it where it is missing. What killed processes have left
// beside a SQLite file goes at once; beside a database, which others use meanwhile, with
// the next Prune.
func Open(ctx context.Context, config Config) (*Store, error) {
	if config.MaxOwnBytes <= 0 {
		config.MaxOwnBytes = config.MaxBytes
	}
	if config.MaxOwnResults <= 0 {
		config.MaxOwnResults = config.MaxResults
	}
	if config.Lease <= 0 {
		config.Lease = DefaultLease
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	folder := strings.TrimSuffix(config.Path, filepath.Ext(config.Path))
	if config.Files == nil {
		config.Files = Directory(folder)
	}
	s := &Store{config: config, files: config.Files}
	switch d := s.files.(type) {
	case Directory:
		if err := os.MkdirAll(string(d), 0o700); err != nil {
			return nil, unusable(string(d), err)
		}
	case SharedDirectory:
		if err := d.Ready(ctx); err != nil {
			return nil, err
		}
	}
	if config.Database != nil {
		s.index = openPostgres(config)
	} else {
		sqlite, err := openSQLite(ctx, config.Path, folder, config.Random)
		if err != nil {
			return nil, unusable(config.Path, err)
		}
		s.index = sqlite
		if err := s.sweep(ctx); err != nil {
			return nil, errors.Join(unusable(config.Path, err), s.index.close())
		}
	}
	s.background = newBackground(s.files, config, s.evict)
	return s, nil
}

func unusable(path string, cause error) error {
	return fault.New(codes.FailedPrecondition, "RESULT_STORE_UNUSABLE",
		"the result store "+path+" cannot be used: check that the folder can be written and the disk is not full; results are a cache, so the file may be deleted",
		"file", path).Because(cause)
}

// Close removes the files that wait for it, and closes the index.
func (s *Store) Close() error {
	s.background.close()
	return s.index.close()
}

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
	err = s.index.read(ctx, "look for a result that can be used again", func(ctx context.Context, q querier) error {
		return q.one(ctx, `SELECT r.id, r.created_ms FROM results_reusable u JOIN results r ON r.id = u.result_id
			WHERE u.owner = $1 AND r.owner = $1 AND u.key = $2 AND r.created_ms > $3`, []any{owner.ID, key, s.oldest()}, &id, &at)
	})
	if errors.Is(err, errNone) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("look for a result that can be used again: %w", err)
	}
	return id, time.UnixMilli(at), nil
}

// room says whether what is being written leaves room for an owner's: where it does not, the
// error is RESULT_STORE_FULL.
func (s *Store) room(ctx context.Context, q querier, owner run.Principal) error {
	var own, all int64
	if err := q.one(ctx, `SELECT CAST(coalesce(sum(bytes) FILTER (WHERE owner = $1), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM results_writing`,
		[]any{owner.ID}, &own, &all); err != nil {
		return err
	}
	if own > s.config.MaxOwnBytes {
		return full(fmt.Sprintf("results of yours that are being read have all of the %s that one person may keep (chatbi.store.max_own_bytes)", result.Bytes(s.config.MaxOwnBytes)))
	}
	if all > s.config.MaxBytes {
		return full(fmt.Sprintf("results that are being read have all of the %s that are kept (chatbi.store.max_bytes)", result.Bytes(s.config.MaxBytes)))
	}
	return nil
}

func full(what string) error {
	e := fault.New(codes.ResourceExhausted, "RESULT_STORE_FULL", what+": wait until one is done, or ask for fewer rows or columns")
	e.RetryAfter = 5 * time.Second
	return e
}

// Prune removes what is too old or beyond the bounds and gives its space back, so that a
// store that nobody writes to does not keep results for ever. What killed processes left goes
// before, and so do files that could not be removed earlier.
func (s *Store) Prune(ctx context.Context) error {
	err := errors.Join(s.sweep(ctx), s.evict(ctx, func(ids []string) { s.background.removeNow(ctx, ids) }))
	if err != nil {
		err = fmt.Errorf("remove old results: %w", err)
	}
	return errors.Join(err, s.index.compact(ctx)) // a file that stays keeps no result, and no space of the index
}

// sweep removes the files that the index does not know.
func (s *Store) sweep(ctx context.Context) error {
	files := &sweeping{Files: s.files, meter: s.config.Meter}
	if err := s.index.sweep(ctx, files); err != nil {
		return err
	}
	return files.stuck
}

// Delete removes a result of the owner's, with its file, and returns what it had. What is
// not there has the errors of Page.
func (s *Store) Delete(ctx context.Context, owner run.Principal, id string) (rows, bytes int64, err error) {
	gone, err := s.change(ctx, "remove a result", func(ctx context.Context, q querier, e *evicted) error {
		const one = `FROM results WHERE id = $1 AND owner = $2 AND created_ms > $3`
		args := []any{id, owner.ID, s.oldest()}
		if err := q.one(ctx, `SELECT rows, bytes `+one, args, &rows, &bytes); err != nil {
			return err
		}
		return e.take(ctx, q, s.config.Clock().UnixMilli(), choice{whyOwner, `SELECT id ` + one, args})
	})
	if errors.Is(err, errNone) {
		return 0, 0, s.missing(ctx, owner, id)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("remove result %s: %w", id, err)
	}
	s.background.removeNow(ctx, gone.ids) // whoever deletes waits for it
	return rows, bytes, nil
}

// oldest is the time at which a result has become too old.
func (s *Store) oldest() int64 { return s.config.Clock().Add(-s.config.MaxAge).UnixMilli() }

// Ready says whether rows can be kept and read at present.
func (s *Store) Ready(ctx context.Context) error { return s.files.Ready(ctx) }
