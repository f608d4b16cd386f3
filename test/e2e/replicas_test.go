//go:build unix

package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// routers are processes that share a database and the services behind a relay, and
// nothing else.
type routers struct {
	t   *testing.T
	env []string
	*relay
}

// overOneDatabase starts the services, and makes an empty database for routers.
func overOneDatabase(t *testing.T) *routers {
	t.Helper()
	dsn := postgrestest.DSN(t)
	key := "DIBRAIN_AUTH_HOP_KEY=" + strings.Repeat("k", 32)
	free := []string{key, "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0"}
	c := &cluster{t: t, dataDir: freshDemo(t), router: freeAddress(t), processes: map[string]*process{}}
	c.start("findata,text2sql,fixsql,chatbi,knowledge", c.router, free...)
	r := &routers{t: t, relay: newRelay(t, c.router)}
	r.env = append(slices.Clone(free), "DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN="+dsn, "DIBRAIN_STORE_GRACE=1s", "DIBRAIN_STORE_MAX_CONNECTIONS=8",
		"DIBRAIN_ROUTER_ON_BUSY=wait", "DIBRAIN_ROUTER_MAX_OWN_TURNS=64", "DIBRAIN_LIMITS_DRAIN_TIMEOUT=1m")
	for _, name := range []string{"FINDATA", "TEXT2SQL", "FIXSQL", "CHATBI", "KNOWLEDGE"} {
		r.env = append(r.env, "DIBRAIN_"+name+"_ADDRESS="+r.address)
	}
	return r
}

// start starts one router with a folder of its own.
func (r *routers) start(env ...string) *cluster {
	r.t.Helper()
	c := &cluster{t: r.t, dataDir: r.t.TempDir(), router: freeAddress(r.t), processes: map[string]*process{}}
	c.start("router", c.router, append(r.env[:len(r.env):len(r.env)], env...)...)
	return c
}

const replicaQuestion = "What was the GMV in Singapore yesterday?"

// turnIn asks in a session, or in a new one.
func turnIn(session string) *routerv1.AskRequest {
	return &routerv1.AskRequest{Turn: &routerv1.Turn{Question: replicaQuestion, SessionId: session}}
}

// outcome is what a client got of a turn.
type outcome struct {
	answer *routerv1.Answer
	err    error
}

// askAll asks one turn in each of the sessions at once; an empty id means a new one.
func askAll(t *testing.T, client routerv1.RouterServiceClient, sessions []string) <-chan outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	out := make(chan outcome, len(sessions))
	var all sync.WaitGroup
	for _, id := range sessions {
		all.Go(func() {
			response, err := client.Ask(ctx, turnIn(id))
			out <- outcome{response.GetAnswer(), err}
		})
	}
	go func() {
		all.Wait()
		cancel()
		close(out)
	}()
	return out
}

// rowsOfAll holds that every turn was answered with its row, and returns the answers.
func rowsOfAll(t *testing.T, got <-chan outcome) (answers []*routerv1.Answer) {
	t.Helper()
	for o := range got {
		require.NoError(t, o.err)
		require.Len(t, executed(t, o.answer).GetPage().GetRows(), 1)
		answers = append(answers, o.answer)
	}
	return answers
}

// onceEach holds that no tool was called twice under one id.
func (r *routers) onceEach() {
	r.t.Helper()
	seen := map[string]bool{}
	for _, c := range r.made() {
		key := c.id + " " + c.method
		require.False(r.t, seen[key], "the call %s of %s was made twice", c.id, c.tool)
		seen[key] = true
	}
	require.NotEmpty(r.t, seen)
}

// waiting returns how many calls are kept back.
func (r *routers) waiting() (n int) {
	for _, c := range r.made() {
		if c.waits != "" {
			n++
		}
	}
	return n
}

