package chatbi

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/result/store"
)

// results opens the result store when it is first needed: a process that runs no
// statement makes no file.
type results struct {
	config store.Config
	timer  sync.WaitGroup

	mu     sync.Mutex
	store  *store.Store
	closed bool
}

func newResults(config store.Config) *results { return &results{config: config} }

// Results says where results are, by what a service works with, and their bounds.
func (d Deps) Results(c StoreConfig) store.Config {
	config := ResultsFile(d.DataDir, c, d.Clock)
	config.Database, config.Lease, config.Files, config.Log, config.Meter = d.Database, d.Lease, d.Files, d.Log, d.Meter
	return config
}

// ResultsFile says where a data directory has its results, and their bounds.
func ResultsFile(dataDir string, c StoreConfig, clock func() time.Time) store.Config {
	return store.Config{
		Path: filepath.Join(dataDir, "chatbi", "results.db"), MaxAge: c.MaxAge, MaxBytes: c.MaxBytes, MaxResults: c.MaxResults,
		MaxOwnBytes: c.MaxOwnBytes, MaxOwnResults: c.MaxOwnResults, Clock: clock,
	}
}

var errClosed = errors.New("the result store is closed")

func (r *results) open(ctx context.Context) (*store.Store, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if r.store != nil {
		return r.store, nil
	}
	s, err := store.Open(ctx, r.config)
	if err != nil {
		return nil, err
	}
	r.store = s
	return s, nil
}

// prune removes what is too old. Where no results were ever kept, it makes no file.
func (r *results) prune(ctx context.Context) error {
	if r.config.Database != nil {
		r.forgetFile()
	} else {
		if _, err := os.Stat(r.config.Path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	return s.Prune(ctx)
}

// forgetFile removes the index of earlier times, when it was a file: nobody reads or prunes
// it any more. Results are a cache.
func (r *results) forgetFile() {
	for _, ending := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(r.config.Path + ending) // there is none, most times
	}
}

// pruneByTimer prunes now and then until ctx ends, although nobody stores anything.
func (r *results) pruneByTimer(ctx context.Context, every time.Duration, log *slog.Logger) {
	prune := func(ctx context.Context) {
		if err := r.prune(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "old results could not be removed; the next try follows", "error", err)
		}
	}
	r.timer.Go(func() {
		if r.config.Database != nil { // opening a file does it; a database is opened for the first statement
			prune(ctx)
		}
		pause.Every(ctx, every, r.config.Clock, prune)
	})
}

// close closes the store. Whoever began the timer has ended it.
func (r *results) close() error {
	r.timer.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}
