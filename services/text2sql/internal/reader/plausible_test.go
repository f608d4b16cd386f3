package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestThereIsNoHundredthMonth: what no part of a date can be is compared with none.
func TestThereIsNoHundredthMonth(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "sales"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "sale_id", Type: "bigint", PrimaryKey: true, Distinct: 90}, {Name: "product", Type: "varchar", Distinct: 90},
		{Name: "month", Type: "integer", Distinct: 12}, {Name: "quarter", Type: "integer", Distinct: 4}, {Name: "amount", Type: "double"},
	}})
	for _, q := range []string{"How many sales have a month of more than 100?", "sales with quarter above 7"} {
		sql, _ := s.ask(t, q)
		require.NotContains(t, sql, "> 100", q)
		require.NotContains(t, sql, "> 7", q)
	}
	sql, _ := s.ask(t, "How many sales have a month of more than 10?")
	require.Contains(t, sql, "> 10")
}
