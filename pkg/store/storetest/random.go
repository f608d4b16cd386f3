package storetest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// testRandom does what comes by chance, by two persons through three handles, and
// asks for everything that the store holds: it is what the model has, for each of the
// persons. Half of the times it asks after each step, else now and then: a store may
// write down what was done when somebody asks.
func testRandom(t *testing.T, f fixture) {
	const steps, seldom = 120, 8
	for seed := range uint64(6) {
		r := &randomly{T: t, f: f, rand: rand.New(rand.NewPCG(seed, 2026)), model: newModel(f.clock.Now), prefix: fmt.Sprint(seed, "_"), most: 4}
		for range 3 {
			r.handles = append(r.handles, f.open(t))
		}
		for range steps {
			f.clock.Move(time.Duration(1+r.rand.IntN(3)) * time.Second)
			r.step()
			if seed%2 == 0 || r.chance(seldom) {
				r.compare()
			}
		}
		r.compare()
		for id := range r.model.sessions { // leaves nothing to the next one
			p := run.Principal{ID: r.model.sessions[id].principal}
			require.NoError(t, f.store.DeleteSession(t.Context(), p, id))
		}
	}
}

type randomly struct {
	*testing.T
	f       fixture
	rand    *rand.Rand
	model   *model
	handles []Store
	locks   []heldLock
	prefix  string // of ids: one seed's are no other's
	most    int    // ids of a kind
	words   string // of an interrupted run
	did     string
}

type heldLock struct {
	handle int
	p      run.Principal
	store.Lock
}

func (r *randomly) id(kind string) string {
	return kind + r.prefix + fmt.Sprint(r.rand.IntN(r.most))
}
func (r *randomly) person() run.Principal { return []run.Principal{alice, alice, bob}[r.rand.IntN(3)] }
func (r *randomly) chance(of int) bool    { return r.rand.IntN(of) == 0 }

func (r *randomly) step() {
	p, h := r.person(), r.rand.IntN(len(r.handles))
	switch n := r.rand.IntN(100); {
	case n < 12:
		s := r.session(r.id("ses_"))
		r.did = "create " + s.ID
		r.same(r.model.create(p, s), r.handles[h].CreateSession(r.Context(), p, s))
	case n < 30:
		id := r.id("ses_")
		r.did = "lock " + id
		want, wrong := r.model.lock(p, h, id, lease)
		got, err := r.handles[h].Lock(r.Context(), p, id, lease)
		if r.same(wrong, err) {
			require.Equal(r, want, got)
			r.locks = append(r.locks, heldLock{h, p, got})
		}
	case n < 78:
		r.commit(p, h)
	case n < 82 && len(r.locks) > 0:
		l, id := r.locks[r.rand.IntN(len(r.locks))], r.id("run_")
		r.did = "renew " + l.SessionID
		want, asked, wrong := r.model.renew(l.handle, l.Lock, id, lease)
		got, cancel, err := r.handles[l.handle].Renew(r.Context(), l.Lock, id, lease)
		if r.same(wrong, err) {
			require.Equal(r, want, got)
			require.Equal(r, asked, cancel)
		}
	case n < 86 && len(r.locks) > 0:
		l := r.locks[r.rand.IntN(len(r.locks))]
		r.did = "unlock " + l.SessionID
		r.model.unlock(l.handle, l.Lock)
		require.NoError(r, r.handles[l.handle].Unlock(r.Context(), l.Lock))
	case n < 88:
		id := r.id("ses_")
		r.did = "delete " + id
		_, wrong := r.model.session(p, id)
		if r.same(wrong, r.handles[h].DeleteSession(r.Context(), p, id)) {
			r.model.remove(id)
		}
	case n < 91:
		id := r.id("run_")
		r.did = "cancel " + id
		want, wrong := r.model.cancel(p, id)
		got, err := r.handles[h].RequestCancel(r.Context(), p, id)
		if r.same(wrong, err) {
			require.Equal(r, want, got)
		}
	case n < 94:
		r.feedback(p, h)
	case n < 97:
		r.sweep(h)
	default:
		r.die(h)
	}
}

