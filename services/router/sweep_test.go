package router_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/tools"
)

// sweptStore tells when a sweep is over.
type sweptStore struct {
	router.Store
	over chan store.Swept
}

func (s *sweptStore) Sweep(ctx context.Context, r store.Retention) (store.Swept, error) {
	swept, err := s.Store.Sweep(ctx, r)
	s.over <- swept
	return swept, err
}

// TestOldSessionsAndRunsGo: beside the turns, by the clock that the router is given.
func TestOldSessionsAndRunsGo(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now() // the store's clock, which goes on by itself
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	over := make(chan store.Swept, 10)
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		c.Retention = router.RetentionConfig{SessionsFor: 10 * 24 * time.Hour, MaxSessions: 2, SweepEvery: time.Hour}
		d.Clock = clock
		d.Store = &sweptStore{d.Store, over}
	})
	sessions := func() int {
		got, err := w.client.ListSessions(as(t.Context(), "alice"), &routerv1.ListSessionsRequest{})
		require.NoError(t, err)
		return len(got.GetSessions())
	}
	w.ask(t, &routerv1.Turn{Question: "hello"})
	require.Zero(t, (<-over).Sessions, "the first turn's sweep finds nothing")
	for range 3 {
		w.ask(t, &routerv1.Turn{Question: "hello"})
	}
	require.Equal(t, 4, sessions())
	require.Empty(t, over, "the next one is not due")
	mu.Lock()
	now = now.Add(2 * time.Hour)
	mu.Unlock()
	a := w.ask(t, &routerv1.Turn{Question: "hello"})
	require.EqualValues(t, 3, (<-over).Sessions)
	require.Equal(t, 2, sessions())
	_, err := w.client.GetRun(as(t.Context(), "alice"), &routerv1.GetRunRequest{RunId: a.GetRunId()})
	require.NoError(t, err, "the newest stay")
}

func TestASessionHasABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.Retention.MaxTurns = 2 })
	first := w.ask(t, &routerv1.Turn{Question: "hello"})
	again := &routerv1.Turn{Question: "hello", SessionId: first.GetSessionId()}
	w.ask(t, again)
	_, err := w.client.Ask(as(t.Context(), "alice"), &routerv1.AskRequest{Turn: again})
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.Equal(t, "SESSION_FULL", fault.ReasonOf(err))
	require.Contains(t, status.Convert(err).Message(), "2 turns")
	_, err = w.store.Lock(t.Context(), alice, first.GetSessionId(), time.Minute)
	require.NoError(t, err, "its lock is given back")
	_, err = w.store.Sweep(t.Context(), store.Retention{})
	require.NoError(t, err)
}

// TestOneSweepAtATime: what becomes due while a sweep works follows it, once.
func TestOneSweepAtATime(t *testing.T) {
	t.Parallel()
	var hours atomic.Int64
	begun := time.Now()
	over := make(chan store.Swept) // a sweep works until somebody reads what came of it
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		c.Retention = router.RetentionConfig{SweepEvery: time.Hour}
		d.Clock = func() time.Time { return begun.Add(time.Duration(hours.Load()) * time.Hour) }
		d.Store = &sweptStore{d.Store, over}
	})
	for range 5 {
		w.ask(t, &routerv1.Turn{Question: "hello"})
		hours.Add(2)
	}
	<-over
	<-over
	require.NoError(t, w.service.Close(), "no other sweep is at work, which Close would wait for")
	select {
	case <-over:
		require.Fail(t, "a sweep more than one after the other")
	default:
	}
}

