package sqlite_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/sqlite"
)

// victimDir and victimName are the variables by which TestVictim is told what to do.
const victimDir, victimName = "DIBRAIN_TEST_VICTIM_DIR", "DIBRAIN_TEST_VICTIM_NAME"

// TestVictim has turns until it is killed, some in new sessions and some in its last one, and
// prints a line for each step that is stored: session and message.
func TestVictim(t *testing.T) {
	dir, name := os.Getenv(victimDir), os.Getenv(victimName)
	if dir == "" {
		t.Skip("is started by TestKilledAtAnyInstant")
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, BusyTimeout: time.Minute, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	session, alice := "", run.Principal{ID: "alice"}
	for n := 0; ; n++ {
		var l store.Lock
		var opened *store.Session
		if n%3 == 1 {
			l, err = s.Lock(t.Context(), alice, session, time.Hour)
			require.NoError(t, err)
		} else {
			session = fmt.Sprintf("ses_%s_%d", name, n)
			l, opened = store.FirstLock(session, time.Now().Add(time.Hour)), &store.Session{ID: session}
		}
		root := fmt.Sprintf("run_%s_%d", name, n)
		for step := range 4 {
			words := fmt.Sprintf("%s.%d", root, step)
			c := store.Changes{Open: opened, Run: &store.Run{ChatID: "main", Record: run.Record{RunID: root, Status: run.StatusRunning}},
				Records:   []run.Record{{RunID: words, ParentRunID: root, Status: run.StatusSucceeded}},
				ToolCalls: []store.ToolCall{{ID: "call_" + words, RunID: root, Status: run.StatusSucceeded, Output: []byte(strings.Repeat(words, 200))}},
				Messages:  []store.Message{{ChatID: "main", RunID: root, Role: store.RoleUser, Content: words}}}
			if step == 3 {
				c.Run.Record.Status, c.Unlock, c.MaxSessionBytes = run.StatusSucceeded, true, 1<<30
			}
			require.NoError(t, s.Commit(t.Context(), alice, l, c))
			fmt.Println("stored", session, words)
			opened = nil
		}
	}
}

// TestKilledAtAnyInstant kills processes at work on one file, while others go on and somebody
// reads: what was stored is there, once and in order, with its call and its record, and no run
// is left at work.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	dir, alice := t.TempDir(), run.Principal{ID: "alice"}
	reader, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, BusyTimeout: time.Minute, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	var mu sync.Mutex
	stored := map[string][]string{} // messages by session
	var all sync.WaitGroup
	for lane := range 3 {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(lane), 19))
			for round := range 5 {
				victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$")
				victim.Env = append(os.Environ(), victimDir+"="+dir, victimName+fmt.Sprintf("=%d_%d", lane, round))
				out, err := victim.StdoutPipe()
				if err == nil {
					err = victim.Start()
				}
				if err != nil {
					t.Error(err)
					return
				}
				left := 1 + chance.IntN(150)
				for lines := bufio.NewScanner(out); lines.Scan(); { // to the end: what was printed was stored
					f := strings.Fields(lines.Text())
					if len(f) != 3 || f[0] != "stored" {
						continue
					}
					mu.Lock()
					stored[f[1]] = append(stored[f[1]], f[2])
					mu.Unlock()
					if left--; left == 0 {
						_ = victim.Process.Kill()
					}
				}
				if err := victim.Wait(); err == nil || left > 0 {
					t.Errorf("it ended by itself: %v, %d steps before its time", err, left)
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	for reading := true; reading; {
		select {
		case <-finished:
			reading = false
		default:
		}
		if _, _, err := reader.Runs(t.Context(), alice, store.RunFilter{}, store.Page{Size: 20}); err != nil {
			t.Error(err)
			reading = false
		}
	}
	all.Wait()
	next, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Close()) })
	atWork, _, err := next.Runs(t.Context(), alice, store.RunFilter{Status: run.StatusRunning}, store.Page{Size: 20})
	require.NoError(t, err)
	require.Empty(t, atWork)
	require.NotEmpty(t, stored)
	for session, want := range stored {
		found, _, err := next.Messages(t.Context(), alice, session, "", store.Page{Size: 100})
		require.NoError(t, err, session)
		var have []string
		for _, m := range found {
			have = append(have, m.Content)
		}
		require.LessOrEqual(t, len(have)-len(want), 1, "%s: one step at most was stored and not told", session)
		require.Equal(t, want, have[:min(len(want), len(have))], session)
		for _, words := range have {
			c, err := next.ToolCall(t.Context(), alice, "call_"+words)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(words, 200), string(c.Output))
			_, tree, err := next.Run(t.Context(), alice, c.RunID)
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(tree, func(r run.Record) bool { return r.RunID == words }), words)
		}
	}
}
