package analyse_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

func analystFor(t *testing.T) *analyse.Analyst {
	t.Helper()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	return analyst
}

// analysed is an analysis in English, as of now.
func analysed(t *testing.T, in analyse.Input) analyse.Output {
	t.Helper()
	in.Language = lang.English
	if in.Now.IsZero() {
		in.Now = now
	}
	if in.MaxPoints == 0 {
		in.MaxPoints = 1000
	}
	return analystFor(t).Analyse(in)
}

func findingsOf(out analyse.Output) (kinds []string) {
	for _, f := range out.Findings {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func warningsOf(out analyse.Output) (codes []string) {
	for _, w := range out.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

// TestKeysAreNoAmounts: the values of a key are listed as they are stored, and never added up,
// whatever the key is called; amounts that are called the same are.
func TestKeysAreNoAmounts(t *testing.T) {
	t.Parallel()
	table := result.Table{Columns: []result.Column{{Name: "Job #", Type: "bigint"}}, Rows: [][]any{{int64(20001)}, {int64(20002)}, {int64(20003)}, {int64(20004)}}}
	keys := analysed(t, analyse.Input{Table: table, Columns: []analyse.Column{{Key: true}}})
	require.Empty(t, findingsOf(keys))
	require.Contains(t, keys.Answer, "20001")
	amounts := analysed(t, analyse.Input{Table: table, Columns: []analyse.Column{{}}})
	require.NotEmpty(t, findingsOf(amounts))
}

// TestWhatARowIsCalled: by its first text, else by its only time, where there are numbers
// beside it; a value and that of the time before are one part of what is said of it.
func TestWhatARowIsCalled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table result.Table
		want  string
	}{
		"by its text":           {table("city varchar, rides bigint", []any{"Oslo", int64(5)}), "Oslo: rides are 5."},
		"by the first of texts": {table("city varchar, driver varchar, rides bigint", []any{"Oslo", "Kim", int64(5)}), "Oslo: driver is Kim and rides are 5."},
		"not by a missing text": {table("city varchar, rides bigint", []any{nil, int64(5)}), "City is missing and rides are 5."},
		"by its day":            {table("day date, rides bigint", []any{"2026-11-01", int64(5)}), "1 Nov 2026: rides are 5."},
		"not by one of two":     {table("opened date, closed date, rides bigint", []any{"2026-11-01", "2026-11-02", int64(5)}), "Opened is 1 Nov 2026, closed is 2 Nov 2026 and rides are 5."},
		"not by a missing day":  {table("day date, rides bigint", []any{nil, int64(5)}), "Day is missing and rides are 5."},
		"not without a number":  {table("city varchar, driver varchar", []any{"Oslo", "Kim"}), "City is Oslo and driver is Kim."},
		"numbers alone":         {table("rides bigint, fare double", []any{int64(5), 2.5}), "Rides are 5 and fare is 2.5."},
		"compared":              {table("rides bigint, previous_rides bigint, rides_change bigint", []any{int64(12), int64(10), int64(2)}), "Rides are 12, 2 more than in the compared period (10)."},
		"less":                  {table("rides bigint, previous_rides bigint, rides_change bigint", []any{int64(10), int64(12), int64(-2)}), "Rides are 10, 2 less than in the compared period (12)."},
		"with its rate": {
			table("rides bigint, previous_rides bigint, rides_change bigint, rides_change_rate double", []any{int64(12), int64(10), int64(2), 0.2}),
			"Rides are 12, 2 (20%) more than in the compared period (10).",
		},
		"with a rate of nothing": {
			table("rides bigint, previous_rides bigint, rides_change bigint, rides_change_rate double", []any{int64(2), int64(0), int64(2), nil}),
			"Rides are 2, 2 more than in the compared period (0).",
		},
		"not where it does not add up": {
			table("rides bigint, previous_rides bigint, rides_change bigint", []any{int64(12), int64(10), int64(3)}), "Rides are 12, previous rides are 10 and rides change is 3.",
		},
		"not of ids": {
			table("order_id bigint, previous_order_id bigint, order_id_change bigint, rides bigint", []any{int64(12), int64(10), int64(2), int64(1)}),
			"order ID 12: previous order ID is 10, order ID change is 2 and rides are 1.",
		},
		"not without what it was": {table("rides bigint, rides_change bigint, fare double", []any{int64(12), int64(2), 1.5}), "Rides are 12, rides change is 2 and fare is 1.5."},
		"more than are told": {
			table("a bigint, b bigint, c bigint, d bigint, e bigint, f bigint, g bigint, h bigint", []any{int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(7), int64(8)}),
			"A is 1, b is 2, c is 3, d is 4, e is 5, f is 6, and 2 other values.",
		},
	} {
		require.Equal(t, c.want, analysed(t, analyse.Input{Table: c.table}).Answer, name)
	}
}

// TestTheFirstOfMany: one row that the statement has sorted to the front is called the
// highest or the lowest, where no other is as far.
func TestTheFirstOfMany(t *testing.T) {
	t.Parallel()
	by := func(desc bool) *analyse.Order { return &analyse.Order{Column: 1, Desc: desc} }
	city := table("city varchar, rides bigint", []any{"Oslo", int64(5)})
	for name, c := range map[string]struct {
		in   analyse.Input
		want string
	}{
		"most":                {analyse.Input{Table: city, Limited: true, Order: by(true)}, "Oslo has the highest rides: 5."},
		"least":               {analyse.Input{Table: city, Limited: true, Order: by(false)}, "Oslo has the lowest rides: 5."},
		"of a day":            {analyse.Input{Table: table("day date, rides bigint", []any{"2026-11-01", int64(5)}), Limited: true, Order: by(true)}, "1 Nov 2026 has the highest rides: 5."},
		"the next is less":    {analyse.Input{Table: city, Limited: true, Order: by(true), Beyond: [][]any{{"Bergen", int64(4)}}}, "Oslo has the highest rides: 5."},
		"another is as far":   {analyse.Input{Table: city, Limited: true, Order: by(true), Beyond: [][]any{{"Bergen", int64(5)}}}, "Oslo, Bergen and others tie for the highest rides, 5."},
		"all rows are there":  {analyse.Input{Table: city, Order: by(true)}, "Oslo: rides are 5."},
		"sorted by its name":  {analyse.Input{Table: city, Limited: true, Order: &analyse.Order{Column: 0}}, "Oslo: rides are 5."},
		"without a name":      {analyse.Input{Table: table("city varchar, rides bigint", []any{"", int64(5)}), Limited: true, Order: by(true)}, ": rides are 5."},
		"beside other things": {analyse.Input{Table: table("city varchar, rides bigint, fare double", []any{"Oslo", int64(5), 2.5}), Limited: true, Order: by(true)}, "Oslo has the highest rides: 5. Fare is 2.5."},
		"its id beside its name": {
			analyse.Input{Table: table("seller_id bigint, gmv bigint, seller_name varchar", []any{int64(51), int64(5), "Kim"}), Limited: true, Order: by(true)}, "Kim has the highest GMV: 5. Seller ID is 51.",
		},
		"its id alone":    {analyse.Input{Table: table("seller_id bigint, gmv bigint, orders bigint", []any{int64(51), int64(5), int64(2)}), Limited: true, Order: by(true)}, "seller ID 51 has the highest GMV: 5. Orders are 2."},
		"by two names":    {analyse.Input{Table: table("city varchar, gmv bigint, driver varchar", []any{"Oslo", int64(5), "Kim"}), Limited: true, Order: by(true)}, "Oslo: GMV is 5 and driver is Kim."},
		"of a comparison": {analyse.Input{Table: table("city varchar, gmv bigint, previous_gmv bigint, gmv_change bigint", []any{"Oslo", int64(5), int64(3), int64(2)}), Limited: true, Order: by(true)}, "Oslo: GMV is 5, 2 more than in the compared period (3)."},
	} {
		require.Contains(t, analysed(t, c.in).Answer, c.want, name)
	}
}

// days makes a series by day, the last of which is that of the run or as many days before.
func days(n, ago int, value func(i int) any) result.Table {
	first := now.AddDate(0, 0, -ago-n+1)
	out := table("day date, rides bigint")
	for i := range n {
		out.Rows = append(out.Rows, []any{first.AddDate(0, 0, i).Format(time.DateOnly), value(i)})
	}
	return out
}

// TestShapesOfResults: what a result is taken for shows in its answer and its chart.
func TestShapesOfResults(t *testing.T) {
	t.Parallel()
	const ranking, series, plain = "has the highest", "in total", "rows with"
	for name, c := range map[string]struct {
		in    analyse.Input
		says  string
		chart chart.Kind
	}{
		"one day of many cities":  {analyse.Input{Table: table("day date, city varchar, rides bigint", []any{"2026-11-01", "Oslo", int64(5)}, []any{"2026-11-01", "Rome", int64(3)})}, "Oslo " + ranking, chart.Bar},
		"days":                    {analyse.Input{Table: days(3, 1, func(i int) any { return int64(i + 1) })}, series, chart.Line},
		"a day twice":             {analyse.Input{Table: table("day date, rides bigint", []any{"2026-11-01", int64(5)}, []any{"2026-11-01", int64(3)})}, plain, chart.Table},
		"a day that is missing":   {analyse.Input{Table: table("day date, rides bigint", []any{"2026-11-01", int64(5)}, []any{nil, int64(3)})}, plain, chart.Table},
		"days of cities":          {analyse.Input{Table: table("day date, city varchar, rides bigint", []any{"2026-11-01", "Oslo", int64(5)}, []any{"2026-11-02", "Oslo", int64(3)})}, "8 in total, all of it with Oslo as city", chart.Line},
		"a city twice on a day":   {analyse.Input{Table: table("day date, city varchar, rides bigint", []any{"2026-11-01", "Oslo", int64(5)}, []any{"2026-11-01", "Oslo", int64(3)}, []any{"2026-11-02", "Oslo", int64(3)})}, plain, chart.Table},
		"two times":               {analyse.Input{Table: table("opened date, closed date, rides bigint", []any{"2026-11-01", "2026-11-02", int64(5)}, []any{"2026-11-02", "2026-11-03", int64(3)})}, plain, chart.Table},
		"a list beside":           {analyse.Input{Table: table("day date, tags array(varchar), rides bigint", []any{"2026-11-01", []any{"a"}, int64(5)}, []any{"2026-11-02", nil, int64(3)})}, plain, chart.Table},
		"years":                   {analyse.Input{Table: table("year bigint, rides bigint", []any{int64(2024), int64(5)}, []any{int64(2025), int64(3)})}, "from 2024 to 2025", chart.Line},
		"numbers that are years":  {analyse.Input{Table: table("rides bigint, fare double", []any{int64(2024), 5.0}, []any{int64(2025), 3.0}, []any{int64(2026), 4.0})}, plain, chart.Scatter},
		"a year beyond":           {analyse.Input{Table: table("year bigint, rides bigint", []any{int64(2024), int64(5)}, []any{int64(2525), int64(3)})}, plain, chart.Table},
		"months as texts":         {analyse.Input{Table: table("m varchar, rides bigint", []any{"2026-08", int64(5)}, []any{"2026-09", int64(3)})}, "Aug 2026 to Sep 2026", chart.Line},
		"a text among months":     {analyse.Input{Table: table("m varchar, rides bigint", []any{"2026-08", int64(5)}, []any{"all", int64(3)})}, "2026-08 " + ranking, chart.Bar},
		"texts that are missing":  {analyse.Input{Table: table("m varchar, rides bigint", []any{nil, int64(5)}, []any{nil, int64(3)})}, plain, chart.Table},
		"numbers of a calendar":   {analyse.Input{Table: table("hour bigint, rides bigint", []any{int64(8), int64(5)}, []any{int64(9), int64(3)})}, "hour 8 " + ranking, chart.Bar},
		"figures of a calendar":   {analyse.Input{Table: table("hour bigint, rides bigint", []any{int64(8), int64(5)}, []any{int64(9), int64(3)}, []any{int64(9), int64(4)}), Columns: []analyse.Column{{Figure: true}, {}}}, plain, chart.Scatter},
		"ids":                     {analyse.Input{Table: table("driver_id bigint, rides bigint", []any{int64(1008), int64(5)}, []any{int64(1009), int64(3)})}, "driver ID 1008 " + ranking, chart.Bar},
		"a text before an id":     {analyse.Input{Table: table("driver_id bigint, city varchar, rides bigint", []any{int64(1), "Oslo", int64(5)}, []any{int64(2), "Rome", int64(3)})}, "Oslo " + ranking, chart.Bar},
		"a name before a code":    {analyse.Input{Table: table("city_code varchar, city varchar, rides bigint", []any{"O", "Oslo", int64(5)}, []any{"R", "Rome", int64(3)})}, "Oslo " + ranking, chart.Bar},
		"the first that is once":  {analyse.Input{Table: table("country varchar, city varchar, rides bigint", []any{"x", "Oslo", int64(5)}, []any{"x", "Rome", int64(3)})}, "Oslo " + ranking, chart.Bar},
		"two that cross":          {analyse.Input{Table: table("city varchar, kind varchar, rides bigint", []any{"Oslo", "a", int64(5)}, []any{"Oslo", "b", int64(3)}, []any{"Rome", "a", int64(3)}, []any{"Rome", "b", int64(3)})}, plain, chart.Heatmap},
		"two that cross seldom":   {analyse.Input{Table: table("city varchar, kind varchar, rides bigint", []any{"Oslo", "a", int64(5)}, []any{"Oslo", "b", int64(3)}, []any{"Rome", "a", int64(3)}, []any{"Bern", "c", int64(3)}, []any{"Kiel", "d", int64(3)}, []any{"Kiel", "e", int64(3)}, []any{"Linz", "f", int64(3)})}, plain, chart.Table},
		"the first by a figure":   {analyse.Input{Table: days(3, 1, func(i int) any { return int64(9 - i) }), Limited: true, Order: &analyse.Order{Column: 1, Desc: true}}, ranking, chart.Bar},
		"the first by their time": {analyse.Input{Table: days(3, 1, func(i int) any { return int64(9 - i) }), Limited: true, Order: &analyse.Order{Column: 0, Desc: true}}, series, chart.Line},
		"cut off in no order":     {analyse.Input{Table: table("city varchar, rides bigint", []any{"Oslo", int64(5)}, []any{"Rome", int64(3)}), Limited: true}, "first 2 " + plain, chart.Table},
		"a truth":                 {analyse.Input{Table: table("late boolean, rides bigint", []any{true, int64(5)}, []any{false, int64(3)})}, ranking, chart.Bar},
		"the newest of each":      {analyse.Input{Table: table("newest date, rides bigint", []any{"2026-11-01", int64(5)}, []any{"2026-11-02", int64(3)}), Columns: []analyse.Column{{Aggregate: analyse.AggregateOther}, {}}}, plain, chart.Table},
		"the last name of each":   {analyse.Input{Table: table("last varchar, rides bigint", []any{"2026-11-01", int64(5)}, []any{"2026-11-02", int64(3)}), Columns: []analyse.Column{{Aggregate: analyse.AggregateOther}, {}}}, ranking, chart.Bar},
	} {
		out := analysed(t, c.in)
		require.Contains(t, out.Answer, c.says, name)
		require.Equal(t, c.chart, out.Chart.Kind, "%s: %s", name, out.Answer)
		require.True(t, out.Chart.Option == "" || json.Valid([]byte(out.Chart.Option)), name)
	}
}

// TestSumsAreNoAverages: of several series the totals are told where values add up, the
// last period where they do not, whatever else can be said of them.
func TestSumsAreNoAverages(t *testing.T) {
	t.Parallel()
	by := func(cities int, values ...float64) result.Table {
		out := table("day date, city varchar, moved double")
		for i := range cities {
			for d, v := range values {
				out.Rows = append(out.Rows, []any{fmt.Sprintf("2026-11-0%d", d+1), fmt.Sprint("c", i), v - float64(i)})
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		table     result.Table
		aggregate string
		want      string
	}{
		"one, a sum":            {by(1, 5, 3), analyse.AggregateSum, "Moved from 1 Nov 2026 to 2 Nov 2026: 8 in total, all of it with c0 as city."},
		"one, an average":       {by(1, 5, 3), analyse.AggregateOther, "Moved from 1 Nov 2026 to 2 Nov 2026: most recently (2 Nov 2026), only c0 has a value as city, 3."},
		"two, sums":             {by(2, 5, 3), analyse.AggregateSum, "Moved from 1 Nov 2026 to 2 Nov 2026 over 2 values of city: 14 in total; c0 has the most, 8 (57.1%)."},
		"two, one below zero":   {by(2, 1, -1), analyse.AggregateSum, "Moved from 1 Nov 2026 to 2 Nov 2026 over 2 values of city: -2 in total; c0 has the most, 0, and c1 the least, -2."},
		"two, averages":         {by(2, 5, 3), analyse.AggregateOther, "Moved from 1 Nov 2026 to 2 Nov 2026 for 2 values of city: most recently (2 Nov 2026), c0 has the highest, 3, and c1 the lowest, 2."},
		"two, different things": {by(2, 5, 3), analyse.AggregateCountDistinct, "Moved from 1 Nov 2026 to 2 Nov 2026 for 2 values of city: most recently (2 Nov 2026), c0 has the highest, 3, and c1 the lowest, 2."},
	} {
		in := analyse.Input{Table: c.table, Columns: []analyse.Column{{}, {}, {Aggregate: c.aggregate, Label: "moved"}}}
		require.Equal(t, c.want, analysed(t, in).Answer, name)
	}
}

// TestPeriodsOfAnAxis: the coarsest period whose beginnings all points are; of two points
// a month only where the column says so.
func TestPeriodsOfAnAxis(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		column string
		at     []string
		want   string // of the answer's span and its periods
	}{
		"hours":                      {"at timestamp(3)", []string{"2026-11-01 08:00:00", "2026-11-01 09:00:00", "2026-11-01 11:00:00"}, "3 hours"},
		"minutes":                    {"at timestamp(3)", []string{"2026-11-01 08:00:00", "2026-11-01 08:30:00"}, "2 points"},
		"seconds":                    {"at timestamp(3)", []string{"2026-11-01 08:00:01", "2026-11-01 09:00:01"}, "2 points"},
		"midnights":                  {"at timestamp(3)", []string{"2026-11-01 00:00:00", "2026-11-02 00:00:00", "2026-11-04 00:00:00"}, "3 days"},
		"days":                       {"day date", []string{"2026-11-01", "2026-11-02", "2026-11-04"}, "3 days"},
		"weeks":                      {"day date", []string{"2026-11-02", "2026-11-09", "2026-11-16"}, "3 weeks"},
		"weeks, one left out":        {"day date", []string{"2026-10-26", "2026-11-02", "2026-11-16"}, "3 weeks"},
		"two days, a week apart":     {"day date", []string{"2026-11-02", "2026-11-09"}, "2 days"},
		"weeks over a clock change":  {"day date", []string{"2026-10-19", "2026-10-26", "2026-11-02"}, "3 weeks"},
		"months":                     {"day date", []string{"2026-08-01", "2026-09-01", "2026-11-01"}, "3 months"},
		"two firsts of months":       {"day date", []string{"2026-08-01", "2026-09-01"}, "2 days"},
		"two years":                  {"period date", []string{"2023-01-01", "2024-01-01"}, "2 years"},
		"two years by name":          {"order_year date", []string{"2023-01-01", "2024-01-01"}, "2 years"},
		"two days, a year apart":     {"day date", []string{"2023-01-01", "2024-01-01"}, "2 days"},
		"two quarters by name":       {"quarter date", []string{"2026-01-01", "2026-04-01"}, "2 quarters"},
		"two weeks by name":          {"week date", []string{"2026-11-02", "2026-11-09"}, "2 weeks"},
		"months of a date":           {"order_date_month date", []string{"2026-08-01", "2026-09-01"}, "2 months"},
		"named amiss":                {"month date", []string{"2026-08-02", "2026-09-01"}, "2 days"},
		"two months by name":         {"Order_Month date", []string{"2026-08-01", "2026-09-01"}, "2 months"},
		"quarters":                   {"day date", []string{"2026-01-01", "2026-04-01", "2026-10-01"}, "3 quarters"},
		"quarters in months by name": {"month date", []string{"2026-01-01", "2026-04-01", "2026-10-01"}, "3 months"},
		"years":                      {"day date", []string{"2023-01-01", "2024-01-01", "2026-01-01"}, "3 years"},
		"not all firsts":             {"day date", []string{"2026-08-01", "2026-09-01", "2026-11-02"}, "3 days"},
		"years as texts":             {"y varchar", []string{"2023", "2024", "2026"}, "2026 has the highest"},
	} {
		in := analyse.Input{Table: table(c.column + ", rides bigint"), Now: now.AddDate(1, 0, 0)}
		for i, at := range c.at {
			in.Table.Rows = append(in.Table.Rows, []any{at, int64(i + 1)})
		}
		slices.Reverse(in.Table.Rows) // in whatever order
		require.Contains(t, analysed(t, in).Answer, c.want, name)
	}
}

// TestFindingsOfDays: at which number of days, and at which changes, something is told.
func TestFindingsOfDays(t *testing.T) {
	t.Parallel()
	two := func(first, last int64) func(i int) any {
		return func(i int) any { return []any{first, last}[i] }
	}
	for name, c := range map[string]struct {
		table result.Table
		kinds []string
	}{
		"two":                     {days(2, 1, two(100, 195)), nil},
		"from nothing":            {days(2, 1, two(0, 95)), []string{"zero_periods"}},
		"one":                     {days(1, 1, func(int) any { return int64(5) }), nil},
		"seven, one far off":      {days(7, 1, func(i int) any { return int64(100 + 900*(i/6)) }), nil},
		"nothing on half of them": {days(4, 1, func(i int) any { return []any{int64(100), int64(0), int64(100), int64(0)}[i] }), []string{"zero_periods"}},
		"nothing on most":         {days(5, 1, func(i int) any { return []any{int64(100), int64(0), int64(0), int64(100), int64(0)}[i] }), nil},
		"few things, one zero":    {days(5, 1, func(i int) any { return []any{int64(3), int64(0), int64(2), int64(4), int64(2)}[i] }), nil},
	} {
		require.Equal(t, c.kinds, findingsOf(analysed(t, analyse.Input{Table: c.table})), name)
	}
}

// TestShortCoursesSayTheirEnds: a course with too few points for a test of trends is told
// by its first and last whole period, in the headline, where they differ by 5 % or more.
func TestShortCoursesSayTheirEnds(t *testing.T) {
	t.Parallel()
	two := func(first, last int64) func(i int) any {
		return func(i int) any { return []any{first, last}[i] }
	}
	for name, c := range map[string]struct {
		in   analyse.Input
		want string // after the first sentence
	}{
		"a rise of 5 %":      {analyse.Input{Table: days(2, 1, two(100, 105))}, " First to last: up 5%, from 100 to 105."},
		"of less":            {analyse.Input{Table: days(2, 1, two(1000, 1049))}, ""},
		"a fall":             {analyse.Input{Table: days(2, 1, two(100, 95))}, " First to last: down 5%, from 100 to 95."},
		"from nothing":       {analyse.Input{Table: days(2, 1, two(0, 95))}, " First to last: from 0 to 95."},
		"of percentages":     {analyse.Input{Table: days(2, 1, two(10, 20)), Columns: []analyse.Column{{}, {Unit: "%"}}}, " First to last: from 10% to 20%."},
		"today is left out":  {analyse.Input{Table: days(3, 0, func(i int) any { return []any{int64(100), int64(120), int64(5)}[i] })}, " 18 Nov 2026 to 19 Nov 2026: up 20%, from 100 to 120."},
		"seven":              {analyse.Input{Table: days(7, 1, func(i int) any { return int64(100 + i) })}, " First to last: up 6%, from 100 to 106."},
		"eight are a course": {analyse.Input{Table: days(8, 1, func(i int) any { return int64(100 + i) })}, ""},
	} {
		answer := analysed(t, c.in).Answer
		if c.want == "" {
			require.NotContains(t, answer, "First to last", name)
		}
		require.True(t, strings.HasSuffix(answer, c.want), "%s: %s", name, answer)
	}
}

// TestMissingAndLatePeriods: what has no row is missing from the first that was asked for
// on, where that is a whole number of periods before; data are late where the last period
// that is over is not there.
func TestMissingAndLatePeriods(t *testing.T) {
	t.Parallel()
	day := func(m time.Month, d int) time.Time { return time.Date(2026, m, d, 0, 0, 0, 0, time.UTC) }
	at := func(column string, moments ...time.Time) result.Table {
		out := table(column + " date, rides bigint")
		for i, m := range moments {
			out.Rows = append(out.Rows, []any{m.Format(time.DateOnly), int64(10 + i)})
		}
		return out
	}
	for name, c := range map[string]struct {
		in      analyse.Input
		missing float64
		kind    string
		late    string
	}{
		"none":                         {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 3))}, 0, "", ""},
		"one inside":                   {analyse.Input{Table: at("day", day(11, 1), day(11, 3), day(11, 4))}, 1, "missing_days", ""},
		"before, as asked":             {analyse.Input{Table: at("day", day(11, 3), day(11, 4), day(11, 5)), Asked: analyse.Range{From: day(11, 1)}}, 2, "missing_days", ""},
		"before, in the middle":        {analyse.Input{Table: at("day", day(11, 3), day(11, 4), day(11, 5)), Asked: analyse.Range{From: day(11, 1).Add(time.Hour)}}, 0, "", ""},
		"after what was asked":         {analyse.Input{Table: at("day", day(11, 3), day(11, 4), day(11, 5)), Asked: analyse.Range{From: day(11, 4)}}, 0, "", ""},
		"months before":                {analyse.Input{Table: at("month", day(5, 1), day(6, 1), day(8, 1)), Asked: analyse.Range{From: day(3, 1)}}, 3, "missing_months", ""},
		"weeks are not looked for":     {analyse.Input{Table: at("day", day(10, 19), day(10, 26), day(11, 2)), Asked: analyse.Range{From: day(10, 5)}}, 0, "", ""},
		"a week inside":                {analyse.Input{Table: at("day", day(10, 5), day(10, 19), day(10, 26), day(11, 2))}, 1, "missing_weeks", ""},
		"half":                         {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 6))}, 3, "missing_days", ""},
		"more than half":               {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 7))}, 0, "", ""},
		"late":                         {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 3)), Asked: analyse.Range{To: day(11, 6)}}, 0, "", "5 Nov 2026"},
		"in time":                      {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 3)), Asked: analyse.Range{To: day(11, 4)}}, 0, "", ""},
		"today need not be there":      {analyse.Input{Table: at("day", day(11, 18), day(11, 19)), Asked: analyse.Range{To: day(12, 1)}}, 0, "", ""},
		"yesterday has to":             {analyse.Input{Table: at("day", day(11, 17), day(11, 18)), Asked: analyse.Range{To: day(12, 1)}}, 0, "", "19 Nov 2026"},
		"late, but limited":            {analyse.Input{Table: at("day", day(11, 1), day(11, 2), day(11, 3)), Asked: analyse.Range{To: day(11, 6)}, Limited: true}, 0, "", ""},
		"a month that is not over":     {analyse.Input{Table: at("month", day(8, 1), day(9, 1), day(10, 1)), Asked: analyse.Range{To: day(12, 1)}}, 0, "", ""},
		"a month that is over":         {analyse.Input{Table: at("month", day(7, 1), day(8, 1), day(9, 1)), Asked: analyse.Range{To: day(12, 1)}}, 0, "", "Oct 2026"},
		"one point tells of no period": {analyse.Input{Table: at("day", day(11, 1)), Asked: analyse.Range{From: day(10, 1), To: day(11, 6)}}, 0, "", ""},
	} {
		out := analysed(t, c.in)
		var missing float64
		kind := ""
		for _, f := range out.Findings {
			if strings.HasPrefix(f.Kind, "missing_") {
				kind, missing = f.Kind, f.Evidence["missing"]
			}
		}
		require.Equal(t, []any{c.missing, c.kind}, []any{missing, kind}, name)
		require.Equal(t, c.missing > 0, slices.Contains(warningsOf(out), analyse.WarnMissing), name)
		late := ""
		for _, w := range out.Warnings {
			if w.Code == analyse.WarnLate {
				late = w.Message
			}
		}
		require.Equal(t, c.late == "", late == "", "%s: %s", name, late)
		require.Contains(t, late, c.late, name)
	}
}

