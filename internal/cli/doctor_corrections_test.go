package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoctorReadsCorrections: a file that cannot be read is a complaint, a line about
// a table that is not there a remark; both name file and line.
func TestDoctorReadsCorrections(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := writeSQL(t, map[string]string{"places.csv": "id,name\n1,a\n2,b\n"})
	require.Zero(t, execute(t, nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir).code)
	path := filepath.Join(dir, "corrections", "places.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	for text, want := range map[string]string{
		"keys:\n  - {table: places, columns: [id]}\n":    "1 applied",
		"keys:\n  - {table: nowhere, columns: [id]}\n":   `places.yaml:2: there is no table "nowhere"`,
		"keys:\n  - {tables: places, columns: [id]}\n":   `line 2: "tables" is not known here`,
		"personal:\n  - {table: places, column: nick}\n": `places.yaml:2: places.main.places has no column "nick"`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got := execute(t, nil, "doctor", "--data-dir", dir)
		require.Contains(t, got.out, want)
		require.Contains(t, got.out, "corrections of places")
	}
}
