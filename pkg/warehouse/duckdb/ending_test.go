package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
	"github.com/dibrain/dibrain/pkg/warehouse/warehousetest"
)

// asker asks an engine whose children are processes.
type asker struct {
	*testing.T
	engine *duckdb.Engine
}

func newAsker(t *testing.T, config duckdb.Config) asker {
	t.Helper()
	config.Launcher = duckdb.Processes(os.Args[0])
	config.Databases, config.DefaultRegion, config.DefaultSchema = map[string]string{"eu": database(t)}, "eu", "shop"
	return asker{t, open(t, config)}
}

// start sends a statement to the engine and tells running when a child has it.
func (a asker) start(ctx context.Context, text string, running ...func()) (warehouse.Rows, error) {
	a.Helper()
	who := run.Principal{ID: "someone"}
	scope := resolve.Scope{Catalog: resolve.NewTables(warehousetest.Tables("eu", "shop")), DefaultRegion: "eu", DefaultSchema: "shop"}
	approved, err := guard.New(guard.Config{
		DefaultLimit: 1_000_000, MaxLimit: 1_000_000, Bounds: guard.Bounds{MaxLambdas: 40}, // the engine has to bear what the guard would refuse
	}).Approve(a.Context(), who, text, scope)
	require.NoError(a, err)
	return a.engine.Query(ctx, who, approved, warehouse.Options{Progress: func(at warehouse.Progress) {
		for _, told := range running {
			if at.State == "running" {
				told()
			}
		}
	}})
}

// ask runs a statement to its end and returns the first value.
func (a asker) ask(ctx context.Context, text string) (any, error) {
	a.Helper()
	rows, err := a.start(ctx, text)
	if err != nil {
		return nil, err
	}
	var first any
	for {
		page, err := rows.Next(ctx, 1000)
		if errors.Is(err, io.EOF) {
			return first, nil
		}
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = page[0][0]
		}
	}
}

// works is what an engine has to answer whatever was done to the statement before.
func (a asker) works() {
	a.Helper()
	got, err := a.ask(a.Context(), "select count(*) from sales")
	require.NoError(a, err)
	require.EqualValues(a, 4, got)
}

// failed returns the engine's error of an error.
func (a asker) failed(err error) *warehouse.Error {
	a.Helper()
	var failure *warehouse.Error
	require.ErrorAs(a, err, &failure)
	return failure
}

// endless runs for hours, and obeys.
const endless = `select count(*) from unnest(sequence(1, 10000)) a(x) cross join unnest(sequence(1, 10000)) b(y)
	cross join unnest(sequence(1, 10000)) c(z) where x * y * z % 7 = 1`

// nestedLambdas keeps DuckDB at work for minutes before it runs: it reads a
// lambda's body again for each lambda around it, and does not look up.
func nestedLambdas(depth int) string {
	text := "1"
	for i := range depth {
		text = fmt.Sprintf("transform(array[1, 2], x%d -> %s)", i, text)
	}
	return "select " + text
}

// TestDeadlineEndsWhatDoesNotObey: whatever DuckDB is at, a statement is over soon
// after its deadline, and the next one runs.
func TestDeadlineEndsWhatDoesNotObey(t *testing.T) {
	t.Parallel()
	a := newAsker(t, duckdb.Config{Limits: warehouse.Limits{Timeout: 200 * time.Millisecond}})
	begun := time.Now()
	_, err := a.ask(t.Context(), nestedLambdas(40))
	require.Equal(t, warehouse.NameTimeLimit, a.failed(err).Name)
	require.Equal(t, codes.DeadlineExceeded, status.Code(a.failed(err)))
	require.Less(t, time.Since(begun), hangs)
	// A child that was not asked before the deadline stays, and is idle.
	require.Eventually(t, func() bool { all, idle := a.engine.Children(); return all == idle }, hangs, time.Millisecond, "no child is at work")
}

func TestCancelEndsWhatDoesNotObey(t *testing.T) {
	t.Parallel()
	a := newAsker(t, duckdb.Config{Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: hangs}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := time.Now()
	_, err := a.start(ctx, nestedLambdas(40), soon(cancel))
	require.Equal(t, warehouse.NameCanceled, a.failed(err).Name)
	require.Less(t, time.Since(begun), hangs)
	a.works()
}

// soon calls f when DuckDB is at work.
func soon(f func()) func() {
	return func() { time.AfterFunc(100*time.Millisecond, f) }
}

// TestCancelThatIsObeyedKeepsTheChild: a child that stops is as good as new.
func TestCancelThatIsObeyedKeepsTheChild(t *testing.T) {
	t.Parallel()
	a := newAsker(t, duckdb.Config{})
	before := a.engine.Pids()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := a.start(ctx, endless, soon(cancel))
	require.Equal(t, warehouse.NameCanceled, a.failed(err).Name)
	a.works()
	require.Equal(t, before, a.engine.Pids())
}

// TestMemoryEndsTheStatementAlone: what the functions in Go take is outside of
// DuckDB's own limit. The statement that takes too much is ended, and no other.
func TestMemoryEndsTheStatementAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the memory of another process is known on Linux only")
	}
	a := newAsker(t, duckdb.Config{MemoryLimit: "2GB", ProcessMemory: 400 << 20, Limits: warehouse.Limits{MaxConcurrent: 2, MaxPerPrincipal: 2}})
	other, err := a.start(t.Context(), "select x from unnest(sequence(1, 10000)) t(x), unnest(sequence(1, 20)) u(y) order by x limit 100000")
	require.NoError(t, err)
	_, err = a.ask(t.Context(), `select approx_percentile(x * 1e0 + y, 0.5) from unnest(sequence(1, 6000)) a(x) cross join unnest(sequence(1, 5000)) b(y)`)
	failure := a.failed(err)
	require.Equal(t, warehouse.NameStatementMemory, failure.Name, failure.Message)
	require.Equal(t, codes.ResourceExhausted, status.Code(failure))
	require.Contains(t, failure.Message, "400 MiB")
	require.Contains(t, failure.Message, "narrow it")
	rest := 0
	for {
		page, err := other.Next(t.Context(), 1000)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "the other statement goes on")
		rest += len(page)
	}
	require.Equal(t, 100_000, rest)
	a.works()
}

