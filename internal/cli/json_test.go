package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsAsJSON brings a source in and reads every list of the command line as
// a program would.
func TestListsAsJSON(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,people\nBern,134\n"), 0o600))
	require.Zero(t, execute(t, nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir).code)
	require.Zero(t, execute(t, nil, "ask", "how many cities are there?", "--source", "places", "--data-dir", dir).code)
	read := func(into any, args ...string) {
		t.Helper()
		got := execute(t, nil, append(args, "--json", "--data-dir", dir)...)
		require.Zero(t, got.code, got.err)
		require.Empty(t, got.err)
		require.NoError(t, json.Unmarshal([]byte(got.out), into), got.out)
	}

	var sources struct {
		Sources []struct{ Name, Origin, Engine string }
	}
	read(&sources, "sources", "list")
	require.Len(t, sources.Sources, 1)
	require.Equal(t, "places", sources.Sources[0].Name)
	require.Equal(t, "csv", sources.Sources[0].Origin)

	var tables struct {
		Tables []struct{ Ref struct{ Table string } }
	}
	read(&tables, "catalog", "list", "--source", "places")
	require.Len(t, tables.Tables, 1)
	require.Equal(t, "cities", tables.Tables[0].Ref.Table)

	var runs struct{ Runs []struct{ Question string } }
	read(&runs, "runs", "list")
	require.Len(t, runs.Runs, 1)
	require.Equal(t, "how many cities are there?", runs.Runs[0].Question)

	var health struct {
		Healthy  bool
		Findings []struct{ Check, Verdict, Found string }
	}
	read(&health, "doctor")
	require.True(t, health.Healthy)
	verdicts := map[string]string{}
	for _, f := range health.Findings {
		verdicts[f.Check] = f.Verdict
	}
	require.Equal(t, "ok", verdicts["source places"])

	file, err := filepath.Glob(filepath.Join(dir, "sources", "places", "*", "places.duckdb"))
	require.NoError(t, err)
	require.Len(t, file, 1)
	require.NoError(t, os.Remove(file[0]))
	got := execute(t, nil, "doctor", "--json", "--data-dir", dir)
	require.Equal(t, 1, got.code)
	require.NoError(t, json.Unmarshal([]byte(got.out), &health), got.out)
	require.False(t, health.Healthy)
	require.Contains(t, got.out, file[0], "the operator is told which file")

	got = execute(t, nil, "ask", "how many cities are there?", "--source", "places", "--data-dir", dir)
	require.Equal(t, 2, got.code, got.out+got.err)
	require.Contains(t, got.err, file[0], "in one's own process too")
}
