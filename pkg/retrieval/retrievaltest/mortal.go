package retrievaltest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
)

// Mortal is a server of a test's own, which the test may kill: the one that a variable
// of the environment names is everybody's.
type Mortal struct {
	Address string // as the script of the server prints it
	t       *testing.T
	script  string
	env     []string
}

// NewMortal starts a server by its script in test/servers, on ports that are free,
// where a variable of the environment says that this machine can run such a server. It
// ends with the test, and its data with it.
func NewMortal(t *testing.T, variable, script string, ports ...string) *Mortal {
	t.Helper()
	Server(t, variable, script)
	m := &Mortal{t: t, script: filepath.Join(root(t), "test", "servers", script), env: os.Environ()}
	for _, port := range ports {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { require.NoError(t, free.Close()) }() // not before all have one
		m.env = append(m.env, port+"="+strconv.Itoa(free.Addr().(*net.TCPAddr).Port))
	}
	t.Cleanup(func() { m.run("clean") })
	return m
}

// root is the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, "/", dir, "no go.mod above")
		dir = filepath.Dir(dir)
	}
}

// Start starts the server, with what it kept, and returns when it answers.
func (m *Mortal) Start() { m.Address = strings.TrimSpace(m.run("start")) }

// Kill ends the server as a crash does.
func (m *Mortal) Kill() { m.run("kill") }

func (m *Mortal) run(word string) string {
	m.t.Helper()
	var said strings.Builder
	cmd := exec.Command(m.script, word)
	cmd.Env, cmd.Stderr = m.env, &said
	out, err := cmd.Output()
	require.NoError(m.t, err, "%s %s: %s", m.script, word, &said)
	return string(out)
}

// Generations is a list on a server, as the test of its death sees it.
type Generations struct {
	// Build makes a generation of Size documents; another seed makes another content.
	Build func(ctx context.Context, seed int, progress func(done, total int)) (Generation, error)
	// Current says which generation the alias of the source stands for.
	Current func(ctx context.Context) (string, error)
}

// Generation is what was built.
type Generation interface {
	Name() string
	// Count asks the server how many documents there are.
	Count(ctx context.Context) (int, error)
	// Group asks for the documents of one of the groups.
	Group(ctx context.Context, group int) (docs []int, err error)
}

// Size of the generations in documents, of which each is in a group: document n is in
// group n modulo Groups.
const (
	Size   = 1500
	Groups = 30
)

// away is what a list says while its server is away and while it gathers itself: who
// guards the list has it made again where it is missing.
var away = []string{remote.ReasonUnavailable, remote.ReasonTimeout, remote.ReasonMissing}

// askers ask at the same time.
const askers = 4

// Dies kills the server of a list in the middle of searches, and in the middle of an
// ingest while people search, and starts it again each time. Every answer is right or is
// an error that says what is wrong with the server; the generation that people search is
// whole afterwards, and so is the one that was being made, once it is made again.
func (m *Mortal) Dies(t *testing.T, g Generations) {
	t.Helper()
	first, err := g.Build(t.Context(), 1, nil)
	require.NoError(t, err, fault.OperatorText(err))
	m.whole(t, first)

	asking := startAsking(t, first)
	asking.answers(100)
	m.Kill()
	asking.fails()
	m.Start()
	asking.answers(100)

	_, err = g.Build(t.Context(), 2, func(done, total int) {
		if done > total/3 && done < total {
			m.Kill()
		}
	})
	require.Contains(t, away, fault.ReasonOf(err), "what is not whole is not made current: %v", err)
	asking.fails()
	m.Start()
	asking.answers(100)
	current, err := g.Current(t.Context())
	require.NoError(t, err, fault.OperatorText(err))
	require.Equal(t, first.Name(), current, "the alias stands for the generation that is whole")
	second, err := g.Build(t.Context(), 2, nil)
	for slices.Contains(away, fault.ReasonOf(err)) { // as who guards the list does
		second, err = g.Build(t.Context(), 2, nil)
	}
	require.NoError(t, err, fault.OperatorText(err))
	asking.answers(100) // of the generation that people had
	asking.end()
	m.whole(t, first)
	m.whole(t, second)
	current, err = g.Current(t.Context())
	require.NoError(t, err, fault.OperatorText(err))
	require.Equal(t, second.Name(), current)
}

// whole says that each document is there, and is there once.
func (*Mortal) whole(t *testing.T, g Generation) {
	t.Helper()
	n, err := g.Count(t.Context())
	require.NoError(t, err, fault.OperatorText(err))
	require.Equal(t, Size, n, "documents of %s", g.Name())
	for group := range Groups {
		docs, err := g.Group(t.Context(), group)
		require.NoError(t, err, fault.OperatorText(err))
		require.Equal(t, ofGroup(group), docs)
	}
}

// ofGroup are the documents of a group.
func ofGroup(group int) []int {
	var docs []int
	for doc := group; doc < Size; doc += Groups {
		docs = append(docs, doc)
	}
	return docs
}

// asking asks one question after the other until it is ended.
type asking struct {
	t             *testing.T
	stop          context.CancelFunc
	done          sync.WaitGroup
	right, failed atomic.Int64
	changed       chan struct{} // has something where the numbers have changed
}

func startAsking(t *testing.T, g Generation) *asking {
	a := &asking{t: t, changed: make(chan struct{}, 1)}
	ctx, stop := context.WithCancel(t.Context())
	a.stop = stop
	t.Cleanup(a.end)
	for asker := range askers {
		a.done.Go(func() {
			for group := asker; ctx.Err() == nil; group = (group + askers) % Groups {
				a.once(ctx, g, group)
			}
		})
	}
	return a
}

func (a *asking) once(ctx context.Context, g Generation, group int) {
	docs, err := g.Group(ctx, group)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		assert.Contains(a.t, away, fault.ReasonOf(err), "%v: %s", err, fault.OperatorText(err))
		a.failed.Add(1)
	default:
		if assert.Equal(a.t, ofGroup(group), docs, "group %d of %s", group, g.Name()) {
			a.right.Add(1)
		}
	}
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// answers waits until so many more questions have been answered.
func (a *asking) answers(more int64) { a.until(&a.right, more) }

// fails waits until a question has failed.
func (a *asking) fails() { a.until(&a.failed, 1) }

func (a *asking) until(n *atomic.Int64, more int64) {
	a.t.Helper()
	for want := n.Load() + more; n.Load() < want; {
		select {
		case <-a.changed:
		case <-a.t.Context().Done():
			require.FailNow(a.t, "nothing comes")
		}
	}
}

// end stops asking.
func (a *asking) end() {
	a.stop()
	a.done.Wait()
}
