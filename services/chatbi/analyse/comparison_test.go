package analyse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// comparedRows makes rows of things with their value and that of the time before.
func comparedRows(of string, rows ...[]any) analyse.Input {
	t := table("city varchar, " + of + " double, previous_" + of + " double, " + of + "_change double, " + of + "_change_rate double")
	for _, r := range rows {
		now, before := r[1].(float64), r[2].(float64)
		var rate any
		if before != 0 {
			rate = (now - before) / before
		}
		t.Rows = append(t.Rows, []any{r[0], now, before, now - before, rate})
	}
	return analyse.Input{Table: t}
}

// TestComparisonsLeadWithTheChange: of what adds up the whole and the parts that account for it,
// of rates the part that changed most; rows are charted by their change.
func TestComparisonsLeadWithTheChange(t *testing.T) {
	t.Parallel()
	fraction := func(in analyse.Input) analyse.Input {
		in.Columns = []analyse.Column{{}, {Unit: analyse.UnitFraction, Figure: true}, {Unit: analyse.UnitFraction, Figure: true}, {Unit: analyse.UnitPoints, Figure: true}, {Unit: analyse.UnitFraction, Figure: true}}
		return in
	}
	ordered := func(in analyse.Input, column int) analyse.Input {
		in.Order = &analyse.Order{Column: column, Desc: true}
		return in
	}
	limited := func(in analyse.Input) analyse.Input {
		in.Order, in.Limited = &analyse.Order{Column: 1, Desc: true}, true
		return in
	}
	payments := [][]any{{"cash", 682.0, 611.0}, {"transfer", 928.0, 529.0}, {"card", 405.0, 386.0}, {"wallet", 256.0, 217.0}}
	better := func(sign int, in analyse.Input) analyse.Input {
		in.Columns = slices.Clone(in.Columns)
		in.Columns[1].Better = sign
		return in
	}
	for name, c := range map[string]struct {
		in     analyse.Input
		en, zh string
		finds  string // in English
	}{
		"a rise": {
			comparedRows("orders", payments...),
			"Orders are 2,271, 528 (30.3%) more than in the compared period (1,743): transfer +399, cash +71 and wallet +39.",
			"orders为2,271，比对比期（1,743）多528（30.3%）：transfer+399、cash+71和wallet+39。",
			"transfer accounts for 75.6% of the rise: from 529 to 928 (+75.4%).",
		},
		"sorted by the change": {
			ordered(comparedRows("orders", payments...), 3),
			"Orders are 2,271, 528 (30.3%) more than in the compared period (1,743): transfer +399, cash +71 and wallet +39.", "", "transfer accounts for",
		},
		"sorted by the rate, as asked": {ordered(comparedRows("orders", payments...), 4), "transfer has the highest orders change rate", "transfer的orders change rate最高", ""},
		"a part of the rows":           {limited(comparedRows("orders", payments...)), "transfer has the highest orders: 928", "", ""},
		"a fall, against one": {
			comparedRows("orders", []any{"Oslo", 50.0, 90.0}, []any{"Rome", 40.0, 60.0}, []any{"Bern", 30.0, 10.0}),
			"Orders are 120, 40 (25%) less than in the compared period (160): Oslo −40 and Rome −20.",
			"orders为120，比对比期（160）少40（25%）：Oslo−40和Rome−20。", "Against that: Bern +20.",
		},
		"a new one": {
			comparedRows("orders", []any{"Oslo", 50.0, 0.0}, []any{"Rome", 61.0, 60.0}, []any{"Bern", 11.0, 10.0}),
			"Orders are 122, 52 (74.3%) more than in the compared period (70): Oslo +50, Rome +1 and Bern +1.", "",
			"Oslo accounts for 96.2% of the rise: it had none before and has 50 now.",
		},
		"from nothing": {
			comparedRows("orders", []any{"Oslo", 50.0, 0.0}, []any{"Rome", 10.0, 0.0}),
			"Orders are 60, 60 more than in the compared period (0): Oslo +50 and Rome +10.", "", "",
		},
		"offsetting": {
			comparedRows("orders", []any{"Oslo", 90.0, 50.0}, []any{"Rome", 20.0, 60.0}, []any{"Bern", 10.0, 9.0}),
			"Orders are 120, 1 (0.8%) more than in the compared period (119), but not in its parts: Oslo +40, Rome −40 and Bern +1.",
			"orders为120，比对比期（119）多1（0.8%），但各部分此消彼长：Oslo+40、Rome−40和Bern+1。", "",
		},
		"nothing": {
			comparedRows("orders", []any{"Oslo", 50.0, 50.0}, []any{"Rome", 60.0, 60.0}),
			"Orders are the same as in the compared period for all 2 values of city.", "2个city的orders均与对比期相同。", "",
		},
		"without a city": {
			comparedRows("orders", []any{"Oslo", 60.0, 50.0}, []any{nil, 30.0, 10.0}, []any{"Rome", 70.0, 60.0}),
			"Orders are 160, 40 (33.3%) more than in the compared period (120): Oslo +10 and Rome +10. Rows without city changed by +20.",
			"orders为160，比对比期（120）多40（33.3%）：Oslo+10和Rome+10。没有city的数据变化为+20。", "",
		},
		"rates": {
			fraction(comparedRows("refund_rate", []any{"Oslo", 0.04, 0.06}, []any{"Rome", 0.125, 0.05}, []any{"Bern", 0.03, 0.03})),
			"Refund rate changed most for Rome: refund rate is 12.5%, 7.5 percentage points more than in the compared period (5.0%); then Oslo −2.0 percentage points.",
			"Rome的refund rate变化最大：refund rate为12.5%，比对比期（5.0%）多7.5个百分点；其次是Oslo−2.0个百分点。", "",
		},
		"rates of which the low end is good": {
			better(-1, fraction(comparedRows("refund_rate", []any{"Oslo", 0.02, 0.12}, []any{"Rome", 0.08, 0.05}, []any{"Bern", 0.04, 0.03}))),
			"Refund rate got worse most for Rome: refund rate is 8%, 3 percentage points more than in the compared period (5%); then Bern +1 percentage point.",
			"Rome的refund rate恶化最多：refund rate为8%，比对比期（5%）多3个百分点；其次是Bern", "",
		},
		"rates of which the high end is good": {
			better(1, fraction(comparedRows("on_time_rate", []any{"Oslo", 0.92, 0.6}, []any{"Rome", 0.58, 0.65}))),
			"On time rate got worse most for Rome: on time rate is 58%, 7 percentage points less than in the compared period (65%).",
			"Rome的on time rate恶化最多", "",
		},
		"rates that got better everywhere": {
			better(-1, fraction(comparedRows("refund_rate", []any{"Oslo", 0.02, 0.12}, []any{"Rome", 0.04, 0.05}))),
			"Refund rate got worse nowhere, and better most for Oslo: refund rate is 2%, 10 percentage points less than in the compared period (12%); then Rome −1 percentage point.",
			"refund rate没有恶化，Oslo改善最多", "",
		},
		"rates that stay": {
			fraction(comparedRows("refund_rate", []any{"Oslo", 0.05, 0.05}, []any{"Rome", 0.05, 0.05})),
			"Refund rate is the same as in the compared period for all 2 values of city.", "", "",
		},
	} {
		out := analysed(t, c.in)
		require.True(t, strings.HasPrefix(out.Answer, c.en), "%s: %s", name, out.Answer)
		if c.finds != "" {
			require.True(t, slices.ContainsFunc(out.Findings, func(f analyse.Finding) bool { return strings.HasPrefix(f.Text, c.finds) }), "%s: %v", name, out.Findings)
		}
		if c.zh != "" {
			zh := c.in
			zh.Language, zh.Now, zh.MaxPoints = lang.Chinese, now, 10
			require.True(t, strings.HasPrefix(analystFor(t).Analyse(zh).Answer, c.zh), "%s: %s", name, analystFor(t).Analyse(zh).Answer)
		}
	}
	in := comparedRows("orders", payments...)
	out := analysed(t, in)
	require.Equal(t, []string{"orders_change"}, out.Chart.Y)
	require.Contains(t, out.Chart.Option, `"data":["transfer","cash","wallet","card"]`)
	require.Equal(t, "cash", in.Table.Rows[0][0], "the rows of the caller stay as they are")
}

