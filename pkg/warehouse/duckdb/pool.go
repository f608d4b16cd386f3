package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// worker is a child that is open, and the parent's end of it.
type worker struct {
	process
	conn   *wire.Conn
	idleAt time.Time // when it became idle

	evicted bool // ended while it was idle, for a child of another pool
}

// destroy kills a child. Where even that does not end it, nobody waits for what it
// says any more.
func (w *worker) destroy() {
	w.kill()
	time.AfterFunc(obeyWait, func() {
		select {
		case <-w.done():
		default:
			_ = w.conn.Close()
		}
	})
}

// pool keeps children warm. Each runs one statement at a time, so that ending one
// ends no other's statement; how many there are is bounded by the engine's slots,
// and by the room that all pools share.
type pool struct {
	launcher Launcher
	room     *Room
	open     wire.Open
	limit    int64         // of a child's memory, in bytes; 0: none
	keep     time.Duration // how long an idle child beside the first stays
	log      *slog.Logger

	mu     sync.Mutex
	idle   []*worker // the one used last is the last
	all    map[*worker]bool
	closed bool

	stuck atomic.Int64 // children that were killed and did not end in time
}

// reapWait is how long a killed child may take to be gone. One that takes longer
// is waiting for the kernel, such as for a disk that does not answer.
const reapWait = 5 * time.Second

// openFailure is what a child says when it cannot open the databases.
type openFailure struct{ wire.Failed }

func (e *openFailure) Error() string { return "open the databases of the embedded engine: " + e.Text }

var errPoolClosed = errors.New("the embedded engine is closed")

// lease returns a child that runs nothing.
func (p *pool) lease(ctx context.Context) (*worker, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errPoolClosed
		}
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return p.start(ctx)
		}
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		select {
		case <-w.done(): // it was ended from outside while it was idle
			p.log.WarnContext(ctx, "an idle process of the embedded engine had ended", "how", w.end())
			p.forget(w)
		default:
			return w, nil
		}
	}
}

// start starts a child and has it open the databases. The context ends the wait.
func (p *pool) start(ctx context.Context) (*worker, error) {
	if err := p.room.enter(ctx); err != nil {
		return nil, err
	}
	started, err := p.launcher.launch()
	if err != nil {
		p.room.leave(false)
		return nil, err
	}
	w := &worker{process: started, conn: wire.New(started.stream())}
	p.mu.Lock()
	p.all[w] = true
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.discard(w, func() {})
		return nil, errPoolClosed
	}
	stop := context.AfterFunc(ctx, w.destroy)
	defer stop()
	if err := p.prepare(w); err != nil {
		p.discard(w, func() {})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return w, nil
}

func (p *pool) prepare(w *worker) error {
	if err := w.conn.Send(wire.KindOpen, p.open); err != nil {
		return p.lost(w, err)
	}
	kind, payload, err := w.conn.Receive()
	if err != nil {
		return p.lost(w, err)
	}
	switch kind {
	case wire.KindOpened:
		return nil
	case wire.KindFailed:
		failed, err := wire.Read[wire.Failed](payload)
		if err != nil {
			return err
		}
		return &openFailure{failed}
	}
	return fmt.Errorf("the embedded engine answered %d when it was told what to open", kind)
}

// lost is a child that ended while it was being opened.
func (p *pool) lost(w *worker, err error) error {
	w.destroy()
	select {
	case <-w.done():
		if short := shortOf(w.end(), err); short != nil {
			return short
		}
		p.log.Error("a process of the embedded engine ended while it was started", "how", w.end())
		return &warehouse.Error{
			Name: warehouse.NameEngineEnded, Kind: warehouse.KindExternal, Cause: fmt.Errorf("%s: %w", w.end(), err),
			Message: "the embedded engine's process ended while it was started: ask again; if it ends again, the log says how it did",
		}
	case <-time.After(reapWait):
		return fmt.Errorf("a process of the embedded engine cannot be spoken to: %w", err)
	}
}

