package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// TestWhichTextsAConditionLetsAColumnHave: of an equality and of a list; of nothing else.
func TestWhichTextsAConditionLetsAColumnHave(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string][]string{
		"x.region = 'BR'": {"BR"}, "region IN ('BR', 'TH')": {"BR", "TH"},
		"region NOT IN ('BR', 'TH')": nil, "region <> 'BR'": nil, "region IN ('BR', upper('th'))": nil,
		"lower(region) = 'br'": nil, "region = 5": nil, "region = 'BR' OR 1 = 1": nil, "region LIKE 'BR'": nil, "NOT region = 'BR'": nil, ")": nil,
	} {
		require.Equal(t, want, equals(condition), condition)
	}
}

// TestColumnsOfCountries: two capital letters are countries only where all that is known of
// the column's values are, and there are some.
func TestColumnsOfCountries(t *testing.T) {
	t.Parallel()
	require.True(t, holdsCountries(catalog.Column{Name: "grass_region", Samples: []string{"BR", "TH", "SG"}}))
	require.False(t, holdsCountries(catalog.Column{Name: "region", Samples: []string{"BR", "TH"}}), "too few")
	require.False(t, holdsCountries(catalog.Column{Name: "state", Samples: []string{"CA", "AL", "NY", "TX"}}), "states")
	require.False(t, holdsCountries(catalog.Column{Name: "country"}))
}

// TestPlacesAreNoCondition: the place of a row in its group, by which the first of each are taken, is
// a name of the statement's own; other comparisons are told.
func TestPlacesAreNoCondition(t *testing.T) {
	t.Parallel()
	stmt, err := parser.Parse("SELECT region, place FROM (SELECT region, place, rank() OVER (PARTITION BY region ORDER BY n) AS place_no, n + 1 AS more FROM t) AS ranked WHERE place_no <= 1 AND more > 3")
	require.NoError(t, err)
	places := placesOf(stmt)
	require.Equal(t, []string{"place_no"}, places)
	require.True(t, ofPlace("place_no <= 1", places))
	require.True(t, ofPlace("ranked.PLACE_NO <= 3", places))
	for _, told := range []string{"more > 3", "place_no <= more", "place_no IS NULL", ")"} {
		require.False(t, ofPlace(told, places), told)
	}
}
