package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

// world is what a watch reads and where it tells: what was asked and sent is noted.
type world struct {
	mu       sync.Mutex
	newest   string
	findings []watch.Finding
	askErr   error
	sendErr  []error // of the next deliveries
	during   func()  // while it is asked
	asked    []string
	as       []run.Principal
	sent     []watch.Message
	looked   int
}

func (w *world) Freshness(_ context.Context, _ watch.Spec, tables []string) ([]watch.Mark, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked++
	var out []watch.Mark
	for _, t := range tables {
		out = append(out, watch.Mark{Table: t, Newest: w.newest})
	}
	return out, nil
}

func (w *world) Ask(ctx context.Context, _ watch.Spec, id string) (watch.Answer, error) {
	w.mu.Lock()
	during := w.during
	w.asked, w.as = append(w.asked, id), append(w.as, run.From(ctx).Principal)
	answer := watch.Answer{
		Title: "GMV", Summary: []string{"GMV was 12."}, Findings: w.findings, Marks: []watch.Mark{{Table: "eu.care.visit", Newest: w.newest}},
	}
	err := w.askErr
	w.mu.Unlock()
	if during != nil {
		during()
	}
	if ctx.Err() != nil {
		return watch.Answer{}, context.Cause(ctx)
	}
	return answer, err
}

func (w *world) Deliver(_ context.Context, _ string, m watch.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.sendErr) > 0 {
		err := w.sendErr[0]
		w.sendErr = w.sendErr[1:]
		if err != nil {
			return err
		}
	}
	w.sent = append(w.sent, m)
	return nil
}

// mortal is a store whose process dies before its n-th save: after that nothing of it works.
type mortal struct {
	analysis.Store
	mu    sync.Mutex
	saves int
	dies  int // 0: never
}

var errDead = errors.New("the process is dead")

func (m *mortal) SaveWatch(ctx context.Context, r watch.Record) (int64, error) {
	m.mu.Lock()
	m.saves++
	dead := m.dies > 0 && m.saves >= m.dies
	m.mu.Unlock()
	if dead {
		return 0, errDead
	}
	return m.Store.SaveWatch(ctx, r)
}

const (
	lease   = time.Minute
	recheck = 5 * time.Minute
)

// friday is a second before a tick of "0 8 * * *".
var friday = time.Date(2026, 3, 6, 7, 59, 59, 0, time.UTC)

type bench struct {
	*world
	clock *clocktest.Clock
	store analysis.Store
	ids   func(string) string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{world: &world{newest: "2026-03-05"}, clock: clocktest.At(friday), store: analysis.OpenSQLite(t.TempDir())}
	t.Cleanup(func() { require.NoError(t, b.store.Close()) })
	var mu sync.Mutex
	n := 0
	b.ids = func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s%d", prefix, n)
	}
	return b
}

// scheduler is that of one more process.
func (b *bench) scheduler(name string, store watch.Store) *watch.Scheduler {
	return watch.New(watch.Config{
		Runner: name, Lease: lease, Poll: time.Hour, Look: time.Hour, Recheck: recheck,
		Retries: []time.Duration{time.Minute, 10 * time.Minute}, Timeout: time.Hour, Batch: 4,
	}, watch.Deps{
		Store: store, Engine: b.world, Deliverer: b.world, Clock: b.clock.Now, IDs: b.ids, Log: slog.New(slog.DiscardHandler),
		Say: func(_ lang.Language, key string, args ...string) string { return fmt.Sprint(key, args) },
	})
}

func (b *bench) add(t *testing.T, change func(*watch.Spec)) {
	t.Helper()
	spec := watch.Spec{Name: "visits", Question: "visits by day", Schedule: "0 8 * * *", Target: "chat"}
	if change != nil {
		change(&spec)
	}
	schedule, err := watch.ParseSchedule(spec.Schedule, spec.TimeZone)
	require.NoError(t, err)
	state, err := json.Marshal(watch.State{Spec: spec, Grant: watch.Grant{Principal: "ann", Groups: []string{"care"}, GrantedAt: friday, ExpiresAt: friday.AddDate(0, 1, 0)}})
	require.NoError(t, err)
	require.NoError(t, b.store.CreateWatch(t.Context(), watch.Record{
		ID: "watch_1", Owner: "ann", Name: spec.Name, Status: watch.Active, Revision: 1, Due: schedule.Next(friday), Created: friday, Updated: friday, State: state,
	}, 10))
}

