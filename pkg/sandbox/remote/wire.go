// Package remote runs programs in a sandbox of another machine: a runner, which is this
// program in a container of its own, serves one (server.go), and services ask it
// (client.go). In a cluster that has SandboxClaims of kubernetes-sigs/agent-sandbox a runner
// is claimed for each program, and is gone with it (claim.go).
//
// The walls are those of the runner's own sandbox, which starts only where all of them hold.
// Whoever asks has a token; nothing of a program or its rows is logged.
package remote

import (
	"time"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// Paths of a runner.
const (
	pathRun         = "/v1/run"
	pathInterpreter = "/v1/interpreter"
	pathReady       = "/readyz"
)

// file is one that goes in or comes out. Its bytes are base64 in JSON.
type file struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// job is a program as it is sent.
type job struct {
	Code  string `json:"code"`
	Files []file `json:"files"`
}

// result is what came of it.
type result struct {
	Exit    sandbox.Exit  `json:"exit"`
	Code    int           `json:"code"`
	Stdout  []byte        `json:"stdout"`
	Stderr  []byte        `json:"stderr"`
	Files   []file        `json:"files"`
	Problem string        `json:"problem"`
	Took    time.Duration `json:"took"`
}

// failure is why there is no result.
type failure struct {
	Problem string `json:"problem"`
	// Unfit says that the job is not one that can be run.
	Unfit bool `json:"unfit"`
}

func fromFiles(files []sandbox.File) []file {
	out := make([]file, 0, len(files))
	for _, f := range files {
		out = append(out, file(f))
	}
	return out
}

func toFiles(files []file) []sandbox.File {
	var out []sandbox.File
	for _, f := range files {
		out = append(out, sandbox.File(f))
	}
	return out
}

// onWire is how many bytes so many take as base64 in JSON, with what is around them.
func onWire(bytes int64) int64 { return bytes/3*4 + 1<<20 }
