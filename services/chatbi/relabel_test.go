package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func TestRelabel(t *testing.T) {
	t.Parallel()
	d := described{columns: []analyse.Column{{Label: "Day"}, {Label: "rate", Unit: "USD"}, {Unit: "USD"}, {}}}
	d.relabel([]string{"grass_date", "Cancellation_Rate", "gmv", "rate_change"}, []Label{
		{Column: "cancellation_rate", Label: "取消率", Unit: "%", Better: -1}, {Column: "GMV", Label: "成交额", Level: true}, {Column: "unknown", Label: "x"},
		{Column: "rate_change", Label: "取消率变化量", Unit: "pp"},
	})
	require.Equal(t, []analyse.Column{
		{Label: "Day"}, {Label: "取消率", Unit: analyse.UnitFraction, Figure: true, Better: -1}, {Label: "成交额", Unit: "USD", Figure: true, Level: true},
		{Label: "取消率变化量", Unit: analyse.UnitPoints, Figure: true},
	}, d.columns)
}
