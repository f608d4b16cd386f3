package metric_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

var changeLimits = metric.ChangeLimits{Dimensions: 6, Cells: 40_000, Values: 500, History: 60}

// about is a question for the change of a metric from one week to the next.
func about(id string, countries ...string) *intent.Intent {
	return &intent.Intent{
		Type: intent.Basic, Country: countries, Select: []intent.Output{{Field: intent.Field{Kind: intent.KindMetric, ID: id}}},
		Time: &intent.Time{From: "2026-11-13", To: "2026-11-20", Compare: &intent.Compare{Unit: "week", N: 1}},
	}
}

func (a *asker) planned(t *testing.T, in *intent.Intent) metric.Change {
	t.Helper()
	c, err := metric.PlanChange(a.layer, in, a.tables, changeLimits)
	require.NoError(t, err)
	return c
}

func dimensionIDs(c metric.Change) []string {
	var out []string
	for _, d := range c.Dimensions {
		out = append(out, metric.Base(d.ID))
	}
	return out
}

func figure(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err, text)
	return f
}

// TestChangeOfASum: the cells add up to the periods as a whole, and those are what the
// summary table has.
func TestChangeOfASum(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	c := a.planned(t, about("gmv", "TH"))
	require.Equal(t, metric.AddsUp, c.Adds)
	require.Subset(t, dimensionIDs(c), []string{"payment_method", "platform", "category"})
	require.NotContains(t, dimensionIDs(c), "order_status", "it goes on changing after the day of the order")
	require.NotContains(t, dimensionIDs(c), "country", "the question names one")

	rows := a.presto(t, printer.Print(c.Cells.Statement))
	sums, wholes := map[string]float64{}, map[string]float64{}
	for _, row := range rows {
		require.Len(t, row, 5+len(c.Dimensions))
		if row[0] == "1" {
			wholes[row[1]] = figure(t, row[2])
			require.Equal(t, "7", row[4], "days with rows")
			continue
		}
		sums[row[1]] += figure(t, row[2])
	}
	require.Len(t, wholes, 2)
	for period, from := range map[string]string{"before": "2026-11-06", "after": "2026-11-13"} {
		require.InDelta(t, wholes[period], sums[period], 1e-6)
		hand := a.rows(t, "SELECT CAST(sum(gmv_usd) AS double) FROM sg.mp_order.dws_order_gmv_1d__th_s0_live WHERE grass_date >= DATE '"+from+"' AND grass_date < DATE '"+from+"' + 7")
		require.InDelta(t, figure(t, hand[0][0]), wholes[period], 1e-6)
	}

	course := a.presto(t, printer.Print(c.Daily.Statement))
	require.Len(t, course, changeLimits.History+14)
	require.True(t, slices.IsSortedFunc(course, func(x, y []string) int { return map[bool]int{true: -1, false: 1}[x[0] < y[0]] }))
	require.Nil(t, c.Days, "the course has no conditions")

	require.Equal(t, []string{"orders", "aov"}, []string{c.Factors[0].ID, c.Factors[1].ID})
	for _, row := range a.presto(t, printer.Print(c.Product.Statement)) {
		require.InDelta(t, wholes[row[0]], figure(t, row[1])*figure(t, row[2]), 1e-6, "orders times their average value")
	}
}

// TestChangeOfThings: things that a distinct count counts once lie in one cell each, so
// that the cells add up to the periods as a whole, and how many things have several values
// of a dimension is told for each.
func TestChangeOfThings(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	c := a.planned(t, about("orders", "TH"))
	require.Equal(t, metric.AddsNever, c.Adds)
	dims := dimensionIDs(c)
	require.Subset(t, dims, []string{"payment_method", "platform", "category"})
	platform, category := slices.Index(dims, "platform"), slices.Index(dims, "category")
	sums, wholes := map[string]float64{}, map[string]float64{}
	several := map[string]float64{} // by period, of the category's cells
	for _, row := range a.presto(t, printer.Print(c.Cells.Statement)) {
		require.Len(t, row, 5+2*len(dims))
		n := figure(t, row[2])
		if row[0] == "1" {
			wholes[row[1]] = n
			require.Equal(t, "0", row[5+len(dims)+platform], "an order is placed on one platform")
			hand := a.rows(t, "SELECT count(*) FROM (SELECT order_id FROM sg.mp_order.dwd_order_item_di__th_s0_live WHERE grass_date >= DATE '"+
				map[string]string{"before": "2026-11-06", "after": "2026-11-13"}[row[1]]+"' AND grass_date < DATE '"+
				map[string]string{"before": "2026-11-13", "after": "2026-11-20"}[row[1]]+"' GROUP BY order_id HAVING count(DISTINCT level1_category) > 1)")
			require.InDelta(t, figure(t, hand[0][0]), figure(t, row[5+len(dims)+category]), 0)
			continue
		}
		sums[row[1]] += n
		if row[5+category] == metric.Several {
			several[row[1]] += n
		}
	}
	for period, from := range map[string]string{"before": "2026-11-06", "after": "2026-11-13"} {
		hand := a.rows(t, "SELECT CAST(count(DISTINCT order_id) AS double) FROM sg.mp_order.dwd_order_item_di__th_s0_live WHERE grass_date >= DATE '"+from+"' AND grass_date < DATE '"+from+"' + 7")
		require.InDelta(t, figure(t, hand[0][0]), wholes[period], 0)
		require.InDelta(t, wholes[period], sums[period], 0)
		require.Positive(t, several[period])
	}
}

