package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// bakery is a written layer.
func bakery() *semantic.Layer {
	return &semantic.Layer{
		Metrics: []semantic.Metric{
			{ID: "loaves", Names: semantic.Text{EN: "Loaves", ZH: "面包数"}, Synonyms: []string{"breads", "b2", "b3", "b4", "b5", "b6", "b7"}, Description: semantic.Text{EN: "baked", ZH: "烤好的"}},
			{ID: "sales", Names: semantic.Text{EN: "Sales"}, Unit: "EUR"},
		},
		Dimensions: []semantic.Dimension{
			{ID: "shop", Names: semantic.Text{EN: "Shop", ZH: "Shop"}, Values: []semantic.Value{{Value: "North"}, {Value: "Gate", Synonyms: []string{"door", "2", "3", "4"}}, {Value: "Old Mill"}}},
			{ID: "kind", Names: semantic.Text{ZH: "种类"}},
		},
		Entities:   []semantic.Entity{{ID: "baker", Names: semantic.Text{EN: "Baker"}}, {ID: "shop", Names: semantic.Text{EN: "Shop"}}},
		Filters:    []semantic.Filter{{ID: "fresh", Names: semantic.Text{EN: "Fresh"}, Description: semantic.Text{EN: "of today"}}},
		Exclusions: []semantic.Filter{{ID: "burnt", Names: semantic.Text{EN: "Burnt"}}},
		Countries:  []semantic.Country{{Code: "PT", Names: semantic.Text{EN: "Portugal"}}},
	}
}

func known(question string, cfg Config) *definitions {
	d := &desk{cfg: cfg}
	return d.definitions(&team.Task{Question: question, Language: lang.English, Layer: bakery()})
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	d := known("loaves of the old mill and the door", Config{MaxLayerItems: 10})
	require.Equal(t, "- loaves: Loaves / 面包数 (breads, b2, b3, b4); baked\n- sales: Sales; unit EUR", d.metrics)
	require.Equal(t, "- shop: Shop; values: North; Gate = door, 2; Old Mill\n- kind: 种类", d.dimensions)
	require.Equal(t, "- baker: Baker\n- shop: Shop", d.entities)
	require.Equal(t, "- fresh: Fresh; of today\n- burnt: Burnt", d.filters)
	require.Equal(t, "- PT: Portugal", d.countries)
	for kind, ids := range map[intent.Kind][]string{intent.KindMetric: {"loaves", "sales"}, intent.KindDimension: {"shop", "kind"}, intent.KindEntity: {"baker", "shop"}, kindFilter: {"fresh", "burnt"}, kindCountry: {"PT"}} {
		for _, id := range ids {
			require.True(t, d.has(kind, id), id)
		}
		require.Len(t, d.ids[kind], len(ids))
	}
	require.NotContains(t, known("x", Config{MaxLayerItems: 10, Samples: SamplesOff}).dimensions, "Gate")
	// Of more than fit, those of the question are told.
	require.Equal(t, "- sales: Sales; unit EUR", known("sales by kind", Config{MaxLayerItems: 1}).metrics)
	d = known("breads by shop", Config{MaxLayerItems: 1})
	require.Contains(t, d.metrics, "loaves")
	require.False(t, d.has(intent.KindMetric, "sales"), "what was not told does not exist")
	require.Contains(t, known("种类", Config{MaxLayerItems: 1}).dimensions, "kind")
}

