package decide

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatTablesAreToHold: of a request for tables what they hold is left, and of a request
// for anything else all of it.
func TestWhatTablesAreToHold(t *testing.T) {
	t.Parallel()
	_, seeks, err := readWrappers(wrappersYAML)
	require.NoError(t, err)
	for request, held := range map[string]string{
		"Which tables hold the daily GMV of Singapore?":   "the daily GMV of Singapore",
		"what table has refunds by reason":                "refunds by reason",
		"Find tables about seller performance":            "seller performance",
		"recommend a table for page views by platform":    "page views by platform",
		"where can I find the data on cancelled orders?":  "cancelled orders",
		"which tables can I use to compute the stock?":    "the stock",
		"show me all tables with exchange rates":          "exchange rates",
		"logistics cost tables":                           "logistics cost",
		"哪些表有新加坡每天的GMV？":                                  "新加坡每天的GMV",
		"找一下卖家表现的表":                                       "卖家表现",
		"退款原因在哪张表里":                                       "退款原因",
		"GMV of Singapore by week":                        "GMV of Singapore by week",
		"how many tables were reserved last night?":       "how many tables were reserved last night?",
		"the reserved tables of June by waiter":           "the reserved tables of June by waiter",
		"各门店的餐桌数":                                         "各门店的餐桌数",
		"which customers have ordered more than 3 tables": "which customers have ordered more than 3",
	} {
		require.Equal(t, held, seeks.subject(request), request)
	}
}
