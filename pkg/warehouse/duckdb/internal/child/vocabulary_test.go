package child

import (
	"context"
	"path/filepath"
	"testing"

	"database/sql"
	"database/sql/driver"

	"github.com/stretchr/testify/require"

	transpile "github.com/dibrain/dibrain/pkg/sql/transpile/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// opened is a database with an empty file.
func opened(t *testing.T) *database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "empty.duckdb")
	db, err := sql.Open("duckdb", path)
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	require.NoError(t, db.Close())
	d, err := openDatabase(t.Context(), wire.Open{Databases: map[string]string{"eu": path}, MemoryLimit: "1GB", TimeZone: "UTC"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.close()) })
	return d
}

// ours counts the functions and macros of the product's in a database.
func ours(t *testing.T, d *database) int {
	t.Helper()
	var n int
	require.NoError(t, d.db.QueryRow("SELECT count(DISTINCT function_name) FROM duckdb_functions() WHERE function_name LIKE 'presto\\_%' ESCAPE '\\'").Scan(&n))
	return n
}

// TestVocabularyIsMadeOnDemand: opening makes nothing, statements what they call,
// once.
func TestVocabularyIsMadeOnDemand(t *testing.T) {
	t.Parallel()
	d := opened(t)
	require.Zero(t, ours(t, d), "opening makes nothing")
	calls := transpile.MacroNames()[0]
	for range 2 {
		require.NoError(t, d.vocabulary.ensure(t.Context(), d.db, calls+"(x)"))
		require.Positive(t, ours(t, d))
		require.Less(t, ours(t, d), 10)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, d.vocabulary.ensure(gone, d.db, calls+"(x)"), context.Canceled)
}

// TestVocabularyIsWhole makes everything, in the order of Calls.
func TestVocabularyIsWhole(t *testing.T) {
	t.Parallel()
	d := opened(t)
	all := ""
	for name := range d.vocabulary.functions {
		all += name + " "
	}
	for _, name := range transpile.MacroNames() {
		all += name + " "
	}
	require.NoError(t, d.vocabulary.ensure(t.Context(), d.db, all))
	require.Equal(t, len(d.vocabulary.functions)+len(transpile.MacroNames()), ours(t, d))
	require.Len(t, d.vocabulary.made, ours(t, d))
}

// TestListFunctionsAreBounded: a function of a list ends when the statement does,
// and takes no list without bound.
func TestListFunctionsAreBounded(t *testing.T) {
	t.Parallel()
	seen := 0
	ctx, cancel := context.WithCancel(t.Context())
	err := each(ctx, make([]any, 3*looksEvery), func(any) error {
		if seen++; seen == looksEvery/2 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, looksEvery, seen)
	err = each(t.Context(), make([]any, maxListed+1), func(any) error { return nil })
	require.ErrorContains(t, err, "PRESTO EXCEEDED_LOCAL_MEMORY_LIMIT")
	for name, call := range map[string]listFunction{
		"percentiles": func(ctx context.Context, args []driver.Value) (any, error) { return percentiles(ctx, args, false) },
		"histogram":   histogram,
		"distinct":    distinct(func(int64) uint64 { return 0 }),
		"checksum":    checksum(func(int64) uint64 { return 0 }),
	} {
		args := []driver.Value{[]any{1.5}, []any{1.5}, []any{0.5}}
		switch name {
		case "histogram":
			args = []driver.Value{int64(3), []any{1.5}, []any{1.5}}
		case "distinct":
			args = []driver.Value{[]any{int64(1)}, int64(11)}
		}
		_, err := call(t.Context(), args)
		require.NoError(t, err, name)
		_, err = call(ctx, args)
		require.ErrorIs(t, err, context.Canceled, name)
	}
}