// TestCheck: what a model reads is used only where all of it exists and fits.
func TestCheck(t *testing.T) {
	t.Parallel()
	d := known("x", Config{MaxLayerItems: 10})
	metrics := func(more string) string {
		return `{"outcome": "metrics", "metrics": [{"id": "loaves"}], "dimensions": ["shop", "baker"]` + more + `}`
	}
	for answer, want := range map[string]string{
		`{"outcome": "tables"}`: "",
		`{"outcome": "cannot"}`: "",
		`{"outcome": "ask", "question": "which?", "options": ["a", "b"]}`: "",
		`{"outcome": "ask", "question": "which?", "options": ["a"]}`:      "outcome is ask and there is no question with at least two options",
		`{"outcome": "ask", "question": " ", "options": ["a", "b"]}`:      "outcome is ask and there is no question with at least two options",
		`{"outcome": "metrics"}`: "outcome is metrics and metrics is empty",
		`{"outcome": "metrics", "metrics": [{"id": "cakes"}, {"id": "shop"}]}`: `there is no metric "cakes": use an id of the list, or outcome tables|there is no metric "shop": use an id of the list, or outcome tables`,
		metrics(``):                           "",
		metrics(`, "dimensions": ["loaves"]`): `there is no dimension "loaves": use an id of the list, or outcome tables`,
		metrics(`, "filters": [{"dimension": "kind", "operator": "=", "values": ["rye"]}]`):  "",
		metrics(`, "filters": [{"dimension": "baker", "operator": "=", "values": ["rye"]}]`): `there is no dimension "baker": use an id of the list, or outcome tables`,
		metrics(`, "filters": [{"dimension": "kind", "operator": "="}]`):                     "the filter on kind has no values",
		metrics(`, "named_filters": ["fresh", "burnt"]`):                                     "",
		metrics(`, "named_filters": ["stale"]`):                                              `there is no filter "stale": use an id of the list, or outcome tables`,
		metrics(`, "countries": ["PT"]`):                                                     "",
		metrics(`, "countries": ["XX"]`):                                                     `there is no country "XX": use an id of the list, or outcome tables`,
		metrics(`, "having": [{"metric": "loaves", "operator": ">", "value": 5}]`):           "",
		metrics(`, "having": [{"metric": "sales", "operator": ">", "value": 5}]`):            "having names sales, which is not among the metrics of the answer",
		metrics(`, "order_by": [{"id": "loaves"}, {"id": "baker"}, {"id": "time"}]`):         "",
		metrics(`, "order_by": [{"id": "kind"}]`):                                            "order_by names kind, which is not in the answer",
		metrics(`, "from": "2030-01-01", "to": "2030-01-02"`):                                "",
		metrics(`, "from": "2030-01-01"`):                                                    "",
		metrics(`, "from": "2030-01-02", "to": "2030-01-02"`):                                "from is not before to",
		metrics(`, "from": "2030-02-30", "to": "3 March"`):                                   "from is not a day of the form YYYY-MM-DD|to is not a day of the form YYYY-MM-DD",
		metrics(`, "limit": 10000`):                                                          "",
		metrics(`, "limit": 10001`):                                                          "limit has to be from 0 to 10000",
		metrics(`, "limit": -1`):                                                             "limit has to be from 0 to 10000",
		`{"outcome": "metrics", "metrics": [{"id": "` + strings.Repeat("long ", 40) + `"}]}`: `there is no metric "` + lang.Shorten(strings.Repeat("long ", 40), 60) + `": use an id of the list, or outcome tables`,
	} {
		var r read
		require.NoError(t, json.Unmarshal([]byte(answer), &r))
		require.Equal(t, want, strings.Join(d.check(&r), "|"), answer)
	}
}