func (b *bench) get(t *testing.T) (watch.Record, watch.State) {
	t.Helper()
	r, err := b.store.GetWatch(t.Context(), "ann", "visits")
	require.NoError(t, err)
	var state watch.State
	require.NoError(t, json.Unmarshal(r.State, &state))
	return r, state
}

func (b *bench) outcomes(t *testing.T) (out []watch.Outcome) {
	t.Helper()
	_, state := b.get(t)
	for _, r := range state.Runs {
		out = append(out, r.Outcome)
	}
	return out
}

// TestATickIsRunOnce: nothing before its time, then once, as the owner without an
// administrator's rights, and again at the next tick; ticks that went by are one.
func TestATickIsRunOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, nil)
	s := b.scheduler("proc_1", b.store)
	require.NoError(t, s.RunDue(t.Context()))
	require.Empty(t, b.asked)
	b.clock.Set(friday.Add(time.Second))
	for range 3 {
		require.NoError(t, s.RunDue(t.Context()))
	}
	require.Len(t, b.sent, 1)
	require.Equal(t, []run.Principal{{ID: "ann", Groups: []string{"care"}}}, b.as)
	require.Equal(t, "GMV", b.sent[0].Title)
	require.Equal(t, []string{"GMV was 12."}, b.sent[0].Summary)
	r, state := b.get(t)
	require.Equal(t, friday.Add(time.Second).AddDate(0, 0, 1), r.Due)
	require.Empty(t, r.Runner)
	require.Equal(t, watch.Delivered, state.Runs[0].Outcome)
	require.Equal(t, b.asked[0], state.Runs[0].AnalysisID)

	b.clock.Move(5*24*time.Hour + time.Hour) // the server was off over five ticks
	require.NoError(t, s.RunDue(t.Context()))
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, b.sent, 2)
	require.NotEqual(t, b.sent[0].ID, b.sent[1].ID)
}

// TestDataHasToArrive: the first run reads what there is; later ones wait for more, as long
// as until the next tick.
func TestDataHasToArrive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, func(s *watch.Spec) { s.OnNewData = true })
	s := b.scheduler("proc_1", b.store)
	b.clock.Set(friday.Add(time.Second))
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, b.sent, 1)
	require.Zero(t, b.looked, "nothing was read before, so there is nothing to compare with")

	b.clock.Move(24 * time.Hour)
	require.NoError(t, s.RunDue(t.Context()))
	r, state := b.get(t)
	require.Equal(t, "watch_waits_for_data[]", state.Current.Message)
	require.Equal(t, b.clock.Now().Add(recheck), r.Due)
	b.clock.Move(recheck - time.Second)
	require.NoError(t, s.RunDue(t.Context()))
	require.Equal(t, 1, b.looked, "it is looked again when its time comes")
	b.newest = "2026-03-06"
	b.clock.Move(time.Second)
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, b.sent, 2)

	b.clock.Set(friday.Add(time.Second).AddDate(0, 0, 2)) // and once more, without any
	for range 300 {
		require.NoError(t, s.RunDue(t.Context()))
		b.clock.Move(recheck)
	}
	require.Len(t, b.sent, 2)
	require.Contains(t, b.outcomes(t), watch.NoNewData)
}

// TestWhatWasToldIsNotToldAgain: findings are told once, until they are gone.
func TestWhatWasToldIsNotToldAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, func(s *watch.Spec) { s.OnFinding = true })
	s := b.scheduler("proc_1", b.store)
	next := func(keys ...string) {
		b.findings = nil
		for _, k := range keys {
			b.findings = append(b.findings, watch.Finding{Key: k, Text: "It is " + k + "."})
		}
		r, _ := b.get(t)
		b.clock.Set(r.Due)
		require.NoError(t, s.RunDue(t.Context()))
	}
	next()
	require.Empty(t, b.sent)
	next("high")
	require.Len(t, b.sent, 1)
	require.Equal(t, []string{"It is high."}, b.sent[0].Findings)
	next("high")
	require.Len(t, b.sent, 1)
	next("high", "low", "low")
	require.Len(t, b.sent, 2)
	require.Equal(t, []string{"It is low."}, b.sent[1].Findings)
	next("low")
	next("low", "high") // it was gone in between
	require.Len(t, b.sent, 3)
	require.Equal(t, []string{"It is high."}, b.sent[2].Findings)
	require.Equal(t, []watch.Outcome{watch.Delivered, watch.Quiet, watch.Delivered, watch.Quiet, watch.Delivered, watch.Quiet}, b.outcomes(t))
}

