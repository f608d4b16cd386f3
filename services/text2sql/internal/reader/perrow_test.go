package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestAnAveragePerRowIsOneOfRows: "per order" over rows that are orders groups nothing.
func TestAnAveragePerRowIsOneOfRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "bakery"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "order_no", Type: "varchar", PrimaryKey: true, Distinct: 90}, {Name: "branch", Type: "varchar", Distinct: 3, Samples: []string{"Harbour", "Station"}},
		{Name: "amount", Type: "double"},
	}})
	sql, _ := s.ask(t, "average amount per order by branch")
	require.Equal(t, "SELECT branch, avg(amount) AS average_amount FROM bakery GROUP BY branch ORDER BY average_amount DESC, branch", sql)
	sql, _ = s.ask(t, "total amount per order")
	require.Contains(t, sql, "GROUP BY order_no")
}
