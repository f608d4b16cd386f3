package chatbi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

func may(day int) time.Time { return time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC) }

func days(from, to int) explain.Period { return explain.Period{From: may(from), To: may(to)} }

// rowsOf is a statement's rows; the types are those of its columns.
func rowsOf(types []string, rows ...[]any) result.Table {
	t := result.Table{Rows: rows}
	for _, name := range types {
		t.Columns = append(t.Columns, result.Column{Name: "c", Type: name})
	}
	return t
}

var cellTypes = []string{"bigint", "varchar", "double", "double", "bigint", "varchar"}

func stepOf(role ChangeRole, t result.Table) changeStep {
	return changeStep{ChangeStatement: ChangeStatement{Role: role}, table: t}
}

func readOf(t *testing.T, plan ChangePlan, steps ...changeStep) changeRead {
	t.Helper()
	c := &changeRun{query: ChangeQuery{Plan: plan}, steps: steps}
	read, err := c.read(t.Context())
	require.NoError(t, err)
	return read
}

func amount(before, after, baseBefore, baseAfter float64) explain.Amount {
	return explain.Amount{Value: explain.Pair{Before: before, After: after}, Base: explain.Pair{Before: baseBefore, After: baseAfter}}
}

// courseOf has a row for each of some days of May.
func courseOf(on ...int) result.Table {
	t := rowsOf([]string{"date", "double", "double"})
	for _, d := range on {
		t.Rows = append(t.Rows, []any{may(d).Format(time.DateOnly), float64(10 * d), float64(d)})
	}
	return t
}

// TestTheCellsOfAChange: rows of the whole and of groups are told apart, both periods and
// bases are kept, rows of one group add up, and what has no value has a name.
func TestTheCellsOfAChange(t *testing.T) {
	t.Parallel()
	plan := ChangePlan{Kind: explain.Ratio, Before: days(1, 4), After: days(4, 7), Dimensions: []ChangeItem{{ID: "city"}}}
	cells := rowsOf(cellTypes,
		[]any{int64(1), "before", 60.0, 6.0, int64(3), nil}, []any{int64(1), "after", 90.0, 9.0, int64(3), nil},
		[]any{int64(0), "before", 20.0, 2.0, int64(3), "Oslo"}, []any{int64(0), "after", 50.0, 5.0, int64(3), "Oslo"},
		[]any{int64(0), "before", 40.0, 4.0, int64(3), nil}, []any{int64(0), "after", 30.0, 3.0, int64(3), nil},
		[]any{int64(0), "after", 10.0, 1.0, int64(3), nil})
	read := readOf(t, plan, stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(6, 1, 2, 3, 4, 5)))
	require.Equal(t, amount(60, 90, 6, 9), read.input.Total)
	require.Equal(t, []explain.Cell{{Keys: []string{"Oslo"}, Amount: amount(20, 50, 2, 5)}, {Keys: []string{"(null)"}, Amount: amount(40, 40, 4, 4)}}, read.input.Cells)
	require.Equal(t, []string{"city"}, read.input.Dimensions)
	require.False(t, read.input.Truncated)
	require.False(t, read.perDay)
	require.False(t, read.gaps.any())
	require.Len(t, read.input.Daily, 6)
	for i, d := range read.input.Daily {
		require.Equal(t, explain.Day{Date: may(i + 1), Value: float64(10 * (i + 1)), Base: float64(i + 1)}, d, "in order, with its base")
	}

	cells.Truncated = true // a group that was cut off in one period is not zero there
	cells.Rows = append(cells.Rows, []any{int64(0), "before", 5.0, 1.0, int64(3), "Bergen"}, []any{int64(0), "after", 5.0, 1.0, int64(3), "Moss"})
	read = readOf(t, plan, stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(1, 2, 3, 4, 5, 6)))
	require.True(t, read.input.Truncated)
	require.Len(t, read.input.Cells, 2)
}

