// Package storetest is the suite that every implementation of the router's
// store has to pass.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// Store is what an implementation has to do.
type Store interface {
	CreateSession(ctx context.Context, p run.Principal, s store.Session) error
	Session(ctx context.Context, p run.Principal, id string) (store.Session, error)
	Sessions(ctx context.Context, p run.Principal, page store.Page) ([]store.Session, string, error)
	DeleteSession(ctx context.Context, p run.Principal, id string) error
	Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (store.Thread, error)
	Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) ([]store.Message, string, error)
	ToolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error)
	Run(ctx context.Context, p run.Principal, id string) (store.Run, []run.Record, error)
	Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) ([]store.Run, string, error)
	RequestCancel(ctx context.Context, p run.Principal, runID string) (run.Status, error)
	SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) error
	Feedback(ctx context.Context, p run.Principal, runID string) ([]store.Feedback, error)
	Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error)
	Renew(ctx context.Context, l store.Lock, runID string, lease time.Duration) (store.Lock, bool, error)
	Unlock(ctx context.Context, l store.Lock) error
	Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error
	Sweep(ctx context.Context, r store.Retention) (store.Swept, error)
	Close() error
}

// Open opens one more handle on the data of a test, as another process would.
// Closing a handle stands for the end of its process.
type Open func(t *testing.T) Store

// Harness makes the data of one test. Its handles read the clock given.
type Harness func(t *testing.T, clock func() time.Time) Open

var (
	alice = run.Principal{ID: "alice"}
	bob   = run.Principal{ID: "bob"}
	start = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
)

const lease = 30 * time.Second

type fixture struct {
	store Store
	open  Open
	clock *clocktest.Clock
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	for name, test := range map[string]func(*testing.T, fixture){
		"sessions":                  testSessions,
		"what is old is removed":    testSweep,
		"a session keeps its bytes": testSlim,
		"messages":                  testMessages,
		"chats":                     testChats,
		"tool calls":                testToolCalls,
		"runs":                      testRuns,
		"feedback":                  testFeedback,
		"a commit is all or none":   testAtomic,
		"one holder of a lock":      testLock,
		"fencing":                   testFencing,
		"many turns want a session": testLockContention,
		"death of the owner":        testDeath,
		"cancel":                    testCancel,
		"strangers":                 testStrangers,
		"deletion":                  testDelete,
		"page tokens":               testTokens,
		"a token is of one list":    testListTokens,
		"lists of one moment":       testOneMoment,
		"a batch at a time":         testBatches,
		"random operations":         testRandom,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clocktest.At(start)
			open := h(t, c.Now)
			test(t, fixture{store: open(t), open: open, clock: c})
		})
	}
}

func (f fixture) session(t *testing.T, p run.Principal, id string) store.Lock {
	t.Helper()
	now := f.clock.Now()
	require.NoError(t, f.store.CreateSession(t.Context(), p, store.Session{ID: id, Title: "title of " + id, CreatedAt: now, UpdatedAt: now}))
	l, err := f.store.Lock(t.Context(), p, id, lease)
	require.NoError(t, err)
	return l
}

func (f fixture) running(id, session string) *store.Run {
	return &store.Run{
		SessionID: session, ChatID: "c1", Question: "how many?",
		Record: run.Record{RunID: id, Name: "router.ask", Service: "router", Status: run.StatusRunning, StartedAt: f.clock.Now()},
	}
}

func requireReason(t *testing.T, err error, code codes.Code, reason string) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, reason, fault.ReasonOf(err), "%v", err)
	require.Equal(t, code, fault.FromStatus(err).Code)
}

func testSessions(t *testing.T, f fixture) {
	for i := range 5 {
		f.clock.Move(time.Second)
		now := f.clock.Now()
		require.NoError(t, f.store.CreateSession(t.Context(), alice, store.Session{
			ID: fmt.Sprintf("ses_%d", i), Title: "会话", Source: "demo", CreatedAt: now, UpdatedAt: now}))
	}
	requireReason(t, f.store.CreateSession(t.Context(), bob, store.Session{ID: "ses_0"}), codes.AlreadyExists, store.ReasonIDTaken)

	var seen []string
	token := ""
	for {
		page, next, err := f.store.Sessions(t.Context(), alice, store.Page{Size: 2, Token: token})
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), 2)
		for _, s := range page {
			seen = append(seen, s.ID)
		}
		if token = next; token == "" {
			break
		}
	}
	require.Equal(t, []string{"ses_4", "ses_3", "ses_2", "ses_1", "ses_0"}, seen)

	l, err := f.store.Lock(t.Context(), alice, "ses_0", lease)
	require.NoError(t, err)
	s, err := f.store.Session(t.Context(), alice, "ses_0")
	require.NoError(t, err)
	require.Equal(t, "会话", s.Title)
	require.Equal(t, start.Add(time.Second), s.CreatedAt)
	s.Title, s.Turns, s.UpdatedAt = "renamed", 1, start.Add(time.Hour)
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Session: &s}))
	page, _, err := f.store.Sessions(t.Context(), alice, store.Page{Size: 1})
	require.NoError(t, err)
	require.Equal(t, []store.Session{s}, page, "the last used stands first")
}

