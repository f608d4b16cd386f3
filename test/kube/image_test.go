//go:build linux

package kube

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheImageHasWhatItNeedsAndNothingElse: the program runs with the image's files alone, by
// a user who owns nothing but its data; there is no shell; every file is listed by its
// package; and the same program makes the same files.
func TestTheImageHasWhatItNeedsAndNothingElse(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		t.Skip("the files are Debian's")
	}
	dir, err := image()
	require.NoError(t, err)
	again := filepath.Join(t.TempDir(), "again")
	_, err = output(exec.Command("go", "run", "github.com/dibrain/dibrain/deploy/docker/rootfs",
		"-binary", filepath.Join(dir, "usr/local/bin/dibrain"), "-root", again))
	require.NoError(t, err)
	first := contents(t, again)
	require.Equal(t, contents(t, dir), first, "the same program and packages make other files")

	for name := range first {
		base := filepath.Base(name)
		require.NotContains(t, []string{"sh", "bash", "busybox", "apt", "dpkg", "perl", "python3"}, base)
	}
	var bom struct {
		Components []struct {
			Name string `json:"name"`
			Purl string `json:"purl"`
		} `json:"components"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "usr/share/doc/dibrain/sbom.cdx.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &bom))
	listed := map[string]bool{}
	for _, c := range bom.Components {
		listed[c.Name] = true
	}
	for _, name := range []string{"libc6", "libstdc++6", "tzdata", "ca-certificates", "google.golang.org/grpc"} {
		require.True(t, listed[name], name)
	}
	info, err := os.Stat(filepath.Join(again, "usr/share/zoneinfo/Asia/Singapore"))
	require.NoError(t, err)
	require.True(t, info.ModTime().Equal(time.Unix(0, 0)), "times would make another image each time")
}

// contents are the hashes of all files, with their modes.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			found[rel] = "-> " + to
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[rel] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256(text))
		return err
	}))
	return found
}

// TestTheImageBuildsFromWhatIsSentToTheEngine: .dockerignore keeps nothing back that the
// program is built of.
func TestTheImageBuildsFromWhatIsSentToTheEngine(t *testing.T) {
	t.Parallel()
	ignored := readIgnored(t)
	out, err := output(exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"))
	require.NoError(t, err)
	place := t.TempDir()
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSuffix(name, "\n")
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || ignored(name) { // deleted, not committed yet
			continue
		}
		to := filepath.Join(place, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o750))
		require.NoError(t, os.WriteFile(to, text, 0o600))
	}
	cmd := exec.Command("go", "list", "-e", "-deps", "-f", "{{if .Error}}{{.ImportPath}}: {{.Error}}{{end}}", "./cmd/dibrain", "./deploy/docker/rootfs")
	cmd.Dir, cmd.Env = place, append(os.Environ(), "GOFLAGS=-buildvcs=false")
	listed, err := output(cmd)
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(listed)))
}

// readIgnored reads .dockerignore, as far as it is written in: names at the root, and **/.
func readIgnored(t *testing.T) func(name string) bool {
	t.Helper()
	file, err := os.Open(filepath.Join(root, ".dockerignore"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var top, anywhere []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if rest, is := strings.CutPrefix(line, "**/"); is {
			anywhere = append(anywhere, rest)
			continue
		}
		require.NotContains(t, line, "*", "the test does not know this pattern")
		top = append(top, line)
	}
	return func(name string) bool {
		for _, prefix := range top {
			if name == prefix || strings.HasPrefix(name, prefix+"/") {
				return true
			}
		}
		for part := range strings.SplitSeq(name, "/") {
			for _, pattern := range anywhere {
				if match, _ := filepath.Match(pattern, part); match {
					return true
				}
			}
		}
		return false
	}
}