// TestPartsOfPeriodsAreSaid: one that is going on is not over, and not said to be cut as
// well; those that the range cuts are named, each once.
func TestPartsOfPeriodsAreSaid(t *testing.T) {
	t.Parallel()
	month := func(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		months []time.Month
		asked  analyse.Range
		want   []string
	}{
		"whole":               {[]time.Month{8, 9, 10}, analyse.Range{}, nil},
		"going on":            {[]time.Month{9, 10, 11}, analyse.Range{}, []string{"Nov 2026 is not over yet"}},
		"going on, and cut":   {[]time.Month{9, 10, 11}, analyse.Range{To: month(11).AddDate(0, 0, 9)}, []string{"Nov 2026 is not over yet"}},
		"the first is cut":    {[]time.Month{8, 9, 10}, analyse.Range{From: month(8).AddDate(0, 0, 9)}, []string{"Only a part of Aug 2026"}},
		"the last is cut":     {[]time.Month{8, 9, 10}, analyse.Range{To: month(10).AddDate(0, 0, 9)}, []string{"Only a part of Oct 2026"}},
		"both":                {[]time.Month{8, 9, 10}, analyse.Range{From: month(8).AddDate(0, 0, 9), To: month(10).AddDate(0, 0, 9)}, []string{"Only a part of Aug 2026 and Oct 2026"}},
		"asked as it is":      {[]time.Month{8, 9, 10}, analyse.Range{From: month(8), To: month(11)}, nil},
		"one that is cut off": {[]time.Month{9, 10, 11}, analyse.Range{From: month(9).AddDate(0, 0, 9)}, []string{"Nov 2026 is not over yet", "Only a part of Sep 2026"}},
	} {
		in := analyse.Input{Table: table("month date, rides bigint"), Asked: c.asked}
		for i, m := range c.months {
			in.Table.Rows = append(in.Table.Rows, []any{month(m).Format(time.DateOnly), int64(10 + i)})
		}
		var told []string
		for _, w := range analysed(t, in).Warnings {
			if w.Code == analyse.WarnIncomplete {
				told = append(told, w.Message)
			}
		}
		require.Len(t, told, len(c.want), name)
		for i := range told {
			require.Contains(t, told[i], c.want[i], name)
		}
	}
}

