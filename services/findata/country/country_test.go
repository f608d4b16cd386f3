package country_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/country"
)

func TestFind(t *testing.T) {
	t.Parallel()
	l, err := country.NewLexicon()
	require.NoError(t, err)
	known := func(code string) bool { return code == "SG" || code == "BR" || code == "ID" || code == "TH" }
	for _, c := range []struct {
		text string
		want []string
	}{
		{"GMV in Singapore and Brazil", []string{"SG", "BR"}},
		{"SG vs. BR.", []string{"SG", "BR"}},
		{"what is my id in the app", nil},
		{"order ID of Thai buyers", []string{"TH"}},
		{"GMV in ID", []string{"ID"}},
		{"SG, ID and BR", []string{"SG", "ID", "BR"}},
		{"sales in France", nil},
		{"新加坡和印尼的销售额", []string{"SG", "ID"}},
		{"orders outside Brazil", nil},
		{"Brazilian shops, SG site", []string{"BR", "SG"}},
		{"GMV by country", []string{""}},
		{"各国销售额", []string{""}},
		{"@SG.mp_order.dwd_order_BR", nil},
	} {
		var got []string
		for _, m := range l.Find(c.text, known) {
			got = append(got, m.Code)
		}
		require.Equal(t, c.want, got, c.text)
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{
		{Name: catalog.Name{Table: "a_sg"}, Country: "sg"},
		{Name: catalog.Name{Table: "b"}, Columns: []catalog.Column{{Name: "grass_region", Samples: []string{"SG", "BR", "unknown"}}}},
		{Name: catalog.Name{Table: "c"}},
	}
	c := country.CoverageOf(catalog.NewIndex(&catalog.Snapshot{Tables: tables}, catalog.Defaults{}))
	require.True(t, c.Covers(&tables[0], "SG"))
	require.False(t, c.Covers(&tables[0], "BR"))
	require.Equal(t, []string{"SG", "BR"}, c.Of(&tables[1]))
	require.True(t, c.Covers(&tables[2], "BR"), "what does not tell may have it")
	require.Equal(t, []string{"SG", "BR"}, c.Of(&catalog.Table{Name: tables[1].Name}), "told by the catalog's table, not by the copy at hand")
	hidden := c.Through(func(t *catalog.Table) *catalog.Table { return &catalog.Table{Name: t.Name} })
	require.Empty(t, hidden.Of(&tables[1]), "values that the asker may not see tell nothing")
	require.Equal(t, []string{"SG"}, hidden.Of(&tables[0]))
	require.True(t, c.Knows("BR"))
	require.False(t, c.Knows("FR"))
	require.False(t, country.CoverageOf(catalog.NewIndex(&catalog.Snapshot{Tables: tables[1:]}, catalog.Defaults{})).Knows("SG"), "no table is kept by country: a country is a value")
}
