package answer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// TestSummariesAreBounded: a full summary has at most 2,000 tokens, no title, and
// the levels tell more and more.
func TestSummariesAreBounded(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		s := Summary{Language: l, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		for i := range 100 {
			s.Tables = append(s.Tables, Shown{Reasons: []string{"matches orders", "12 queries in 30 days"}, Chosen: filter.Chosen{Ranked: rank.Ranked{Table: &catalog.Table{
				Name: catalog.Name{Region: "sg", Schema: "s", Table: fmt.Sprintf("t%d", i)}, RowCount: 5,
				Description: "Orders of the day\n# 订单明细" + strings.Repeat("，每行一单", 200), Grain: "one order",
				Columns:     []catalog.Column{{Name: "id", PrimaryKey: true}},
				ForeignKeys: []catalog.ForeignKey{{Columns: []string{"id"}, RefTable: catalog.Name{Region: "sg", Schema: "s", Table: "other"}, RefColumns: []string{"id"}}},
			}}}})
		}
		s.Terms = []catalog.Term{{Term: "GMV", Definition: "all orders\n# of a day"}}
		length := make(map[Level]int)
		for _, level := range []Level{Short, Full, Expert} {
			s.Level = level
			text := w.Summarize(s)
			length[level] = tokens(text)
			require.LessOrEqual(t, tokens(text), 2000)
			require.False(t, strings.HasPrefix(text, "# ") || strings.Contains(text, "\n# "), "no title")
			require.Contains(t, text, "`sg.s.t0`", "most relevant first")
			require.Equal(t, level == Expert, strings.Contains(text, "sg.s.other"), "joins are for experts")
		}
		require.Less(t, length[Short], 500)
		require.Greater(t, length[Full], length[Short])
	}
	require.Equal(t, 3, tokens("订单 ab"))
	require.Equal(t, 1, tokens("abcd"))
}

// TestAnExpertSeesJoinsAndLineage: a full summary is a Markdown table of names and reasons
// whose cells nothing in a text breaks; an expert's says how tables are joined, by keys
// and in people's queries, what they are made from, what they go into and what replaces
// them, in both languages.
func TestAnExpertSeesJoinsAndLineage(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	name := func(table string) catalog.Name { return catalog.Name{Region: "sg", Schema: "s", Table: table} }
	orders := &catalog.Table{
		Name: name("orders"), RowCount: -1, Description: "Orders | a row each\nof the shop", Upstream: []catalog.Name{name("raw")}, Successor: "sg.s.orders_v2",
		ForeignKeys: []catalog.ForeignKey{{Columns: []string{"buyer", "land"}, RefTable: name("users"), RefColumns: []string{"id", "land"}}},
		Usage: &catalog.Usage{Joins: []catalog.Join{
			{Table: name("users"), Columns: []string{"buyer", "land"}, RefColumns: []string{"id", "land"}, Queries: 9},
			{Table: name("shops"), Columns: []string{"shop"}, RefColumns: []string{"id"}, Queries: 1200},
			{Table: name("days"), Queries: 5},
		}},
	}
	for i := range maxLineage + 3 {
		orders.Upstream = append(orders.Upstream, name(fmt.Sprintf("part%d", i)))
	}
	s := Summary{
		Level: Full, Tables: []Shown{{Reasons: []string{"matches a | b"}, Chosen: filter.Chosen{Ranked: rank.Ranked{Table: orders}}}},
		Downstream: map[catalog.Name][]catalog.Name{orders.Name: {name("daily")}},
	}
	for _, c := range []struct {
		language               lang.Language
		head, lineage, replace string
		expert                 []string
	}{
		{lang.English, "| table | what it holds | why |\n| --- | --- | --- |\n", "## Lineage", "`sg.s.orders` is replaced by `sg.s.orders_v2`", []string{
			"- `sg.s.orders` to `sg.s.users`, on buyer = id, land = land (key)\n", "- `sg.s.orders` to `sg.s.shops`, on shop = id (1,200 queries)\n",
			"- `sg.s.orders` is made from `sg.s.raw`, `sg.s.part0`", "`sg.s.part6` … and 4 more\n", "- `sg.s.orders` goes into `sg.s.daily`\n",
		}},
		{lang.Chinese, "| 表 | 内容 | 理由 |\n| --- | --- | --- |\n", "## 血缘", "`sg.s.orders` 已由 `sg.s.orders_v2` 替代", []string{
			"- `sg.s.orders` 关联 `sg.s.users`，条件 buyer = id, land = land（键）\n", "- `sg.s.orders` 关联 `sg.s.shops`，条件 shop = id（1,200 次查询）\n",
			"- `sg.s.orders` 由 `sg.s.raw`、`sg.s.part0`", "- `sg.s.orders` 用于加工 `sg.s.daily`\n",
		}},
	} {
		s.Language, s.Level = c.language, Full
		full := w.Summarize(s)
		require.Contains(t, full, c.head+"| `sg.s.orders` | ")
		require.Contains(t, full, `| matches a \| b |`)
		require.NotContains(t, full, c.lineage)
		s.Level = Expert
		expert := w.Summarize(s)
		for _, want := range append(c.expert, c.lineage+"\n\n", c.replace) {
			require.Contains(t, expert, want)
		}
		require.NotContains(t, expert, "sg.s.days", "no columns, no join")
		require.Equal(t, 1, strings.Count(expert, "`sg.s.users`"), "a key that people join by is told once")
	}
}

// TestAShortSummaryIsTwoSentences: also where no mart fits.
func TestAShortSummaryIsTwoSentences(t *testing.T) {
	t.Parallel()
	w, err := New(Config{})
	require.NoError(t, err)
	s := Summary{Language: lang.English, Fallback: w.Say(lang.English, "fallback")}
	for _, name := range []string{"a", "b"} {
		s.Tables = append(s.Tables, Shown{Chosen: filter.Chosen{Ranked: rank.Ranked{Table: &catalog.Table{Name: catalog.Name{Schema: "s", Table: name}, RowCount: -1}}}})
	}
	require.Equal(t, "No single area fits the question; these are tables of the general layer. Best table: `s.a`.", w.Summarize(s))
	s.Fallback = ""
	require.Equal(t, "Best table: `s.a`. Also: `s.b`.", w.Summarize(s))
}
