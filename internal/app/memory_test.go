package app_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
)

func TestMemoryLimitLeavesRoomForChildren(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.ChatBI.Config.Engine.MaxProcesses, c.ChatBI.Config.Engine.ProcessMemory = 2, 1<<30
	require.EqualValues(t, 8<<30/10*9, app.MemoryLimit(10<<30, c), "what two children leave")
	require.EqualValues(t, 1<<30/10*9, app.MemoryLimit(2<<30, c), "half of it at least")
	c.ChatBI.Config.Engine.MaxProcesses = 0
	require.EqualValues(t, 5<<30/10*9, app.MemoryLimit(10<<30, c), "five places are what half of the memory holds")
	require.EqualValues(t, 3<<30/10*9, app.MemoryLimit(5<<30, c), "what two places leave")
}

func TestMemoryIsKeptNearTheSoftLimit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, tc := range map[string]struct {
		soft, most, live, other, want int64
	}{
		"a small heap has the limit":               {144 * mib, 0, 45 * mib, 10 * mib, 144 * mib},
		"one near it has half as much again":       {144 * mib, 0, 120 * mib, 10 * mib, 190 * mib},
		"a large one has what the collector's has": {144 * mib, 0, 1000 * mib, 10 * mib, 2712 * mib},
		"no limit":                                     {0, 0, 1000 * mib, 10 * mib, math.MaxInt64},
		"no limit but the container's":                 {0, 500 * mib, 1000 * mib, 10 * mib, 500 * mib},
		"the container's holds whatever lives":         {144 * mib, 500 * mib, 1000 * mib, 10 * mib, 500 * mib},
		"a soft limit above the container's":           {900 * mib, 500 * mib, 10 * mib, 10 * mib, 500 * mib},
		"before the first collection nothing is known": {144 * mib, 0, 0, 0, 144 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got int64
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // the first look comes at once
			app.MemoryKeeper{
				Soft: tc.soft, Most: tc.most, Set: func(limit int64) { got = limit },
				Read: func() app.MemoryInUse { return app.MemoryInUse{Live: tc.live, Other: tc.other} },
			}.Keep(ctx, time.Second, time.Now)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestMemoryLimitFollowsWhatLives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var set []int64
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		app.MemoryKeeper{
			Soft: 100, Set: func(limit int64) { set = append(set, limit) },
			Read: func() app.MemoryInUse { // an index is loaded after five seconds, and let go after eight
				if at := time.Since(began); at < 5*time.Second || at >= 8*time.Second {
					return app.MemoryInUse{Live: 40}
				}
				return app.MemoryInUse{Live: 300}
			},
		}.Keep(ctx, time.Second, time.Now)
		require.Equal(t, []int64{100, 700, 100}, set, "set when it changes alone")
	})
}

func TestMemoryOfThisProcessIsRead(t *testing.T) { //nolint:paralleltest // it looks at the whole process
	var limit int64
	held := make([]byte, 64<<20)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	runtime.GC()
	app.MemoryKeeper{Soft: 1, Set: func(l int64) { limit = l }}.Keep(ctx, time.Second, time.Now)
	require.Greater(t, limit, int64(len(held)), "what lives is known")
	require.Less(t, limit, int64(1)<<40)
	runtime.KeepAlive(held)
}
