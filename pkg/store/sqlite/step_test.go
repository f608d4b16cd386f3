package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// wholeStep has something in each field that a step keeps.
func wholeStep() step {
	at := time.Date(2026, 4, 1, 9, 0, 0, 7, time.UTC)
	session := store.Session{ID: "ses_1", Title: "orders 订单", Source: "demo", CreatedAt: at, UpdatedAt: at.Add(time.Second), Turns: 300}
	record := run.Record{RunID: "run_1", ParentRunID: "run_0", Name: "n", Service: "router", ToolCallID: "call_1", ToolName: "t", Status: run.StatusFailed,
		StartedAt: at, EndedAt: at.Add(time.Minute), Attributes: map[string]string{"k": "v"}, Error: "it broke"}
	return step{
		Changes: store.Changes{
			Open: &session, Session: &session, Chat: &store.Chat{ID: "main", State: []byte("{}"), UpdatedAt: at},
			Run:      &store.Run{Record: record, ChatID: "main", Question: "how many?"},
			Records:  []run.Record{record, {RunID: "run_2", Attributes: map[string]string{}}, {}},
			Messages: []store.Message{{ChatID: "main", RunID: "run_1", Role: store.RoleAssistant, Content: "42", CreatedAt: at, ToolCallIDs: []string{"call_1", "call_2"}, Detail: []byte{}}, {}},
			ToolCalls: []store.ToolCall{{ID: "call_1", ChatID: "main", RunID: "run_1", ToolName: "t", AgentName: "A", Arguments: []byte("{}"), SourceID: "call_0", NextID: "call_2",
				Status: run.StatusSucceeded, StartedAt: at, EndedAt: at, OutputType: "a.B", Output: []byte{0, 255}, Error: "e", ErrorReason: "R"}, {}},
			DropToolCalls: []string{"call_9"}, MaxSessionBytes: 1 << 40, Unlock: true,
		},
		codings: []string{"zstd", ""}, expires: at.Add(time.Hour),
	}
}

func TestStepsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, want := range []step{wholeStep(), {}, {Changes: store.Changes{Unlock: true}}} {
		raw := want.marshal()
		got, err := unmarshalStep(raw)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for n := range raw {
			_, err := unmarshalStep(raw[:n])
			require.Error(t, err, "the first %d bytes of %d", n, len(raw))
		}
		_, err = unmarshalStep(append(raw, 0))
		require.Error(t, err, "a byte too many")
		raw[0]++
		_, err = unmarshalStep(raw)
		require.ErrorContains(t, err, "does not read")
	}
}

// TestTheFormOfStepsStays: a store that an earlier version left with turns at work is read.
// Where this fails the form has changed: it takes another stepForm, and reads this one too.
func TestTheFormOfStepsStays(t *testing.T) {
	t.Parallel()
	s := wholeStep()
	require.Equal(t, wholeStepForm1, hex.EncodeToString(s.marshal()))
}

