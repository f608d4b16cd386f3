package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// slow is a statement that keeps the engine at work for far longer than a test,
// and slowish one that takes about two seconds of one core: long enough to be
// stopped in, short enough for a machine with much else to do.
const (
	slow = `SELECT count(*) FROM sg.mp_order.dwd_order_item_di__sg_s0_live a, sg.mp_order.dwd_order_item_di__sg_s0_live b,
		sg.mp_order.dwd_order_item_di__id_s0_live c WHERE a.gmv_usd + b.gmv_usd > c.gmv_usd`
	slowish = `SELECT count(*) FROM sg.mp_order.dwd_order_item_di__sg_s0_live a, sg.mp_order.dwd_order_item_di__sg_s0_live b
		WHERE a.gmv_usd + b.gmv_usd > 10 AND mod(a.order_id, 20) = 0`
)

// begin starts a turn and returns once its SQL is handed to the engine.
func begin(t *testing.T, c *cluster, turn *routerv1.Turn) (routerv1.RouterService_ChatClient, *routerv1.RunStarted) {
	t.Helper()
	stream, err := c.client().Chat(t.Context(), &routerv1.ChatRequest{Turn: turn})
	require.NoError(t, err)
	var started *routerv1.RunStarted
	for {
		event, err := stream.Recv()
		require.NoError(t, err)
		if e := event.GetRunStarted(); e != nil {
			started = e
		}
		require.Nil(t, event.GetAnswer(), "answered before it was executed: %s", event.GetAnswer().GetText())
		if event.GetToolStarted().GetToolName() == "execute_sql_and_analyze_result" {
			require.NotNil(t, started)
			return stream, started
		}
	}
}

// TestDrain asks a server to stop while a stream is at work: the stream ends
// with its answer, and new calls are turned away.
func TestDrain(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t), "DIBRAIN_LIMITS_DRAIN_TIMEOUT=4m", "DIBRAIN_ROUTER_MAX_EXECUTE=4m")
	stream, _ := begin(t, c, &routerv1.Turn{Question: "Run this SQL: " + slowish})
	p := c.processes["all"]
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	for {
		event, err := stream.Recv()
		require.NoError(t, err, "the stream was cut off:\n%s", p.log)
		if a := event.GetAnswer(); a != nil {
			require.Len(t, executed(t, a).GetPage().GetRows(), 1)
			break
		}
	}
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
		t.Fatalf("the server did not end:\n%s", p.log)
	}
	require.Zero(t, p.cmd.ProcessState.ExitCode(), p.log)
}

// TestKill kills a server in the middle of a run: the next start shows the run
// as interrupted, and the session goes on.
func TestKill(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		dir := freshDemo(t)
		c := start(t, dir)
		_, started := begin(t, c, &routerv1.Turn{Question: "Run this SQL: " + slow})
		c.killAll()
		c = start(t, dir)
		response, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: started.GetRunId()})
		require.NoError(t, err)
		own := false
		for _, r := range response.GetRecords() {
			require.NotEqual(t, commonv1.RunStatus_RUN_STATUS_RUNNING, r.GetStatus(), r.GetName())
			if r.GetRunId() == started.GetRunId() {
				own = true
				require.Equal(t, commonv1.RunStatus_RUN_STATUS_INTERRUPTED, r.GetStatus())
			}
		}
		require.True(t, own, "the run's own record is there")
		a := c.ask(&routerv1.Turn{Question: "What was the GMV in Singapore yesterday?", SessionId: started.GetSessionId()})
		require.Len(t, executed(t, a).GetPage().GetRows(), 1)
	})
}