// TestCurrenciesOfNames: the last part of a name of several tells a currency.
func TestCurrenciesOfNames(t *testing.T) {
	t.Parallel()
	analyst := analystFor(t)
	for name, want := range map[string]string{
		"gmv_usd": "USD", "gmvUSD": "USD", "gmv usd": "USD", "total_gmv_brl": "BRL", "usd": "", "USD": "", "usd_gmv": "", "gmv": "", "gmv_usdx": "", "gmv_": "", "": "", "usd_eur": "EUR",
	} {
		require.Equal(t, want, analyst.CurrencyOf(name), name)
	}
}

// TestWantedCharts are drawn where the result can be drawn so, else the one that fits.
func TestWantedCharts(t *testing.T) {
	t.Parallel()
	cities := func(n int, value func(i int) any) result.Table {
		out := table("city varchar, rides bigint, fare double")
		for i := range n {
			out.Rows = append(out.Rows, []any{fmt.Sprint("c", i), value(i), float64(i)})
		}
		return out
	}
	up := func(i int) any { return int64(i + 1) }
	byCity := func(n int, value int64) result.Table {
		out := table("day date, city varchar, rides bigint")
		for i := range n {
			for d := range 2 {
				out.Rows = append(out.Rows, []any{fmt.Sprintf("2026-11-0%d", d+1), fmt.Sprint("c", i), value})
			}
		}
		return out
	}
	rate := []analyse.Column{{}, {}, {Aggregate: analyse.AggregateOther}}
	for name, c := range map[string]struct {
		in   analyse.Input
		want chart.Kind
		got  chart.Kind
	}{
		"a pie of eight":              {analyse.Input{Table: cities(8, up)}, chart.Pie, chart.Pie},
		"of nine, with a rest":        {analyse.Input{Table: cities(9, up)}, chart.Pie, chart.Pie},
		"of one":                      {analyse.Input{Table: cities(1, up)}, chart.Pie, chart.Table},
		"of negative parts":           {analyse.Input{Table: cities(3, func(i int) any { return int64(i - 1) })}, chart.Pie, chart.Bar},
		"of what is there":            {analyse.Input{Table: cities(3, func(int) any { return nil })}, chart.Pie, chart.Pie},
		"of a part of the rows":       {analyse.Input{Table: cities(3, up), Limited: true, Order: &analyse.Order{Column: 1, Desc: true}}, chart.Pie, chart.Bar},
		"of averages":                 {analyse.Input{Table: cities(3, up), Columns: []analyse.Column{{}, {Aggregate: analyse.AggregateOther}, {}}}, chart.Pie, chart.Bar},
		"a scatter of three":          {analyse.Input{Table: cities(3, up)}, chart.Scatter, chart.Scatter},
		"of two":                      {analyse.Input{Table: cities(2, up)}, chart.Scatter, chart.Bar},
		"of a series":                 {analyse.Input{Table: days(5, 1, up)}, chart.Scatter, chart.Line},
		"bars of a series":            {analyse.Input{Table: days(5, 1, up)}, chart.Bar, chart.Bar},
		"bars of fifty":               {analyse.Input{Table: cities(50, up)}, chart.Bar, chart.Bar},
		"of fifty-one, with a rest":   {analyse.Input{Table: cities(51, up)}, chart.Bar, chart.Bar},
		"of fifty-one, by itself":     {analyse.Input{Table: cities(51, up)}, chart.None, chart.Scatter},
		"a line of cities":            {analyse.Input{Table: cities(3, up)}, chart.Line, chart.Bar},
		"a stack of twelve":           {analyse.Input{Table: byCity(12, 5)}, chart.StackedBar, chart.StackedBar},
		"of thirteen, with a rest":    {analyse.Input{Table: byCity(13, 5)}, chart.StackedBar, chart.StackedBar},
		"of negative ones":            {analyse.Input{Table: byCity(3, -5)}, chart.StackedBar, chart.Line},
		"of averages by day":          {analyse.Input{Table: byCity(3, 5), Columns: rate}, chart.StackedBar, chart.Line},
		"a number of many":            {analyse.Input{Table: cities(3, up)}, chart.BigNumber, chart.Bar},
		"a number":                    {analyse.Input{Table: table("rides bigint", []any{int64(5)})}, chart.Table, chart.Table},
		"a number that is missing":    {analyse.Input{Table: table("rides bigint", []any{nil})}, chart.BigNumber, chart.Table},
		"a table of anything":         {analyse.Input{Table: cities(3, up)}, chart.Table, chart.Table},
		"nothing wanted":              {analyse.Input{Table: cities(3, up)}, chart.None, chart.Bar},
		"a heat map of one dimension": {analyse.Input{Table: cities(3, up)}, chart.Heatmap, chart.Bar},
	} {
		c.in.Wanted = c.want
		out := analysed(t, c.in)
		require.Equal(t, c.got, out.Chart.Kind, name)
		require.Equal(t, c.got == chart.Table, out.Chart.Option == "", name)
	}
}

