package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

func testLock(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	other := f.open(t)
	for _, s := range []Store{f.store, other} {
		_, err := s.Lock(t.Context(), alice, "ses_a", lease)
		requireReason(t, err, codes.Aborted, store.ReasonSessionBusy)
		require.Positive(t, fault.FromStatus(err).RetryAfter)
	}
	require.NoError(t, f.store.Unlock(t.Context(), l))
	second, err := other.Lock(t.Context(), alice, "ses_a", lease)
	require.NoError(t, err)
	require.Greater(t, second.Token, l.Token, "a token is never used twice")

	f.clock.Move(lease / 2)
	second, _, err = other.Renew(t.Context(), second, "run_none", lease)
	require.NoError(t, err)
	f.clock.Move(lease/2 + time.Second)
	_, err = f.store.Lock(t.Context(), alice, "ses_a", lease)
	requireReason(t, err, codes.Aborted, store.ReasonSessionBusy)
	require.NoError(t, f.store.Unlock(t.Context(), l))
	_, err = f.store.Lock(t.Context(), alice, "ses_a", lease)
	requireReason(t, err, codes.Aborted, store.ReasonSessionBusy)
	require.NoError(t, other.Unlock(t.Context(), second))

	// A session may be made and locked by a step, and unlocked by another.
	now := f.clock.Now()
	fresh := store.Session{ID: "ses_b", Title: "new", CreatedAt: now, UpdatedAt: now}
	opened := store.FirstLock("ses_b", now.Add(lease))
	require.NoError(t, f.store.Commit(t.Context(), alice, opened, store.Changes{Open: &fresh}))
	got, err := other.Session(t.Context(), alice, "ses_b")
	require.NoError(t, err)
	require.Equal(t, fresh, got)
	_, err = other.Lock(t.Context(), alice, "ses_b", lease)
	requireReason(t, err, codes.Aborted, store.ReasonSessionBusy)
	err = other.Commit(t.Context(), alice, opened, store.Changes{Open: &fresh})
	requireReason(t, err, codes.AlreadyExists, store.ReasonIDTaken)
	require.NoError(t, f.store.Commit(t.Context(), alice, opened, store.Changes{Unlock: true}))
	taken, err := other.Lock(t.Context(), alice, "ses_b", lease)
	require.NoError(t, err)
	require.Greater(t, taken.Token, opened.Token)
	requireReason(t, f.store.Commit(t.Context(), alice, opened, store.Changes{Unlock: true}), codes.Aborted, store.ReasonLockLost)
}

func testFencing(t *testing.T, f fixture) {
	stale := f.session(t, alice, "ses_a")
	f.clock.Move(lease + time.Second)
	require.NoError(t, f.store.Commit(t.Context(), alice, stale, store.Changes{}), "late, but nobody else wrote")
	other := f.open(t)
	fresh, err := other.Lock(t.Context(), alice, "ses_a", lease)
	require.NoError(t, err)

	write := store.Changes{Messages: []store.Message{{ChatID: "c1", Role: store.RoleUser, Content: "from the past"}}}
	requireReason(t, f.store.Commit(t.Context(), alice, stale, write), codes.Aborted, store.ReasonLockLost)
	_, _, err = f.store.Renew(t.Context(), stale, "run_1", lease)
	requireReason(t, err, codes.Aborted, store.ReasonLockLost)
	requireReason(t, f.store.Commit(t.Context(), alice, fresh, write), codes.Aborted, store.ReasonLockLost)
	require.NoError(t, other.Commit(t.Context(), alice, fresh, store.Changes{}))
	ms, _, err := other.Messages(t.Context(), alice, "ses_a", "", store.Page{Size: 9})
	require.NoError(t, err)
	require.Empty(t, ms)
}

