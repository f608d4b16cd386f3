package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/logql"
)

func TestLogQLSuiteScoresMeaning(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "queries.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(
		`{"id":"1","question":"How many 'Corrupted MAC on input' errors in the last hour for openssh-x?","logql":"sum by (application) (count_over_time({application=\"openssh-x\"} |~ \"Corrupted MAC on input\" [1h]))"}
{"id":"2","question":"How many 'Corrupted MAC on input' errors in the last hour for openssh-x?","logql":"sum(count_over_time({application=\"openssh-y\"} |= \"Corrupted MAC on input\" [30d]))"}
{"id":"3","question":"How many 'Corrupted MAC on input' errors for openssh-x?","logql":"sum(count_over_time({application=\"openssh-x\"} |= broken"}
`), 0o600))
	report, err := Execute(t.Context(), LogQL{}, Options{Queries: file})
	require.NoError(t, err)
	require.Equal(t, 3, report.N)
	require.Zero(t, report.Errors)
	require.InDelta(t, 1, report.Metrics["parses"], 0)
	require.InDelta(t, 0.3333, report.Metrics["execution_match"], 0.001, "one has the same number, one another application, one cannot be run")
	require.InDelta(t, 0.6667, report.Metrics["structure_match"], 0.001)
	require.InDelta(t, 1, report.Metrics["gold_faulty"], 0)
}

func TestStructureOfQueries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`sum(count_over_time({app="a"} |= "x" [1h]))`, `sum by (app) (count_over_time({app="a"} |~ "y" [2h]))`, true},
		{`avg(avg_over_time({app="a"} | regexp "(?P<x>.*)" | unwrap x [1h]))`, `avg_over_time({app="a"} | regexp "(?P<y>.)" | unwrap y [1h]) by ()`, true},
		{`sum by (x) (count_over_time({app="a"} | json [1h]))`, `sum(count_over_time({app="a"} | json [1h]))`, false},
		{`topk(3, sum by (x) (count_over_time({app="a"} | json [1h])))`, `sum by (x) (count_over_time({app="a"} | json [1h]))`, false},
		{`{app="a"} |= "x"`, `count_over_time({app="a"} |= "x" [1h])`, false},
	} {
		a, err := logql.Parse(c.a)
		require.NoError(t, err)
		b, err := logql.Parse(c.b)
		require.NoError(t, err)
		require.Equal(t, c.same, structureOf(a, true) == structureOf(b, true), "%s and %s", c.a, c.b)
	}
}
