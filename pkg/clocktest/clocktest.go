// Package clocktest is the time of tests: it stands still until a test moves it.
package clocktest

import (
	"sync"
	"time"
)

// Clock is a time that any number of goroutines may read while a test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At is a clock that shows a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Move puts the clock forward, or back with a negative d.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set has the clock show a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
