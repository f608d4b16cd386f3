package chatbi

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/result/store"
)

// results opens the result store when it is first needed: a process that runs no
// statement makes no file.
type results struct {
	config store.Config

	mu     sync.Mutex
	store  *store.Store
	closed bool
}

func newResults(dataDir string, c StoreConfig, clock func() time.Time) *results {
	return &results{config: store.Config{
		Path: filepath.Join(dataDir, "chatbi", "results.db"), MaxAge: c.MaxAge, MaxBytes: c.MaxBytes, MaxResults: c.MaxResults,
		MaxOwnBytes: c.MaxOwnBytes, MaxOwnResults: c.MaxOwnResults, Clock: clock,
	}}
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

func (r *results) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}