// sameEverywhere holds that both routers show a session, its runs and its calls alike.
func sameEverywhere(t *testing.T, one, other routerv1.RouterServiceClient, a *routerv1.Answer) {
	t.Helper()
	read := func(c routerv1.RouterServiceClient) []proto.Message {
		session, err := c.GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: a.GetSessionId()})
		require.NoError(t, err)
		run, err := c.GetRun(t.Context(), &routerv1.GetRunRequest{RunId: a.GetRunId()})
		require.NoError(t, err)
		out := []proto.Message{session, run}
		for _, call := range a.GetToolCalls() {
			stored, err := c.GetToolCall(t.Context(), &routerv1.GetToolCallRequest{ToolCallId: call.GetToolCallId()})
			require.NoError(t, err)
			out = append(out, stored)
		}
		return out
	}
	left, right := read(one), read(other)
	for i := range left {
		require.True(t, proto.Equal(left[i], right[i]), "%s\n%s", left[i], right[i])
	}
}

// TestRoutersShareSessions: what one router stored another one reads, lists, goes on
// with and cancels.
func TestRoutersShareSessions(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	r := overOneDatabase(t)
	one, other := r.start(), r.start()
	first := one.ask(turnIn("").GetTurn())
	require.Len(t, executed(t, first).GetPage().GetRows(), 1)
	sameEverywhere(t, one.client(), other.client(), first)

	// The other knows what "that" is, and does not ask the services for it again.
	before := len(r.made())
	second := other.ask(&routerv1.Turn{Question: "explain that SQL", SessionId: first.GetSessionId()})
	require.Len(t, second.GetToolCalls(), 1, second.GetText())
	require.Equal(t, "explain_sql", second.GetToolCalls()[0].GetToolName())
	require.Len(t, r.made(), before+1)
	sameEverywhere(t, one.client(), other.client(), second)

	// A turn that is at work at one router is busy for the other, and ends by its word.
	letGo := r.keepBack(func(c *toolCall, at place) bool { return c.tool == "execute_sql_and_analyze_result" && at == there })
	defer letGo()
	got := askAll(t, one.client(), []string{first.GetSessionId()})
	require.Eventually(t, func() bool { return r.waiting() == 1 }, time.Minute, 5*time.Millisecond)
	listed, err := other.client().ListRuns(t.Context(), &routerv1.ListRunsRequest{Status: commonv1.RunStatus_RUN_STATUS_RUNNING})
	require.NoError(t, err)
	require.Len(t, listed.GetRuns(), 1)
	_, err = other.client().CancelRun(t.Context(), &routerv1.CancelRunRequest{RunId: listed.GetRuns()[0].GetRecord().GetRunId()})
	require.NoError(t, err)
	cancelled := <-got
	require.NoError(t, cancelled.err)
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED, cancelled.answer.GetInterruptionReason())
	r.onceEach()
}

