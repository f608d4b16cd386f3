package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// turnOf stores a session with a run and a call that have ended.
func (f fixture) turnOf(t *testing.T, p run.Principal, session, name string) {
	t.Helper()
	now := f.clock.read()
	if _, err := f.store.Session(t.Context(), p, session); err != nil {
		require.NoError(t, f.store.CreateSession(t.Context(), p, store.Session{ID: session, CreatedAt: now, UpdatedAt: now}))
	}
	l, err := f.store.Lock(t.Context(), p, session, lease)
	require.NoError(t, err)
	record := run.Record{RunID: "run_" + name, Name: "router.ask", Status: run.StatusSucceeded, StartedAt: now, EndedAt: now}
	require.NoError(t, f.store.Commit(t.Context(), p, l, store.Changes{
		Session: &store.Session{ID: session, UpdatedAt: now, Turns: 1}, Run: &store.Run{Record: record, SessionID: session, ChatID: "main"},
		ToolCalls: []store.ToolCall{{ID: "call_" + name, RunID: "run_" + name, ChatID: "main", ToolName: "x", Status: run.StatusSucceeded}},
		Messages:  []store.Message{{ChatID: "main", RunID: "run_" + name, Role: store.RoleUser, Content: name, CreatedAt: now}},
		Unlock:    true,
	}))
}

func testSweep(t *testing.T, f fixture) {
	const day = 24 * time.Hour
	gone := func(p run.Principal, session, name string) (sessionGone, runGone bool) {
		_, err := f.store.Session(t.Context(), p, session)
		sessionGone = err != nil
		_, _, err = f.store.Run(t.Context(), p, "run_"+name)
		runGone = err != nil
		_, call := f.store.ToolCall(t.Context(), p, "call_"+name)
		require.Equal(t, runGone, call != nil, "%s: a run's calls go with it", name)
		return sessionGone, runGone
	}
	f.turnOf(t, alice, "ses_old", "old")
	f.turnOf(t, alice, "ses_long", "first")
	f.turnOf(t, bob, "ses_bob", "bob")
	f.clock.move(40 * day)
	f.turnOf(t, alice, "ses_long", "second")
	held, err := f.store.Lock(t.Context(), bob, "ses_bob", lease)
	require.NoError(t, err)

	swept, err := f.store.Sweep(t.Context(), store.Retention{})
	require.NoError(t, err)
	require.Equal(t, store.Swept{}, swept, "without bounds nothing goes")
	keep := store.Retention{SessionsFor: 39 * day, RunsFor: 20 * day, Batch: 100}
	swept, err = f.store.Sweep(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, store.Swept{Sessions: 1, Runs: 2}, swept)
	for name, want := range map[string][2]bool{"old": {true, true}, "first": {false, true}, "second": {false, false}} {
		session := map[string]string{"old": "ses_old"}[name]
		if session == "" {
			session = "ses_long"
		}
		sessionGone, runGone := gone(alice, session, name)
		require.Equal(t, want, [2]bool{sessionGone, runGone}, name)
	}
	_, _, err = f.store.Run(t.Context(), alice, "run_old")
	requireReason(t, err, codes.NotFound, store.ReasonRunUnknown)
	require.ErrorContains(t, err, "removed because it was old")
	messages, _, err := f.store.Messages(t.Context(), alice, "ses_long", "", store.Page{Size: 9})
	require.NoError(t, err)
	require.Len(t, messages, 2, "what was said stays with its session")
	sessionGone, _ := gone(bob, "ses_bob", "bob")
	require.False(t, sessionGone, "a session at work stays")
	require.NoError(t, f.store.Unlock(t.Context(), held))

	// Numbers: of each principal the oldest, a batch at a time.
	for i := range 9 {
		f.clock.move(time.Second)
		f.turnOf(t, alice, fmt.Sprint("ses_n", i), fmt.Sprint("n", i))
	}
	f.turnOf(t, bob, "ses_bobs", "bobs")
	few := store.Retention{MaxSessions: 4, Batch: 5}
	swept, err = f.store.Sweep(t.Context(), few)
	require.NoError(t, err)
	require.Equal(t, store.Swept{Sessions: 5, More: true}, swept)
	swept, err = f.store.Sweep(t.Context(), few)
	require.NoError(t, err)
	require.Equal(t, store.Swept{Sessions: 1}, swept)
	left, _, err := f.store.Sessions(t.Context(), alice, store.Page{Size: 20})
	require.NoError(t, err)
	require.Len(t, left, 4)
	require.Equal(t, "ses_n8", left[0].ID)
	require.Equal(t, "ses_n5", left[3].ID)
	left, _, err = f.store.Sessions(t.Context(), bob, store.Page{Size: 20})
	require.NoError(t, err)
	require.Len(t, left, 2, "nobody loses a session to another")
	swept, err = f.store.Sweep(t.Context(), store.Retention{MaxRuns: 1, Batch: 100})
	require.NoError(t, err)
	require.EqualValues(t, 3, swept.Runs)
	_, runGone := gone(alice, "ses_n8", "n8")
	require.False(t, runGone)
}