// TestIntents: what a model read becomes an intent with each of its parts.
func TestIntents(t *testing.T) {
	t.Parallel()
	d := known("x", Config{MaxLayerItems: 10})
	for answer, want := range map[string]string{
		`{"metrics": [{"id": "loaves", "aggregate": "none"}]}`:                                           `{"intent_type":"basic","select":[{"kind":"metric","id":"loaves"}]}`,
		`{"metrics": [{"id": "loaves", "aggregate": "share"}, {"id": "sales", "aggregate": "average"}]}`: `{"intent_type":"basic","select":[{"kind":"metric","id":"loaves","agg":"share"},{"kind":"metric","id":"sales","agg":"avg"}]}`,
		`{"metrics": [{"id": "loaves"}], "dimensions": ["shop", "baker"]}`:                               `{"intent_type":"dimension","select":[{"kind":"metric","id":"loaves"}],"group_by":[{"kind":"dimension","id":"shop"},{"kind":"entity","id":"baker"}]}`,
		`{"metrics": [{"id": "loaves"}], "grain": "day", "from": "2030-01-01", "to": "2030-02-01"}`:      `{"intent_type":"trend","select":[{"kind":"metric","id":"loaves"}],"order_by":[{"by":{"kind":"time","id":"","grain":"day"}}],"time":{"from":"2030-01-01","to":"2030-02-01","grain":"day"}}`,
		`{"metrics": [{"id": "loaves"}], "grain": "none", "from": "2030-01-01"}`:                         `{"intent_type":"basic","select":[{"kind":"metric","id":"loaves"}],"time":{"from":"2030-01-01"}}`,
		`{"metrics": [{"id": "loaves"}], "grain": "none", "compare": "none"}`:                            `{"intent_type":"basic","select":[{"kind":"metric","id":"loaves"}]}`,
		`{"metrics": [{"id": "loaves"}], "compare": "qoq"}`:                                              `{"intent_type":"trend","select":[{"kind":"metric","id":"loaves"},{"agg":"previous","kind":"metric","id":"loaves"},{"agg":"change","kind":"metric","id":"loaves"},{"agg":"change_rate","kind":"metric","id":"loaves"}],"time":{"compare":{"unit":"quarter","n":1}}}`,
		`{"metrics": [{"id": "loaves"}], "filters": [{"dimension": "shop", "operator": "=", "values": ["a"]}, {"dimension": "shop", "operator": "<>", "values": ["a"]}, {"dimension": "kind", "operator": "not_in", "values": ["a", "b"]}], "named_filters": ["fresh"]}`: `{"intent_type":"basic","select":[{"kind":"metric","id":"loaves"}],"filters":[{"op":"in","left":{"kind":"dimension","id":"shop"},"values":[{"text":"a"}]},{"op":"\u003c\u003e","left":{"kind":"dimension","id":"shop"},"values":[{"text":"a"}]},{"op":"not_in","left":{"kind":"dimension","id":"kind"},"values":[{"text":"a"},{"text":"b"}]},{"op":"filter","id":"fresh"}]}`,
		`{"metrics": [{"id": "loaves"}], "dimensions": ["shop"], "having": [{"metric": "loaves", "operator": ">", "value": 2.5}], "limit": 3, "order_by": [{"id": "loaves", "desc": true}, {"id": "shop"}, {"id": "time"}]}`:                                             `{"intent_type":"dimension","select":[{"kind":"metric","id":"loaves"}],"group_by":[{"kind":"dimension","id":"shop"}],"having":[{"op":"\u003e","left":{"kind":"metric","id":"loaves"},"values":[{"text":"2.5","number":true}]}],"order_by":[{"by":{"kind":"metric","id":"loaves"},"desc":true},{"by":{"kind":"dimension","id":"shop"}}],"limit":3}`,
		`{"metrics": [{"id": "loaves"}], "grain": "week", "order_by": [{"id": "loaves"}], "countries": ["PT"], "all_countries": true}`:                                                                                                                                   `{"intent_type":"trend","country":["PT"],"all_countries":true,"select":[{"kind":"metric","id":"loaves"}],"order_by":[{"by":{"kind":"metric","id":"loaves"}}],"time":{"grain":"week"}}`,
	} {
		var r read
		require.NoError(t, json.Unmarshal([]byte(answer), &r))
		in := d.intent(&r)
		raw, err := json.Marshal(in)
		require.NoError(t, err)
		require.JSONEq(t, want, string(raw), answer)
	}
	for name, want := range map[string]intent.Compare{"yoy": {Unit: "year", N: 1}, "mom": {Unit: "month", N: 1}, "wow": {Unit: "week", N: 1}, "dod": {Unit: "day", N: 1}} {
		require.Equal(t, &want, (&read{Compare: name}).time().Compare)
	}
}

func TestSplitIntoWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"OrderItems of 2030":  "order items of 2030",
		"a_b-c":               "a b c",
		"订单数":                 "订单 单数",
		"按shop看":              "按 shop 看",
		"XMLFile":             "xmlfile",
		"":                    "",
		"各省的 x":               "各省 省的 x",
		"Übersicht, HELLO":    "übersicht hello",
		"camelCase2Snake_row": "camel case2snake row",
	} {
		require.Equal(t, want, strings.Join(split(text), " "), text)
	}
	require.Equal(t, map[string]bool{"orders": true, "order": true, "bus": true, "class": true, "is": true, "gas": true, "cats": true, "cat": true}, wordsOf("orders bus class is gas cats"))
}

func TestNearest(t *testing.T) {
	t.Parallel()
	others := []string{"sales by shop", "loaves of rye by shop", "weather", "sales by month by shop", "loaves"}
	require.Equal(t, []int{4, 1}, Nearest("loaves", others, 5))
	require.Equal(t, []int{1, 4}, Nearest("loaves of rye by shop", others, 5)[:2])
	require.Equal(t, []int{4}, Nearest("loaves", others, 1))
	require.Empty(t, Nearest("zyzzyva", others, 5))
	require.Equal(t, 0, Nearest("sales by shop", others, 5)[0])
}

// pantry has more tables than are told.
func pantry(n int) []catalog.Table {
	var out []catalog.Table
	for i := range n {
		out = append(out, catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: fmt.Sprintf("t%d", i)}, Columns: []catalog.Column{{Name: "id", Type: "bigint"}}})
	}
	return out
}

func chosenOf(tables []catalog.Table, question string, most int, must ...string) string {
	d := &desk{cfg: Config{MaxTables: most}}
	var out []string
	for _, t := range d.chosen(&team.Task{Question: question, Tables: tables}, wordsOf(question), must) {
		out = append(out, t.Name.Table)
	}
	return strings.Join(out, " ")
}

// TestChosenTables: the tables that fit the question, those that must be there, and
// those that these point to.
func TestChosenTables(t *testing.T) {
	t.Parallel()
	tables := pantry(12)
	tables[9].Name.Table = "ovens"
	tables[8].Columns[0].Comment = "heat of ovens"
	tables[7].Columns[0].Samples = []string{"Rye"}
	tables[6].Description = "rye and ovens"
	tables[9].ForeignKeys = []catalog.ForeignKey{{Columns: []string{"x"}, RefTable: tables[11].Name, RefColumns: []string{"id"}}}
	require.Equal(t, "t0 t1 t2 t3 t4 t5 t6 t7 t8 ovens t10 t11", chosenOf(tables, "rye ovens", 12), "few enough: all, in their order")
	require.Equal(t, "ovens t7 t6 t8 t11", chosenOf(tables, "rye ovens", 5))
	require.Equal(t, "t0 t1 t2 t3 t4", chosenOf(tables, "nothing", 5), "they come best first")
	require.Equal(t, "t10 ovens t7 t6 t11", chosenOf(tables, "rye ovens", 5, "r.s.t10"))
	require.Equal(t, "ovens t7 t6 t8 t0 t1 t2 t3 t11 t4", chosenOf(tables, "rye ovens", 10))
}

