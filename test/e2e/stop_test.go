//go:build unix

package e2e

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// told is what the three ways of asking got of a turn that was cut short.
type told struct {
	stream, unary *routerv1.Answer
	cli           result
}

// whileAllAsk asks a statement without an end by a stream, by a unary call and by
// the command, and stops something once all three are at work on it.
func whileAllAsk(t *testing.T, c *cluster, stop func()) (got told, runs []string) {
	t.Helper()
	turn := func() *routerv1.Turn { return &routerv1.Turn{Question: "Run this SQL: " + slow} }
	stream, _ := begin(t, c, turn())
	type asked struct {
		answer *routerv1.Answer
		err    error
	}
	unary := make(chan asked, 1)
	go func() {
		response, err := c.client().Ask(t.Context(), &routerv1.AskRequest{Turn: turn()})
		unary <- asked{response.GetAnswer(), err}
	}()
	cmd := exec.Command(binary, "ask", "--server", c.router, "Run this SQL: "+slow)
	cmd.Env = environ("DIBRAIN_DATA_DIR=" + t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })

	require.Eventually(t, func() bool { // all three are executing
		runs = nil
		listed, err := c.client().ListRuns(t.Context(), &routerv1.ListRunsRequest{Status: commonv1.RunStatus_RUN_STATUS_RUNNING})
		if err != nil {
			return false
		}
		for _, r := range listed.GetRuns() {
			messages, err := c.client().GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: r.GetSessionId()})
			if err == nil && len(messages.GetMessages()) == 1 {
				runs = append(runs, r.GetRecord().GetRunId())
			}
		}
		return len(runs) == 3 && c.executing() == 3
	}, time.Minute, 50*time.Millisecond, "the three turns did not come to their execution")
	stop()
	for {
		event, err := stream.Recv()
		require.NoError(t, err, "the stream ended without an answer")
		if a := event.GetAnswer(); a != nil {
			got.stream = a
			break
		}
	}
	a := <-unary
	require.NoError(t, a.err, "the call ended without an answer")
	got.unary = a.answer
	select {
	case <-ended:
	case <-time.After(time.Minute):
		require.Fail(t, "the command goes on")
	}
	got.cli = result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
	return got, runs
}

// executing counts the statements that Chat BI is at work on, as far as the processes tell.
func (c *cluster) executing() (n int) {
	const prefix = `dibrain_rpc_in_flight{method="dibrain.chatbi.v1.ChatBIService/ExecuteAndAnalyze`
	for _, p := range c.processes {
		text, err := p.metrics()
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, prefix) {
				value, _ := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
				n += value
			}
		}
	}
	return n
}

// says holds that all three say the same in words for people, and none of a
// machine's.
func (got told) says(t *testing.T, want ...string) {
	t.Helper()
	for how, text := range map[string]string{"stream": got.stream.GetText(), "unary": got.unary.GetText(), "command": got.cli.out + got.cli.err} {
		for _, w := range want {
			require.Contains(t, text, w, how)
		}
		for _, w := range []string{"EOF", "transport", "rpc error", "connection reset", "context canceled", "127.0.0.1"} {
			require.NotContains(t, text, w, how)
		}
	}
}

// requireStatus holds how runs ended.
func requireStatus(t *testing.T, c *cluster, runs []string, want commonv1.RunStatus) {
	t.Helper()
	for _, id := range runs {
		response, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: id})
		require.NoError(t, err)
		require.Equal(t, want, response.GetRecords()[0].GetStatus())
		for _, r := range response.GetRecords() {
			require.NotEqual(t, commonv1.RunStatus_RUN_STATUS_RUNNING, r.GetStatus(), r.GetName())
		}
	}
}

// TestChatBIStopsInTheMiddle ends the service that runs the SQL, as a machine that
// fails and as an operator does, while three people wait for it.
func TestChatBIStopsInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "asked to stop": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const drain = "DIBRAIN_LIMITS_DRAIN_TIMEOUT=1s"
			c := split(t, freshDemo(t), drain)
			p := c.processes["chatbi"]
			got, runs := whileAllAsk(t, c, func() { require.NoError(t, p.cmd.Process.Signal(signal)) })
			<-p.exited
			got.says(t, "The Chat BI Agent stopped in the middle of its work", "Ask again in a moment")
			require.Equal(t, 4, got.cli.code)
			requireStatus(t, c, runs, commonv1.RunStatus_RUN_STATUS_FAILED)

			c.start("chatbi", c.addresses["chatbi"], drain, "DIBRAIN_FINDATA_ADDRESS="+c.addresses["findata"])
			require.Eventually(t, func() bool {
				a := c.ask(&routerv1.Turn{Question: "What was the GMV in Singapore yesterday?", SessionId: got.stream.GetSessionId()})
				return strings.Contains(a.GetText(), "GMV") && a.GetInterruptionReason() == 0 && a.GetToolCalls()[len(a.GetToolCalls())-1].GetError() == ""
			}, time.Minute, 500*time.Millisecond, "the session does not go on")
		})
	}
}

// TestARouterThatIsStoppedSaysSo: what is still at work when the time of the drain
// is up is ended in words, and its run is closed as interrupted.
func TestARouterThatIsStoppedSaysSo(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		dir := freshDemo(t)
		c := start(t, dir, "DIBRAIN_LIMITS_DRAIN_TIMEOUT=1s")
		p := c.processes["router"]
		if p == nil {
			p = c.processes["all"]
		}
		got, runs := whileAllAsk(t, c, func() { require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM)) })
		<-p.exited
		got.says(t, "This server is being stopped", "Ask again in a moment")
		require.Equal(t, 4, got.cli.code)
		c.killAll()
		requireStatus(t, start(t, dir), runs, commonv1.RunStatus_RUN_STATUS_INTERRUPTED)
	})
}
