package duckdb_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// shared finds the folder of evaluation data beside the module.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			data := filepath.Join(filepath.Dir(dir), "shared", "data", "trino")
			if _, err := os.Stat(data); err != nil {
				t.Skip("no ../shared/data/trino beside the module: the answers of a real Trino are not here")
			}
			return data
		}
		dir = filepath.Dir(dir)
	}
}

// tpch makes a database of the parquet files and a catalog of it.
func tpch(t *testing.T, data string) (string, *resolve.Tables) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tpch.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(data, "tpch_tiny", "*.parquet"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	_, err = db.Exec("CREATE SCHEMA tiny")
	require.NoError(t, err)
	var tables []catalog.Table
	for _, f := range files {
		table := strings.TrimSuffix(filepath.Base(f), ".parquet")
		_, err := db.Exec(fmt.Sprintf(`CREATE TABLE tiny.%q AS SELECT * FROM read_parquet('%s')`, table, f))
		require.NoError(t, err)
		tables = append(tables, catalog.Table{Name: catalog.Name{Region: "tpch", Schema: "tiny", Table: table}, Columns: columnsOf(t, db, table)})
	}
	require.NoError(t, db.Close())
	return path, resolve.NewTables(tables)
}

func columnsOf(t *testing.T, db *sql.DB, table string) []catalog.Column {
	t.Helper()
	rows, err := db.Query("SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'tiny' AND table_name = ? ORDER BY ordinal_position", table)
	require.NoError(t, err)
	defer rows.Close()
	var columns []catalog.Column
	for rows.Next() {
		var column, typ string
		require.NoError(t, rows.Scan(&column, &typ))
		columns = append(columns, catalog.Column{Name: column, Type: strings.ToLower(typ)})
	}
	require.NoError(t, rows.Err())
	return columns
}

type answer struct {
	SQL     string `json:"sql"`
	Columns []struct{ Name, Type string }
	Rows    [][]any `json:"rows"`
	Ordered bool    `json:"ordered"`
}

// TestConformance compares with the answers of a real Trino. Every query gives
// the same rows or is refused as not supported; none gives different rows.
func TestConformance(t *testing.T) {
	t.Parallel()
	data := shared(t)
	path, tables := tpch(t, data)
	engine, err := duckdb.Open(t.Context(), duckdb.Config{Launcher: duckdb.InProcess(), Databases: map[string]string{"tpch": path}, DefaultRegion: "tpch", DefaultSchema: "tiny"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	g := guard.New(guard.Config{DefaultLimit: 100_000, MaxLimit: 100_000})
	scope := resolve.Scope{Catalog: tables, DefaultRegion: "tpch", DefaultSchema: "tiny"}

	file, err := os.Open(filepath.Join(data, "conformance.jsonl"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	counts := map[string]int{}
	for lines.Scan() {
		var want answer
		require.NoError(t, json.Unmarshal(lines.Bytes(), &want))
		outcome, detail := compare(t.Context(), engine, g, scope, want)
		counts[outcome]++
		switch outcome {
		case "different", "failed":
			t.Errorf("%s: %s\n%s", outcome, want.SQL, detail)
		case "not_supported", "refused":
			t.Logf("%s: %s: %s", outcome, want.SQL, detail)
		}
	}
	require.NoError(t, lines.Err())
	t.Logf("%v", counts)
	require.GreaterOrEqual(t, counts["same"], 60)
}

func compare(ctx context.Context, engine warehouse.Engine, g *guard.Guard, scope resolve.Scope, want answer) (outcome, detail string) {
	who := run.Principal{ID: "conformance"}
	approved, err := g.Approve(ctx, who, want.SQL, scope)
	if err != nil {
		return "refused", err.Error()
	}
	rows, err := engine.Query(ctx, who, approved, warehouse.Options{})
	var unsupported *transpile.NotSupported
	switch {
	case errors.As(err, &unsupported):
		return "not_supported", err.Error()
	case err != nil:
		return "failed", err.Error()
	}
	var got [][]any
	for {
		page, err := rows.Next(ctx, 1000)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "failed", err.Error() + "\n" + rows.Stats().SQL
		}
		got = append(got, page...)
	}
	if !sameRows(got, want) {
		return "different", fmt.Sprintf("got  %v\nwant %v\n%s", got, want.Rows, rows.Stats().SQL)
	}
	for i, c := range rows.Columns() {
		if base(c.Type) != base(want.Columns[i].Type) || c.Name != want.Columns[i].Name {
			return "different", fmt.Sprintf("column %d is %s %s, Trino's is %s %s", i, c.Name, c.Type, want.Columns[i].Name, want.Columns[i].Type)
		}
	}
	return "same", ""
}

var textLength = regexp.MustCompile(`varchar\([0-9]+\)`)

// base leaves out the length of texts, which is not kept, and blanks.
func base(typ string) string {
	return strings.ToLower(strings.ReplaceAll(textLength.ReplaceAllString(typ, "varchar"), " ", ""))
}

func sameRows(got [][]any, want answer) bool {
	if len(got) != len(want.Rows) {
		return false
	}
	text := func(rows [][]any) []string {
		out := make([]string, len(rows))
		for i, row := range rows {
			out[i] = cells(row)
		}
		return out
	}
	a, b := text(got), text(want.Rows)
	if !want.Ordered {
		sort.Strings(a)
		sort.Strings(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// cells writes values so that numbers of one value compare equal: doubles to 12
// digits.
func cells(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = cells(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case int64:
		return cells(float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.ReplaceAll(fmt.Sprintf("%q", strings.TrimPrefix(fmt.Sprint(v), "+")), "Inf", "Infinity")
		}
		return fmt.Sprintf("%.12g", v)
	case map[string]any:
		text, _ := json.Marshal(v)
		return string(text)
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}
