// Package build says what a binary was built from: the tag, the commit, and whether
// the sources were changed after it. `dibrain version`, the stamp of figures in eval/
// and the service.version of traces all take it from here.
package build

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Info is what was built.
type Info struct {
	// Version is the release's tag, or what Go makes of the commit after one.
	Version string `json:"version"`
	// Commit is the whole hash; "unknown" where nothing tells it.
	Commit string `json:"commit"`
	// Modified says that the sources were not those of the commit.
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Linked is what the linker was told (-X main.version=v1.2.3 -X main.commit=…): an image
// is built without the repository at hand.
type Linked struct{ Version, Commit string }

// Without anything better.
const (
	devel   = "devel"
	unknown = "unknown"
	dirty   = "+dirty"
)

// Read finds out what this binary is: from the linker, else from what the Go tool chain
// noted in it. It asks nothing else: the folder that the binary was built in may hold
// other sources by now. `go run` and -buildvcs=false note no commit; `go run
// -buildvcs=true` does.
func Read(linked Linked) Info {
	info, _ := debug.ReadBuildInfo()
	return read(linked, info)
}

func read(linked Linked, noted *debug.BuildInfo) Info {
	b := Info{Version: devel, Commit: unknown, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if noted != nil {
		if v := noted.Main.Version; v != "" && v != "(devel)" {
			b.Version = v
		}
		for _, s := range noted.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if linked.Version != "" {
		b.Version = linked.Version
	}
	if linked.Commit != "" {
		b.Commit, b.Modified = strings.CutSuffix(linked.Commit, dirty)
	}
	if b.Version == devel && b.Commit != unknown {
		const short = 12
		b.Version = devel + "-" + b.Commit[:min(len(b.Commit), short)]
		if b.Modified {
			b.Version += dirty
		}
	}
	return b
}
