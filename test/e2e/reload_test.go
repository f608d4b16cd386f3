//go:build unix

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSIGHUPReadsTheConfiguration changes the file of a running process.
func TestSIGHUPReadsTheConfiguration(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("log: {level: info}\n")
	c := &cluster{t: t, dataDir: t.TempDir(), processes: map[string]*process{}}
	p := c.start("logify", freeAddress(t), "DIBRAIN_CONFIG="+file)
	again := func(part string) {
		before := strings.Count(p.log.String(), part)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
		require.Eventually(t, func() bool { return strings.Count(p.log.String(), part) > before }, 60*time.Second, 5*time.Millisecond, "%s\n%s", part, p.log)
	}
	write("log: {level: debug}\nlimits: {drain_timeout: 77s}\n")
	again("wait_for_a_restart")
	require.Contains(t, p.log.String(), "log.level")
	require.Contains(t, p.log.String(), "limits.drain_timeout")
	write("log: {level: loud}\n")
	again("what was in use stays")
	response, err := http.Get("http://" + p.admin + "/readyz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "it serves still")
}
