package auth

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// LimitConfig bounds how often one principal may call at the edge.
type LimitConfig struct {
	// PerSecond is the sustained rate; zero or less switches the limit off.
	PerSecond float64
	// Burst is how many calls may come at once.
	Burst int
	// MaxPrincipals bounds the memory: the one that called longest ago is
	// forgotten first, which gives it a full burst again.
	MaxPrincipals int
}

// Limiter limits the rate of calls by principal. It is safe for concurrent use;
// a nil Limiter allows everything.
type Limiter struct {
	config LimitConfig
	clock  func() time.Time

	mu     sync.Mutex
	recent *list.List // of *bucket, latest first
	byID   map[string]*list.Element
}

type bucket struct {
	id      string
	limiter *rate.Limiter
}

// NewLimiter returns a limiter, nil when c switches it off. A nil clock is the
// wall clock.
func NewLimiter(c LimitConfig, clock func() time.Time) *Limiter {
	if c.PerSecond <= 0 {
		return nil
	}
	if clock == nil {
		clock = time.Now
	}
	c.Burst = max(c.Burst, 1)
	c.MaxPrincipals = max(c.MaxPrincipals, 1)
	return &Limiter{config: c, clock: clock, recent: list.New(), byID: make(map[string]*list.Element)}
}

// Allow takes one call of the principal, or returns a ResourceExhausted fault
// that says when to try again.
func (l *Limiter) Allow(principalID string) error {
	if l == nil {
		return nil
	}
	now := l.clock()
	reservation := l.bucket(principalID).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	f := fault.New(codes.ResourceExhausted, "RATE_LIMITED",
		"You call faster than this server allows. Wait a moment and try again.")
	f.RetryAfter = wait
	return f
}

func (l *Limiter) bucket(id string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byID[id]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket).limiter
	}
	if l.recent.Len() >= l.config.MaxPrincipals {
		oldest := l.recent.Back()
		delete(l.byID, oldest.Value.(*bucket).id)
		l.recent.Remove(oldest)
	}
	b := &bucket{id: id, limiter: rate.NewLimiter(rate.Limit(l.config.PerSecond), l.config.Burst)}
	l.byID[id] = l.recent.PushFront(b)
	return b.limiter
}

// wait is how long the next call of a principal would have to wait; nothing is taken.
func (l *Limiter) wait(id string) time.Duration {
	if l == nil {
		return 0
	}
	now := l.clock()
	b := l.bucket(id)
	missing := 1 - b.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / l.config.PerSecond * float64(time.Second))
}
