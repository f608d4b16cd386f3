package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestMeasuredInHours: what says in brackets that it is measured in hours or weeks is no part of a date, and parts of dates
// are such in whatever numbers they are kept.
func TestMeasuredInHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kind string
		calendar   bool
	}{
		{"时长(小时)", "bigint", false},
		{"小时", "bigint", true},
		{"Stay [week]", "bigint", false},
		{"week", "integer", true},
		{"hour", "double", true},
		{"model year", "double", true},
		{"birth_month", "double", true},
		{"年份", "double", true},
	} {
		tables := []catalog.Table{{Name: catalog.Name{Table: "stays"}, RowCount: 900, Columns: []catalog.Column{{Name: c.name, Type: c.kind, Distinct: 5}, {Name: "note", Type: "varchar"}}}}
		v := view(t, semantic.Derive(tables), tables...)
		require.Equal(t, c.calendar, v.ColumnOf("stays."+c.name).Nature == Calendar, "%+v", c)
	}
}
