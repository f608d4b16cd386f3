package duckdb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Room is what all engines of a program have for their children together: so many
// places, whichever source they are for. A statement waits for its place behind
// those that came before it, and one person has a part of the places only. A child
// that runs nothing ends where another engine needs its place.
type Room struct {
	places int
	free   *semaphore.Weighted // of places: a child that is alive, or is being ended, has one
	slots  *warehouse.Slots    // of statements: there are never more than places

	mu      sync.Mutex
	pools   map[*pool]bool
	waiting int // children that are not started yet, for want of a place
	leaving int // idle children that are being ended for them
	stuck   int // children that were killed and did not end in time
}

// NewRoom makes a room of as many places as limits.MaxConcurrent, 4 where it is 0.
// MaxPerPrincipal of them, 0 meaning half, are one person's at most, and QueueWait,
// 0 meaning 5 s, is how long a statement waits for one.
func NewRoom(limits warehouse.Limits) *Room {
	limits = withLimits(limits)
	return &Room{
		places: limits.MaxConcurrent, free: semaphore.NewWeighted(int64(limits.MaxConcurrent)),
		slots: warehouse.NewSlots(limits), pools: map[*pool]bool{},
	}
}

// Measured tells the meter who waits for a process. It returns r.
func (r *Room) Measured(m *meter.Set) *Room {
	r.slots.Measured(m, meter.QueueProcesses)
	return r
}

// placeWait is how long a child that is to be started waits for a place. Its
// statement has a slot of the room, so that it waits for children that are being
// opened or ended and not for other statements.
const placeWait = reapWait

// enter takes a place for a child that is to be started. The child leaves when
// nothing of it is left. The error is ENGINE_BUSY where no place gets free in time.
func (r *Room) enter(ctx context.Context) error {
	if r.free.TryAcquire(1) {
		return nil
	}
	r.wait(1)
	defer r.wait(-1)
	wait, cancel := context.WithTimeout(ctx, placeWait)
	defer cancel()
	if err := r.free.Acquire(wait, 1); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		busy := fault.New(codes.ResourceExhausted, "ENGINE_BUSY",
			fmt.Sprintf("all %d processes of the embedded engines are at work and none ended within %s: try again, or raise chatbi.engine.max_processes where the machine has the memory", r.places, placeWait))
		busy.RetryAfter = placeWait
		return busy
	}
	return nil
}

func (r *Room) wait(n int) {
	r.mu.Lock()
	r.waiting += n
	r.mu.Unlock()
	r.makeRoom()
}

// leave gives back the place of a child that is gone. evicted is true for one that
// was ended to make room.
func (r *Room) leave(evicted bool) {
	if evicted {
		r.mu.Lock()
		r.leaving--
		r.mu.Unlock()
	}
	r.free.Release(1)
}

// makeRoom ends idle children, those first that have been idle for longest, until
// each child that waits for a place has one to come.
func (r *Room) makeRoom() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.leaving < r.waiting {
		var from *pool
		var oldest time.Time
		for p := range r.pools {
			if since, ok := p.idleSince(); ok && (from == nil || since.Before(oldest)) {
				from, oldest = p, since
			}
		}
		if from == nil {
			return // the next child that ends its work makes room
		}
		if from.evict() {
			r.leaving++
		}
	}
}

func (r *Room) join(p *pool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pools[p] = true
}

func (r *Room) part(p *pool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pools, p)
}

// lost notes children that were killed and have not ended, and those that have.
func (r *Room) lost(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stuck += n
}

// isLost reports that every place is lost.
func (r *Room) isLost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stuck >= r.places
}

// withLimits are the defaults of an embedded engine's statements.
func withLimits(l warehouse.Limits) warehouse.Limits { return l.WithDefaults(4, 5*time.Second) }
