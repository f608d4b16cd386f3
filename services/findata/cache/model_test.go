package cache_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/findata/cache"
)

// TestAgainstAModel holds the cache to a list of what it may have, the entry unused for
// longest first, through calls drawn at random while time goes on.
func TestAgainstAModel(t *testing.T) {
	t.Parallel()
	type entry struct {
		key, val int
		made     time.Time
	}
	const most, keep = 4, 10 * time.Second
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		c := cache.New[int, int](most, keep, func() time.Time { return now })
		var model []entry
		for step := range 400 {
			key := random.IntN(7)
			at := slices.IndexFunc(model, func(e entry) bool { return e.key == key })
			switch random.IntN(8) {
			case 0, 1, 2:
				if at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
				if len(model) == most {
					model = model[1:]
				}
				model = append(model, entry{key, step, now})
				c.Put(key, step)
			case 3, 4, 5:
				got, ok := c.Get(key)
				if at >= 0 && now.Sub(model[at].made) >= keep {
					model, at = slices.Delete(model, at, at+1), -1
				}
				require.Equal(t, at >= 0, ok, "seed %d, step %d", seed, step)
				if ok {
					require.Equal(t, model[at].val, got)
					e := model[at]
					model = append(slices.Delete(model, at, at+1), e)
				} else {
					require.Zero(t, got)
				}
			case 6:
				now = now.Add(time.Duration(random.IntN(5)) * time.Second)
			case 7:
				stale := func(k int) bool { return k%3 == key%3 }
				model = slices.DeleteFunc(model, func(e entry) bool { return stale(e.key) })
				c.Drop(stale)
			}
			require.Equal(t, len(model), c.Len(), "seed %d, step %d", seed, step)
		}
	}
}
