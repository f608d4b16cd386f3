package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestAllValuesUpToTheBoundAreKept: a column with as many values as are kept has all of them,
// one more and it has a few.
func TestAllValuesUpToTheBoundAreKept(t *testing.T) {
	t.Parallel()
	const bound = 80 // more than are kept of a column with more
	s := newStore(t)
	rows := []string{"full,over"}
	for i := range 2 * (bound + 1) {
		rows = append(rows, fmt.Sprintf("f%d,o%d", i%bound, i%(bound+1)))
	}
	_, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": strings.Join(rows, "\n") + "\n"}), ingest.Options{MaxSamples: bound})
	require.NoError(t, err)
	columns := tables(t, s)["t"].Columns
	require.Len(t, columns[0].Samples, bound)
	require.Less(t, len(columns[1].Samples), bound)
	require.NotEmpty(t, columns[1].Samples)
}
