// Package faulttest makes the calls of a seam fail one after the other: a store, a
// driver, an engine, a stream. A test that runs over all of them has not left out the
// one whose error is dropped.
package faulttest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// ErrInjected is what the call fails with that is to fail.
var ErrInjected = errors.New("this call was made to fail")

// maxCalls bounds how many calls a run makes, which EveryCall tries one by one.
const maxCalls = 1000

// Calls counts the calls of a seam. It is safe for concurrent use.
type Calls struct {
	mu   sync.Mutex
	at   int // the call that fails, from 1; 0: none
	name string
	seen int
	over bool
}

// Next is to be called by the seam before each call, with a name of it. It returns an
// error that wraps ErrInjected where this call is to fail: the seam returns it and does
// nothing.
func (c *Calls) Next(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	if c.seen++; c.seen != c.at {
		return nil
	}
	c.name = name
	return fmt.Errorf("%s: %w", name, ErrInjected)
}

// Stop ends the calls that may fail: those after it show what is left behind.
func (c *Calls) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// Failed is the name of the call that failed; empty: none has.
func (c *Calls) Failed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// EveryCall runs something again and again, each time with the next of its calls
// failing, and then once with none. Run makes everything anew and checks what the
// failure is to leave behind; Failed names the call, and is empty the last time.
// EveryCall returns the names of the calls, in their order.
func EveryCall(t *testing.T, run func(t *testing.T, calls *Calls)) (names []string) {
	t.Helper()
	for at := 1; at <= maxCalls; at++ {
		calls := &Calls{at: at}
		run(t, calls)
		if calls.Failed() == "" {
			return names
		}
		names = append(names, calls.Failed())
		if t.Failed() {
			t.Fatalf("call %d, %s, was made to fail", at, calls.Failed())
		}
	}
	t.Fatalf("more than %d calls were made", maxCalls)
	return nil
}
