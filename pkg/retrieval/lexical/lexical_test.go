package lexical_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

var fields = map[string]lexical.Field{"name": {Weight: 3, B: 0.5}, "text": {Weight: 1, B: 0.75}}

func doc(name, text string) lexical.Document {
	return lexical.Document{Fields: map[string][]string{"name": strings.Fields(name), "text": strings.Fields(text)}}
}

func build(tb testing.TB, docs ...lexical.Document) *lexical.Embedded {
	tb.Helper()
	x, err := lexical.Build(context.Background(), lexical.Config{Fields: fields}, len(docs), func(n int) lexical.Document { return docs[n] }, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, x.Close()) })
	return x
}

func search(tb testing.TB, x lexical.Index, q lexical.Query) []lexical.Hit {
	tb.Helper()
	hits, err := x.Search(context.Background(), q)
	require.NoError(tb, err)
	return hits
}

func terms(words ...string) []lexical.Term {
	var list []lexical.Term
	for _, w := range words {
		list = append(list, lexical.Term{Text: w, Weight: 1})
	}
	return list
}

func docsOf(hits []lexical.Hit) []int {
	docs := []int{}
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	return docs
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := build(t,
		doc("", "gmv of sellers"),
		doc("gmv daily", ""),
		doc("parcel", ""),
		doc("gmv", "gmv gmv gmv gmv"),
	)
	for _, c := range []struct {
		what  string
		query lexical.Query
		want  []int
	}{
		{"a name tells more than a text; a short one more than a long one", lexical.Query{Terms: terms("gmv"), Limit: 9}, []int{3, 1, 0}},
		{"a term's weight counts", lexical.Query{Terms: []lexical.Term{{Text: "gmv", Weight: 0.1}, {Text: "parcel", Weight: 1}}, Limit: 1}, []int{2}},
		{"no term", lexical.Query{Limit: 9}, []int{}},
		{"an unknown term", lexical.Query{Terms: terms("zzz"), Limit: 9}, []int{}},
		{"no weight", lexical.Query{Terms: []lexical.Term{{Text: "gmv"}}, Limit: 9}, []int{}},
		{"no limit", lexical.Query{Terms: terms("gmv")}, []int{}},
		{"kept ones alone", lexical.Query{Terms: terms("gmv"), Limit: 1, Keep: func(doc int) bool { return doc == 0 }}, []int{0}},
	} {
		require.Equal(t, c.want, docsOf(search(t, x, c.query)), c.what)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	var docs []lexical.Document
	for _, l := range []lexical.Labels{{Region: "SG", Schema: "mp_order", Mart: "Order"}, {Region: "sg", Schema: "mp_item"}, {Region: "USEast", Schema: "mp_order"}} {
		d := doc("gmv", "")
		d.Labels = l
		docs = append(docs, d)
	}
	x := build(t, docs...)
	for _, c := range []struct {
		filter lexical.Filter
		want   []int
	}{
		{lexical.Filter{}, []int{0, 1, 2}},
		{lexical.Filter{Regions: []string{"SG"}}, []int{0, 1}},
		{lexical.Filter{Regions: []string{"sg"}, Schemas: []string{"MP_ORDER"}}, []int{0}},
		{lexical.Filter{Schemas: []string{"mp_order", "mp_item"}}, []int{0, 1, 2}},
		{lexical.Filter{Marts: []string{"order"}}, []int{0}},
		{lexical.Filter{Marts: []string{"traffic"}}, []int{}},
	} {
		require.Equal(t, c.want, docsOf(search(t, x, lexical.Query{Terms: terms("gmv"), Limit: 9, Filter: c.filter})), "%+v", c.filter)
		for n, d := range docs {
			require.Equal(t, slices.Contains(c.want, n), c.filter.Accepts(d.Labels), "%+v %d", c.filter, n)
		}
	}
}

// plainScores is BM25F by its formula, document by document.
func plainScores(docs []lexical.Document, query []lexical.Term) []float64 {
	mean := map[string]float64{}
	for name := range fields {
		var sum, have float64
		for _, d := range docs {
			if n := len(d.Fields[name]); n > 0 {
				sum += float64(n)
				have++
			}
		}
		mean[name] = max(1, sum/max(1, have))
	}
	scores := make([]float64, len(docs))
	for _, t := range query {
		occurrences := make([]float64, len(docs))
		var df float64
		for n, d := range docs {
			for name, f := range fields {
				for _, w := range d.Fields[name] {
					if w == t.Text {
						occurrences[n] += f.Weight / (1 - f.B + f.B*float64(len(d.Fields[name]))/mean[name])
					}
				}
			}
			if occurrences[n] > 0 {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(docs))-df+0.5)/(df+0.5))
		for n, o := range occurrences {
			scores[n] += t.Weight * idf * o * (lexical.DefaultK1 + 1) / (o + lexical.DefaultK1)
		}
	}
	return scores
}

func randomDocs(n int, seed uint64) []lexical.Document {
	random := rand.New(rand.NewPCG(seed, 1))
	docs := make([]lexical.Document, n)
	for i := range docs {
		text := func(most int) string {
			var words []string
			for range random.IntN(most + 1) {
				words = append(words, fmt.Sprintf("w%d", int(30*random.Float64()*random.Float64())))
			}
			return strings.Join(words, " ")
		}
		docs[i] = doc(text(3), text(12))
	}
	return docs
}