// die ends a handle as a process ends, and opens another one in its place.
func (r *randomly) die(h int) {
	r.did = fmt.Sprint("death of ", h)
	require.NoError(r, r.handles[h].Close())
	r.handles[h] = r.f.open(r.T)
	r.words = cmp.Or(r.words, r.interrupted())
	r.model.died(h, r.words)
}

// interrupted finds the words that the implementation has for an interrupted run.
func (r *randomly) interrupted() string {
	for id, m := range r.model.runs {
		u, _, err := r.handles[0].Run(r.Context(), run.Principal{ID: m.principal}, id)
		require.NoError(r, err)
		if u.Record.Status == run.StatusInterrupted {
			require.NotEmpty(r, u.Record.Error)
			return u.Record.Error
		}
	}
	return ""
}

func (r *randomly) session(id string) store.Session {
	now := r.f.clock.Now()
	return store.Session{ID: id, Title: fmt.Sprint("title ", r.rand.IntN(9)), Source: []string{"", "demo"}[r.rand.IntN(2)],
		CreatedAt: now.Add(-time.Minute), UpdatedAt: now, Turns: r.rand.IntN(5)}
}

func (r *randomly) feedback(p run.Principal, h int) {
	said := store.Feedback{RunID: r.id("run_"), Rating: store.RatingDown, Comment: fmt.Sprint("comment ", r.rand.IntN(3)),
		CorrectedSQL: "SELECT 1", AcceptedTables: []string{"a"}, CreatedAt: r.f.clock.Now()}
	r.did = "feedback on " + said.RunID
	u, wrong := r.model.run(p, said.RunID)
	if r.same(wrong, r.handles[h].SaveFeedback(r.Context(), p, said)) {
		again := said
		if n := len(u.feedback); n > 0 {
			again.CreatedAt = u.feedback[n-1].CreatedAt
		}
		if n := len(u.feedback); n == 0 || !reflect.DeepEqual(u.feedback[n-1], again) { // a repetition is kept once
			u.feedback = append(u.feedback, said)
		}
	}
}

func (r *randomly) sweep(h int) {
	keep := store.Retention{
		SessionsFor: time.Duration(r.rand.IntN(2)) * 90 * time.Second, RunsFor: time.Duration(r.rand.IntN(2)) * 60 * time.Second,
		MaxSessions: r.rand.IntN(4), MaxRuns: r.rand.IntN(4), Batch: r.rand.IntN(3), MaxRemoved: r.rand.IntN(5),
	}
	r.did = fmt.Sprintf("sweep %+v", keep)
	want := r.model.sweep(keep)
	got, err := r.handles[h].Sweep(r.Context(), keep)
	require.NoError(r, err)
	require.Equal(r, want, got, r.did)
}