// TestAnIdleRouterSweeps: where nobody asks anything too.
func TestAnIdleRouterSweeps(t *testing.T) {
	t.Parallel()
	over := make(chan store.Swept)
	dir := t.TempDir()
	first := newWorldIn(t, dir)
	first.ask(t, &routerv1.Turn{Question: "hello"})
	require.NoError(t, first.service.Close())

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	t.Cleanup(func() { close(over) }) // when the second router is closed
	newWorldIn(t, dir, func(c *routerConfig, d *routerDeps) {
		c.Retention = router.RetentionConfig{SessionsFor: time.Nanosecond, SweepEvery: time.Millisecond}
		d.Store = &sweptStore{d.Store, over}
	})
	t.Cleanup(func() { // before the router's Close, which waits for the sweep that is at work
		go func() {
			for range over { // read to the end, and nothing else
			}
		}()
	})
	select {
	case swept := <-over:
		require.EqualValues(t, 1, swept.Sessions)
	case <-ctx.Done():
		require.Fail(t, "no sweep without a turn")
	}
}

// TestASessionKeepsItsBytes: what is large of its oldest turns goes, and who asks for
// it is told what happened to it.
func TestASessionKeepsItsBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.Retention.MaxSessionBytes = 1 })
	alice := as(t.Context(), "alice")
	old := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	call := func(a *routerv1.Answer, i int) (*routerv1.ToolCall, error) {
		got, err := w.client.GetToolCall(alice, &routerv1.GetToolCallRequest{ToolCallId: a.GetToolCalls()[i].GetToolCallId()})
		return got.GetToolCall(), err
	}
	records := func(a *routerv1.Answer) []*commonv1.RunRecord {
		got, err := w.client.GetRun(alice, &routerv1.GetRunRequest{RunId: a.GetRunId()})
		require.NoError(t, err)
		return got.GetRecords()
	}
	got, err := call(old, 0)
	require.NoError(t, err, "the newest turn stays")
	require.NotNil(t, got.GetOutput())
	require.Greater(t, len(records(old)), 1)

	next := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", SessionId: old.GetSessionId()})
	_, err = call(next, 0)
	require.NoError(t, err)
	_, err = call(old, 0)
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.Equal(t, store.ReasonOutputRemoved, fault.ReasonOf(err))
	require.ErrorContains(t, err, "router.retention.max_session_bytes")
	root := records(old)
	require.Len(t, root, 1)
	require.Contains(t, root[0].GetAttributes()["steps_removed"], "router.retention.max_session_bytes")

	stream, err := w.client.ExportSession(alice, &routerv1.ExportSessionRequest{SessionId: old.GetSessionId()})
	require.NoError(t, err)
	told, messages := 0, 0
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if part.GetToolCall().GetErrorReason() == store.ReasonOutputRemoved {
			require.Nil(t, part.GetToolCall().GetOutput())
			told++
		}
		if part.GetMessage() != nil {
			messages++
		}
	}
	require.Equal(t, len(old.GetToolCalls()), told)
	require.Equal(t, 4, messages)
}

// TestARemovedCallCannotBeBuiltOn: the person reads why, not that it has no SQL.
func TestARemovedCallCannotBeBuiltOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withStrategy(scripted(wants(tools.Execute, tools.Execute, tools.ExecuteArgs{ToolCallID: "call_old"}))))
	session := w.plant(t, stored(t, "call_old", tools.GenerateSQL, "", sqlResult(theSQL)))
	l, err := w.store.Lock(t.Context(), alice, session, time.Minute)
	require.NoError(t, err)
	newer := stored(t, "call_newer", tools.GenerateSQL, "", sqlResult(theSQL))
	newer.RunID, newer.Status, newer.StartedAt = "run_newer", run.StatusSucceeded, time.Now()
	require.NoError(t, w.store.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{newer}, MaxSessionBytes: 1}))
	require.NoError(t, w.store.Unlock(t.Context(), l))
	a := w.ask(t, &routerv1.Turn{Question: "q", SessionId: session})
	require.Equal(t, store.ReasonOutputRemoved, a.GetToolCalls()[0].GetErrorReason())
	require.Contains(t, a.GetText(), "router.retention.max_session_bytes")
}