func testMessages(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	for i := range 5 {
		require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Messages: []store.Message{
			{ChatID: "c1", RunID: "run_1", Role: store.RoleUser, Content: fmt.Sprint("q", i), CreatedAt: f.clock.Now()},
			{ChatID: "c2", RunID: "run_1", Role: store.RoleAssistant, Content: fmt.Sprint("a", i), ToolCallIDs: []string{"call_1"}, Detail: []byte("{}")},
		}}))
	}
	all, token, err := f.store.Messages(t.Context(), alice, "ses_a", "", store.Page{Size: 3})
	require.NoError(t, err)
	require.Equal(t, []string{"a3", "q4", "a4"}, contents(all))
	require.Equal(t, []string{"call_1"}, all[0].ToolCallIDs)
	older, _, err := f.store.Messages(t.Context(), alice, "ses_a", "", store.Page{Size: 3, Token: token})
	require.NoError(t, err)
	require.Equal(t, []string{"q2", "a2", "q3"}, contents(older))
	chat, token, err := f.store.Messages(t.Context(), alice, "ses_a", "c1", store.Page{Size: 9})
	require.NoError(t, err)
	require.Empty(t, token)
	require.Equal(t, []string{"q0", "q1", "q2", "q3", "q4"}, contents(chat))
}

func contents(ms []store.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Content)
	}
	return out
}

func testChats(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	empty, err := f.store.Thread(t.Context(), alice, "ses_a", "c1", 9)
	require.NoError(t, err)
	require.Empty(t, empty.Chat.State)
	require.Empty(t, empty.Messages)
	require.False(t, empty.Earlier)
	for _, state := range []string{"one", "two"} {
		require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{
			Chat:     &store.Chat{ID: "c1", State: []byte(state), UpdatedAt: f.clock.Now()},
			Messages: []store.Message{{ChatID: "c1", Role: store.RoleUser, Content: state}}}))
	}
	c, err := f.store.Thread(t.Context(), alice, "ses_a", "c1", 2)
	require.NoError(t, err)
	require.Equal(t, "two", string(c.Chat.State))
	require.Equal(t, []string{"one", "two"}, contents(c.Messages))
	require.False(t, c.Earlier)
	want, err := f.store.Session(t.Context(), alice, "ses_a")
	require.NoError(t, err)
	require.Equal(t, want, c.Session)
	c, err = f.store.Thread(t.Context(), alice, "ses_a", "c1", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"two"}, contents(c.Messages))
	require.True(t, c.Earlier)
	other, err := f.store.Thread(t.Context(), alice, "ses_a", "c2", 9)
	require.NoError(t, err)
	require.Empty(t, other.Chat.State)
	require.Empty(t, other.Messages)
}

func testToolCalls(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	first := store.ToolCall{
		ID: "call_1", SessionID: "ses_a", ChatID: "c1", RunID: "run_1", ToolName: "data_discovery", AgentName: "Data Discovery",
		Arguments: []byte(`{"user_question":"x"}`), Status: run.StatusRunning, StartedAt: start,
	}
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{first}}))
	first.Status, first.EndedAt, first.OutputType, first.Output = run.StatusSucceeded, start.Add(time.Second), "a.B", []byte{0, 1, 2}
	second := first
	second.ID, second.SourceID = "call_2", "call_1"
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{first, second}}))

	got, err := f.store.ToolCall(t.Context(), alice, "call_1")
	require.NoError(t, err)
	first.NextID = "call_2"
	require.Equal(t, first, got, "the store links a call to the one that builds on it")

	again := first
	again.Status, again.Output = run.StatusRunning, nil
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{ToolCalls: []store.ToolCall{again}}))
	got, err = f.store.ToolCall(t.Context(), alice, "call_1")
	require.NoError(t, err)
	require.Equal(t, first, got, "a call that succeeded is never replaced")

	other := f.session(t, alice, "ses_b")
	requireReason(t, f.store.Commit(t.Context(), alice, other, store.Changes{ToolCalls: []store.ToolCall{first}}),
		codes.AlreadyExists, store.ReasonIDTaken)

	require.NoError(t, f.store.Commit(t.Context(), alice, other, store.Changes{DropToolCalls: []string{"call_2"}}))
	_, err = f.store.ToolCall(t.Context(), alice, "call_2")
	require.NoError(t, err, "a session drops its own calls only")

	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{DropToolCalls: []string{"call_2"}}))
	_, err = f.store.ToolCall(t.Context(), alice, "call_2")
	requireReason(t, err, codes.NotFound, store.ReasonToolCallUnknown)
}

