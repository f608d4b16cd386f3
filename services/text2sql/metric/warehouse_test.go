package metric_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// today is a Friday; 11.11 was nine days ago.
var today = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// asker answers questions over the tiny demo and runs what it is given.
type asker struct {
	pipeline *pipeline.Pipeline
	schema   *pipeline.Schema
	layer    *semantic.Layer
	tables   []catalog.Table
	db       *sql.DB
}

// shared is the one demo that the tests read; TestMain removes it.
var shared struct {
	once sync.Once
	dir  string
	a    *asker
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.a != nil {
		_ = shared.a.db.Close()
	}
	_ = os.RemoveAll(shared.dir)
	os.Exit(code)
}

func demoAsker(t testing.TB) *asker {
	t.Helper()
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "metric")
		require.NoError(t, err)
		shared.dir = dir
		manifest, snapshot, err := demo.Make(context.Background(), dir, demo.Config{Today: today, Scale: demo.TinyScale})
		require.NoError(t, err)
		layer, err := semantic.Load(filepath.Join(dir, "semantic"))
		require.NoError(t, err)
		p, err := pipeline.New(pipeline.Config{})
		require.NoError(t, err)
		connector, err := duckdb.NewConnector("", nil)
		require.NoError(t, err)
		a := &asker{pipeline: p, layer: layer, schema: p.Prepare(snapshot.Tables, p.PrepareLayer(layer)), tables: snapshot.Tables, db: sql.OpenDB(connector)}
		for region, file := range manifest.Databases {
			_, err := a.db.ExecContext(context.Background(), fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", filepath.Join(dir, file), region))
			require.NoError(t, err)
		}
		for _, name := range []string{"presto_double_eq", "presto_double_ne", "presto_double_lt", "presto_double_le"} {
			if statement, ok := transpile.Macro(name); ok {
				_, err := a.db.ExecContext(context.Background(), statement)
				require.NoError(t, err)
			}
		}
		shared.a = a
	})
	require.NotNil(t, shared.a, "the test that made the demo failed")
	return shared.a
}

func (a *asker) ask(question string) pipeline.Result {
	return a.pipeline.Answer(pipeline.Input{Question: question, Schema: a.schema, Now: today})
}

// presto runs Presto SQL as the product would: through the guard and the
// transpiler.
func (a *asker) presto(t testing.TB, text string) [][]string {
	t.Helper()
	index := catalog.NewIndex(&catalog.Snapshot{Tables: a.tables}, catalog.Defaults{})
	approved, err := guard.New(guard.Config{}).Approve(context.Background(), run.Principal{ID: "test"}, text, resolve.Scope{Catalog: index})
	require.NoError(t, err, text)
	native, err := transpile.TranspileResolved(approved.Resolution())
	require.NoError(t, err, text)
	return a.rows(t, native)
}

// rows runs DuckDB's SQL; values are texts, numbers with nine digits.
func (a *asker) rows(t testing.TB, text string) [][]string {
	t.Helper()
	rows, err := a.db.QueryContext(context.Background(), text)
	require.NoError(t, err, text)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var out [][]string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rows.Scan(values...))
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = show(*v.(*any)) // made above
		}
		out = append(out, row)
	}
	require.NoError(t, rows.Err())
	return out
}

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		return v.Format(time.DateOnly)
	case float64:
		return fmt.Sprintf("%.9g", v)
	case duckdb.Decimal:
		return fmt.Sprintf("%.9g", v.Float64())
	case int64, int32, int:
		return fmt.Sprintf("%d", v)
	}
	return fmt.Sprint(v)
}
