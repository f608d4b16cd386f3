package workflow

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// programs writes and runs programs as a test says, and keeps what it was given.
type programs struct {
	write    func(before, problem string) (string, error)
	run      func(job sandbox.Job) (sandbox.Result, error)
	inputs   []Input
	problems []string
	jobs     []sandbox.Job
}

func (p *programs) Code(_ context.Context, _ lang.Language, _ string, inputs []Input, before, problem string) (string, error) {
	p.inputs, p.problems = inputs, append(p.problems, problem)
	if p.write != nil {
		return p.write(before, problem)
	}
	return "pass", nil
}

func (p *programs) Run(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
	p.jobs = append(p.jobs, job)
	return p.run(job)
}

// inPython is an analysis whose second step is in Python, after a first one that is done.
func inPython(t *testing.T, p Python) (*Workflow, *State) {
	t.Helper()
	said, err := words.New()
	require.NoError(t, err)
	rules, err := plan.NewRules()
	require.NoError(t, err)
	w, err := New(&others{}, rules, said, func(*State) (*Report, error) { return &Report{Title: "Visits"}, nil }, p, nil)
	require.NoError(t, err)
	s := asking("visits")
	s.Plan = plan.Plan{Version: 1, Steps: []plan.Step{
		{ID: "s1", Kind: plan.SQL, Title: "Visits by clinic", Instruction: "visits"},
		{ID: "s2", Kind: plan.Python, Title: "Correlation", Instruction: "correlate", Inputs: []string{"s1"}},
		{ID: "report", Kind: plan.Report, Instruction: "write", Inputs: []string{"s2"}},
	}}
	s.Results = []Result{{Step: "s1", Status: StepDone, Tables: []Table{{
		Name:    TableResult,
		Columns: []Column{{Name: "clinic", Type: "varchar"}, {Name: "visits", Type: "bigint"}, {Name: "rate", Type: "double", Unit: "%"}},
		Rows:    [][]any{{`a "north", b`, int64(12), 0.1}, {nil, int64(9007199254740993), nil}},
	}}}}
	s.Next, s.Valid = PlanExecutor, true
	return w, s
}

const printed = `{"tables": [{"name": "x", "columns": [{"name": "pair", "type": "varchar"}, {"name": "r", "type": "double"}, {"name": "n", "type": "bigint"}, {"name": "day", "type": "date"}, {"name": "sure", "type": "boolean"}],
 "rows": [["visits, rate", 0.5, 9007199254740993, "2026-03-04", true], [null, 1, null, null, null]]}]}`

func well(sandbox.Job) (sandbox.Result, error) {
	return sandbox.Result{Exit: sandbox.Exited, Stdout: []byte(printed)}, nil
}

// TestAStepInPython: the program gets the rows of its inputs as files, and what it prints
// is the result, with the program beside it.
func TestAStepInPython(t *testing.T) {
	t.Parallel()
	p := &programs{run: well}
	w, s := inPython(t, Python{Runner: p, Coder: p})
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Equal(t, []Input{{File: "/in/input1.csv", Schema: "/in/input1.schema.json", Title: "s1: Visits by clinic", Columns: s.Results[0].Tables[0].Columns, Rows: 2}}, p.inputs)
	require.Len(t, p.jobs, 1)
	require.Equal(t, "pass", p.jobs[0].Code)
	require.Equal(t, []sandbox.File{{Name: "input1.csv", Data: []byte("clinic,visits,rate\n\"a \"\"north\"\", b\",12,0.1\n,9007199254740993,\n")}}, p.jobs[0].Files[:1])
	require.Equal(t, "input1.schema.json", p.jobs[0].Files[1].Name)
	require.JSONEq(t, `{"columns": [{"name": "clinic", "type": "varchar"}, {"name": "visits", "type": "bigint"}, {"name": "rate", "type": "double", "unit": "%"}], "rows": 2}`, string(p.jobs[0].Files[1].Data))
	r := s.result("s2")
	require.Equal(t, StepDone, r.Status)
	require.Equal(t, "pass", r.Code)
	require.Equal(t, 1, r.Tries)
	require.Equal(t, [][]any{{"visits, rate", 0.5, int64(9007199254740993), "2026-03-04", true}, {nil, int64(1), nil, nil, nil}}, widened(r.Tables[0].Rows))
	require.Empty(t, s.PythonOutput)
}