func testRuns(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	for i := range 3 {
		f.clock.Move(time.Second)
		r := f.running(fmt.Sprintf("run_%d", i), "ses_a")
		require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: r, Records: []run.Record{
			{RunID: r.Record.RunID + "_child", ParentRunID: r.Record.RunID, Name: "tool_call", Status: run.StatusRunning,
				StartedAt: f.clock.Now(), Attributes: map[string]string{"tables": "3"}},
		}}))
	}
	r := f.running("run_0", "ses_a")
	r.Record.StartedAt = start.Add(time.Second)
	r.Record.Status, r.Record.EndedAt, r.Record.Error = run.StatusFailed, start.Add(time.Minute), "it broke"
	child := run.Record{RunID: "run_0_child", ParentRunID: "run_0", Name: "tool_call", Status: run.StatusSucceeded, StartedAt: start.Add(time.Second), EndedAt: start.Add(2 * time.Second)}
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: r, Records: []run.Record{child}}))

	u, tree, err := f.store.Run(t.Context(), alice, "run_0")
	require.NoError(t, err)
	require.Equal(t, r.Record, u.Record)
	require.Equal(t, "how many?", u.Question)
	require.Empty(t, u.Owner, "an ended run has no owner")
	require.Equal(t, []run.Record{r.Record, child}, tree)
	at, _, err := f.store.Run(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.NotEmpty(t, at.Owner)

	var ids []string
	page, token, err := f.store.Runs(t.Context(), alice, store.RunFilter{SessionID: "ses_a"}, store.Page{Size: 2})
	require.NoError(t, err)
	more, end, err := f.store.Runs(t.Context(), alice, store.RunFilter{SessionID: "ses_a"}, store.Page{Size: 2, Token: token})
	require.NoError(t, err)
	require.Empty(t, end)
	for _, r := range append(page, more...) {
		ids = append(ids, r.Record.RunID)
	}
	require.Equal(t, []string{"run_2", "run_1", "run_0"}, ids)
	f.session(t, alice, "ses_b")
	none, _, err := f.store.Runs(t.Context(), alice, store.RunFilter{SessionID: "ses_b"}, store.Page{Size: 9})
	require.NoError(t, err)
	require.Empty(t, none, "the runs of a session are no other session's")
	failed, _, err := f.store.Runs(t.Context(), alice, store.RunFilter{Status: run.StatusFailed}, store.Page{Size: 9})
	require.NoError(t, err)
	require.Len(t, failed, 1)

	// A record of one tree is never taken into another.
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: f.running("run_1", "ses_a"), Records: []run.Record{
		{RunID: "run_0_child", Name: "stolen", Status: run.StatusFailed}}}))
	_, tree, err = f.store.Run(t.Context(), alice, "run_0")
	require.NoError(t, err)
	require.Equal(t, []run.Record{r.Record, child}, tree)
}

func testFeedback(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: f.running("run_1", "ses_a")}))
	want := store.Feedback{RunID: "run_1", Rating: store.RatingDown, Comment: "wrong table", CorrectedSQL: "SELECT 1",
		AcceptedTables: []string{"a"}, RejectedTables: []string{"b", "c"}, CreatedAt: start}
	require.NoError(t, f.store.SaveFeedback(t.Context(), alice, want))
	got, err := f.store.Feedback(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, []store.Feedback{want}, got)
	again := want
	again.CreatedAt = want.CreatedAt.Add(time.Hour)
	require.NoError(t, f.store.SaveFeedback(t.Context(), alice, again))
	other := again
	other.Rating, other.RejectedTables = store.RatingUp, nil
	require.NoError(t, f.store.SaveFeedback(t.Context(), alice, other))
	require.NoError(t, f.store.SaveFeedback(t.Context(), alice, again))
	got, err = f.store.Feedback(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, []store.Feedback{want, other, again}, got, "sent again it is kept once; who changes their mind twice is believed twice")
}

func testAtomic(t *testing.T, f fixture) {
	l := f.session(t, alice, "ses_a")
	other := f.session(t, alice, "ses_b")
	require.NoError(t, f.store.Commit(t.Context(), alice, other, store.Changes{ToolCalls: []store.ToolCall{{ID: "call_1", Status: run.StatusSucceeded}}}))
	err := f.store.Commit(t.Context(), alice, l, store.Changes{
		Run: f.running("run_1", "ses_a"), ToolCalls: []store.ToolCall{{ID: "call_1"}}, // taken by the other session
		Messages: []store.Message{{ChatID: "c1", Role: store.RoleUser, Content: "q"}},
	})
	requireReason(t, err, codes.AlreadyExists, store.ReasonIDTaken)
	_, _, err = f.store.Run(t.Context(), alice, "run_1")
	requireReason(t, err, codes.NotFound, store.ReasonRunUnknown)
	ms, _, err := f.store.Messages(t.Context(), alice, "ses_a", "", store.Page{Size: 9})
	require.NoError(t, err)
	require.Empty(t, ms)
}