// TestThingsWithSeveralValues: a dimension of which too many things have several values in
// either period splits nothing, the cells of the others are summed over it, and what is
// the same all day long is an event whatever its values.
func TestThingsWithSeveralValues(t *testing.T) {
	t.Parallel()
	plan := ChangePlan{
		Kind: explain.Distinct, Before: days(1, 4), After: days(4, 7), Dimensions: []ChangeItem{{ID: "sale"}, {ID: "city"}, {ID: "size"}},
	}
	types := []string{"bigint", "varchar", "double", "double", "bigint", "varchar", "varchar", "varchar", "bigint", "bigint", "bigint"}
	cellsOf := func(cities, sizesBefore, sizesAfter int64) result.Table {
		return rowsOf(types,
			[]any{int64(1), "before", 100.0, nil, nil, nil, nil, nil, int64(50), cities, sizesBefore},
			[]any{int64(1), "after", 100.0, nil, nil, nil, nil, nil, int64(50), cities, sizesAfter},
			[]any{int64(0), "before", 60.0, nil, nil, "", "Oslo", "small", int64(0), int64(0), int64(0)},
			[]any{int64(0), "before", 30.0, nil, nil, "", "Oslo", "(several)", int64(0), int64(0), int64(30)},
			[]any{int64(0), "before", 10.0, nil, nil, "", "(several)", "small", int64(0), int64(10), int64(0)},
			[]any{int64(0), "after", 100.0, nil, nil, "May", "Oslo", "large", int64(0), int64(0), int64(0)})
	}
	events := rowsOf([]string{"date", "varchar", "varchar", "varchar"}, []any{"2026-05-01", "", nil, nil}, []any{"2026-05-04", "May", nil, nil})
	for name, c := range map[string]struct {
		table       result.Table
		dims, other []string
		cells       []explain.Cell
	}{
		"few cities, many sizes":      {cellsOf(10, 30, 0), []string{"city"}, []string{"size"}, []explain.Cell{{Keys: []string{"Oslo"}, Amount: amount(90, 100, 0, 0)}, {Keys: []string{"(several)"}, Amount: amount(10, 0, 0, 0)}}},
		"many sizes afterwards alone": {cellsOf(10, 0, 11), []string{"city"}, []string{"size"}, []explain.Cell{{Keys: []string{"Oslo"}, Amount: amount(90, 100, 0, 0)}, {Keys: []string{"(several)"}, Amount: amount(10, 0, 0, 0)}}},
		"many of both":                {cellsOf(11, 11, 11), []string{}, []string{"city", "size"}, nil},
	} {
		read := readOf(t, plan, stepOf(RoleCells, c.table), stepOf(RoleEvents, events), stepOf(RoleDaily, courseOf(1, 2, 3, 4, 5, 6)))
		require.Equal(t, c.dims, read.input.Dimensions, name)
		require.Equal(t, c.other, read.overlapping, name)
		require.Equal(t, c.cells, read.input.Cells, name)
		require.Len(t, read.input.Events, 1, name)
	}
}

// TestRatesOfThingsWithSeveralValues: of a rate it is the base that says how much of it is of
// things with several values, not how many these are beside a sum.
func TestRatesOfThingsWithSeveralValues(t *testing.T) {
	t.Parallel()
	plan := ChangePlan{Kind: explain.Ratio, Before: days(1, 4), After: days(4, 7), Dimensions: []ChangeItem{{ID: "city"}, {ID: "size"}}}
	types := []string{"bigint", "varchar", "double", "double", "bigint", "varchar", "varchar", "bigint", "bigint"}
	cells := func(severalCities, severalSizes float64) result.Table {
		return rowsOf(types,
			[]any{int64(1), "before", 90000.0, 100.0, nil, nil, nil, int64(severalCities), int64(severalSizes)},
			[]any{int64(1), "after", 90000.0, 100.0, nil, nil, nil, int64(0), int64(0)},
			[]any{int64(0), "before", 80000.0, 100 - severalCities - severalSizes, nil, "Oslo", "small", int64(0), int64(0)},
			[]any{int64(0), "before", 5000.0, severalCities, nil, "(several)", "small", int64(severalCities), int64(0)},
			[]any{int64(0), "before", 5000.0, severalSizes, nil, "Oslo", "(several)", int64(0), int64(severalSizes)},
			[]any{int64(0), "after", 90000.0, 100.0, nil, "Oslo", "small", int64(0), int64(0)})
	}
	course := stepOf(RoleDaily, courseOf(1, 2, 3, 4, 5, 6))
	read := readOf(t, plan, stepOf(RoleCells, cells(10, 11)), course)
	require.Equal(t, []string{"city"}, read.input.Dimensions)
	require.Equal(t, []string{"size"}, read.overlapping)
	require.Equal(t, []explain.Cell{{Keys: []string{"Oslo"}, Amount: amount(85000, 90000, 90, 100)}, {Keys: []string{"(several)"}, Amount: amount(5000, 0, 10, 0)}}, read.input.Cells)
	read = readOf(t, plan, stepOf(RoleCells, cells(10, 10)), course)
	require.Equal(t, []string{"city", "size"}, read.input.Dimensions)
	require.Empty(t, read.overlapping)
}