// TestWishesInWords are followed, or declined with the reason in the language of the answer.
func TestWishesInWords(t *testing.T) {
	t.Parallel()
	cities := table("city varchar, price double", []any{"Oslo", 3.5}, []any{"Rome", 4.5}, []any{"Bern", 2.5})
	average := []analyse.Column{{}, {Aggregate: analyse.AggregateOther}}
	out := analysed(t, analyse.Input{Table: cities, Question: "prices by city as a pie chart", Language: lang.English})
	require.Equal(t, chart.Bar, out.Chart.Kind, "prices do not add up")
	require.Equal(t, []analyse.Warning{{Code: analyse.WarnDeclined, Message: "No pie chart is drawn: the values do not add up to a whole. It is shown as a bar chart instead."}}, out.Warnings)
	require.NotEmpty(t, out.Chart.Reason)
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	out = analyst.Analyse(analyse.Input{Table: cities, Columns: average, Question: "用饼图显示各城市的平均价格", Language: lang.Chinese, Now: now, MaxPoints: 100})
	require.Equal(t, "未绘制饼图：这些值相加没有意义，不构成整体。改用柱状图显示。", out.Warnings[0].Message)
	sums := table("city varchar, rides bigint", []any{"Oslo", int64(3)}, []any{"Rome", int64(4)})
	out = analysed(t, analyse.Input{Table: sums, Question: "rides by city as a pie chart"})
	require.Equal(t, chart.Pie, out.Chart.Kind)
	require.Empty(t, out.Warnings)
	require.Equal(t, chart.Bar, out.Chart.Others[0].Kind)
	// What the caller says counts before the words.
	require.Equal(t, chart.Bar, analysed(t, analyse.Input{Table: sums, Question: "rides by city as a pie chart", Wanted: chart.Bar}).Chart.Kind)
}