func testLockContention(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	require.NoError(t, f.store.Unlock(t.Context(), l))
	handles := []Store{f.store, f.open(t), f.open(t)}
	var held, turns atomic.Int32
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			s := handles[i%len(handles)]
			for {
				l, err := s.Lock(t.Context(), alice, "ses_a", lease)
				if fault.ReasonOf(err) == store.ReasonSessionBusy {
					continue
				}
				if err != nil {
					t.Errorf("lock: %v", err)
					return
				}
				if held.Add(1) != 1 {
					t.Error("two turns hold the session")
				}
				turns.Add(1)
				held.Add(-1)
				if err := s.Unlock(t.Context(), l); err != nil {
					t.Errorf("unlock: %v", err)
				}
				return
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 12, turns.Load())
}

func testDeath(t *testing.T, f fixture) {
	f.session(t, alice, "ses_mine")
	mine, err := f.open(t).Lock(t.Context(), alice, "ses_mine", lease)
	requireReason(t, err, codes.Aborted, store.ReasonSessionBusy)
	_ = mine

	victim := f.open(t)
	now := f.clock.Now()
	require.NoError(t, victim.CreateSession(t.Context(), alice, store.Session{ID: "ses_a", CreatedAt: now, UpdatedAt: now}))
	l, err := victim.Lock(t.Context(), alice, "ses_a", lease)
	require.NoError(t, err)
	waiting := f.running("run_waiting", "ses_a")
	waiting.Record.Status = run.StatusWaiting
	require.NoError(t, victim.Commit(t.Context(), alice, l, store.Changes{Run: waiting}))
	require.NoError(t, victim.Commit(t.Context(), alice, l, store.Changes{
		Run: f.running("run_1", "ses_a"),
		Records: []run.Record{
			{RunID: "run_2", ParentRunID: "run_1", Name: "decide", Status: run.StatusSucceeded},
			{RunID: "run_3", ParentRunID: "run_1", Name: "tool_call", Status: run.StatusRunning},
		},
		ToolCalls: []store.ToolCall{{ID: "call_done", RunID: "run_1", Status: run.StatusSucceeded}, {ID: "call_1", RunID: "run_1", Status: run.StatusRunning}},
	}))

	living := f.open(t)
	u, _, err := living.Run(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusRunning, u.Record.Status, "a living process keeps its runs when another one starts")

	f.clock.Move(time.Second)
	require.NoError(t, victim.Close())
	next := f.open(t)
	u, tree, err := next.Run(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusInterrupted, u.Record.Status)
	require.Equal(t, f.clock.Now(), u.Record.EndedAt)
	require.Equal(t, []run.Status{run.StatusInterrupted, run.StatusSucceeded, run.StatusInterrupted},
		[]run.Status{tree[0].Status, tree[1].Status, tree[2].Status})
	for id, want := range map[string]run.Status{"call_1": run.StatusInterrupted, "call_done": run.StatusSucceeded} {
		c, err := next.ToolCall(t.Context(), alice, id)
		require.NoError(t, err)
		require.Equal(t, want, c.Status)
	}
	u, _, err = next.Run(t.Context(), alice, "run_waiting")
	require.NoError(t, err)
	require.Equal(t, run.StatusWaiting, u.Record.Status, "a run that waits for a person has nobody at work on it")

	again, err := next.Lock(t.Context(), alice, "ses_a", lease)
	require.NoError(t, err, "the session goes on at once")
	require.Greater(t, again.Token, l.Token)
}

func testCancel(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: f.running("run_1", "ses_a")}))
	_, asked, err := f.store.Renew(t.Context(), l, "run_1", lease)
	require.NoError(t, err)
	require.False(t, asked)
	status, err := f.open(t).RequestCancel(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusRunning, status)
	_, asked, err = f.store.Renew(t.Context(), l, "run_1", lease)
	require.NoError(t, err)
	require.True(t, asked)

	done := f.running("run_1", "ses_a")
	done.Record.Status = run.StatusSucceeded
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: done}))
	again := f.running("run_2", "ses_a")
	again.Record.Status = run.StatusFailed
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: again}))
	for id, want := range map[string]run.Status{"run_1": run.StatusSucceeded, "run_2": run.StatusFailed} {
		status, err = f.store.RequestCancel(t.Context(), alice, id)
		require.NoError(t, err)
		require.Equal(t, want, status)
		ended, _, err := f.store.Run(t.Context(), alice, id)
		require.NoError(t, err)
		require.False(t, ended.CancelRequested, "%s: nothing is left to be cancelled", id)
		require.Equal(t, want, ended.Record.Status)
	}
}

