package router_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
)

// atWork counts the executions at work at a time, of each person and of all.
type atWork struct {
	mu        sync.Mutex
	now, most int
	own       map[string]int
	mostOwn   int
}

func (a *atWork) add(who string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now += n
	a.own[who] += n
	a.most, a.mostOwn = max(a.most, a.now), max(a.mostOwn, a.own[who])
}

func (a *atWork) reached(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.most >= n
}

// TestTurnsAtWorkAreBounded has a crowd ask at once: all are answered, and never do
// more turns hold memory than the bounds allow.
func TestTurnsAtWorkAreBounded(t *testing.T) {
	t.Parallel()
	const all, own, people, each = 6, 2, 10, 5
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) {
		c.MaxTurns, c.MaxOwnTurns, c.TurnWait = all, own, time.Hour
		c.PersistTimeout, c.Lease = time.Hour, time.Hour
	})
	work := &atWork{own: map[string]int{}}
	var met sync.Once
	w.team.execute = func(_ context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		work.add(q.GetUserContext().GetTimeZone(), 1)
		defer work.add(q.GetUserContext().GetTimeZone(), -1)
		met.Do(func() { // the first stays until others have come, as many as may
			require.Eventually(t, func() bool { return work.reached(all) }, 20*time.Second, time.Millisecond)
		})
		return doneResult(), nil
	}
	zones := []string{"Asia/Singapore", "Asia/Tokyo", "Europe/Oslo", "Europe/Rome", "Africa/Cairo", "Asia/Dubai", "America/Lima", "Asia/Seoul", "Europe/Paris", "Asia/Jakarta"}
	var wg sync.WaitGroup
	for person := range people {
		for range each {
			wg.Go(func() {
				turn := &routerv1.Turn{Question: "run " + theSQL}
				turn.UserContext = &commonv1.UserContext{TimeZone: zones[person]}
				_, err := w.client.Ask(as(t.Context(), fmt.Sprint("user", person)), &routerv1.AskRequest{Turn: turn})
				if err != nil {
					t.Errorf("person %d: %v", person, err)
				}
			})
		}
	}
	wg.Wait()
	require.LessOrEqual(t, work.most, all)
	require.LessOrEqual(t, work.mostOwn, own)
	require.Equal(t, all, work.most, "all places are used")
}

// TestAFullHouseSaysSo: who finds no place in time is told what to do, and one
// person's crowd leaves places for others.
func TestAFullHouseSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *routerConfig, _ *routerDeps) { c.MaxTurns, c.MaxOwnTurns, c.TurnWait = 2, 1, time.Millisecond })
	began, ended := make(chan struct{}), make(chan struct{})
	w.team.execute = func(ctx context.Context, _ *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		select {
		case began <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		<-ended
		return doneResult(), nil
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Second) // who gets a place hangs
	defer cancel()
	question := &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "run " + theSQL}}
	first := w.askLater(t.Context(), question.GetTurn())
	<-began
	_, err := w.client.Ask(as(soon, "alice"), question)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Equal(t, "TOO_MANY_TURNS", fault.ReasonOf(err))
	require.Contains(t, status.Convert(err).Message(), "1 questions of yours are at work already")
	second := make(chan error, 1)
	go func() {
		_, err := w.client.Ask(as(t.Context(), "bob"), question)
		second <- err
	}()
	<-began // bob has his place
	_, err = w.client.Ask(as(soon, "carol"), question)
	require.Contains(t, status.Convert(err).Message(), "2 questions are at work already")
	close(ended)
	require.Equal(t, "There were 42 orders.", (<-first).GetText())
	require.NoError(t, <-second)
	go func() { <-began }()
	_, err = w.client.Ask(as(t.Context(), "alice"), question)
	require.NoError(t, err, "a place is given back")
}
