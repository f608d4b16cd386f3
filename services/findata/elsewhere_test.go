package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// TestCountriesWithoutTablesAreTold: what is shown for a country that no table is kept for
// is of other countries, and that is said; a city, a kitchen, money and a table's name are none.
func TestCountriesWithoutTablesAreTold(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for ask, country := range map[string]string{
		"order details for Japan":               "Japan",
		"日本站的订单明细":                              "日本",
		"GMV of Singapore and of France by day": "France",
		"order details for Singapore":           "",
		"orders of Brazilian buyers":            "",
		"orders delivered to Paris":             "",
		"GMV in US dollars":                     "", // money of a country is no country
		"GMV in USA in dollars":                 "USA",
		"refunds in Japanese yen":               "",
	} {
		r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: ask})
		require.NotEmpty(t, r.GetRelatedTables(), ask)
		var told string
		for _, w := range r.GetWarnings() {
			if w.GetCode() == warningCountry {
				told = w.GetMessage()
			}
		}
		if country == "" {
			require.Empty(t, told, ask)
		} else {
			require.Contains(t, told, country, ask)
		}
	}
}
