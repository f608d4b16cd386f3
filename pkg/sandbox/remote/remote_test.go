package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/pkg/sandbox/remote"
)

// box is a sandbox that says what it was given.
type box struct {
	mu      sync.Mutex
	jobs    []sandbox.Job
	result  sandbox.Result
	err     error
	hold    chan struct{} // closed: programs end
	running chan struct{}
	ended   chan error // of contexts
}

func (b *box) Run(ctx context.Context, j sandbox.Job) (sandbox.Result, error) {
	b.mu.Lock()
	b.jobs = append(b.jobs, j)
	b.mu.Unlock()
	if b.hold != nil {
		b.running <- struct{}{}
		select {
		case <-b.hold:
		case <-ctx.Done():
			b.ended <- ctx.Err()
			return sandbox.Result{}, ctx.Err()
		}
	}
	return b.result, b.err
}

func (b *box) Interpreter() sandbox.Interpreter {
	return sandbox.Interpreter{Executable: "/usr/bin/python3", Version: "3.11.2", Packages: map[string]string{"numpy": "2.1.0"}}
}

var limits = sandbox.Limits{Wall: time.Second, Input: 4096, Stdout: 4096, Output: 4096}

func complete(t *testing.T) sandbox.Limits {
	t.Helper()
	l, err := limits.Complete()
	require.NoError(t, err)
	return l
}

func serve(t *testing.T, b *box, places int) *httptest.Server {
	t.Helper()
	s, err := remote.NewServer(b, "secret", complete(t), places, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server
}

func as(token string) func() (string, error) { return func() (string, error) { return token, nil } }

func client(t *testing.T, url, token string) *remote.Client {
	t.Helper()
	c, err := remote.NewClient(url, as(token), &http.Client{}, limits)
	require.NoError(t, err)
	return c
}

// TestAProgramRunsElsewhere: what goes in and what comes out are the same bytes on both sides.
func TestAProgramRunsElsewhere(t *testing.T) {
	t.Parallel()
	want := sandbox.Result{
		Exit: sandbox.Exited, Code: 3, Stdout: []byte("out\x00\xff"), Stderr: []byte("err"), Problem: "it failed: err", Took: time.Second,
		Files: []sandbox.File{{Name: "a.png", Data: []byte("\x89PNG")}},
	}
	b := &box{result: want}
	c := client(t, serve(t, b, 1).URL, "secret")
	job := sandbox.Job{Code: "print(1)", Files: []sandbox.File{{Name: "rows.csv", Data: []byte("a\n\xff\n")}}}
	got, err := c.Run(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, []sandbox.Job{job}, b.jobs)
	python, err := c.Interpreter(t.Context())
	require.NoError(t, err)
	require.Equal(t, b.Interpreter(), python)
}

// TestWhatIsRefused: nobody without the token has anything run, a job that is none is told so,
// and what went wrong inside stays there.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token string
		box   *box
		files int
		unfit bool
		says  string
		runs  int
	}{
		"another token":      {token: "secre", says: "the token is not this runner's"},
		"no token":           {token: "", says: "the token is not this runner's"},
		"a job that is none": {token: "secret", box: &box{err: &sandbox.UnfitError{Problem: "there is no code to run"}}, unfit: true, says: "there is no code to run", runs: 1},
		"too many bytes":     {token: "secret", files: 2 << 20, unfit: true, says: "more bytes than the runner takes"},
		"a runner's fault":   {token: "secret", box: &box{err: errors.New("/secret/path is gone")}, says: "could not run the program", runs: 1},
	} {
		if c.box == nil {
			c.box = &box{}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := client(t, serve(t, c.box, 1).URL, c.token)
			_, err := got.Run(t.Context(), sandbox.Job{Code: "x", Files: []sandbox.File{{Name: "a", Data: make([]byte, c.files)}}})
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "/secret/path")
			require.NotContains(t, err.Error(), "secret\"")
			var unfit *sandbox.UnfitError
			var away *sandbox.AwayError
			require.Equal(t, c.unfit, errors.As(err, &unfit))
			require.Equal(t, !c.unfit, errors.As(err, &away))
			require.Len(t, c.box.jobs, c.runs)
		})
	}
	server := serve(t, &box{}, 1)
	for path, code := range map[string]int{"/v1/run": http.StatusUnauthorized, "/v1/interpreter": http.StatusUnauthorized, "/readyz": http.StatusNoContent} {
		method := http.MethodGet
		if path == "/v1/run" {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(`{"code": "print(1)"}`))
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, code, answer.StatusCode, path)
	}
	_, err := remote.NewServer(&box{}, "", complete(t), 1, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "a runner needs a token")
	for _, url := range []string{"", "python-runner:7443", "ftp://x", "https://me:secret@x"} {
		_, err := remote.NewClient(url, as("x"), &http.Client{}, limits)
		require.ErrorContains(t, err, "no address of a runner", url)
	}
}

