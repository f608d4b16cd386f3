package router_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/router/tools"
)

// What a mortal process is told by its environment.
const (
	mortalDir   = "DIBRAIN_ROUTER_TEST_MORTAL_DIR"
	mortalPoint = "DIBRAIN_ROUTER_TEST_MORTAL_POINT" // "before 3": dies when it is about to commit for the third time
)

// mortal is a store whose process is killed at one of its commits.
type mortal struct {
	router.Store
	before bool
	at     int32
	count  atomic.Int32
}

func (m *mortal) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) error {
	mine := m.count.Add(1) == m.at
	if mine && m.before {
		die()
	}
	err := m.Store.Commit(ctx, p, l, c)
	if mine {
		die()
	}
	return err
}

// die is kill -9: nothing is closed, flushed or said.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal may need a moment
}

// TestMortal is the process that TestKillAtEveryStep starts: a router with its
// team that asks one question and dies on the way.
func TestMortal(t *testing.T) {
	dir, point := os.Getenv(mortalDir), os.Getenv(mortalPoint)
	if dir == "" {
		t.Skip("runs in the processes that TestKillAtEveryStep starts")
	}
	when, number, _ := strings.Cut(point, " ")
	at, err := strconv.Atoi(number)
	require.NoError(t, err)
	w := newWorldIn(t, dir, func(_ *routerConfig, d *routerDeps) {
		d.Store = &mortal{Store: d.Store, before: when == "before", at: int32(at)}
	})
	w.team.log(t, filepath.Join(dir, "calls"))
	w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"})
	fmt.Println("SURVIVED")
}

// log writes each call that is executed to a file, by its id.
func (f *team) log(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	note := func(ctx context.Context) { _, _ = fmt.Fprintln(file, run.From(ctx).ToolCallID) }
	discover, generate, execute := f.discover, f.generate, f.execute
	f.discover = func(ctx context.Context, q *findatav1.DiscoverQuery) (*findatav1.DiscoverResult, error) {
		note(ctx)
		return discover(ctx, q)
	}
	f.generate = func(ctx context.Context, q *text2sqlv1.GenerateQuery) (*text2sqlv1.GenerateResult, error) {
		note(ctx)
		return generate(ctx, q)
	}
	f.execute = func(ctx context.Context, q *chatbiv1.ExecuteQuery) (*chatbiv1.ExecuteResult, error) {
		note(ctx)
		return execute(ctx, q)
	}
}

// TestKillAtEveryStep kills the router's process before and after each commit of
// a turn with three calls, which is before, between and after all of its steps.
// Whatever the moment, the next process finds the run ended, no call was made
// twice, what was asked is there, and the session goes on.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some thirty processes")
	}
	const most = 64
	var group errgroup.Group
	group.SetLimit(4)
	var ended, survived atomic.Int32
	for n := 1; n < most && survived.Load() == 0; n++ {
		for _, when := range []string{"before", "after"} {
			dir := t.TempDir()
			group.Go(func() error {
				lives, err := runMortal(t.Context(), dir, fmt.Sprint(when, " ", n))
				switch {
				case err != nil:
					return fmt.Errorf("%s commit %d: %w", when, n, err)
				case lives:
					survived.Add(1)
					return nil
				}
				ended.Add(1)
				t.Run(fmt.Sprintf("%s commit %d", when, n), func(t *testing.T) { checkAftermath(t, dir) })
				return nil
			})
		}
	}
	require.NoError(t, group.Wait())
	require.Positive(t, survived.Load(), "a turn has fewer than %d commits", most)
	require.GreaterOrEqual(t, ended.Load(), int32(8), "before and after each of three calls and the end")
}

// runMortal starts a process that dies at the point, and tells whether it lives
// to the end because a turn has fewer commits.
func runMortal(ctx context.Context, dir, point string) (lives bool, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestMortal$", "-test.v")
	cmd.Env = append(os.Environ(), mortalDir+"="+dir, mortalPoint+"="+point)
	out, err := cmd.Output()
	if err == nil {
		return strings.Contains(string(out), "SURVIVED"), nil
	}
	if state, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && state.Signal() == syscall.SIGKILL {
		return false, nil
	}
	return false, fmt.Errorf("%w: %s", err, out)
}

// checkAftermath opens the data of a killed process as the next one does.
func checkAftermath(t *testing.T, dir string) {
	w := newWorldIn(t, dir)
	w.team.log(t, filepath.Join(dir, "calls"))
	ctx := as(t.Context(), "alice")
	sessions, err := w.client.ListSessions(ctx, &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	runs, err := w.client.ListRuns(ctx, &routerv1.ListRunsRequest{})
	require.NoError(t, err)
	if len(sessions.GetSessions()) == 0 { // before the first commit there is nothing
		require.Empty(t, runs.GetRuns())
		made, err := os.ReadFile(filepath.Join(dir, "calls"))
		require.NoError(t, err)
		require.Empty(t, made, "nothing was called")
		require.Equal(t, "There were 42 orders.", w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?"}).GetText())
		return
	}
	require.Len(t, sessions.GetSessions(), 1)
	id := sessions.GetSessions()[0].GetSessionId()
	finished := false
	for _, r := range runs.GetRuns() {
		status := r.GetRecord().GetStatus()
		require.Contains(t, []commonv1.RunStatus{commonv1.RunStatus_RUN_STATUS_INTERRUPTED, commonv1.RunStatus_RUN_STATUS_SUCCEEDED}, status)
		finished = status == commonv1.RunStatus_RUN_STATUS_SUCCEEDED
	}
	before, err := w.client.GetSession(ctx, &routerv1.GetSessionRequest{SessionId: id})
	require.NoError(t, err)
	switch messages := before.GetMessages(); {
	case len(runs.GetRuns()) == 0:
		require.Empty(t, messages, "nothing was begun")
	case finished:
		require.Len(t, messages, 2)
		require.Equal(t, "There were 42 orders.", messages[1].GetContent())
	default:
		require.Len(t, messages, 1, "what was asked is not lost, and nothing is answered")
	}

	a := w.ask(t, &routerv1.Turn{Question: "how many orders yesterday?", SessionId: id})
	require.Equal(t, "There were 42 orders.", a.GetText(), "the session goes on")
	require.Equal(t, []string{tools.DataDiscovery, tools.GenerateSQL, tools.Execute}, called(a))

	file, err := os.Open(filepath.Join(dir, "calls"))
	require.NoError(t, err)
	defer file.Close()
	made := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		require.NotEmpty(t, lines.Text())
		require.False(t, made[lines.Text()], "call %s was made twice", lines.Text())
		made[lines.Text()] = true
	}
	for _, c := range a.GetToolCalls() {
		require.True(t, made[c.GetToolCallId()], "what the answer rests on was made")
	}
}
