package router

import (
	"context"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/store"
)

// maxBatches bounds the transactions of one sweep; the next one goes on.
const maxBatches = 50

// sweeper removes from the store what is kept no longer, beside the turns: nobody
// waits for it, and a turn's own write comes between two of its batches. It begins
// with a turn, or by a timer where nobody asks anything.
type sweeper struct {
	mu      sync.Mutex
	next    time.Time
	wanted  bool // a sweep is due that has not begun
	working bool // one sweep at a time, however long it takes
	work    sync.WaitGroup
	stop    context.CancelFunc // of the timer
}

// startSweeping begins the timer, which ends with stopSweeping.
func (s *Service) startSweeping() {
	ctx, stop := context.WithCancel(context.Background())
	s.sweeper.stop = stop
	s.sweeper.work.Go(func() {
		pause.Every(ctx, s.config().Retention.SweepEvery, s.deps.Clock, func(context.Context) { s.sweepIfDue() })
	})
}

func (s *Service) stopSweeping() {
	s.sweeper.stop()
	s.sweeper.work.Wait()
}

// sweepIfDue begins a sweep where it is time for one. One that becomes due while
// another works follows it.
func (s *Service) sweepIfDue() {
	now := s.deps.Clock()
	w := &s.sweeper
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Before(w.next) {
		return
	}
	w.next = now.Add(s.config().Retention.SweepEvery)
	w.wanted = true
	if w.working {
		return
	}
	w.working = true
	w.work.Go(func() {
		for w.take() {
			s.sweep()
		}
	})
}

// take reports whether a sweep is wanted; where none is, the work is over.
func (w *sweeper) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working, w.wanted = w.wanted, false
	return w.working
}

func (s *Service) sweep() {
	r := s.config().Retention
	keeps := store.Retention{SessionsFor: r.SessionsFor, RunsFor: r.RunsFor, MaxSessions: r.MaxSessions, MaxRuns: r.MaxRuns, Batch: r.SweepBatch, MaxRemoved: r.MaxRemoved}
	var all store.Swept
	for range maxBatches {
		ctx, done := s.persistContext(context.Background())
		swept, err := s.deps.Store.Sweep(ctx, keeps)
		done()
		all.Sessions, all.Runs = all.Sessions+swept.Sessions, all.Runs+swept.Runs
		if err != nil {
			s.deps.Log.Warn("old sessions and runs could not be removed; the next try follows", "error", err)
			return
		}
		if !swept.More {
			break
		}
	}
	if all.Sessions+all.Runs > 0 {
		s.deps.Log.Info("old sessions and runs are removed", "sessions", all.Sessions, "runs", all.Runs)
	}
}
