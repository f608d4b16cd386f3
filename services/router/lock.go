package router

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// busyPoll lies between two tries to lock a session that is at work.
const busyPoll = 50 * time.Millisecond

// heldLock is the turn's right to write to its session. It is renewed until the
// turn ends.
type heldLock struct {
	service *Service
	stop    chan struct{}
	stopped sync.Once
	freed   atomic.Bool
	beating sync.WaitGroup
	// unopened: the session is not stored yet, so that there is no lock to renew.
	unopened bool
	beat     func() // begins to renew

	mu   sync.Mutex
	lock store.Lock
}

// lock takes the session, waiting for it where the configuration says so.
func (s *Service) lock(ctx context.Context, p run.Principal, sessionID string) (*heldLock, error) {
	deadline := time.NewTimer(s.config().MaxBusyWait)
	defer deadline.Stop()
	for {
		l, err := s.deps.Store.Lock(ctx, p, sessionID, s.config().Lease)
		if err == nil {
			return s.hold(l), nil
		}
		if fault.ReasonOf(err) != store.ReasonSessionBusy || s.config().OnBusy != BusyWait {
			return nil, err
		}
		again := time.NewTimer(busyPoll)
		select {
		case <-again.C:
		case <-deadline.C:
			again.Stop()
			return nil, err
		case <-ctx.Done():
			again.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

func (s *Service) hold(l store.Lock) *heldLock {
	return &heldLock{service: s, lock: l, stop: make(chan struct{})}
}

// opened is told that the session is stored; goesOn says whether the turn does.
func (l *heldLock) opened(goesOn bool) {
	l.unopened = false
	if goesOn {
		l.beat()
	}
}

// keep renews the lock until release, and cancels the turn when the lock was
// lost or the run's end was asked for through another process.
func (l *heldLock) keep(ctx context.Context, runID string, cancel context.CancelCauseFunc) {
	s := l.service
	l.beating.Go(func() {
		beat := time.NewTicker(s.config().Lease / 3)
		defer beat.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-beat.C:
			}
			write, done := s.persistContext(ctx)
			renewed, asked, err := s.deps.Store.Renew(write, l.current(), runID, s.config().Lease)
			done()
			switch {
			case fault.ReasonOf(err) == store.ReasonLockLost:
				cancel(err)
				return
			case err != nil:
				s.deps.Log.WarnContext(ctx, "a session lock could not be renewed; the next try follows", "error", err)
				continue
			case asked:
				cancel(errCancelled)
			}
			l.mu.Lock()
			l.lock = renewed
			l.mu.Unlock()
		}
	})
}

func (l *heldLock) current() store.Lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lock
}

// stopRenewing ends the renewing; a second call does nothing.
func (l *heldLock) stopRenewing() {
	l.stopped.Do(func() {
		close(l.stop)
		l.beating.Wait()
	})
}

// release gives the lock up, unless the turn's last step did; a second call does
// nothing.
func (l *heldLock) release() {
	l.stopRenewing()
	if l.freed.Swap(true) || l.unopened {
		return
	}
	ctx, done := l.service.persistContext(context.Background())
	defer done()
	if err := l.service.deps.Store.Unlock(ctx, l.current()); err != nil {
		l.service.deps.Log.Warn("a session lock could not be given up; it runs out by itself", "error", err)
	}
}

// persistContext is for a write that has to happen though the turn is over.
func (s *Service) persistContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.config().PersistTimeout)
}

// activeRuns are the runs of this process that are at work.
type activeRuns struct {
	mu   sync.Mutex
	runs map[string]activeRun
	all  sync.WaitGroup
}

type activeRun struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

func (a *activeRuns) enter(id string, cancel context.CancelCauseFunc) (leave func()) {
	r := activeRun{cancel: cancel, done: make(chan struct{})}
	a.all.Add(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runs == nil {
		a.runs = map[string]activeRun{}
	}
	a.runs[id] = r
	return func() {
		a.mu.Lock()
		delete(a.runs, id)
		a.mu.Unlock()
		close(r.done)
		a.all.Done()
	}
}

// cancel ends a run of this process and returns a channel that closes when it
// has ended; nil when it is not here.
func (a *activeRuns) cancel(id string, cause error) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, here := a.runs[id]
	if !here {
		return nil
	}
	r.cancel(cause)
	return r.done
}

// close ends all runs and waits for them.
func (a *activeRuns) close() {
	a.mu.Lock()
	for _, r := range a.runs {
		r.cancel(errClosing)
	}
	a.mu.Unlock()
	a.all.Wait()
}