// TestKilledChild: the person reads what happened, and the next statement runs.
func TestKilledChild(t *testing.T) {
	t.Parallel()
	a := newAsker(t, duckdb.Config{Limits: warehouse.Limits{MaxConcurrent: 1, QueueWait: hangs}})
	pid := a.engine.Pids()[0]
	failed, running := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := a.start(t.Context(), endless, func() { close(running) })
		failed <- err
	}()
	<-running
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	failure := a.failed(<-failed)
	require.Equal(t, warehouse.NameEngineEnded, failure.Name)
	require.Equal(t, codes.Unavailable, status.Code(failure))
	require.Contains(t, failure.Message, "ask again")
	require.ErrorContains(t, failure.Cause, "signal: killed", "the log says how")
	a.works()
	require.NotContains(t, a.engine.Pids(), pid)

	// One that is killed while it does nothing is not noticed at all.
	require.NoError(t, syscall.Kill(a.engine.Pids()[0], syscall.SIGKILL))
	a.works()
}

// TestChildrenEndWithTheirParent kills a process in the middle of a statement: its
// child does not work on.
func TestChildrenEndWithTheirParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0], parentArgument, database(t))
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var child int
	_, err = fmt.Fscan(out, &child)
	require.NoError(t, err)
	require.True(t, lives(child))
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool { return !lives(child) }, hangs, time.Millisecond)
}

// lives reports whether a process is there and no zombie.
func lives(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// TestAChildHasNothingOfItsParent: no variable that could be a secret, no open file,
// no more memory than it may take, and the kernel ends it before others.
func TestAChildHasNothingOfItsParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	path := filepath.Join(t.TempDir(), "open")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	a := newAsker(t, duckdb.Config{})
	proc := fmt.Sprintf("/proc/%d/", a.engine.Pids()[0])
	environ, err := os.ReadFile(proc + "environ")
	require.NoError(t, err)
	for _, pair := range strings.Split(strings.Trim(string(environ), "\x00"), "\x00") {
		name, _, _ := strings.Cut(pair, "=")
		require.Contains(t, []string{"", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ", "ZONEINFO"}, name)
	}
	descriptors, err := os.ReadDir(proc + "fd")
	require.NoError(t, err)
	sockets := 0
	for _, d := range descriptors {
		target, err := os.Readlink(proc + "fd/" + d.Name())
		if err != nil {
			continue
		}
		require.NotEqual(t, path, target)
		if strings.HasPrefix(target, "socket:") {
			sockets++
		}
	}
	require.Equal(t, 1, sockets, "the one to its parent")
	limits, err := os.ReadFile(proc + "limits")
	require.NoError(t, err)
	require.Regexp(t, fmt.Sprintf(`Max data size\s+%d\s`, a.engine.DataLimit()), string(limits))
	score, err := os.ReadFile(proc + "oom_score_adj")
	require.NoError(t, err)
	require.Equal(t, "1000", strings.TrimSpace(string(score)))
	cmdline, err := os.ReadFile(proc + "cmdline")
	require.NoError(t, err)
	require.Equal(t, "dibrain\x00embedded-engine\x00", string(cmdline), "statements are not among the arguments")
}

// TestIdleChildrenAreEnded: one is kept warm, the others for a while.
func TestIdleChildrenAreEnded(t *testing.T) {
	t.Parallel()
	a := newAsker(t, duckdb.Config{KeepIdle: 20 * time.Millisecond, Limits: warehouse.Limits{MaxConcurrent: 3, MaxPerPrincipal: 3}})
	var held []warehouse.Rows
	for range 3 {
		rows, err := a.start(t.Context(), "select id from sales")
		require.NoError(t, err)
		held = append(held, rows)
	}
	all, idle := a.engine.Children()
	require.Equal(t, 3, all)
	require.Zero(t, idle)
	for _, rows := range held {
		require.NoError(t, rows.Close())
	}
	require.Eventually(t, func() bool { all, idle := a.engine.Children(); return all == 1 && idle == 1 }, hangs, time.Millisecond)
	a.works()
}

// hangs is the time after which something was not ended in time, on machines that
// are busy.
const hangs = time.Minute