func TestDescribedTables(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{
			Name: catalog.Name{Region: "r", Schema: "s", Table: "bread"}, Description: "Loaves\nby day", Grain: "a loaf", RowCount: 12,
			Columns: []catalog.Column{
				{Name: "id", Type: "bigint", PrimaryKey: true, Samples: []string{"1", "2"}, Distinct: 900},
				{Name: "day", Type: "date", Partition: true},
				{Name: "kind", Type: "varchar", Comment: "of flour", Distinct: 2, Samples: []string{"rye", "baker's"}},
				{Name: "who", Type: "varchar", Comment: "baked it", Samples: []string{"Ann"}, Personal: &catalog.Personal{Kind: "name"}},
			},
			ForeignKeys: []catalog.ForeignKey{
				{Columns: []string{"kind", "day"}, RefTable: catalog.Name{Region: "r", Schema: "s", Table: "flour"}, RefColumns: []string{"k", "d"}},
				{Columns: []string{"id"}, RefTable: catalog.Name{Region: "r", Schema: "s", Table: "hidden"}, RefColumns: []string{"id"}},
			},
		},
		{Name: catalog.Name{Region: "r", Schema: "s", Table: "flour"}},
	}
	describeAll := func(cfg Config) string {
		cfg.MaxTables = 9
		if cfg.MaxSchemaTokens == 0 {
			cfg.MaxSchemaTokens = 4000
		}
		return (&desk{cfg: cfg}).schema(&team.Task{Question: "x", Tables: tables}, nil)
	}
	const whole = `table r.s.bread -- Loaves by day; one row: a loaf; 12 rows
  id bigint key (such as: 1, 2)
  day date partition
  kind varchar -- of flour (values: 'rye', 'baker''s')
  who varchar -- baked it (data of persons: name)
  join: kind, day = r.s.flour.k, r.s.flour.d
table r.s.flour
`
	require.Equal(t, whole, describeAll(Config{}))
	require.Equal(t, strings.Replace(whole, "(data of persons: name)", "(such as: 'Ann')", 1), describeAll(Config{Personal: SamplesOn}))
	require.Equal(t, strings.NewReplacer(" (such as: 1, 2)", "", " (values: 'rye', 'baker''s')", "").Replace(whole), describeAll(Config{Samples: SamplesOff}))
	// Less and less is told where there is no room: never more than fits.
	last := len(whole)
	for most := chat.EstimateTokens(whole); most > 0; most-- {
		text := describeAll(Config{MaxSchemaTokens: most})
		require.LessOrEqual(t, chat.EstimateTokens(text), most)
		require.LessOrEqual(t, len(text), last)
		last = len(text)
	}
	require.Empty(t, describeAll(Config{MaxSchemaTokens: 1}))
}

// TestWhatTheIngestSawIsTold: a unit, a range and rows without a value decide how a
// condition is written. A range is made of stored values: it goes where these go.
func TestWhatTheIngestSawIsTold(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{
			Name: catalog.Name{Schema: "s", Table: "sales"}, RowCount: 900,
			Columns: []catalog.Column{
				{Name: "id", Type: "bigint", PrimaryKey: true, Low: "1", High: "900"},
				{Name: "shop", Type: "bigint", Low: "1", High: "7"},
				{Name: "day", Type: "date", Low: "2024-02-01", High: "2025-01-31", Missing: 3},
				{Name: "price", Type: "double", Unit: "EUR", Low: "0.5", High: "99"},
				{Name: "discount", Type: "double", Unit: "%"},
				{Name: "stars", Type: "bigint", Low: "1", High: "3", Distinct: 3, Samples: []string{"1", "2", "3"}},
				{Name: "age", Type: "bigint", Low: "18", High: "94", Missing: 2, Personal: &catalog.Personal{Kind: "age"}},
				{Name: "note", Type: "varchar", Missing: 899},
			},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"shop"}, RefTable: catalog.Name{Schema: "s", Table: "hidden"}, RefColumns: []string{"id"}}},
		},
	}
	told := func(cfg Config) string {
		cfg.MaxTables, cfg.MaxSchemaTokens = 9, 4000
		return (&desk{cfg: cfg}).schema(&team.Task{Question: "x", Tables: tables}, nil)
	}
	const whole = `table s.sales -- 900 rows
  id bigint key
  shop bigint
  day date [2024-02-01 to 2025-01-31; 3 NULL]
  price double [in EUR; 0.5 to 99]
  discount double [parts of 1]
  stars bigint (values: 1, 2, 3)
  age bigint [2 NULL] (data of persons: age)
  note varchar [899 NULL]
`
	require.Equal(t, whole, told(Config{}))
	require.Contains(t, told(Config{Personal: SamplesOn}), "age bigint [18 to 94; 2 NULL]\n")
	require.Equal(t, strings.NewReplacer("2024-02-01 to 2025-01-31; ", "", "; 0.5 to 99", "", " (values: 1, 2, 3)", "").Replace(whole), told(Config{Samples: SamplesOff}))
}

