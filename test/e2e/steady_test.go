//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

const (
	steadyTurns    = 450
	steadySessions = 150
	// steadyEvery lies between two turns: 55 a second, so that an operating system that is
	// late at the end leaves the 50 that are to be offered.
	steadyEvery = 18 * time.Millisecond
	// steadyHeld is how many calls of tools are at work when a router is killed, at least.
	steadyHeld = 16
	// steadyLease is router.lease, within which what was at work is taken over.
	steadyLease = 30 * time.Second
	// steadyAttempts bounds how often a client asks a turn.
	steadyAttempts = 5
)

// scriptedTeam stands in for the services: it answers at once and always the same, so that
// what is under load is the routers and their database. It counts the calls by their ids.
type scriptedTeam struct {
	findatav1.UnimplementedFindDataServiceServer
	chatbiv1.UnimplementedChatBIServiceServer

	address string

	mu   sync.Mutex
	made map[string]int // how often each call of a tool came, by its id
	held int            // calls that wait now
	gate chan struct{}  // nil: no call waits
}

// startTeam serves a stand-in on a port of its own.
func startTeam(t *testing.T) *scriptedTeam {
	t.Helper()
	s := &scriptedTeam{address: freeAddress(t), made: map[string]int{}}
	listener, err := net.Listen("tcp", s.address)
	require.NoError(t, err)
	server := grpc.NewServer()
	findatav1.RegisterFindDataServiceServer(server, s)
	chatbiv1.RegisterChatBIServiceServer(server, s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return s
}

// come counts a call, and keeps it where calls are kept back.
func (s *scriptedTeam) come(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	s.mu.Lock()
	for _, id := range md.Get("x-dibrain-tool-call-id") {
		s.made[id]++
	}
	gate := s.gate
	if gate != nil {
		s.held++
	}
	s.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// keepBack has calls wait until the returned function is called.
func (s *scriptedTeam) keepBack() (letGo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gate := make(chan struct{})
	s.gate = gate
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gate = nil
		close(gate)
	})
}

func (s *scriptedTeam) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

func (s *scriptedTeam) Discover(_ *findatav1.DiscoverRequest, stream grpc.ServerStreamingServer[findatav1.DiscoverResponse]) error {
	if err := s.come(stream.Context()); err != nil {
		return err
	}
	return stream.Send(&findatav1.DiscoverResponse{Event: &findatav1.DiscoverResponse_Result{Result: &findatav1.DiscoverResult{
		Outcome: findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND,
		RelatedTables: []*findatav1.TableCandidate{{Reasons: []string{"names orders"}, Table: &commonv1.TableDetail{
			Ref: &commonv1.TableRef{IdcRegion: "sg", Schema: "shop", Table: "orders"}, Description: "one order per row",
			Columns: []*commonv1.Column{{Name: "order_id", Type: "bigint"}}}}},
	}}})
}

func (s *scriptedTeam) ExecuteAndAnalyze(in *chatbiv1.ExecuteAndAnalyzeRequest, stream grpc.ServerStreamingServer[chatbiv1.ExecuteAndAnalyzeResponse]) error {
	if err := s.come(stream.Context()); err != nil {
		return err
	}
	return stream.Send(&chatbiv1.ExecuteAndAnalyzeResponse{Event: &chatbiv1.ExecuteAndAnalyzeResponse_Result{Result: &chatbiv1.ExecuteResult{
		Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Answer: "There are 42.", ExecutedSql: in.GetQuery().GetSql(),
		Certificate: &commonv1.Certificate{BytesScanned: 1000},
	}}})
}

// steadyQuestion is what is asked in a turn; no two turns ask the same.
func steadyQuestion(turn int) string {
	if turn%2 == 0 {
		return fmt.Sprintf("which tables hold the orders of shop %d?", turn)
	}
	return fmt.Sprintf("run SELECT count(*) FROM sg.shop.orders WHERE shop_id = %d", turn)
}

