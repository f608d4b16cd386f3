package lang_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
)

func TestCut(t *testing.T) {
	t.Parallel()
	costs := map[string]float64{"新": 6, "加": 6, "坡": 9, "新加坡": 4, "订单": 3, "单量": 9, "订单量": 7, "量": 5}
	cost := func(word string) (float64, bool) { c, ok := costs[word]; return c, ok }
	for _, tc := range []struct {
		text, want string
		longest    int
	}{
		{"新加坡订单量", "新加坡 订单量", 8},
		{"新加坡订单量", "新 加 坡 订单 量", 2},
		{"订单", "订 单", 0},
		{"鑫订单", "鑫 订单", 8},
		{"鑫\xff订单", "鑫 \xff 订单", 8},
		{"", "", 8},
	} {
		words := lang.Cut(tc.text, tc.longest, cost)
		require.Equal(t, tc.want, strings.Join(words, " "), "%q up to %d", tc.text, tc.longest)
	}
}
