//go:build linux

package soak

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

const (
	people    = 8                // each with a token and a session of their own
	perSecond = 20               // turns, of all people together
	perTalk   = 12               // turns of a session until its person begins another
	between   = 2 * time.Second  // samples: often enough that some are right after a collection
	said      = 15               // of so many samples one is a line of the report
	longest   = 30 * time.Second // one turn; more is a failure
)

// TestAServerStaysAsItIs keeps a server on SQLite and one on PostgreSQL, beside each other, busy
// for DIBRAIN_TEST_SOAK, an hour in `.ci/run full`, with what people do all day: questions that
// are answered, follow-ups, refused ones, searches for tables, turns that are cancelled in the
// middle, wrong tokens. Each has to end as it should, and memory, goroutines and descriptors
// have to stay.
func TestAServerStaysAsItIs(t *testing.T) {
	wish := os.Getenv("DIBRAIN_TEST_SOAK")
	if wish == "" {
		t.Skip("takes an hour: DIBRAIN_TEST_SOAK=1h runs it")
	}
	length, err := time.ParseDuration(wish)
	require.NoError(t, err, "DIBRAIN_TEST_SOAK")
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		stays(t, serve(t), length)
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := postgrestest.DSN(t)
		t.Parallel()
		stays(t, serve(t, "DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN="+dsn), length)
	})
}

// stays fails where a server under load does not stay as it is.
func stays(t *testing.T, s *server, length time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	began := time.Now()
	var load sync.WaitGroup
	seen := &tally{count: map[string]int{}, failed: map[string]string{}}
	for n := range people {
		load.Go(func() { (&person{server: s, n: n, token: s.tokens[n], seen: seen}).live(ctx) })
	}
	var samples []sample
	tick := time.NewTicker(min(between, length/(windows*warmUp)))
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.exited:
			t.Fatalf("the server ended:\n%s", s.log)
		case <-tick.C:
			one := s.sample(t, time.Since(began))
			if samples = append(samples, one); len(samples)%said == 1 {
				t.Logf("%6s heap %.0f MB, resident %.0f MB, engines %.0f MB, %.0f goroutines, %.0f descriptors", one.at.Round(time.Second),
					one.heap, one.resident, one.children, one.goroutines, one.files)
			}
		}
	}
	load.Wait()

	t.Logf("%d turns in %s, %.1f a second", seen.all(), length, float64(seen.all())/length.Seconds())
	for _, kind := range slices.Sorted(maps.Keys(seen.count)) {
		t.Logf("%6d %s", seen.count[kind], kind)
	}
	require.Empty(t, seen.failed)
	all, err := trends(samples, length)
	require.NoError(t, err)
	for _, tr := range all {
		t.Log(tr)
	}
	for _, tr := range all {
		require.True(t, tr.flat(), "it grows: %s", tr)
	}
}

// tally counts what came of turns.
type tally struct {
	mu     sync.Mutex
	count  map[string]int
	failed map[string]string // the last one of a kind that did not end as it should
}

func (t *tally) one(kind string, right bool, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[kind]++
	if !right {
		t.failed[kind] = what
	}
}

func (t *tally) all() (n int) {
	for _, c := range t.count {
		n += c
	}
	return n
}

// person asks at a steady pace and catches nothing up: who waited asks later. What was asked when the time is over
// is waited for.
type person struct {
	server  *server
	n       int
	token   string
	seen    *tally
	session string
	turns   int
}

var countries = []string{"Singapore", "Indonesia", "Malaysia", "Thailand", "Vietnam", "the Philippines", "Taiwan", "Brazil"}

func (p *person) live(ctx context.Context) {
	pace := time.NewTicker(time.Second * people / perSecond)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
			p.turn(ctx)
			p.turns++
		}
	}
}

// turn is the next thing that the person does: a wheel of twenty.
func (p *person) turn(ctx context.Context) {
	if p.turns%perTalk == 0 {
		p.session = ""
	}
	country := countries[(p.n+p.turns/3)%len(countries)]
	switch p.turns % 20 {
	case 0, 4, 8, 12:
		p.ask(ctx, "answered", fmt.Sprintf("What was the GMV in %s yesterday?", country), routerv1.Outcome_OUTCOME_ANSWERED)
	case 1, 5, 9, 13:
		p.ask(ctx, "follow-up", fmt.Sprintf("What was the daily GMV in %s over the past %d days?", country, 2+p.turns%60), routerv1.Outcome_OUTCOME_ANSWERED)
	case 2, 10:
		p.ask(ctx, "refused", "What will the weather be tomorrow in Paris?", routerv1.Outcome_OUTCOME_ABSTAINED, routerv1.Outcome_OUTCOME_REFUSED, routerv1.Outcome_OUTCOME_ASKED)
	case 3, 6, 14, 17:
		p.ask(ctx, "tables", "Which tables have the GMV of sellers?", routerv1.Outcome_OUTCOME_ANSWERED)
	case 7, 15, 19:
		p.cancelled(ctx, fmt.Sprintf("What was the daily GMV in %s over the past %d days?", country, 2+p.turns%90))
	case 11:
		p.wrongToken(ctx)
	default:
		p.ask(ctx, "answered", fmt.Sprintf("How many orders were there in %s over the past %d days?", country, 2+p.turns%40), routerv1.Outcome_OUTCOME_ANSWERED)
	}
}