// TestExportGoesOnWithoutARemovedRun: runs are kept for a shorter time than sessions.
func TestExportGoesOnWithoutARemovedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	swept, err := w.store.Sweep(t.Context(), store.Retention{RunsFor: time.Nanosecond, MaxRemoved: 10})
	require.NoError(t, err)
	require.EqualValues(t, 1, swept.Runs)
	stream, err := w.client.ExportSession(as(t.Context(), "alice"), &routerv1.ExportSessionRequest{SessionId: a.GetSessionId()})
	require.NoError(t, err)
	var why string
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if r := part.GetRun().GetRecords(); len(r) > 0 {
			require.Equal(t, a.GetRunId(), r[0].GetRunId())
			why = r[0].GetError()
		}
	}
	require.Contains(t, why, "router.retention.runs_for")
}

// TestABoundBelowZeroIsNone: whoever sets a bound of the retention to -1 has all kept,
// and sessions without end.
func TestABoundBelowZeroIsNone(t *testing.T) {
	t.Parallel()
	var hours atomic.Int64
	begun := time.Now()
	over := make(chan store.Swept, 100)
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		c.Retention = router.RetentionConfig{
			SessionsFor: -1, RunsFor: -1, MaxSessions: -1, MaxRuns: -1, MaxTurns: -1, MaxSessionBytes: -1, SweepEvery: time.Hour,
		}
		d.Clock = func() time.Time { return begun.Add(time.Duration(hours.Load()) * time.Hour) }
		d.Store = &sweptStore{d.Store, over}
	})
	first := w.ask(t, &routerv1.Turn{Question: "how many orders were there yesterday?"})
	require.NotEmpty(t, first.GetToolCalls())
	answers := []*routerv1.Answer{first}
	for range 3 {
		hours.Add(2)
		answers = append(answers, w.ask(t, &routerv1.Turn{Question: "run " + theSQL, SessionId: first.GetSessionId()}), w.ask(t, &routerv1.Turn{Question: "hello"}))
	}
	require.Equal(t, store.Swept{}, <-over, "a sweep removes nothing")
	ctx := as(t.Context(), "alice")
	for _, a := range answers {
		_, err := w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: a.GetRunId()})
		require.NoError(t, err)
		for _, c := range a.GetToolCalls() {
			got, err := w.client.GetToolCall(ctx, &routerv1.GetToolCallRequest{ToolCallId: c.GetToolCallId()})
			require.NoError(t, err)
			require.NotNil(t, got.GetToolCall().GetOutput())
		}
	}
	sessions, err := w.client.ListSessions(ctx, &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	require.Len(t, sessions.GetSessions(), 4)
	swept, err := w.store.Sweep(t.Context(), store.Retention{SessionsFor: -1, RunsFor: -1, MaxSessions: -1, MaxRuns: -1, Batch: 100})
	require.NoError(t, err)
	require.Equal(t, store.Swept{}, swept)
}

// endlessStore always has more to remove.
type endlessStore struct {
	router.Store
	swept atomic.Int64
}

func (s *endlessStore) Sweep(context.Context, store.Retention) (store.Swept, error) {
	if s.swept.Add(1) > 200 {
		return store.Swept{}, errors.New("nobody stops it")
	}
	return store.Swept{Runs: 3, More: true}, nil
}

// TestOneSweepHasAnEnd: a sweep takes only so many batches, however much there is, and
// says how much it removed.
func TestOneSweepHasAnEnd(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	endless := &endlessStore{}
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		endless.Store = d.Store
		c.Retention.SweepEvery, d.Store, d.Log = time.Hour, endless, slog.New(slog.NewTextHandler(&log, nil))
	})
	w.ask(t, &routerv1.Turn{Question: "hello"})
	require.NoError(t, w.service.Close())
	require.EqualValues(t, 50, endless.swept.Load(), "batches")
	require.Contains(t, log.String(), "old sessions and runs are removed")
	require.Contains(t, log.String(), "runs=150")
}