func TestShownColumns(t *testing.T) {
	t.Parallel()
	table := catalog.Table{ForeignKeys: []catalog.ForeignKey{{Columns: []string{"f"}}}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		table.Columns = append(table.Columns, catalog.Column{Name: name})
	}
	table.Columns[3].Partition, table.Columns[4].PrimaryKey = true, true
	table.Columns[6].Comment = "rye"
	shown := func(most int, asked string) string {
		list, left := shownColumns(&table, most, wordsOf(asked))
		var out []string
		for _, l := range list {
			out = append(out, l.name)
		}
		return fmt.Sprintf("%s %d", strings.Join(out, ""), left)
	}
	require.Equal(t, "abcdefg 0", shown(7, ""))
	require.Equal(t, "abcdef 1", shown(6, ""))
	require.Equal(t, "adef 3", shown(4, ""))
	require.Equal(t, "def 4", shown(3, "a"))
	require.Equal(t, "cdef 3", shown(4, "c"))
	require.Equal(t, "defg 3", shown(4, "rye"))
	require.Equal(t, "cdef 3", shown(4, "rye c"), "a name tells more than a comment")
	table.Columns[1].Samples = []string{"Old Mill"}
	require.Equal(t, "bdef 3", shown(4, "c in the old mill"), "a stored value that is asked for tells most")
}

func TestSampledValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 9)
	for what, c := range map[string]struct {
		column catalog.Column
		most   int
		asked  string
		want   string
		all    bool
	}{
		"none":                 {catalog.Column{Type: "varchar", Samples: []string{"a"}}, 0, "", "", false},
		"no values":            {catalog.Column{Type: "varchar"}, 3, "", "", false},
		"such as":              {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "c", "d"}, Distinct: 9}, 3, "", "'a' 'b' 'c'", false},
		"all of them":          {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "c", "d", "e", "f"}, Distinct: 6}, 3, "", "'a' 'b' 'c' 'd' 'e' 'f'", true},
		"too many for all":     {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "c", "d", "e", "f", "g"}, Distinct: 7}, 3, "", "'a' 'b' 'c'", false},
		"a long one":           {catalog.Column{Type: "varchar", Samples: []string{"a", long}, Distinct: 2}, 3, "", "'a'", false},
		"a long one named":     {catalog.Column{Type: "varchar", Samples: []string{"a", long}, Distinct: 2}, 3, "long", "'a' '" + long + "'", true},
		"most of three words":  {catalog.Column{Type: "varchar", Samples: []string{"a", "Old Mill Inc."}, Distinct: 9}, 1, "which old mill", "'Old Mill Inc.'", false},
		"blanks are kept":      {catalog.Column{Type: "varchar", Samples: []string{"a ", "b\nc"}, Distinct: 9}, 2, "", "'a ' 'b c'", false},
		"named first":          {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "old mill"}, Distinct: 9}, 2, "mill old", "'a' 'old mill'", false},
		"named by a plural":    {catalog.Column{Type: "varchar", Samples: []string{"a", "mills"}, Distinct: 9}, 1, "mill", "'mills'", false},
		"half named":           {catalog.Column{Type: "varchar", Samples: []string{"a", "old mill"}, Distinct: 9}, 1, "mill", "'a'", false},
		"more named than most": {catalog.Column{Type: "varchar", Samples: []string{"x", "a1", "a2", "a3"}, Distinct: 900}, 1, "a1 a2 a3", "'a1' 'a2' 'a3'", false},
		"of very many":         {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "c"}, Distinct: 101}, 6, "", "'a' 'b'", false},
		"of many":              {catalog.Column{Type: "varchar", Samples: []string{"a", "b", "c"}, Distinct: 100}, 6, "", "'a' 'b' 'c'", false},
		"numbers":              {catalog.Column{Type: "bigint", Samples: []string{"1", "2"}, Distinct: 2}, 6, "", "1 2", true},
		"quotes and lines":     {catalog.Column{Type: "varchar", Samples: []string{"it's\nso"}, Distinct: 9}, 6, "", "'it''s so'", false},
	} {
		values, all := samples(&c.column, c.most, wordsOf(c.asked))
		require.Equal(t, c.want, strings.Join(values, " "), what)
		require.Equal(t, c.all, all, what)
	}
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprint("x", i))
	}
	values, _ := samples(&catalog.Column{Type: "varchar", Samples: many, Distinct: 500}, 2, wordsOf(strings.Join(many, " ")))
	require.Len(t, values, maxNamed)
	require.False(t, isNamed("--", wordsOf("a")))
}