// steadyOutcome is how a turn ended for the client, who asked it attempts times.
type steadyOutcome struct {
	turn, attempts int
	answer         *routerv1.Answer
	err            error
}

// askSteadily asks one turn every steadyEvery, whether those before are answered or not, in
// sessions that are there, of one router and the other in turn. A client that hears nothing
// more asks the other one again, in the same session, as docs/operations.md says. begun is
// called with each turn before it is asked.
func askSteadily(ctx context.Context, routers []routerv1.RouterServiceClient, sessions []string, begun func(turn int)) ([]steadyOutcome, time.Duration) {
	out := make([]steadyOutcome, steadyTurns)
	var all sync.WaitGroup
	began := time.Now()
	for turn := range out {
		select {
		case <-time.After(time.Until(began.Add(time.Duration(turn) * steadyEvery))):
		case <-ctx.Done():
		}
		begun(turn)
		all.Go(func() {
			o := steadyOutcome{turn: turn}
			request := &routerv1.AskRequest{Turn: &routerv1.Turn{Question: steadyQuestion(turn), SessionId: sessions[turn%len(sessions)]}}
			for o.attempts = 1; ; o.attempts++ {
				response, err := routers[(turn+o.attempts-1)%len(routers)].Ask(ctx, request)
				o.answer, o.err = response.GetAnswer(), err
				if status.Code(err) != codes.Unavailable || o.attempts == steadyAttempts {
					break
				}
			}
			out[turn] = o
		})
	}
	offered := time.Since(began)
	all.Wait()
	return out, offered
}

// TestFiftyTurnsASecondWhileARouterIsKilled asks two routers over one PostgreSQL at a
// steady rate, and kills one of them while calls of both are at work: every turn is answered, no
// session and no call is lost, and no call is made twice. Rates are told in the log; what
// holds are numbers, which a machine that is busy does not change.
func TestFiftyTurnsASecondWhileARouterIsKilled(t *testing.T) { //nolint:paralleltest // it is a load, which others would take part in
	dsn := postgrestest.DSN(t)
	team := startTeam(t)
	r := &routers{t: t, env: []string{
		"DIBRAIN_AUTH_HOP_KEY=" + strings.Repeat("k", 32), "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0",
		"DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN=" + dsn, "DIBRAIN_STORE_GRACE=1s", "DIBRAIN_STORE_MAX_CONNECTIONS=8", "DIBRAIN_STORE_TIMEOUT=1m",
		"DIBRAIN_ROUTER_ON_BUSY=wait", "DIBRAIN_ROUTER_MAX_BUSY_WAIT=1m", "DIBRAIN_ROUTER_TURN_WAIT=1m", "DIBRAIN_ROUTER_MAX_TURNS=450", "DIBRAIN_ROUTER_MAX_OWN_TURNS=450",
		"DIBRAIN_ROUTER_LEASE=" + steadyLease.String(),
	}}
	for _, name := range []string{"FINDATA", "TEXT2SQL", "FIXSQL", "CHATBI", "KNOWLEDGE"} {
		r.env = append(r.env, "DIBRAIN_"+name+"_ADDRESS="+team.address)
	}
	dies, lives := r.start(), r.start()
	client := lives.client()
	sessions := make([]string, steadySessions)
	for i := range sessions {
		created, err := client.CreateSession(t.Context(), &routerv1.CreateSessionRequest{})
		require.NoError(t, err)
		sessions[i] = created.GetSession().GetSessionId()
	}

	// From a third of the turns on calls are kept back, until enough are at work and one of the
	// routers is killed. The turns go on coming meanwhile.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var killed time.Time
	var kill sync.WaitGroup
	out, offered := askSteadily(ctx, []routerv1.RouterServiceClient{failingFast(t, dies.router), failingFast(t, lives.router)}, sessions, func(turn int) {
		if turn != steadyTurns/3 {
			return
		}
		letGo := team.keepBack()
		kill.Go(func() {
			defer letGo()
			for team.waiting() < steadyHeld && ctx.Err() == nil {
				<-time.After(time.Millisecond)
			}
			dies.kill(dies.processes["router"])
			killed = time.Now()
		})
	})
	kill.Wait()
	answered := time.Since(killed)
	rate := float64(steadyTurns) / offered.Seconds()
	again := 0
	for _, o := range out {
		require.NoError(t, o.err, "turn %d, asked %d times", o.turn, o.attempts)
		require.Len(t, o.answer.GetToolCalls(), 1, "turn %d: %s", o.turn, o.answer.GetText())
		if o.attempts > 1 {
			again++
		}
	}
	t.Logf("%.1f turns a second were offered, %d in all; %d of them were asked again; all were answered %s after the kill", rate, steadyTurns, again, answered.Round(time.Millisecond))
	require.GreaterOrEqual(t, rate, 50.0)
	require.Positive(t, again)

	require.Eventually(t, func() bool {
		running, err := client.ListRuns(ctx, &routerv1.ListRunsRequest{Status: commonv1.RunStatus_RUN_STATUS_RUNNING})
		return err == nil && len(running.GetRuns()) == 0
	}, steadyLease, 20*time.Millisecond, "what was at work is not taken over within the lease")
	team.holdsOnceEach(t, client, out)
	holdsAllTurns(t, client, sessions, out)
}

