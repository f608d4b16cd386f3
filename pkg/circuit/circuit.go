// Package circuit leaves a server alone for a while after failures in a row, so that
// people are told at once what they would otherwise wait for, and the server is not
// pushed while it comes back.
package circuit

import (
	"sync"
	"time"
)

// Outcome of a request as far as the server's health goes.
type Outcome int

// The outcomes.
const (
	Healthy Outcome = iota // it answered, or refused for a reason of the request's own
	Broken                 // it is away, out of order, busy or slow
	Unclear                // the caller went away, or the answer tells nothing
)

// Breaker counts failures in a row. After Config.Pause one request tries; its outcome
// closes the circuit or opens it anew. It may be used concurrently.
type Breaker struct {
	failures int
	pause    time.Duration
	clock    func() time.Time

	mu     sync.Mutex
	failed int
	first  time.Time // of the failures in a row
	until  time.Time // open until; zero: closed
	trying time.Time // since when one request is under way after the pause; zero: none is
}

// New returns a closed circuit that so many failures in a row open for a pause. A nil
// clock is the wall clock.
func New(failures int, pause time.Duration, clock func() time.Time) *Breaker {
	if clock == nil {
		clock = time.Now
	}
	return &Breaker{failures: failures, pause: pause, clock: clock}
}

// Allow reports whether a request may go out, and where it may not, when it is worth
// asking again. Each allowed request is followed by one call of Done; where that does not
// come within the pause, another request tries.
func (b *Breaker) Allow() (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return 0, true
	}
	now := b.clock()
	wait = b.until.Sub(now)
	if wait > 0 || !b.trying.IsZero() && now.Sub(b.trying) < b.pause {
		return max(wait, min(time.Second, b.pause)), false
	}
	b.trying = now
	return 0, true
}

// Done takes the outcome of a request.
func (b *Breaker) Done(o Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch o {
	case Healthy:
		b.failed, b.until, b.first, b.trying = 0, time.Time{}, time.Time{}, time.Time{}
	case Broken:
		if b.failed++; b.failed == 1 {
			b.first = b.clock()
		}
		if b.failed >= b.failures {
			b.until = b.clock().Add(b.pause)
		}
		b.trying = time.Time{}
	case Unclear:
		b.trying = time.Time{}
	}
}

// Open reports whether the server is left alone, or failed so often that it would be,
// and since when it fails.
func (b *Breaker) Open() (since time.Time, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first, !b.until.IsZero()
}
