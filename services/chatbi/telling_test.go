package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
)

// TestTheTableOfTellingCells: rates carry the units by which they are shown as percent, and
// other figures have as many digits as they all need.
func TestTheTableOfTellingCells(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	changes, err := words.New()
	require.NoError(t, err)
	s := &Service{analyst: analyst, changes: changes}
	cell := func(before, after, accounts float64) explain.Element {
		return explain.Element{Places: []explain.Place{{Dimension: "hub", Value: "Rio"}}, Metric: explain.Pair{Before: before, After: after}, Accounts: accounts}
	}
	q := ChangeQuery{Language: "zh", Plan: ChangePlan{Metric: ChangeItem{Unit: analyse.UnitFraction}, Dimensions: []ChangeItem{{ID: "hub", Name: "分拨中心"}}}}
	rate := s.tellingTable(q, explain.Explanation{Kind: explain.Ratio, Telling: []explain.Element{cell(0.9545, 0.0017, -0.1966)}})
	require.Equal(t, []any{"分拨中心：Rio", 0.9545, 0.0017, -0.1966}, rate.Rows[0])
	require.Equal(t, []string{"", result.UnitPercent, result.UnitPercent, result.UnitPoints}, []string{rate.Columns[0].Unit, rate.Columns[1].Unit, rate.Columns[2].Unit, rate.Columns[3].Unit})

	several := cell(0.5, 0.4, -0.1)
	several.Places[0].Value = explain.ValueSeveral
	require.Equal(t, "分拨中心：（多个）", s.tellingTable(q, explain.Explanation{Kind: explain.Ratio, Telling: []explain.Element{several}}).Rows[0][0])

	apart := cell(0.5, 0.4, -0.1)
	apart.Without = [][]explain.Place{{{Dimension: "hub", Value: "Lima"}}}
	require.Equal(t, "分拨中心：Rio，不含Lima（分拨中心）", s.tellingTable(q, explain.Explanation{Kind: explain.Ratio, Telling: []explain.Element{apart}}).Rows[0][0])

	q.Plan.Metric.Unit = "USD"
	for want, cells := range map[string][]explain.Element{
		"59739.35": {cell(59739.354, 162388.1, 102648.746)},
		"8":        {cell(8, 9, 1), cell(100, 3, -97)},
		"0.1250":   {cell(0.125, 0.5, 0.375)},
		"1234.00":  {cell(1234, 0.5, -1233.5)},
	} {
		table := s.tellingTable(q, explain.Explanation{Kind: explain.Additive, Telling: cells})
		require.Equal(t, want, table.Rows[0][1])
		require.Empty(t, table.Columns[1].Unit)
	}
}
