// Package resulttest has results that whatever reads results has to take.
package resulttest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/result"
)

// Odd are results that people's data make of themselves, by what is odd about them.
func Odd() map[string]result.Table {
	nothing := table("day date, city varchar, gmv double")
	for range 60 {
		nothing.Rows = append(nothing.Rows, []any{nil, nil, nil})
	}
	number := func(name string) result.Column { return result.Column{Name: name, Type: "bigint"} }
	return map[string]result.Table{
		"empty":           table("day date, gmv double"),
		"no columns":      {},
		"one row":         table("city varchar, gmv double", []any{"Oslo", 1.5}),
		"all nulls":       nothing,
		"one null":        table("gmv double", []any{nil}),
		"500 columns":     wide(),
		"not finite":      table("city varchar, gmv double", []any{"a", math.NaN()}, []any{"b", math.Inf(1)}, []any{"c", math.Inf(-1)}),
		"one not finite":  table("gmv double", []any{math.Inf(1)}),
		"some not finite": table("day date, gmv double", []any{"2026-11-01", math.NaN()}, []any{"2026-11-02", 1.0}, []any{"2026-11-03", math.Inf(1)}, []any{"2026-11-04", 1e308}),
		"nested": {
			Columns: []result.Column{{Name: "tags", Type: "array(varchar)"}, {Name: "of", Type: "map(varchar, bigint)"}, {Name: "at", Type: "array(row(x double))"}, {Name: "gmv", Type: "double"}},
			Rows: [][]any{
				{[]any{"a", nil}, map[string]any{"k": int64(1)}, []any{map[string]any{"x": math.NaN()}}, 1.0},
				{[]any{}, nil, nil, 2.0}, {nil, map[string]any{"=k": "</script>"}, nil, nil},
			},
		},
		"one name": table("gmv double, gmv double, gmv varchar", []any{1.0, 2.0, "a"}, []any{3.0, 4.0, "b"}),
		"names alike": {
			Columns: []result.Column{number("a"), number("A"), number("a_2"), number(""), number("a")},
			Rows:    [][]any{{int64(1), int64(2), int64(3), int64(4), int64(5)}},
		},
		"HTML and script":  table("city varchar, gmv double", []any{"<script>alert(1)</script>", 2.0}, []any{"<img src=x onerror=alert(1)>", 1.0}, []any{`</script><b>`, 0.5}, []any{`"><img src=x>`, 0.25}),
		"HTML in names":    {Columns: []result.Column{{Name: "<script>alert(1)</script>", Type: "varchar"}, {Name: "=1+1", Type: "double"}}, Rows: [][]any{{"a", 1.0}, {"b", 2.0}}},
		"formulas":         table("city varchar, gmv double", []any{"=HYPERLINK(\"http://evil\")", 2.0}, []any{"+1+cmd|' /C calc'!A0", 1.0}, []any{"@SUM(A1)", 0.5}, []any{"-2+3", 0.2}, []any{"\t=1", 0.1}),
		"right to left":    table("city varchar, gmv double", []any{"\u202eevil", 2.0}, []any{"تل أبيب", 1.0}, []any{"שלום abc", 0.5}),
		"not UTF-8":        {Columns: []result.Column{{Name: "ci\xff\xfety", Type: "varchar"}, {Name: "gmv", Type: "double"}}, Rows: [][]any{{"a\xfe", 1.0}, {"b", 2.0}}},
		"controls":         table("city varchar, gmv double", []any{"a\x1b[31m\nb", 2.0}, []any{"\x00", 1.0}, []any{"tab\there", 0.5}, []any{`quote"s`, 0.2}),
		"a very long text": table("city varchar, gmv double", []any{strings.Repeat("长", 40_000), 2.0}, []any{strings.Repeat("x", 1<<20), 1.0}),
		"huge numbers":     table("city varchar, gmv decimal(38,0)", []any{"a", strings.Repeat("9", 38)}, []any{"b", "-" + strings.Repeat("9", 38)}),
		"null names":       table("city varchar, gmv double", []any{nil, 3.0}, []any{"", 2.0}, []any{" ", 1.0}, []any{"null", 0.5}),
	}
}

// wide has 500 columns of four kinds.
func wide() result.Table {
	var t result.Table
	for c := range 500 {
		t.Columns = append(t.Columns, result.Column{Name: fmt.Sprint("c", c), Type: []string{"bigint", "varchar", "double", "date"}[c%4]})
	}
	for r := range 60 {
		var row []any
		for c := range 500 {
			day := time.Date(2026, 1, 1+(r*c)%300, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			row = append(row, []any{int64(r * c), fmt.Sprint("v", (r+c)%7), float64(r) / float64(c+1), day}[c%4])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// table has columns "name type, name type".
func table(columns string, rows ...[]any) result.Table {
	t := result.Table{Rows: rows}
	for _, column := range strings.Split(columns, ", ") {
		name, kind, _ := strings.Cut(column, " ")
		t.Columns = append(t.Columns, result.Column{Name: name, Type: kind})
	}
	return t
}
