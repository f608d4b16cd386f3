package cli

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestTheBarPromisesOnlyWhatItKnows: no rest is told before enough is done, and it is
// the time so far by the share that is left.
func TestTheBarPromisesOnlyWhatItKnows(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := began
	b := &bar{now: func() time.Time { return at }, began: began}
	after := func(d time.Duration, current, total int64) string {
		at = began.Add(d)
		return b.left(decor.Statistics{Current: current, Total: total})
	}
	require.Empty(t, after(500*time.Millisecond, 30, 100), "half a second tells nothing")
	require.Empty(t, after(9*time.Second, 10, 100), "a tenth of parts tells little")
	require.Equal(t, " · 30s left", after(10*time.Second, 25, 100))
	require.Empty(t, after(10*time.Second, 100, 100))
	require.Equal(t, "25/100 2/s", b.count(decor.Statistics{Current: 25, Total: 100}))

	b.reading.Store(&ingest.Reading{BytesDone: 24 << 20, Bytes: 1240 << 20, Rows: 1234567})
	require.Equal(t, " · 1m30s left", after(10*time.Second, 10, 100), "a tenth of bytes tells")
	require.Equal(t, "24 of 1,240 MB · 1,234,567 rows", b.count(decor.Statistics{}))
}

// TestTheBarIsSeenWithoutASize: a terminal that does not tell how large it is, as editors and containers have, shows
// how far the reading is.
func TestTheBarIsSeenWithoutASize(t *testing.T) {
	t.Parallel()
	var drawn lockedBuffer
	b := newBar(&Factory{Clock: time.Now, IO: &IO{Err: &drawn, IsTTY: true, Sizeless: true, Width: func() int { return defaultWidth }}})
	b.read(ingest.Reading{What: "orders", Done: 1, Total: 2, BytesDone: 24 << 20, Bytes: 48 << 20, Rows: 1234})
	require.Eventually(t, func() bool { return strings.Contains(drawn.String(), "24 of 48 MB · 1,234 rows") }, time.Minute, 10*time.Millisecond)
	b.end()
}

// lockedBuffer is what one goroutine writes and another reads.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
