package analyse_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// badInputs are results that people's data make of themselves.
func badInputs() map[string]result.Table {
	wide, wideRows := result.Table{}, 60
	for c := range 500 {
		kind := []string{"bigint", "varchar", "double", "date"}[c%4]
		wide.Columns = append(wide.Columns, result.Column{Name: fmt.Sprint("c", c), Type: kind})
	}
	for r := range wideRows {
		var row []any
		for c := range 500 {
			row = append(row, []any{int64(r * c), fmt.Sprint("v", (r+c)%7), float64(r) / float64(c+1), time.Date(2026, 1, 1+(r*c)%300, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)}[c%4])
		}
		wide.Rows = append(wide.Rows, row)
	}
	nothing := table("day date, city varchar, gmv double")
	for range 60 {
		nothing.Rows = append(nothing.Rows, []any{nil, nil, nil})
	}
	return map[string]result.Table{
		"empty":           table("day date, gmv double"),
		"no columns":      {},
		"one row":         table("city varchar, gmv double", []any{"Oslo", 1.5}),
		"all nulls":       nothing,
		"one null":        table("gmv double", []any{nil}),
		"500 columns":     wide,
		"not finite":      table("city varchar, gmv double", []any{"a", math.NaN()}, []any{"b", math.Inf(1)}, []any{"c", math.Inf(-1)}),
		"one not finite":  table("gmv double", []any{math.Inf(1)}),
		"some not finite": table("day date, gmv double", []any{"2026-11-01", math.NaN()}, []any{"2026-11-02", 1.0}, []any{"2026-11-03", math.Inf(1)}, []any{"2026-11-04", 1e308}),
		"nested": {
			Columns: []result.Column{{Name: "tags", Type: "array(varchar)"}, {Name: "of", Type: "map(varchar, bigint)"}, {Name: "gmv", Type: "double"}},
			Rows:    [][]any{{[]any{"a", nil}, map[string]any{"k": int64(1)}, 1.0}, {[]any{}, nil, 2.0}},
		},
		"the same name":    table("gmv double, gmv double, gmv varchar", []any{1.0, 2.0, "a"}, []any{3.0, 4.0, "b"}),
		"HTML and script":  table("city varchar, gmv double", []any{"<script>alert(1)</script>", 2.0}, []any{"<img src=x onerror=alert(1)>", 1.0}),
		"formulas":         table("city varchar, gmv double", []any{"=HYPERLINK(\"http://evil\")", 2.0}, []any{"+1+cmd|' /C calc'!A0", 1.0}, []any{"@SUM(A1)", 0.5}),
		"right to left":    table("city varchar, gmv double", []any{"\u202eevil", 2.0}, []any{"تل أبيب", 1.0}, []any{"שלום", 0.5}),
		"not UTF-8":        {Columns: []result.Column{{Name: "ci\xffty", Type: "varchar"}, {Name: "gmv", Type: "double"}}, Rows: [][]any{{"a\xfe", 1.0}, {"b", 2.0}}},
		"controls":         table("city varchar, gmv double", []any{"a\x1b[31m\nb", 2.0}, []any{"\x00", 1.0}),
		"a very long text": table("city varchar, gmv double", []any{strings.Repeat("x", 1<<20), 2.0}, []any{"b", 1.0}),
		"huge numbers":     table("city varchar, gmv decimal(38,0)", []any{"a", strings.Repeat("9", 38)}, []any{"b", "-" + strings.Repeat("9", 38)}),
	}
}

// TestBadInputIsAnalysed: whatever a result holds, the answer is a short sentence of text,
// evidence is finite, and a chart's option is JSON, in both languages.
func TestBadInputIsAnalysed(t *testing.T) {
	t.Parallel()
	for name, input := range badInputs() {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			out := analystFor(t).Analyse(analyse.Input{Table: input, Language: l, Now: now, MaxPoints: 1000, Named: true})
			texts := []string{out.Answer}
			for _, f := range out.Findings {
				texts = append(texts, f.Text)
				for key, v := range f.Evidence {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s: %s is %v in %q", name, key, v, f.Text)
				}
			}
			for _, w := range out.Warnings {
				texts = append(texts, w.Message)
			}
			require.NotEmpty(t, out.Answer, name)
			for _, text := range texts {
				require.True(t, utf8.ValidString(text), "%s: %q", name, text)
				require.Less(t, len(text), 2000, name)
				require.NotContains(t, text, "NaN", name)
				require.NotContains(t, text, "<script", name)
				require.NotContains(t, text, "<img", name)
				require.NotContains(t, text, "\u202e", name)
				require.NotContains(t, text, "\x1b", name)
				require.NotContains(t, text, "\x00", name)
			}
			if out.Chart.Option != "" {
				require.True(t, json.Valid([]byte(out.Chart.Option)), name)
				require.NotContains(t, out.Chart.Option, "<script", name)
			}
		}
	}
}
