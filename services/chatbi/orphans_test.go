package chatbi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/chatbi"
)

// trinoServer names statements q1, q2, ... and works on each without end, but for
// those with the word short.
type trinoServer struct {
	*httptest.Server
	refuse  int           // status of the answer to DELETE /v1/query
	working chan string   // receives a statement's name when somebody waits for its rows
	hold    chan struct{} // where it is not nil, DELETE /v1/query is answered once it is closed

	mu    sync.Mutex
	named int
	short map[string]bool
	ended []string // "path of user", in order
}

func newTrinoServer(t *testing.T) *trinoServer {
	t.Helper()
	f := &trinoServer{working: make(chan string, 16), short: map[string]bool{}}
	over, end := context.WithCancel(t.Context())
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(over, w, r) }))
	t.Cleanup(func() {
		end()
		f.Close()
	})
	return f
}

func (f *trinoServer) serve(over context.Context, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, id, _ := strings.Cut(r.URL.Path, "/v1/statement/executing/")
	switch r.Method {
	case http.MethodPost:
		text, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.named++
		id = fmt.Sprintf("q%d", f.named)
		f.short[id] = strings.Contains(string(text), "short")
		f.mu.Unlock()
		_, _ = fmt.Fprintf(w, `{"id": %q, "nextUri": "%s/v1/statement/executing/%s", "stats": {"state": "QUEUED"}}`, id, f.URL, id)
	case http.MethodDelete:
		f.mu.Lock()
		f.ended = append(f.ended, r.URL.Path+" of "+r.Header.Get("X-Trino-User"))
		f.mu.Unlock()
		if f.hold != nil {
			select {
			case <-f.hold:
			case <-over.Done():
			}
		}
		if f.refuse != 0 {
			w.WriteHeader(f.refuse)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		f.mu.Lock()
		short := f.short[id]
		f.mu.Unlock()
		if !short {
			f.working <- id
			select {
			case <-over.Done():
			case <-r.Context().Done():
			}
			return
		}
		_, _ = fmt.Fprintf(w, `{"id": %q, "columns": [{"name": "n", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}],
			"data": [[1]], "stats": {"state": "FINISHED"}}`, id)
	}
}

func (f *trinoServer) endings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.ended...)
}

// onTrino has the service's only source on the server.
func (f *trinoServer) onTrino(t *testing.T) func(*chatbi.Config, *chatbi.Deps) {
	return func(c *chatbi.Config, d *chatbi.Deps) {
		_, err := d.Sources.Make(t.Context(), "demo", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
			return source.Manifest{
				Engine: source.EngineTrino, DefaultRegion: "sg", DefaultSchema: "shop", Version: "2",
				Trino: &source.TrinoConnection{URL: f.URL, User: "svc", Impersonate: true, Regions: map[string]source.TrinoPlace{"sg": {Catalog: "sg"}}},
			}, &catalog.Snapshot{Tables: tables()}, nil
		})
		require.NoError(t, err)
		c.Trino.EndWait = time.Millisecond
	}
}

// copied has a service work on a copy of another's data directory: what a process
// that is killed at this moment leaves.
func copied(t *testing.T, from string) func(*chatbi.Config, *chatbi.Deps) {
	return func(c *chatbi.Config, d *chatbi.Deps) {
		to := filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(to, os.DirFS(from)))
		sources, err := source.Open(to)
		require.NoError(t, err)
		d.DataDir, d.Sources, c.Trino.EndWait = to, sources, time.Millisecond
	}
}

// notedIn are the files of the journal of running statements, without the locks.
func notedIn(t *testing.T, dataDir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dataDir, "chatbi", "running", "*", "*"))
	require.NoError(t, err)
	hidden, err := filepath.Glob(filepath.Join(dataDir, "chatbi", "running", "*", ".*"))
	require.NoError(t, err)
	for _, path := range append(files, hidden...) {
		names = append(names, filepath.Base(path))
	}
	return names
}

// startOne starts a statement and waits until the server works on it.
func (f *trinoServer) startOne(t *testing.T, s *chatbi.Service) (id string, failed chan error) {
	t.Helper()
	failed = make(chan error, 1)
	go func() {
		_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: "SELECT 1 AS n"})
		failed <- err
	}()
	return <-f.working, failed
}

