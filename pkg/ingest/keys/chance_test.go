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

// TestOfTwoKeysOfOneNameTheSmallerPoints: fewer things point to more, and never the other
// way round or between as many.
func TestOfTwoKeysOfOneNameTheSmallerPoints(t *testing.T) {
	t.Parallel()
	of := func(rows int64) *table { return &table{Table: &catalog.Table{RowCount: rows}, unique: []int{0}} }
	for to, want := range map[int64]bool{9: false, 10: false, 11: true} {
		require.Equal(t, want, (&finder{}).plausible(of(10), 0, proposal{to: of(to), how: sameName}, inclusion{values: 9}), "10 rows to %d", to)
	}
	require.True(t, (&finder{}).plausible(of(10), 1, proposal{to: of(9), how: sameName}, inclusion{values: 9}), "a column that repeats")
}