// testStrangers asks for everything of alice's as bob: each answer is the one
// that an unknown id gets.
func testStrangers(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{
		Run: f.running("run_1", "ses_a"), ToolCalls: []store.ToolCall{{ID: "call_1", RunID: "run_1"}},
		Messages: []store.Message{{ChatID: "c1", Role: store.RoleUser, Content: "private"}},
		Chat:     &store.Chat{ID: "c1", State: []byte("private")},
	}))
	ctx, s := t.Context(), f.store
	for name, ask := range map[string]func(ses, rn, call string) error{
		"session": func(ses, _, _ string) error { _, err := s.Session(ctx, bob, ses); return err },
		"delete":  func(ses, _, _ string) error { return s.DeleteSession(ctx, bob, ses) },
		"chat":    func(ses, _, _ string) error { _, err := s.Thread(ctx, bob, ses, "c1", 9); return err },
		"messages": func(ses, _, _ string) error {
			_, _, err := s.Messages(ctx, bob, ses, "", store.Page{Size: 9})
			return err
		},
		"lock": func(ses, _, _ string) error { _, err := s.Lock(ctx, bob, ses, lease); return err },
		"commit": func(ses, _, _ string) error {
			return s.Commit(ctx, bob, store.Lock{SessionID: ses, Token: l.Token}, store.Changes{})
		},
		"run":    func(_, rn, _ string) error { _, _, err := s.Run(ctx, bob, rn); return err },
		"cancel": func(_, rn, _ string) error { _, err := s.RequestCancel(ctx, bob, rn); return err },
		"feedback": func(_, rn, _ string) error {
			return s.SaveFeedback(ctx, bob, store.Feedback{RunID: rn, Rating: store.RatingUp})
		},
		"tool call": func(_, _, call string) error { _, err := s.ToolCall(ctx, bob, call); return err },
	} {
		hers, nobodys := ask("ses_a", "run_1", "call_1"), ask("ses_x", "run_x", "call_x")
		require.Error(t, hers, name)
		require.Equal(t, codes.NotFound, fault.FromStatus(hers).Code, name)
		require.Equal(t, fault.ReasonOf(nobodys), fault.ReasonOf(hers), name)
	}
	runs, _, err := s.Runs(ctx, bob, store.RunFilter{SessionID: "ses_a"}, store.Page{Size: 9})
	require.NoError(t, err)
	require.Empty(t, runs)
	said, err := s.Feedback(ctx, bob, "run_1")
	require.NoError(t, err)
	require.Empty(t, said)
	_, err = s.Session(ctx, alice, "ses_a")
	require.NoError(t, err, "nothing was deleted")
}

func testDelete(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{
		Run: f.running("run_1", "ses_a"), ToolCalls: []store.ToolCall{{ID: "call_1", RunID: "run_1"}}}))
	require.NoError(t, f.store.DeleteSession(t.Context(), alice, "ses_a"))
	_, _, err := f.store.Run(t.Context(), alice, "run_1")
	requireReason(t, err, codes.NotFound, store.ReasonRunUnknown)
	_, err = f.store.ToolCall(t.Context(), alice, "call_1")
	requireReason(t, err, codes.NotFound, store.ReasonToolCallUnknown)
	requireReason(t, f.store.Commit(t.Context(), alice, l, store.Changes{}), codes.NotFound, store.ReasonSessionUnknown)
	requireReason(t, f.store.DeleteSession(t.Context(), alice, "ses_a"), codes.NotFound, store.ReasonSessionUnknown)
	require.NoError(t, f.store.CreateSession(t.Context(), alice, store.Session{ID: fmt.Sprint("ses_", "b")}))
}
