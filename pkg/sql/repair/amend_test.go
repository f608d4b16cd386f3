package repair_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/repair"
)

// amend changes a statement over the shop, where Brazil is stored as BR.
func amend(t testing.TB, sql, request string) repair.Amended {
	t.Helper()
	names := map[string][]string{"Brazil": {"BR"}, "brazil": {"BR"}, "巴西": {"BR"}, "Singapore": {"SG"}}
	r, err := repair.Amend(t.Context(), sql, request, repair.AmendOptions{
		Options: repair.Options{Scopes: repair.Fixed(shop()), Known: shopTables()},
		Names:   func(v string) []string { return names[v] },
	})
	require.NoError(t, err)
	return r
}

// TestAmend: each thing that may be asked for is an edit of its own place, in both
// languages; all else stays to the byte.
func TestAmend(t *testing.T) {
	t.Parallel()
	const (
		plain  = "SELECT order_id, status -- all\nFROM orders"
		sums   = "SELECT country, sum(amount) AS total FROM orders GROUP BY country"
		byDay  = "SELECT dt, sum(amount) AS total FROM orders GROUP BY dt ORDER BY dt"
		buyers = "SELECT b.buyer_id FROM buyers b"
	)
	for _, c := range []struct {
		sql, request, want string
		certain            bool
	}{
		{plain, "only Brazil", plain + " WHERE orders.country = 'BR'", true},
		{plain, "Change this SQL: only Brazil.", plain + " WHERE orders.country = 'BR'", true},
		{plain, "只看巴西", plain + " WHERE orders.country = 'BR'", true},
		{plain, "把这个SQL改成只看巴西的数据", plain + " WHERE orders.country = 'BR'", true},
		{plain, "exclude Brazil", plain + " WHERE orders.country <> 'BR'", true},
		{plain, "排除巴西", plain + " WHERE orders.country <> 'BR'", true},
		{plain + " WHERE qty > 1 OR qty < 0", "only Brazil", plain + " WHERE (qty > 1 OR qty < 0) AND orders.country = 'BR'", true},
		{plain + " WHERE country = 'SG' AND qty > 1", "only Brazil", plain + " WHERE orders.country = 'BR' AND qty > 1", true},
		{plain, "where qty > 3", plain + " WHERE orders.qty > 3", true},
		{plain, "only where status is paid", plain + " WHERE orders.status = 'paid'", true},
		{plain, "只看qty大于3", plain + " WHERE orders.qty > 3", true},
		{plain, "top 10", plain + " LIMIT 10", true},
		{plain + " LIMIT 5", "只看前20条", plain + " LIMIT 20", true},
		{sums, "sort by total, highest first", sums + " ORDER BY total DESC", true},
		{sums + " ORDER BY country", "按total从高到低排序", sums + " ORDER BY total DESC", true},
		{byDay, "by week", "SELECT date_trunc('week', dt) AS week, sum(amount) AS total FROM orders GROUP BY date_trunc('week', dt) ORDER BY date_trunc('week', dt)", true},
		{byDay, "按周统计", "SELECT date_trunc('week', dt) AS week, sum(amount) AS total FROM orders GROUP BY date_trunc('week', dt) ORDER BY date_trunc('week', dt)", true},
		{"SELECT date_trunc('month', dt) m, sum(amount) FROM orders GROUP BY date_trunc('month', dt)", "weekly", "SELECT date_trunc('week', dt) m, sum(amount) FROM orders GROUP BY date_trunc('week', dt)", true},
		{sums, "by month", "SELECT date_trunc('month', orders.dt) AS month, country, sum(amount) AS total FROM orders GROUP BY country, date_trunc('month', orders.dt)", false},
		{sums, "by status", "SELECT orders.status, country, sum(amount) AS total FROM orders GROUP BY country, orders.status", true},
		{sums, "add the status", "SELECT country, sum(amount) AS total, orders.status FROM orders GROUP BY country, orders.status", false},
		{plain, "add the order's amount", "SELECT order_id, status, orders.amount -- all\nFROM orders", true},
		{plain, "加上amount这一列", "SELECT order_id, status, orders.amount -- all\nFROM orders", true},
		{buyers, "add the place's city", "SELECT b.buyer_id, places.city FROM buyers b JOIN places ON b.home_id = places.place_id", false},
		{plain, "add the sku", "SELECT orders.order_id, status, items.sku -- all\nFROM orders JOIN items ON orders.order_id = items.order_id", false},
		{plain, "remove the status", "SELECT order_id -- all\nFROM orders", true},
		{plain, "去掉status", "SELECT order_id -- all\nFROM orders", true},
		{plain, "only Brazil, top 3 and add the qty", "SELECT order_id, status, orders.qty -- all\nFROM orders WHERE orders.country = 'BR' LIMIT 3", true},
	} {
		t.Run(c.request+"/"+c.sql, func(t *testing.T) {
			t.Parallel()
			r := amend(t, c.sql, c.request)
			require.Equal(t, c.want, r.Text)
			require.Empty(t, r.Unmet)
			require.True(t, r.Valid())
			require.Equal(t, c.certain, r.Certain(), "%v", r.Confidence)
			require.NotEmpty(t, r.Diff)
			for _, change := range r.Changes {
				require.NotContains(t, change.Message(lang.Chinese), "{")
			}
		})
	}
}

// TestAmendSaysWhatItLeaves: what is not understood, names nothing, or would not be valid
// is left and told; the rest is done and is not certain.
func TestAmendSaysWhatItLeaves(t *testing.T) {
	t.Parallel()
	const plain = "SELECT order_id, status FROM orders"
	for request, unmet := range map[string]string{
		"only Mars":                         "only Mars",
		"add the shoe size":                 "add the shoe size",
		"make it faster":                    "faster",
		"by week":                           "by week",
		"remove the country":                "remove the country",
		"top 0":                             "top 0",
		"where qty > many":                  "where qty > many",
		"only x' OR 1=1":                    "only x' OR 1=1",
		"sort by order_id; DROP TABLE a":    "DROP TABLE a",
		"where status is '); DELETE FROM x": "DELETE FROM x",
	} {
		r := amend(t, plain, request)
		require.Contains(t, r.Unmet, unmet, request)
		require.False(t, r.Certain() && r.Text != plain, request)
		require.True(t, r.Valid(), request)
	}
	r := amend(t, plain, "only Brazil and make coffee")
	require.Equal(t, plain+" WHERE orders.country = 'BR'", r.Text)
	require.Equal(t, []string{"make coffee"}, r.Unmet)
	require.False(t, r.Certain())
	for _, sql := range []string{"SELECT nope FROM orders", "SELECT FROM", "DROP TABLE orders", "SELECT 1", "SELECT qty FROM orders UNION SELECT line FROM items"} {
		r := amend(t, sql, "only Brazil")
		require.Equal(t, sql, r.Text)
		require.NotEmpty(t, r.Unmet)
	}
	require.False(t, repair.Asks("fix it please"))
	require.True(t, repair.Asks("Change this SQL: only Brazil"))
}
