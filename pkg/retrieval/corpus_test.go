package retrieval_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// table makes one of "schema.table description | column, column: comment".
func table(text string) catalog.Table {
	head, columns, _ := strings.Cut(text, "|")
	name, description, _ := strings.Cut(strings.TrimSpace(head), " ")
	schema, short, _ := strings.Cut(name, ".")
	t := catalog.Table{Name: catalog.Name{Schema: schema, Table: short}, Description: description, RowCount: -1}
	for c := range strings.SplitSeq(columns, ",") {
		if name, comment, _ := strings.Cut(strings.TrimSpace(c), ":"); name != "" {
			t.Columns = append(t.Columns, catalog.Column{Name: name, Type: "varchar", Comment: strings.TrimSpace(comment)})
		}
	}
	return t
}

func snapshot(texts ...string) *catalog.Snapshot {
	s := &catalog.Snapshot{}
	for _, text := range texts {
		s.Tables = append(s.Tables, table(text))
	}
	return s
}

func candidates(tb testing.TB, x *retrieval.Corpus, question string, keep func(*catalog.Table) bool) []retrieval.Candidate {
	tb.Helper()
	list, err := x.Candidates(context.Background(), x.Parse(question, nil), keep)
	require.NoError(tb, err)
	return list
}

func names(list []retrieval.Candidate) []string {
	all := []string{}
	for _, c := range list {
		all = append(all, c.Table.Name.Table)
	}
	return all
}

var shop = []string{
	"shop.orders all orders of the shop | order_id, customer_id, order_date, total_amt: total amount",
	"shop.customers | customer_id, first_name, last_name, city",
	"shop.order_items | order_id, item_id, ord_qty",
	"shop.items | item_id, title, unitprice",
	"zoo.tbl_trtl_msrmnts | trtl_id, wgt, lngth",
	"zoo.keepers | keeper_id, name, city",
	"world.countrylanguage | countrycode, isofficial, percentage",
	"world.country | code, name, population",
}

// A word of the general list inside of a longer Chinese word is not that word: the
// people of "人口" and the department of "系列" are none.
func TestPartsOfChineseWordsMeanNothing(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot("hr.staff | person_id, staff_no", "world.areas | area_code, population", "hr.department | dept_id", "tv.shows | series, channel"))
	for question, want := range map[string]string{"人口最多的是哪个": "areas", "系列": "shows", "每个人": "staff", "系的数量": "department"} {
		found := names(candidates(t, x, question, nil))
		require.NotEmpty(t, found, question)
		require.Equal(t, want, found[0], question)
	}
}

func TestWordsOfAQuestionFindTables(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot(shop...))
	for question, want := range map[string]string{
		"How many orders are there?":        "orders",
		"in which city do customers live":   "customers",
		"quantity of each item in an order": "order_items", // by ord_qty
		"what is the unit price of an item": "items",       // unitprice
		"which languages are official":      "countrylanguage",
		"weight and length of the turtles":  "tbl_trtl_msrmnts",
		"measurements of turtles":           "tbl_trtl_msrmnts",
		"顾客住在哪个城市":                          "customers",
		"每个国家的人口":                           "country",
		"the total amount by date of order": "orders",
		"CountryLanguage":                   "countrylanguage",
	} {
		found := names(candidates(t, x, question, nil))
		require.NotEmpty(t, found, question)
		require.Contains(t, found[:min(2, len(found))], want, question)
	}
	require.Empty(t, candidates(t, x, "", nil))
	require.Empty(t, candidates(t, x, "zzzz", nil))
}

// A way to say a concept counts by how much of it there is, and of several ways the one
// that tells most; what the ranker weighs is what Why tells.
func TestEvidenceIsTheBestWayToSayAConcept(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot("shop.racks | gross_value, day", "shop.walls | gross, day", "shop.other | name"))
	q := x.Parse("gross merchandise value by day", nil)
	told := map[string]retrieval.Evidence{}
	list, err := x.Candidates(t.Context(), q, nil)
	require.NoError(t, err)
	for _, c := range list {
		var worth float64
		for _, e := range x.Why(q, c.Table) {
			worth += e.Worth
			if e.Concept.Surface != "day" {
				told[c.Table.Name.Table] = e
			}
		}
		require.InDelta(t, worth, c.Features.Evidence(), 1e-12, c.Table.Name.Table)
	}
	require.Len(t, told, 2)
	require.InDelta(t, 2.0/3, told["racks"].Share, 1e-12)
	require.InDelta(t, 1.0/3, told["walls"].Share, 1e-12)
	require.Greater(t, told["racks"].Worth, 2*told["walls"].Worth, "half of a phrase is less than half of it")
	for name, entry := range map[string]string{"shop.racks | gross_merchandise_value": "", "shop.racks | gmv": "GMV", "shop.racks | value, gmv": "GMV"} {
		x := build(t, snapshot(name, "shop.other | day"))
		q := x.Parse("gross merchandise value", nil)
		list, err := x.Candidates(t.Context(), q, nil)
		require.NoError(t, err)
		require.Len(t, list, 1)
		why := x.Why(q, list[0].Table)
		require.Len(t, why, 1)
		require.Equal(t, entry, why[0].Entry, name)
	}
}

