//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interrupted starts a command, sends it a signal once it is at work, twice as
// people do who press Ctrl-C, and returns what it said. It fails when the command
// does not end.
func interrupted(t *testing.T, signal os.Signal, atWork func() bool, args ...string) result {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	require.Eventually(t, atWork, time.Minute, 100*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(signal))
	_ = cmd.Process.Signal(signal) // unless it has ended already
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		require.Fail(t, "it goes on after the signal")
	}
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// TestInterruptedAsk holds what a person sees who presses Ctrl-C: one word, no log
// line, and the exit code that shells give.
func TestInterruptedAsk(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	got := interrupted(t, os.Interrupt, func() bool {
		listed := command(t, "", nil, "runs", "list", "--json", "--data-dir", dir)
		return bytes.Contains([]byte(listed.out), []byte("RUN_STATUS_RUNNING"))
	}, "ask", "--data-dir", dir, "Run this SQL: "+slow)
	require.Equal(t, 130, got.code, got.err)
	require.Equal(t, "Cancelled.\n", got.err)
	require.Empty(t, got.out)
}

// TestPipeInAnIngestedFolder is named and left out; the ingest does not wait for it.
func TestPipeInAnIngestedFolder(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "cities.csv"), []byte("city,people\nBern,134\n"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(files, "x.csv"), 0o600))
	got := command(t, "", nil, "ingest", "csv", files, "--name", "places", "--data-dir", dir)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.err, "x.csv: this is left out: it is a pipe")
}
