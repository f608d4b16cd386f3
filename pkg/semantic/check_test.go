package semantic

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// mistake is a file and what is said of it.
type mistake struct {
	name, text string
	line       int
	message    string
	// byForm: the JSON schema refuses the file, too.
	byForm bool
}

const (
	metricA = "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x), time: d}\n"
	metricB = metricA + "  - {id: b, names: {en: B}, table: s.t, expr: COUNT(*)}\n"
)

var mistakes = []mistake{
	{"unknown key", "metrics:\n  - id: a\n    nmaes: {en: A}\n", 3, `no key "nmaes"`, true},
	{"unknown section", "metric:\n  - id: a\n", 1, `no key "metric"`, true},
	{"list wanted", "metrics:\n  - id: a\n    default_filters: 7\n", 3, "the number 7 stands where a list belongs", true},
	{"mapping wanted", "metrics:\n  - id: a\n    names: A\n", 3, "the text A stands where a mapping", true},
	{"text wanted", "metrics:\n  - id: a\n    expr: [SUM(x)]\n", 3, "a list stands where a text belongs", true},
	{"number wanted", "time: {fiscal_offset_months: three}\n", 1, "where a whole number belongs", true},
	{"no mapping", "- a\n- b\n", 1, "a list stands where a mapping", true},
	{"not YAML", "metrics:\n  - id: [a\n", 0, "did not find", false},
	{"two documents", metricA + "---\n" + metricA, 0, "second document", false},
	{"bad id", "metrics:\n  - id: A-b\n    names: {en: A}\n    table: s.t\n    expr: SUM(x)\n", 2, "lower-case", true},
	{"no name", "metrics:\n  - id: a\n    table: s.t\n    expr: SUM(x)\n", 2, "needs a name", true},
	{"no expression", "metrics:\n  - id: a\n    names: {en: A}\n    table: s.t\n", 2, "needs an expression", false},
	{"duplicate id", metricA + "  - {id: a, names: {en: B}, table: s.t, expr: SUM(y)}\n", 3, "used at x.yaml:2", false},
	{"additivity", "metrics:\n  - id: a\n    names: {en: A}\n    table: s.t\n    expr: SUM(x)\n    additivity: yes\n", 6, "additivity", true},
	{"role", "dimensions:\n  - id: a\n    names: {en: A}\n    table: s.t\n    role: colour\n", 5, "role", true},
	{"hierarchy", "dimensions:\n  - {id: a, names: {en: A}, table: s.t, hierarchy: [b]}\n", 2, `dimension "b"`, false},
	{"a value twice", "dimensions:\n  - {id: a, names: {en: A}, table: s.t, values: [{value: x}, {value: x}]}\n", 2, `"x" twice`, false},
	{"an aggregate as a dimension", "dimensions:\n  - {id: a, names: {en: A}, table: s.t, expr: MAX(x)}\n", 2, "over one row", false},
	{"join columns", "joins:\n  - {from: a.b, to: c.d, columns: [x]}\n", 2, "as many columns", true},
	{"join twice", "joins:\n  - {from: a.b, to: c.d, columns: [x], to_columns: [y]}\n  - {from: a.b, to: c.d, columns: [x], to_columns: [y]}\n", 3, "x.yaml:2 already", false},
	{"cardinality", "joins:\n  - {from: a.b, to: c.d, columns: [x], to_columns: [y], cardinality: n_to_1}\n", 2, "many_to_one", true},
	{"cid without countries", "metrics:\n  - {id: a, names: {en: A}, table: \"s.t__{cid}\", expr: SUM(x)}\n", 2, "countries", false},
	{"expression", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(x\"}\n", 2, "expression", false},
	{"two expressions", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(x), 1\"}\n", 2, "exactly one", false},
	{"a query", "filters:\n  - {id: a, names: {en: A}, table: s.t, expr: \"1 FROM u\"}\n", 2, "exactly one", false},
	{"a query inside", "filters:\n  - {id: a, names: {en: A}, table: s.t, expr: \"x IN (SELECT y FROM u)\"}\n", 2, "has a query in it", false},
	{"a window", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(SUM(x)) OVER ()\"}\n", 2, "has a window", false},
	{"table form", "metrics:\n  - {id: a, names: {en: A}, table: \"s t\", expr: SUM(x)}\n", 2, "schema.table", true},
	{"no aggregate", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: x + 1}\n", 2, "does not aggregate", false},
	{"a mean is not additive", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: AVG(x)}\n", 2, "has avg", false},
	{"a quotient is not additive", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: \"SUM(x) / NULLIF(SUM(y), 0)\", additivity: additive}\n", 2, "divides", false},
	{"distinct is not additive", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: COUNT(DISTINCT x)}\n", 2, "distinct", false},
	{"type", "metrics:\n  - {id: a, names: {en: A}, type: median}\n", 2, `type "median"`, true},
	{"ratio without parts", "metrics:\n  - {id: a, names: {en: A}, type: ratio, numerator: b}\n", 2, "needs denominator", false},
	{"ratio with a table", metricB + "  - {id: r, names: {en: R}, type: ratio, numerator: a, denominator: b, table: s.t}\n", 4, "has no table", false},
	{"ratio of nothing", metricA + "  - {id: r, names: {en: R}, type: ratio, numerator: a, denominator: aa}\n", 3, `"aa", which is no metric; near it: a`, false},
	{"derived over columns", metricA + "  - {id: r, names: {en: R}, type: derived, expr: SUM(a)}\n", 3, "over metrics", false},
	{"derived of nothing", "metrics:\n  - {id: r, names: {en: R}, type: derived, expr: 1 + 1}\n", 2, "names no metric", false},
	{"derived by table", metricA + "  - {id: r, names: {en: R}, type: derived, expr: t.a + 1}\n", 3, "id alone", false},
	{"itself", "metrics:\n  - {id: r, names: {en: R}, type: derived, expr: r + 1}\n", 2, "r -> r", false},
	{
		"a cycle", "metrics:\n  - {id: p, names: {en: P}, type: derived, expr: q + 1}\n  - {id: q, names: {en: Q}, type: ratio, numerator: o, denominator: p}\n  - {id: o, names: {en: O}, type: derived, expr: p * 2}\n",
		4, "p -> q -> o -> p", false,
	},
	{"cumulative of a ratio", metricB + "  - {id: r, names: {en: R}, type: ratio, numerator: a, denominator: b}\n  - {id: c, names: {en: C}, type: cumulative, of: r}\n", 5, "computed from a table", false},
	{"cumulative without time", metricB + "  - {id: c, names: {en: C}, type: cumulative, of: b}\n", 4, "no time column", false},
	{"two ends", metricA + "  - {id: c, names: {en: C}, type: cumulative, of: a, to_date: year, window: {count: 7, unit: day}}\n", 3, "not both", false},
	{"window", metricA + "  - {id: c, names: {en: C}, type: cumulative, of: a, window: {count: 0, unit: day}}\n", 3, "count from 1", true},
	{"distinct count without", "metrics:\n  - {id: a, names: {en: A}, type: distinct_count, table: s.t}\n", 2, "needs distinct", false},
	{"over time of a sum", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x), time: d, over_time: last}\n", 2, "semi_additive", false},
	{"over time without time", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x), additivity: semi_additive, over_time: last}\n", 2, "needs time", false},
	{"comparison", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x), comparisons: [yearly]}\n", 2, `"yearly"`, true},
	{"none beside", "metrics:\n  - {id: a, names: {en: A}, table: s.t, expr: SUM(x), comparisons: [none, yoy]}\n", 2, "beside others", false},
	{"example", "examples:\n  - {id: a, question: {en: Q}, sql: SELECT FROM}\n", 2, `example "a"`, false},
	{"example is no query", "examples:\n  - {id: a, question: {en: Q}, sql: DROP TABLE t}\n", 2, "no query", false},
	{"term without text", "glossary:\n  - {id: a, names: {en: A}}\n", 2, "needs a text", true},
	{"week start", "time:\n  week_start: tuesday\n", 2, "monday", true},
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "x.yaml", m.text)
			_, err := Load(dir)
			var problems Problems
			require.True(t, errors.As(err, &problems), "%v", err)
			i := slices.IndexFunc(problems, func(p Problem) bool { return strings.Contains(p.Message, m.message) })
			require.NotEqual(t, -1, i, "%v", problems)
			require.Equal(t, "x.yaml", problems[i].File)
			if m.line > 0 {
				require.Equal(t, m.line, problems[i].Line, "%v", problems)
			}
		})
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "one.yaml", "metrics:\n  - {id: A, names: {en: A}, table: s.t, expr: SUM(x), colour: red}\n  - {id: b, table: s.t, expr: AVG(x)}\n")
	write(t, dir, "mart/two.yaml", "joins:\n  - {from: a.b, to: c.d}\nmetrics:\n  - {id: c, names: {en: C}, type: derived, expr: d + 1}\n")
	_, problems := Check(dir, nil)
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	require.Equal(t, []string{
		"mart/two.yaml:2: join needs as many columns as to_columns, at least one",
		`mart/two.yaml:4: metric "c" is made of "d", which is no metric; near it: A, b`,
		`one.yaml:2: there is no key "colour" here`,
		`one.yaml:2: id "A": lower-case letters, digits and _, a letter first`,
		`one.yaml:3: "b" needs a name: names: {en: ..., zh: ...}`,
		`one.yaml:3: expression "AVG(x)" has avg: its parts do not add up, so additivity is non_additive`,
	}, got)
}