// TestCloseEndsWhatRunsOnTrino: when Close returns, the server was told of each
// statement, those that ask for a plan too, and the journal is empty.
func TestCloseEndsWhatRunsOnTrino(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(context.Context, *chatbi.Service) error{
		"a statement": func(ctx context.Context, s *chatbi.Service) error {
			_, err := unary(ctx, s, &chatbiv1.ExecuteQuery{Sql: "SELECT 1 AS n"})
			return err
		},
		"a plan": func(ctx context.Context, s *chatbi.Service) error {
			_, err := s.EstimateCost(ctx, &chatbiv1.EstimateCostRequest{Sql: "SELECT 1 AS n"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, dataDir := newTrinoServer(t), ""
			s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
				f.onTrino(t)(c, d)
				dataDir = d.DataDir
			})
			failed := make(chan error, 1)
			go func() { failed <- start(as(t.Context(), "alice"), s) }()
			require.Equal(t, "q1", <-f.working)
			require.Equal(t, []string{"q1.json"}, notedIn(t, dataDir))
			require.NoError(t, s.Close())
			require.Equal(t, []string{"/v1/statement/executing/q1 of alice"}, f.endings())
			require.Error(t, <-failed)
			left, err := os.ReadDir(filepath.Join(dataDir, "chatbi", "running"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestTheNextStartEndsWhatAKilledOneLeft: exactly the statements that ran when the
// process was killed are ended, as their users, once.
func TestTheNextStartEndsWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	f, first := newTrinoServer(t), ""
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		f.onTrino(t)(c, d)
		first = d.DataDir
	})
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: "SELECT 1 AS short"})
	require.NoError(t, err)
	f.startOne(t, s)
	f.startOne(t, s)

	second := ""
	var written []string
	f.hold = make(chan struct{})
	unhold := sync.OnceFunc(func() { close(f.hold) })
	next := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		copied(t, first)(c, d)
		second = d.DataDir
		folders, err := filepath.Glob(filepath.Join(second, "chatbi", "running", "run_*[^k]"))
		require.NoError(t, err)
		require.Len(t, folders, 1)
		for name, text := range map[string]string{".entry-1": `{"id": "q7", "sou`, "q8.json": `{"id": "q8", "sou`, "q9.json": `{"id": "q2", "source": "demo"}`} {
			written = append(written, filepath.Join(folders[0], name))
			require.NoError(t, os.WriteFile(filepath.Join(folders[0], name), []byte(text), 0o600))
		}
	})
	t.Cleanup(unhold) // before the service closes
	require.NoError(t, next.Ready(t.Context()), "it waits for no server")
	require.Eventually(t, func() bool { return len(f.endings()) == 2 }, 20*time.Second, time.Millisecond)
	require.Len(t, notedIn(t, second), 2, "they are noted until the server has said that they ended")
	unhold()
	require.Eventually(t, func() bool { return len(notedIn(t, second)) == 0 }, 20*time.Second, time.Millisecond)
	require.ElementsMatch(t, []string{"/v1/query/q2 of alice", "/v1/query/q3 of alice"}, f.endings())
	for _, path := range written {
		require.NoFileExists(t, path)
	}
	require.NoError(t, next.Close())

	again := newService(t, copied(t, second))
	require.NoError(t, again.Close())
	require.Len(t, f.endings(), 2, "nothing is left for a third")
	require.Len(t, notedIn(t, first), 2, "the living process keeps its own")
}

// TestEndingIsTriedAFewTimes: a server that does not do it is not asked for ever.
func TestEndingIsTriedAFewTimes(t *testing.T) {
	t.Parallel()
	f, first, second := newTrinoServer(t), "", ""
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		f.onTrino(t)(c, d)
		first = d.DataDir
	})
	f.startOne(t, s)
	f.refuse = http.StatusServiceUnavailable
	newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		copied(t, first)(c, d)
		second, c.Trino.EndAttempts = d.DataDir, 3
	})
	require.Eventually(t, func() bool { return len(notedIn(t, second)) == 0 }, 20*time.Second, time.Millisecond)
	require.Equal(t, []string{"/v1/query/q1 of alice", "/v1/query/q1 of alice", "/v1/query/q1 of alice"}, f.endings())
}
