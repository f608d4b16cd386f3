package chatbi

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
)

// TestResultsShareTheirMemory: what is over the bound waits, then is told what to
// do, and what one gives back another can have.
func TestResultsShareTheirMemory(t *testing.T) {
	t.Parallel()
	page := [][]any{{"some text", int64(1)}}
	size := memoryOf(page)
	synctest.Test(t, func(t *testing.T) {
		m := newResultMemory(4*size, time.Second)
		first, second, third := m.part(), m.part(), m.part()
		require.NoError(t, first.take(t.Context(), page))
		require.NoError(t, third.take(t.Context(), page))
		require.NoError(t, second.take(t.Context(), page), "the half that all have is taken, the reserve is not")
		err := first.take(t.Context(), page)
		require.Equal(t, "RESULTS_BUSY", fault.ReasonOf(err))
		require.Equal(t, time.Second, fault.FromStatus(err).RetryAfter)
		require.Contains(t, err.Error(), "try again")

		require.NoError(t, second.take(t.Context(), page), "whoever has the reserve goes on")
		err = second.take(t.Context(), page)
		require.Equal(t, "RESULT_TOO_LARGE", fault.ReasonOf(err), "waiting would not help")
		require.Contains(t, err.Error(), "results_memory")
		time.AfterFunc(500*time.Millisecond, second.release)
		require.NoError(t, first.take(t.Context(), page), "another was done in time")
		first.release()
		first.release()
		third.release()
		all := m.part()
		for range 4 {
			require.NoError(t, all.take(t.Context(), page), "all is free again")
		}

		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, m.part().take(gone, nil))
		require.ErrorIs(t, m.part().take(gone, page), context.Canceled)
	})
}

// TestMemoryOfRowsIsRight compares the estimate with what the runtime says of as
// many rows, which are taken twice: as they are, and as they are stored.
func TestMemoryOfRowsIsRight(t *testing.T) { // not beside others: it measures the heap of the process
	const n = 50_000
	rows := make([][]any, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range rows {
		rows[i] = []any{int64(i) + 1000, float64(i), string(make([]byte, 20)), nil, []any{int64(i) + 1000}}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	taken := float64(after.HeapAlloc) - float64(before.HeapAlloc) + n*rowBytes
	require.InEpsilon(t, 2*taken, float64(memoryOf(rows)), 0.5)
	runtime.KeepAlive(rows)
}