// TestChangeOfRatesOverThings: both sides of a rate of things lie in the cells of the one value
// that each thing has, and add up to those of the periods as a whole, which are what the
// table has; a sum over the rows of things is split with them.
func TestChangeOfRatesOverThings(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for id, sides := range map[string][2]string{
		"cancellation_rate": {"count(DISTINCT CASE WHEN order_status = 'CANCELLED' THEN order_id END)", "count(DISTINCT order_id)"},
		"refund_rate":       {"count(DISTINCT CASE WHEN order_status = 'RETURNED' THEN order_id END)", "count(DISTINCT CASE WHEN is_paid THEN order_id END)"},
		"aov":               {"sum(gmv_usd)", "count(DISTINCT order_id)"},
		"gmv_per_buyer":     {"sum(gmv_usd)", "count(DISTINCT buyer_id)"},
	} {
		c := a.planned(t, about(id, "TH"))
		require.Equal(t, metric.AddsRatio, c.Adds, id)
		dims := dimensionIDs(c)
		require.Subset(t, dims, []string{"platform", "category"}, id)
		category := slices.Index(dims, "category")
		wholes, sums := map[string][2]float64{}, map[string][2]float64{}
		several := 0.0
		for _, row := range a.presto(t, printer.Print(c.Cells.Statement)) {
			require.Len(t, row, 5+2*len(dims), id)
			value, base := figure(t, row[2]), figure(t, row[3])
			if row[0] == "1" {
				wholes[row[1]] = [2]float64{value, base}
				continue
			}
			sums[row[1]] = [2]float64{sums[row[1]][0] + value, sums[row[1]][1] + base}
			if row[5+category] == metric.Several {
				several += base
			}
		}
		for period, from := range map[string]string{"before": "2026-11-06", "after": "2026-11-13"} {
			hand := a.rows(t, "SELECT CAST("+sides[0]+" AS double), CAST("+sides[1]+" AS double) FROM sg.mp_order.dwd_order_item_di__th_s0_live WHERE grass_date >= DATE '"+from+"' AND grass_date < DATE '"+from+"' + 7")
			for side := range sides {
				require.InDelta(t, figure(t, hand[0][side]), wholes[period][side], 1e-6, "%s, side %d", id, side)
				require.InDelta(t, wholes[period][side], sums[period][side], 1e-6, "%s, side %d", id, side)
			}
			require.Positive(t, wholes[period][1])
		}
		require.Positive(t, several, "%s: what has items of two categories is in one cell", id)
	}
}

// TestWhatIsNoRateOverThings: sides that count things of two kinds, or hold more than sums,
// are left as they are.
func TestWhatIsNoRateOverThings(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	c := a.planned(t, about("orders_per_buyer", "TH"))
	require.Equal(t, metric.AddsRatio, c.Adds)
	for _, row := range a.presto(t, printer.Print(c.Cells.Statement)) {
		require.Len(t, row, 5+len(c.Dimensions))
	}
}

// TestChangeOverCountries: the country is one more dimension where the question names
// none.
func TestChangeOverCountries(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	c := a.planned(t, about("gmv"))
	require.Contains(t, dimensionIDs(c), "country")
	countries := map[string]bool{}
	at := 5 + slices.Index(dimensionIDs(c), "country")
	for _, row := range a.presto(t, printer.Print(c.Cells.Statement)) {
		countries[row[at]] = row[0] == "0" || countries[row[at]]
	}
	for _, code := range []string{"SG", "ID", "MY", "TH", "VN", "PH", "TW", "BR"} {
		require.True(t, countries[code], code)
	}
}

// TestChangeByWhatKind: how a metric adds up follows from its formula and from what the
// layer says of it.
func TestChangeByWhatKind(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for id, want := range map[string]metric.Adds{
		"gmv": metric.AddsUp, "on_time_rate": metric.AddsRatio, "csat": metric.AddsRatio, "visitors": metric.AddsLevel,
		"orders": metric.AddsNever, "page_views": metric.AddsUp, "gmv_per_buyer": metric.AddsRatio,
	} {
		c, err := metric.PlanChange(a.layer, about(id, "BR"), a.tables, changeLimits)
		require.NoError(t, err, id)
		require.Equal(t, want, c.Adds, id)
		rows := a.presto(t, printer.Print(c.Cells.Statement))
		require.NotEmpty(t, rows, id)
		if want == metric.AddsRatio {
			require.Positive(t, figure(t, rows[0][3]), "%s has a denominator", id)
		}
	}
	for _, id := range []string{"tickets_per_thousand_orders", "gmv_mtd"} {
		_, err := metric.PlanChange(a.layer, about(id, "BR"), a.tables, changeLimits)
		p, ok := metric.IsProblem(err)
		require.True(t, ok, "%s: %v", id, err)
		require.Equal(t, "NOT_SPLIT", p.Code, id)
	}
}

