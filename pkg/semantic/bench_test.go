package semantic

import (
	"fmt"
	"testing"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// BenchmarkDerive measures a layer of many tables, as it is derived once for
// each set of tables.
func BenchmarkDerive(b *testing.B) {
	for _, n := range []int{50, 500} {
		tables := manyTables(n)
		b.Run(fmt.Sprintf("%d tables", n), func(b *testing.B) {
			for b.Loop() {
				Derive(tables)
			}
		})
	}
}

// manyTables makes n tables of 12 columns, half of which point to others by name.
func manyTables(n int) []catalog.Table {
	tables := make([]catalog.Table, n)
	for i := range tables {
		name := fmt.Sprintf("thing_%d", i)
		t := catalog.Table{Name: catalog.Name{Region: "r", Schema: "s", Table: name}, RowCount: 1000}
		t.Columns = append(t.Columns, catalog.Column{Name: name + "_id", Type: "bigint", PrimaryKey: true, Distinct: 1000})
		for c := range 11 {
			switch {
			case c < 3:
				t.Columns = append(t.Columns, catalog.Column{Name: fmt.Sprintf("thing_%d_id", (i+c*7+1)%n), Type: "bigint"})
			default:
				t.Columns = append(t.Columns, catalog.Column{Name: fmt.Sprintf("attribute_%d", c), Type: "varchar", Comment: "an attribute of the thing", Distinct: 4, Samples: []string{"a", "b", "c", "d"}})
			}
		}
		tables[i] = t
	}
	return tables
}