func (r *randomly) commit(p run.Principal, h int) {
	var l store.Lock
	c := store.Changes{Unlock: r.chance(6)}
	if len(r.locks) > 0 && !r.chance(8) {
		held := r.locks[len(r.locks)-1-r.rand.IntN(min(4, len(r.locks)))]
		l = held.Lock
		if !r.chance(10) {
			h, p = held.handle, held.p
		}
	} else {
		opened := r.session(r.id("ses_"))
		l, c.Open = store.FirstLock(opened.ID, r.f.clock.Now().Add(lease)), &opened
	}
	now := r.f.clock.Now()
	if r.chance(3) {
		s := r.session(l.SessionID)
		c.Session = &s
	}
	if r.chance(3) {
		c.Chat = &store.Chat{ID: r.id("chat_"), State: []byte(fmt.Sprint("state ", now)), UpdatedAt: now}
	}
	if r.chance(2) {
		c.Run = &store.Run{ChatID: r.id("chat_"), Question: fmt.Sprint("question at ", now),
			Record: r.record(r.id("run_"), "")}
		for range r.rand.IntN(3) {
			c.Records = append(c.Records, r.record(r.id("run_"), c.Run.Record.RunID))
		}
	}
	for range r.rand.IntN(3) {
		call := store.ToolCall{ID: r.id("call_"), ChatID: r.id("chat_"), RunID: r.id("run_"), ToolName: "tool", AgentName: "Agent",
			Arguments: fmt.Appendf(nil, `{"at":%d}`, now.Unix()), Status: r.status(), StartedAt: now}
		if r.chance(2) {
			call.SourceID = r.id("call_")
		}
		if call.Status != run.StatusRunning {
			call.EndedAt, call.OutputType, call.Output = now.Add(time.Second), "a.B", bytes.Repeat([]byte{byte(now.Unix())}, 1+r.rand.IntN(3000))
		}
		if call.Status == run.StatusFailed {
			call.Error, call.ErrorReason = "it broke", "BROKEN"
		}
		c.ToolCalls = append(c.ToolCalls, call)
	}
	if r.chance(8) {
		c.DropToolCalls = append(c.DropToolCalls, r.id("call_"))
	}
	for range r.rand.IntN(3) {
		m := store.Message{ChatID: r.id("chat_"), RunID: r.id("run_"), Role: store.RoleUser, Content: fmt.Sprint("words at ", now), CreatedAt: now, ToolCallIDs: []string{}, Detail: []byte("{}")}
		if r.chance(2) {
			m.Role, m.ToolCallIDs = store.RoleAssistant, []string{r.id("call_"), r.id("call_")}
		}
		c.Messages = append(c.Messages, m)
	}
	r.did = fmt.Sprintf("commit to %s by %s through %d", l.SessionID, p.ID, h)
	after, wrong := r.model.commit(p, h, l, c)
	if r.same(wrong, r.handles[h].Commit(r.Context(), p, l, c)) {
		r.model = after
		if c.Open != nil {
			r.locks = append(r.locks, heldLock{h, p, l})
		}
	}
}

func (r *randomly) status() run.Status {
	return []run.Status{run.StatusRunning, run.StatusRunning, run.StatusSucceeded, run.StatusFailed, run.StatusWaiting}[r.rand.IntN(5)]
}

func (r *randomly) record(id, parent string) run.Record {
	now := r.f.clock.Now()
	out := run.Record{RunID: id, ParentRunID: parent, Name: "step", Service: "router", ToolCallID: r.id("call_"), ToolName: "tool",
		Status: r.status(), StartedAt: now, Attributes: map[string]string{"n": fmt.Sprint(r.rand.IntN(9))}}
	if parent == "" {
		out.ToolCallID, out.ToolName = "", "" // a root is no call
	}
	if out.Status != run.StatusRunning {
		out.EndedAt = now.Add(time.Second)
	}
	if out.Status == run.StatusFailed {
		out.Error = "it broke"
	}
	return out
}

// same reports success, and fails where the store and the model disagree.
func (r *randomly) same(want, got error) bool {
	r.Helper()
	if want == nil {
		require.NoError(r, got, r.did)
		return true
	}
	require.EqualError(r, got, want.Error(), r.did)
	return false
}

// compare asks one handle for all that each person may see.
func (r *randomly) compare() {
	s := r.handles[r.rand.IntN(len(r.handles))]
	size := 1 + r.rand.IntN(4)
	for _, p := range []run.Principal{alice, bob} {
		r.compareSessions(s, p, size)
		r.compareRuns(s, p, size)
		for i := range r.most {
			id := fmt.Sprint("call_", r.prefix, i)
			want, wrong := r.model.call(p, id)
			got, err := s.ToolCall(r.Context(), p, id)
			if r.same(wrong, err) {
				require.Equal(r, want.ToolCall, got, r.did)
			}
		}
	}
}

