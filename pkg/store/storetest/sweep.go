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
	now := f.clock.Now()
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
	f.clock.Move(40 * day)
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
	at := f.clock.Now().UTC().Format("2006-01-02 15:04 UTC")
	require.ErrorContains(t, err, "removed at "+at+": its session was removed by router.retention.sessions_for")
	_, _, err = f.store.Run(t.Context(), alice, "run_first")
	requireReason(t, err, codes.NotFound, store.ReasonRunUnknown)
	require.ErrorContains(t, err, "removed at "+at+": it was older than router.retention.runs_for")
	_, _, err = f.store.Run(t.Context(), bob, "run_first")
	require.Equal(t, store.RunUnknown("run_first").Error(), err.Error(), "others are told nothing of it")
	_, err = f.store.Session(t.Context(), alice, "ses_old")
	requireReason(t, err, codes.NotFound, store.ReasonSessionUnknown)
	require.ErrorContains(t, err, "removed at "+at+": it had not been used for as long as router.retention.sessions_for")
	_, err = f.store.Lock(t.Context(), alice, "ses_old", lease)
	requireReason(t, err, codes.NotFound, store.ReasonSessionUnknown)
	require.ErrorContains(t, err, "removed at "+at)
	messages, _, err := f.store.Messages(t.Context(), alice, "ses_long", "", store.Page{Size: 9})
	require.NoError(t, err)
	require.Len(t, messages, 2, "what was said stays with its session")
	sessionGone, _ := gone(bob, "ses_bob", "bob")
	require.False(t, sessionGone, "a session at work stays")
	require.NoError(t, f.store.Unlock(t.Context(), held))

	// Numbers: of each principal the oldest, a batch at a time.
	for i := range 9 {
		f.clock.Move(time.Second)
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
	_, err = f.store.Session(t.Context(), alice, "ses_n0")
	require.ErrorContains(t, err, "you had more newer ones than router.retention.max_sessions")
	f.clock.Move(time.Second)
	swept, err = f.store.Sweep(t.Context(), store.Retention{MaxRuns: 1, Batch: 100, MaxRemoved: 3})
	require.NoError(t, err)
	require.EqualValues(t, 3, swept.Runs)
	_, _, err = f.store.Run(t.Context(), alice, "run_n7")
	require.ErrorContains(t, err, "you had more newer ones than router.retention.max_runs")
	_, err = f.store.Session(t.Context(), alice, "ses_old")
	require.Equal(t, store.SessionUnknown("ses_old").Error(), err.Error(), "only so many are remembered")
	_, runGone := gone(alice, "ses_n8", "n8")
	require.False(t, runGone)
}

// testBatches: a sweep removes a batch and says whether there is more, of sessions, of
// runs and of both; as many sweeps as say so leave nothing that is to go.
func testBatches(t *testing.T, f fixture) {
	const sessions, runs, batch = 3, 4, 5
	for i := range sessions {
		for j := range runs {
			f.clock.Move(time.Second)
			f.turnOf(t, alice, fmt.Sprint("ses_", i), fmt.Sprint(i, "_", j))
		}
	}
	sweep := func(r store.Retention, want ...store.Swept) {
		t.Helper()
		for _, w := range want {
			got, err := f.store.Sweep(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, w, got)
		}
	}
	sweep(store.Retention{MaxRuns: sessions*runs - batch + 1, Batch: batch}, store.Swept{Runs: batch - 1})
	sweep(store.Retention{MaxRuns: 1, Batch: batch}, store.Swept{Runs: batch, More: true})
	left, _, err := f.store.Runs(t.Context(), alice, store.RunFilter{}, store.Page{Size: 20})
	require.NoError(t, err)
	var ids []string
	for _, r := range left {
		ids = append(ids, r.Record.RunID)
	}
	require.ElementsMatch(t, []string{"run_2_1", "run_2_2", "run_2_3"}, ids, "the oldest go first")
	sweep(store.Retention{MaxRuns: 1, Batch: batch}, store.Swept{Runs: 2}, store.Swept{})
	left, _, err = f.store.Runs(t.Context(), alice, store.RunFilter{}, store.Page{Size: 20})
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, fmt.Sprint("run_", sessions-1, "_", runs-1), left[0].Record.RunID, "the newest stays")
	f.clock.Move(time.Hour)
	sweep(store.Retention{SessionsFor: time.Minute, Batch: 2}, store.Swept{Sessions: 2, More: true})
	_, err = f.store.Session(t.Context(), alice, fmt.Sprint("ses_", sessions-1))
	require.NoError(t, err, "the oldest go first")
	sweep(store.Retention{SessionsFor: time.Minute, Batch: 2}, store.Swept{Sessions: 1}, store.Swept{})
}

