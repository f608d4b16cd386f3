package duckdb

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// opened is an engine with an empty database.
func opened(t *testing.T) *Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "empty.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	require.NoError(t, db.Close())
	e, err := Open(t.Context(), Config{Databases: map[string]string{"eu": path}, Limits: warehouse.Limits{MaxConcurrent: 16}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// ours counts the functions and macros of the product's in an engine.
func ours(t *testing.T, e *Engine) int {
	t.Helper()
	var n int
	require.NoError(t, e.db.QueryRow("SELECT count(DISTINCT function_name) FROM duckdb_functions() WHERE function_name LIKE 'presto\\_%' ESCAPE '\\'").Scan(&n))
	return n
}

func approve(t *testing.T, text string) (run.Principal, guard.Approved) {
	t.Helper()
	who := run.Principal{ID: "someone"}
	approved, err := guard.New(guard.Config{}).Approve(t.Context(), who, text, resolve.Scope{DefaultRegion: "eu", DefaultSchema: "main"})
	require.NoError(t, err)
	return who, approved
}

// TestVocabularyIsMadeOnDemand: opening makes nothing, statements what they call,
// once.
func TestVocabularyIsMadeOnDemand(t *testing.T) {
	t.Parallel()
	e := opened(t)
	require.Zero(t, ours(t, e), "opening makes nothing")
	for range 2 {
		who, approved := approve(t, "select 1 / x, 'presto_trim(' from (values 1) t(x)")
		rows, err := e.Query(t.Context(), who, approved, warehouse.Options{})
		require.NoError(t, err)
		page, err := rows.Next(t.Context(), 10)
		require.NoError(t, err)
		require.Equal(t, [][]any{{int64(1), "presto_trim("}}, page)
		require.NoError(t, rows.Close())
		require.Less(t, ours(t, e), 10)
	}
	before := ours(t, e)
	who, approved := approve(t, "select cardinality(array_intersect(array[x], array[1, 2])) from (values 1) t(x)")
	_, err := e.Explain(t.Context(), who, approved)
	require.NoError(t, err)
	require.Greater(t, ours(t, e), before, "Explain makes what it needs")
}

// TestVocabularyIsWhole makes everything, in the order of Calls.
func TestVocabularyIsWhole(t *testing.T) {
	t.Parallel()
	e := opened(t)
	all := ""
	for name := range e.vocabulary.functions {
		all += name + " "
	}
	for _, name := range transpile.MacroNames() {
		all += name + " "
	}
	require.NoError(t, e.vocabulary.ensure(t.Context(), e.db, all))
	require.Equal(t, len(e.vocabulary.functions)+len(transpile.MacroNames()), ours(t, e))
	require.Len(t, e.vocabulary.made, ours(t, e))
}

// TestVocabularyIsShared runs statements that call the same and other macros at the
// same time, some of them cancelled.
func TestVocabularyIsShared(t *testing.T) {
	t.Parallel()
	e := opened(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var group sync.WaitGroup
	for i := range 24 {
		text := []string{"select trim(' a ' || x) from (values 'a') t(x)", "select trim(x) from (values ' aa') t(x)", "select substr(x, 1) from (values 'aa') t(x)"}[i%3]
		who, approved := approve(t, text)
		group.Go(func() {
			if i%4 == 3 {
				_, err := e.Query(gone, who, approved, warehouse.Options{})
				assert.Error(t, err)
				return
			}
			rows, err := e.Query(t.Context(), who, approved, warehouse.Options{})
			if !assert.NoError(t, err) {
				return
			}
			page, err := rows.Next(t.Context(), 10)
			if assert.NoError(t, err) && i%3 > 0 && page[0][0] != "aa" {
				t.Errorf("%s gives %v", text, page)
			}
			_ = rows.Close()
		})
	}
	group.Wait()
}
