package duckdb_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// parentArgument has the test binary run a statement without end over the database
// that is its second argument, for a test that ends it.
const parentArgument = "parent-of-an-engine"

// TestMain lets the test binary be the program of the engine's children, as the
// product's is.
func TestMain(m *testing.M) {
	if duckdb.IsChild(os.Args) {
		os.Exit(duckdb.ChildMain())
	}
	if len(os.Args) == 3 && os.Args[1] == parentArgument {
		if err := runForEver(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// runForEver prints the process of its child once a statement runs there.
func runForEver(path string) error {
	ctx, who := context.Background(), run.Principal{ID: "someone"}
	e, err := duckdb.Open(ctx, duckdb.Config{Launcher: duckdb.Processes(os.Args[0]), Databases: map[string]string{"eu": path}})
	if err != nil {
		return err
	}
	approved, err := guard.New(guard.Config{}).Approve(ctx, who, endless, resolve.Scope{})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	_, err = e.Query(ctx, who, approved, warehouse.Options{Progress: func(at warehouse.Progress) {
		if at.State == "running" {
			fmt.Fprintln(out, e.Pids()[0])
			_ = out.Flush()
		}
	}})
	return err
}

// launchers are both ways to have children.
func launchers() map[string]duckdb.Launcher {
	return map[string]duckdb.Launcher{"processes": duckdb.Processes(os.Args[0]), "in process": duckdb.InProcess()}
}
