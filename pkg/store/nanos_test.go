package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store"
)

func TestNanos(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("east", 3600))
	require.Equal(t, at.UTC(), store.FromNanos(store.Nanos(at)))
	require.Zero(t, store.Nanos(time.Time{}))
	require.True(t, store.FromNanos(0).IsZero(), "no time stays none")
}
