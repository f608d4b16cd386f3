package retrieval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestKeepIsAskedOncePerTable: a search looks at the same tables as hits, as kin and as
// neighbours; whether each may be found is asked once, and anew with the next search.
func TestKeepIsAskedOncePerTable(t *testing.T) {
	t.Parallel()
	x := build(t, largeWarehouse(3_000))
	for range 2 {
		asked := make(map[*catalog.Table]int)
		list, err := x.Candidates(t.Context(), x.Parse("refunds of orders in Brazil by seller", nil), func(t *catalog.Table) bool {
			asked[t]++
			return len(asked)%2 == 0
		})
		require.NoError(t, err)
		require.NotEmpty(t, list)
		for table, times := range asked {
			require.Equal(t, 1, times, table.Name)
		}
	}
}
