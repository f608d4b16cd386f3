package rank_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/services/findata/country"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// candidates are tables whose words fit a question equally well.
func candidates(t *testing.T, tables ...*catalog.Table) []retrieval.Candidate {
	t.Helper()
	list := make([]retrieval.Candidate, 0, len(tables))
	for _, table := range tables {
		features := make(retrieval.Features, len(retrieval.FeatureNames()))
		for i, name := range retrieval.FeatureNames() {
			if name == "bm25" || name == "evidence" {
				features[i] = 1
			}
		}
		list = append(list, retrieval.Candidate{Table: table, Features: features})
	}
	return list
}

func table(name string, change func(*catalog.Table)) *catalog.Table {
	t := &catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: name}}
	if change != nil {
		change(t)
	}
	return t
}

func feature(t *testing.T, name string) int {
	t.Helper()
	for i, n := range retrieval.FeatureNames() {
		if n == name {
			return i
		}
	}
	require.FailNow(t, "no feature", name)
	return 0
}

func context() rank.Context {
	return rank.Context{Countries: country.CoverageOf(catalog.NewIndex(&catalog.Snapshot{}, catalog.Defaults{}))}
}

func TestWordsDecideBeforeUse(t *testing.T) {
	t.Parallel()
	r, err := rank.New(nil)
	require.NoError(t, err)
	list := candidates(t, table("a", nil), table("b", func(t *catalog.Table) { t.QueryCount30d = 5000 }))
	ranked := r.Rank(list, &preprocess.Question{}, context())
	require.Equal(t, "b", ranked[0].Table.Name.Table, "of equals the one that is used")
	require.Positive(t, ranked[0].Parts["usage"])
	require.InDelta(t, 1, ranked[0].Score+ranked[1].Score, 1e-9, "scores are shares")

	list[0].Features[feature(t, "name_share")], list[0].Features[feature(t, "head_in")] = 1, 1
	list[1].Features[feature(t, "bm25")] = 0.6
	require.Equal(t, "a", r.Rank(list, &preprocess.Question{}, context())[0].Table.Name.Table)
}

func TestWhatSpeaksAgainstATable(t *testing.T) {
	t.Parallel()
	r, err := rank.New(nil)
	require.NoError(t, err)
	old := table("a_old", func(t *catalog.Table) { t.QueryCount30d, t.Successor = 9, "s.b" })
	ranked := r.Rank(candidates(t, old, table("b", nil)), &preprocess.Question{}, context())
	require.Equal(t, "b", ranked[0].Table.Name.Table)
	require.Negative(t, ranked[1].Parts["deprecated"])

	c := context()
	c.Own = map[string]float64{table("a", nil).Name.Key(): -1}
	ranked = r.Rank(candidates(t, table("a", nil), table("b", nil)), &preprocess.Question{}, c)
	require.Equal(t, "b", ranked[0].Table.Name.Table, "a was called wrong")
	c.Own = map[string]float64{table("b", nil).Name.Key(): 1}
	require.Equal(t, "b", r.Rank(candidates(t, table("a", nil), table("b", nil)), &preprocess.Question{}, c)[0].Table.Name.Table, "b is used by the asker")
	c = context()
	c.Marts = []string{"Order"}
	inMart := table("z", func(t *catalog.Table) { t.Mart = "order" })
	require.Equal(t, "z", r.Rank(candidates(t, table("a", nil), inMart), &preprocess.Question{}, c)[0].Table.Name.Table)
}

func TestNothingSpeaksForATable(t *testing.T) {
	t.Parallel()
	r, err := rank.New(nil)
	require.NoError(t, err)
	list := candidates(t, table("a", func(t *catalog.Table) { t.QueryCount30d = 100 }))
	list[0].Features[feature(t, "evidence")] = 0
	require.Empty(t, r.Rank(list, &preprocess.Question{}, context()), "much used, but no word of the question is in it")
	require.Empty(t, r.Rank(nil, &preprocess.Question{}, context()))
}

func TestModelsOfOtherFeaturesAreRefused(t *testing.T) {
	t.Parallel()
	_, err := rank.New(&rankmodel.Model{Version: rankmodel.Version, Kind: rankmodel.KindLinear, Weights: []rankmodel.Weight{{Feature: "stars", Weight: 1}}})
	require.ErrorIs(t, err, rankmodel.ErrModel)
	require.ErrorContains(t, err, "stars")
}
