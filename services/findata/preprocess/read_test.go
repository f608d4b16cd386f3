package preprocess_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/library"
	"github.com/dibrain/dibrain/services/findata/preprocess"
)

// reading reads questions against a small catalog, as somebody who may not see the table
// secret_plan.
func reading(t *testing.T, most int) func(preprocess.Request) preprocess.Question {
	t.Helper()
	one := func(region, schema, name, country string, columns ...string) catalog.Table {
		out := catalog.Table{Name: catalog.Name{Region: region, Schema: schema, Table: name}, Country: country}
		for _, c := range append(columns, "id") {
			out.Columns = append(out.Columns, catalog.Column{Name: c, Type: "varchar"})
		}
		return out
	}
	of := func(topic string, t catalog.Table) catalog.Table {
		t.Topic = topic
		return t
	}
	x := catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{
		one("sg", "shop", "dwd_order", "", "net_amount"), one("us", "shop", "dwd_order", ""), one("sg", "shop", "visit_sg", "SG"), one("sg", "shop", "visit_br", "BR"),
		of("Hidden", one("sg", "plans", "secret_plan", "")), of("Stock", one("sg", "shop", "depot", "")),
		of("Stock Takes", one("sg", "shop", "shelf", "")), of("退货", one("sg", "shop", "returned", "")),
	}}, catalog.Defaults{Region: "sg", Schema: "shop"})
	cfg, err := retrieval.DefaultConfig()
	require.NoError(t, err)
	corpus, err := retrieval.Build(t.Context(), cfg, x, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, corpus.Close()) })
	r, err := preprocess.New(preprocess.Config{MaxNear: 2, MaxMentions: most})
	require.NoError(t, err)
	view := x.Restrict(func(t *catalog.Table) bool { return t.Name.Table != "secret_plan" })
	v := &library.Volume{Index: x, Corpus: corpus, Countries: country.CoverageOf(x)}
	return func(req preprocess.Request) preprocess.Question { return r.Read(v, view, req) }
}

// TestNamesInAQuestion: which tables a request names, by which of its names, and which
// names no table that the asker sees has. A column is no unknown table, a plain word is no
// name unless it is marked, and a hidden table is as one that is not there.
func TestNamesInAQuestion(t *testing.T) {
	t.Parallel()
	read := reading(t, 3)
	for _, c := range []struct {
		req            preprocess.Request
		named, unknown string
	}{
		{preprocess.Request{Text: "rows of dwd_order"}, "dwd_order=sg.shop.dwd_order", ""},
		{preprocess.Request{Text: "rows of us.shop.dwd_order."}, "us.shop.dwd_order=us.shop.dwd_order", ""},
		{preprocess.Request{Text: "DWD_Order and dwd_order"}, "DWD_Order=sg.shop.dwd_order", ""},
		{preprocess.Request{Text: "depot by day"}, "", ""},
		{preprocess.Request{Text: "@depot by day"}, "depot=sg.shop.depot", ""},
		{preprocess.Request{Text: "`depot` by day"}, "depot=sg.shop.depot", ""},
		{preprocess.Request{Text: "what is prefill_hive_table_depot"}, "depot=sg.shop.depot", ""},
		{preprocess.Request{Text: "sum of net_amount"}, "", ""},
		{preprocess.Request{Text: "sum of dwd_order.net_amount"}, "dwd_order.net_amount=sg.shop.dwd_order", ""},
		{preprocess.Request{Text: "sum of sg.shop.dwd_order.net_amount"}, "sg.shop.dwd_order.net_amount=sg.shop.dwd_order", ""},
		{preprocess.Request{Text: "sum of dwd_orders and dwd_orders"}, "", "dwd_orders"},
		{preprocess.Request{Text: "e.g. the orders of v1.2"}, "", ""},
		{preprocess.Request{Text: "@gadget by day"}, "", "gadget"},
		{preprocess.Request{Text: "a.b.gadget by day"}, "", "a.b.gadget"},
		{preprocess.Request{Text: "rows of secret_plan"}, "", "secret_plan"},
		{preprocess.Request{Text: "how do I use the column is_open of the table dim_gadgets ?"}, "", "dim_gadgets"},
		{preprocess.Request{Text: "how do I use the is_open column of the table dim_gadgets ?"}, "", "dim_gadgets"},
		{preprocess.Request{Text: "表 dim_gadgets 的 is_open 列怎么用？"}, "", "dim_gadgets"},
		{preprocess.Request{Text: "is_open这个字段在表 dim_gadgets 里是什么？"}, "", "dim_gadgets"},
		{preprocess.Request{Text: "dim_gadgets 字段"}, "", "dim_gadgets"},
		{preprocess.Request{Text: "表 gadget_list 字段有哪些"}, "", "gadget_list"},
		{preprocess.Request{Text: "gadget_list columns"}, "", "gadget_list"},
		{preprocess.Request{Text: "rows of kim_lee@help.example and of a@mail.sg.shop.dwd_visits.example"}, "", ""},
		{preprocess.Request{Text: "kim@help.example处理了多少 dwd_orders"}, "", "dwd_orders"},
		{preprocess.Request{Text: "views of https://help.example/a_page.b_c?x_y=1"}, "", ""},
		{preprocess.Request{Text: "rows of @sg.shop.gadget"}, "", "sg.shop.gadget"},
		{preprocess.Request{Text: "rows", Selected: []string{" visit_sg ", "prefill_hive_table_depot", "gone", "dwd_order"}}, "visit_sg=sg.shop.visit_sg depot=sg.shop.depot", "gone"},
		{preprocess.Request{Text: "rows of visit_sg", Selected: []string{"visit_sg"}}, "visit_sg=sg.shop.visit_sg", ""},
	} {
		q := read(c.req)
		var named, unknown []string
		for _, n := range q.Named {
			var tables []string
			for _, one := range n.Tables {
				tables = append(tables, one.Name.String())
			}
			named = append(named, n.As+"="+strings.Join(tables, "+"))
		}
		for _, u := range q.Unknown {
			unknown = append(unknown, u.Name)
			require.LessOrEqual(t, len(u.Near), 2)
			for _, near := range u.Near {
				require.NotEqual(t, "secret_plan", near.Table)
			}
		}
		require.Equal(t, c.named, strings.Join(named, " "), "%+v", c.req)
		require.Equal(t, c.unknown, strings.Join(unknown, " "), "%+v", c.req)
		require.Len(t, q.NameSpans, spans(q, c.req), "%+v", c.req)
	}
}

