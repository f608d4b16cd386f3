package router

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// reasonTooManyTurns is the reason of a turn that found no room in time.
const reasonTooManyTurns = "TOO_MANY_TURNS"

// gate bounds the turns at work, of one person and of all, because each holds the
// outputs of its calls in memory. A turn beyond the bounds waits, which costs next
// to nothing.
type gate struct {
	all chan struct{} // a place a turn

	mu  sync.Mutex
	own map[string]*places // by principal, while somebody has or wants one
	max int
}

// places are those of one principal.
type places struct {
	taken chan struct{}
	users int // who has one or waits for one
}

func newGate(all, own int) *gate {
	return &gate{all: make(chan struct{}, all), own: map[string]*places{}, max: own}
}

// enter waits for a place at most so long. One's own bound comes first, so that
// who waits for it holds no place that others could have.
func (g *gate) enter(ctx context.Context, p run.Principal, most time.Duration) (leave func(), err error) {
	waiting, done := context.WithTimeout(ctx, most)
	defer done()
	mine := g.join(p.ID)
	select {
	case mine.taken <- struct{}{}:
	default:
		select {
		case mine.taken <- struct{}{}:
		case <-waiting.Done():
			g.part(p.ID, mine)
			return nil, g.full(ctx, fmt.Sprintf("%d questions of yours are at work already", g.max))
		}
	}
	select {
	case g.all <- struct{}{}:
	default:
		select {
		case g.all <- struct{}{}:
		case <-waiting.Done():
			<-mine.taken
			g.part(p.ID, mine)
			return nil, g.full(ctx, fmt.Sprintf("%d questions are at work already", cap(g.all)))
		}
	}
	return sync.OnceFunc(func() {
		<-g.all
		<-mine.taken
		g.part(p.ID, mine)
	}), nil
}

func (g *gate) join(id string) *places {
	g.mu.Lock()
	defer g.mu.Unlock()
	mine := g.own[id]
	if mine == nil {
		mine = &places{taken: make(chan struct{}, g.max)}
		g.own[id] = mine
	}
	mine.users++
	return mine
}

func (g *gate) part(id string, mine *places) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(g.own, id)
	}
}

func (g *gate) full(ctx context.Context, what string) error {
	if err := ctx.Err(); err != nil { // the caller's own time
		return err
	}
	f := fault.New(codes.ResourceExhausted, reasonTooManyTurns, "Too much is going on: "+what+". Wait for an answer or cancel a run, then ask again.")
	f.RetryAfter = time.Second
	return f
}
