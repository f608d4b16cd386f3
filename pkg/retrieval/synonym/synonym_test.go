package synonym_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

func dictionary(t *testing.T, groups ...synonym.Group) *synonym.Dictionary {
	t.Helper()
	a, err := analysis.New()
	require.NoError(t, err)
	return synonym.New(a, synonym.Weights{Same: 0.4, Cross: 0.9}, groups)
}

var groups = []synonym.Group{
	{ID: "gmv", Entries: []string{"GMV", "gross merchandise value", "销售额"}},
	{ID: "orders", Entries: []string{"order count", "number of orders", "订单数", "订单"}},
	{ID: "traffic", Entries: []string{"traffic", "流量"}},
	{ID: "parcels", Entries: []string{"parcel", "traffic"}},
}

func TestMatches(t *testing.T) {
	t.Parallel()
	d := dictionary(t, groups...)
	for _, c := range []struct {
		text string
		want []string // group:surface
	}{
		{"the gross merchandise values of last week", []string{"gmv:gross merchandise values"}},
		{"Number of Orders and GMV", []string{"orders:Number of Orders", "gmv:GMV"}},
		{"新加坡的销售额和订单数", []string{"gmv:销售额", "orders:订单数"}},
		{"traffic", []string{"traffic:traffic", "parcels:traffic"}},
		{"gross margin", nil},
	} {
		var got []string
		for _, m := range d.Matches(c.text) {
			got = append(got, m.Group.ID+":"+m.Surface)
			require.Equal(t, m.Surface, c.text[m.Start:m.End])
		}
		require.Equal(t, c.want, got, c.text)
	}
}

// TestAsWritten: a group of phrases as they are written is not found in another form of
// their words, and does not keep a shorter entry of other groups from being found.
func TestAsWritten(t *testing.T) {
	t.Parallel()
	d := dictionary(t, synonym.Group{ID: "sql", Entries: []string{"order by"}, AsWritten: true}, synonym.Group{ID: "orders", Entries: []string{"order"}})
	for text, want := range map[string]string{"ORDER  BY city": "sql", "orders by city": "orders", "ordered by city": "orders"} {
		found := d.Matches(text)
		require.Len(t, found, 1, text)
		require.Equal(t, want, found[0].Group.ID, text)
	}
}

func TestTermsWeighTranslationsMore(t *testing.T) {
	t.Parallel()
	m := dictionary(t, groups...).Matches("销售额")[0]
	weights := map[string]float64{}
	for _, term := range m.Terms {
		weights[term.Text] = term.Weight
	}
	require.InDelta(t, 0.9, weights["gmv"], 1e-9)
	require.InDelta(t, 0.3, weights["merchandis"], 1e-9, "a phrase shares its weight")
	require.NotContains(t, weights, "销售", "its own words are in the question already")
	m = dictionary(t, groups...).Matches("GMV")[0]
	for _, term := range m.Terms {
		weights[term.Text] = term.Weight
	}
	require.InDelta(t, 0.4/3, weights["merchandis"], 1e-9)
}

func TestGeneralGroups(t *testing.T) {
	t.Parallel()
	all, err := synonym.General()
	require.NoError(t, err)
	d := dictionary(t, all...)
	for _, text := range []string{"销售额", "order count", "物流", "cust"} {
		require.NotEmpty(t, d.Matches(text), text)
	}
}