// TestTheSameChangeHasTheSameChance: what is drawn by chance is the same for one plan, and
// another plan has its own.
func TestTheSameChangeHasTheSameChance(t *testing.T) {
	t.Parallel()
	plan := func(texts ...string) (p ChangePlan) {
		for _, text := range texts {
			p.Statements = append(p.Statements, ChangeStatement{SQL: text})
		}
		return p
	}
	require.Equal(t, seedOf(plan("a", "b")), seedOf(plan("a", "b")))
	require.NotEqual(t, seedOf(plan("a", "b")), seedOf(plan("b", "a")))
	require.NotEqual(t, seedOf(plan("a", "b")), seedOf(plan("a", "c")))
}

// TestDaysHaveTheirCounterparts: where days are missing, sums are compared over the days that
// both periods have in the same place; cells and factors, which are of all days, are left out.
func TestDaysHaveTheirCounterparts(t *testing.T) {
	t.Parallel()
	cells := rowsOf(cellTypes,
		[]any{int64(1), "before", 60.0, 0.0, int64(3), nil}, []any{int64(1), "after", 90.0, 0.0, int64(3), nil},
		[]any{int64(0), "before", 60.0, 0.0, int64(3), "Oslo"}, []any{int64(0), "after", 90.0, 0.0, int64(3), "Oslo"})
	factors := rowsOf([]string{"varchar", "double", "double"}, []any{"after", 18.0, 5.0}, []any{"before", 12.0, 5.0})
	plan := ChangePlan{Kind: explain.Additive, Before: days(1, 4), After: days(4, 7), Dimensions: []ChangeItem{{ID: "city"}}, Factors: []ChangeItem{{ID: "orders"}, {ID: "value"}}}
	for name, c := range map[string]struct {
		there         []int
		matched       int
		before, after float64 // a day of May has ten times its number
	}{
		"a day of the period":      {[]int{1, 2, 3, 4, 6}, 2, 20, 50},
		"a day of the one before":  {[]int{1, 3, 4, 5, 6}, 2, 20, 50},
		"days of both":             {[]int{1, 4, 6}, 1, 10, 40},
		"the same place of both":   {[]int{1, 3, 4, 6}, 2, 20, 50},
		"different places of both": {[]int{1, 2, 5, 6}, 1, 20, 50},
	} {
		read := readOf(t, plan, stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(c.there...)), stepOf(RoleFactors, factors))
		require.Equal(t, c.matched, read.matched, name)
		require.True(t, read.perDay, name)
		require.Equal(t, explain.Pair{Before: c.before, After: c.after}, read.input.Total.Value, name)
		require.Empty(t, read.input.Cells, name)
		require.Empty(t, read.input.Factors, name)
	}
}

