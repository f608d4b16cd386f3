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
	"github.com/dibrain/dibrain/pkg/retrieval/vector/lsa"
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
func (m makers) Vectors(ctx context.Context, _ string, c vector.Corpus) (*vector.Finder, error) {
	if !m.vectors {
		return nil, nil
	}
	model, set, err := lsa.Fit(ctx, lsa.Config{}, c.Docs, c.Scorer, c.Analyzer)
	if err != nil {
		return nil, err
	}
	index, err := vector.NewFlat(vector.FlatConfig{}, set)
	if err != nil {
		return nil, err
	}
	return vector.NewFinder(model, index, vector.Efforts{})
}

type nothing struct{}

func (nothing) Search(context.Context, lexical.Query) ([]lexical.Hit, error) { return nil, nil }
func (nothing) Close() error                                                 { return nil }

// scores ranks the tables of a small catalog by the embedded model.
func scores(t *testing.T, m makers) map[string]float64 {
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
	cfg.Candidates = 3 // so that each list has to leave tables out
	c, err := retrieval.BuildOn(t.Context(), cfg, retrieval.Subject{Source: "small", Index: catalog.NewIndex(s, catalog.Defaults{Region: "r"})}, m, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	candidates, err := c.Candidates(t.Context(), c.Parse("amount of each customer's orders by city", nil), nil)
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
	both := scores(t, makers{words: true, vectors: true})
	require.NotEmpty(t, both)
	for name, without := range map[string]makers{"words": {vectors: true}, "vectors": {words: true}} {
		left := scores(t, without)
		require.NotEqual(t, both, left, "the list of %s changes no score", name)
	}
	// Of vectors not only which tables are looked at counts, but how near they are.
	for table, score := range scores(t, makers{words: true}) {
		if with, found := both[table]; found && with != score {
			return
		}
	}
	require.Fail(t, "no table is worth more for being near to the question")
}
