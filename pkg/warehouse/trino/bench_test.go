package trino_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// BenchmarkOverhead compares the engine with the bare client in one run, turn by
// turn, so that both meet the same server: the medians, and what the engine adds in
// percent. Take -benchtime=200x or more.
func BenchmarkOverhead(b *testing.B) {
	c := trinotest.Plain(b, "tpch")
	e, err := trino.Open(b.Context(), trino.Config{Connection: c, DefaultRegion: "tpch", DefaultSchema: "tiny"})
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close()) }()
	db, err := sql.Open("trino", strings.Replace(c.URL, "://", "://admin@", 1)+"?source=bench&catalog=tpch&schema=tiny&timezone=UTC")
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()

	for _, statement := range []struct{ name, sql string }{
		{"select_1", "select 1"},
		{"15000_rows", "select orderkey, custkey, totalprice, orderdate, clerk from orders limit 15000"},
	} {
		b.Run(statement.name, func(b *testing.B) {
			approved := approve(b, "someone", statement.sql, tables("tpch", "tiny"))
			var ours, bare []time.Duration
			for b.Loop() {
				begun := time.Now()
				rows, err := e.Query(b.Context(), someone(), approved, warehouse.Options{})
				require.NoError(b, err)
				all(b, rows)
				ours = append(ours, time.Since(begun))
				begun = time.Now()
				drainBare(b, db, approved.SQL())
				bare = append(bare, time.Since(begun))
			}
			slices.Sort(ours)
			slices.Sort(bare)
			b.ReportMetric(float64(ours[len(ours)/2].Microseconds()), "engine-µs")
			b.ReportMetric(float64(bare[len(bare)/2].Microseconds()), "bare-µs")
			b.ReportMetric(100*(float64(ours[len(ours)/2])/float64(bare[len(bare)/2])-1), "overhead-%")
		})
	}
}

// drainBare reads a result as a program would that uses the client by itself.
func drainBare(b *testing.B, db *sql.DB, text string) {
	b.Helper()
	rows, err := db.QueryContext(b.Context(), text)
	require.NoError(b, err)
	defer func() { require.NoError(b, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(b, err)
	values := make([]any, len(names))
	targets := make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		require.NoError(b, rows.Scan(targets...))
	}
	require.NoError(b, rows.Err())
}