// Each place of the question's words is a feature of its own.
func TestFeatures(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot(shop...))
	all := retrieval.FeatureNames()
	feature := func(question, table, name string) float64 {
		n := slices.Index(all, name)
		require.GreaterOrEqual(t, n, 0, name)
		for _, c := range candidates(t, x, question, nil) {
			if c.Table.Name.Table == table {
				return c.Features[n]
			}
		}
		require.Fail(t, "no candidate", "%s: %s", question, table)
		return 0
	}
	for _, c := range []struct {
		question, table, feature string
		least, most              float64
	}{
		{"orders", "orders", "bm25", 1, 1},
		{"orders", "order_items", "bm25", 0.01, 0.99},
		{"orders", "orders", "f_table", 1, 1},
		{"orders", "order_items", "name_share", 0.1, 0.9},
		{"orders", "orders", "name_share", 1, 1},
		{"orders", "orders", "name_full", 1, 1},
		{"orders", "order_items", "name_full", 0, 0},
		{"items", "order_items", "head_in", 1, 1},
		{"orders", "order_items", "head_in", 0, 0},
		{"order items", "order_items", "name_phrase", 0.99, 1.01},
		{"items of an order of somebody", "order_items", "name_phrase", 0.01, 1.01},
		{"city", "customers", "f_cols", 1, 1},
		{"city", "customers", "f_table", 0, 0},
		{"city", "customers", "colfit_nonkey", 0.99, 1.01},
		{"customer", "orders", "f_key", 1, 1},
		{"customer", "orders", "keyonly", 1, 1},
		{"customer", "customers", "keyonly", 0, 0},
		{"first name", "customers", "colbigram", 0.99, 1.01},
		{"customers of a shop", "customers", "f_db", 0.01, 0.99},
		{"city of customers", "customers", "cov", 0.99, 1.01},
		{"city of customers", "keepers", "cov", 0.01, 0.99},
		{"city of customers", "customers", "own_share", 0.99, 1.01},
		{"city of customers", "customers", "sch_cov_rel", 1, 1},
		{"city of customers", "keepers", "sch_cov_rel", 0.01, 0.99},
		{"city of customers", "customers", "bm_in_schema", 1, 1},
		{"title of the items in orders", "items", "nb_best", 0.01, 1},
		{"customers and their orders", "customers", "evidence", 0.1, 99},
	} {
		got := feature(c.question, c.table, c.feature)
		require.GreaterOrEqual(t, got, c.least, "%s of %s for %q", c.feature, c.table, c.question)
		require.LessOrEqual(t, got, c.most, "%s of %s for %q", c.feature, c.table, c.question)
	}
	require.Len(t, candidates(t, x, "orders", nil)[0].Features, len(all))
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	require.Len(t, slices.Compact(sorted), len(all), "names are told apart")
}

// A table joined with the best ones is a candidate without a word of its own.
func TestJoinedTablesCome(t *testing.T) {
	t.Parallel()
	s := snapshot("s.pilot | pilot_id, medals", "s.stint | stint_pilot_id, x", "s.other | y")
	s.Tables[1].ForeignKeys = []catalog.ForeignKey{{Columns: []string{"stint_pilot_id"}, RefTable: s.Tables[0].Name, RefColumns: []string{"pilot_id"}}}
	x := build(t, s)
	require.Equal(t, []string{"pilot", "stint"}, names(candidates(t, x, "medals", nil)))
	require.Equal(t, []string{"pilot"}, names(candidates(t, x, "medals", func(t *catalog.Table) bool { return t.Name.Table == "pilot" })))
}

// Of many twins the ones that the question wants are candidates.
func TestTwinsAreChosenByFacets(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, country := range []string{"br", "sg", "id", "th", "vn", "ph", "my", "tw"} {
		for _, kind := range []string{"orders", "refunds", "items", "sellers"} {
			texts = append(texts, "mp.dwd_"+kind+"_"+country+" | order_id, buyer_id, amount")
		}
	}
	x := build(t, snapshot(texts...))
	for _, c := range []struct{ question, want string }{
		{"orders in Brazil", "dwd_orders_br"},
		{"越南的订单", "dwd_orders_vn"},
		{"refunds for the Singapore market", "dwd_refunds_sg"},
	} {
		list := candidates(t, x, c.question, nil)
		best := slices.Index(retrieval.FeatureNames(), "facet.best")
		var fits []string
		for _, candidate := range list {
			if candidate.Features[best] == 1 {
				fits = append(fits, candidate.Table.Name.Table)
			}
		}
		require.Contains(t, fits, c.want, c.question)
		require.LessOrEqual(t, len(list), 16, "at most four of a kind")
	}
}