func TestScoresAreTheFormulas(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		docs := randomDocs(60, seed)
		x := build(t, docs...)
		query := []lexical.Term{{Text: "w1", Weight: 1}, {Text: "w7", Weight: 0.5}, {Text: "w20", Weight: 0.3}, {Text: "w2", Weight: 1}}
		want := plainScores(docs, query)
		hits := search(t, x, lexical.Query{Terms: query, Limit: len(docs)})
		for i, h := range hits {
			require.InEpsilon(t, want[h.Doc], h.Score, 1e-5)
			want[h.Doc] = 0
			if i > 0 {
				require.True(t, hits[i-1].Score > h.Score || hits[i-1].Score == h.Score && hits[i-1].Doc < h.Doc)
			}
		}
		for n, score := range want {
			require.Zero(t, score, "document %d is missing", n)
		}
		few := search(t, x, lexical.Query{Terms: query, Limit: 7})
		require.Equal(t, hits[:7], few, "fewer are the first of all")
	}
}

// TestTheBestAreFoundInBands holds the best of many documents, of which some are kept,
// against all in their order; and of those that a caller has to decide about there are few.
func TestTheBestAreFoundInBands(t *testing.T) {
	t.Parallel()
	const many = 20_000
	docs := randomDocs(many, 5)
	x := build(t, docs...)
	query := []lexical.Term{{Text: "w0", Weight: 1}, {Text: "w3", Weight: 0.7}, {Text: "w7", Weight: 0.4}}
	all := search(t, x, lexical.Query{Terms: query, Limit: many})
	require.True(t, slices.IsSortedFunc(all, func(a, b lexical.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) }))
	for _, limit := range []int{1, 30, 400, 5_000} {
		for every, most := range map[int]int{1: 3 * limit, 3: 8 * limit, 50: many, many: many} {
			asked := 0
			keep := func(n int) bool {
				asked++
				return n%every == 0
			}
			want := slices.DeleteFunc(slices.Clone(all), func(h lexical.Hit) bool { return h.Doc%every != 0 })
			want = want[:min(len(want), limit)]
			require.Equal(t, want, search(t, x, lexical.Query{Terms: query, Limit: limit, Keep: keep}), "%d of every %d", limit, every)
			require.LessOrEqual(t, asked, max(most, 300), "%d of every %d", limit, every)
		}
	}
}

func TestEqualDocumentsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	docs := slices.Repeat([]lexical.Document{doc("gmv daily", "of sellers gmv"), doc("x", "y")}, 300)
	x := build(t, docs...)
	hits := search(t, x, lexical.Query{Terms: terms("gmv", "daily", "sellers"), Limit: 50})
	require.Len(t, hits, 50)
	for i, h := range hits {
		require.Equal(t, 2*i, h.Doc)
		require.Equal(t, hits[0].Score, h.Score)
	}
}

func TestSearchesAtOnce(t *testing.T) {
	t.Parallel()
	docs := randomDocs(500, 7)
	x := build(t, docs...)
	query := func(n int) lexical.Query {
		return lexical.Query{Terms: terms(fmt.Sprintf("w%d", n%30), "w3"), Limit: 20}
	}
	var want [][]lexical.Hit
	for n := range 30 {
		want = append(want, search(t, x, query(n)))
	}
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for n := range 30 {
				hits, err := x.Search(context.Background(), query(n))
				if err != nil || !slices.Equal(want[n], hits) {
					t.Errorf("query %d: %v, %v instead of %v", n, err, hits, want[n])
				}
			}
		})
	}
	running.Wait()
}

func TestBuildStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := lexical.Build(ctx, lexical.Config{Fields: fields}, 10, func(int) lexical.Document { return lexical.Document{} }, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = build(t, doc("a", "")).Search(ctx, lexical.Query{Terms: terms("a"), Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	many := map[string]lexical.Field{}
	for i := range 17 {
		many[fmt.Sprint(i)] = lexical.Field{}
	}
	for want, cfg := range map[string]lexical.Config{
		"Config.Fields is empty": {},
		"17 fields":              {Fields: many},
		`weight of field "a"`:    {Fields: map[string]lexical.Field{"a": {Weight: -1}}},
		`b of field "a" is 2`:    {Fields: map[string]lexical.Field{"a": {B: 2}}},
		"k1 is -1":               {Fields: fields, K1: -1},
	} {
		_, err := cfg.Complete()
		require.ErrorContains(t, err, want)
	}
	cfg, err := lexical.Config{Fields: fields}.Complete()
	require.NoError(t, err)
	require.InDelta(t, lexical.DefaultK1, cfg.K1, 0)
}

func TestTermsAreBounded(t *testing.T) {
	t.Parallel()
	cfg := lexical.Config{Fields: fields, MaxFieldTerms: 2, MaxQueryTerms: 1}
	x, err := lexical.Build(t.Context(), cfg, 1, func(int) lexical.Document { return doc("a b c", "") }, nil)
	require.NoError(t, err)
	require.Len(t, search(t, x, lexical.Query{Terms: terms("b"), Limit: 1}), 1)
	require.Empty(t, search(t, x, lexical.Query{Terms: terms("c"), Limit: 1}))
	require.Empty(t, search(t, x, lexical.Query{Terms: terms("zzz", "a"), Limit: 1}), "the second term is left out")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var told []int
	_, err := lexical.Build(t.Context(), lexical.Config{Fields: fields}, 3000, func(int) lexical.Document { return doc("a", "") }, func(done int) { told = append(told, done) })
	require.NoError(t, err)
	require.Equal(t, []int{1024, 2048, 3000}, told)
}
