//go:build unix

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAServerReadsItsConfigurationAgain changes the file of a running process: at SIGHUP it is
// read at once, and where a mounted folder is renewed by a link, it is found.
func TestAServerReadsItsConfigurationAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, versions := filepath.Join(dir, "config.yaml"), 0
	write := func(text string) { // as the kubelet does
		versions++
		version := filepath.Join(dir, fmt.Sprint("version-", versions))
		require.NoError(t, os.WriteFile(version, []byte(text), 0o600))
		require.NoError(t, os.Symlink(version, filepath.Join(dir, "next")))
		require.NoError(t, os.Rename(filepath.Join(dir, "next"), file))
	}
	write("{log: {level: info}, reload_every: 0}\n")
	c := &cluster{t: t, dataDir: t.TempDir(), processes: map[string]*process{}}
	p := c.start("logify", freeAddress(t), "DIBRAIN_CONFIG="+file)
	told := func(part string, again func()) {
		t.Helper()
		before := strings.Count(p.log.String(), part)
		again()
		require.Eventually(t, func() bool { return strings.Count(p.log.String(), part) > before }, 60*time.Second, 5*time.Millisecond, "%s\n%s", part, p.log)
	}
	hangUp := func() { require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP)) }
	ready := func() string {
		response, err := http.Get("http://" + p.admin + "/readyz")
		require.NoError(t, err)
		defer func() { require.NoError(t, response.Body.Close()) }()
		require.Equal(t, http.StatusOK, response.StatusCode, "it serves still")
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(text)
	}
	write("{log: {level: debug}, limits: {drain_timeout: 77s}, reload_every: 0}\n")
	told("wait_for_a_restart", hangUp)
	require.Contains(t, p.log.String(), "log.level")
	require.Contains(t, p.log.String(), "limits.drain_timeout")
	write("log: {level: loud}\n")
	told("what was in use stays", hangUp)
	require.Eventually(t, func() bool { return strings.Contains(ready(), "configuration is degraded") }, 60*time.Second, 5*time.Millisecond)
	write("{log: {level: info, format: json}, reload_every: 1s}\n")
	told(`"changed":["log.level","log.format","reload_every"]`, hangUp)
	require.Eventually(t, func() bool { return !strings.Contains(ready(), "configuration is") }, 60*time.Second, 5*time.Millisecond)
	told(`"changed":["log.level"]`, func() { write("{log: {level: debug, format: json}, reload_every: 1s}\n") })
}
