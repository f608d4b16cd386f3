package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestTwoPeriodsInOnePass: every aggregate is restricted to each of the periods, and what
// lies between is told of those that both are there of.
func TestTwoPeriodsInOnePass(t *testing.T) {
	t.Parallel()
	g := harbour()
	year := func(in *intent.Intent) {
		in.Time = &intent.Time{By: "calls.arrived", From: "2026-01-01", To: "2027-01-01", Compare: &intent.Compare{From: "2025-01-01", To: "2026-01-01"}}
	}
	of := func(o intent.Output) intent.Intent {
		in := intent.Intent{Entity: "calls", Select: append([]intent.Output{o}, o.Against()...)}
		year(&in)
		return in
	}
	const own, was = "FILTER (WHERE arrived >= DATE '2026-01-01' AND arrived < DATE '2027-01-01')", "FILTER (WHERE arrived >= DATE '2025-01-01' AND arrived < DATE '2026-01-01')"
	for name, c := range map[string]struct {
		in   intent.Intent
		want []string
	}{
		"a mean":   {of(agg(intent.AggAvg, "calls.fee")), []string{"avg(fee) " + own + " AS average_fee", "avg(fee) " + was + " AS previous_average_fee", "average_fee - previous_average_fee AS average_fee_change"}},
		"a median": {of(agg(intent.AggMedian, "calls.fee")), []string{own, was, "median_fee - previous_median_fee AS median_fee_change"}},
		"kinds":    {of(agg(intent.AggCountDistinct, "calls.fee")), []string{"count(DISTINCT fee) " + own, "count(DISTINCT fee) " + was}},
		"a total":  {of(agg(intent.AggSum, "calls.fee")), []string{"coalesce(sum(fee) " + own + ", 0) AS total_fee", "coalesce(sum(fee) " + was + ", 0) AS previous_total_fee"}},
	} {
		stmt, err := g.Statement(&c.in)
		require.NoError(t, err, name)
		for _, part := range c.want {
			require.Contains(t, printer.Print(stmt), part, name)
		}
	}
	fee := agg(intent.AggSum, "calls.fee")
	for name, change := range map[string]func(*intent.Intent){
		"a change without what it was": func(in *intent.Intent) { in.Select = []intent.Output{fee, fee.Against()[1]} },
		"an order by what is not shown": func(in *intent.Intent) {
			in.OrderBy = []intent.Order{{By: agg(intent.AggMax, "calls.fee")}}
		},
		"different rows":  func(in *intent.Intent) { in.Distinct = true },
		"an unknown date": func(in *intent.Intent) { in.Time.By = "calls.nothing" },
		"a column, no sum": func(in *intent.Intent) {
			x := column("calls.fee")
			in.Select = append([]intent.Output{x}, x.Against()...)
		},
	} {
		in := of(fee)
		change(&in)
		_, err := g.Statement(&in)
		require.Error(t, err, name)
	}
	require.Len(t, agg(intent.AggRate, "calls.fee").Against(), 2, "of a part no part is told")
}
