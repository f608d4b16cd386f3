package resolve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// answered is a statement with what a Trino 476 server said of it. The tables are
// those of tables.json; the catalog is tpch and the schema tiny where the
// statement does not say otherwise.
type answered struct {
	SQL       string `json:"sql"`
	NoCatalog bool   `json:"no_catalog"`
	ErrorName string `json:"error_name"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Columns   []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"columns"`
}

func readAnswers(t *testing.T, path string) []answered {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	var out []answered
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var a answered
		require.NoError(t, json.Unmarshal(lines.Bytes(), &a), lines.Text())
		out = append(out, a)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, out, path)
	return out
}

// trino is the scope of the corpora: tables of the server that was asked.
func trino(t testing.TB) resolve.Scope {
	t.Helper()
	data, err := os.ReadFile("testdata/tables.json")
	require.NoError(t, err)
	var stored []struct {
		Name    [3]string   `json:"name"`
		Columns [][2]string `json:"columns"`
	}
	require.NoError(t, json.Unmarshal(data, &stored))
	tables := make([]catalog.Table, len(stored))
	for i, s := range stored {
		tables[i].Name = catalog.Name{Region: s.Name[0], Schema: s.Name[1], Table: s.Name[2]}
		for _, c := range s.Columns {
			tables[i].Columns = append(tables[i].Columns, catalog.Column{Name: c[0], Type: c[1]})
		}
	}
	return resolve.Scope{DefaultRegion: "tpch", DefaultSchema: "tiny", Catalog: resolve.NewTables(tables).WithSchemas(
		[2]string{"memory", "default"}, [2]string{"iceberg", "lake"}, [2]string{"system", "runtime"})}
}

// first is the first mistake of a statement, as the server reports only one.
func first(a answered, scope resolve.Scope) (got string, resolution *resolve.Resolution) {
	if a.NoCatalog {
		scope.DefaultRegion, scope.DefaultSchema = "", ""
	}
	stmt, err := parser.Parse(a.SQL)
	var syntax *parser.Error
	if errors.As(err, &syntax) {
		return place(syntax.TrinoName(), syntax.Line, syntax.Column), nil
	}
	r, found := resolve.Resolve(stmt, scope)
	if len(found) > 0 {
		return place(string(found[0].Code), found[0].Line, found[0].Column), r
	}
	return "", r
}

func place(code string, line, column int) string { return fmt.Sprintf("%s %d:%d", code, line, column) }

// TestErrorsOfTrino compares the first mistake with the server's, class and place.
func TestErrorsOfTrino(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "testdata/trino_errors.jsonl")
	scope, right := trino(t), 0
	for _, a := range all {
		want := place(a.ErrorName, a.Line, a.Column)
		if got, _ := first(a, scope); got == want {
			right++
		} else {
			t.Logf("want %s, got %s: %s", want, got, a.SQL)
		}
	}
	t.Logf("%d of %d", right, len(all))
	require.GreaterOrEqual(t, float64(right), leastRight*float64(len(all)))
}

// leastRight is the share of errors that are found with class and place.
const leastRight = 0.995

// TestColumnsOfTrino asks for no mistake in what the server answers, and for the
// names and types of the result that it gives.
func TestColumnsOfTrino(t *testing.T) {
	t.Parallel()
	scope := trino(t)
	for _, a := range readAnswers(t, "testdata/trino_valid.jsonl") {
		got, r := first(a, scope)
		require.Empty(t, got, a.SQL)
		if r.Statement().Query == nil {
			continue
		}
		require.Empty(t, wrongColumns(a, r), a.SQL)
	}
}

// wrongColumns says where the columns of a result are not the server's.
func wrongColumns(a answered, r *resolve.Resolution) string {
	out := r.Output()
	if len(out) != len(a.Columns) {
		return fmt.Sprintf("%d columns, want %d", len(out), len(a.Columns))
	}
	for i, c := range a.Columns {
		name := out[i].Name
		if name == "" {
			name = fmt.Sprintf("_col%d", i)
		}
		want, ok := types.Read(c.Type)
		if name != c.Name || !ok || !out[i].Type.Identical(want) {
			return fmt.Sprintf("column %d is %s %s, want %s %s", i+1, name, out[i].Type, c.Name, c.Type)
		}
	}
	return ""
}
