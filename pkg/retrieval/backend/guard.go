package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
)

// Names of the lists that a search is made of.
const (
	Words   = retrieval.ListWords
	Vectors = retrieval.ListVectors
)

// Status is what can be said of a list of a source.
type Status struct {
	List     string // Words or Vectors
	Backend  string // what answers for it, such as "elasticsearch"
	Embedder string // of vectors
	Serving  bool
	// Documents that it holds, as it said last.
	Documents int
	// Since when it does not serve, and Reason, the class of its last error, such as
	// SEARCH_SERVER_TIMEOUT; zero while it serves.
	Since  time.Time
	Reason string
}

// held is a list on a server.
type held interface {
	// Count asks the server how many documents it has.
	Count(ctx context.Context) (int, error)
	Close() error
}

// guarded is a list on a server that may be away. A search waits for it within a
// budget of its own; a server that failed several times is left alone for a while,
// then one question tries it again. A list that could not be made when its source was
// indexed, or that the server has lost, is made as soon as the server answers.
type guarded[T held] struct {
	list    string
	server  string // as people know it
	source  string
	budget  time.Duration
	every   time.Duration // between two looks at the server
	clock   func() time.Time
	log     *slog.Logger
	make    func(ctx context.Context) (T, error)
	breaker *gobreaker.CircuitBreaker[any]

	life   context.Context // until Close
	end    context.CancelFunc
	making sync.WaitGroup

	mu     sync.Mutex
	inner  T
	made   bool
	busy   bool // it is being made
	status Status
	looked time.Time
}

// errCaller is the end of a caller's own patience, which says nothing of the server.
type errCaller struct{ error }

func (e errCaller) Unwrap() error { return e.error }

// guard makes a list, or notes that it cannot be made now. Errors: ctx's.
func guard[T held](ctx context.Context, b *Backend, s Status, source, server string, build func(ctx context.Context) (T, error)) (*guarded[T], error) {
	g := &guarded[T]{
		list: s.List, server: server, source: source, budget: b.cfg.Budget, every: b.cfg.ProbeAfter,
		clock: b.deps.Clock, log: b.deps.Log, make: build, status: s,
	}
	failures := uint32(b.cfg.Failures)
	g.breaker = gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		Name: source + " " + s.List, MaxRequests: 1, Timeout: b.cfg.ProbeAfter,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failures },
		IsSuccessful: func(err error) bool { return err == nil || errors.As(err, new(errCaller)) },
	})
	g.life, g.end = context.WithCancel(context.WithoutCancel(ctx))
	inner, err := build(ctx)
	switch {
	case ctx.Err() != nil:
		g.end()
		return nil, ctx.Err()
	case err != nil:
		g.note(err)
		return g, nil
	}
	g.keep(inner)
	return g, nil
}

// keep takes a list that was made.
func (g *guarded[T]) keep(inner T) {
	g.mu.Lock()
	g.inner, g.made = inner, true
	g.mu.Unlock()
	g.note(nil)
}

// ask lets use search the list. Errors say what is wrong with the server; ctx's own
// end is passed on.
func (g *guarded[T]) ask(ctx context.Context, use func(ctx context.Context, inner T) error) error {
	_, err := g.breaker.Execute(func() (any, error) {
		inner, err := g.current()
		if err != nil {
			return nil, err
		}
		bounded, cancel := context.WithTimeout(ctx, g.budget)
		defer cancel()
		err = g.inTime(ctx, bounded, use(bounded, inner))
		if fault.ReasonOf(err) == remote.ReasonMissing {
			g.lose()
		}
		return nil, err
	})
	switch {
	case errors.As(err, new(errCaller)):
		return err
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return g.away()
	}
	g.note(err)
	return err
}

// inTime words the error of a question that had a budget.
func (g *guarded[T]) inTime(ctx, bounded context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errCaller{ctx.Err()}
	case bounded.Err() != nil:
		return fault.New(codes.DeadlineExceeded, remote.ReasonTimeout,
			fmt.Sprintf("%s did not answer within findata.search.budget (%s): look at the server, or raise the budget.", g.server, g.budget)).Because(err)
	}
	return err
}

// away is the fault while the server is left alone.
func (g *guarded[T]) away() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := fault.New(codes.Unavailable, remote.ReasonUnavailable,
		fmt.Sprintf("%s does not answer since %s and is tried again every %s: look at the server.", g.server, g.status.Since.UTC().Format(time.RFC3339), g.every))
	f.RetryAfter = g.every
	return f
}

// current returns the list, or has it made.
func (g *guarded[T]) current() (inner T, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.made {
		return g.inner, nil
	}
	reason := g.status.Reason
	if !g.busy && g.life.Err() == nil {
		g.busy = true
		g.making.Go(g.remake)
	}
	if reason == "" {
		reason = remote.ReasonMissing
	}
	return inner, fault.New(codes.Unavailable, reason, fmt.Sprintf("The index of source %q is not on %s yet: it is being made.", g.source, g.server))
}

// remake makes a list that is not there; searches go on without it meanwhile.
func (g *guarded[T]) remake() {
	inner, err := g.make(g.life)
	g.mu.Lock()
	g.busy = false
	gone := g.life.Err() != nil
	g.mu.Unlock()
	switch {
	case gone && err == nil:
		_ = inner.Close() // nobody asks for it any more
	case gone:
	case err != nil:
		g.note(err)
	default:
		g.keep(inner)
	}
}

// lose forgets a list that the server has lost.
func (g *guarded[T]) lose() {
	g.mu.Lock()
	defer g.mu.Unlock()
	var none T
	g.inner, g.made = none, false
}

// note remembers how the server answered, and tells the log when that changed.
func (g *guarded[T]) note(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.status.Serving
	if err == nil {
		since := g.status.Since
		g.status.Serving, g.status.Since, g.status.Reason = true, time.Time{}, ""
		if !was && !since.IsZero() {
			g.log.Info("a search server answers again", "list", g.list, "server", g.server, "source", g.source, "away_since", since)
		}
		return
	}
	g.status.Serving, g.status.Reason = false, reasonOf(err)
	if was || g.status.Since.IsZero() {
		g.status.Since = g.clock()
		g.log.Warn("a search server does not answer; searches go on without it", "list", g.list, "server", g.server, "source", g.source, "error", fault.OperatorText(err))
	}
}

// reasonOf is the class of an error; a text of a server may hold anything.
func reasonOf(err error) string {
	if reason := fault.ReasonOf(err); reason != "" {
		return reason
	}
	return remote.ReasonUnavailable
}

// look asks the server how it is, at most every so often, and returns what is known.
func (g *guarded[T]) look(ctx context.Context) Status {
	g.mu.Lock()
	now := g.clock()
	due := g.looked.IsZero() || now.Sub(g.looked) >= g.every
	if due {
		g.looked = now
	}
	failed := !g.status.Serving
	g.mu.Unlock()
	if due {
		_ = g.ask(ctx, func(ctx context.Context, inner T) error { // what it finds is noted
			if c, ok := any(inner).(interface{ Check(context.Context) error }); ok && failed {
				if err := c.Check(ctx); err != nil {
					return err
				}
			}
			n, err := inner.Count(ctx)
			if err == nil {
				g.mu.Lock()
				g.status.Documents = n
				g.mu.Unlock()
			}
			return err
		})
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

// close ends the making of the list and frees it.
func (g *guarded[T]) close() error {
	g.end()
	g.making.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.made {
		return nil
	}
	g.made = false
	return g.inner.Close()
}
