package trino_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// cluster is a fake whose state a test turns.
type cluster struct {
	*fake
	refusal atomic.Value // name of Trino's error for statements; "": they run
	nodes   atomic.Value // rows of system.runtime.nodes
	later   atomic.Int64 // what its clock is ahead
}

func newCluster(t *testing.T) (*cluster, *trino.Engine) {
	t.Helper()
	c := &cluster{}
	c.refusal.Store("")
	c.nodes.Store(`[[true, "active"]]`)
	c.fake = newFake(t, func(f *fake, w http.ResponseWriter, _ int) {
		f.mu.Lock()
		text := ""
		if len(f.texts) > 0 {
			text = f.texts[len(f.texts)-1]
		}
		f.mu.Unlock()
		refusal, _ := c.refusal.Load().(string)
		switch rows, _ := c.nodes.Load().(string); {
		case strings.Contains(text, "nodes") && refusal != "SERVER_STARTING_UP":
			write(w, `{"id": "q2", "columns": [{"name": "coordinator", "type": "boolean", "typeSignature": {"rawType": "boolean", "arguments": []}},
				{"name": "state", "type": "varchar", "typeSignature": {"rawType": "varchar", "arguments": []}}], "data": `+rows+`, "stats": {"state": "FINISHED"}}`)
		case refusal != "":
			write(w, f.failed("INTERNAL_ERROR", refusal))
		default:
			write(w, f.page("[[7]]", false))
		}
	})
	says := c.Config.Handler
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, _ := c.refusal.Load().(string)
		switch r.URL.Path {
		case "/v1/info":
			write(w, map[bool]string{true: `{"starting": true}`, false: `{"starting": false}`}[refusal == "SERVER_STARTING_UP"])
		case "/v1/info/state":
			write(w, map[bool]string{true: `"SHUTTING_DOWN"`, false: `"ACTIVE"`}[refusal == "SERVER_SHUTTING_DOWN"])
		default:
			says.ServeHTTP(w, r)
		}
	})
	config := c.config()
	config.RetryTimeout, config.Pause = time.Millisecond, 5*time.Second
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	config.Clock = func() time.Time { return began.Add(time.Duration(c.later.Load())) }
	return c, open(t, config)
}

// TestAServerThatTakesNoStatementsIsNotHealthy: one that answers and takes none says so in
// the answers themselves, and its health finds out by itself that it is over.
func TestAServerThatTakesNoStatementsIsNotHealthy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ says, back string }{
		"SERVER_STARTING_UP":   {"it is starting", `[[true, "active"]]`},
		"SERVER_SHUTTING_DOWN": {"it is shutting down", `[[true, "active"]]`},
		"NO_NODES_AVAILABLE":   {"no worker of it is active", `[[true, "active"], [false, "active"], [false, "shutting_down"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, e := newCluster(t)
			_, _, err := ask(t, e, warehouse.Options{})
			require.NoError(t, err)
			require.NoError(t, e.Health())

			c.refusal.Store(name)
			_, _, err = ask(t, e, warehouse.Options{})
			require.Equal(t, trino.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
			require.ErrorContains(t, e.Health(), "Trino takes no statements since 2026-03-01T09:00:00Z: "+tc.says+" ("+name+")")
			c.later.Store(int64(6 * time.Second))
			require.Error(t, e.Health(), "it is asked, and still takes none")

			c.refusal.Store("")
			c.nodes.Store(tc.back)
			require.Eventually(t, func() bool {
				c.later.Add(int64(6 * time.Second))
				return e.Health() == nil
			}, time.Minute, time.Millisecond, "nobody asked for a statement")
		})
	}
}

// TestAStatementThatRunsEndsTheComplaint, without anybody asking the server for its state.
func TestAStatementThatRunsEndsTheComplaint(t *testing.T) {
	t.Parallel()
	c, e := newCluster(t)
	c.refusal.Store("NO_NODES_AVAILABLE")
	_, _, err := ask(t, e, warehouse.Options{})
	require.Error(t, err)
	c.refusal.Store("")
	_, _, err = ask(t, e, warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Health())
}

// TestTheServersOwnTablesNeedNoWorker: a statement on them says nothing of whether others run.
func TestTheServersOwnTablesNeedNoWorker(t *testing.T) {
	t.Parallel()
	c, e := newCluster(t)
	c.refusal.Store("NO_NODES_AVAILABLE")
	_, _, err := ask(t, e, warehouse.Options{})
	require.Error(t, err)
	n, err := e.Nodes(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Error(t, e.Health())
}

func TestNodes(t *testing.T) {
	t.Parallel()
	c, e := newCluster(t)
	c.nodes.Store(`[[true, "active"], [false, "active"], [false, "active"], [false, "shutting_down"], [false, "inactive"]]`)
	n, err := e.Nodes(t.Context())
	require.NoError(t, err)
	require.Equal(t, trino.Nodes{Active: 2, Other: 2}, n)
}

// TestAServerThatStartsGetsTheStatementAgain: it is sent until the server takes it, for as
// long as a busy server is asked.
func TestAServerThatStartsGetsTheStatementAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, _ int) {
		if posts, _, _ := f.counts(); posts < 9 {
			write(w, f.failed("INTERNAL_ERROR", "SERVER_STARTING_UP"))
			return
		}
		write(w, f.page("[[7]]", false))
	})
	config := f.config()
	config.RetryTimeout = 15 * time.Second
	var mu sync.Mutex
	var waited []time.Duration
	wait := config.Wait
	config.Wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		waited = append(waited, d)
		mu.Unlock()
		return wait(ctx, d)
	}
	rows, _, err := ask(t, open(t, config), warehouse.Options{})
	require.NoError(t, err)
	require.Equal(t, [][]any{{int64(7)}}, rows)
	const ms = time.Millisecond
	require.Equal(t, []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 2000 * ms, 2000 * ms, 2000 * ms, 2000 * ms}, waited)
}

// TestAQueueThatKeepsStatementsIsTold: a statement that Trino leaves in its queue for longer
// than one waits for a place here is told by Health, and one whose time ends there by its error.
func TestAQueueThatKeepsStatementsIsTold(t *testing.T) {
	t.Parallel()
	var running atomic.Bool
	seen, let := make(chan struct{}), make(chan struct{})
	work := sync.OnceFunc(func() { close(let) })
	var once sync.Once
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) {
		switch {
		case running.Load():
			write(w, f.page("[[7]]", false))
			return
		case n == 1:
			once.Do(func() { close(seen) })
			<-let
		}
		write(w, strings.Replace(f.page("", true), "RUNNING", "QUEUED", 1))
	})
	t.Cleanup(work) // before the server is closed
	config := f.config()
	var later atomic.Int64
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	config.Clock = func() time.Time { return began.Add(time.Duration(later.Load())) }
	config.QueueWait = 10 * time.Second
	e := open(t, config)
	answered := make(chan error, 1)
	go func() {
		_, _, err := ask(t, e, warehouse.Options{Timeout: time.Hour})
		answered <- err
	}()
	<-seen
	require.NoError(t, e.Health(), "it may wait for a moment")
	later.Store(int64(42 * time.Second))
	require.ErrorContains(t, e.Health(), "Trino keeps 1 of this process's 1 statements in its queue, the longest for 42s")
	running.Store(true)
	work()
	require.NoError(t, <-answered)
	require.NoError(t, e.Health())

	running.Store(false)
	_, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{Timeout: 50 * time.Millisecond})
	require.ErrorContains(t, err, "waited in Trino's queue until its time of 50ms was over")
}