// widened writes whole numbers of floats as such, so that rows compare by value.
func widened(rows [][]any) [][]any {
	for _, row := range rows {
		for i, v := range row {
			if f, ok := v.(float64); ok && f == float64(int64(f)) {
				row[i] = int64(f)
			}
		}
	}
	return rows
}

// TestPythonIsTriedAgain: what went wrong goes back to the writer; the tries are counted,
// and when they are used up the step is told as not computed, or the analysis ends.
func TestPythonIsTriedAgain(t *testing.T) {
	t.Parallel()
	failed := sandbox.Result{Exit: sandbox.Exited, Code: 1, Problem: "it failed: KeyError: 'x'", Stderr: []byte("Traceback\nKeyError: 'x'\n")}
	p := &programs{}
	p.run = func(job sandbox.Job) (sandbox.Result, error) {
		if len(p.jobs) < 3 {
			return failed, nil
		}
		return well(job)
	}
	w, s := inPython(t, Python{Runner: p, Coder: p})
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Equal(t, 3, s.result("s2").Tries)
	require.Len(t, p.problems, 3)
	require.Empty(t, p.problems[0])
	require.Contains(t, p.problems[1], "KeyError: 'x'")

	for name, c := range map[string]struct {
		python Python
		tries  int
		status run.Status
	}{
		"and goes on":      {Python{Tries: 2}, 2, run.StatusSucceeded},
		"and ends":         {Python{Strict: true}, 3, run.StatusFailed},
		"more than it may": {Python{Tries: 99}, 3, run.StatusSucceeded},
	} {
		p := &programs{run: func(sandbox.Job) (sandbox.Result, error) { return failed, nil }}
		c.python.Runner, c.python.Coder = p, p
		w, s := inPython(t, c.python)
		to(t, w, s)
		require.Equal(t, c.status, s.Status, name)
		require.Len(t, p.jobs, c.tries, name)
		require.Contains(t, s.PythonOutput, "KeyError", name)
		require.Equal(t, c.python.Strict, s.result("s2").Status == StepRunning, name)
	}
}

// TestPythonThatIsNotTried: another try would change nothing, so there is none.
func TestPythonThatIsNotTried(t *testing.T) {
	t.Parallel()
	never := func(sandbox.Job) (sandbox.Result, error) { return sandbox.Result{}, errors.New("it ran") }
	for name, c := range map[string]struct {
		python func(*programs) Python
		change func(*State)
		says   string
	}{
		"it is off":        {func(p *programs) Python { return Python{Coder: p} }, func(*State) {}, "analysis.python is off"},
		"no model":         {func(p *programs) Python { return Python{Runner: p} }, func(*State) {}, "there is none (llm.base_url)"},
		"rows are cut off": {func(p *programs) Python { return Python{Runner: p, Coder: p} }, func(s *State) { s.Results[0].Tables[0].Truncated = true }, "the rows of step s1 are not all there"},
		"no rows":          {func(p *programs) Python { return Python{Runner: p, Coder: p} }, func(s *State) { s.Results[0].Status = StepUnanswered }, "was not answered"},
	} {
		p := &programs{run: never}
		w, s := inPython(t, c.python(p))
		c.change(s)
		to(t, w, s)
		require.Equal(t, StepUnanswered, s.result("s2").Status, name)
		require.Contains(t, s.result("s2").Problem, c.says, name)
		require.Empty(t, p.jobs, name)
		require.Empty(t, p.problems, name)
	}
}