// TestACancelEndsTheProgramElsewhere, and a runner that is full is asked again.
func TestACancelEndsTheProgramElsewhere(t *testing.T) {
	t.Parallel()
	b := &box{hold: make(chan struct{}), running: make(chan struct{}, 2), ended: make(chan error, 2), result: sandbox.Result{Exit: sandbox.Exited}}
	server := serve(t, b, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	run := func(ctx context.Context, done chan error) {
		_, err := client(t, server.URL, "secret").Run(ctx, sandbox.Job{Code: "x"})
		done <- err
	}
	go run(ctx, first)
	<-b.running
	go run(t.Context(), second) // there is no place for it
	why := errors.New("somebody has cancelled")
	cancel(why)
	require.ErrorIs(t, <-first, why)
	require.ErrorIs(t, <-b.ended, context.Canceled, "the program is told")
	<-b.running // the second one has the place
	close(b.hold)
	require.NoError(t, <-second)
}

// cluster is an API server that knows SandboxClaims of some versions as the real one answers.
type cluster struct {
	t        *testing.T
	versions []string
	ready    int // looks until it is ready; -1: never
	ip       string
	refuses  int // status of a POST; 0: it makes one
	looked   func(times int)

	mu      sync.Mutex
	claims  map[string]map[string]any
	looks   int
	deleted []string
	specs   []map[string]any
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	refuse := func(code int, message string) {
		answer(code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code})
	}
	if r.Header.Get("Authorization") != "Bearer account" {
		refuse(http.StatusUnauthorized, "Unauthorized")
		return
	}
	const group = "/apis/extensions.agents.x-k8s.io/"
	for _, version := range c.versions {
		base := group + version
		claims := base + "/namespaces/py/sandboxclaims"
		switch {
		case r.URL.Path == base && r.Method == http.MethodGet:
			answer(http.StatusOK, map[string]any{"kind": "APIResourceList", "resources": []any{map[string]any{"name": "sandboxclaims", "kind": "SandboxClaim"}, map[string]any{"name": "sandboxclaims/status"}}})
			return
		case r.URL.Path == claims && r.Method == http.MethodPost:
			if c.refuses != 0 {
				refuse(c.refuses, "exceeded quota")
				return
			}
			var o map[string]any
			if json.NewDecoder(r.Body).Decode(&o) != nil || o["apiVersion"] != "extensions.agents.x-k8s.io/"+version || o["kind"] != "SandboxClaim" {
				refuse(http.StatusBadRequest, "no claim")
				return
			}
			spec, _ := o["spec"].(map[string]any)
			c.specs = append(c.specs, spec)
			meta, _ := o["metadata"].(map[string]any)
			prefix, _ := meta["generateName"].(string)
			name := prefix + strconv.Itoa(len(c.specs))
			c.claims[name] = map[string]any{"metadata": map[string]any{"name": name}, "spec": spec}
			answer(http.StatusCreated, c.claims[name])
			return
		case strings.HasPrefix(r.URL.Path, claims+"/"):
			name := strings.TrimPrefix(r.URL.Path, claims+"/")
			o, ok := c.claims[name]
			if !ok {
				refuse(http.StatusNotFound, "not found")
				return
			}
			if r.Method == http.MethodDelete {
				delete(c.claims, name)
				c.deleted = append(c.deleted, name)
				answer(http.StatusOK, map[string]any{"kind": "Status", "status": "Success"})
				return
			}
			c.looks++
			if c.looked != nil {
				c.looked(c.looks)
			}
			if c.looks > 1 { // at first a claim has no status at all
				state := map[string]any{"type": "Ready", "status": "False", "reason": "SandboxNotReady", "message": "the pod is being made"}
				status := map[string]any{"conditions": []any{state}}
				if c.ready >= 0 && c.looks > c.ready {
					state["status"] = "True"
					status["sandbox"] = map[string]any{"name": "warm-1", "podIPs": []any{c.ip}}
				}
				o["status"] = status
			}
			answer(http.StatusOK, o)
			return
		}
	}
	http.NotFound(w, r)
}

