//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// engineProcesses returns the processes in which a process has statements run.
func engineProcesses(parent int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, fields, _ := strings.Cut(string(stat), ") ") // state, parent, ...
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if of := strings.Fields(fields); len(of) > 1 && of[1] == strconv.Itoa(parent) && bytes.Contains(cmdline, []byte("embedded-engine")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestStatementsRunInProcesses: the product, as it is built, has the embedded
// engine's statements run in processes of their own. Where one is ended in the
// middle of a statement, the person reads so, and the next question is answered.
func TestStatementsRunInProcesses(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	cmd := exec.Command(binary, "ask", "--data-dir", dir, "Run this SQL: "+slow)
	cmd.Env = environ("DIBRAIN_CHATBI_COST_ABOVE_ASK=allow")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	running := func() bool {
		listed := command(t, "", nil, "runs", "list", "--json", "--data-dir", dir)
		return strings.Contains(listed.out, "RUN_STATUS_RUNNING") && len(engineProcesses(cmd.Process.Pid)) > 0
	}
	require.Eventually(t, running, time.Minute, 100*time.Millisecond, "statements run in children")
	for alive := true; alive; { // the first may have been idle yet
		for _, pid := range engineProcesses(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-ended:
			alive = false
		case <-time.After(200 * time.Millisecond):
		}
	}
	require.Contains(t, out.String(), "engine's process ended while")
	again := command(t, "", nil, "ask", "--data-dir", dir, "Run this SQL: SELECT 41 + 1 AS n")
	require.Zero(t, again.code, again.err)
	require.Contains(t, again.out, "42")
}
