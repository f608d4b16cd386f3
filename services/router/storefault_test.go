package router_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
)

const reasonBroken = "TEST_STORE_BROKEN"

// brokenStore fails at one of the calls that requests make of it.
type brokenStore struct {
	router.Store

	mu     sync.Mutex
	left   int    // calls until the one that fails; 0: none does
	failed string // the method that failed
}

// failAt makes the n-th call from now on fail, none where n is 0.
func (b *brokenStore) failAt(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.failed = n, ""
}

// hit returns what the method failed with that did since failAt; empty: none.
func (b *brokenStore) hit() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed
}

func (b *brokenStore) call(method string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return nil
	}
	if b.left--; b.left > 0 {
		return nil
	}
	b.failed = method
	return fault.New(codes.Unavailable, reasonBroken, "The disk is gone.")
}

func (b *brokenStore) CreateSession(ctx context.Context, p run.Principal, s store.Session) error {
	if err := b.call("CreateSession"); err != nil {
		return err
	}
	return b.Store.CreateSession(ctx, p, s)
}

func (b *brokenStore) Session(ctx context.Context, p run.Principal, id string) (store.Session, error) {
	if err := b.call("Session"); err != nil {
		return store.Session{}, err
	}
	return b.Store.Session(ctx, p, id)
}

func (b *brokenStore) Sessions(ctx context.Context, p run.Principal, page store.Page) ([]store.Session, string, error) {
	if err := b.call("Sessions"); err != nil {
		return nil, "", err
	}
	return b.Store.Sessions(ctx, p, page)
}

func (b *brokenStore) DeleteSession(ctx context.Context, p run.Principal, id string) error {
	if err := b.call("DeleteSession"); err != nil {
		return err
	}
	return b.Store.DeleteSession(ctx, p, id)
}

func (b *brokenStore) Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (store.Thread, error) {
	if err := b.call("Thread"); err != nil {
		return store.Thread{}, err
	}
	return b.Store.Thread(ctx, p, sessionID, chatID, messages)
}

func (b *brokenStore) Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) ([]store.Message, string, error) {
	if err := b.call("Messages"); err != nil {
		return nil, "", err
	}
	return b.Store.Messages(ctx, p, sessionID, chatID, page)
}

func (b *brokenStore) ToolCall(ctx context.Context, p run.Principal, id string) (store.ToolCall, error) {
	if err := b.call("ToolCall"); err != nil {
		return store.ToolCall{}, err
	}
	return b.Store.ToolCall(ctx, p, id)
}

func (b *brokenStore) Run(ctx context.Context, p run.Principal, id string) (store.Run, []run.Record, error) {
	if err := b.call("Run"); err != nil {
		return store.Run{}, nil, err
	}
	return b.Store.Run(ctx, p, id)
}

func (b *brokenStore) Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) ([]store.Run, string, error) {
	if err := b.call("Runs"); err != nil {
		return nil, "", err
	}
	return b.Store.Runs(ctx, p, f, page)
}

func (b *brokenStore) RequestCancel(ctx context.Context, p run.Principal, runID string) (run.Status, error) {
	if err := b.call("RequestCancel"); err != nil {
		return "", err
	}
	return b.Store.RequestCancel(ctx, p, runID)
}

func (b *brokenStore) SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) error {
	if err := b.call("SaveFeedback"); err != nil {
		return err
	}
	return b.Store.SaveFeedback(ctx, p, f)
}

func (b *brokenStore) Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (store.Lock, error) {
	if err := b.call("Lock"); err != nil {
		return store.Lock{}, err
	}
	return b.Store.Lock(ctx, p, sessionID, lease)
}

func (b *brokenStore) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error {
	if err := b.call("Commit"); err != nil {
		return err
	}
	return b.Store.Commit(ctx, p, l, c)
}

