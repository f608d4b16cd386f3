package keys

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestAFewValuesAreFoundByChance: a few values of a column are found in any big key, which makes no reference.
func TestAFewValuesAreFoundByChance(t *testing.T) {
	t.Parallel()
	big := &table{Table: &catalog.Table{RowCount: 1000}}
	require.False(t, (&finder{}).plausible(&table{Table: &catalog.Table{}}, 0, proposal{to: big, how: byValues}, inclusion{values: 6}))
	require.True(t, (&finder{}).plausible(&table{Table: &catalog.Table{}}, 0, proposal{to: big, how: byValues}, inclusion{values: 600}))
}
