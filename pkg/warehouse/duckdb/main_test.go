package duckdb_test

import (
	"os"
	"testing"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// TestMain lets the test binary be the program of the engine's children, as the
// product's is.
func TestMain(m *testing.M) {
	if duckdb.IsChild(os.Args) {
		os.Exit(duckdb.ChildMain())
	}
	os.Exit(m.Run())
}

// launchers are both ways to have children.
func launchers() map[string]duckdb.Launcher {
	return map[string]duckdb.Launcher{"processes": duckdb.Processes(os.Args[0]), "in process": duckdb.InProcess()}
}
