package chatbi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// Bounds of opening and closing engines.
const (
	openTimeout  = 30 * time.Second
	closeTimeout = 10 * time.Second
)

// openEngine opens the engine of a generation.
type openEngine func(context.Context, *source.Generation) (warehouse.Engine, error)

// engines keeps one engine open per source: that of its current generation. A new
// generation takes the place of the old one at once; the old engine is closed when
// its last statement has ended.
type engines struct {
	sources *source.Store
	open    openEngine
	max     int
	// knownFor is what TrinoConfig says.
	knownFor time.Duration
	clock    func() time.Time

	mu      sync.Mutex
	current map[string]*engine // by source
	alive   map[*engine]bool   // replaced ones that still run statements too
	closed  bool
	idle    *sync.Cond // signalled when an engine is closed
}

// engine is an opened engine and who uses it.
type engine struct {
	warehouse.Engine
	generation *source.Generation
	freshness  *freshness

	ready    chan struct{} // closed when it is open, or failed to
	err      error
	users    int
	replaced bool
	usedAt   time.Time
}

func newEngines(sources *source.Store, open openEngine, maxOpen int, knownFor time.Duration, clock func() time.Time) *engines {
	e := &engines{sources: sources, open: open, max: maxOpen, knownFor: knownFor, clock: clock, current: map[string]*engine{}, alive: map[*engine]bool{}}
	e.idle = sync.NewCond(&e.mu)
	return e
}

// acquire returns the engine of a source's current generation. The caller calls
// release once it has ended all that it does with it.
func (e *engines) acquire(ctx context.Context, name string) (_ *engine, release func(), err error) {
	generation, err := e.sources.Current(name)
	if err != nil {
		return nil, nil, err
	}
	x, opens, err := e.reserve(name, generation)
	if err != nil {
		return nil, nil, err
	}
	release = sync.OnceFunc(func() { e.release(x) })
	if opens {
		e.start(ctx, name, x)
	}
	select {
	case <-x.ready:
	case <-ctx.Done():
		release()
		return nil, nil, ctx.Err()
	}
	if x.err != nil {
		release()
		return nil, nil, x.err
	}
	return x, release, nil
}

// reserve finds or makes the entry of a generation and counts the caller in.
func (e *engines) reserve(name string, g *source.Generation) (x *engine, opens bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, false, fault.New(codes.Unavailable, "SHUTTING_DOWN", "the service is shutting down: try again in a moment")
	}
	old := e.current[name]
	if old != nil && old.generation.Generation == g.Generation {
		old.users++
		return old, false, nil
	}
	if old != nil {
		e.replace(name, old)
	}
	if len(e.alive) >= e.max && !e.evict() {
		busy := fault.New(codes.ResourceExhausted, "ENGINES_BUSY",
			fmt.Sprintf("all %d engines are in use: try again in a moment, or raise chatbi.engine.max_open", e.max))
		busy.RetryAfter = time.Second
		return nil, false, busy
	}
	x = &engine{generation: g, ready: make(chan struct{}), users: 1}
	e.current[name], e.alive[x] = x, true
	return x, true, nil
}

// start opens an engine. Whoever asked first may go away; the others still wait
// for it, so the opening has a deadline of its own.
func (e *engines) start(ctx context.Context, name string, x *engine) {
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
		defer cancel()
		opened, err := e.open(ctx, x.generation)
		e.mu.Lock()
		defer e.mu.Unlock()
		x.Engine, x.err, x.freshness = opened, err, newFreshness(x.generation.Engine, e.knownFor, e.clock)
		if err != nil && e.current[name] == x {
			e.replace(name, x) // the next call tries again
		}
		close(x.ready)
		e.closeIfDone(x)
	}()
}

func (e *engines) release(x *engine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x.users--
	x.usedAt = e.clock()
	e.closeIfDone(x)
}

// replace takes an engine out of use for new calls.
func (e *engines) replace(name string, x *engine) {
	x.replaced = true
	if e.current[name] == x {
		delete(e.current, name)
	}
	e.closeIfDone(x)
}

// evict makes room by closing the engine that has been idle for longest.
func (e *engines) evict() bool {
	var oldest *engine
	var name string
	for n, x := range e.current {
		if x.users == 0 && opened(x) && (oldest == nil || x.usedAt.Before(oldest.usedAt)) {
			oldest, name = x, n
		}
	}
	if oldest != nil {
		e.replace(name, oldest)
	}
	return oldest != nil
}

func opened(x *engine) bool {
	select {
	case <-x.ready:
		return true
	default:
		return false
	}
}

// closeIfDone closes a replaced engine that nobody uses. Called with the lock.
func (e *engines) closeIfDone(x *engine) {
	if !x.replaced || x.users > 0 || !opened(x) || !e.alive[x] {
		return
	}
	delete(e.alive, x)
	if x.Engine != nil {
		_ = x.Close() // read-only: nothing is lost
	}
	e.idle.Broadcast()
}

// health is the worst complaint of the engines that can tell: that of one without a
// place left, else of one that has lost some.
func (e *engines) health() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var worst error
	for x := range e.alive {
		if !opened(x) || x.Engine == nil {
			continue
		}
		told, ok := x.Engine.(interface{ Health() error })
		if !ok {
			continue
		}
		if err := told.Health(); err != nil && (worst == nil || fault.ReasonOf(err) == duckdb.ReasonStuck) {
			worst = fmt.Errorf("source %s: %w", x.generation.Name, err)
		}
	}
	return worst
}

// close closes all engines. It waits a while for the statements that still run;
// the service has cancelled them.
func (e *engines) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for name, x := range e.current {
		e.replace(name, x)
	}
	expired := false
	timer := time.AfterFunc(closeTimeout, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		expired = true
		e.idle.Broadcast()
	})
	defer timer.Stop()
	for len(e.alive) > 0 && !expired {
		e.idle.Wait()
	}
	if n := len(e.alive); n > 0 {
		for x := range e.alive { // nobody waits any longer: what runs on a server ends there
			if opened(x) && x.Engine != nil {
				_ = x.Close()
			}
		}
		return fmt.Errorf("%d engines were still in use %s after the service was told to close", n, closeTimeout)
	}
	return nil
}
