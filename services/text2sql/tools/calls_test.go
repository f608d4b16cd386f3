package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// noting is an executor that notes what it is asked to run.
type noting struct {
	source, sql string
	maxRows     int
	err         error
}

func (n *noting) Execute(_ context.Context, source, sql string, maxRows int) (tools.Rows, error) {
	n.source, n.sql, n.maxRows = source, sql, maxRows
	return tools.Rows{Columns: []string{"age"}, Rows: [][]any{{7}}, Truncated: true}, n.err
}

func toolsOf(t *testing.T, executor tools.Executor) *tools.Set {
	t.Helper()
	set, err := tools.New(tools.Deps{Catalog: kennel{}, Guard: guard.New(guard.Config{}), Executor: executor})
	require.NoError(t, err)
	return set
}

func asked(t *testing.T) context.Context {
	t.Helper()
	return run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
}

// TestRunIsBounded: a statement and its number of rows have bounds, and what is not asked
// within them never reaches the executor.
func TestRunIsBounded(t *testing.T) {
	t.Parallel()
	const sql = "SELECT age FROM owners"
	for _, c := range []struct {
		name   string
		args   tools.ExecuteArgs
		reason string
		rows   int // that are asked for
	}{
		{"the default", tools.ExecuteArgs{SQL: sql}, "", 100},
		{"one", tools.ExecuteArgs{SQL: sql, MaxRows: 1}, "", 1},
		{"the most", tools.ExecuteArgs{SQL: sql, MaxRows: 1000}, "", 1000},
		{"more", tools.ExecuteArgs{SQL: sql, MaxRows: 1001}, "MAX_ROWS_INVALID", 0},
		{"less than none", tools.ExecuteArgs{SQL: sql, MaxRows: -1}, "MAX_ROWS_INVALID", 0},
		{"nothing to run", tools.ExecuteArgs{}, "SQL_INVALID", 0},
		{"the longest", tools.ExecuteArgs{SQL: strings.Repeat("x", 1<<16)}, "", 100},
		{"too long", tools.ExecuteArgs{SQL: strings.Repeat("x", 1<<16+1)}, "SQL_INVALID", 0},
	} {
		executor := &noting{}
		c.args.Source = "eu"
		rows, err := toolsOf(t, executor).Run(asked(t), c.args)
		require.Equal(t, c.reason, fault.ReasonOf(err), c.name)
		require.Equal(t, c.rows, executor.maxRows, c.name)
		if c.reason == "" {
			require.Equal(t, c.args.SQL, executor.sql, c.name)
			require.Equal(t, "eu", executor.source, c.name)
			require.True(t, rows.Truncated, c.name)
			continue
		}
		require.Empty(t, executor.sql, c.name)
	}
	_, err := toolsOf(t, nil).Run(asked(t), tools.ExecuteArgs{SQL: sql})
	require.Equal(t, "EXECUTION_OFF", fault.ReasonOf(err))
	_, err = toolsOf(t, &noting{err: tools.ErrNotRun}).Run(asked(t), tools.ExecuteArgs{SQL: sql})
	require.ErrorIs(t, err, tools.ErrNotRun)
}

func TestDescribeIsBounded(t *testing.T) {
	t.Parallel()
	for n, reason := range map[int]string{0: "TABLES_INVALID", 1: "", 50: "", 51: "TABLES_INVALID"} {
		names := make([]string, n)
		for i := range names {
			names[i] = "owners"
		}
		out, err := toolsOf(t, nil).Describe(asked(t), tools.SchemaArgs{Tables: names})
		require.Equal(t, reason, fault.ReasonOf(err), n)
		require.Equal(t, reason == "", len(out.Tables) > 0, n)
	}
	var names []string
	set, err := tools.New(tools.Deps{Catalog: asking{names: &names, closed: true}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	_, err = set.Describe(asked(t), tools.SchemaArgs{Tables: []string{"owners"}})
	require.ErrorIs(t, err, errKennelClosed)
}

// TestToolsAreListed: a set without an executor has no execute_sql, and every tool is
// described in the form that models are given.
func TestToolsAreListed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		executor tools.Executor
		names    []string
	}{{nil, []string{tools.GetSchema, tools.ValidateSQL}}, {&noting{}, []string{tools.GetSchema, tools.ValidateSQL, tools.ExecuteSQL}}} {
		set := toolsOf(t, c.executor)
		var names []string
		for _, tool := range set.List() {
			names = append(names, tool.Name)
			got, ok := set.ByName(tool.Name)
			require.True(t, ok)
			require.Equal(t, tool.Description, got.Description)
			f, ok := tool.Function()["function"].(map[string]any)
			require.True(t, ok)
			require.Equal(t, map[string]any{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters}, f)
			require.NotEmpty(t, tool.Parameters["properties"])
		}
		require.Equal(t, c.names, names)
	}
	_, ok := toolsOf(t, nil).ByName(tools.ExecuteSQL)
	require.False(t, ok)
	for _, deps := range []tools.Deps{{Guard: guard.New(guard.Config{})}, {Catalog: kennel{}}} {
		_, err := tools.New(deps)
		require.Error(t, err)
	}
}

// TestArgumentsAreChecked: arguments that do not fit the schema are told and call nothing.
func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	executor := &noting{}
	tool, ok := toolsOf(t, executor).ByName(tools.ExecuteSQL)
	require.True(t, ok)
	for _, bad := range []string{`{}`, `{"sql": 7}`, `[]`, `{`} {
		_, err := tool.Execute(asked(t), json.RawMessage(bad))
		require.Equal(t, "ARGUMENTS_INVALID", fault.ReasonOf(err), bad)
		require.ErrorContains(t, err, "arguments of execute_sql", bad)
	}
	require.Empty(t, executor.sql)
	out, err := tool.Execute(asked(t), json.RawMessage(`{"sql": "SELECT age FROM owners", "max_rows": 3}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"columns": ["age"], "rows": [[7]], "truncated": true}`, string(out))
	require.Equal(t, 3, executor.maxRows)
	_, err = tool.Execute(asked(t), json.RawMessage(`{"sql": "SELECT age FROM owners", "max_rows": 5000}`))
	require.Equal(t, "MAX_ROWS_INVALID", fault.ReasonOf(err))
}