// claims are those of a cluster, over runners on loopback.
func claims(t *testing.T, c *cluster, port int) (*remote.Claims, error) {
	t.Helper()
	c.t, c.claims = t, map[string]map[string]any{}
	api := httptest.NewServer(c)
	t.Cleanup(api.Close)
	return remote.NewClaims(t.Context(), remote.Cluster{URL: api.URL, Token: as("account"), HTTP: api.Client()}, remote.ClaimConfig{
		Namespace: "py", Pool: "runners", Scheme: "http", Port: port, Ready: 20 * time.Second, Look: time.Millisecond,
		Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }, Log: slog.New(slog.DiscardHandler),
	}, func(at string) (*remote.Client, error) {
		return remote.NewClient(at, as("secret"), &http.Client{}, limits)
	})
}

func portOf(t *testing.T, server *httptest.Server) int {
	t.Helper()
	_, text, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	port, err := strconv.Atoi(text)
	require.NoError(t, err)
	return port
}

// TestARunnerIsClaimedForEachProgram: of the newest version of the API that there is, by what
// that version names; it is asked once it is ready, and let go of however the program ended.
func TestARunnerIsClaimedForEachProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		versions []string
		names    string
	}{
		"newest": {[]string{"v1alpha1", "v1beta1"}, "warmPoolRef"},
		"older":  {[]string{"v1alpha1"}, "sandboxTemplateRef"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &box{result: sandbox.Result{Exit: sandbox.Exited, Stdout: []byte("1")}}
			k := &cluster{versions: c.versions, ready: 3, ip: "127.0.0.1"}
			got, err := claims(t, k, portOf(t, serve(t, b, 1)))
			require.NoError(t, err)
			r, err := got.Run(t.Context(), sandbox.Job{Code: "x"})
			require.NoError(t, err)
			require.Equal(t, "1", string(r.Stdout))
			require.Equal(t, map[string]any{"name": "runners"}, k.specs[0][c.names])
			life, _ := k.specs[0]["lifecycle"].(map[string]any)
			require.Equal(t, "Delete", life["shutdownPolicy"])
			end, err := time.Parse(time.RFC3339, life["shutdownTime"].(string))
			require.NoError(t, err)
			require.True(t, end.After(time.Date(2026, 3, 4, 5, 7, 0, 0, time.UTC)), "it may take its whole time: %s", end)
			require.Len(t, k.deleted, 1)

			b.err = &sandbox.UnfitError{Problem: "no"}
			_, err = got.Run(t.Context(), sandbox.Job{Code: "x"})
			require.ErrorContains(t, err, "no")
			require.Len(t, k.deleted, 2)
			python, err := got.Interpreter(t.Context())
			require.NoError(t, err)
			require.Equal(t, "3.11.2", python.Version)
			require.Len(t, k.deleted, 3)
			require.Empty(t, k.claims)
		})
	}
}

// TestClaimsThatComeToNothing are told with what the cluster says, and let go of.
func TestClaimsThatComeToNothing(t *testing.T) {
	t.Parallel()
	_, err := claims(t, &cluster{}, 1)
	require.ErrorIs(t, err, remote.ErrNoClaims)

	var away *sandbox.AwayError
	full := &cluster{versions: []string{"v1beta1"}, refuses: http.StatusForbidden}
	c, err := claims(t, full, 1)
	require.NoError(t, err)
	_, err = c.Run(t.Context(), sandbox.Job{Code: "x"})
	require.ErrorAs(t, err, &away)
	require.ErrorContains(t, err, "exceeded quota")

	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("somebody has cancelled")
	odd := &cluster{versions: []string{"v1beta1"}, ready: 0, ip: "evil.example/", looked: func(times int) {
		if times == 5 {
			cancel(why)
		}
	}}
	c, err = claims(t, odd, 1)
	require.NoError(t, err)
	_, err = c.Run(ctx, sandbox.Job{Code: "x"})
	require.ErrorIs(t, err, why, "an address that is none is not asked")
	require.Len(t, odd.deleted, 1, "a cancel lets go too")
}
