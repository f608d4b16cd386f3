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
	clock func() time.Time

	mu     sync.Mutex
	config LimitConfig
	recent *list.List // of *bucket, latest first
	byID   map[string]*list.Element
}

type bucket struct {
	id      string
	limiter *rate.Limiter
}

// NewLimiter returns a limiter. A nil clock is the wall clock.
func NewLimiter(c LimitConfig, clock func() time.Time) *Limiter {
	if clock == nil {
		clock = time.Now
	}
	l := &Limiter{clock: clock, recent: list.New(), byID: make(map[string]*list.Element)}
	l.Set(c)
	return l
}

// Set changes the limit while it is in use, also of principals that called before: what they
// have left is at most the new burst.
func (l *Limiter) Set(c LimitConfig) {
	c.Burst = max(c.Burst, 1)
	c.MaxPrincipals = max(c.MaxPrincipals, 1)
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.config = c
	for l.recent.Len() > c.MaxPrincipals {
		l.forgetOldest()
	}
	for e := l.recent.Front(); e != nil; e = e.Next() {
		b := e.Value.(*bucket)
		b.limiter.SetLimitAt(now, rate.Limit(c.PerSecond))
		b.limiter.SetBurstAt(now, c.Burst)
	}
}

// Allow takes one call of the principal, or returns a ResourceExhausted fault
// that says when to try again.
func (l *Limiter) Allow(principalID string) error {
	if l == nil {
		return nil
	}
	b, limited := l.bucket(principalID)
	if !limited {
		return nil
	}
	now := l.clock()
	reservation := b.ReserveN(now, 1)
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

// bucket returns what a principal has left; limited is false where the limit is off.
func (l *Limiter) bucket(id string) (b *rate.Limiter, limited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.config.PerSecond <= 0 {
		return nil, false
	}
	if e, ok := l.byID[id]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket).limiter, true
	}
	if l.recent.Len() >= l.config.MaxPrincipals {
		l.forgetOldest()
	}
	fresh := &bucket{id: id, limiter: rate.NewLimiter(rate.Limit(l.config.PerSecond), l.config.Burst)}
	l.byID[id] = l.recent.PushFront(fresh)
	return fresh.limiter, true
}

func (l *Limiter) forgetOldest() {
	oldest := l.recent.Back()
	delete(l.byID, oldest.Value.(*bucket).id)
	l.recent.Remove(oldest)
}

// wait is how long the next call of a principal would have to wait; nothing is taken.
func (l *Limiter) wait(id string) time.Duration {
	if l == nil {
		return 0
	}
	b, limited := l.bucket(id)
	if !limited {
		return 0
	}
	missing := 1 - b.TokensAt(l.clock())
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(b.Limit()) * float64(time.Second))
}
