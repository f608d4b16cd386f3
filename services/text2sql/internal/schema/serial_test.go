package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestNumbersThatRun: whole numbers of which each of many rows has its own are no amounts,
// whatever they are called; few rows, a unit, parts of numbers and repeated ones are.
func TestNumbersThatRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column catalog.Column
		rows   int64
		serial bool
	}{
		{catalog.Column{Type: "bigint", Distinct: 1600}, 1600, true},
		{catalog.Column{Type: "integer", Distinct: 1000}, 1000, true},
		{catalog.Column{Type: "bigint", Distinct: 999}, 999, false},
		{catalog.Column{Type: "bigint", Distinct: 1599}, 1600, false},
		{catalog.Column{Type: "double", Distinct: 1600}, 1600, false},
		{catalog.Column{Type: "bigint", Distinct: 1600, Unit: "EUR"}, 1600, false},
		{catalog.Column{Type: "bigint"}, 1600, false},
		{catalog.Column{Type: "bigint", Distinct: 1600, Low: "1", High: "9000"}, 1600, true},
		{catalog.Column{Type: "bigint", Distinct: 1600, Low: "731002511", High: "998000123"}, 1600, true},
		{catalog.Column{Type: "bigint", Distinct: 1600, Low: "60011", High: "1318683096"}, 1600, false}, // inhabitants
	} {
		c.column.Name = "receipt"
		tables := []catalog.Table{{Name: catalog.Name{Table: "payments"}, RowCount: c.rows, Columns: []catalog.Column{c.column, {Name: "note", Type: "varchar"}}}}
		v := view(t, semantic.Derive(tables), tables...)
		require.Equal(t, c.serial, v.ColumnOf("payments.receipt").Nature == Identifier, "%+v of %d", c.column, c.rows)
	}
}