// TestCancel cancels a run: it ends, and the only place of the engine is free for the
// next statement, long before the statement's own limit.
func TestCancel(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		c := start(t, freshDemo(t), "DIBRAIN_CHATBI_ENGINE_MAX_CONCURRENT=1", "DIBRAIN_CHATBI_LIMITS_TIMEOUT=1h", "DIBRAIN_ROUTER_MAX_EXECUTE=1h")
		stream, started := begin(t, c, &routerv1.Turn{Question: "Run this SQL: " + slow})
		_, err := c.client().CancelRun(t.Context(), &routerv1.CancelRunRequest{RunId: started.GetRunId()})
		require.NoError(t, err)
		for {
			event, err := stream.Recv()
			if err != nil {
				require.Equal(t, codes.Canceled, status.Code(err))
				break
			}
			if a := event.GetAnswer(); a != nil {
				require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED, a.GetInterruptionReason())
				break
			}
		}
		next, err := c.client().Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{
			Question: "Run this SQL: SELECT count(*) AS n FROM sg.mp_order.dws_order_gmv_1d__sg_s0_live WHERE grass_date > DATE '2000-01-01'",
		}})
		require.NoError(t, err)
		require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, next.GetAnswer().GetOutcome(), next.GetAnswer().GetText())
		response, err := c.client().GetRun(t.Context(), &routerv1.GetRunRequest{RunId: started.GetRunId()})
		require.NoError(t, err)
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_CANCELLED, response.GetRecords()[0].GetStatus())
	})
}

// TestTokensHidePaths damages a source that was asked with a token: the client
// learns that, and the folders of the server stay the server's.
func TestTokensHidePaths(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		tokens := filepath.Join(t.TempDir(), "tokens.yaml")
		token, entry := newToken(t, "alice")
		require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+entry), 0o600))
		dir := freshDemo(t)
		files, err := filepath.Glob(filepath.Join(dir, "sources", "demo", "*", "sg.duckdb"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		c := start(t, dir, "DIBRAIN_AUTH_MODE=token", "DIBRAIN_AUTH_TOKEN_FILE="+tokens)
		require.NoError(t, os.Rename(files[0], files[0]+".aside"))
		alice := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
		response, err := c.client().Ask(alice, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"}})
		told := fmt.Sprint(status.Convert(err).Proto(), response)
		require.NotContains(t, told, dir)
		require.NotContains(t, told, "sg.duckdb")
		require.Contains(t, told, "damaged")
	})
}

// TestTokens runs with API tokens: nobody gets in without one, and nobody sees
// another's runs and sessions.
func TestTokens(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		tokens := filepath.Join(t.TempDir(), "tokens.yaml")
		entries, secrets := "tokens:\n", map[string]string{}
		for _, who := range []string{"alice", "bob"} {
			token, entry := newToken(t, who)
			secrets[who] = token
			entries += entry
		}
		require.NoError(t, os.WriteFile(tokens, []byte(entries), 0o600))
		c := start(t, freshDemo(t), "DIBRAIN_AUTH_MODE=token", "DIBRAIN_AUTH_TOKEN_FILE="+tokens)
		as := func(who string) context.Context {
			return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[who])
		}
		client := c.client()
		ask := &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"}}
		_, err := client.Ask(t.Context(), ask)
		require.Equal(t, codes.Unauthenticated, status.Code(err))
		_, err = client.Ask(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer dib_wrong", "x-dibrain-principal", "alice"), ask)
		require.Equal(t, codes.Unauthenticated, status.Code(err))

		response, err := client.Ask(as("alice"), ask)
		require.NoError(t, err)
		answer := response.GetAnswer()
		require.Len(t, executed(t, answer).GetPage().GetRows(), 1)
		_, err = client.GetRun(as("alice"), &routerv1.GetRunRequest{RunId: answer.GetRunId()})
		require.NoError(t, err)

		_, unknown := client.GetRun(as("bob"), &routerv1.GetRunRequest{RunId: "run_000000000000000000000000"})
		require.Equal(t, codes.NotFound, status.Code(unknown))
		for name, call := range map[string]func() error{
			"run": func() error {
				_, err := client.GetRun(as("bob"), &routerv1.GetRunRequest{RunId: answer.GetRunId()})
				return err
			},
			"session": func() error {
				_, err := client.GetSession(as("bob"), &routerv1.GetSessionRequest{SessionId: answer.GetSessionId()})
				return err
			},
			"call": func() error {
				_, err := client.GetToolCall(as("bob"), &routerv1.GetToolCallRequest{ToolCallId: answer.GetToolCalls()[0].GetToolCallId()})
				return err
			},
			"turn": func() error {
				_, err := client.Ask(as("bob"), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "again", SessionId: answer.GetSessionId()}})
				return err
			},
		} {
			require.Equal(t, codes.NotFound, status.Code(call()), "bob got alice's %s", name)
		}
		listed, err := client.ListRuns(as("bob"), &routerv1.ListRunsRequest{})
		require.NoError(t, err)
		require.Empty(t, listed.GetRuns())
	})
}
