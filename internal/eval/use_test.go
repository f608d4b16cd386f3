package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// TestUseCountsWhatCame: a person who asks three questions through the router, answers what is asked
// back with their mart, and judges the tables shown, is seen in the figures that find data counts.
func TestUseCountsWhatCame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"question": " "}`), 0o600))
	_, err := Use{}.Open(t.Context(), Options{Queries: path})
	require.ErrorIs(t, err, ErrData)
	require.ErrorContains(t, err, "line 1")

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = Use{}.Open(t.Context(), Options{Queries: path})
	require.ErrorIs(t, err, ErrData)
	require.ErrorContains(t, err, "is empty")

	const gmv, users = "sg.mp_order.dws_order_gmv_1d__sg_s0_live", "sg.mp_user.dim_user__reg_s0_live"
	require.NoError(t, os.WriteFile(path, []byte(`{"id": "a", "question": "daily GMV in Singapore", "sql": "SELECT sum(gmv_usd) FROM `+gmv+`"}
{"id": "b", "question": "number of buyers by city", "marts": ["User"]}
{"id": "c", "question": "how many tickets in Singapore", "sql": "SELECT count(*) FROM `+users+`"}
`), 0o600))
	r, err := Use{}.Open(t.Context(), Options{Queries: path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	var came []Item
	for i := range r.Len() {
		item, err := r.Answer(t.Context(), i)
		require.NoError(t, err)
		came = append(came, item)
	}
	require.Equal(t, []string{gmv}, came[0].Detail["right"])
	require.Equal(t, true, came[1].Detail["asked"])
	require.Equal(t, []string{"User"}, came[1].Detail["marts"], "the mart that the person means, and not the first")
	require.Empty(t, came[2].Detail["right"])
	metrics, notes := r.Metrics(came)
	require.Empty(t, notes)
	want := map[string]float64{
		"questions": 3, "asked": 1, "replies": 1, "clarification_rate": 1.0 / 3, "one_round_rate": 1,
		"answers": 3, "click_rate": 1.0 / 3, "judged": 2, "acceptance_rate": .5, "right": 1.0 / 3,
	}
	for name, value := range want {
		require.InDelta(t, value, metrics[name], 1e-9, name)
	}
}

func TestTablesThatAStatementReads(t *testing.T) {
	t.Parallel()
	names, err := tablesRead("WITH x AS (SELECT a FROM sg.m.T JOIN sg.m.u ON 1 = 1) SELECT * FROM x, SG.m.t")
	require.NoError(t, err)
	require.Equal(t, []string{"sg.m.t", "sg.m.u"}, names)
	names, err = tablesRead("")
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = tablesRead("SELECT FROM")
	require.Error(t, err)
}

// TestAPersonTakesTheOptionOfTheirMart: an option is known by its id, whatever it is called.
func TestAPersonTakesTheOptionOfTheirMart(t *testing.T) {
	t.Parallel()
	country := &commonv1.Option{Id: "country_SG", Label: "User"}
	order, user := &commonv1.Option{Id: "mart:Order", Label: "订单"}, &commonv1.Option{Id: "mart:User", Label: "Order"}
	for name, tc := range map[string]struct {
		options []*commonv1.Option
		marts   []string
		want    *commonv1.Option
	}{
		"by the id":          {[]*commonv1.Option{order, user}, []string{"User"}, user},
		"not by the label":   {[]*commonv1.Option{country, user, order}, []string{"Order"}, order},
		"the first of them":  {[]*commonv1.Option{country, order, user}, []string{"User", "Order"}, order},
		"none of theirs":     {[]*commonv1.Option{order, user}, []string{"Seller"}, order},
		"they mean whatever": {[]*commonv1.Option{country, user}, nil, country},
		"nothing is offered": {nil, []string{"User"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, optionMeant(tc.options, tc.marts))
		})
	}
}
