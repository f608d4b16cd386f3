package ingest_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestNamesOfFilesNeedNotBeUTF8: such a file becomes a table under a name that is
// text, or is left out with a word; all others of its folder are there.
func TestNamesOfFilesNeedNotBeUTF8(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	good := filepath.Join(dir, "good.parquet")
	_, err = db.ExecContext(t.Context(), "COPY (SELECT 1 AS x) TO '"+good+"' (FORMAT parquet)")
	require.NoError(t, err)
	content, err := os.ReadFile(good)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "many"), 0o700))
	for name, content := range map[string][]byte{
		"caf\xe9.parquet": content, "many/a.parquet": content, "many/\xb6\xa9.parquet": content,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Skip("this file system takes no names that are not UTF-8")
		}
	}
	for format, c := range map[string]struct {
		dir  string
		want []string
	}{
		"csv":     {want: []string{"own.main.caf_", "own.main.caf__2", "own.main.good"}},
		"parquet": {dir: dir, want: []string{"own.main.good", "own.main.many"}},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			var report ingest.Report
			var err error
			if format == "csv" {
				report, err = ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{
					"good.csv": "x\n1\n", "caf\xe9.csv": "x,y\n1,2\n", "caf\xe8.csv": "x\n3\n",
				}), ingest.Options{})
			} else {
				report, err = ingest.Parquet(t.Context(), s, "own", c.dir, ingest.Options{})
			}
			require.NoError(t, err)
			var names []string
			for _, made := range report.Tables {
				names = append(names, made.Name.String())
			}
			require.ElementsMatch(t, c.want, names)
			told := ""
			for _, p := range report.Problems {
				require.True(t, utf8.ValidString(p.String()), "%q", p.String())
				told += p.String() + "\n"
			}
			require.Contains(t, told, "not UTF-8", "whoever gave the file is told")
		})
	}
}
