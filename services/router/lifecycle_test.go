package router_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/tools"
)

// hang makes executions wait until they are cancelled; began says that one is
// there, ended how it was cancelled.
func (w *world) hang() (began chan struct{}, ended chan error) {
	began, ended = make(chan struct{}, 1), make(chan error, 1)
	w.team.execute = func(ctx context.Context, _ *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return began, ended
}

func (w *world) askLater(ctx context.Context, turn *routerv1.Turn) <-chan *routerv1.Answer {
	out := make(chan *routerv1.Answer, 1)
	go func() {
		resp, err := w.client.Ask(as(ctx, "alice"), &routerv1.AskRequest{Turn: turn})
		if err != nil {
			resp = &routerv1.AskResponse{Answer: &routerv1.Answer{Text: err.Error()}}
		}
		out <- resp.GetAnswer()
	}()
	return out
}

// within is what a channel gives in time; a test that waited for ever would say nothing.
func within[T any](t *testing.T, from <-chan T, what string) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(20 * time.Second):
		require.Fail(t, "not in time: "+what)
	}
	return got
}

func (w *world) runningRun(t *testing.T) string {
	t.Helper()
	resp, err := w.client.ListRuns(as(t.Context(), "alice"), &routerv1.ListRunsRequest{Status: commonv1.RunStatus_RUN_STATUS_RUNNING})
	require.NoError(t, err)
	require.Len(t, resp.GetRuns(), 1)
	return resp.GetRuns()[0].GetRecord().GetRunId()
}

func TestCancelReachesTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, ended := w.hang()
	answer := w.askLater(t.Context(), &routerv1.Turn{Question: "how many orders yesterday?"})
	within(t, began, "the call begins")
	id := w.runningRun(t)
	resp, err := w.client.CancelRun(as(t.Context(), "alice"), &routerv1.CancelRunRequest{RunId: id})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_CANCELLED, resp.GetStatus())
	require.ErrorIs(t, within(t, ended, "the call ends"), context.Canceled)
	a := within(t, answer, "the answer")
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED, a.GetInterruptionReason())
	require.Contains(t, a.GetText(), "Cancelled")
	require.Contains(t, a.GetText(), theSQL, "what there is, is shown")
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_CANCELLED, a.GetToolCalls()[2].GetStatus())

	w.team.execute = newTeam().execute
	b := w.ask(t, &routerv1.Turn{Question: "run it", SessionId: a.GetSessionId()})
	require.Equal(t, "There were 42 orders.", b.GetText(), "the session goes on")
	again, err := w.client.CancelRun(as(t.Context(), "alice"), &routerv1.CancelRunRequest{RunId: b.GetRunId()})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, again.GetStatus(), "an ended run is left alone")
}

func TestCancelFromAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorldIn(t, dir, func(c *routerConfig, _ *routerDeps) { c.Lease = 60 * time.Millisecond })
	other := newWorldIn(t, dir)
	began, ended := w.hang()
	answer := w.askLater(t.Context(), &routerv1.Turn{Question: "how many orders yesterday?"})
	within(t, began, "the call begins")
	_, err := other.client.CancelRun(as(t.Context(), "alice"), &routerv1.CancelRunRequest{RunId: w.runningRun(t)})
	require.NoError(t, err)
	require.ErrorIs(t, within(t, ended, "the call ends"), context.Canceled)
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED, within(t, answer, "the answer").GetInterruptionReason())
}

// TestALostSessionEndsTheCall: a turn whose session was deleted, or taken over by another
// process, ends the running call within one lease and tells the caller why.
func TestALostSessionEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, w *world, dir, sessionID string){
		"deleted": func(t *testing.T, w *world, _, sessionID string) {
			_, err := w.client.DeleteSession(as(t.Context(), "alice"), &routerv1.DeleteSessionRequest{SessionId: sessionID})
			require.NoError(t, err)
		},
		"taken over": func(t *testing.T, _ *world, dir, sessionID string) {
			// To a process whose clock is ahead the lease has run out.
			ahead, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Log: slog.New(slog.DiscardHandler), Clock: func() time.Time { return time.Now().Add(time.Hour) }})
			require.NoError(t, err)
			t.Cleanup(func() { _ = ahead.Close() })
			_, err = ahead.Lock(t.Context(), run.Principal{ID: "alice"}, sessionID, time.Hour)
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { sessionIsLost(t, lose) })
		})
	}
}

// sessionIsLost runs where time passes only once everybody waits.
func sessionIsLost(t *testing.T, lose func(t *testing.T, w *world, dir, sessionID string)) {
	const lease = time.Minute
	dir := t.TempDir()
	w := newWorldIn(t, dir, func(c *routerConfig, _ *routerDeps) { c.Lease, c.MaxExecute = lease, 10*lease })
	sessionID := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"}).GetSessionId()
	began, ended := w.hang()
	told := make(chan error, 1)
	go func() {
		_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "how many orders today?", SessionId: sessionID}})
		told <- err
	}()
	<-began
	lost := time.Now()
	lose(t, w, dir, sessionID)
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Less(t, time.Since(lost), lease, "the call works on after its session was lost")
	require.Equal(t, store.ReasonLockLost, fault.ReasonOf(fault.FromStatus(<-told)))
}

