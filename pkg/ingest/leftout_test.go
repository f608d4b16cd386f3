package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestFaultyRowsAreCountedToTheLast: the first are told one by one with their line,
// the rest by their number.
func TestFaultyRowsAreCountedToTheLast(t *testing.T) {
	t.Parallel()
	const told = 10
	for faulty, rest := range map[int]string{3: "", told: "", told + 1: "1 more rows are left out for such reasons", told + 7: "7 more rows are left out for such reasons"} {
		var file strings.Builder
		file.WriteString("id,city\n")
		for i := range 60 {
			fmt.Fprintf(&file, "%d,Oslo\n", i)
		}
		for range faulty {
			file.WriteString("x,Oslo,too,many\n")
		}
		s := newStore(t)
		report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"cities.csv": file.String()}), ingest.Options{})
		require.NoError(t, err)
		require.EqualValues(t, faulty, report.Tables[0].Skipped)
		require.Equal(t, []string{"60"}, rows(t, s, `SELECT count(*) FROM cities`))
		var lines, sums []string
		for _, p := range report.Problems {
			require.Equal(t, ingest.KindRowSkipped, p.Kind)
			if p.Line > 0 {
				lines = append(lines, p.Message)
				continue
			}
			sums = append(sums, p.Message)
		}
		require.Len(t, lines, min(faulty, told))
		if rest == "" {
			require.Empty(t, sums)
			continue
		}
		require.Equal(t, []string{rest}, sums)
	}
}
