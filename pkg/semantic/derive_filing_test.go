package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestTablesAreCalledByWhatIsInThem: words and dates that only file a table are no part of its
// name, unless another table or a column is called so without them.
func TestTablesAreCalledByWhatIsInThem(t *testing.T) {
	t.Parallel()
	table := func(name string, columns ...string) catalog.Table {
		out := catalog.Table{Name: catalog.Name{Table: name}}
		for _, c := range columns {
			out.Columns = append(out.Columns, catalog.Column{Name: c, Type: "varchar"})
		}
		return out
	}
	l := Derive([]catalog.Table{
		table("Donations export", "id"), table("visits_2025-26", "id"), table("north_raw", "id"), table("north_export", "id"),
		table("amount_data", "amount"), table("data_2025", "id"), table("customer_360", "id"), table("客户数据", "编号"),
	})
	var names []string
	for _, e := range l.Entities {
		names = append(names, e.Names.EN)
	}
	require.Equal(t, []string{"donations", "visits", "north raw", "north export", "amount data", "data 2025", "customer", "客户数据"}, names)
	require.Contains(t, l.Entities[1].Synonyms, "visits 2025 26")
}
