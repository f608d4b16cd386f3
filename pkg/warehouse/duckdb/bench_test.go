package duckdb_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// BenchmarkStatement runs the same statements on a child process and within this
// one, so that one run tells what the process costs.
func BenchmarkStatement(b *testing.B) {
	path := database(b)
	who := run.Principal{ID: "someone"}
	for _, statement := range []struct{ name, text string }{
		{"one row", "select 1"},
		{"10000 rows", "select x, 'row ' || cast(x as varchar), x * 0.5e0, date '2024-01-01' from unnest(sequence(1, 10000)) t(x)"},
	} {
		approved, err := guard.New(guard.Config{DefaultLimit: 10_000}).Approve(b.Context(), who, statement.text, resolve.Scope{})
		require.NoError(b, err)
		for name, launcher := range launchers() {
			b.Run(statement.name+"/"+name, func(b *testing.B) {
				e, err := duckdb.Open(b.Context(), duckdb.Config{Launcher: launcher, Databases: map[string]string{"eu": path}})
				require.NoError(b, err)
				defer e.Close()
				for b.Loop() {
					rows, err := e.Query(b.Context(), who, approved, warehouse.Options{})
					require.NoError(b, err)
					for err == nil {
						_, err = rows.Next(b.Context(), 1000)
					}
					if !errors.Is(err, io.EOF) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
