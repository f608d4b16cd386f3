package warehouse

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Limits of an engine. Zero values mean the defaults of WithDefaults.
type Limits struct {
	// MaxConcurrent is the number of statements that run at a time. One over the
	// bound waits QueueWait, then fails with RESOURCE_EXHAUSTED.
	MaxConcurrent int
	QueueWait     time.Duration
	// Timeout of a statement, queued or running; 0 means 5 minutes.
	Timeout time.Duration
	// MaxRows and MaxBytes bound every result; 0 means 100,000 and 64 MiB.
	MaxRows  int64
	MaxBytes int64
}

// WithDefaults fills in what is not set; an engine knows how many statements it
// bears and how long waiting for one is worth it.
func (l Limits) WithDefaults(concurrent int, wait time.Duration) Limits {
	return Limits{
		MaxConcurrent: cmp.Or(max(l.MaxConcurrent, 0), concurrent),
		QueueWait:     cmp.Or(max(l.QueueWait, 0), wait),
		Timeout:       cmp.Or(max(l.Timeout, 0), 5*time.Minute),
		MaxRows:       cmp.Or(max(l.MaxRows, 0), 100_000),
		MaxBytes:      cmp.Or(max(l.MaxBytes, 0), 64<<20),
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
}

// NewSlots makes as many slots as the limits say.
func NewSlots(l Limits) *Slots {
	return &Slots{limits: l, free: semaphore.NewWeighted(int64(l.MaxConcurrent))}
}

// Acquire takes a slot, which the caller releases. The error is ENGINE_BUSY where
// none gets free in time.
func (s *Slots) Acquire(ctx context.Context) error {
	if ctx.Err() == nil && s.free.TryAcquire(1) {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, s.limits.QueueWait)
	defer cancel()
	if err := s.free.Acquire(wait, 1); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		busy := fault.New(codes.ResourceExhausted, "ENGINE_BUSY",
			fmt.Sprintf("%d statements are running and none ended within %s: try again", s.limits.MaxConcurrent, s.limits.QueueWait))
		busy.RetryAfter = s.limits.QueueWait
		return busy
	}
	return nil
}

// Release gives a slot back.
func (s *Slots) Release() { s.free.Release(1) }
