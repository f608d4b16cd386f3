package clocktest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/clocktest"
)

// The clock shows what it was set to and how far it was moved, and nothing passes by itself.
func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c := clocktest.At(at)
	require.Equal(t, at, c.Now())
	c.Move(90 * time.Minute)
	require.Equal(t, at.Add(90*time.Minute), c.Now())
	c.Move(-time.Hour)
	require.Equal(t, at.Add(30*time.Minute), c.Now())
	c.Set(at)
	require.Equal(t, at, c.Now())
}
