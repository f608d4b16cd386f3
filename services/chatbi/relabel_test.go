package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func TestRelabel(t *testing.T) {
	t.Parallel()
	d := described{columns: []analyse.Column{{Label: "Day"}, {Label: "rate", Unit: "USD"}, {Unit: "USD"}}}
	d.relabel([]string{"grass_date", "Cancellation_Rate", "gmv"}, []Label{
		{Column: "cancellation_rate", Label: "取消率", Unit: "%"}, {Column: "GMV", Label: "成交额"}, {Column: "unknown", Label: "x"},
	})
	require.Equal(t, []analyse.Column{
		{Label: "Day"}, {Label: "取消率", Unit: analyse.UnitFraction}, {Label: "成交额", Unit: "USD"},
	}, d.columns)
}
