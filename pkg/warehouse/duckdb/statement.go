package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// Bounds of the watch over a running statement.
const (
	// obeyWait is how long a child may work on after its statement was cancelled, or
	// after its deadline: then it is killed.
	obeyWait = time.Second
	// memoryEvery is how often a child's memory is looked at. A child that fills memory
	// as fast as the machine writes it takes about 100 MB in this time.
	memoryEvery = 50 * time.Millisecond
)

// reason is why a child was killed.
type reason int

const (
	notKilled reason = iota
	tooLarge         // it took more memory than it may
	disobeyed        // it did not stop when it was told to
)

// statement is one that runs on a child.
type statement struct {
	ctx     context.Context // ends with the statement's deadline, or its caller
	worker  *worker
	pool    *pool
	log     *slog.Logger
	timeout time.Duration
	release func()

	mu    sync.Mutex
	why   reason
	sent  chan struct{} // nil: no cancel; closed when the child was told of it
	grace *time.Timer

	stop func() bool   // ends the watch for ctx
	over chan struct{} // closed with the statement, ends the watch over memory
	once sync.Once
}

// maxTries bounds how often a statement is given to another child because one had
// ended, idle, before it was told of it.
const maxTries = 3

// begin sends a statement to a child. The release function is called when the child
// is free again, or gone.
func (p *pool) begin(ctx context.Context, q wire.Query, release func()) (*statement, error) {
	for try := 1; ; try++ {
		w, err := p.lease(ctx)
		if err != nil {
			release()
			return nil, err
		}
		s := &statement{ctx: ctx, worker: w, pool: p, log: p.log, timeout: q.Timeout, release: release, over: make(chan struct{})}
		s.mu.Lock() // stop is there before the watch can end
		s.stop = context.AfterFunc(ctx, s.cancel)
		s.mu.Unlock()
		err = s.send(q)
		if err == nil {
			if _, known := w.memory(); known && p.limit > 0 {
				go s.watchMemory()
			}
			return s, nil
		}
		if try < maxTries && ctx.Err() == nil && !errors.Is(err, wire.ErrTooLarge) { // it had ended before
			s.release = func() {}
			s.finish(false)
			continue
		}
		return nil, s.fail(err)
	}
}

// send gives a statement to the child and waits until it has it.
func (s *statement) send(q wire.Query) error {
	if err := s.worker.conn.Send(wire.KindQuery, q); err != nil {
		return err
	}
	kind, _, err := s.worker.conn.Receive()
	if err == nil && kind != wire.KindBegun {
		err = fmt.Errorf("the embedded engine answered %d to a statement", kind)
	}
	return err
}

// receive returns the next frame of the result. An error ends the statement.
func (s *statement) receive() (wire.Kind, []byte, error) {
	kind, payload, err := s.worker.conn.Receive()
	if err != nil {
		return 0, nil, s.fail(err)
	}
	switch kind {
	case wire.KindEnd:
		s.finish(true)
	case wire.KindFailed:
		s.finish(true)
		failed, err := wire.Read[wire.Failed](payload)
		if err != nil {
			return 0, nil, err
		}
		return 0, nil, failure(s.ctx, errors.New(failed.Text), s.timeout)
	}
	return kind, payload, nil
}

// cancel asks the child to stop, and kills it when it does not.
func (s *statement) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent != nil || s.isOver() {
		return
	}
	s.sent = make(chan struct{})
	s.grace = time.AfterFunc(obeyWait, func() { s.kill(disobeyed) })
	go func() {
		defer close(s.sent)
		_ = s.worker.conn.Send(wire.KindCancel, nil) // a child that does not read is killed
	}()
}

// isOver reports that the child is free, perhaps at another's statement, or gone.
func (s *statement) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

func (s *statement) kill(why reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOver() {
		return
	}
	if s.why == notKilled {
		s.why = why
	}
	s.worker.destroy()
}

func (s *statement) watchMemory() {
	ticker := time.NewTicker(memoryEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case <-ticker.C:
		}
		resident, known := s.worker.memory()
		if known && resident > s.pool.limit {
			s.kill(tooLarge)
			return
		}
	}
}

// abandon ends a statement whose rest nobody wants. It returns when the child has
// stopped, or is killed.
func (s *statement) abandon() {
	if s.isOver() {
		return
	}
	s.cancel()
	for {
		kind, _, err := s.worker.conn.Receive()
		if err != nil {
			s.finish(false)
			return
		}
		if kind == wire.KindEnd || kind == wire.KindFailed {
			s.finish(true)
			return
		}
	}
}

// finish gives the child back, or discards it. It may be called twice.
func (s *statement) finish(clean bool) {
	s.once.Do(func() {
		s.mu.Lock()
		close(s.over)
		if s.grace != nil {
			s.grace.Stop()
		}
		clean = clean && s.why == notKilled
		sent := s.sent
		s.mu.Unlock()
		s.stop()
		if clean && sent != nil {
			<-sent // or it would reach the child at its next statement
		}
		if clean {
			s.pool.giveBack(s.worker, s.release)
		} else {
			s.pool.discard(s.worker, s.release)
		}
	})
}

// outOfMemory recognises a process that ended because the system gave it no more.
func outOfMemory(how string) bool {
	for _, words := range []string{"out of memory", "cannot allocate memory", "bad_alloc"} {
		if strings.Contains(strings.ToLower(how), words) {
			return true
		}
	}
	return false
}

// fail ends a statement whose child is lost, and says why it is.
func (s *statement) fail(cause error) error {
	s.worker.destroy()
	how := "it has not ended yet"
	select {
	case <-s.worker.done():
		how = s.worker.end()
	case <-time.After(obeyWait):
	}
	s.finish(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	cause = fmt.Errorf("the embedded engine's process: %s: %w", how, cause)
	switch {
	case s.why == tooLarge, s.why == notKilled && outOfMemory(how):
		s.log.WarnContext(s.ctx, "a statement of the embedded engine took too much memory and was ended", "limit", s.pool.limit, "how", how)
		return &warehouse.Error{
			Name: warehouse.NameStatementMemory, Kind: warehouse.KindResources, Cause: cause,
			Message: fmt.Sprintf("the statement needed more than %s of memory and was ended: narrow it, or group it in another way", humanize.IBytes(uint64(s.pool.limit))),
		}
	case s.ctx.Err() != nil: // it did not obey, or was killed while it was stopping
		s.log.WarnContext(s.ctx, "a statement of the embedded engine did not stop when it was told to: its process was ended", "how", how)
		return failure(s.ctx, cause, s.timeout)
	}
	s.log.ErrorContext(s.ctx, "a process of the embedded engine ended while a statement ran on it", "how", how)
	return &warehouse.Error{
		Name: warehouse.NameEngineEnded, Kind: warehouse.KindExternal, Cause: cause,
		Message: "the embedded engine's process ended while the statement ran: ask again, the next statement runs on a new one; if it ends again, narrow the statement, as the machine may be short of memory",
	}
}
