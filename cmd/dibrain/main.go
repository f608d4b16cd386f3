// Command dibrain is DI-Brain: the services, and the command line to them.
package main

import (
	"context"
	"os"
	"time"
	_ "time/tzdata" // askers' time zones work on images that have none

	"github.com/dibrain/dibrain/internal/cli"
)

func main() {
	if code, isChild := cli.EngineChild(os.Args); isChild {
		os.Exit(code)
	}
	f := &cli.Factory{
		IO: cli.SystemIO(), Environ: os.Environ(), Getenv: os.Getenv, Clock: time.Now, Build: cli.ReadBuild(), Program: cli.Program(),
	}
	os.Exit(cli.Main(context.Background(), f, os.Args[1:]))
}
