package circuit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/circuit"
)

// TestBreaker follows a server that fails, is left alone, fails again, and is back.
func TestBreaker(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	now := began
	b := circuit.New(2, 10*time.Second, func() time.Time { return now })
	allowed := func(want bool, wait time.Duration) {
		t.Helper()
		got, ok := b.Allow()
		require.Equal(t, want, ok)
		require.Equal(t, wait, got)
	}
	isOpen := func(want bool) {
		t.Helper()
		since, open := b.Open()
		require.Equal(t, want, open)
		if open {
			require.Equal(t, began, since, "since the first failure of the row")
		}
	}
	allowed(true, 0)
	b.Done(circuit.Broken)
	b.Done(circuit.Healthy)
	b.Done(circuit.Broken)
	isOpen(false)
	now = now.Add(time.Second)
	b.Done(circuit.Broken) // the second in a row
	isOpen(true)
	allowed(false, 10*time.Second)
	now = now.Add(9 * time.Second)
	allowed(false, time.Second)
	now = now.Add(time.Second)
	allowed(true, 0)
	allowed(false, time.Second) // one tries, others wait
	b.Done(circuit.Unclear)
	allowed(true, 0)
	b.Done(circuit.Broken)
	allowed(false, 10*time.Second)
	now = now.Add(10 * time.Second)
	allowed(true, 0)
	now = now.Add(10 * time.Second)
	allowed(true, 0) // whoever tried never told how it went
	isOpen(true)
	b.Done(circuit.Healthy)
	isOpen(false)
	allowed(true, 0)
	allowed(true, 0)
}
