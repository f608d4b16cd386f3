package lsa_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/lsa"
)

type words struct{}

func (words) Terms(text string) []string { return strings.Fields(text) }

// corpus of tables in three domains; tables 0 to 9 are of the first, and so on.
func corpus(tb testing.TB, texts []string) (*lexical.Documents, *lexical.Scorer) {
	tb.Helper()
	cfg, err := lexical.Config{Fields: map[string]lexical.Field{"text": {Weight: 1, B: 0.5}}}.Complete()
	require.NoError(tb, err)
	docs, err := lexical.NewDocuments([]string{"text"}, 0)
	require.NoError(tb, err)
	for n, text := range texts {
		var terms []int32
		for _, w := range strings.Fields(text) {
			terms = append(terms, docs.Intern(w))
		}
		docs.Add(lexical.Labels{Schema: fmt.Sprint(n / 10)}, [][]int32{terms})
	}
	return docs, lexical.NewScorer(cfg, docs, nil)
}

func domains() []string {
	var texts []string
	for _, d := range [][]string{
		{"order", "gmv", "checkout", "buyer", "seller", "discount", "voucher", "payment"},
		{"parcel", "courier", "warehouse", "delivery", "shipment", "route", "driver", "hub"},
		{"patient", "diagnosis", "doctor", "hospital", "treatment", "ward", "nurse", "prescription"},
	} {
		for n := range 10 {
			texts = append(texts, fmt.Sprintf("t%d %s %s %s %s", n, d[n%8], d[(n+1)%8], d[(n+3)%8], d[(n+4)%8]))
		}
	}
	return texts
}

func fit(tb testing.TB, cfg lsa.Config) (*lsa.Model, vector.Set) {
	tb.Helper()
	docs, scorer := corpus(tb, domains())
	m, set, err := lsa.Fit(tb.Context(), cfg, docs, scorer, words{})
	require.NoError(tb, err)
	return m, set
}

func search(t *testing.T, m *lsa.Model, set vector.Set, text string) []vector.Hit {
	t.Helper()
	v, err := m.Embed(t.Context(), []string{text})
	require.NoError(t, err)
	x, err := vector.NewFlat(vector.FlatConfig{}, set)
	require.NoError(t, err)
	hits, err := x.Search(t.Context(), vector.Query{Vector: v[0], Limit: 5})
	require.NoError(t, err)
	return hits
}

// A question finds the tables of its domain, those without its word too; a word
// that no table has finds by its spelling.
func TestNearMeansAlike(t *testing.T) {
	t.Parallel()
	m, set := fit(t, lsa.Config{Dim: 6})
	require.Equal(t, 6, m.Dim())
	for question, domain := range map[string]int{"gmv": 0, "courier hub": 1, "nurse": 2, "couriers": 1, "prescriptin": 2, "shipments": 1} {
		hits := search(t, m, set, question)
		require.NotEmpty(t, hits, question)
		for _, h := range hits {
			require.Equal(t, domain, h.Doc/10, "%s found table %d", question, h.Doc)
		}
	}
	require.Equal(t, "2", set.Labels[29].Schema)
}

func TestTextWithoutWordsHasNoDirection(t *testing.T) {
	t.Parallel()
	m, set := fit(t, lsa.Config{})
	require.Empty(t, search(t, m, set, " "))
}

// Terms count by their weight and once each.
func TestWeightedTerms(t *testing.T) {
	t.Parallel()
	m, _ := fit(t, lsa.Config{})
	one := m.EmbedTerms([]lexical.Term{{Text: "gmv", Weight: 1}})
	require.Equal(t, one, m.EmbedTerms([]lexical.Term{{Text: "gmv", Weight: 2}, {Text: "gmv", Weight: 1}}))
	mixed := m.EmbedTerms([]lexical.Term{{Text: "gmv", Weight: 1}, {Text: "nurse", Weight: 0.1}})
	require.Greater(t, cosine(one, mixed), 0.95)
	require.Less(t, cosine(one, mixed), 0.9999)
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// The same corpus, seed and configuration give the same vectors, whatever the
// number of workers; another seed gives another embedder.
func TestFitIsDeterministic(t *testing.T) {
	t.Parallel()
	m, set := fit(t, lsa.Config{Dim: 6, Workers: 1})
	again, sameSet := fit(t, lsa.Config{Dim: 6, Workers: 3})
	require.Equal(t, m.Name(), again.Name())
	require.True(t, slices.Equal(set.Data, sameSet.Data))
	other, _ := fit(t, lsa.Config{Dim: 6, Seed: 7})
	require.NotEqual(t, m.Name(), other.Name())
}

func TestSavedModelEmbedsTheSame(t *testing.T) {
	t.Parallel()
	m, _ := fit(t, lsa.Config{Dim: 4})
	var saved bytes.Buffer
	require.NoError(t, m.Write(&saved))
	read, err := lsa.Read(bytes.NewReader(saved.Bytes()), words{})
	require.NoError(t, err)
	require.Equal(t, m.Name(), read.Name())
	texts := []string{"gmv parcel", "unknownword", ""}
	want, err := m.Embed(t.Context(), texts)
	require.NoError(t, err)
	got, err := read.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for _, n := range []int{0, 3, 100, saved.Len() - 1} {
		_, err := lsa.Read(bytes.NewReader(saved.Bytes()[:n]), words{})
		require.ErrorIs(t, err, vector.ErrDamaged)
	}
}

func TestSmallAndEmptyCorpora(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{{"order"}, {"order", "order"}, {"order", ""}} {
		docs, scorer := corpus(t, texts)
		m, set, err := lsa.Fit(t.Context(), lsa.Config{}, docs, scorer, words{})
		require.NoError(t, err)
		require.Equal(t, 0, search(t, m, set, "order")[0].Doc)
	}
	for _, texts := range [][]string{nil, {""}} {
		docs, scorer := corpus(t, texts)
		_, _, err := lsa.Fit(t.Context(), lsa.Config{}, docs, scorer, words{})
		require.ErrorIs(t, err, lsa.ErrEmpty)
	}
}

func TestFitStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	docs, scorer := corpus(t, domains())
	_, _, err := lsa.Fit(ctx, lsa.Config{}, docs, scorer, words{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []lsa.Config{{Dim: -1}, {Dim: 5000}, {PieceWeight: -1}, {ShortestPiece: 6}, {Buckets: -1}} {
		_, err := c.Complete()
		require.Error(t, err)
	}
}