// TestChartsOfComparisonsBeginAsTheSentence: with the greatest fall where things fell, and with
// what got worse.
func TestChartsOfComparisonsBeginAsTheSentence(t *testing.T) {
	t.Parallel()
	fell := analysed(t, comparedRows("orders", []any{"cash", 5.0, 9.0}, []any{"card", 3.0, 2.0}, []any{"transfer", 10.0, 90.0}))
	require.Contains(t, fell.Answer, ": transfer −80 and cash −4.")
	require.Contains(t, fell.Chart.Option, `"data":["transfer","cash","card"]`)
	rates := comparedRows("on_time_rate", []any{"Oslo", 0.92, 0.6}, []any{"Rome", 0.58, 0.65}, []any{"Bern", 0.5, 0.5})
	rates.Columns = []analyse.Column{{}, {Unit: analyse.UnitFraction, Aggregate: analyse.AggregateOther, Better: 1}, {Aggregate: analyse.AggregateOther}, {Aggregate: analyse.AggregateOther}, {Aggregate: analyse.AggregateOther}}
	worse := analysed(t, rates)
	require.Contains(t, worse.Answer, "got worse most for Rome")
	require.Contains(t, worse.Chart.Option, `"data":["Rome","Bern","Oslo"]`)
}

// TestComparedSeriesLeadWithTheChange: a series against another time tells what lies between
// both and where most of it does, not what the series alone comes to; a rate, which does not
// add up, tells how often it was higher; of steps that follow each other the last one leads.
func TestComparedSeriesLeadWithTheChange(t *testing.T) {
	t.Parallel()
	days := func(figure string, pairs ...[2]float64) analyse.Input {
		in := analyse.Input{
			Table:   table("day date, " + figure + " double, previous_" + figure + " double, " + figure + "_change double"),
			Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateSum}, {Aggregate: analyse.AggregateOther}, {Aggregate: analyse.AggregateOther}},
		}
		for i, p := range pairs {
			in.Table.Rows = append(in.Table.Rows, []any{fmt.Sprintf("2026-10-%02d", 5+i), p[0], p[1], p[0] - p[1]})
		}
		return in
	}
	rates := days("refund_rate", [2]float64{0.05, 0.04}, [2]float64{0.03, 0.09}, [2]float64{0.06, 0.05})
	rates.Columns = []analyse.Column{{}, {Unit: analyse.UnitFraction, Aggregate: analyse.AggregateOther}, {Aggregate: analyse.AggregateOther}, {Aggregate: analyse.AggregateOther}}
	for name, c := range map[string]struct {
		in     analyse.Input
		en, zh string
	}{
		"days of two weeks": {
			days("rides", [2]float64{10, 12}, [2]float64{20, 60}, [2]float64{15, 13}),
			"Rides from 5 Oct 2026 to 7 Oct 2026 are 45, 40 (47.1%) less than in the compared period (85); the greatest difference is −40 (6 Oct 2026).",
			"2026年10月5日至2026年10月7日的rides为45，比对比期（85）少40（47.1%）；相差最大的是2026年10月6日：−40。",
		},
		"no day differs most": {
			days("rides", [2]float64{10, 12}, [2]float64{12, 14}), "Rides from 5 Oct 2026 to 6 Oct 2026 are 22, 4 (15.4%) less than in the compared period (26).",
			"2026年10月5日至2026年10月6日的rides为22，比对比期（26）少4（15.4%）。",
		},
		"a rate": {
			rates, "Refund rate from 5 Oct 2026 to 7 Oct 2026 is higher than in the compared period for 2 of 3 days; the greatest difference is −6 percentage points (6 Oct 2026).",
			"2026年10月5日至2026年10月7日的refund rate在3天中有2天高于对比期；相差最大的是2026年10月6日：−6个百分点。",
		},
		"each step against the one before": {
			days("rides", [2]float64{10, 8}, [2]float64{30, 10}, [2]float64{27, 30}),
			"Rides on 7 Oct 2026 are 27, 3 (10%) less than the day before (30); the greatest change of the 3 days is +20 (6 Oct 2026).",
			"2026年10月7日的rides为27，比前一天（30）少3（10%）；3天中变化最大的是2026年10月6日：+20。",
		},
	} {
		require.Equal(t, c.en, analysed(t, c.in).Answer, name)
		zh := c.in
		zh.Language, zh.Now, zh.MaxPoints = lang.Chinese, now, 10
		require.Equal(t, c.zh, analystFor(t).Analyse(zh).Answer, name)
	}
}

