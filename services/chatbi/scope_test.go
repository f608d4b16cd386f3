package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
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
