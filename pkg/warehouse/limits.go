package warehouse

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Limits of an engine. Zero values mean the defaults of WithDefaults.
type Limits struct {
	// MaxConcurrent is the number of statements that run at a time. One over the
	// bound waits QueueWait, then fails with RESOURCE_EXHAUSTED.
	MaxConcurrent int
	QueueWait     time.Duration
	// MaxPerPrincipal is how many of them one principal may have; 0 means half of
	// MaxConcurrent, and one at least. One over it waits for the principal's own.
	MaxPerPrincipal int
	// Timeout of a statement, queued or running; 0 means 5 minutes.
	Timeout time.Duration
	// MaxRows and MaxBytes bound every result; 0 means 100,000 and 64 MiB.
	MaxRows  int64
	MaxBytes int64
}

// WithDefaults fills in what is not set; an engine knows how many statements it
// bears and how long waiting for one is worth it.
func (l Limits) WithDefaults(concurrent int, wait time.Duration) Limits {
	concurrent = cmp.Or(max(l.MaxConcurrent, 0), concurrent)
	return Limits{
		MaxConcurrent:   concurrent,
		QueueWait:       cmp.Or(max(l.QueueWait, 0), wait),
		MaxPerPrincipal: min(cmp.Or(max(l.MaxPerPrincipal, 0), max(concurrent/2, 1)), concurrent),
		Timeout:         cmp.Or(max(l.Timeout, 0), 5*time.Minute),
		MaxRows:         cmp.Or(max(l.MaxRows, 0), 100_000),
		MaxBytes:        cmp.Or(max(l.MaxBytes, 0), 64<<20),
	}
}

// Bound fills the limits into a statement's options; a caller can lower them only.
func (l Limits) Bound(o Options) Options {
	if o.MaxRows <= 0 || o.MaxRows > l.MaxRows {
		o.MaxRows = l.MaxRows
	}
	if o.MaxBytes <= 0 || o.MaxBytes > l.MaxBytes {
		o.MaxBytes = l.MaxBytes
	}
	if o.Timeout <= 0 || o.Timeout > l.Timeout {
		o.Timeout = l.Timeout
	}
	return o
}

// Slots are the places for statements that run at a time.
type Slots struct {
	limits Limits
	free   *semaphore.Weighted
	meter  *meter.Set
	queue  meter.Queue

	mu   sync.Mutex
	each map[string]*share // by principal
}

// share is what one principal may have of the slots. It is kept while somebody has
// one or waits for one.
type share struct {
	free  *semaphore.Weighted
	users int
}

// NewSlots makes as many slots as the limits say.
func NewSlots(l Limits) *Slots {
	return &Slots{limits: l, free: semaphore.NewWeighted(int64(l.MaxConcurrent)), each: map[string]*share{}}
}

// Measured tells the meter who waits, under the name of a queue. It returns s.
func (s *Slots) Measured(m *meter.Set, queue meter.Queue) *Slots {
	s.meter, s.queue = m, queue
	return s
}

// Acquire takes a slot for a principal; "" is the product itself, which has no
// bound of its own. The caller calls release once. The error is ENGINE_BUSY where no
// slot gets free in time, and TOO_MANY_STATEMENTS where the principal has all that
// one may have.
func (s *Slots) Acquire(ctx context.Context, principal string) (release func(), err error) {
	ended := s.meter.Wait(ctx, s.queue)
	giveBack, err := s.acquire(ctx, principal)
	leave := ended(err == nil, status.Code(err) == codes.ResourceExhausted)
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { giveBack(); leave() }), nil
}

func (s *Slots) acquire(ctx context.Context, principal string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, s.limits.QueueWait)
	defer cancel()
	if principal == "" {
		return s.any(ctx, wait, func() {})
	}
	own := s.share(principal)
	if !own.free.TryAcquire(1) {
		if err := own.free.Acquire(wait, 1); err != nil {
			s.leave(principal)
			return nil, busy(ctx, s.limits.QueueWait, "TOO_MANY_STATEMENTS",
				fmt.Sprintf("you have %d statements running, as many as one person may, and none ended within %s: wait for one of them, or end it", s.limits.MaxPerPrincipal, s.limits.QueueWait))
		}
	}
	return s.any(ctx, wait, func() {
		own.free.Release(1)
		s.leave(principal)
	})
}

// any takes one of all slots; undo gives the principal's share back.
func (s *Slots) any(ctx, wait context.Context, undo func()) (release func(), err error) {
	if !s.free.TryAcquire(1) {
		if err := s.free.Acquire(wait, 1); err != nil {
			undo()
			return nil, busy(ctx, s.limits.QueueWait, "ENGINE_BUSY",
				fmt.Sprintf("%d statements are running and none ended within %s: try again", s.limits.MaxConcurrent, s.limits.QueueWait))
		}
	}
	return func() {
		s.free.Release(1)
		undo()
	}, nil
}

func busy(ctx context.Context, wait time.Duration, reason, message string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	busy := fault.New(codes.ResourceExhausted, reason, message)
	busy.RetryAfter = wait
	return busy
}

func (s *Slots) share(principal string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.each[principal]
	if own == nil {
		own = &share{free: semaphore.NewWeighted(int64(s.limits.MaxPerPrincipal))}
		s.each[principal] = own
	}
	own.users++
	return own
}

func (s *Slots) leave(principal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.each[principal]
	if own.users--; own.users == 0 {
		delete(s.each, principal)
	}
}
