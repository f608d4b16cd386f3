package retrievaltest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// BuildLexical makes the index under test, which ends with the test.
type BuildLexical func(t *testing.T, cfg lexical.Config, docs *lexical.Documents) lexical.Index

// Lexical runs the suite of lexical.Index.
func Lexical(t *testing.T, build BuildLexical) {
	t.Helper()
	s := lexicalSuite{build: build}
	for name, test := range map[string]func(*testing.T){
		"ranking": s.ranking, "filters": s.filters, "keep": s.keep, "limit": s.limit, "nothing": s.nothing,
		"literal terms": s.literal, "small": s.small, "large": s.large, "at once": s.atOnce, "cancel": s.cancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

type lexicalSuite struct{ build BuildLexical }

func (s lexicalSuite) index(t *testing.T, list ...Document) lexical.Index {
	t.Helper()
	return s.build(t, Weights(), Documents(t, list))
}

func search(t *testing.T, x lexical.Index, q lexical.Query) []lexical.Hit {
	t.Helper()
	hits, err := x.Search(t.Context(), q)
	require.NoError(t, err)
	for i := 1; i < len(hits); i++ {
		require.GreaterOrEqual(t, hits[i-1].Score, hits[i].Score, "best first")
	}
	return hits
}

func numbers(hits []lexical.Hit) []int {
	list := make([]int, len(hits))
	for i, h := range hits {
		list[i] = h.Doc
	}
	return list
}

// ranking: heavier fields, rarer words, more and heavier words, shorter fields
// come first; equal documents have equal scores and their own order.
func (s lexicalSuite) ranking(t *testing.T) {
	x := s.index(t,
		Document{Text: "gmv of sellers by day"},
		Document{Name: "gmv daily"},
		Document{Name: "parcel", Text: "gmv"},
		Document{Text: "filler words here"},
		Document{Text: "filler words here"},
		Document{Name: "order item", Text: "buyer"},
		Document{Name: "order item", Text: "buyer and a lot of other words that say nothing of it at all"},
		Document{Name: "order item", Text: "buyer"},
		Document{Text: "filler rare"},
	)
	for _, tc := range []struct {
		name  string
		terms []lexical.Term
		want  []int
	}{
		{"the heavier field, then the shorter one", terms("gmv"), []int{1, 2, 0}},
		{"equal documents in their order, the long one last", terms("buyer"), []int{5, 7, 6}},
		{"the rarer word", terms("rare words"), []int{8, 3, 4, 6}},
		{"both words", terms("parcel gmv"), []int{2, 1, 0}},
		{"the heavier word", []lexical.Term{{Text: "rare", Weight: 0.01}, {Text: "day", Weight: 1}}, []int{0, 8}},
		{"a heavy word beats a name", []lexical.Term{{Text: "daily", Weight: 0.05}, {Text: "sellers", Weight: 2}}, []int{0, 1}},
	} {
		hits := search(t, x, lexical.Query{Terms: tc.terms, Limit: 10})
		assert.Equal(t, tc.want, numbers(hits), tc.name)
	}
	hits := search(t, x, lexical.Query{Terms: terms("buyer"), Limit: 10})
	require.Equal(t, hits[0].Score, hits[1].Score, "equal documents have equal scores")
}

func (s lexicalSuite) filters(t *testing.T) {
	labels := []lexical.Labels{
		{Region: "SG", Schema: "mp_order", Mart: "Order"},
		{Region: "US", Schema: "mp_order", Mart: "Order"},
		{Region: "SG", Schema: "spx", Mart: "SPX Mart"},
		{Region: "SG"},
		{},
		{Region: `o'brien "x"`, Schema: `back\slash`, Mart: "订单 集市"},
	}
	var list []Document
	for _, l := range labels {
		list = append(list, Document{Labels: l, Name: "gmv"})
	}
	x := s.index(t, list...)
	for _, tc := range []struct {
		filter lexical.Filter
		want   []int
	}{
		{lexical.Filter{}, []int{0, 1, 2, 3, 4, 5}},
		{lexical.Filter{Regions: []string{"sg"}}, []int{0, 2, 3}},
		{lexical.Filter{Regions: []string{"us", "SG"}, Marts: []string{"order"}}, []int{0, 1}},
		{lexical.Filter{Regions: []string{"SG"}, Schemas: []string{"MP_ORDER"}, Marts: []string{"Order"}}, []int{0}},
		{lexical.Filter{Marts: []string{"spx mart"}}, []int{2}},
		{lexical.Filter{Marts: []string{"spx"}}, []int{}},
		{lexical.Filter{Schemas: []string{"*"}}, []int{}},
		{lexical.Filter{Regions: []string{`O'Brien "x"`}}, []int{5}},
		{lexical.Filter{Schemas: []string{`back\slash`}, Marts: []string{"订单 集市"}}, []int{5}},
		{lexical.Filter{Regions: []string{"BR"}}, []int{}},
	} {
		hits := search(t, x, lexical.Query{Terms: terms("gmv"), Filter: tc.filter, Limit: 10})
		assert.Equal(t, tc.want, numbers(hits), "%+v", tc.filter)
	}
	hits := search(t, x, lexical.Query{
		Terms: terms("gmv"), Filter: lexical.Filter{Regions: []string{"SG"}}, Limit: 1, Keep: func(n int) bool { return n > 2 },
	})
	require.Equal(t, []int{3}, numbers(hits), "what is kept among what is filtered")
}

// keep: what is not kept costs nobody a place, however far down the kept ones are.
func (s lexicalSuite) keep(t *testing.T) {
	const size = 600
	var list []Document
	for n := range size {
		list = append(list, Document{Text: "gmv" + strings.Repeat(" filler", n)})
	}
	x := s.index(t, list...)
	last := search(t, x, lexical.Query{Terms: terms("gmv"), Limit: 5, Keep: func(n int) bool { return n >= size-5 }})
	require.Len(t, last, 5)
	for _, h := range last {
		require.GreaterOrEqual(t, h.Doc, size-5)
	}
	require.Empty(t, search(t, x, lexical.Query{Terms: terms("gmv"), Limit: 5, Keep: func(int) bool { return false }}))
}

func (s lexicalSuite) limit(t *testing.T) {
	list := make([]Document, 30)
	for n := range list {
		list[n].Name = "gmv"
	}
	x := s.index(t, list...)
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, 30: 30, 1_000_000: 30} {
		hits := search(t, x, lexical.Query{Terms: terms("gmv"), Limit: limit})
		require.Len(t, hits, want)
		for i, h := range hits {
			require.Equal(t, i, h.Doc)
		}
	}
}

func (s lexicalSuite) nothing(t *testing.T) {
	x := s.index(t, Document{Name: "gmv"}, Document{Name: "order"})
	for _, list := range [][]lexical.Term{
		nil, {}, terms("unknown"), {{Text: "", Weight: 1}}, {{Text: "gmv", Weight: 0}},
	} {
		require.Empty(t, search(t, x, lexical.Query{Terms: list, Limit: 5}), "%v", list)
	}
	require.Equal(t, []int{0}, numbers(search(t, x, lexical.Query{Terms: terms("unknown gmv"), Limit: 5})))
}

// literal: a term stands for itself, whatever it looks like.
func (s lexicalSuite) literal(t *testing.T) {
	words := []string{
		"订单", "café", "ünïcødé", "🙂", "o'brien", `"quoted"`, `back\slash`, "a:b", "wild*card", "a?c", "~1", "^2", "(paren)", "AND", "NOT",
		"{}", "a/b", "<tag>", "1d", "100%", "a-b", "$x", strings.Repeat("long", 16), "gmv", "GMV", "running",
	}
	var list []Document
	for _, w := range words {
		list = append(list, Document{Name: w, Text: "all"})
	}
	x := s.index(t, list...)
	for n, w := range words {
		hits := search(t, x, lexical.Query{Terms: []lexical.Term{{Text: w, Weight: 1}}, Limit: 50})
		assert.Equal(t, []int{n}, numbers(hits), "%q", w)
	}
	for _, w := range []string{"*", "wild", "paren", "run", "or", "quoted"} {
		assert.Empty(t, search(t, x, lexical.Query{Terms: []lexical.Term{{Text: w, Weight: 1}}, Limit: 50}), "%q", w)
	}
	require.Len(t, search(t, x, lexical.Query{Terms: terms("all"), Limit: 50}), len(words))
}

func (s lexicalSuite) small(t *testing.T) {
	none := s.index(t)
	require.Empty(t, search(t, none, lexical.Query{Terms: terms("gmv"), Limit: 5}))
	one := s.index(t, Document{Name: "gmv"})
	hits := search(t, one, lexical.Query{Terms: terms("gmv"), Limit: 5})
	require.Equal(t, []int{0}, numbers(hits))
	require.Positive(t, hits[0].Score)
}

const largeSize = 5000

// large: among 5,000 documents those with both words, then those with the rarer.
func (s lexicalSuite) large(t *testing.T) {
	list := make([]Document, largeSize)
	for n := range list {
		list[n] = Document{Name: fmt.Sprintf("table%d", n), Text: fmt.Sprintf("common tens%d thousands%d", n%10, n%1000)}
	}
	x := s.index(t, list...)
	require.Equal(t, []int{777, 1777, 2777, 3777, 4777}, numbers(search(t, x, lexical.Query{Terms: terms("thousands777 common"), Limit: 5})))
	require.Equal(t, []int{4321}, numbers(search(t, x, lexical.Query{Terms: terms("table4321"), Limit: 5})))
	hits := search(t, x, lexical.Query{Terms: terms("tens3 table13"), Limit: 500})
	require.Len(t, hits, 500)
	require.Equal(t, []int{13, 3, 23, 33}, numbers(hits)[:4])
	require.Equal(t, 4993, hits[499].Doc)
}

func (s lexicalSuite) atOnce(t *testing.T) {
	list := make([]Document, 200)
	for n := range list {
		list[n] = Document{Name: fmt.Sprintf("table%d", n), Text: "gmv"}
	}
	x := s.index(t, list...)
	together(func(worker int) {
		for i := range 10 {
			n := (worker*31 + i*7) % len(list)
			hits, err := x.Search(t.Context(), lexical.Query{Terms: terms(fmt.Sprintf("gmv table%d", n)), Limit: 3})
			if assert.NoError(t, err) && assert.Len(t, hits, 3) {
				assert.Equal(t, n, hits[0].Doc)
			}
		}
	})
}

func (s lexicalSuite) cancel(t *testing.T) {
	x := s.index(t, Document{Name: "gmv"})
	_, err := x.Search(cancelled(t), lexical.Query{Terms: terms("gmv"), Limit: 3})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []int{0}, numbers(search(t, x, lexical.Query{Terms: terms("gmv"), Limit: 3})), "the index outlives a cancelled search")
}