// stepsIn counts the rows of turn_steps and of runs.
func stepsIn(t *testing.T, s *Store) (steps, runs int) {
	t.Helper()
	require.NoError(t, s.read.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM turn_steps), (SELECT count(*) FROM runs)`).Scan(&steps, &runs))
	return steps, runs
}

// TestTurnsAreWrittenOutTogether: a step is one row until enough turns have ended, or until
// somebody asks.
func TestTurnsAreWrittenOutTogether(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	turn := func(n string) {
		l := store.FirstLock("ses_"+n, time.Now().Add(time.Hour))
		step := store.Changes{Open: &store.Session{ID: "ses_" + n}, Run: &store.Run{Record: run.Record{RunID: "run_" + n, Status: run.StatusRunning}}}
		require.NoError(t, s.Commit(t.Context(), alice, l, step))
		step.Open, step.Run.Record.Status, step.Unlock = nil, run.StatusSucceeded, true
		require.NoError(t, s.Commit(t.Context(), alice, l, step))
		require.Equal(t, store.ReasonLockLost, fault.ReasonOf(s.Commit(t.Context(), alice, l, store.Changes{Messages: []store.Message{{}}})), "it gave its lock up")
	}
	// A late writer has its session written out, so that the lock says no.
	turn("a")
	steps, runs := stepsIn(t, s)
	require.Equal(t, []int{2, 0}, []int{steps, runs}, "what is refused changes nothing")
	_, _, err = s.Run(t.Context(), alice, "run_a")
	require.NoError(t, err, "who asks sees it")
	steps, runs = stepsIn(t, s)
	require.Equal(t, []int{0, 1}, []int{steps, runs})
	for n := range writeOutFrom / 2 {
		turn(string(rune('b' + n)))
	}
	s.ended.done.Wait()
	_, runs = stepsIn(t, s)
	require.Greater(t, runs, 1, "nobody asked")
}

// TestAStepOfALongTurn: the rows of a turn are bounded, and one that holds a lock without
// end keeps no more of them.
func TestAStepOfALongTurn(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	alice := run.Principal{ID: "alice"}
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Open: &store.Session{ID: "ses_1"}}))
	most := 0
	for range 3 * maxSteps {
		require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{Messages: []store.Message{{ChatID: "main", Role: store.RoleUser, Content: "q"}}}))
		steps, _ := stepsIn(t, s)
		most = max(most, steps)
	}
	require.Equal(t, maxSteps, most)
	found, _, err := s.Messages(t.Context(), alice, "ses_1", "", store.Page{Size: 4 * maxSteps})
	require.NoError(t, err)
	require.Len(t, found, 3*maxSteps)
}

// TestStepsOfADeadProcess: what a process left in turn_steps is there for the next one, whose
// opening ends its runs.
func TestStepsOfADeadProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead, err := Open(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	alice := run.Principal{ID: "alice"}
	l := store.FirstLock("ses_1", time.Now().Add(time.Hour))
	require.NoError(t, dead.Commit(t.Context(), alice, l, store.Changes{Open: &store.Session{ID: "ses_1"},
		Run: &store.Run{Record: run.Record{RunID: "run_1", Status: run.StatusRunning}}, ToolCalls: []store.ToolCall{{ID: "call_1", RunID: "run_1", Status: run.StatusRunning}}}))
	require.NoError(t, dead.instance.lock.Unlock()) // as the kernel does
	next, err := Open(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Close()) })
	steps, runs := stepsIn(t, next)
	require.Equal(t, []int{0, 1}, []int{steps, runs})
	u, _, err := next.Run(t.Context(), alice, "run_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusInterrupted, u.Record.Status)
	c, err := next.ToolCall(t.Context(), alice, "call_1")
	require.NoError(t, err)
	require.Equal(t, run.StatusInterrupted, c.Status)
	_, err = next.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
	err = dead.Commit(t.Context(), alice, l, store.Changes{Messages: []store.Message{{ChatID: "main", Role: store.RoleUser}}})
	require.Equal(t, store.ReasonLockLost, fault.ReasonOf(err), "%v", err)
	_ = dead.Close()
}

// TestStepsOfAProcessThatIsFoundDead: whoever finds its lock on one session ends its runs in all,
// those that lie in turn_steps too.
func TestStepsOfAProcessThatIsFoundDead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var stores [2]*Store
	for i := range stores {
		s, err := Open(t.Context(), Config{Dir: dir})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		stores[i] = s
	}
	dead, other := stores[0], stores[1]
	alice := run.Principal{ID: "alice"}
	for _, n := range []string{"1", "2"} {
		require.NoError(t, dead.Commit(t.Context(), alice, store.FirstLock("ses_"+n, time.Now().Add(time.Hour)), store.Changes{Open: &store.Session{ID: "ses_" + n},
			Run: &store.Run{Record: run.Record{RunID: "run_" + n, Status: run.StatusRunning}}}))
	}
	require.NoError(t, dead.Die())
	_, err := other.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
	for _, id := range []string{"run_1", "run_2"} {
		u, _, err := other.Run(t.Context(), alice, id)
		require.NoError(t, err)
		require.Equal(t, run.StatusInterrupted, u.Record.Status, id)
	}
}

// ongoing is a store with a session that alice has had a turn in, and the lock of the next.
func ongoing(t *testing.T, clock func() time.Time) (*Store, run.Principal, store.Lock) {
	t.Helper()
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	alice := run.Principal{ID: "alice"}
	require.NoError(t, s.CreateSession(t.Context(), alice, store.Session{ID: "ses_1"}))
	l, err := s.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
	return s, alice, l
}

func said(words string) store.Changes {
	return store.Changes{Messages: []store.Message{{ChatID: "main", Role: store.RoleUser, Content: words}}}
}

func heard(t *testing.T, s *Store, p run.Principal) (words []string) {
	t.Helper()
	found, _, err := s.Messages(t.Context(), p, "ses_1", "", store.Page{Size: 1000})
	require.NoError(t, err)
	for _, m := range found {
		words = append(words, m.Content)
	}
	return words
}

// TestAForgottenTurnGoesOn: what a process knows of a turn by heart only saves asking.
func TestAForgottenTurnGoesOn(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]*store.Session{"in a new session": {ID: "ses_2"}, "in one that was there": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, alice, l := ongoing(t, time.Now)
			if first != nil {
				l = store.FirstLock(first.ID, time.Now().Add(time.Hour))
			}
			for i, words := range []string{"a", "b", "c", "d"} {
				c := said(words)
				if i == 0 {
					c.Open = first
				}
				if i == 2 {
					c.MaxSessionBytes = 1 << 20 // goes into the tables
				}
				c.Unlock = i == 3
				require.NoError(t, s.Commit(t.Context(), alice, l, c), words)
				s.turns = turns{}
			}
			for range 2 {
				err := s.Commit(t.Context(), alice, l, said("late"))
				require.Equal(t, store.ReasonLockLost, fault.ReasonOf(err), "it gave its lock up: %v", err)
				s.turns = turns{}
			}
			found, _, err := s.Messages(t.Context(), alice, l.SessionID, "", store.Page{Size: 10})
			require.NoError(t, err)
			require.Len(t, found, 4)
		})
	}
}

// TestALateTurnOfTheSameProcess is refused, and takes nothing from the one that has the lock now.
func TestALateTurnOfTheSameProcess(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s, alice, late := ongoing(t, func() time.Time { return now })
	require.NoError(t, s.Commit(t.Context(), alice, late, said("in time")))
	now = now.Add(time.Hour)
	l, err := s.Lock(t.Context(), alice, "ses_1", time.Minute)
	require.NoError(t, err)
	for _, words := range []string{"a", "b", "c"} {
		require.NoError(t, s.Commit(t.Context(), alice, l, said(words)))
		err := s.Commit(t.Context(), alice, late, said("late"))
		require.Equal(t, store.ReasonLockLost, fault.ReasonOf(err), "%v", err)
	}
	last := said("d")
	last.MaxSessionBytes = 1 << 20 // goes into the tables, and takes the steps along
	require.NoError(t, s.Commit(t.Context(), alice, l, last))
	steps, _ := stepsIn(t, s)
	require.Zero(t, steps)
	require.Equal(t, []string{"in time", "a", "b", "c", "d"}, heard(t, s, alice))
}

// TestAnIDThatAStepDropped is free for other sessions, though the table has it still, and the
// turn that had it no longer takes it for its own.
func TestAnIDThatAStepDropped(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int64{"by a step that lies there": 0, "by one in the tables": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, alice, l := ongoing(t, time.Now)
			call := []store.ToolCall{{ID: "call_1", Status: run.StatusRunning}}
			again := store.Changes{ToolCalls: call}
			require.NoError(t, s.Commit(t.Context(), alice, l, again))
			require.NoError(t, s.settle(t.Context(), "")) // into the table
			other := store.FirstLock("ses_2", time.Now().Add(time.Hour))
			opened := store.Changes{Open: &store.Session{ID: "ses_2"}, ToolCalls: call}
			require.Equal(t, store.ReasonIDTaken, fault.ReasonOf(s.Commit(t.Context(), alice, other, opened)))
			require.NoError(t, s.Commit(t.Context(), alice, l, again), "its own id")
			require.NoError(t, s.Commit(t.Context(), alice, l, store.Changes{DropToolCalls: []string{"call_1"}, MaxSessionBytes: most}))
			require.NoError(t, s.Commit(t.Context(), alice, other, opened))
			require.Equal(t, store.ReasonIDTaken, fault.ReasonOf(s.Commit(t.Context(), alice, l, again)), "another's by now")
			c, err := s.ToolCall(t.Context(), alice, "call_1")
			require.NoError(t, err)
			require.Equal(t, "ses_2", c.SessionID)
		})
	}
}

// TestLargeSteps are in the tables at once, so that a turn keeps no more than a bound of them.
func TestLargeSteps(t *testing.T) {
	t.Parallel()
	s, alice, l := ongoing(t, time.Now)
	most, rows := 0, 0
	for n := range 12 {
		c := said(string(rune('a' + n)))
		c.ToolCalls = []store.ToolCall{{ID: "call_" + string(rune('a'+n)), Status: run.StatusSucceeded, Output: noise(maxStepsBytes / 4)}}
		if n == 8 {
			c.ToolCalls[0].Output = noise(2 * maxStepsBytes)
		}
		require.NoError(t, s.Commit(t.Context(), alice, l, c))
		var held, steps int
		require.NoError(t, s.read.QueryRowContext(t.Context(), `SELECT coalesce(sum(length(step)), 0), count(*) FROM turn_steps`).Scan(&held, &steps))
		most, rows = max(most, held), max(rows, steps)
	}
	require.LessOrEqual(t, most, maxStepsBytes)
	require.Equal(t, 3, rows, "those that fit")
	require.Len(t, heard(t, s, alice), 12)
	c, err := s.ToolCall(t.Context(), alice, "call_i")
	require.NoError(t, err)
	require.Len(t, c.Output, 2*maxStepsBytes)
}

// TestAStepWaitsAsLongAsItsCaller: whoever waits for another's write gives up in time, and what
// was not written is not there.
func TestAStepWaitsAsLongAsItsCaller(t *testing.T) {
	t.Parallel()
	s, alice, l := ongoing(t, time.Now)
	require.NoError(t, s.Commit(t.Context(), alice, l, said("a")))
	require.NoError(t, s.tx(t.Context(), func(context.Context, *sql.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		require.ErrorIs(t, s.Commit(ctx, alice, l, said("b")), context.DeadlineExceeded)
		return nil
	}))
	require.NoError(t, s.Commit(t.Context(), alice, l, said("c")))
	require.Equal(t, []string{"a", "c"}, heard(t, s, alice))
}

// TestStepsOnAFullDisk: who asks for what cannot be written into the tables is told so, and is
// not given less; closing says so too, and nothing is lost.
func TestStepsOnAFullDisk(t *testing.T) {
	t.Parallel()
	s, alice, l := ongoing(t, time.Now)
	c := said("a")
	c.ToolCalls = []store.ToolCall{{ID: "call_1", Status: run.StatusSucceeded, Output: noise(100_000)}}
	require.NoError(t, s.Commit(t.Context(), alice, l, c))
	_, err := s.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1") // no page more than there are
	require.NoError(t, err)
	for range 2 {
		_, _, err = s.Messages(t.Context(), alice, "ses_1", "", store.Page{Size: 9})
		require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
		require.Contains(t, fault.FromStatus(err).Message, "is full")
	}
	err = s.Commit(t.Context(), alice, l, said(string(noise(100_000))))
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err), "%v", err)
	require.ErrorContains(t, s.Close(), "nothing is lost")
	next, err := Open(t.Context(), Config{Dir: s.cfg.Dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Close()) })
	require.Equal(t, []string{"a"}, heard(t, next, alice))
}

// wholeStepForm1 is wholeStep in form 1.
const wholeStepForm1 = "" +
	"01020a7365735f311a6f726465727320e8aea2e58d950864656d6f8e80eda3978198a2318ea8c3dd9e8198a231d8048e80b2afddd299a231020a7365735f311a6f7264657273" +
	"20e8aea2e58d950864656d6f8e80eda3978198a2318ea8c3dd9e8198a231d80402086d61696e02047b7d8e80eda3978198a231020a72756e5f310a72756e5f30026e0c726f75" +
	"7465720c63616c6c5f3102740c6661696c65648e80eda3978198a2318ee0a7a8d68498a2311069742062726f6b650202026b0276086d61696e12686f77206d616e793f" +
	"060a72756e5f310a72756e5f30026e0c726f757465720c63616c6c5f3102740c6661696c65648e80eda3978198a2318ee0a7a8d68498a2311069742062726f6b650202026b" +
	"02760a72756e5f320000000000000000000200000000000000000000000004086d61696e0a72756e5f3112617373697374616e740434328e80eda3978198a231040c63616c6c" +
	"5f310c63616c6c5f32020000000000000000040c63616c6c5f31086d61696e0a72756e5f310274024102047b7d0c63616c6c5f300c63616c6c5f32127375636365656465648e" +
	"80eda3978198a2318e80eda3978198a23106612e42020400ff0265025200000000000000000000000000000004087a73746400020c63616c6c5f3902808080808040"