// TestColumnsOfOnePatternAreOneLine: a wide table of measures is told whole; what is known
// of a column more than its name keeps it apart, and no combination is told that is not there.
func TestColumnsOfOnePatternAreOneLine(t *testing.T) {
	t.Parallel()
	told := func(columns ...catalog.Column) string {
		var out []string
		for _, l := range lines(&catalog.Table{Columns: columns}) {
			out = append(out, fmt.Sprintf("%s=%d", l.name, len(l.columns)))
		}
		return strings.Join(out, " ")
	}
	of := func(typ string, names ...string) (out []catalog.Column) {
		for _, n := range names {
			out = append(out, catalog.Column{Name: n, Type: typ})
		}
		return out
	}
	var wide []catalog.Column
	wide = append(wide, of("bigint", "id")...)
	for _, product := range []string{"card", "loan", "fx"} {
		for _, what := range []string{"amt", "cnt"} {
			for _, span := range []string{"7d", "30d"} {
				wide = append(wide, of("double", product+"_"+what+"_"+span)...)
			}
		}
	}
	require.Equal(t, "id=1 {card,loan,fx}_{amt,cnt}_{7d,30d}=12", told(wide...))
	wide = append(wide, of("double", "card_max_7d")...)
	require.Equal(t, "id=1 {card,loan,fx}_{amt,cnt}_{7d,30d}=12 card_max_7d=1", told(wide...), "what completes no pattern stands alone")
	require.Equal(t, "a_x=1 a_y=1 b_x=1", told(of("double", "a_x", "a_y", "b_x")...), "too few")
	require.Equal(t, "a_x=1 a_y=1 b_x=1 b_y=1", told(append(of("double", "a_x", "a_y", "b_x"), of("bigint", "b_y")...)...), "of two types")
	require.Equal(t, "{a,b}_{x,y}=4", told(of("double", "a_x", "a_y", "b_x", "b_y")...))
	require.Equal(t, "a_x=1 a_y=1 b_x=1 b_y=1", told(of("varchar", "a_x", "a_y", "b_x", "b_y")...), "texts have values to tell")
	for name, change := range map[string]func(c *catalog.Column){
		"comment": func(c *catalog.Column) { c.Comment = "net" }, "key": func(c *catalog.Column) { c.PrimaryKey = true },
		"partition": func(c *catalog.Column) { c.Partition = true }, "unit": func(c *catalog.Column) { c.Unit = "kg" },
		"personal": func(c *catalog.Column) { c.Personal = &catalog.Personal{Kind: "name"} }, "quotes": func(c *catalog.Column) { c.Name = "B_y" + "é" },
	} {
		four := of("double", "a_x", "a_y", "b_x", "b_y")
		change(&four[3])
		require.NotContains(t, told(four...), "{", name)
	}
}

