package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
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
		got := read(c.linked, c.noted, "")
		require.Equal(t, c.version, got.Version, name)
		require.Equal(t, c.commit, got.Commit, name)
		require.Equal(t, c.modified, got.Modified, name)
		require.NotEmpty(t, got.Go)
		require.NotEmpty(t, got.Platform)
	}
}

// TestGoRunKnowsItsCommit: what the tool chain does not note, the repository tells.
func TestGoRunKnowsItsCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %v: %s", args, out)
		return strings.TrimSpace(string(out))
	}
	file := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(file, []byte("1"), 0o600))
	require.Equal(t, unknown, read(Linked{}, nil, dir).Commit, "a folder without a repository")
	git("init", "-q")
	git("add", "a")
	git("commit", "-qm", "first")
	head := git("rev-parse", "HEAD")
	got := read(Linked{}, nil, dir)
	require.Equal(t, Info{Version: "devel-" + head[:12], Commit: head, Go: got.Go, Platform: got.Platform}, got)
	git("tag", "v0.9.0")
	require.Equal(t, "v0.9.0", read(Linked{}, nil, dir).Version)
	require.NoError(t, os.WriteFile(file, []byte("2"), 0o600))
	got = read(Linked{}, nil, dir)
	require.True(t, got.Modified)
	require.Equal(t, "devel-"+head[:12]+"+dirty", got.Version)
}

func TestThisBinaryIsRead(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, Read(Linked{}).Version)
}