// TestWhatIsComparedPerDay: a level is its mean; what adds up is compared as it is, and as
// its mean where the periods have unequal numbers of days, or days are missing and no two are
// counterparts; a ratio and a distinct count never are.
func TestWhatIsComparedPerDay(t *testing.T) {
	t.Parallel()
	cells := rowsOf(cellTypes,
		[]any{int64(1), "before", 60.0, 0.0, int64(3), nil}, []any{int64(1), "after", 90.0, 0.0, int64(3), nil},
		[]any{int64(0), "before", 60.0, 0.0, int64(3), "Oslo"}, []any{int64(0), "after", 90.0, 0.0, int64(3), "Oslo"})
	factors := rowsOf([]string{"varchar", "double", "double"}, []any{"after", 18.0, 5.0}, []any{"before", 12.0, 5.0})
	all := []int{1, 2, 3, 4, 5, 6}
	for name, c := range map[string]struct {
		kind     explain.Kind
		after    explain.Period
		there    []int
		perDay   bool
		before   float64 // days that are there
		afterDay float64
	}{
		"what adds up":                 {explain.Additive, days(4, 7), all, false, 1, 1},
		"a level":                      {explain.SemiAdditive, days(4, 7), all, true, 3, 3},
		"a ratio":                      {explain.Ratio, days(4, 6), all, false, 1, 1},
		"what is counted once":         {explain.Distinct, days(4, 6), all, false, 1, 1},
		"periods of unequal length":    {explain.Additive, days(4, 6), all, true, 3, 2},
		"unequal, and one is missing":  {explain.Additive, days(4, 6), []int{1, 2, 4, 5}, true, 2, 2},
		"no two days are counterparts": {explain.Additive, days(4, 7), []int{1, 5, 6}, true, 1, 2},
		"no day of a period is there":  {explain.Additive, days(4, 7), []int{1, 2, 3}, false, 1, 1},
		"a level with missing days":    {explain.SemiAdditive, days(4, 7), []int{2, 3, 4, 5, 6}, true, 2, 3},
		"a ratio, whatever is missing": {explain.Ratio, days(4, 7), []int{1, 4}, false, 1, 1},
	} {
		plan := ChangePlan{Kind: c.kind, Before: days(1, 4), After: c.after, Dimensions: []ChangeItem{{ID: "city"}}, Factors: []ChangeItem{{ID: "orders"}, {ID: "value"}}}
		read := readOf(t, plan, stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(c.there...)), stepOf(RoleFactors, factors))
		require.Equal(t, c.perDay, read.perDay, name)
		want := explain.Pair{Before: 60 / c.before, After: 90 / c.afterDay}
		require.Equal(t, want, read.input.Total.Value, name)
		require.Equal(t, want, read.input.Cells[0].Value, name)
		require.Equal(t, []explain.Factor{
			{ID: "orders", Pair: explain.Pair{Before: 12 / c.before, After: 18 / c.afterDay}}, {ID: "value", Pair: explain.Pair{Before: 5, After: 5}},
		}, read.input.Factors, "%s: the first is counted, the others are rates", name)
	}
}

// TestDaysThatAreMissing: a day without a row of the table is missing, one without a row
// that counts is a zero, and those after the newest day are late.
func TestDaysThatAreMissing(t *testing.T) {
	t.Parallel()
	cells := rowsOf(cellTypes, []any{int64(1), "before", 6.0, 0.0, int64(3), nil}, []any{int64(1), "after", 9.0, 0.0, int64(3), nil})
	plan := ChangePlan{Kind: explain.Additive, Before: days(1, 4), After: days(4, 7), Dimensions: []ChangeItem{{ID: "city"}}}
	dates := func(on ...int) (out []time.Time) {
		for _, d := range on {
			out = append(out, may(d))
		}
		return out
	}
	for name, c := range map[string]struct {
		course, table []int // table: nil where its days are not asked for
		before, after []time.Time
		late          bool
		zeros         int
	}{
		"none":                      {[]int{1, 2, 3, 4, 5, 6}, nil, nil, nil, false, 0},
		"in between":                {[]int{1, 3, 4, 6}, nil, dates(2), dates(5), false, 0},
		"at the end":                {[]int{1, 2, 3, 4}, nil, nil, dates(5, 6), true, 0},
		"in between and at the end": {[]int{1, 3, 4, 5}, nil, dates(2), dates(6), false, 0},
		"nothing that counts":       {[]int{1, 4, 6}, []int{1, 2, 3, 4, 5, 6}, nil, nil, false, 3},
		"some of either":            {[]int{1, 4}, []int{1, 2, 4, 5, 6}, dates(3), nil, false, 3},
		"days of other years":       {[]int{1, 2, 3, 4, 5, 6, 9}, nil, nil, nil, false, 0},
	} {
		steps := []changeStep{stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(c.course...))}
		orders := [][]changeStep{steps}
		if c.table != nil { // whichever comes first
			orders = [][]changeStep{append(append([]changeStep{}, steps...), stepOf(RoleDays, courseOf(c.table...))), append([]changeStep{stepOf(RoleDays, courseOf(c.table...))}, steps...)}
		}
		for _, steps := range orders {
			read := readOf(t, plan, steps...)
			require.Equal(t, c.before, read.gaps.before, name)
			require.Equal(t, c.after, read.gaps.after, name)
			require.Equal(t, c.late, read.gaps.late, name)
			require.Len(t, read.input.Daily, len(c.course)+c.zeros, name)
			zeros := 0
			for i, d := range read.input.Daily {
				require.True(t, i == 0 || read.input.Daily[i-1].Date.Before(d.Date), "%s: in order", name)
				if d.Value == 0 {
					zeros++
				}
			}
			require.Equal(t, c.zeros, zeros, name)
		}
	}
	level := plan // where a level has no row, nobody knows it
	level.Kind = explain.SemiAdditive
	require.Len(t, readOf(t, level, stepOf(RoleCells, cells), stepOf(RoleDaily, courseOf(1, 4)), stepOf(RoleDays, courseOf(1, 2, 3, 4, 5, 6))).input.Daily, 2)
	require.False(t, readOf(t, plan, stepOf(RoleCells, cells)).gaps.any(), "without a course nothing is known to be missing")
}