// TestOfSeveralReplicasOneRunsIt: over one store, at once.
func TestOfSeveralReplicasOneRunsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, nil)
	b.clock.Set(friday.Add(time.Second))
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { _ = b.scheduler(fmt.Sprint("proc_", i), b.store).RunDue(t.Context()) })
	}
	all.Wait()
	require.Len(t, b.asked, 1)
	require.Len(t, b.sent, 1)
}

// TestAGrantThatEnded stops the watch in words, and nothing is asked.
func TestAGrantThatEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*watch.State)
		says   string
	}{
		"revoked": {func(s *watch.State) { s.Grant.RevokedAt, s.Grant.RevokedBy = friday, "boss" }, "watch_revoked[who boss at 2026-03-06]"},
		"expired": {func(s *watch.State) { s.Grant.ExpiresAt = friday.Add(time.Second) }, "watch_expired[at 2026-03-06]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add(t, nil)
			r, state := b.get(t)
			c.change(&state)
			r.State, _ = json.Marshal(state)
			_, err := b.store.SaveWatch(t.Context(), r)
			require.NoError(t, err)
			b.clock.Set(friday.Add(time.Second))
			s := b.scheduler("proc_1", b.store)
			require.NoError(t, s.RunDue(t.Context()))
			require.Empty(t, b.asked)
			r, state = b.get(t)
			require.Equal(t, watch.Stopped, r.Status)
			require.True(t, r.Due.IsZero())
			require.Equal(t, c.says, state.Stopped)
			require.Equal(t, watch.Ended, state.Runs[0].Outcome)
			b.clock.Move(100 * 24 * time.Hour)
			require.NoError(t, s.RunDue(t.Context()))
			require.Empty(t, b.asked)
		})
	}
}

// TestAProcessThatDies: killed before each of its saves. Another one goes on once the lease
// has lapsed: nothing is asked under two ids, one result is sent, and a second sending of
// it has the id of the first.
func TestAProcessThatDies(t *testing.T) {
	t.Parallel()
	saves := 0
	for dies := 1; dies <= max(saves, 1); dies++ {
		b := newBench(t)
		b.add(t, nil)
		b.clock.Set(friday.Add(time.Second))
		if dies == 1 { // how many saves a whole run has
			whole := newBench(t)
			whole.add(t, nil)
			whole.clock.Set(friday.Add(time.Second))
			store := &mortal{Store: whole.store}
			require.NoError(t, whole.scheduler("proc_0", store).RunDue(t.Context()))
			require.Len(t, whole.sent, 1)
			saves = store.saves
			require.GreaterOrEqual(t, saves, 5, "claim, ask, deliver, try, end")
		}
		dead := b.scheduler("proc_1", &mortal{Store: b.store, dies: dies})
		require.ErrorIs(t, dead.RunDue(t.Context()), errDead)
		other := b.scheduler("proc_2", b.store)
		if dies > 1 {
			before := len(b.asked)
			require.NoError(t, other.RunDue(t.Context()))
			require.Len(t, b.asked, before, "before the lease has lapsed it is the first one's (%d)", dies)
		}
		b.clock.Move(lease + time.Second)
		require.NoError(t, other.RunDue(t.Context()))
		require.NotEmpty(t, b.sent, dies)
		for _, id := range b.asked {
			require.Equal(t, b.asked[0], id, dies)
		}
		for _, m := range b.sent {
			require.Equal(t, b.sent[0].ID, m.ID, dies)
		}
		require.LessOrEqual(t, len(b.sent), 2, dies)
		if dies < saves {
			require.Len(t, b.sent, 1, dies)
		}
		require.Equal(t, []watch.Outcome{watch.Delivered}, b.outcomes(t), dies)
	}
}

