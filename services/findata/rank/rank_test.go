package rank_test

import (
	"testing"
	"time"

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
	require.Positive(t, ranked[0].Parts.Of("usage"))
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
	require.Negative(t, ranked[1].Parts.Of("deprecated"))

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

// TestListsSpeakForTables: of two tables whose words fit equally well, the one comes first
// that what is known beside its words speaks for, whichever name it has; the other way
// round, and without what the list asks for, nothing is counted.
func TestListsSpeakForTables(t *testing.T) {
	t.Parallel()
	r, err := rank.New(nil)
	require.NoError(t, err)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	in := func(code string) func(*catalog.Table) {
		return func(t *catalog.Table) { t.Country = code }
	}
	each := func(codes ...string) func(*catalog.Table) {
		return func(t *catalog.Table) { t.Columns = []catalog.Column{{Name: "grass_region", Samples: codes}} }
	}
	named := func(grain string) func(*catalog.Table) { return func(t *catalog.Table) { t.Grain = grain } }
	daily := preprocess.Grain{Name: "daily", Names: []string{"1d", "di"}, Words: []string{"day", "daily"}}
	ann := func(t *catalog.Table) { t.Description = "ann" }
	for _, c := range []struct {
		list          string
		better, worse func(*catalog.Table)
		name          string // of the better one; empty: any
		question      preprocess.Question
		marts         []string
	}{
		{list: "usage", better: func(t *catalog.Table) { t.QueryCount30d = 9 }, worse: func(t *catalog.Table) { t.QueryCount30d = 1 }},
		{list: "layer", better: func(t *catalog.Table) { t.Layer = "DWS" }, worse: func(t *catalog.Table) { t.Layer = "dwd" }, question: preprocess.Question{Layers: []string{"dws", "dwd"}}},
		{list: "layer", better: func(t *catalog.Table) { t.Layer = "dwd" }, worse: func(t *catalog.Table) { t.Layer = "tmp" }, question: preprocess.Question{Layers: []string{"dws", "dwd"}}},
		{list: "grain", better: named("one row a day, shop"), worse: named("one row a month"), question: preprocess.Question{Grains: []preprocess.Grain{daily}}},
		{list: "grain", name: "visits_1d_live", better: named(""), worse: named(""), question: preprocess.Question{Grains: []preprocess.Grain{daily}}},
		{list: "grain", name: "visits_di", better: named(""), worse: named(""), question: preprocess.Question{Grains: []preprocess.Grain{{Name: "weekly", Names: []string{"1w"}}, daily}}},
		{list: "mart", better: func(t *catalog.Table) { t.Mart = "ORDER" }, worse: func(t *catalog.Table) { t.Mart = "Item" }, marts: []string{"Order", "Item"}},
		{list: "mart", better: func(t *catalog.Table) { t.Mart = "Item" }, worse: func(t *catalog.Table) { t.Mart = "Seller" }, marts: []string{"Order", "Item"}},
		{list: "country", better: in("SG"), worse: in("BR"), question: preprocess.Question{Countries: []string{"SG"}}},
		{list: "country", better: each("SG", "BR"), worse: in("SG"), question: preprocess.Question{Countries: []string{"SG", "BR"}}},
		{list: "country", better: in("TH"), worse: in("SG"), question: preprocess.Question{Region: "TH"}},
		{list: "country", better: in("SG"), worse: in("TH"), question: preprocess.Question{Region: "TH", Countries: []string{"SG"}}},
		{list: "every", better: each("SG", "BR", "TH"), worse: each("SG", "BR"), question: preprocess.Question{Every: true}},
		{list: "fresh", better: func(t *catalog.Table) { t.UpdatedAt = now.Add(time.Hour) }, worse: func(t *catalog.Table) { t.UpdatedAt = now.Add(-time.Hour) }},
		{list: "own", better: ann, worse: nil},
		{list: "conversation", better: ann, worse: nil},
	} {
		for _, swapped := range []bool{false, true} { // the order by name is the last word
			names := []string{"a_table", "z_table"}
			if swapped {
				names[0], names[1] = names[1], names[0]
			}
			if c.name != "" {
				names[0] = c.name
			}
			better, worse := table(names[0], c.better), table(names[1], c.worse)
			others := []catalog.Table{{Name: catalog.Name{Region: "r", Schema: "s", Table: "x_sg"}, Country: "SG"}, {Name: catalog.Name{Region: "r", Schema: "s", Table: "x_br"}, Country: "BR"}, {Name: catalog.Name{Region: "r", Schema: "s", Table: "x_th"}, Country: "TH"}}
			x := catalog.NewIndex(&catalog.Snapshot{Tables: append(others, *better, *worse)}, catalog.Defaults{})
			with := rank.Context{Countries: country.CoverageOf(x), FreshSince: now, Marts: c.marts}
			q := c.question
			if c.list == "own" {
				with.Own = map[string]float64{better.Name.Key(): 1}
			}
			if c.list == "conversation" {
				q.Earlier = []*catalog.Table{better}
			}
			ranked := r.Rank(candidates(t, worse, better), &q, with)
			require.Equal(t, names[0], ranked[0].Table.Name.Table, "%s %+v", c.list, c.question)
			require.Greater(t, ranked[0].Parts.Of(c.list), ranked[1].Parts.Of(c.list), "%s %+v", c.list, c.question)
			require.Greater(t, ranked[0].Score, ranked[1].Score)
			if c.list != "usage" && c.list != "fresh" && c.list != "own" && c.list != "mart" {
				silent := r.Rank(candidates(t, worse, better), &preprocess.Question{}, rank.Context{Countries: with.Countries, FreshSince: now})
				require.Zero(t, silent[0].Parts.Of(c.list)+silent[1].Parts.Of(c.list), "%s where nothing asks for it", c.list)
			}
		}
	}
}

// TestOneCountryIsNotEach: where each country is asked for, a table of one loses, and
// nowhere else; of what was called wrong, each time counts.
func TestOneCountryIsNotEach(t *testing.T) {
	t.Parallel()
	r, err := rank.New(nil)
	require.NoError(t, err)
	one := table("a", func(t *catalog.Table) { t.Country = "SG" })
	all := table("b", func(t *catalog.Table) {
		t.Columns = []catalog.Column{{Name: "country", Samples: []string{"SG", "BR"}}}
	})
	untold := table("c", nil)
	x := catalog.NewIndex(&catalog.Snapshot{Tables: []catalog.Table{*one, *all, *untold}}, catalog.Defaults{})
	with := rank.Context{Countries: country.CoverageOf(x), Own: map[string]float64{all.Name.Key(): -2, untold.Name.Key(): -1}}
	parts := func(q preprocess.Question) map[string]map[string]float64 {
		out := map[string]map[string]float64{}
		for _, one := range r.Rank(candidates(t, one, all, untold), &q, with) {
			out[one.Table.Name.Table] = one.Parts.All()
		}
		return out
	}
	each, any := parts(preprocess.Question{Every: true}), parts(preprocess.Question{})
	require.Negative(t, each["a"]["one_country"])
	for _, p := range []map[string]float64{each["b"], each["c"], any["a"], any["b"]} {
		require.NotContains(t, p, "one_country")
	}
	require.InDelta(t, 2*each["c"]["rejected"], each["b"]["rejected"], 1e-9)
	require.Negative(t, each["c"]["rejected"])
	require.NotContains(t, each["a"], "rejected")
}
