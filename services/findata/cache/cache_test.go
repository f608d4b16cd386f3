package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/findata/cache"
)

func TestBoundedInNumberAndTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := cache.New[string, int](2, time.Hour, func() time.Time { return now })
	has := func(key string) bool { _, ok := c.Get(key); return ok }
	c.Put("a", 1)
	c.Put("b", 2)
	require.True(t, has("a"))
	c.Put("c", 3)
	require.Equal(t, []bool{true, false, true}, []bool{has("a"), has("b"), has("c")}, "the one unused for longest goes")
	now = now.Add(time.Hour)
	require.False(t, has("a"), "too old")
	require.Equal(t, 1, c.Len())

	c.Put("c", 4)
	val, ok := c.Get("c")
	require.True(t, ok)
	require.Equal(t, 4, val)
	c.Drop(func(key string) bool { return key == "c" })
	require.False(t, has("c"))

	none := cache.New[string, int](0, time.Hour, time.Now)
	none.Put("a", 1)
	require.Zero(t, none.Len())
}
