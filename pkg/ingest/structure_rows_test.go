package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestRowsThatFitInSeveralWaysAreLeftOut: a short row that could be laid in several ways is not laid at all.
func TestRowsThatFitInSeveralWaysAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"t.csv": "a,b,c\n1,2,3\n4,,6\n,5,6\n7,8,\n9,10\n1,2,3\n1,2,3\n1,2,3\n"})
	report, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	got := rows(t, s, "SELECT * FROM t")
	require.Len(t, got, 7, "a short row that could be laid in three ways is left out: %v %v", got, report.Problems)
}