func TestSameCandidatesEachTime(t *testing.T) {
	t.Parallel()
	first := candidates(t, build(t, snapshot(shop...)), "customers and items of their orders by city", nil)
	again := candidates(t, build(t, snapshot(shop...)), "customers and items of their orders by city", nil)
	require.Equal(t, len(first), len(again))
	for i := range first {
		require.Equal(t, first[i].Table.Name, again[i].Table.Name)
		require.Equal(t, first[i].Features, again[i].Features)
	}
}

func TestWeakWordsCountLess(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot("a.number_list | total", "a.turtle | weight", "a.bale | turtle_id", "a.orders | order_no"))
	fully := slices.Index(retrieval.FeatureNames(), "wcov")
	for _, c := range []struct{ question, table string }{
		{"list the total number of turtles", "turtle"},
		{`the turtle "number list"`, "turtle"},
		{"turtles in alphabetical order", "turtle"},
		{"weights ordered by 7", "turtle"},
		{"orders", "orders"},
	} {
		found := false
		for _, candidate := range candidates(t, x, c.question, nil) {
			name := candidate.Table.Name.Table
			switch {
			case name == c.table:
				found = true
				require.Positive(t, candidate.Features[fully], c.question)
			case c.table == "turtle" && (name == "number_list" || name == "orders"):
				require.Zero(t, candidate.Features[fully], "%s: %s", c.question, name)
			}
		}
		require.True(t, found, c.question)
	}
}

func TestLongQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot(shop...))
	q := x.Parse(strings.Repeat("订单 orders 客户 customers é ", 3000), nil)
	require.LessOrEqual(t, len(q.Concepts), retrieval.DefaultMaxConcepts)
	require.LessOrEqual(t, len(q.Text), retrieval.DefaultMaxQuestionBytes)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"orders of 'x' in 订单数", "顾客住在哪个城市?", "\xff\xfe", "'", "“a", "countrylanguage", "qty 2024-01-01"} {
		f.Add(s)
	}
	x := build(f, snapshot(shop...))
	f.Fuzz(func(t *testing.T, text string) {
		q := x.Parse(text, nil)
		for _, c := range q.Concepts {
			if c.Span.Start < 0 || c.Span.End > len(q.Text) || c.Span.Start >= c.Span.End {
				t.Fatalf("concept %+v of %q", c, text)
			}
		}
		if _, err := x.Candidates(t.Context(), q, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func TestKeysAreTold(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot("a.visit | buyer_id, userid, ShopKey, paid, phone_number, id", "a.other | nothing"))
	key := slices.Index(retrieval.FeatureNames(), "f_key")
	for word, want := range map[string]float64{"buyer": 1, "user": 0.5, "shop": 1, "paid": 0, "phone": 0} {
		list := candidates(t, x, word, nil)
		require.NotEmpty(t, list, word)
		require.GreaterOrEqual(t, list[0].Features[key], want, word)
		if want == 0 {
			require.Zero(t, list[0].Features[key], word)
		}
	}
}

// TestWordsEndWhereTheRestIsKnown: a name that people have for something is no word of a question
// where the caller knows a part of it to be something else; what is left is read.
func TestWordsEndWhereTheRestIsKnown(t *testing.T) {
	t.Parallel()
	s := snapshot("shop.orders | order_id, country, cancelled", "zoo.keepers | keeper_id")
	s.Glossary = []catalog.Term{{Term: "Cancellation rate", Synonyms: []string{"取消率"}}}
	index := catalog.NewIndex(s, catalog.Defaults{})
	cfg, err := retrieval.DefaultConfig()
	require.NoError(t, err)
	meanings := retrieval.Meanings{index.All().Tables()[0]: {{Words: []string{"各国取消率"}, Queried: true}}}
	x, err := retrieval.BuildOn(t.Context(), cfg, retrieval.Subject{Index: index, Meanings: meanings}, nil, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	surfaces := func(skip ...retrieval.Span) []string {
		var all []string
		for _, c := range x.Parse("各国取消率", skip).Concepts {
			all = append(all, c.Surface)
		}
		return all
	}
	require.Equal(t, []string{"各国取消率"}, surfaces())
	require.Equal(t, []string{"取消率"}, surfaces(retrieval.Span{Start: 0, End: len("各国")}))
}

// TestMarksAreNoShortForms: what stands beside a country's tables is not what the mark of
// the country in their names is short for; what stands beside a short name is.
func TestMarksAreNoShortForms(t *testing.T) {
	t.Parallel()
	s := &catalog.Snapshot{Tables: []catalog.Table{
		table("shop.payment_br payments of each buyer in Brazil | id, dlv: delivery"), table("shop.payment_sg payments of each buyer in Singapore | id, dlv: delivery"),
		table("shop.visit_br visits of each buyer in Brazil | id"), table("shop.visit_sg visits of each buyer in Singapore | id"),
	}}
	x := build(t, s)
	terms := func(question string) []string {
		var all []string
		for _, c := range x.Parse(question, nil).Concepts {
			for _, t := range c.Terms {
				all = append(all, t.Text)
			}
		}
		return all
	}
	require.NotContains(t, terms("buyer"), "br")
	require.Contains(t, terms("delivery"), "dlv")
}