func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		configured time.Duration
		asked      int32
		want       time.Duration
		says       string
	}{
		"as the turn says":           {time.Minute, 1, time.Second, "The time of 1 s"},
		"longer than the default":    {time.Second, 90, 90 * time.Second, "The time of 90 s"},
		"as configured":              {7 * time.Second, 0, 7 * time.Second, "The time of 7 s"},
		"neither: the default's 2 m": {0, 0, 2 * time.Minute, "The time of 120 s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { timeIsUp(t, tc.configured, tc.asked, tc.want, tc.says) })
		})
	}
}

// timeIsUp runs where the time of the turn passes only once everybody waits.
func timeIsUp(t *testing.T, configured time.Duration, asked int32, want time.Duration, says string) {
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.MaxExecute = configured })
	_, ended := w.hang()
	began := time.Now()
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", MaxExecuteSecond: asked})
	require.Equal(t, want, time.Since(began).Truncate(time.Second), "the turn ends when its time is up, not before and not later")
	require.Error(t, within(t, ended, "the call ends"))
	require.Equal(t, routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT, a.GetInterruptionReason())
	require.Contains(t, a.GetText(), says)
	require.Contains(t, a.GetText(), theSQL)
	got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_TIMED_OUT, got.GetRecords()[0].GetStatus())
}

func TestCallerGoesAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, ended := w.hang()
	ctx, cancel := context.WithCancel(t.Context())
	answer := w.askLater(ctx, &routerv1.Turn{Question: "how many orders yesterday?"})
	within(t, began, "the call begins")
	id := w.runningRun(t)
	cancel()
	within(t, answer, "the answer")
	within(t, ended, "the call ends")
	require.NoError(t, w.service.Close(), "waits until the turn is stored")
	got, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: id})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_CANCELLED, got.GetRecords()[0].GetStatus())
}

func TestSecondTurnOfASession(t *testing.T) {
	t.Parallel()
	for _, onBusy := range []router.OnBusy{router.BusyReject, router.BusyWait} {
		t.Run(string(onBusy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.OnBusy = onBusy })
			first := w.ask(t, &routerv1.Turn{Question: "hello"})
			gate, there := make(chan struct{}), make(chan struct{}, 1)
			w.team.discover = func(context.Context, *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
				there <- struct{}{}
				<-gate
				return tablesResult(), nil
			}
			turn := &routerv1.Turn{Question: "which tables hold orders?", SessionId: first.GetSessionId()}
			one := w.askLater(t.Context(), turn)
			<-there
			if onBusy == router.BusyReject {
				_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: turn})
				require.Equal(t, "SESSION_BUSY", fault.ReasonOf(err))
				close(gate)
				<-one
				return
			}
			two := w.askLater(t.Context(), turn)
			close(gate)
			require.Len(t, (<-one).GetToolCalls(), 1)
			<-there
			require.Len(t, (<-two).GetToolCalls(), 1)
		})
	}
}

func TestTwoPrincipals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	ctx := as(t.Context(), "bob")
	for name, ask := range map[string]func() error{
		"ask": func() error {
			_, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run it", SessionId: a.GetSessionId()}})
			return err
		},
		"run": func() error { _, err := w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: a.GetRunId()}); return err },
		"cancel": func() error {
			_, err := w.client.CancelRun(ctx, &routerv1.CancelRunRequest{RunId: a.GetRunId()})
			return err
		},
		"call": func() error {
			_, err := w.client.GetToolCall(ctx, &routerv1.GetToolCallRequest{ToolCallId: a.GetToolCalls()[0].GetToolCallId()})
			return err
		},
		"session": func() error {
			_, err := w.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: a.GetSessionId()})
			return err
		},
		"delete": func() error {
			_, err := w.client.DeleteSession(ctx, &routerv1.DeleteSessionRequest{SessionId: a.GetSessionId()})
			return err
		},
		"feedback": func() error {
			_, err := w.client.SubmitFeedback(ctx, &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_UP})
			return err
		},
	} {
		require.Equal(t, codes.NotFound, status.Code(ask()), name)
	}
	runs, err := w.client.ListRuns(ctx, &routerv1.ListRunsRequest{})
	require.NoError(t, err)
	require.Empty(t, runs.GetRuns())
	sessions, err := w.client.ListSessions(ctx, &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	require.Empty(t, sessions.GetSessions())
}

