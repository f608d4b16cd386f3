package analyse_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
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

// gridCase is a result made by a rule: the grid goes over the bounds of each shape,
// where cases.yaml has results as people ask for them.
type gridCase struct {
	name string
	in   analyse.Input
}

// grid returns the cases. A series takes its next variation from the number of cases
// before it, so that each grain meets each of them in turn.
func grid() (cases []gridCase) {
	add := func(name string, in analyse.Input) {
		in.Language, in.MaxPoints = lang.English, 60
		if in.Now.IsZero() {
			in.Now = now
		}
		cases = append(cases, gridCase{name, in})
	}
	seriesCases(add)
	groupCases(add)
	smallCases(add)
	return cases
}

func table(columns string, rows ...[]any) (t result.Table) {
	for c := range strings.SplitSeq(columns, ", ") {
		name, typ, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, result.Column{Name: name, Type: typ})
	}
	t.Rows = rows
	return t
}

// patterns are values of a series by position.
func patterns() map[string]func(i, n int) any {
	return map[string]func(i, n int) any{
		"1 rising":  func(i, _ int) any { return float64(100 + 10*i) },
		"2 falling": func(i, n int) any { return float64(10 * (n - i)) },
		"3 flat":    func(int, int) any { return 5.0 },
		"4 peak": func(i, n int) any {
			if i == n/2 {
				return 90.0
			}
			return 10.0 + float64(i%2)/10
		},
		"5 some zero": func(i, _ int) any { return float64(7 * (i % 3)) },
		"6 some null": func(i, _ int) any {
			if i%4 == 1 {
				return nil
			}
			return 20.0 - float64(i%5)
		},
		"7 negative": func(i, _ int) any { return float64(-3 * (i + 1)) },
		"8 null":     func(int, int) any { return nil },
		"9 weekly":   func(i, _ int) any { return float64(50 + 40*(i%7/5) + i) },
	}
}

func seriesCases(add func(string, analyse.Input)) {
	type axis struct {
		column, layout string
		grain          result.Grain
	}
	axes := []axis{
		{"year date", time.DateOnly, result.GrainYear}, {"quarter date", time.DateOnly, result.GrainQuarter}, {"month date", time.DateOnly, result.GrainMonth},
		{"week date", time.DateOnly, result.GrainWeek}, {"day date", time.DateOnly, result.GrainDay}, {"at timestamp(3)", time.DateTime, result.GrainHour},
		{"at timestamp(3)", time.DateTime, result.GrainSecond}, {"m varchar", "2006-01", result.GrainMonth},
	}
	units := []string{"", "USD", "%", analyse.UnitFraction, analyse.UnitPoints}
	aggregates := []string{analyse.AggregateSum, "", analyse.AggregateOther, analyse.AggregateCount, analyse.AggregateCountDistinct}
	k := 0
	for _, a := range axes {
		for _, n := range []int{2, 3, 8, 14, 22} {
			names := slices.Sorted(maps.Keys(patterns()))
			name := names[k%len(names)]
			k++
			at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // a Monday
			in := analyse.Input{Columns: []analyse.Column{{}, {Aggregate: aggregates[k%len(aggregates)], Unit: units[k%len(units)]}, {Aggregate: analyse.AggregateSum}, {Aggregate: analyse.AggregateOther}}}
			in.Table = table(a.column + ", amount double, orders bigint, rate double")
			var last time.Time
			for i := range n {
				if !(n > 8 && (i == 3 || i == 5)) { // two are missing
					in.Table.Rows = append(in.Table.Rows, []any{at.Format(a.layout), patterns()[name](i, n), int64(i + 1), float64(i%3) / 4})
				}
				last, at = at, a.grain.Next(at)
			}
			next := a.grain.Next(last)
			switch k % 6 {
			case 0: // the last period is going on
				in.Now = next.Add(-time.Second)
			case 1: // it is over by a moment
				in.Now = next
			case 2: // more was asked for, and is over
				in.Asked = analyse.Range{From: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), To: a.grain.Next(a.grain.Next(next))}
			case 3: // the range cuts the first and the last
				in.Asked = analyse.Range{From: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(next.Sub(last) / 2), To: last.Add(next.Sub(last) / 2)}
			case 4: // it begins two periods before
				from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
				from = from.Add(-2 * a.grain.Next(from).Sub(from))
				in.Asked = analyse.Range{From: time.Date(from.Year(), from.Month(), from.Day(), from.Hour(), from.Minute(), from.Second(), 0, time.UTC)}
			case 5:
				in.Limited, in.Asked = true, analyse.Range{To: a.grain.Next(a.grain.Next(next))}
			}
			in.Wanted = chart.Kind(k % 10)
			if k%4 == 0 { // rows need no order
				slices.Reverse(in.Table.Rows)
			}
			add(fmt.Sprintf("series of %d by %s, %s, %d", n, a.column, name, k%6), in)
		}
	}
}

