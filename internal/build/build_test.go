package build

import (
	"go/parser"
	"go/token"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

const hash = "0123456789abcdef0123456789abcdef01234567"

func noted(version, modified string) *debug.BuildInfo {
	return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: hash}, {Key: "vcs.modified", Value: modified},
	}}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		linked   Linked
		noted    *debug.BuildInfo
		version  string
		commit   string
		modified bool
	}{
		"nothing":            {version: devel, commit: unknown},
		"a tag":              {noted: noted("v1.2.3", "false"), version: "v1.2.3", commit: hash},
		"changed sources":    {noted: noted("v1.2.4-0.2026-abc+dirty", "true"), version: "v1.2.4-0.2026-abc+dirty", commit: hash, modified: true},
		"no tag":             {noted: noted("(devel)", "true"), version: "devel-0123456789ab+dirty", commit: hash, modified: true},
		"an image":           {linked: Linked{"v1.2.3", hash}, noted: &debug.BuildInfo{}, version: "v1.2.3", commit: hash},
		"a changed image":    {linked: Linked{"", hash + dirty}, version: "devel-0123456789ab+dirty", commit: hash, modified: true},
		"the linker is told": {linked: Linked{"v2.0.0", "abc"}, noted: noted("v1.2.3", "true"), version: "v2.0.0", commit: "abc"},
	} {
		got := read(c.linked, c.noted)
		require.Equal(t, c.version, got.Version, name)
		require.Equal(t, c.commit, got.Commit, name)
		require.Equal(t, c.modified, got.Modified, name)
		require.NotEmpty(t, got.Go)
		require.NotEmpty(t, got.Platform)
	}
}

// TestWhatIsNotNotedIsUnknown: the repository around the program is not asked, since it may
// be at another commit than the one that the program was built from.
func TestWhatIsNotNotedIsUnknown(t *testing.T) {
	t.Parallel()
	noted := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}} // as go run and -buildvcs=false leave it
	got := read(Linked{}, noted)
	require.Equal(t, Info{Version: devel, Commit: unknown, Go: got.Go, Platform: got.Platform}, got)
}

// TestNoProcessIsStarted: what a program was built from is in it.
func TestNoProcessIsStarted(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "build.go", nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, i := range file.Imports {
		require.NotContains(t, []string{`"os"`, `"os/exec"`, `"syscall"`}, i.Path.Value)
	}
}

func TestThisBinaryIsRead(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, Read(Linked{}).Version)
}
