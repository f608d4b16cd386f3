package ingest_test

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// sharedData finds a folder of the evaluation data, or skips the test.
func sharedData(t *testing.T, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for range 8 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(append([]string{dir, "..", "shared", "data"}, parts...)...)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("the evaluation data are not there: %s", path)
			}
			return path
		}
		dir = filepath.Dir(dir)
	}
	t.Skip("no module root")
	return ""
}

// records counts a CSV file's rows by other means than the code under test.
func records(t *testing.T, path string) int64 {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	var n int64 = -1 // the header
	for {
		_, err := r.Read()
		if errors.Is(err, io.EOF) {
			return n
		}
		require.NoError(t, err, path)
		n++
	}
}

// TestRealFolders ingests folders of real CSV files with a schema.sql each: no
// table may be lost, none may have other rows than its file.
func TestRealFolders(t *testing.T) {
	t.Parallel()
	root := sharedData(t, "text2sql", "spiderman", "databases")
	folders, err := os.ReadDir(root)
	require.NoError(t, err)
	require.NotEmpty(t, folders, root)
	for i, folder := range folders {
		if testing.Short() && i%10 != 0 {
			continue
		}
		dir := filepath.Join(root, folder.Name())
		s := newStore(t)
		report, err := ingest.CSV(t.Context(), s, "real", dir, ingest.Options{})
		require.NoError(t, err, folder.Name())
		require.Zero(t, report.Dropped)
		rows := make(map[string]int64)
		for _, table := range report.Tables {
			require.Zero(t, table.Skipped, table.Name)
			rows[strings.ToLower(table.Name.Table)] = table.Rows
		}
		files, err := filepath.Glob(filepath.Join(dir, "data", "*.csv"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, file := range files {
			name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".csv"))
			require.Equal(t, records(t, file), rows[name], file)
		}
		f, err := os.Open(filepath.Join(dir, "schema.sql"))
		require.NoError(t, err)
		declared, err := ddl.Read(f, ddl.Config{Dialect: ddl.MySQL})
		require.NoError(t, errors.Join(err, f.Close()))
		require.Empty(t, declared.Problems, folder.Name())
		require.Len(t, report.Tables, len(declared.Tables), folder.Name())
		for _, p := range report.Problems {
			require.NotEqual(t, ingest.KindTableSkipped, p.Kind, p)
			t.Log(folder.Name(), p.Kind, p.Message)
		}
	}
}

// TestRealDumps does the same with PostgreSQL dumps.
func TestRealDumps(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob(filepath.Join(sharedData(t, "text2sql", "defog", "databases"), "*", "*.sql"))
	require.NoError(t, err)
	require.NotEmpty(t, dumps)
	for _, dump := range dumps {
		text, err := os.ReadFile(dump)
		require.NoError(t, err)
		report, err := ingest.SQLDump(t.Context(), newStore(t), "real", dump, ingest.Options{})
		require.NoError(t, err, dump)
		require.Len(t, report.Tables, strings.Count(strings.ToUpper(string(text)), "CREATE TABLE"), dump)
		var rows int64
		for _, table := range report.Tables {
			require.Zero(t, table.Skipped, table.Name)
			rows += table.Rows
		}
		// In these dumps each row stands on a line that begins with a parenthesis.
		var lines int64
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "(") {
				lines++
			}
		}
		require.Equal(t, lines, rows, dump)
		for _, p := range report.Problems {
			t.Log(p)
		}
	}
}
