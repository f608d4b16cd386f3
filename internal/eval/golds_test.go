package eval

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoldTranslatesAndCompares(t *testing.T) {
	t.Parallel()
	dir := bicycles(t,
		question("a", "How many riders?", `SELECT COUNT(*) FROM "rider" WHERE "age" > '20'`),
		question("b", "What is half of the ages?", `SELECT "age" / 2 FROM "rider" ORDER BY ALL`),
		question("c", "Which columns?", `SELECT COLUMNS(*) FROM "rider"`),    // no equivalent
		question("d", "What is there not?", `SELECT "unicorns" FROM "herd"`), // fails on DuckDB too
	)
	var out bytes.Buffer
	report, err := Execute(t.Context(), Gold{}, Options{Data: dir, Out: &out})
	require.NoError(t, err)
	require.Zero(t, report.Errors)
	require.Equal(t, map[string]float64{
		"translates": 0.75, "parses": 0.75, "resolves": 0.5, "runs": 0.5, "same": 0.6667, "same_of_all": 0.5,
		"failed.NOT_TRANSLATED": 0.25, "failed.TABLE_NOT_FOUND": 0.25,
	}, report.Metrics)
	require.Len(t, report.Notes, 1)
	require.Contains(t, strings.Split(out.String(), "\n")[1], `/ 2E0`)
}

func TestGoldOfBrokenStatements(t *testing.T) {
	t.Parallel()
	dir := bicycles(t, question("a", "", "SELECT 1"))
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "text2sql", "spiderman"), os.DirFS(dir)))
	repairs := filepath.Join(root, "sql_repair", "small")
	require.NoError(t, os.MkdirAll(repairs, 0o750))
	var lines bytes.Buffer
	for _, item := range []repairItem{
		{ID: "1", Kind: "dialect_error", DB: "bicycles", Broken: `SELECT name, age FROM rider GROUP BY rider_id HAVING count(*) = 1`, Fixed: `SELECT name, age FROM rider`},
		{ID: "2", Kind: "exec_error", DB: "bicycles", Broken: `SELECT x FROM rider`, Fixed: `SELECT name FROM rider`},
	} {
		line, err := json.Marshal(item)
		require.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	require.NoError(t, os.WriteFile(filepath.Join(repairs, "items.jsonl"), lines.Bytes(), 0o600))
	report, err := Execute(t.Context(), Gold{}, Options{Data: repairs})
	require.NoError(t, err)
	require.Equal(t, 1, report.N)
	require.InDelta(t, 1, report.Metrics["same"], 0)

	_, err = Execute(t.Context(), Gold{}, Options{Data: t.TempDir()})
	require.ErrorIs(t, err, ErrData)
}