func shopTables() []catalog.Table {
	return []catalog.Table{
		{
			Name: catalog.Name{Region: "r", Schema: "s", Table: "sales"}, RowCount: 100,
			Columns: []catalog.Column{
				{Name: "amount", Type: "decimal(10,2)"},
				{Name: "day", Type: "date"},
				{Name: "shop_id", Type: "bigint"},
				{Name: "kind", Type: "varchar", Distinct: 2, Samples: []string{"A", "B"}},
			},
		},
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "shop"}, RowCount: 10, Columns: []catalog.Column{
			{Name: "shop_id", Type: "bigint", Distinct: 10}, {Name: "town", Type: "varchar", Distinct: 3},
		}},
	}
}

func TestChecksAgainstTheCatalog(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text, message string
		warning             bool
	}{
		{"right", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount), time: day, default_filters: [\"kind = 'A'\"]}\n", "", false},
		{"table", "metrics:\n  - {id: a, names: {en: A}, table: s.sale, expr: SUM(amount)}\n", `"s.sale" is not in the catalog; near it: s.sales`, false},
		{"column", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amuont)}\n", "amount", false},
		{"function", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUMM(amount) + SUM(amount)}\n", "summ", false},
		{"type", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(kind)}\n", "sum", false},
		{"ungrouped column", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount) + amount}\n", "aggregate", false},
		{"default filter", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount), default_filters: [kind = 1]}\n", "varchar", false},
		{"time column", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount), time: dya}\n", `no column "dya"; near it: day`, false},
		{"time that is none", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount), time: shop_id}\n", "has to be a date", false},
		{"dimension", "dimensions:\n  - {id: colour, names: {en: A}, table: s.sales}\n", "colour", false},
		{"variant by its base", "dimensions:\n  - {id: kind__sales, names: {en: A}, table: s.sales}\n", "", false},
		{"filter", "filters:\n  - {id: a, names: {en: A}, table: s.sales, expr: amount}\n", "needs a condition", false},
		{"key", "entities:\n  - {id: a, names: {en: A}, table: s.shop, key: [id]}\n", `no column "id"`, false},
		{"label", "entities:\n  - {id: a, names: {en: A}, table: s.shop, key: [shop_id], label: name}\n", `no column "name"`, false},
		{"join", "joins:\n  - {from: s.sales, columns: [shop], to: s.shop, to_columns: [shop_id]}\n", `no column "shop"; near it: shop_id`, false},
		{"join that repeats rows", "joins:\n  - {from: s.shop, columns: [town], to: s.sales, to_columns: [kind]}\n", "count rows twice", true},
		{"join that is said to", "joins:\n  - {from: s.shop, columns: [town], to: s.sales, to_columns: [kind], cardinality: many_to_many}\n", "", false},
		{"value", "dimensions:\n  - {id: kind, names: {en: A}, table: s.sales, values: [{value: A}, {value: C}]}\n", `no row has the value "C"`, true},
		{"example", "examples:\n  - {id: a, question: {en: Q}, sql: SELECT amunt FROM r.s.sales}\n", "amount", false},
		{
			"one name for two metrics", "metrics:\n  - {id: a, names: {en: A}, table: s.sales, expr: SUM(amount)}\n  - {id: b, names: {en: B}, synonyms: [a], table: s.sales, expr: COUNT(*)}\n",
			`"a" is a name of metric "a", too`, true,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "x.yaml", c.text)
			layer, problems := Check(dir, shopTables())
			if c.message == "" {
				require.Empty(t, problems)
				require.NotNil(t, layer)
				return
			}
			require.NotEmpty(t, problems)
			require.Contains(t, problems[0].Message, c.message)
			require.Positive(t, problems[0].Line)
			require.Equal(t, c.warning, problems[0].Warning)
			require.Equal(t, c.warning, layer != nil, "warnings alone leave a layer")
		})
	}
}
