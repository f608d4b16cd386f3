package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExportsThatCannotBeAreRefusedBeforeTheQuestion: nothing is asked, and no demo made.
func TestExportsThatCannotBeAreRefusedBeforeTheQuestion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"--sql-only":       {"--sql-only", "--export", filepath.Join(dir, "a.csv")},
		"--export FILE":    {"--force"},
		"has to be one of": {"--export", filepath.Join(dir, "a.pdf")},
		"--bom is for":     {"--bom", "--export", filepath.Join(dir, "a.xlsx")},
	} {
		got := execute(t, nil, append([]string{"ask", "orders by day", "--data-dir", filepath.Join(dir, "data")}, args...)...)
		require.Equal(t, exitInput, got.code, args)
		require.Contains(t, got.err, want)
		require.NoDirExists(t, filepath.Join(dir, "data"))
	}
}

func TestExportReadsItsFlags(t *testing.T) {
	t.Parallel()
	path, o, err := exportOf("  --force --bom my file.csv ")
	require.NoError(t, err)
	require.Equal(t, "my file.csv", path)
	require.True(t, o.Force && o.BOM)
	_, _, err = exportOf("--nope a.csv")
	require.ErrorContains(t, err, "--nope")
}
