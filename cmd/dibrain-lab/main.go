// Command dibrain-lab measures DI-Brain on sets of questions and fits its models. It is for people who build the
// product, and no part of it.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // askers' time zones work on images that have none

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/cli"
	"github.com/dibrain/dibrain/internal/lab"
)

// The linker sets these where the repository is not at hand, as in an image; see
// scripts/ldflags.sh.
var version, commit string

func main() {
	if code, isChild := cli.Child(os.Args); isChild {
		os.Exit(code)
	}
	f := cli.System(build.Linked{Version: version, Commit: commit})
	os.Exit(cli.Run(context.Background(), f, lab.Root(f), os.Args[1:]))
}