// TestWordsBeforeAName: what is called a column is no table, and what is called a table is
// one for sure, however far into a question.
func TestWordsBeforeAName(t *testing.T) {
	t.Parallel()
	read := reading(t, 3)
	far := strings.Repeat("of all that there is ", 40)
	for text, want := range map[string]string{
		"the total of column gate_no": "", "values of the Attributes  \"gate_no\"": "", "字段 gate_no 的总和": "", "the fields\n'gate_no' and more": "",
		"the total of gate_no": "gate_no?", "my column, gate_no": "gate_no?", "the subcolumn gate_no": "gate_no?",
		"rows of table gate_no": "gate_no!", "rows of the table called \"gate_no\"": "gate_no!", "查表 gate_no": "gate_no!", "a portable gate_no": "gate_no?",
	} {
		for _, before := range []string{"", far} {
			q := read(preprocess.Request{Text: before + text})
			got := ""
			for _, u := range q.Unknown {
				if got += u.Name + "?"; u.Sure {
					got = u.Name + "!"
				}
			}
			require.Equal(t, want, got, before+text)
		}
	}
}

// TestLooseNames: a name is loose that stands in the text as a word alone.
func TestLooseNames(t *testing.T) {
	t.Parallel()
	read := reading(t, 3)
	for _, c := range []struct {
		req   preprocess.Request
		loose bool
	}{
		{preprocess.Request{Text: "rows of dwd_order"}, true},
		{preprocess.Request{Text: "rows of us.shop.dwd_order"}, false},
		{preprocess.Request{Text: "rows of @dwd_order"}, false},
		{preprocess.Request{Text: "rows of `dwd_order`"}, false},
		{preprocess.Request{Text: "rows", Selected: []string{"dwd_order"}}, false},
	} {
		q := read(c.req)
		require.Len(t, q.Named, 1, "%+v", c.req)
		require.Equal(t, c.loose, q.Named[0].Loose, "%+v", c.req)
	}
}

// spans counts the places of the text that name what was read from it.
func spans(q preprocess.Question, req preprocess.Request) (n int) {
	names := make([]string, 0, len(q.Named)+len(q.Unknown))
	for _, one := range q.Named {
		names = append(names, strings.ToLower(one.As))
	}
	for _, one := range q.Unknown {
		names = append(names, strings.ToLower(one.Name))
	}
	for _, word := range strings.Fields(strings.ToLower(req.Text)) {
		word = strings.Trim(strings.TrimPrefix(strings.Trim(word, "@`"), "prefill_hive_table_"), ".")
		if slices.Contains(names, word) {
			n++
		}
	}
	return n
}