func testTokens(t *testing.T, f fixture) {
	f.session(t, alice, "ses_a")
	f.session(t, alice, "ses_b")
	_, token, err := f.store.Sessions(t.Context(), alice, store.Page{Size: 1})
	require.NoError(t, err)
	require.NotEmpty(t, token)
	_, _, err = f.store.Sessions(t.Context(), alice, store.Page{Size: 1, Token: "no token"})
	requireReason(t, err, codes.InvalidArgument, store.ReasonPageToken)
	_, _, err = f.store.Runs(t.Context(), alice, store.RunFilter{}, store.Page{Size: 1, Token: token})
	requireReason(t, err, codes.InvalidArgument, store.ReasonPageToken)
	page, _, err := f.store.Sessions(t.Context(), bob, store.Page{Size: 9, Token: token})
	require.NoError(t, err)
	require.Empty(t, page, "a token shows nobody else's entries")
}

// testListTokens: the token of a list goes on with that list and is refused by every
// other one, also by the same one with another filter.
// testOneMoment lists what was used and begun at one moment: over pages of any size all of
// it once, in the same order.
func testOneMoment(t *testing.T, f fixture) {
	var sessions, runs []string
	for i := range 7 {
		id := fmt.Sprintf("ses_%d", (i*3)%7) // not in the order of their ids
		l := f.session(t, alice, id)
		r := f.running("run_of_"+id, id)
		require.NoError(t, f.store.Commit(t.Context(), alice, l, store.Changes{Run: r}))
		sessions, runs = append(sessions, id), append(runs, r.Record.RunID)
	}
	for _, ids := range [][]string{sessions, runs} {
		slices.Sort(ids)
		slices.Reverse(ids)
	}
	for size := 1; size <= 8; size++ {
		require.Equal(t, sessions, listed(t, size, func(p store.Page) ([]store.Session, string, error) { return f.store.Sessions(t.Context(), alice, p) },
			func(s store.Session) string { return s.ID }), "pages of %d", size)
		require.Equal(t, runs, listed(t, size, func(p store.Page) ([]store.Run, string, error) {
			return f.store.Runs(t.Context(), alice, store.RunFilter{}, p)
		}, func(u store.Run) string { return u.Record.RunID }), "pages of %d", size)
	}
}

// listed reads all pages of a list.
func listed[T any](t *testing.T, size int, read func(store.Page) ([]T, string, error), id func(T) string) (ids []string) {
	t.Helper()
	for token := ""; ; {
		page, next, err := read(store.Page{Size: size, Token: token})
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), size)
		for _, entry := range page {
			ids = append(ids, id(entry))
		}
		if next == "" || len(ids) > 100 {
			return ids
		}
		token = next
	}
}

func testListTokens(t *testing.T, f fixture) {
	for _, session := range []string{"ses_a", "ses_b"} {
		for i := range 2 {
			f.clock.Move(time.Second)
			f.turnOf(t, alice, session, fmt.Sprint(session, i))
		}
	}
	page := func(token string) store.Page { return store.Page{Size: 1, Token: token} }
	lists := map[string]func(token string) (string, error){
		"sessions": func(token string) (string, error) {
			_, next, err := f.store.Sessions(t.Context(), alice, page(token))
			return next, err
		},
	}
	for _, session := range []string{"ses_a", "ses_b"} {
		for _, chat := range []string{"", "main"} {
			lists["messages of "+session+chat] = func(token string) (string, error) {
				_, next, err := f.store.Messages(t.Context(), alice, session, chat, page(token))
				return next, err
			}
		}
	}
	for _, filter := range []store.RunFilter{{}, {SessionID: "ses_a"}, {SessionID: "ses_b"}, {Status: run.StatusSucceeded}, {SessionID: "ses_a", Status: run.StatusSucceeded}} {
		lists[fmt.Sprint("runs ", filter)] = func(token string) (string, error) {
			_, next, err := f.store.Runs(t.Context(), alice, filter, page(token))
			return next, err
		}
	}
	for name, list := range lists {
		token, err := list("")
		require.NoError(t, err, name)
		require.NotEmpty(t, token, name)
		for other, read := range lists {
			_, err := read(token)
			if other == name {
				require.NoError(t, err, name)
				continue
			}
			requireReason(t, err, codes.InvalidArgument, store.ReasonPageToken)
		}
	}
}
