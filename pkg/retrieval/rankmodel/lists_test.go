package rankmodel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// makers makes the lists that candidates are fused of; a list that is taken out finds
// nothing.
type makers struct{ words, vectors bool }

// Lexical implements retrieval.Makers.
func (m makers) Lexical(_ context.Context, _ string, cfg lexical.Config, docs *lexical.Documents, scorer *lexical.Scorer) (lexical.Index, error) {
	if !m.words {
		return nothing{}, nil
	}
	return lexical.New(cfg, docs, scorer)
}

// Vectors implements retrieval.Makers.
func (m makers) Vectors(context.Context, string, vector.Corpus) (retrieval.Finder, error) {
	if !m.vectors {
		return nil, nil
	}
	return near{}, nil
}

// near finds depot.routes and depot.parcels, of which the question has few words.
type near struct{}

func (near) Find(context.Context, vector.Ask) ([]vector.Hit, error) {
	return []vector.Hit{{Doc: 2, Score: 0.9}, {Doc: 1, Score: 0.7}}, nil
}
func (near) Close() error { return nil }

type nothing struct{}

func (nothing) Search(context.Context, lexical.Query) ([]lexical.Hit, error) { return nil, nil }
func (nothing) Close() error                                                 { return nil }

// scores ranks the tables of a small catalog by the embedded model, so many of each
// list.
func scores(t *testing.T, m makers, looked int) map[string]float64 {
	t.Helper()
	s := &catalog.Snapshot{}
	for _, text := range []string{
		"shop.orders customer_id order_date amount", "shop.order_items order_id item_id quantity", "shop.customers customer_id city",
		"shop.returns order_id reason amount", "depot.parcels parcel_id courier_id route", "depot.couriers courier_id city", "depot.routes route_id length",
	} {
		words := strings.Fields(text)
		schema, name, _ := strings.Cut(words[0], ".")
		table := catalog.Table{Name: catalog.Name{Schema: schema, Table: name}, RowCount: -1}
		for _, c := range words[1:] {
			table.Columns = append(table.Columns, catalog.Column{Name: c, Type: "varchar"})
		}
		s.Tables = append(s.Tables, table)
	}
	cfg, err := retrieval.DefaultConfig()
	require.NoError(t, err)
	cfg.Candidates = looked
	c, err := retrieval.BuildOn(t.Context(), cfg, retrieval.Subject{Source: "small", Index: catalog.NewIndex(s, catalog.Defaults{Region: "r"})}, m, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	candidates, err := c.Candidates(t.Context(), c.Parse("amount of each customer's orders by city and route", nil), nil)
	require.NoError(t, err)
	model, err := rankmodel.Default()
	require.NoError(t, err)
	scorer, err := model.Bind(retrieval.FeatureNames())
	require.NoError(t, err)
	all := make(map[string]float64, len(candidates))
	for _, c := range candidates {
		all[c.Table.Name.Key()] = scorer.Score(c.Features)
	}
	return all
}

// Every list that candidates are fused of moves the ranking: a list whose weight fell
// out of the model would be made, kept and searched for nothing.
func TestEveryListCounts(t *testing.T) {
	t.Parallel()
	const few, all = 3, 100
	both := scores(t, makers{words: true, vectors: true}, few)
	require.NotEmpty(t, both)
	for name, without := range map[string]makers{"words": {vectors: true}, "vectors": {words: true}} {
		require.NotEqual(t, both, scores(t, without, few), "the list of %s changes nothing", name)
	}
	// Not only which tables are looked at counts, but how near they are.
	near, far := scores(t, makers{words: true, vectors: true}, all), scores(t, makers{words: true}, all)
	require.Len(t, near, len(far), "the same tables")
	require.Greater(t, near["depot.routes"], far["depot.routes"], "a table is worth no more for being near")
	require.InDelta(t, far["shop.orders"], near["shop.orders"], 1e-9, "what is not near is worth what it was")
}
