// Package build says what a binary was built from: the tag, the commit, and whether
// the sources were changed after it. `dibrain version`, the stamp of figures in eval/
// and the service.version of traces all take it from here.
package build

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
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
// noted, else (go run notes nothing) from the repository that it was just built in.
func Read(linked Linked) Info {
	info, _ := debug.ReadBuildInfo()
	return read(linked, info, sourceDir())
}

func read(linked Linked, noted *debug.BuildInfo, source string) Info {
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
	if b.Commit == unknown && source != "" {
		b.fromGit(source)
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

// sourceDir is the folder that this file was compiled from; "" where the compiler was
// told to keep it to itself.
func sourceDir() string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return filepath.Dir(file)
	}
	return ""
}

// gitTimeout bounds each question to git.
const gitTimeout = 2 * time.Second

// fromGit asks git for the commit of a folder. Whoever has no git, or no repository
// there, is left with what is known.
func (b *Info) fromGit(dir string) {
	ask := func(args ...string) (string, bool) {
		ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
		defer cancel()
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	commit, ok := ask("rev-parse", "HEAD")
	if !ok {
		return
	}
	changes, ok := ask("status", "--porcelain", "--untracked-files=no")
	b.Commit, b.Modified = commit, !ok || changes != ""
	if tag, ok := ask("describe", "--tags", "--exact-match", "--match", "v*"); ok && !b.Modified && b.Version == devel {
		b.Version = tag
	}
}