// TestDaysOfACourse: a point in time is its day, what is no day is left out, and of two
// rows of a day one counts.
func TestDaysOfACourse(t *testing.T) {
	t.Parallel()
	table := rowsOf([]string{"varchar", "double", "double"},
		[]any{"2026-05-02 00:00:00.000", 2.0, nil}, []any{nil, 7.0, nil}, []any{"May", 7.0, nil}, []any{"2026-05-01", 1.0, 4.0}, []any{"2026-05-02", 3.0, nil}, []any{})
	require.Equal(t, []explain.Day{{Date: may(1), Value: 1, Base: 4}, {Date: may(2), Value: 2}}, changeRows{table}.daily())
}

// TestEventsOfDays: a dimension that has one value on each day, and several over all, is
// told as events of days in a row; any other stays a dimension, and its cells add up.
func TestEventsOfDays(t *testing.T) {
	t.Parallel()
	cell := func(value float64, keys ...string) explain.Cell {
		return explain.Cell{Keys: keys, Amount: amount(value, 2*value, 3*value, 4*value)}
	}
	input := func() *explain.Input {
		return &explain.Input{Dimensions: []string{"city", "sale"}, Cells: []explain.Cell{cell(1, "Oslo", "may sale"), cell(10, "Oslo", ""), cell(100, "Moss", "may sale")}}
	}
	types := []string{"date", "varchar", "varchar"}
	in := input()
	changeRows{rowsOf(types,
		[]any{"2026-05-01", nil, ""}, []any{"2026-05-02", nil, "may sale"}, []any{"2026-05-03", nil, "may sale"}, []any{"2026-05-05", nil, "may sale"}, []any{"2026-05-06", nil, "last day"},
	)}.events(in)
	require.Equal(t, []explain.Event{{Name: "may sale", Period: days(2, 4)}, {Name: "may sale", Period: days(5, 6)}, {Name: "last day", Period: days(6, 7)}}, in.Events)
	require.Equal(t, []string{"city"}, in.Dimensions)
	require.Equal(t, []explain.Cell{{Keys: []string{"Oslo"}, Amount: amount(11, 22, 33, 44)}, {Keys: []string{"Moss"}, Amount: amount(100, 200, 300, 400)}}, in.Cells)
	for name, rows := range map[string][][]any{
		"one value all the time":  {{"2026-05-01", nil, "x"}, {"2026-05-02", nil, "x"}},
		"several values on a day": {{"2026-05-01", nil, "x"}, {"2026-05-02", nil, nil}},
		"no days":                 nil,
		"a column is not there":   {{"2026-05-01", nil}, {"2026-05-02", nil}},
	} {
		in := input()
		changeRows{rowsOf(types, rows...)}.events(in)
		require.Equal(t, input(), in, name)
	}
	in = input()
	changeRows{rowsOf(types, []any{"2026-05-01", "a", "x"}, []any{"2026-05-02", "b", "y"})}.events(in)
	require.Empty(t, in.Dimensions, "all are told as events")
	require.Nil(t, in.Cells)
	require.Len(t, in.Events, 4)
}

// TestDaysInASentence: days in a row are a range, and only some ranges are named.
func TestDaysInASentence(t *testing.T) {
	t.Parallel()
	list := func(l lang.Language, on ...int) string {
		var d []time.Time
		for _, n := range on {
			d = append(d, may(n))
		}
		return dayList(d, l)
	}
	require.Equal(t, "1 May 2026", list(lang.English, 1))
	require.Equal(t, "1 May 2026 to 3 May 2026, 5 May 2026", list(lang.English, 1, 2, 3, 5))
	require.Equal(t, "2026年5月1日至2026年5月2日、2026年5月4日", list(lang.Chinese, 1, 2, 4))
	require.Equal(t, "1 May 2026, 3 May 2026, 5 May 2026, 7 May 2026, 9 May 2026", list(lang.English, 1, 3, 5, 7, 9))
	require.Equal(t, "1 May 2026, 3 May 2026, 5 May 2026, 7 May 2026, 9 May 2026, …", list(lang.English, 1, 3, 5, 7, 9, 11, 13))
}