// TestTopicsInAQuestion: a topic that the question calls one, the longest that stands there,
// and none that the asker sees no table of.
func TestTopicsInAQuestion(t *testing.T) {
	t.Parallel()
	read := reading(t, 3)
	for text, want := range map[string]string{
		"which tables are in the topic Stock?": "Stock [24 35]",
		"the topic “stock takes” by day":       "Stock Takes [4 24]",
		"stock takes topic":                    "Stock Takes [0 17]",
		"退货主题有哪些表":                             "退货 [0 12]",
		"主题：退货":                                "退货 [0 15]",
		"topic Stock and topic Stock Takes":    "Stock,Stock Takes [0 11] [16 33]",
		"topic stockings":                      "",
		"overstock topic":                      "",
		"stock by topic":                       "",
		"tables of the topic Hidden":           "",
		"stock of the depot":                   "",
		"what topics are there":                "",
	} {
		q := read(preprocess.Request{Text: text})
		got := strings.Join(q.Topics, ",")
		for _, at := range q.NameSpans {
			got += fmt.Sprintf(" [%d %d]", at.Start, at.End)
		}
		require.Equal(t, want, got, text)
	}
}

// TestWhatTheConversationSpokeOf: tables that earlier messages name, in their order. So
// many names of a message are looked at, however many words stand between them.
func TestWhatTheConversationSpokeOf(t *testing.T) {
	t.Parallel()
	read := reading(t, 2)
	q := read(preprocess.Request{Text: "and by day?", History: []string{"rows of visit_sg", "depot, secret_plan, gone_table and visit_br@help.example", "dwd_order"}})
	var earlier []string
	for _, one := range q.Earlier {
		earlier = append(earlier, one.Name.Table)
	}
	require.Equal(t, []string{"visit_sg", "dwd_order"}, earlier)
	require.Empty(t, q.Named)
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "no_table_%d ", i)
	}
	require.Len(t, read(preprocess.Request{Text: text.String()}).Unknown, 2)
	words := strings.Repeat("and the rows ", 100)
	q = read(preprocess.Request{Text: words + "of dwd_order", History: []string{words + "of visit_sg", "visit_sg, dwd_order, visit_br"}})
	require.Len(t, q.Named, 1, "words are no names")
	earlier = nil
	for _, one := range q.Earlier {
		earlier = append(earlier, one.Name.Table)
	}
	require.Equal(t, []string{"visit_sg", "visit_sg", "dwd_order"}, earlier)
}

// TestCountriesOfAQuestion: those that the source has, once each in the question's order,
// but not within the name of a table; the asker's own where the source has it.
func TestCountriesOfAQuestion(t *testing.T) {
	t.Parallel()
	read := reading(t, 0)
	for _, c := range []struct {
		text, region string
		countries    []string
		every        bool
		own          string
	}{
		{"visits in Brazil and Singapore and Brazil", "sg", []string{"BR", "SG"}, false, "SG"},
		{"visits in France", "fr", nil, false, ""},
		{"visits of visit_br by country", "", nil, true, ""},
		{"visits", "BR", nil, false, "BR"},
	} {
		q := read(preprocess.Request{Text: c.text, UserRegion: c.region})
		require.Equal(t, c.countries, q.Countries, c.text)
		require.Equal(t, c.every, q.Every, c.text)
		require.Equal(t, c.own, q.Region, c.text)
	}
}

// TestPhrasesOfSQLAreAsWritten: who writes "order by" asks for rows and for no orders; who
// writes "orders by" asks for orders.
func TestPhrasesOfSQLAreAsWritten(t *testing.T) {
	t.Parallel()
	read := reading(t, 0)
	for text, want := range map[string]string{
		"orders by city": "orders city", "depots order by city": "depots city", "Depots GROUP BY city": "Depots city", "depots, sorted by city": "depots city",
	} {
		q := read(preprocess.Request{Text: text})
		var subjects []string
		for _, c := range q.Content {
			subjects = append(subjects, c.Surface)
		}
		require.Equal(t, want, strings.Join(subjects, " "), text)
		require.Equal(t, want != "orders city", q.AsksForRows, text)
	}
}