// TestASandboxThatFails: that no process can be made is no fault of the program.
func TestASandboxThatFails(t *testing.T) {
	t.Parallel()
	p := &programs{run: func(sandbox.Job) (sandbox.Result, error) { return sandbox.Result{}, errors.New("no more processes") }}
	w, s := inPython(t, Python{Runner: p, Coder: p})
	err := w.Run(t.Context(), s, func(context.Context, *State) error { return nil })
	require.ErrorContains(t, err, "no more processes")
}

// TestWhatProgramsPrint: tables of few columns and rows, whose cells are what their column
// says. The nearest output that is right is taken.
func TestWhatProgramsPrint(t *testing.T) {
	t.Parallel()
	one := func(columns, rows string) string {
		return `{"tables": [{"columns": [` + columns + `], "rows": [` + rows + `]}]}`
	}
	n, d, day, text, flag := `{"name": "n", "type": "bigint"}`, `{"name": "d", "type": "double"}`, `{"name": "day", "type": "date"}`, `{"name": "t", "type": "varchar"}`, `{"name": "b", "type": "boolean"}`
	table := `{"columns": [` + n + `], "rows": []}`
	for name, c := range map[string]struct{ wrong, right, says string }{
		"no JSON":         {"done", one(n, "[1]"), "not one JSON object"},
		"two objects":     {one(n, "[1]") + one(n, "[1]"), one(n, "[1]") + "\n ", "more than one"},
		"not a number":    {one(d, "[NaN]"), one(d, "[null]"), "not one JSON object"},
		"no table":        {`{"tables": []}`, one(n, ""), "there are 0 tables"},
		"many tables":     {`{"tables": [` + strings.Repeat(table+",", 5) + table + `]}`, `{"tables": [` + strings.Repeat(table+",", 4) + table + `]}`, "there are 6 tables"},
		"no column":       {one("", ""), one(n, ""), "0 columns"},
		"many rows":       {one(n, strings.Repeat("[1],", 500)+"[1]"), one(n, strings.Repeat("[1],", 499)+"[1]"), "501 rows"},
		"a column twice":  {one(n+","+n, "[1, 1]"), one(n+","+d, "[1, 1]"), `a column "n"`},
		"a column's name": {one(`{"name": "<b>", "type": "bigint"}`, ""), one(`{"name": "销售 额", "type": "bigint"}`, ""), "names are unique"},
		"a type":          {one(`{"name": "n", "type": "blob"}`, ""), one(flag, ""), `the type "blob"`},
		"few cells":       {one(n+","+d, "[1]"), one(n+","+d, "[1, 2]"), "1 cells for 2 columns"},
		"a part of one":   {one(n, "[1.5]"), one(d, "[1.5]"), "the cell of n is not a bigint"},
		"text as number":  {one(d, `["1"]`), one(text, `["1"]`), "the cell of d is not a double"},
		"no day":          {one(day, `["2026-02-30"]`), one(day, `["2026-02-28"]`), "the cell of day is not a date"},
		"no flag":         {one(flag, "[0]"), one(flag, "[false]"), "the cell of b is not a boolean"},
		"too large":       {one(d, "[1e999]"), one(d, "[1e300]"), "the cell of d is not a double"},
		"a whole list":    {one(text, `[["x"]]`), one(text, `["x"]`), "the cell of t is not a varchar"},
	} {
		_, err := readOutput([]byte(c.wrong))
		require.ErrorContains(t, err, c.says, name)
		_, err = readOutput([]byte(c.right))
		require.NoError(t, err, name)
	}
	tables, err := readOutput([]byte(one(text, `["`+strings.Repeat("x", 5000)+`"]`)))
	require.NoError(t, err)
	require.LessOrEqual(t, len(tables[0].Rows[0][0].(string)), maxOutputText+4) //nolint:forcetypeassert // the column is varchar
}

