package faults

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThePageTellsTheTable: docs/faults.md has a line for each server and fault, with the
// words that TestFaults finds in what people and probes are told.
func TestThePageTellsTheTable(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	lines := make(map[string]string)
	for line := range strings.Lines(string(raw)) {
		if cells := strings.Split(line, "|"); len(cells) == 6 {
			lines[strings.TrimSpace(cells[1])+"/"+strings.TrimSpace(cells[2])] = line
		}
	}
	require.Len(t, table, 9)
	for server, faults := range table {
		for f, want := range faults {
			line, ok := lines[server+"/"+string(f)]
			require.True(t, ok, "%s, %s has no line", server, f)
			for _, words := range []string{want.says, want.code, want.soon, want.probe} {
				require.Contains(t, line, words, "%s, %s", server, f)
			}
			require.Equal(t, want.probe == "", strings.HasSuffix(line, "| ready |\n"), "%s, %s", server, f)
			require.Equal(t, want.down, strings.Contains(line, "503"), "%s, %s", server, f)
		}
	}
}