// TestPartsOfARatio: what a ratio divides and is divided by has the names of the layer's
// metrics, whether the layer names them or writes them out; what is no ratio has none.
func TestPartsOfARatio(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	for id, want := range map[string][]string{
		"cancellation_rate": {"cancelled_orders", "orders"}, "gmv_per_buyer": {"gmv", "buyers"}, "csat": nil, "gmv": nil,
	} {
		c := a.planned(t, about(id, "MY"))
		var got []string
		for _, m := range c.Parts {
			got = append(got, metric.Base(m.ID))
		}
		require.Equal(t, want, got, id)
	}
}

// TestChangeUnderConditions: which days the table has is asked without them, so that a
// day on which none of the rows counts is no day without data.
func TestChangeUnderConditions(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	in := about("gmv", "TH")
	in.Filters = []intent.Cond{{
		Op: intent.Eq, Left: &intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "payment_method"}}, Values: []intent.Literal{{Text: "COD"}},
	}}
	c := a.planned(t, in)
	require.NotContains(t, dimensionIDs(c), "payment_method", "it is one value")
	require.NotNil(t, c.Days)
	all := 0
	for _, row := range a.presto(t, printer.Print(c.Days.Statement)) {
		all += int(figure(t, row[1]))
	}
	hand := a.rows(t, "SELECT count(*) FROM sg.mp_order.dwd_order_item_di__th_s0_live WHERE grass_date >= DATE '2026-11-06' AND grass_date < DATE '2026-11-20'")
	require.InDelta(t, figure(t, hand[0][0]), float64(all), 0)
	cod := a.rows(t, "SELECT CAST(sum(gmv_usd) AS double) FROM sg.mp_order.dwd_order_item_di__th_s0_live WHERE payment_method = 'COD' AND grass_date >= DATE '2026-11-13' AND grass_date < DATE '2026-11-20'")
	for _, row := range a.presto(t, printer.Print(c.Cells.Statement)) {
		if row[0] == "1" && row[1] == "after" {
			require.InDelta(t, figure(t, cod[0][0]), figure(t, row[2]), 1e-6)
		}
	}
}

// TestChangeWithinLimits: no more dimensions, values and cells than the limits say.
func TestChangeWithinLimits(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	limits := changeLimits
	limits.Dimensions = 1
	c, err := metric.PlanChange(a.layer, about("gmv", "TH"), a.tables, limits)
	require.NoError(t, err)
	require.Len(t, c.Dimensions, 1)
	limits = changeLimits
	limits.Values = 4
	c, err = metric.PlanChange(a.layer, about("gmv", "TH"), a.tables, limits)
	require.NoError(t, err)
	require.NotContains(t, dimensionIDs(c), "category", "it has twelve values")
	limits = changeLimits
	limits.Cells = 20
	c, err = metric.PlanChange(a.layer, about("gmv", "TH"), a.tables, limits)
	require.NoError(t, err)
	require.LessOrEqual(t, len(a.presto(t, printer.Print(c.Cells.Statement))), 2*(20+1))
}

// TestDaysOfOneValue: a dimension that all rows of a day share has that value, one that
// they do not has none.
func TestDaysOfOneValue(t *testing.T) {
	t.Parallel()
	a := demoAsker(t)
	c := a.planned(t, about("gmv", "TH"))
	campaign := 1 + slices.Index(dimensionIDs(c), "campaign")
	platform := 1 + slices.Index(dimensionIDs(c), "platform")
	require.Positive(t, campaign)
	rows := a.presto(t, printer.Print(c.Events.Statement))
	require.Len(t, rows, 14)
	alike := 0
	for _, row := range rows {
		want := ""
		if row[0][:10] == "2026-11-11" {
			want = "11.11"
		}
		require.Equal(t, want, row[campaign], row[0])
		if slices.Contains([]string{"IOS", "ANDROID", "WEB"}, row[platform]) {
			alike++
		}
	}
	require.Less(t, alike, 14, "the rows of most days have several platforms")

	apart := func(from, to string) []string {
		in := about("gmv", "TH")
		in.Time.Compare = &intent.Compare{From: from, To: to}
		var days []string
		for _, row := range a.presto(t, printer.Print(a.planned(t, in).Events.Statement)) {
			days = append(days, row[0][:10])
		}
		return days
	}
	days := apart("2026-10-29", "2026-11-05")
	require.Contains(t, days, "2026-11-06", "a value may begin between the periods")
	require.NotContains(t, apart("2026-05-04", "2026-05-11"), "2026-08-01", "and periods that are far apart are read alone")
}