func (r *randomly) compareSessions(s Store, p run.Principal, size int) {
	var listed []store.Session
	for i := range r.most {
		id := fmt.Sprint("ses_", r.prefix, i)
		want, wrong := r.model.session(p, id)
		got, err := s.Session(r.Context(), p, id)
		if !r.same(wrong, err) {
			_, err = s.Thread(r.Context(), p, id, "chat_", 1)
			r.same(wrong, err)
			continue
		}
		require.Equal(r, want.Session, got, r.did)
		listed = append(listed, got)
		all := pages(r, size, func(page store.Page) ([]store.Message, string, error) {
			return s.Messages(r.Context(), p, id, "", page)
		})
		require.Equal(r, want.messages, newestPagesFirst(all), r.did)
		for j := range r.most {
			r.compareChat(s, p, want, fmt.Sprint("chat_", r.prefix, j), size)
		}
	}
	slices.SortFunc(listed, func(a, b store.Session) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	require.Equal(r, listed, slices.Concat(pages(r, size, func(page store.Page) ([]store.Session, string, error) {
		return s.Sessions(r.Context(), p, page)
	})...), r.did)
}

func (r *randomly) compareChat(s Store, p run.Principal, of *sessionModel, chat string, size int) {
	var messages []store.Message
	for _, m := range of.messages {
		if m.ChatID == chat {
			messages = append(messages, m)
		}
	}
	got, err := s.Thread(r.Context(), p, of.ID, chat, size)
	require.NoError(r, err)
	newest := messages[max(0, len(messages)-size):]
	want := store.Thread{Session: of.Session, Chat: of.chats[chat], Messages: newest, Earlier: len(newest) < len(messages)}
	want.Chat.SessionID, want.Chat.ID = of.ID, chat
	for _, t := range []*store.Thread{&want, &got} { // nothing and empty are one
		t.Chat.State, t.Messages = append([]byte{}, t.Chat.State...), append([]store.Message{}, t.Messages...)
	}
	require.Equal(r, want, got, r.did)
	all := pages(r, size, func(page store.Page) ([]store.Message, string, error) {
		return s.Messages(r.Context(), p, of.ID, chat, page)
	})
	require.Equal(r, messages, newestPagesFirst(all), r.did)
}

func (r *randomly) compareRuns(s Store, p run.Principal, size int) {
	var listed []store.Run
	for i := range r.most {
		id := fmt.Sprint("run_", r.prefix, i)
		want, wrong := r.model.run(p, id)
		got, records, err := s.Run(r.Context(), p, id)
		if !r.same(wrong, err) {
			continue
		}
		require.Equal(r, want.owner == noOwner, got.Owner == "", r.did)
		expected := want.Run
		expected.Owner = got.Owner
		require.Equal(r, expected, got, r.did)
		require.Equal(r, want.tree(), records, r.did)
		listed = append(listed, got)
		said, err := s.Feedback(r.Context(), p, id)
		require.NoError(r, err)
		require.Equal(r, want.feedback, said, r.did)
	}
	slices.SortFunc(listed, func(a, b store.Run) int {
		return cmp.Or(b.Record.StartedAt.Compare(a.Record.StartedAt), cmp.Compare(b.Record.RunID, a.Record.RunID))
	})
	for _, f := range []store.RunFilter{{}, {SessionID: r.id("ses_")}, {Status: r.status()}, {SessionID: r.id("ses_"), Status: run.StatusRunning}} {
		var want []store.Run
		for _, u := range listed {
			if (f.SessionID == "" || f.SessionID == u.SessionID) && (f.Status == "" || f.Status == u.Record.Status) {
				want = append(want, u)
			}
		}
		got := pages(r, size, func(page store.Page) ([]store.Run, string, error) { return s.Runs(r.Context(), p, f, page) })
		require.Equal(r, want, slices.Concat(got...), r.did)
	}
}

// pages reads a list to its end; each page but the last is full, and none is empty
// unless the list is.
func pages[T any](r *randomly, size int, read func(store.Page) ([]T, string, error)) (out [][]T) {
	r.Helper()
	for token := ""; ; {
		page, next, err := read(store.Page{Size: size, Token: token})
		require.NoError(r, err)
		require.LessOrEqual(r, len(page), size)
		if next != "" || len(out) > 0 {
			require.NotEmpty(r, page, r.did)
		}
		if next == "" {
			return append(out, page)
		}
		require.Len(r, page, size, r.did)
		out, token = append(out, page), next
	}
}

// newestPagesFirst puts pages of messages, oldest first within a page, in order.
func newestPagesFirst(all [][]store.Message) (out []store.Message) {
	for _, page := range slices.Backward(all) {
		out = append(out, page...)
	}
	return out
}
