package backend_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/services/logify/backend"
)

// TestALokiThatIsAwayIsLeftAlone: after some requests it is asked nothing until the pause
// is over, and its health finds out by itself that it is back.
func TestALokiThatIsAwayIsLeftAlone(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	away.Store(true)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if away.Load() {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		_, _ = w.Write([]byte(`{"status":"success","data":[]}`))
	}))
	t.Cleanup(server.Close)
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var later atomic.Int64
	l, err := backend.NewLoki(backend.LokiConfig{
		URL: server.URL, Timeout: time.Minute, Limits: backend.Limits{Bytes: 1000, Labels: 10, Values: 10}, Failures: 2, Pause: time.Minute,
		Clock: func() time.Time { return now.Add(time.Duration(later.Load())) },
	})
	require.NoError(t, err)
	require.NoError(t, l.Health())
	for range 2 {
		_, err = l.Labels(t.Context(), backend.Scope{}, now)
		require.ErrorContains(t, err, "Loki cannot be reached")
		require.Positive(t, fault.FromStatus(err).RetryAfter)
	}
	before := asked.Load()
	_, err = l.Labels(t.Context(), backend.Scope{}, now)
	require.ErrorContains(t, err, "Loki does not answer since 09:00:00 UTC and is left alone")
	require.Equal(t, time.Minute, fault.FromStatus(err).RetryAfter)
	require.Equal(t, before, asked.Load(), "it is asked nothing")
	require.ErrorContains(t, l.Health(), "Loki does not answer since 2026-03-01T09:00:00Z")

	away.Store(false)
	later.Store(int64(time.Minute))
	require.Eventually(t, func() bool { return l.Health() == nil }, time.Minute, time.Millisecond, "nobody asked for lines")
	_, err = l.Labels(t.Context(), backend.Scope{}, now)
	require.NoError(t, err)
}
