package pause_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/pause"
)

func TestFor(t *testing.T) {
	t.Parallel()
	require.NoError(t, pause.For(t.Context(), time.Nanosecond))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, pause.For(ended, time.Hour), context.Canceled)
}
