package spelling_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/spelling"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"order", "order", 0},
		{"order", "orders", 1},
		{"order", "oder", 1},
		{"order", "ordar", 1},
		{"order", "roder", 1}, // neighbours swapped
		{"order", "redro", 3},
		{"Order", "order", 1},
		{"ca", "abc", 3}, // a swapped pair is not edited again
		{"订单表", "订单", 1},
		{"订单", "单订", 1},
		{long, long + "yy", 2},
		{strings.Repeat("x", 63), strings.Repeat("x", 64), 1},
	} {
		require.Equal(t, tc.want, spelling.Distance(tc.a, tc.b), "%q, %q", tc.a, tc.b)
		require.Equal(t, tc.want, spelling.Distance(tc.b, tc.a), "%q, %q", tc.b, tc.a)
	}
}

func BenchmarkDistance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		spelling.Distance("dwd_order_item_daily", "dwd_order_items_day")
	}
}
