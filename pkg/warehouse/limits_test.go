package warehouse_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// TestSlotsAreShared: one principal cannot have all places, and is told so in other
// words than when all are taken.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	m, read := metertest.New(t)
	synctest.Test(t, func(t *testing.T) {
		slots := warehouse.NewSlots(warehouse.Limits{}.WithDefaults(4, time.Second)).Measured(m, meter.QueueTrino)
		take := func(who string) func() {
			release, err := slots.Acquire(t.Context(), who)
			require.NoError(t, err)
			return release
		}
		refused := func(who, reason string) {
			_, err := slots.Acquire(t.Context(), who)
			require.Equal(t, reason, fault.ReasonOf(err))
			require.Equal(t, time.Second, fault.FromStatus(err).RetryAfter)
		}
		first, _ := take("alice"), take("alice")
		refused("alice", "TOO_MANY_STATEMENTS")
		bob := take("bob")
		product := take("")
		refused("bob", "ENGINE_BUSY")
		refused("", "ENGINE_BUSY")
		product()
		product() // twice is once
		take("bob")
		refused("carol", "ENGINE_BUSY")
		bob()
		refused("alice", "TOO_MANY_STATEMENTS")
		time.AfterFunc(500*time.Millisecond, first)
		take("alice")

		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := slots.Acquire(gone, "dave")
		require.ErrorIs(t, err, context.Canceled)
	})
	require.Equal(t, map[string]float64{
		`dibrain_queue_waiting{queue="trino"}`: 0, `dibrain_queue_in_use{queue="trino"}`: 3,
		`dibrain_queue_rejected_total{queue="trino"}`: 5, `dibrain_queue_seconds{queue="trino"}`: 12,
	}, read())
}

func TestDefaultsOfShares(t *testing.T) {
	t.Parallel()
	for concurrent, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 16: 8} {
		require.Equal(t, want, warehouse.Limits{}.WithDefaults(concurrent, time.Second).MaxPerPrincipal, concurrent)
	}
	require.Equal(t, 4, warehouse.Limits{MaxConcurrent: 4, MaxPerPrincipal: 9}.WithDefaults(1, 0).MaxPerPrincipal, "never more than there are")
}
