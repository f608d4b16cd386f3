package lexical_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

var fields = map[string]lexical.Field{"name": {Weight: 3}, "text": {Weight: 1, B: 0.75}}

func build(tb testing.TB, docs ...lexical.Document) *lexical.Embedded {
	tb.Helper()
	x, err := lexical.Build(context.Background(), lexical.Config{Fields: fields}, len(docs), func(n int) lexical.Document { return docs[n] }, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, x.Close()) })
	return x
}

func words(s string) []string { return strings.Fields(s) }

func TestFieldWeightsRank(t *testing.T) {
	t.Parallel()
	x := build(t,
		lexical.Document{Fields: map[string][]string{"text": words("gmv of sellers")}},
		lexical.Document{Fields: map[string][]string{"name": words("gmv daily")}},
		lexical.Document{Fields: map[string][]string{"name": words("parcel"), "ignored": words("gmv")}},
	)
	hits, err := x.Search(t.Context(), lexical.Query{Terms: []lexical.Term{{"gmv", 1}}, Limit: 10})
	require.NoError(t, err)
	require.Len(t, hits, 2)
	require.Equal(t, 1, hits[0].Doc)
	require.Greater(t, hits[0].Score, hits[1].Score)
}

func TestTermWeights(t *testing.T) {
	t.Parallel()
	x := build(t, lexical.Document{Fields: map[string][]string{"name": words("a")}}, lexical.Document{Fields: map[string][]string{"name": words("b")}})
	hits, err := x.Search(t.Context(), lexical.Query{Terms: []lexical.Term{{"a", 0.1}, {"b", 1}}, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, 1, hits[0].Doc)
}

// The filter must not cost results: all 40 documents match, and only the worst
// ranked ones are kept.
func TestKeepSearchesOn(t *testing.T) {
	t.Parallel()
	var docs []lexical.Document
	for i := range 400 {
		docs = append(docs, lexical.Document{Fields: map[string][]string{"text": words("gmv" + strings.Repeat(" filler", i))}})
	}
	x := build(t, docs...)
	hits, err := x.Search(t.Context(), lexical.Query{Terms: []lexical.Term{{"gmv", 1}}, Limit: 5, Keep: func(doc int) bool { return doc >= 390 }})
	require.NoError(t, err)
	require.Len(t, hits, 5)
	for _, h := range hits {
		require.GreaterOrEqual(t, h.Doc, 390)
	}
}

func TestNothingToSearch(t *testing.T) {
	t.Parallel()
	for _, x := range []*lexical.Embedded{build(t), build(t, lexical.Document{Fields: map[string][]string{"name": words("a")}})} {
		hits, err := x.Search(t.Context(), lexical.Query{Terms: nil, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, hits)
		hits, err = x.Search(t.Context(), lexical.Query{Terms: []lexical.Term{{"zzz", 1}}, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, hits)
	}
}

func TestBuildStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := lexical.Build(ctx, lexical.Config{Fields: fields}, 10, func(int) lexical.Document { return lexical.Document{} }, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = lexical.Build(t.Context(), lexical.Config{}, 10, func(int) lexical.Document { return lexical.Document{} }, nil)
	require.ErrorContains(t, err, "Fields")
}

func BenchmarkBuild300(b *testing.B) {
	for b.Loop() {
		x, err := lexical.Build(b.Context(), lexical.Config{Fields: fields}, 300, func(n int) lexical.Document {
			var text []string
			for i := range 60 {
				text = append(text, fmt.Sprintf("w%d", (n*7+i*13)%900))
			}
			return lexical.Document{Fields: map[string][]string{"name": text[:5], "text": text}}
		}, nil)
		require.NoError(b, err)
		require.NoError(b, x.Close())
	}
}

// The parts of a score are added in one order, so that a question ranks the same
// each time it is asked.
func TestSameOrderEachTime(t *testing.T) {
	t.Parallel()
	weights := make(map[string]lexical.Field)
	document := lexical.Document{Fields: make(map[string][]string)}
	for i := range 9 {
		name := fmt.Sprintf("field%d", i)
		weights[name] = lexical.Field{Weight: 1 / float64(i+3)}
		document.Fields[name] = words("gmv daily seller" + strings.Repeat(" x", i))
	}
	x, err := lexical.Build(t.Context(), lexical.Config{Fields: weights}, 3, func(int) lexical.Document { return document }, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	terms := []lexical.Term{{"gmv", 0.7}, {"daily", 0.3}, {"seller", 0.9}}
	first, err := x.Search(t.Context(), lexical.Query{Terms: terms, Limit: 10})
	require.NoError(t, err)
	for range 50 {
		again, err := x.Search(t.Context(), lexical.Query{Terms: terms, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}