func groupCases(add func(string, analyse.Input)) {
	for k, n := range []int{1, 2, 3, 5, 6, 8, 9, 12, 13, 50, 51} {
		for v, value := range []func(i int) any{
			func(i int) any { return float64(n - i) },
			func(i int) any { return []any{900.0, 50.0, 40.0, 10.0}[min(i, 3)] },
			func(i int) any { return float64(i - n/2) },
			func(int) any { return 4.0 },
			func(i int) any {
				if i == 1 {
					return nil
				}
				return float64(n + i)
			},
		} {
			in := analyse.Input{Columns: []analyse.Column{{}, {Aggregate: []string{analyse.AggregateSum, analyse.AggregateOther}[k%2], Unit: []string{"", "USD", "%"}[k%3]}, {Aggregate: analyse.AggregateCount}}}
			in.Table = table("shop varchar, amount double, orders bigint")
			for i := range n {
				in.Table.Rows = append(in.Table.Rows, []any{fmt.Sprintf("s%02d", i), value(i), int64(i)})
			}
			in.Wanted = chart.Kind((k + v) % 9)
			switch (k + 2*v) % 5 {
			case 1:
				in.Limited, in.Order = true, &analyse.Order{Column: 1, Desc: true}
			case 2:
				in.Order = &analyse.Order{Column: 2}
			case 3:
				in.Limited = true
			case 4:
				in.Table.Truncated, in.Order = true, &analyse.Order{Column: 1}
			}
			add(fmt.Sprintf("ranking of %d, %d, %d", n, v, (k+2*v)%5), in)

			by := analyse.Input{Columns: []analyse.Column{{}, {}, in.Columns[1]}, Wanted: in.Wanted, Limited: v == 3}
			by.Table = table("day date, shop varchar, amount double")
			for i := range n {
				for d := range 3 {
					if i != 1 || d != 1 {
						by.Table.Rows = append(by.Table.Rows, []any{fmt.Sprintf("2026-11-%02d", 18+d), fmt.Sprintf("s%02d", i), value((i + d) % n)})
					}
				}
			}
			if v == 1 {
				by.Asked = analyse.Range{From: time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)}
				by.Now = time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
			}
			if n <= 13 {
				add(fmt.Sprintf("series by %d groups, %d", n, v), by)
			}
			if n <= 9 && v < 2 { // two categories, and a pair of numbers
				heat := analyse.Input{Wanted: in.Wanted}
				heat.Table = table("shop varchar, country varchar, amount double")
				scatter := analyse.Input{Wanted: in.Wanted}
				scatter.Table = table("price double, sold double")
				for i := range n {
					for c := range 2 {
						heat.Table.Rows = append(heat.Table.Rows, []any{fmt.Sprintf("s%d", i), []string{"SG", "TH"}[c], value(i)})
					}
					scatter.Table.Rows = append(scatter.Table.Rows, []any{float64(i), value(i)})
				}
				add(fmt.Sprintf("two categories, %d, %d", n, v), heat)
				add(fmt.Sprintf("two numbers, %d, %d", n, v), scatter)
			}
		}
	}
}

