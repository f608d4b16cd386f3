package llm

import (
	"sync"
	"time"
)

// breaker leaves an endpoint alone for a while after failures in a row. After
// the pause one request tries; its result closes the circuit or opens it anew.
type breaker struct {
	failures int           // in a row that open it
	pause    time.Duration // for which it stays open
	clock    func() time.Time

	mu     sync.Mutex
	failed int
	until  time.Time // open until; zero: closed
	trying bool      // one request is under way after the pause
}

// allow reports whether a request may go out. Each allowed request is followed by
// one call of done.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	wait := b.until.Sub(b.clock())
	if wait > 0 || b.trying {
		return circuitOpen(max(wait, time.Second))
	}
	b.trying = true
	return nil
}

// outcome of a request as far as the endpoint's health goes.
type outcome int

const (
	healthy outcome = iota // it answered, or refused for a reason of the request's own
	broken                 // it is away, out of order, busy or slow
	unclear                // the caller went away
)

// done takes the outcome of a request that was allowed.
func (b *breaker) done(o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	switch o {
	case healthy:
		b.failed, b.until = 0, time.Time{}
	case broken:
		if b.failed++; b.failed >= b.failures {
			b.until = b.clock().Add(b.pause)
		}
	case unclear:
	}
}