func TestSessionsAndFeedback(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := as(t.Context(), "alice")
	made, err := w.client.CreateSession(ctx, &routerv1.CreateSessionRequest{Source: "shop"})
	require.NoError(t, err)
	id := made.GetSession().GetSessionId()
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", SessionId: id})
	require.Equal(t, "shop", w.team.call(0).request.(*findatav1.DiscoverQuery).GetSource())
	got, err := w.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: id})
	require.NoError(t, err)
	require.Equal(t, "how many orders yesterday?", got.GetSession().GetTitle())
	require.EqualValues(t, 1, got.GetSession().GetTurns())
	require.Equal(t, []string{"user", "assistant"}, []string{got.GetMessages()[0].GetRole(), got.GetMessages()[1].GetRole()})
	require.Len(t, got.GetMessages()[1].GetToolCallIds(), 3)

	_, err = w.client.SubmitFeedback(ctx, &routerv1.SubmitFeedbackRequest{RunId: a.GetRunId(), Rating: routerv1.Rating_RATING_DOWN,
		Comment: "no", RejectedTables: []string{"sg.shop.orders"}})
	require.NoError(t, err)
	require.Len(t, w.team.feedback, 1)
	require.Equal(t, findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED, w.team.feedback[0].GetKind())
	require.Equal(t, "how many orders yesterday?", w.team.feedback[0].GetQuestion())
	require.Equal(t, "shop", w.team.feedback[0].GetSource())

	_, err = w.client.DeleteSession(ctx, &routerv1.DeleteSessionRequest{SessionId: id})
	require.NoError(t, err)
	_, err = w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.Equal(t, codes.NotFound, status.Code(err))
}

// TestManySessions runs two hundred conversations at once, each with its own SQL,
// and looks for what got lost or mixed up.
func TestManySessions(t *testing.T) {
	t.Parallel()
	// The one writer is slow under the race detector, and all wait for it.
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) {
		c.PersistTimeout, c.MaxExecute, c.Lease = time.Hour, time.Hour, time.Hour
	})
	w.team.generate = func(_ context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		return sqlResult("SELECT '" + q.GetUserQuestion() + "'"), nil
	}
	w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		r := doneResult()
		r.Answer = q.GetSql()
		return r, nil
	}
	sessions := 200
	if testing.Short() {
		sessions = 40
	}
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			ctx := as(t.Context(), fmt.Sprint("user", i))
			subject := fmt.Sprintf("orders of shop%03d", i)
			a, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "write a query for " + subject}})
			if err != nil {
				t.Errorf("%d: %v", i, err)
				return
			}
			b, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run it", SessionId: a.GetAnswer().GetSessionId()}})
			if err != nil {
				t.Errorf("%d: %v", i, err)
				return
			}
			if want := "SELECT '" + subject + "'"; b.GetAnswer().GetText() != want {
				t.Errorf("%d: got %q, want %q", i, b.GetAnswer().GetText(), want)
			}
		})
	}
	wg.Wait()
}

const victimDir = "DIBRAIN_ROUTER_TEST_VICTIM_DIR"

// TestVictim is the process that TestKill kills: it asks a question whose
// execution never ends.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("runs in the process that TestKill starts")
	}
	w := newWorldIn(t, dir)
	began, _ := w.hang()
	w.askLater(t.Context(), &routerv1.Turn{Question: "how many orders yesterday?"})
	within(t, began, "the call begins")
	fmt.Println("VICTIM " + w.runningRun(t))
	select {} // until it is killed
}

func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$", "-test.v")
	victim.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := victim.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, victim.Start())
	t.Cleanup(func() { _ = victim.Process.Kill() })
	id := ""
	lines := bufio.NewScanner(out)
	for id == "" && lines.Scan() {
		id, _ = strings.CutPrefix(lines.Text(), "VICTIM ")
		if !strings.HasPrefix(id, run.PrefixRun) {
			id = ""
		}
	}
	require.NotEmpty(t, id, "the victim did not get to its execution")

	// Another process on the same data leaves a living one's run alone.
	w := newWorldIn(t, dir)
	ctx := as(t.Context(), "alice")
	got, err := w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: id})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_RUNNING, got.GetRecords()[0].GetStatus())
	_, err = w.client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run it", SessionId: got.GetSessionId()}})
	require.Equal(t, "SESSION_BUSY", fault.ReasonOf(err))

	require.NoError(t, victim.Process.Kill())
	_ = victim.Wait() // says that it was killed

	next := newWorldIn(t, dir)
	got, err = next.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: id})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_INTERRUPTED, got.GetRecords()[0].GetStatus())
	require.Equal(t, "how many orders yesterday?", got.GetQuestion())
	for _, r := range got.GetRecords() {
		require.NotEqual(t, commonv1.RunStatus_RUN_STATUS_RUNNING, r.GetStatus(), r.GetName())
	}
	a := next.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", SessionId: got.GetSessionId()})
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, called(a))
	require.Equal(t, "There were 42 orders.", a.GetText(), "the session goes on")
	ses, err := next.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: got.GetSessionId()})
	require.NoError(t, err)
	require.Equal(t, "how many orders yesterday?", ses.GetMessages()[0].GetContent(), "what was asked is not lost")
}
