package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,people\nBern,134\nChur,38\n"), 0o600))
	require.Zero(t, execute(t, nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir).code)
	run := func(args ...string) result {
		return execute(t, nil, append(append([]string{"examples"}, args...), "--source", "places", "--data-dir", dir)...)
	}
	added := run("add", "souls in Bern", "SELECT sum(people) AS souls FROM cities WHERE city = 'Bern'", "--json")
	require.Zero(t, added.code, added.err)
	var stored struct {
		Example struct{ ExampleID, Status, Question string } `json:"example"`
	}
	require.NoError(t, json.Unmarshal([]byte(added.out), &stored))
	require.Equal(t, "approved", stored.Example.Status)
	require.Equal(t, 2, run("add", "Souls in Bern?", "SELECT 1 FROM cities").code, "the question has an SQL")
	require.Equal(t, 2, run("add", "souls", "SELECT nothing FROM cities").code)
	require.Equal(t, 2, run("add", "souls").code)

	require.Contains(t, run("list").out, "souls in Bern")
	require.Contains(t, run("list", "--sql").out, "SELECT sum(people)")
	require.Contains(t, run("check").out, "1 checked, 0 stale")
	asked := execute(t, nil, "ask", "souls in Chur", "--source", "places", "--data-dir", dir)
	require.Zero(t, asked.code, asked.err)
	require.Contains(t, asked.out, "Verified by")
	require.Contains(t, asked.out, "38")

	file := filepath.Join(files, "q.sql")
	require.NoError(t, os.WriteFile(file, []byte("SELECT count(*) FROM cities;\n"), 0o600))
	require.Contains(t, run("add", "number of places", "--file", file, "--propose").out, "proposed")
	require.Contains(t, run("list", "--status", "proposed").out, "number of places")

	// The table changes: what no longer fits is told, and answers nothing.
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,inhabitants\nBern,134\n"), 0o600))
	require.Zero(t, execute(t, nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir).code)
	checked := run("check")
	require.Equal(t, 1, checked.code)
	require.Contains(t, checked.out, "people")
	var list struct {
		Examples []struct {
			ExampleID string `json:"exampleId"`
		} `json:"examples"`
	}
	require.NoError(t, json.Unmarshal([]byte(run("list", "--status", "approved", "--json").out), &list))
	require.Len(t, list.Examples, 1)
	require.Zero(t, run("remove", list.Examples[0].ExampleID).code)
	require.Contains(t, run("check").out, "0 checked")
}