// TestRowsWithoutAValueWinNothing: NULL and blank are told apart, and are in the whole.
func TestRowsWithoutAValueWinNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   analyse.Input
		want string
	}{
		"the greatest": {
			analyse.Input{Table: table("city varchar, rides bigint", []any{nil, int64(70)}, []any{"Oslo", int64(20)}, []any{"Rome", int64(10)})},
			"Oslo has the highest rides: 20, 20% of 100; then Rome (10). Rows without city are not ranked; their rides are 70.",
		},
		"NULL and blank": {
			analyse.Input{Table: table("city varchar, rides bigint", []any{nil, int64(40)}, []any{" ", int64(30)}, []any{"Oslo", int64(20)}, []any{"Rome", int64(10)})},
			"Oslo has the highest rides: 20, 20% of 100; then Rome (10). Rows without city are not ranked; their rides are 70.",
		},
		"one is left": {
			analyse.Input{Table: table("city varchar, rides bigint", []any{nil, int64(70)}, []any{"Oslo", int64(20)})},
			"Rides of Oslo are 20; it is the only city with a value. Rows without city are not ranked; their rides are 70.",
		},
		"over time": {
			analyse.Input{Table: table("day date, city varchar, rides bigint", []any{"2026-11-01", nil, int64(70)}, []any{"2026-11-02", nil, int64(5)}, []any{"2026-11-01", "Oslo", int64(20)}, []any{"2026-11-02", "Rome", int64(5)})},
			"Rides from 1 Nov 2026 to 2 Nov 2026 over 2 values of city: 100 in total; Oslo has the most, 20 (20%). Rows without city are not ranked; their rides are 75.",
		},
	} {
		out := analysed(t, c.in)
		require.Equal(t, c.want, out.Answer, name)
		require.NotContains(t, findingsOf(out), "nulls", name)
	}
}