// TestEveryCallOfTheStoreMayFail: whichever call that a request makes of the store
// fails, the person is told, no session stays locked, no answer is half kept, and the
// same request works when the store does again.
func TestEveryCallOfTheStoreMayFail(t *testing.T) {
	t.Parallel()
	broken := &brokenStore{}
	w := newWorld(t, func(c *routerConfig, d *routerDeps) {
		broken.Store, d.Store = d.Store, broken
		c.Lease, c.PersistTimeout = time.Hour, time.Hour // nothing is renewed, and nothing takes too long
	})
	ctx := as(t.Context(), "alice")
	alice := run.Principal{ID: "alice"}
	first := w.ask(t, &routerv1.Turn{Question: "how many orders were there yesterday?"})
	require.NotEmpty(t, first.GetToolCalls())
	session, runID := first.GetSessionId(), first.GetRunId()

	asked := func(turn *routerv1.Turn) func() (*routerv1.Answer, error) {
		return func() (*routerv1.Answer, error) {
			resp, err := w.client.Ask(ctx, &routerv1.AskRequest{Turn: turn})
			return resp.GetAnswer(), err
		}
	}
	plain := func(call func() error) func() (*routerv1.Answer, error) {
		return func() (*routerv1.Answer, error) { return nil, call() }
	}
	drain := func(next func() error) error {
		for {
			if err := next(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	for _, request := range []struct {
		name string
		send func() (*routerv1.Answer, error) // nil: what it sends is no answer
	}{
		{"a first question", asked(&routerv1.Turn{Question: "how many orders were there yesterday?"})},
		{"a next question", asked(&routerv1.Turn{SessionId: session, Question: "how many orders were there last week?"})},
		{"a statement", asked(&routerv1.Turn{SessionId: session, Question: "run " + theSQL})},
		{"a question of a thread", asked(&routerv1.Turn{MidState: first.GetMidState(), Question: "show the sql"})},
		{"a stream", func() (*routerv1.Answer, error) {
			stream, err := w.client.Chat(ctx, &routerv1.ChatRequest{Turn: &routerv1.Turn{SessionId: session, Question: "run " + theSQL}})
			if err != nil {
				return nil, err
			}
			var answer *routerv1.Answer
			err = drain(func() error {
				event, err := stream.Recv()
				if a := event.GetAnswer(); a != nil {
					answer = a
				}
				return err
			})
			return answer, err
		}},
		{"CreateSession", plain(func() error {
			_, err := w.client.CreateSession(ctx, &routerv1.CreateSessionRequest{Title: "t"})
			return err
		})},
		{"GetRun", plain(func() error { _, err := w.client.GetRun(ctx, &routerv1.GetRunRequest{RunId: runID}); return err })},
		{"ListRuns", plain(func() error { _, err := w.client.ListRuns(ctx, &routerv1.ListRunsRequest{}); return err })},
		{"CancelRun", plain(func() error { _, err := w.client.CancelRun(ctx, &routerv1.CancelRunRequest{RunId: runID}); return err })},
		{"GetToolCall", plain(func() error {
			_, err := w.client.GetToolCall(ctx, &routerv1.GetToolCallRequest{ToolCallId: first.GetToolCalls()[0].GetToolCallId()})
			return err
		})},
		{"GetSession", plain(func() error {
			_, err := w.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: session})
			return err
		})},
		{"ListSessions", plain(func() error { _, err := w.client.ListSessions(ctx, &routerv1.ListSessionsRequest{}); return err })},
		{"ExportSession", plain(func() error {
			stream, err := w.client.ExportSession(ctx, &routerv1.ExportSessionRequest{SessionId: session})
			if err != nil {
				return err
			}
			return drain(func() error { _, err := stream.Recv(); return err })
		})},
		{"SubmitFeedback", plain(func() error {
			_, err := w.client.SubmitFeedback(ctx, &routerv1.SubmitFeedbackRequest{RunId: runID, Rating: routerv1.Rating_RATING_UP})
			return err
		})},
		{"DeleteSession", plain(func() error {
			_, err := w.client.DeleteSession(ctx, &routerv1.DeleteSessionRequest{SessionId: session})
			return err
		})},
	} {
		points := 0
		for n := 1; ; n++ {
			broken.failAt(n)
			answer, err := request.send()
			method := broken.hit()
			broken.failAt(0)
			if method == "" { // it makes fewer calls
				require.NoError(t, err, request.name)
				require.NotEqual(t, routerv1.Outcome_OUTCOME_FAILED, answer.GetOutcome(), request.name)
				break
			}
			points++
			what := request.name + ", where " + method + " fails"
			if err == nil {
				require.Equal(t, routerv1.Outcome_OUTCOME_FAILED, answer.GetOutcome(), "%s: nobody is told", what)
				require.NotEmpty(t, answer.GetText(), what)
				u, _, err := w.store.Run(t.Context(), alice, answer.GetRunId())
				require.NoError(t, err)
				require.Equal(t, run.StatusFailed, u.Record.Status, what)
			} else {
				require.Equal(t, reasonBroken, fault.ReasonOf(err), what)
			}
			sessions, _, err := w.store.Sessions(t.Context(), alice, store.Page{Size: 100})
			require.NoError(t, err)
			for _, s := range sessions {
				l, err := w.store.Lock(t.Context(), alice, s.ID, time.Hour)
				require.NoError(t, err, "%s: the session stays locked", what)
				require.NoError(t, w.store.Unlock(t.Context(), l))
				messages, _, err := w.store.Messages(t.Context(), alice, s.ID, "", store.Page{Size: 100})
				require.NoError(t, err)
				answers := 0
				for _, m := range messages {
					if m.Role == store.RoleAssistant {
						answers++
						u, _, err := w.store.Run(t.Context(), alice, m.RunID)
						require.NoError(t, err)
						require.True(t, u.Record.Status.Done(), "%s: a run that has an answer is over", what)
					}
				}
				require.Equal(t, answers, s.Turns, what)
			}
		}
		t.Logf("%s: %d calls may fail", request.name, points)
		require.Positive(t, points, request.name)
	}
}