// failingFast is a client that is told at once when nobody listens.
func failingFast(t *testing.T, address string) routerv1.RouterServiceClient {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return routerv1.NewRouterServiceClient(conn)
}

// holdsOnceEach holds that no call came twice, that each is stored, and that those of the
// answers are among them and succeeded.
func (s *scriptedTeam) holdsOnceEach(t *testing.T, client routerv1.RouterServiceClient, out []steadyOutcome) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	answered := map[string]bool{}
	for _, o := range out {
		id := o.answer.GetToolCalls()[0].GetToolCallId()
		answered[id] = true
		require.Equal(t, 1, s.made[id], "the call of turn %d", o.turn)
	}
	require.Len(t, answered, len(out))
	require.Greater(t, len(s.made), len(out), "no call was at work at the router that was killed")
	for id, times := range s.made {
		require.Equal(t, 1, times, "the call %s was made again", id)
		stored, err := client.GetToolCall(t.Context(), &routerv1.GetToolCallRequest{ToolCallId: id})
		require.NoError(t, err, "the call %s is lost", id)
		want := commonv1.RunStatus_RUN_STATUS_SUCCEEDED
		if got := stored.GetToolCall().GetStatus(); !answered[id] && got != want {
			want = commonv1.RunStatus_RUN_STATUS_INTERRUPTED
		}
		require.Equal(t, want, stored.GetToolCall().GetStatus(), "the call %s", id)
	}
}

// holdsAllTurns holds that each session has what was asked in it, as often as it was asked at
// most, and each answer that a client got, once.
func holdsAllTurns(t *testing.T, client routerv1.RouterServiceClient, sessions []string, out []steadyOutcome) {
	t.Helper()
	for i, id := range sessions {
		session, err := client.GetSession(t.Context(), &routerv1.GetSessionRequest{SessionId: id})
		require.NoError(t, err, "a session is lost")
		messages := session.GetMessages()
		for turn := i; turn < len(out); turn += len(sessions) {
			o := out[turn]
			asked := 0
			for _, m := range messages {
				if m.GetContent() == steadyQuestion(turn) {
					asked++
				}
			}
			require.Positive(t, asked, "turn %d is lost", turn)
			require.LessOrEqual(t, asked, o.attempts, "turn %d", turn)
			answers := 0
			for _, m := range messages {
				if m.GetRunId() == o.answer.GetRunId() && m.GetContent() == o.answer.GetText() {
					answers++
				}
			}
			require.Equal(t, 1, answers, "the answer of turn %d", turn)
		}
	}
}
