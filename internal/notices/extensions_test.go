package notices_test

import (
	"database/sql"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the engine that is asked
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/notices"
)

// TestExtensionsInsideOfDuckDB: the extensions that are linked with DuckDB are those
// whose licences the notices tell. One more than these brings parts of others along, as
// tpch and tpcds would, whose generators of data are the TPC's.
func TestExtensionsInsideOfDuckDB(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	rows, err := db.QueryContext(t.Context(), "SELECT extension_name FROM duckdb_extensions() WHERE install_mode = 'STATICALLY_LINKED' ORDER BY 1")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }() // only read
	var linked []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		linked = append(linked, name)
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []string{"autocomplete", "core_functions", "icu", "json", "parquet"}, linked)
	require.NotContains(t, notices.Text, "TPC-")
	_, err = db.ExecContext(t.Context(), "SELECT * FROM tpch_queries()")
	require.Error(t, err)
}
