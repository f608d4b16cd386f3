package workflow

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sandbox"
)

// TestMain lets the test binary be the program of the sandbox's children.
func TestMain(m *testing.M) {
	if sandbox.IsChild(os.Args) {
		os.Exit(sandbox.ChildMain())
	}
	os.Exit(m.Run())
}

// TestAProgramInTheSandbox: a first program fails over a column that is not there, the
// second one is told so and computes over the rows of the step before.
func TestAProgramInTheSandbox(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Open(t.Context(), sandbox.Config{Program: "/proc/self/exe"})
	require.NoError(t, err)
	p := &programs{write: func(_, problem string) (string, error) {
		column := "visit"
		if problem != "" {
			column = "visits"
		}
		return `
import csv, json
rows = [r for r in csv.DictReader(open("/in/input1.csv")) if r["rate"]]
total = sum(int(r["` + column + `"]) for r in rows)
print(json.dumps({"tables": [{"name": "total", "columns": [{"name": "total", "type": "bigint"}, {"name": "rate", "type": "double"}], "rows": [[total, float(rows[0]["rate"])]]}]}))
`, nil
	}}
	w, s := inPython(t, Python{Runner: box, Coder: p})
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Len(t, p.problems, 2)
	require.Contains(t, p.problems[1], "KeyError: 'visit'")
	r := s.result("s2")
	require.Equal(t, 2, r.Tries)
	require.Equal(t, [][]any{{int64(12), 0.1}}, r.Tables[0].Rows)
}
