// Command dibrain is DI-Brain: the services, and the command line to them.
package main

import (
	"context"
	"os"
	"time"
	_ "time/tzdata" // askers' time zones work on images that have none

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/cli"
)

// The linker sets these where the repository is not at hand, as in an image; see
// scripts/ldflags.sh.
var version, commit string

func main() {
	f := &cli.Factory{
		IO: cli.SystemIO(), Environ: os.Environ(), Getenv: os.Getenv, Clock: time.Now, Build: build.Read(build.Linked{Version: version, Commit: commit}),
	}
	os.Exit(cli.Main(context.Background(), f, os.Args[1:]))
}