// TestDeliveriesAreBounded: what may pass is tried again after the pauses, what may not is
// told at once.
func TestDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	busy := &watch.TemporaryError{Reason: "it answered 503"}
	for name, c := range map[string]struct {
		errs []error
		sent int
		is   watch.Outcome
		try  int
	}{
		"the third try": {[]error{busy, busy}, 1, watch.Delivered, 3},
		"never":         {[]error{busy, busy, busy, busy}, 0, watch.Undelivered, 3},
		"not wanted":    {[]error{errors.New("it answered 404")}, 0, watch.Undelivered, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add(t, nil)
			b.sendErr = c.errs
			s := b.scheduler("proc_1", b.store)
			b.clock.Set(friday.Add(time.Second))
			for range 20 {
				require.NoError(t, s.RunDue(t.Context()))
				b.clock.Move(time.Minute)
			}
			require.Len(t, b.sent, c.sent)
			require.Len(t, b.asked, 1, "it is asked once, however often it is sent")
			_, state := b.get(t)
			require.Equal(t, c.is, state.Runs[0].Outcome)
			require.Equal(t, c.try, state.Runs[0].Tries)
		})
	}
}

// TestWhatTheOwnerChangesMeanwhile: a pause lets the run at work end and no other begin; a
// grant that is revoked ends it there.
func TestWhatTheOwnerChangesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, nil)
	b.during = func() {
		r, _ := b.get(t)
		r.Status, r.Due = watch.Paused, time.Time{}
		_, err := b.store.SaveWatch(context.WithoutCancel(t.Context()), r)
		require.NoError(t, err)
	}
	s := b.scheduler("proc_1", b.store)
	b.clock.Set(friday.Add(time.Second))
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, b.sent, 1)
	r, _ := b.get(t)
	require.Equal(t, watch.Paused, r.Status)
	b.clock.Move(48 * time.Hour)
	require.NoError(t, s.RunDue(t.Context()))
	require.Len(t, b.asked, 1)

	b = newBench(t)
	b.add(t, nil)
	b.during = func() {
		r, state := b.get(t)
		state.Revoke("boss", b.clock.Now(), "it was revoked")
		r.State, _ = json.Marshal(state)
		r.Status, r.Due, r.Runner = watch.Stopped, time.Time{}, ""
		_, err := b.store.SaveWatch(context.WithoutCancel(t.Context()), r)
		require.NoError(t, err)
	}
	b.clock.Set(friday.Add(time.Second))
	require.NoError(t, b.scheduler("proc_1", b.store).RunDue(t.Context()))
	require.Empty(t, b.sent)
	require.Equal(t, []watch.Outcome{watch.Ended}, b.outcomes(t))
}

// TestQuestionsWithoutAnAnswer end the run in words, and what is busy is asked later.
func TestQuestionsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, nil)
	s := b.scheduler("proc_1", b.store)
	b.askErr = &watch.BusyError{Reason: "20 analyses are at work"}
	b.clock.Set(friday.Add(time.Second))
	require.NoError(t, s.RunDue(t.Context()))
	_, state := b.get(t)
	require.Equal(t, "20 analyses are at work", state.Current.Message)
	b.askErr = &watch.CannotError{Reason: "no table fits"}
	b.clock.Move(recheck)
	require.NoError(t, s.RunDue(t.Context()))
	require.Equal(t, b.asked[0], b.asked[1])
	_, state = b.get(t)
	require.Equal(t, watch.Failed, state.Runs[0].Outcome)
	require.Equal(t, "no table fits", state.Runs[0].Message)

	b.askErr = errors.New("dial tcp 10.0.0.1: connection refused")
	r, _ := b.get(t)
	b.clock.Set(r.Due)
	require.NoError(t, s.RunDue(t.Context()))
	_, state = b.get(t)
	require.Contains(t, state.Runs[0].Message, "internal[run ")
	require.NotContains(t, state.Runs[0].Message, "10.0.0.1")
}