// TestTheRestIsGrouped: at most twelve series, eight slices and fifty bars, of which the
// last is the sum of the others; what does not add up has no such sum, and says so.
func TestTheRestIsGrouped(t *testing.T) {
	t.Parallel()
	names := func(n int) result.Table {
		out := table("city varchar, rides bigint")
		for i := range n {
			out.Rows = append(out.Rows, []any{fmt.Sprint("c", i), int64(i + 1)})
		}
		return out
	}
	read := func(out analyse.Output) chart.Spec {
		spec, err := chart.ReadOption(out.Chart.Option)
		require.NoError(t, err)
		return spec
	}
	pie := read(analysed(t, analyse.Input{Table: names(20), Wanted: chart.Pie}))
	require.Len(t, pie.X.Labels, 8)
	require.Equal(t, "13 others", pie.X.Labels[7])
	require.InDelta(t, 91, pie.Series[0].Values[7], 0, "1 to 13")
	require.Equal(t, "c13", pie.X.Labels[0], "the greatest stay in their order")
	bars := read(analysed(t, analyse.Input{Table: names(80), Wanted: chart.Bar}))
	require.Len(t, bars.X.Labels, 50)
	require.True(t, bars.Horizontal)

	by := table("day date, city varchar, rides bigint")
	for i := range 20 {
		for d := range 3 {
			by.Rows = append(by.Rows, []any{fmt.Sprintf("2026-11-0%d", d+1), fmt.Sprint("c", i), int64(i + 1)})
		}
	}
	lines := read(analysed(t, analyse.Input{Table: by}))
	require.Len(t, lines.Series, chart.MaxSeries)
	require.Equal(t, chart.Series{Name: "9 others", Values: []float64{45, 45, 45}}, lines.Series[11])
	out := analysed(t, analyse.Input{Table: by, Columns: []analyse.Column{{}, {}, {Aggregate: analyse.AggregateOther}}, Wanted: chart.Line})
	require.Len(t, read(out).Series, chart.MaxSeries)
	require.Equal(t, "c8", read(out).Series[0].Name)
	require.Equal(t, analyse.WarnChartPart, out.Warnings[0].Code)
}