func smallCases(add func(string, analyse.Input)) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	for i, c := range []struct{ typ, aggregate, unit string }{
		{"bigint", analyse.AggregateCount, ""}, {"double", analyse.AggregateOther, analyse.UnitFraction}, {"decimal(10,2)", analyse.AggregateSum, "USD"},
		{"varchar", "", ""}, {"date", "", ""}, {"boolean", "", ""}, {"array(bigint)", "", ""}, {"varchar", analyse.AggregateOther, ""},
	} {
		for v, value := range []any{nil, map[string]any{"bigint": int64(7), "double": 0.125, "decimal(10,2)": "1234.50", "varchar": strings.Repeat("long ", 30), "date": "2026-11-01", "boolean": true, "array(bigint)": []any{int64(1)}}[c.typ]} {
			asked := map[string]analyse.Range{"": {}, "day": {From: day(1), To: day(2)}, "days": {From: day(1), To: day(8)}, "instants": {From: day(1).Add(time.Hour), To: day(8)}, "open": {From: day(1)}}
			for _, name := range slices.Sorted(maps.Keys(asked)) {
				if (i+len(name))%3 != 0 && name != "" {
					continue
				}
				in := analyse.Input{Table: table([]string{"total", "_col0", "order_id"}[i%3]+" "+c.typ, []any{value}), Columns: []analyse.Column{{Aggregate: c.aggregate, Unit: c.unit}}, Asked: asked[name]}
				if v == 0 && name != "" {
					in.Filters = []string{"a is 1", "b is 2"}
				}
				add(fmt.Sprintf("single %s %d asked %q", c.typ, v, name), in)
			}
		}
	}
	for _, n := range []int{0, 1, 4, 5, 6, 7} {
		for _, limited := range []bool{false, true} {
			list := analyse.Input{Table: table("name varchar"), Limited: limited}
			numbers := analyse.Input{Table: table("amount double"), Columns: []analyse.Column{{Aggregate: analyse.AggregateSum}}, Limited: limited, Filters: []string{"a is 1"}}
			wide := analyse.Input{Table: table(strings.TrimSuffix(strings.Repeat("c varchar, ", n+4), ", ")), Limited: limited}
			for i := range n {
				list.Table.Rows = append(list.Table.Rows, []any{[]any{"x", nil, "  ", "y"}[i%4]})
				numbers.Table.Rows = append(numbers.Table.Rows, []any{[]any{1.5, nil}[i%2]})
				row := make([]any, n+4)
				row[0] = "same"
				wide.Table.Rows = append(wide.Table.Rows, row)
			}
			add(fmt.Sprintf("list of %d, limited %t", n, limited), list)
			add(fmt.Sprintf("numbers %d, limited %t", n, limited), numbers)
			add(fmt.Sprintf("table of %d, limited %t", n, limited), wide)
		}
	}
	for i, c := range [][]any{{120.0, 100.0, 20.0, 0.2}, {80.0, 100.0, -20.0, -0.2}, {100.0, 100.0, 0.0, 0.0}, {120.0, 100.0, 25.0, 0.2}, {120.0, 0.0, 120.0, nil}, {nil, 1.0, nil, nil}, {1e12, 1e12 - 1, 1.0, 1e-12}} {
		for _, unit := range []string{"", analyse.UnitPoints} {
			columns := []analyse.Column{{}, {Aggregate: analyse.AggregateSum}, {Aggregate: analyse.AggregateSum}, {Aggregate: analyse.AggregateSum, Unit: unit}, {Aggregate: analyse.AggregateOther, Unit: analyse.UnitFraction}}
			in := analyse.Input{Table: table("country varchar, gmv double, previous_gmv double, gmv_change double, gmv_change_rate double", append([]any{"SG"}, c...)), Columns: columns}
			add(fmt.Sprintf("comparison %d %q", i, unit), in)
			if unit == "" {
				short := in
				short.Columns = columns[:4]
				short.Table = table("country varchar, gmv double, previous_gmv double, gmv_change double", in.Table.Rows[0][:4])
				add(fmt.Sprintf("comparison %d without a rate", i), short)
			}
		}
	}
	many := analyse.Input{Table: table("day date, a bigint, b bigint, c bigint, d bigint, e bigint, f bigint, g bigint", []any{"2026-11-01", int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(7)})}
	add("a row of many", many)
}

// TestGrid holds what is said and drawn at the bounds of each shape. A chart's option is
// held by its beginning and a digest.
func TestGrid(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	var b strings.Builder
	for _, c := range grid() {
		out := analyst.Analyse(c.in)
		fmt.Fprintf(&b, "== %s\n%s\n", c.name, out.Answer)
		for _, f := range out.Findings {
			evidence, err := json.Marshal(f.Evidence)
			require.NoError(t, err)
			fmt.Fprintf(&b, "  %s: %s %s\n", f.Kind, f.Text, evidence)
		}
		for _, w := range out.Warnings {
			fmt.Fprintf(&b, "  ! %s %s\n", w.Code, w.Message)
		}
		fmt.Fprintf(&b, "  chart %d %s %v %s %s", out.Chart.Kind, out.Chart.X, out.Chart.Y, out.Chart.Series, out.Chart.Title)
		if option := out.Chart.Option; option != "" {
			require.True(t, json.Valid([]byte(option)), c.name)
			fmt.Fprintf(&b, " %s… %x", option[:min(len(option), 80)], sha256.Sum256([]byte(option)))
		}
		b.WriteByte('\n')
	}
	const path = "testdata/grid.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update and read what it wrote")
	wanted, got := strings.Split(string(want), "\n== "), strings.Split(b.String(), "\n== ")
	require.Len(t, got, len(wanted))
	for i := range wanted {
		require.Equal(t, wanted[i], got[i])
	}
}