// TestRatiosOfAllComeFromSums: where the columns that a ratio is made of are there, its value over
// all rows is that of their sums; else none is told.
func TestRatiosOfAllComeFromSums(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"2026-11-01", int64(1), int64(10), 0.1}, {"2026-11-02", int64(90), int64(100), 0.9}, {"2026-11-03", int64(0), int64(10), 0.0}}
	in := analyse.Input{Columns: []analyse.Column{{}, {}, {}, {Unit: analyse.UnitFraction}}, Order: nil}
	in.Table = table("day date, refunds bigint, orders bigint, refund_rate double", rows...)
	in.Table.Columns[1], in.Table.Columns[3] = in.Table.Columns[3], in.Table.Columns[1]
	in.Columns[1], in.Columns[3] = in.Columns[3], in.Columns[1]
	for _, r := range in.Table.Rows {
		r[1], r[3] = r[3], r[1]
	}
	require.Contains(t, analysed(t, in).Answer, "Refund rate from 1 Nov 2026 to 3 Nov 2026: 75.8% overall, between 0% (3 Nov 2026) and 90.0% (2 Nov 2026) over 3 days.")
	in.Table.Rows[0][3] = int64(7) // the parts are not those of the ratio
	require.Contains(t, analysed(t, in).Answer, "Refund rate from 1 Nov 2026 to 3 Nov 2026: between 0% (3 Nov 2026) and 90% (2 Nov 2026) over 3 days.")
}

