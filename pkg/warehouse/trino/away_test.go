package trino_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// TestAServerThatDoesNotAnswerIsLeftAlone: it costs a statement the answer's time and not
// the statement's, after some statements nothing, and its health finds out by itself that
// it is back.
func TestAServerThatDoesNotAnswerIsLeftAlone(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	silent.Store(true)
	var asked atomic.Int64
	let := make(chan struct{})
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) {
		asked.Add(1)
		if silent.Load() {
			<-let // as long as nobody closes the connection
			return
		}
		write(w, f.page("[[7]]", false))
	})
	t.Cleanup(func() { close(let) }) // before the server is closed
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var later atomic.Int64
	c := f.config()
	c.AnswerTimeout, c.Failures, c.Pause = 50*time.Millisecond, 2, time.Minute
	c.Clock = func() time.Time { return now.Add(time.Duration(later.Load())) }
	e, err := trino.Open(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	require.NoError(t, e.Health())
	for range 2 {
		_, _, err = ask(t, e, warehouse.Options{Timeout: time.Hour})
		require.Equal(t, trino.ReasonUnreachable, fault.ReasonOf(err), "%v", err)
		require.ErrorContains(t, err, "left a request without a word for 50ms")
	}
	require.ErrorContains(t, e.Health(), "Trino does not answer since 2026-03-01T09:00:00Z")
	before := asked.Load()
	_, _, err = ask(t, e, warehouse.Options{Timeout: time.Hour})
	require.ErrorContains(t, err, "Trino does not answer since 09:00:00 UTC and is left alone")
	require.Equal(t, time.Minute, fault.FromStatus(err).RetryAfter)
	require.Equal(t, before, asked.Load(), "it is sent nothing")

	silent.Store(false)
	require.Error(t, e.Health(), "the pause is not over")
	later.Store(int64(time.Minute))
	require.Eventually(t, func() bool { return e.Health() == nil }, time.Minute, time.Millisecond, "nobody asked for a statement")
	rows, _, err := ask(t, e, warehouse.Options{Timeout: time.Hour})
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(7)}}, rows)
}
