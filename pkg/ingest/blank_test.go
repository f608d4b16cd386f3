package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestLinesOfSeparatorsAreNoRows: spreadsheets write empty rows as separators alone; they are no
// rows, no key loses its values by them, and they are told. A row with one value is kept.
func TestLinesOfSeparatorsAreNoRows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"keepers.csv": "Member No,Village,Hives\nB-1,Oberau,4\n,,\nB-2,Lindach,\n , ,\t\nB-3,,2\n"}), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.keepers 3 0"}, counted(report))
	require.Equal(t, []string{"B-1|Oberau|4", "B-2|Lindach|∅", "B-3|∅|2"}, rows(t, s, "SELECT * FROM keepers"))
	require.Contains(t, strings.Join(told(report), "\n"), "2 lines of nothing but separators are left out")
}