// TestCoursesOfCategoriesAreTold: of several series, which of them rose, by name.
func TestCoursesOfCategoriesAreTold(t *testing.T) {
	t.Parallel()
	in := analyse.Input{Table: table("month date, city varchar, rides bigint"), Now: now.AddDate(3, 0, 0)}
	for m := range 24 {
		at := now.AddDate(-2, m, 1-now.Day()).Format("2006-01-02")
		for c, city := range []string{"Oslo", "Rome", "Bern"} {
			rides := 1000 + 37*((m*7+c*5)%11)
			if city == "Rome" {
				rides += 60 * m
			}
			in.Table.Rows = append(in.Table.Rows, []any{at, city, int64(rides)})
		}
	}
	out := analysed(t, in)
	require.Equal(t, []string{"trend"}, findingsOf(out), "%v", out.Findings)
	require.Contains(t, out.Findings[0].Text, "There is a rising trend in rides of Rome, by about 6")
}

// TestChangesHaveTheirUnits: the rate of a change is a percentage wherever it is shown, also
// where the writer of the statement gave it no label; what is only called so is not.
func TestChangesHaveTheirUnits(t *testing.T) {
	t.Parallel()
	units := func(in analyse.Input) (out []string) {
		for _, c := range analystFor(t).Analyse(in).Columns {
			out = append(out, c.Unit)
		}
		return out
	}
	in := comparedRows("total_amount", []any{"Oslo", 50.0, 40.0}, []any{"Rome", 61.0, 60.0}, []any{"Bern", 5.0, 0.0})
	in.Columns = []analyse.Column{{}, {Unit: "EUR"}, {}, {}, {}}
	require.Equal(t, []string{"", "EUR", "EUR", "EUR", "%"}, units(in))
	in.Columns[1].Unit = analyse.UnitFraction
	require.Equal(t, []string{"", "%", "%", "pp", "%"}, units(in))
	in.Columns[1].Unit, in.Table.Rows[0][4] = "", 25.0
	require.Equal(t, []string{"", "", "", "", ""}, units(in), "25 for a quarter is a percentage already")
}

// TestTheFirstStepIsAgainstAWholePeriod: a month against the last days of the one before is the
// greatest change of all, and none. That nothing is before the first is no gap.
func TestTheFirstStepIsAgainstAWholePeriod(t *testing.T) {
	t.Parallel()
	in := analyse.Input{Now: now, Begin: time.Date(2026, 5, 25, 0, 0, 0, 0, time.UTC), Table: table("month date, rides bigint, previous_rides bigint, rides_change bigint, rides_change_rate double",
		[]any{"2026-05-01", int64(20), nil, nil, nil}, []any{"2026-06-01", int64(100), int64(20), int64(80), 4.0}, []any{"2026-07-01", int64(110), int64(100), int64(10), 0.1},
		[]any{"2026-08-01", int64(140), int64(110), int64(30), 30.0 / 110}, []any{"2026-09-01", int64(150), int64(140), int64(10), 10.0 / 140})}
	out := analysed(t, in)
	require.Contains(t, out.Answer, "+30 (Aug 2026)")
	require.NotContains(t, out.Answer, "+80")
	require.NotContains(t, findingsOf(out), "nulls")
	in.Begin = time.Time{}
	require.Contains(t, analysed(t, in).Answer, "+80 (Jun 2026)")
}

// TestAPeriodWithoutRowsIsTold: where the other period has no figure at all, which of its days
// are not there is told too, and not only that a value is empty.
func TestAPeriodWithoutRowsIsTold(t *testing.T) {
	t.Parallel()
	day := func(year, month int) time.Time { return time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC) }
	in := analyse.Input{Table: table("gmv double, previous_gmv double, gmv_change double, gmv_change_rate double", []any{5.0, nil, nil, nil})}
	in.Compared = &analyse.Compared{
		Own: analyse.Range{From: day(2026, 1), To: day(2026, 4)}, Base: analyse.Range{From: day(2025, 1), To: day(2025, 4)},
		OwnDays: 90, BaseDays: 0, Adds: true, Missing: []string{"All of 2025 is missing."},
	}
	answer := analystFor(t).Analyse(in).Answer
	require.Contains(t, answer, "All of 2025 is missing.")
	require.NotContains(t, answer, "Like for like")
}