// TestFractionsAreChartedAsPercent, with the sign in the axis and in the words.
func TestFractionsAreChartedAsPercent(t *testing.T) {
	t.Parallel()
	out := analysed(t, analyse.Input{
		Table:   table("day date, rate double", []any{"2026-11-01", 0.12}, []any{"2026-11-02", 0.5}, []any{"2026-11-03", 0.25}),
		Columns: []analyse.Column{{}, {Unit: analyse.UnitFraction}}, Language: lang.English,
	})
	spec, err := chart.ReadOption(out.Chart.Option)
	require.NoError(t, err)
	require.Equal(t, chart.Percent, spec.Y.Name)
	require.InDeltaSlice(t, []float64{12, 50, 25}, spec.Series[0].Values, 1e-9)
	require.Contains(t, out.Chart.Alt, "Lowest 12% (2026-11-01), highest 50% (2026-11-02)")
}

// TestMeasuresOnOneAxis are those of one unit and of about one size.
func TestMeasuresOnOneAxis(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		peaks []float64
		units []string
		want  int
	}{
		"alike": {[]float64{100, 90}, []string{"", ""}, 2}, "forty-nine times": {[]float64{100, 4900}, []string{"", ""}, 2}, "fifty times": {[]float64{100, 5000}, []string{"", ""}, 1},
		"a fiftieth": {[]float64{5000, 100}, []string{"", ""}, 1}, "of another unit": {[]float64{100, 90}, []string{"USD", ""}, 1}, "of one unit": {[]float64{100, 90}, []string{"USD", "USD"}, 2},
		"nothing": {[]float64{100, 0}, []string{"", ""}, 1}, "below zero": {[]float64{100, -90}, []string{"", ""}, 2}, "thirteen": {slices.Repeat([]float64{5}, 13), make([]string, 13), 12},
	} {
		in := analyse.Input{Table: table("city varchar"), Columns: []analyse.Column{{}}}
		rows := [][]any{{"Oslo"}, {"Rome"}}
		for i, peak := range c.peaks {
			in.Table.Columns = append(in.Table.Columns, result.Column{Name: fmt.Sprint("m", i), Type: "double"})
			in.Columns = append(in.Columns, analyse.Column{Unit: c.units[i]})
			rows[0], rows[1] = append(rows[0], 0.0), append(rows[1], peak)
		}
		in.Table.Rows = rows
		require.Len(t, analysed(t, in).Chart.Y, c.want, name)
	}
}
