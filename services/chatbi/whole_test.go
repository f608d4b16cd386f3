package chatbi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
)

// TestSharesAreOfTheWhole: what the rows of a result add up to is told where they are all
// rows: no LIMIT has cut them, with their ties or without, and no condition on what groups
// come to has left some out.
func TestSharesAreOfTheWhole(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const grouped = "SELECT country, sum(amount) AS amount FROM orders GROUP BY country "
	const tied = "SELECT country, sum(CASE WHEN order_id < 2 THEN 1 ELSE 0 END) AS amount FROM orders GROUP BY country ORDER BY amount DESC "
	for sql, whole := range map[string]bool{
		grouped + "ORDER BY amount DESC":                              true,
		grouped + "ORDER BY amount DESC LIMIT 3":                      true,
		grouped + "ORDER BY amount DESC LIMIT 2":                      false,
		grouped + "ORDER BY amount DESC FETCH FIRST 2 ROWS ONLY":      false,
		grouped + "ORDER BY amount DESC FETCH FIRST 2 ROWS WITH TIES": false,
		grouped + "ORDER BY amount DESC FETCH FIRST 3 ROWS WITH TIES": true,
		tied:                                  true,
		tied + "FETCH FIRST ROW WITH TIES":    false,
		tied + "FETCH FIRST 1 ROWS WITH TIES": false,
		grouped + "HAVING sum(amount) > 0 ORDER BY amount DESC":                                                      false,
		"SELECT country, amount FROM (" + grouped + ") t WHERE amount > 0 ORDER BY amount DESC":                      false,
		"SELECT country, amount FROM (" + grouped + "LIMIT 9) t ORDER BY amount DESC":                                false,
		"WITH t AS (" + grouped + ") SELECT country, amount FROM t WHERE amount > 0 ORDER BY amount DESC":            false,
		"WITH t AS (" + grouped + ") SELECT country, amount FROM t ORDER BY amount DESC":                             true,
		"SELECT country, sum(amount) AS amount FROM orders WHERE order_id > 7 GROUP BY country ORDER BY amount DESC": true,
	} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: sql})
		require.Len(t, r.GetPage().GetRows(), 2, sql)
		part := strings.Contains(r.GetAnswer(), "of the 2 shown") || strings.Contains(r.GetAnswer(), "tie for the highest")
		require.Equal(t, whole, !part, "%s: %s", sql, r.GetAnswer())
	}
}
