// Package e2e asks the built program questions: once as one process, once as
// five, with the same suite. Nothing here knows how the services are made.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// binary is built once for the package.
var binary string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dibrain-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "dibrain")
	args := []string{"build", "-o", binary}
	if underRace {
		args = append(args, "-race", "-gcflags=modernc.org/...=-race=false") // as .ci/run does
	}
	build := exec.Command("go", append(args, "github.com/dibrain/dibrain/cmd/dibrain")...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build dibrain:", err)
		return 1
	}
	return m.Run()
}

// targets of a split deployment, one process each.
var targets = []string{"findata", "text2sql", "fixsql", "chatbi", "knowledge", "router"}

// cluster is a running deployment.
type cluster struct {
	t         *testing.T
	dataDir   string
	router    string // address of the router
	addresses map[string]string
	processes map[string]*process
}

// process is a running dibrain.
type process struct {
	cmd     *exec.Cmd
	admin   string
	log     *lockedBuffer
	exited  chan struct{}
	started time.Time
	ready   time.Duration
}

// lockedBuffer is a buffer that a process writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// ports below the range from which systems take the ports of outgoing
// connections, so that none of those takes one between a test's choice and the
// server's start.
const firstPort, lastPort = 10_000, 32_000

// nextPort counts from a place of the process's own.
var nextPort atomic.Int64

// freeAddress returns a loopback address that was free a moment ago and that no
// other test of this process gets.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range lastPort - firstPort {
		port := firstPort + (nextPort.Add(1)+int64(os.Getpid())*97)%(lastPort-firstPort)
		address := fmt.Sprintf("127.0.0.1:%d", port)
		listener, err := net.Listen("tcp", address)
		if err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("there is no free port")
	return ""
}

// environ is a clean environment: no configuration of whoever runs the tests.
func environ(extra ...string) []string {
	env := []string{"TZ=UTC", "XDG_CONFIG_HOME=/nonexistent", "NO_COLOR=1"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name == "PATH" || name == "HOME" || name == "TMPDIR" {
			env = append(env, kv)
		}
	}
	return append(env, extra...)
}

// start runs `dibrain serve` for a target and waits until it is ready.
func (c *cluster) start(target, listen string, env ...string) *process {
	c.t.Helper()
	p := &process{admin: freeAddress(c.t), log: &lockedBuffer{}, exited: make(chan struct{})}
	p.cmd = exec.Command(binary, "serve", "--target", target)
	p.cmd.Env = environ(append([]string{
		"DIBRAIN_DATA_DIR=" + c.dataDir, "DIBRAIN_LISTEN=" + listen, "DIBRAIN_ADMIN_LISTEN=" + p.admin,
	}, env...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.started = time.Now()
	require.NoError(c.t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	c.processes[target] = p
	c.t.Cleanup(func() {
		c.kill(p)
		assert.NotContains(c.t, p.log.String(), "WARNING: DATA RACE", "%s", target)
	})
	require.Eventually(c.t, func() bool {
		select {
		case <-p.exited:
			c.t.Fatalf("%s ended before it was ready:\n%s", target, p.log)
		default:
		}
		response, err := http.Get("http://" + p.admin + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, 60*time.Second, 5*time.Millisecond, "%s did not become ready:\n%s", target, p.log)
	p.ready = time.Since(p.started)
	return p
}

// kill ends a process at once, as a machine that fails does.
func (c *cluster) kill(p *process) {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// killAll ends all processes at once, the router first, so that it does not see
// the others die.
func (c *cluster) killAll() {
	for i := len(targets) - 1; i >= 0; i-- {
		if p := c.processes[targets[i]]; p != nil {
			_ = p.cmd.Process.Kill()
		}
	}
	for _, p := range c.processes {
		c.kill(p)
	}
}

// monolith starts everything in one process.
func monolith(t *testing.T, dataDir string, env ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, dataDir: dataDir, router: freeAddress(t), processes: map[string]*process{}}
	c.addresses = make(map[string]string, len(targets))
	for _, target := range targets {
		c.addresses[target] = c.router
	}
	c.start("all", c.router, env...)
	return c
}

// split starts one process a service.
func split(t *testing.T, dataDir string, env ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, dataDir: dataDir, processes: map[string]*process{}, addresses: map[string]string{}}
	for _, target := range targets {
		c.addresses[target] = freeAddress(t)
	}
	c.router = c.addresses["router"]
	for name, address := range c.addresses {
		env = append(env, "DIBRAIN_"+strings.ToUpper(name)+"_ADDRESS="+address)
	}
	for _, target := range targets {
		c.start(target, c.addresses[target], env...)
	}
	return c
}

// topologies runs a test against both deployments.
func topologies(t *testing.T, test func(t *testing.T, start func(t *testing.T, dataDir string, env ...string) *cluster)) {
	t.Run("monolith", func(t *testing.T) { test(t, monolith) })
	t.Run("split", func(t *testing.T) { test(t, split) })
}

// dial opens a connection to an address.
func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(16<<20)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// result of a command.
type result struct {
	out, err string
	code     int
}

// command runs dibrain to its end, bounded in time.
func command(t *testing.T, stdin string, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = environ(env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run dibrain %s: %v", args, err)
	}
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// demoDir is a data directory with the demo, made once for the package and
// copied for each test that writes.
var demoDir = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(binary), "demo-data")
	cmd := exec.Command(binary, "find", "orders", "--data-dir", dir)
	cmd.Env = environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("make the demo: %w\n%s", err, out)
	}
	return dir, nil
})

// freshDemo returns a data directory of the test's own that holds the demo.
func freshDemo(t *testing.T) string {
	t.Helper()
	from, err := demoDir()
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "sources"), os.DirFS(filepath.Join(from, "sources"))))
	return dir
}
