package pause_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/pause"
)

func TestEvery(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rate float64 // of the clock, against the system's time
		want int     // calls in ten and a half hours
	}{
		"a clock that goes":           {1, 10},
		"one that stands still":       {0, 0},
		"one that goes twice as fast": {2, 10}, // looked at once an hour
		"one that is slow":            {0.5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour+30*time.Minute)
				defer cancel()
				began, calls := time.Now(), 0
				clock := func() time.Time {
					return began.Add(time.Duration(float64(time.Since(began)) * tc.rate))
				}
				pause.Every(ctx, time.Hour, clock, func(context.Context) { calls++ })
				require.Equal(t, tc.want, calls)
			})
		})
	}
}
