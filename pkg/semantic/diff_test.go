package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func layerOf(t *testing.T, text string) *Layer {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "x.yaml", text)
	layer, err := Load(dir)
	require.NoError(t, err)
	return layer
}

func TestDiff(t *testing.T) {
	t.Parallel()
	const before = "metrics:\n  - {id: a, names: {en: A}, synonyms: [x, y], table: s.t, expr: SUM(v), default_filters: [p = 1, q = 2]}\n"
	cases := []struct {
		name, before, after string
		want                []Change
	}{
		{"layout and order", before,
			"metrics:\n  - id: a\n    names: {en: A}\n    synonyms: [y, x]\n    table: s.t\n    expr: 'SUM( v )'\n    type: simple\n    additivity: additive\n    default_filters: ['q=2', p  = 1]\n", nil},
		{"expression", before, "metrics:\n  - {id: a, names: {en: A}, synonyms: [x, y], table: s.t, expr: SUM(w), default_filters: [p = 1, q = 2]}\n",
			[]Change{{Kind: Changed, Section: "metrics", ID: "a", Field: "expr", Old: "SUM(v)", New: "SUM(w)", Numbers: true}}},
		{"filter", before, "metrics:\n  - {id: a, names: {en: A}, synonyms: [x, y], table: s.t, expr: SUM(v), default_filters: [p = 1]}\n",
			[]Change{{Kind: Changed, Section: "metrics", ID: "a", Field: "default_filters", Old: "p = 1, q = 2", New: "p = 1", Numbers: true}}},
		{"name", before, "metrics:\n  - {id: a, names: {en: A, zh: 甲}, synonyms: [x, y], table: s.t, expr: SUM(v), default_filters: [p = 1, q = 2]}\n",
			[]Change{{Kind: Changed, Section: "metrics", ID: "a", Field: "names", Old: "A", New: "A / 甲"}}},
		{"added and removed", before, "filters:\n  - {id: f, names: {en: F}, table: s.t, expr: p = 1}\n",
			[]Change{
				{Kind: Removed, Section: "metrics", ID: "a", Old: "SUM(v)", Numbers: true},
				{Kind: Added, Section: "filters", ID: "f", New: "p = 1", Numbers: true},
			}},
		{"a join from its other side", "joins:\n  - {from: s.a, columns: [x], to: s.b, to_columns: [y]}\n",
			"joins:\n  - {from: s.b, columns: [y], to: s.a, to_columns: [x], cardinality: one_to_many}\n", nil},
		{"calendar", "time: {week_start: monday}\n", "time: {fiscal_offset_months: 3}\n",
			[]Change{{Kind: Changed, Section: "time", ID: "time", Field: "fiscal_offset_months", New: "3", Numbers: true}}},
		{"values", "dimensions:\n  - {id: d, names: {en: D}, table: s.t, values: [{value: A, synonyms: [x, y]}, {value: B}]}\n",
			"dimensions:\n  - {id: d, names: {en: D}, table: s.t, expr: d, role: category, values: [{value: B}, {value: A, synonyms: [y, x]}]}\n", nil},
		{"rule", "rules:\n  - {id: r, text: {en: One.}}\n", "rules:\n  - {id: r, text: {en: Two.}}\n",
			[]Change{{Kind: Changed, Section: "rules", ID: "r", Field: "text", Old: "One.", New: "Two."}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Diff(layerOf(t, c.before), layerOf(t, c.after))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
