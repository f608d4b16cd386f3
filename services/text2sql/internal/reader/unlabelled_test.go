package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// A list of rows that nothing tells apart has no column to be shown or ordered by: there is no
// reading of it, and reading goes on.
func TestRowsWithoutANameAreNotPutInOrder(t *testing.T) {
	t.Parallel()
	name := func(table string) catalog.Name { return catalog.Name{Table: table} }
	fk := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(table), RefColumns: []string{column}}
	}
	s := open(t, catalog.Table{Name: name("hall"), RowCount: 12, Columns: []catalog.Column{key("hallid"), texts("hall_name", "North Hall", "South Hall")}},
		catalog.Table{Name: name("amenity_type"), RowCount: 8, Columns: []catalog.Column{key("amenid"), texts("amenity_name", "Pool", "Gym")}},
		catalog.Table{Name: name("has_amenity"), RowCount: 50, Columns: []catalog.Column{col("hallid", "bigint"), col("amenid", "bigint")}, ForeignKeys: []catalog.ForeignKey{fk("hallid", "hall"), fk("amenid", "amenity_type")}})
	for _, question := range []string{"What are the amenities in alphabetical order that North Hall has?", "List the amenities in alphabetical order"} {
		require.NotPanics(t, func() { _, _ = s.reader.Question(question, s.view, today).Readings() }, question)
	}
}
