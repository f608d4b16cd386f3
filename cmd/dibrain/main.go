// Command dibrain is DI-Brain: the services, and the command line to them.
package main

import (
	"context"
	"os"
	"time"
	_ "time/tzdata" // askers' time zones work on images that have none

	"google.golang.org/grpc/resolver/dns"

	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/cli"
)

// The linker sets these where the repository is not at hand, as in an image; see
// scripts/ldflags.sh.
var version, commit string

// resolveEvery is how often a name may be looked up again. A service that comes back
// on Kubernetes has another address, and with gRPC's half a minute callers would go
// on knocking at the old one.
const resolveEvery = 2 * time.Second

func main() {
	if code, isChild := cli.Child(os.Args); isChild {
		os.Exit(code)
	}
	dns.SetMinResolutionInterval(resolveEvery) // one setting for the process, before any call
	f := cli.System(build.Linked{Version: version, Commit: commit})
	os.Exit(cli.Main(context.Background(), f, os.Args[1:]))
}