// TestNamesAreToldAsSQLHasThem: quotes where they are needed, keys of several columns,
// columns whose values are all different, and spellings of one value.
func TestNamesAreToldAsSQLHasThem(t *testing.T) {
	t.Parallel()
	animals := catalog.Table{
		Name: catalog.Name{Region: "zoo", Schema: "main", Table: "Animal list"}, RowCount: 500,
		Columns: []catalog.Column{
			{Name: "a", Type: "bigint", PrimaryKey: true},
			{Name: "b", Type: "bigint", PrimaryKey: true},
			{Name: "编号", Type: "varchar", Distinct: 500},
			{Name: "Kind", Type: "varchar", Distinct: 140, Samples: []string{"Cat", "cat ", "Dog"}},
		},
		ForeignKeys: []catalog.ForeignKey{{Columns: []string{"编号"}, RefTable: catalog.Name{Region: "zoo", Schema: "main", Table: "Animal list"}, RefColumns: []string{"编号"}}},
	}
	other := catalog.Table{Name: catalog.Name{Region: "zoo", Schema: "main", Table: "other"}}
	d := &desk{cfg: Config{MaxTables: 9, MaxSchemaTokens: 4000}}
	const whole = `table zoo.main."Animal list" -- 500 rows
  a bigint part of key
  b bigint part of key
  "编号" varchar unique
  Kind varchar (140 values, such as: 'Cat', 'cat '; one value in several spellings: compare and group by lower(trim(Kind)))
  join: "编号" = zoo.main."Animal list"."编号"
`
	task := team.Task{Question: "x", Tables: []catalog.Table{animals, other}}
	require.Equal(t, whole+"table zoo.main.other\n", d.schema(&task, nil))
	require.Equal(t, whole, d.schemaOf(&task, []string{"zoo.main.Animal list"}))
	require.Equal(t, whole+"table zoo.main.other\n", d.schemaOf(&task, []string{"zoo.main.nothing"}))
}

// TestValuesOfFiltersAreStored: where all values of a dimension are known, a filter names one
// of them, as it is stored; else the model is told which there are.
func TestValuesOfFiltersAreStored(t *testing.T) {
	t.Parallel()
	layer := bakery()
	layer.Dimensions[0].Complete = true
	layer.Dimensions = append(layer.Dimensions, semantic.Dimension{ID: "shop__van", Names: semantic.Text{EN: "Shop"}})
	of := func(cfg Config) *definitions {
		cfg.MaxLayerItems = 10
		return (&desk{cfg: cfg}).definitions(&team.Task{Question: "x", Language: lang.English, Layer: layer})
	}
	d := of(Config{})
	require.NotContains(t, d.dimensions, "shop__van", "it is the shop of another table")
	asks := func(d *definitions, dimension, operator string, values ...string) ([]string, []string) {
		r := &read{Outcome: outcomeMetrics, Metrics: []readMetric{{ID: "loaves"}}, Filters: []readFilter{{Dimension: dimension, Operator: operator, Values: values}}}
		return d.check(r), r.Filters[0].Values
	}
	problems, values := asks(d, "shop", "in", "north", "DOOR")
	require.Empty(t, problems)
	require.Equal(t, []string{"North", "Gate"}, values)
	problems, _ = asks(d, "shop", "=", "磨坊")
	require.Equal(t, []string{`shop has no value "磨坊"; its values are: North; Gate; Old Mill`}, problems)
	problems, _ = asks(d, "shop", "contains", "Mil")
	require.Empty(t, problems)
	problems, _ = asks(d, "kind", "in", "rye")
	require.Empty(t, problems, "not all of its values are known")
	problems, _ = asks(of(Config{Samples: SamplesOff}), "shop", "=", "Moon")
	require.Empty(t, problems, "no stored value is told")
}