// TestAProgramReadsTheWholeResult: also the rows that the state does not keep; where they
// cannot be had, the step says why, and no program runs over a part of them.
func TestAProgramReadsTheWholeResult(t *testing.T) {
	t.Parallel()
	p := &programs{run: well}
	w, s := inPython(t, Python{Runner: p, Coder: p})
	o, _ := w.agents.(*others)
	first := &s.Results[0].Tables[0]
	first.Total, first.ResultID = 3, "res_1"
	o.rows = func(t Table) ([][]any, error) {
		if t.ResultID != "res_1" {
			return nil, errors.New("no such result")
		}
		return append(first.Rows, []any{"south", int64(5), 0.5}), nil
	}
	to(t, w, s)
	require.Equal(t, StepDone, s.result("s2").Status, s.result("s2").Problem)
	require.Equal(t, 3, p.inputs[0].Rows)
	require.True(t, strings.HasSuffix(string(p.jobs[0].Files[0].Data), "\nsouth,5,0.5\n"), "%s", p.jobs[0].Files[0].Data)
	require.Len(t, s.result("s1").Tables[0].Rows, 2, "the state keeps no more than before")

	for name, c := range map[string]struct {
		change func(*Table)
		err    error
		reason string
	}{
		"the engine had more": {func(t *Table) { t.Truncated = true }, nil, "not all there"},
		"nobody has them":     {func(t *Table) { t.ResultID = "" }, nil, "not all there"},
		"too many":            {func(*Table) {}, &CannotError{Reason: "too many (analysis.max_input_rows)"}, "analysis.max_input_rows"},
		"gone":                {func(*Table) {}, status.Error(codes.NotFound, "the result is gone"), "s1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &programs{run: well}
			w, s := inPython(t, Python{Runner: p, Coder: p})
			o, _ := w.agents.(*others)
			o.rows = func(Table) ([][]any, error) { return nil, c.err }
			s.Results[0].Tables[0].Total, s.Results[0].Tables[0].ResultID = 3, "res_1"
			c.change(&s.Results[0].Tables[0])
			to(t, w, s)
			require.Equal(t, StepUnanswered, s.result("s2").Status)
			require.Contains(t, s.result("s2").Problem, c.reason)
			require.Empty(t, p.jobs)
		})
	}
}

// TestRowsComeAsParquetToo where the interpreter reads it: with the types of their columns, and
// the whole result; a cell that is not of its column's type leaves the CSV alone.
func TestRowsComeAsParquetToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		packages map[string]string
		cell     any
		want     []string
	}{
		"it reads Parquet":      {map[string]string{"pyarrow": "21.0.0"}, int64(12), []string{"input1.csv", "input1.schema.json", "input1.parquet"}},
		"it does not":           {map[string]string{"pandas": "2.0.0"}, int64(12), []string{"input1.csv", "input1.schema.json"}},
		"a cell does not allow": {map[string]string{"pyarrow": "21.0.0"}, "twelve", []string{"input1.csv", "input1.schema.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &programs{run: well}
			w, s := inPython(t, Python{Runner: p, Coder: p, Interpreter: func(context.Context) (sandbox.Interpreter, error) {
				return sandbox.Interpreter{Packages: c.packages}, nil
			}})
			s.Results[0].Tables[0].Rows[0][1] = c.cell
			to(t, w, s)
			require.Equal(t, StepDone, s.result("s2").Status, s.result("s2").Problem)
			var names []string
			for _, f := range p.jobs[0].Files {
				names = append(names, f.Name)
			}
			require.Equal(t, c.want, names)
			if len(names) < 3 {
				return
			}
			path := filepath.Join(t.TempDir(), "x.parquet")
			require.NoError(t, os.WriteFile(path, p.jobs[0].Files[2].Data, 0o600))
			connector, err := duckdb.NewConnector("", nil)
			require.NoError(t, err)
			db := sql.OpenDB(connector)
			defer func() { require.NoError(t, db.Close()) }()
			var read string
			require.NoError(t, db.QueryRowContext(t.Context(), "SELECT string_agg(concat_ws('|', clinic, visits, typeof(visits), rate, typeof(rate)), ';') FROM read_parquet('"+path+"')").Scan(&read))
			require.Equal(t, `a "north", b|12|BIGINT|0.1|DOUBLE;9007199254740993|BIGINT|DOUBLE`, read)
		})
	}
}
