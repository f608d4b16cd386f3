package cli

import (
	"math"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// Child is the whole program where it was started to run the statements of an embedded
// engine, or to become a sandboxed Python. It is no command: only a process of this program
// starts it, and it takes nothing but the descriptor that it inherits.
func Child(args []string) (code int, isChild bool) {
	switch {
	case duckdb.IsChild(args):
		return duckdb.ChildMain(), true
	case sandbox.IsChild(args):
		return sandbox.ChildMain(), true
	}
	return 0, false
}

// Program is where this program is, as its children are started from there.
func Program() string {
	path, err := duckdb.Program()
	if err != nil { // only where the system does not know: by the name it was called
		return os.Args[0]
	}
	return path
}

// Memory is what this program's container may take, or the machine has where there is
// no limit, in bytes; 0 where that is not known.
func Memory() int64 {
	for _, from := range []func() (uint64, error){memlimit.FromCgroup, memlimit.FromSystem} {
		if bytes, err := from(); err == nil && bytes > 0 && bytes < math.MaxInt64 {
			return int64(bytes)
		}
	}
	return 0
}

// launcher starts the embedded engines' children.
func (f *Factory) launcher() duckdb.Launcher {
	if f.Program == "" {
		return duckdb.InProcess()
	}
	return duckdb.Processes(f.Program)
}