// giveBack takes a child back that is known to run nothing. One that has kept much
// of its memory is ended, so that the next statement has all of the limit.
func (p *pool) giveBack(w *worker, release func()) {
	resident, known := w.memory()
	if known && p.limit > 0 && resident > p.limit/2 {
		p.discard(w, release)
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.discard(w, release)
		return
	}
	w.idleAt = time.Now()
	p.idle = append(p.idle, w)
	if len(p.idle) > 1 {
		time.AfterFunc(p.keep, p.trim)
	}
	p.mu.Unlock()
	release()
	p.room.makeRoom()
}

// idleSince is when the child became idle that has been so for longest; false where
// none is.
func (p *pool) idleSince() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return time.Time{}, false
	}
	return p.idle[0].idleAt, true
}

// evict ends the child that has been idle for longest, to make room; false where
// none is idle any more.
func (p *pool) evict() bool {
	p.mu.Lock()
	if len(p.idle) == 0 {
		p.mu.Unlock()
		return false
	}
	w := p.idle[0]
	p.idle = p.idle[1:]
	w.evicted = true
	p.mu.Unlock()
	p.discard(w, func() {})
	return true
}

// trim ends the children, all but one, that have been idle for long.
func (p *pool) trim() {
	p.mu.Lock()
	var old []*worker
	for len(p.idle) > 1 && time.Since(p.idle[0].idleAt) >= p.keep {
		old = append(old, p.idle[0])
		p.idle = p.idle[1:]
	}
	p.mu.Unlock()
	for _, w := range old {
		p.discard(w, func() {})
	}
}

// discard ends a child. Its slot is free when nothing of it is left.
func (p *pool) discard(w *worker, release func()) {
	w.destroy()
	go func() {
		defer release()
		defer p.forget(w)
		late := time.NewTimer(reapWait)
		defer late.Stop()
		select {
		case <-w.done():
			return
		case <-late.C:
		}
		p.stuck.Add(1)
		p.room.lost(1)
		defer p.stuck.Add(-1)
		defer p.room.lost(-1)
		p.log.Error("a process of the embedded engine was killed and has not ended: its slot stays taken; look at the disk of the data directory", "waited", reapWait)
		<-w.done()
	}()
}

// forget takes out a child of which nothing is left; its place is another's then. It
// may be called twice.
func (p *pool) forget(w *worker) {
	_ = w.conn.Close()
	p.mu.Lock()
	had, evicted := p.all[w], w.evicted
	delete(p.all, w)
	p.mu.Unlock()
	if had {
		p.room.leave(evicted)
	}
}

// ReasonStuck is the fault of an engine whose places are all lost to children that
// were killed and have not ended; ReasonPlacesLost that of one with some left.
const (
	ReasonStuck      = "ENGINE_STUCK"
	ReasonPlacesLost = "ENGINE_PLACES_LOST"
)

// health is nil unless children that were killed are still there.
func (p *pool) health(places int) error {
	lost := p.stuck.Load()
	if lost == 0 {
		return nil
	}
	reason := ReasonPlacesLost
	if lost >= int64(places) || p.room.isLost() {
		reason = ReasonStuck
	}
	return fault.New(codes.Unavailable, reason,
		fmt.Sprintf("%d of %d processes of the embedded engine were killed and have not ended: look at the disk that the source's files are on, then start the service again", lost, places))
}

// close ends all children.
func (p *pool) close() error {
	p.room.part(p)
	p.mu.Lock()
	p.closed = true
	p.idle = nil // nobody evicts them any more
	var all []*worker
	for w := range p.all {
		all = append(all, w)
	}
	p.mu.Unlock()
	for _, w := range all {
		w.kill()
	}
	late := time.NewTimer(reapWait)
	defer late.Stop()
	for _, w := range all {
		select {
		case <-w.done():
			p.forget(w)
		case <-late.C:
			for _, left := range all { // each keeps its place as long as it is there
				go func() {
					<-left.done()
					p.forget(left)
				}()
			}
			return fmt.Errorf("a process of the embedded engine did not end within %s", reapWait)
		}
	}
	return nil
}