// testSlim: a session that holds too much loses what is large of its oldest turns.
func testSlim(t *testing.T, f fixture) {
	const session, large = "ses_s", 10_000
	now := f.clock.Now()
	require.NoError(t, f.store.CreateSession(t.Context(), alice, store.Session{ID: session, CreatedAt: now, UpdatedAt: now}))
	noise := func(seed byte) []byte { // does not get smaller when it is packed
		out, state := make([]byte, large), uint32(seed)+1
		for i := range out {
			state = state*1664525 + 1013904223
			out[i] = byte(state >> 24)
		}
		return out
	}
	turn := func(name string, seed byte, most int64) {
		f.clock.Move(time.Minute)
		at := f.clock.Now()
		l, err := f.store.Lock(t.Context(), alice, session, lease)
		require.NoError(t, err)
		record := run.Record{RunID: "run_" + name, Name: "router.ask", Status: run.StatusSucceeded, StartedAt: at, EndedAt: at}
		step := run.Record{RunID: "run_step_" + name, ParentRunID: "run_" + name, Name: "tool.x", Status: run.StatusSucceeded, StartedAt: at, EndedAt: at}
		require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{
			Run: &store.Run{Record: record, SessionID: session, ChatID: "main", Question: name}, Records: []run.Record{step},
			ToolCalls: []store.ToolCall{{ID: "call_" + name, RunID: "run_" + name, ChatID: "main", ToolName: "x", Arguments: []byte(name), Status: run.StatusSucceeded,
				StartedAt: at, OutputType: "some.Type", Output: noise(seed)}},
			Messages: []store.Message{{ChatID: "main", RunID: "run_" + name, Role: store.RoleUser, Content: name, CreatedAt: at}},
			Unlock:   true, MaxSessionBytes: most,
		}))
	}
	removed := func(name string) bool {
		c, err := f.store.ToolCall(t.Context(), alice, "call_"+name)
		require.NoError(t, err)
		require.Equal(t, name, string(c.Arguments), "the call itself stays")
		require.Equal(t, "some.Type", c.OutputType)
		u, records, err := f.store.Run(t.Context(), alice, "run_"+name)
		require.NoError(t, err)
		require.Equal(t, name, u.Question)
		require.Equal(t, c.OutputRemovedAt, u.StepsRemovedAt)
		if c.OutputRemovedAt.IsZero() {
			require.Len(t, c.Output, large)
			require.Len(t, records, 2)
			return false
		}
		require.Empty(t, c.Output)
		require.Len(t, records, 1)
		return true
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		turn(name, byte(i), 0)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		require.False(t, removed(name), "without a bound nothing goes")
	}
	turn("e", 4, 3*large+3*large/2)
	for name, want := range map[string]bool{"a": true, "b": false, "c": false, "d": false, "e": false} {
		require.Equal(t, want, removed(name), name)
	}
	c, err := f.store.ToolCall(t.Context(), alice, "call_a")
	require.NoError(t, err)
	require.Equal(t, f.clock.Now().UTC(), c.OutputRemovedAt.UTC())
	turn("f", 5, 1)
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true, "f": false} {
		require.Equal(t, want, removed(name), "%s: the newest turn stays, however large", name)
	}
	messages, _, err := f.store.Messages(t.Context(), alice, session, "", store.Page{Size: 20})
	require.NoError(t, err)
	require.Len(t, messages, 6, "what was said stays")
}