// TestARouterIsKilled kills one of two routers in the middle of turns, each before or
// after another of its calls, while more turns come. The other one has every session and
// every call, goes on with all of them, and nothing is called again.
func TestARouterIsKilled(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	r := overOneDatabase(t)
	dies, lives := r.start(), r.start()
	finished := rowsOfAll(t, askAll(t, dies.client(), make([]string, 3)))

	// Fourteen turns: each of twelve stands before or behind one of its three calls, and
	// two end. Three of them are in the sessions of before.
	stops := []struct {
		tool string
		at   place
	}{
		{"data_discovery", there}, {"data_discovery", back}, {"generate_sql", there}, {"generate_sql", back},
		{"execute_sql_and_analyze_result", there}, {"execute_sql_and_analyze_result", back}, {},
	}
	const turns = 14
	sessions := make([]string, turns)
	for i, a := range finished {
		sessions[i] = a.GetSessionId()
	}
	letGo := r.keepBack(func(c *toolCall, at place) bool {
		stop := stops[c.of%len(stops)]
		return c.of < turns && stop.tool == c.tool && stop.at == at
	})
	defer letGo()
	ends := make(chan outcome, turns)
	got := askAll(t, dies.client(), sessions)
	for range 2 {
		ends <- <-got
	}
	require.Eventually(t, func() bool { return r.waiting() == turns-2 }, time.Minute, 5*time.Millisecond,
		"the turns did not come to where they wait: %+v", r.made())

	// More turns, which are wherever they are when it is killed.
	known := len(r.made())
	more := make(chan []outcome, 2)
	for range cap(more) {
		go func() { more <- untilItEnds(t.Context(), dies.client()) }()
	}
	require.Eventually(t, func() bool { return len(r.made()) > known }, time.Minute, time.Millisecond)
	dies.kill(dies.processes["router"])
	for o := range got {
		require.Equal(t, codes.Unavailable, status.Code(o.err), "%v", o.err)
	}
	letGo()
	close(ends)
	finished = append(finished, rowsOfAll(t, ends)...)
	for range cap(more) {
		for _, o := range <-more {
			finished = append(finished, o.answer)
		}
	}
	r.nothingIsLost(lives, finished)

	all := r.talks()
	require.GreaterOrEqual(t, len(all), turns)
	for _, a := range rowsOfAll(t, askAll(t, lives.client(), all)) {
		require.Len(t, a.GetToolCalls(), 3)
	}
	r.onceEach()
}

// untilItEnds asks one turn after another, each in a session of its own, until one
// fails, and returns those that were answered.
func untilItEnds(ctx context.Context, client routerv1.RouterServiceClient) (answered []outcome) {
	const most = 200
	for range most {
		response, err := client.Ask(ctx, turnIn(""))
		if err != nil {
			break
		}
		answered = append(answered, outcome{answer: response.GetAnswer()})
	}
	return answered
}

// talks returns the sessions of the calls so far.
func (r *routers) talks() (ids []string) {
	for _, c := range r.made() {
		if !slices.Contains(ids, c.session) {
			ids = append(ids, c.session)
		}
	}
	return ids
}

// nothingIsLost holds that a router has what another one had that was killed: each call
// that reached a service, with its session and the question, and each answer that a
// client got, with what its calls brought. What was at work is marked interrupted.
func (r *routers) nothingIsLost(lives *cluster, finished []*routerv1.Answer) {
	t, client := r.t, lives.client()
	require.Eventually(t, func() bool {
		running, err := client.ListRuns(t.Context(), &routerv1.ListRunsRequest{Status: commonv1.RunStatus_RUN_STATUS_RUNNING})
		return assert.NoError(t, err) && len(running.GetRuns()) == 0
	}, time.Minute, 20*time.Millisecond, "the runs of the router that was killed are not taken over")
	answers := map[string]*routerv1.Answer{}
	for _, a := range finished {
		answers[a.GetRunId()] = a
	}
	interrupted := 0
	for _, c := range r.made() {
		stored, err := client.GetToolCall(t.Context(), &routerv1.GetToolCallRequest{ToolCallId: c.id})
		require.NoError(t, err, "a call of %s is lost", c.tool)
		call := stored.GetToolCall()
		require.NotEqual(t, commonv1.RunStatus_RUN_STATUS_RUNNING, call.GetStatus())
		run, err := client.GetRun(t.Context(), &routerv1.GetRunRequest{RunId: call.GetRunId()})
		require.NoError(t, err)
		session, err := client.GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: c.session})
		require.NoError(t, err)
		messages := session.GetMessages()
		answer := answers[call.GetRunId()]
		if answer == nil {
			require.Equal(t, replicaQuestion, messages[len(messages)-1].GetContent(), "what was asked last is there, and nothing is answered")
			require.Equal(t, commonv1.RunStatus_RUN_STATUS_INTERRUPTED, run.GetRecords()[0].GetStatus())
			interrupted++
			continue
		}
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, run.GetRecords()[0].GetStatus())
		require.True(t, slices.ContainsFunc(messages, func(m *routerv1.Message) bool { return m.GetContent() == answer.GetText() }))
		for _, told := range answer.GetToolCalls() {
			if told.GetToolCallId() == c.id {
				require.True(t, proto.Equal(told.GetExecute(), call.GetExecute()), "the result of %s differs", c.id)
				require.True(t, proto.Equal(told.GetGenerateSql(), call.GetGenerateSql()), "the SQL of %s differs", c.id)
			}
		}
	}
	require.Positive(t, interrupted)
}

