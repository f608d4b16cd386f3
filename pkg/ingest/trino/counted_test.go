package trino

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestReferencesOfTablesThatAreTooLargeToRead: the numbers of different values decide, where
// they are known and no more than the key has; no row of the table is read.
func TestReferencesOfTablesThatAreTooLargeToRead(t *testing.T) {
	t.Parallel()
	reference := []catalog.ForeignKey{{Columns: []string{"custkey"}, RefTable: catalog.Name{Region: "pg", Schema: "mp", Table: "customer"}, RefColumns: []string{"custkey"}}}
	for distinct, want := range map[any][]catalog.ForeignKey{
		nil: nil, 0.0: nil, 1.0: reference, 99.0: reference, 100.0: reference, 101.0: nil, 5000.0: nil,
	} {
		f := keyed(7, 100) // were the rows read, 7 of them would point to nothing
		f.rules = append([]rule{
			{words: []string{"SHOW STATS", "orders"}, rows: [][]any{{"custkey", nil, distinct, 0.0, nil, nil, nil}, {nil, nil, nil, nil, 1e6, nil, nil}}},
		}, f.rules...)
		s, _ := readAll(t, f, nil, Options{MaxSampleRows: 100})
		require.Equal(t, []string{"custkey"}, primaryKeyOf(t, s, "pg.mp.customer"))
		require.Equal(t, want, table(t, s, "pg.mp.orders").ForeignKeys, fmt.Sprint(distinct))
		require.Zero(t, f.count("orphan_count"))
	}
}