func (p *person) ask(ctx context.Context, kind, question string, want ...routerv1.Outcome) {
	call, cancel := context.WithTimeout(with(context.WithoutCancel(ctx), p.token), longest)
	defer cancel()
	response, err := p.server.client.Ask(call, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: question, SessionId: p.session}})
	answer := response.GetAnswer()
	p.session = answer.GetSessionId()
	p.seen.one(kind, err == nil && slices.Contains(want, answer.GetOutcome()), fmt.Sprintf("%s: %s %s %v", question, answer.GetOutcome(), answer.GetText(), err))
}

// cancelled reads the first event of a turn and goes.
func (p *person) cancelled(ctx context.Context, question string) {
	call, cancel := context.WithTimeout(with(context.WithoutCancel(ctx), p.token), longest)
	defer cancel()
	stream, err := p.server.client.Chat(call, &routerv1.ChatRequest{Turn: &routerv1.Turn{Question: question}})
	if err == nil {
		_, err = stream.Recv()
	}
	cancel()
	for err == nil {
		_, err = stream.Recv()
	}
	p.seen.one("cancelled", status.Code(err) == codes.Canceled, fmt.Sprint(err))
}

// wrongToken tries one that nobody has. Who tries too often is told to wait, from an address
// that has signed in too.
func (p *person) wrongToken(ctx context.Context) {
	call, cancel := context.WithTimeout(with(context.WithoutCancel(ctx), fmt.Sprintf("dib_wrong%d-%d", p.n, p.turns)), longest)
	defer cancel()
	_, err := p.server.client.Ask(call, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"}})
	code := status.Code(err)
	p.seen.one("wrong token", code == codes.Unauthenticated || code == codes.ResourceExhausted, fmt.Sprint(err))
}

func with(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// server is a process that serves everything, with tokens.
type server struct {
	pid    int
	admin  string
	client routerv1.RouterServiceClient
	tokens []string
	log    *tail
	exited chan struct{}
}

// serve builds the program, makes the demo by a process of its own (which takes memory for a
// moment that a server has not), and starts a server on it with further variables of its
// environment.
func serve(t *testing.T, settings ...string) *server {
	t.Helper()
	dir := t.TempDir()
	binary, data := filepath.Join(dir, "dibrain"), filepath.Join(dir, "data")
	env := []string{"TZ=UTC", "XDG_CONFIG_HOME=/nonexistent", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "DIBRAIN_DATA_DIR=" + data}
	run := func(name string, arg ...string) (out string) {
		cmd := exec.Command(name, arg...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if name == binary {
			cmd.Env = slices.Concat(env, settings)
		}
		require.NoError(t, cmd.Run(), "%s %v: %s", name, arg, &stderr)
		return stdout.String() + stderr.String()
	}
	run("go", "build", "-o", binary, "github.com/dibrain/dibrain/cmd/dibrain")
	run(binary, "find", "orders")

	s := &server{admin: free(t), log: &tail{}, exited: make(chan struct{})}
	hashes := "tokens:\n"
	for n := range people {
		for line := range strings.Lines(run(binary, "config", "new-token", "--principal", fmt.Sprintf("person%d", n))) {
			if token, is := strings.CutPrefix(line, "token: "); is {
				s.tokens = append(s.tokens, strings.TrimSpace(token))
			} else {
				hashes += line
			}
		}
	}
	require.Len(t, s.tokens, people)
	tokens := filepath.Join(dir, "tokens.yaml")
	require.NoError(t, os.WriteFile(tokens, []byte(hashes), 0o600))

	listen := free(t)
	cmd := exec.Command(binary, "serve")
	cmd.Env = slices.Concat(env, []string{"DIBRAIN_LISTEN=" + listen, "DIBRAIN_ADMIN_LISTEN=" + s.admin, "DIBRAIN_AUTH_MODE=token",
		"DIBRAIN_AUTH_TOKEN_FILE=" + tokens, "DIBRAIN_LOG_LEVEL=warn"}, settings)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	require.NoError(t, cmd.Start())
	s.pid = cmd.Process.Pid
	go func() {
		_ = cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.exited
	})
	require.Eventually(t, func() bool {
		response, err := http.Get("http://" + s.admin + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, 2*time.Minute, 20*time.Millisecond, "it did not become ready: %s", s.log)
	conn, err := grpc.NewClient(listen, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	s.client = routerv1.NewRouterServiceClient(conn)
	return s
}

// sample reads what the server has from /metrics and /proc.
func (s *server) sample(t *testing.T, at time.Duration) sample {
	t.Helper()
	response, err := http.Get("http://" + s.admin + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(t, err)
	gauge := func(name string) float64 {
		require.Contains(t, families, name)
		return families[name].GetMetric()[0].GetGauge().GetValue()
	}
	one := sample{at: at, heap: gauge("go_memstats_heap_alloc_bytes") / (1 << 20), goroutines: gauge("go_goroutines"), resident: anonymous(s.pid)}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.pid))
	require.NoError(t, err)
	one.files = float64(len(files))
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.pid))
	require.NoError(t, err)
	for _, thread := range threads {
		children, _ := os.ReadFile(thread) // of a thread that has gone: nothing
		for _, child := range strings.Fields(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				one.children += anonymous(pid)
			}
		}
	}
	return one
}

// anonymous is the resident memory of a process without pages of files, in MB; of one that
// has gone, 0.
func anonymous(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, "RssAnon:"); is {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// free is an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-16<<10):]
	return len(p), nil
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