// TestARouterIsStopped stops one of two routers by SIGTERM under load: what is at work
// there ends with its answer, what comes meanwhile is answered by the other one, and no
// call of a client fails.
func TestARouterIsStopped(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	r := overOneDatabase(t)
	stops, lives := r.start("DIBRAIN_LIMITS_DRAIN_DELAY=0s"), r.start("DIBRAIN_ROUTER_ON_BUSY=reject")
	const turns = 6
	letGo := r.keepBack(func(c *toolCall, at place) bool {
		return c.of < turns && c.tool == "execute_sql_and_analyze_result" && at == there
	})
	defer letGo()
	got := askAll(t, stops.client(), make([]string, turns))
	require.Eventually(t, func() bool { return r.waiting() == turns }, time.Minute, 5*time.Millisecond)

	// Clients that know both addresses go on asking.
	both := overBoth(t, stops.router, lives.router)
	enough, done := context.WithCancel(t.Context())
	defer done()
	more := make(chan []outcome, 2)
	for range cap(more) {
		go func() { more <- askWhile(t.Context(), enough, both) }()
	}
	known := len(r.made())
	require.Eventually(t, func() bool { return len(r.made()) > known+6 }, time.Minute, time.Millisecond)
	p := stops.processes["router"]
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { // it tells whoever asks that it takes no more
		response, err := http.Get("http://" + p.admin + "/readyz")
		return err != nil || response.Body.Close() == nil && response.StatusCode != http.StatusOK
	}, time.Minute, time.Millisecond)
	during := len(r.made())
	require.Eventually(t, func() bool { return len(r.made()) > during+6 }, time.Minute, time.Millisecond, "nobody is served meanwhile")
	letGo()
	answers := rowsOfAll(t, got)
	require.Len(t, answers, turns)
	select {
	case <-p.exited:
	case <-time.After(time.Minute):
		t.Fatalf("the router did not end:\n%s", p.log)
	}
	require.Zero(t, p.cmd.ProcessState.ExitCode(), p.log)
	done()
	for range cap(more) {
		for _, o := range <-more {
			require.NoError(t, o.err)
			require.Len(t, executed(t, o.answer).GetPage().GetRows(), 1)
		}
	}
	// It gave its sessions up: nobody waits for them.
	sessions := make([]string, turns)
	for i, a := range answers {
		sessions[i] = a.GetSessionId()
	}
	rowsOfAll(t, askAll(t, lives.client(), sessions))
	r.onceEach()
}

// askWhile asks one turn after another until enough is over, and returns what it got.
func askWhile(ctx, enough context.Context, client routerv1.RouterServiceClient) (got []outcome) {
	for enough.Err() == nil {
		response, err := client.Ask(ctx, turnIn(""))
		got = append(got, outcome{response.GetAnswer(), err})
	}
	return got
}

// overBoth is a client that balances over addresses, as one does that a headless
// Service's name leads to several.
func overBoth(t *testing.T, addresses ...string) routerv1.RouterServiceClient {
	t.Helper()
	builder := manual.NewBuilderWithScheme("both")
	var state resolver.State
	for _, a := range addresses {
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: a}}})
	}
	builder.InitialState(state)
	conn, err := grpc.NewClient("both:///routers", grpc.WithResolvers(builder), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return routerv1.NewRouterServiceClient(conn)
}
