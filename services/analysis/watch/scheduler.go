package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
)

// Engine answers the question of a watch. Each call is made as the principal of its
// context, which runs by the grant.
type Engine interface {
	// Freshness says how far the data of tables reaches. A table that the principal may
	// not read is an error.
	Freshness(ctx context.Context, spec Spec, tables []string) ([]Mark, error)
	// Ask answers under an id of the caller's choice. It begins what is not there, goes on
	// with what was cut, and reads what has ended, so that a second call under the same id
	// asks nothing twice. Errors: BusyError where it has to be tried again later,
	// CannotError where there is no answer.
	Ask(ctx context.Context, spec Spec, id string) (Answer, error)
}

// Answer is what a question was answered with.
type Answer struct {
	Title    string
	Summary  []string
	Findings []Finding
	Marks    []Mark
}

// BusyError says that a question has to be asked again later.
type BusyError struct{ Reason string }

// Error implements error.
func (e *BusyError) Error() string { return e.Reason }

// CannotError says why there is no answer, in words for the owner.
type CannotError struct{ Reason string }

// Error implements error.
func (e *CannotError) Error() string { return e.Reason }

// Message is what is sent.
type Message struct {
	// ID is that of the run: the same at every try.
	ID         string
	Watch      string
	Title      string
	Findings   []string
	Summary    []string
	AnalysisID string
	At         time.Time
	Language   lang.Language
}

// Deliverer sends results to targets. Errors: TemporaryError where another try may help.
type Deliverer interface {
	Deliver(ctx context.Context, target string, m Message) error
}

// TemporaryError says that another try of a delivery may help.
type TemporaryError struct{ Reason string }

// Error implements error.
func (e *TemporaryError) Error() string { return e.Reason }

// Config of a Scheduler.
type Config struct {
	// Runner is this process, as the store knows it.
	Runner string
	// Lease is how long a process is taken to live after its last sign, Poll how often it
	// gives one, and Look how often it looks for what is due.
	Lease, Poll, Look time.Duration
	// Recheck is how often data is looked for that has not arrived.
	Recheck time.Duration
	// Retries are the pauses before further tries of a delivery; Timeout bounds one run.
	Retries []time.Duration
	Timeout time.Duration
	// Batch is how many watches run at a time.
	Batch int
}

// Deps are what a Scheduler works with.
type Deps struct {
	Store     Store
	Engine    Engine
	Deliverer Deliverer
	Say       func(l lang.Language, key string, args ...string) string
	Clock     func() time.Time
	IDs       func(prefix string) string
	Log       *slog.Logger
	Audit     *slog.Logger // has a line for each stretch of a run; nil: none is kept
}

// Scheduler runs watches. It may be used concurrently.
type Scheduler struct {
	config Config
	deps   Deps
}

// New returns a scheduler.
func New(config Config, deps Deps) *Scheduler { return &Scheduler{config: config, deps: deps} }

// Loop looks for what is due until ctx ends.
func (s *Scheduler) Loop(ctx context.Context) {
	tick := time.NewTicker(s.config.Look)
	defer tick.Stop()
	for {
		if err := s.RunDue(ctx); err != nil && ctx.Err() == nil {
			s.deps.Log.ErrorContext(ctx, "watches that are due cannot be run", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// RunDue does what is due now, and returns when that is done. What another process has is
// left to it.
func (s *Scheduler) RunDue(ctx context.Context) error {
	due, err := s.deps.Store.DueWatches(ctx, s.deps.Clock(), s.config.Batch)
	if err != nil {
		return err
	}
	errs := make([]error, len(due))
	var all sync.WaitGroup
	for i, r := range due {
		all.Go(func() {
			if err := s.claimAndRun(ctx, r, nil); err != nil && !errors.Is(err, ErrChanged) {
				errs[i] = fmt.Errorf("run the watch %s: %w", r.ID, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// RunNow runs one at once, beside its schedule. forced lets it pass the gates. A run that
// waits for data or another try of its delivery goes on at once.
func (s *Scheduler) RunNow(ctx context.Context, r Record, forced bool) error {
	return s.claimAndRun(ctx, r, func(st *State, now time.Time) {
		if st.Current == nil {
			st.Current = &Run{ID: s.deps.IDs("wrun_"), Due: now, Began: now, Stage: StageData}
		}
		st.Current.Forced = st.Current.Forced || forced
	})
}

// Busy reports whether a living process has a watch.
func (s *Scheduler) Busy(r Record) bool {
	return r.Runner != "" && !s.deps.Clock().After(r.LeaseUntil)
}

// work is a watch while this process has it.
type work struct {
	record  Record
	state   State
	speaks  lang.Language
	claimed bool
}

// claimAndRun makes this process the one at work and takes the watch as far as it goes now.
// ErrChanged: somebody else was quicker.
func (s *Scheduler) claimAndRun(ctx context.Context, r Record, begin func(*State, time.Time)) error {
	w := &work{record: r}
	if err := json.Unmarshal(r.State, &w.state); err != nil {
		return fmt.Errorf("read the stored watch: %w", err)
	}
	w.speaks = w.state.Spec.Language()
	now := s.deps.Clock()
	if begin != nil {
		begin(&w.state, now)
	} else if w.state.Current == nil {
		w.state.Current = &Run{ID: s.deps.IDs("wrun_"), Due: r.Due, Began: now, Stage: StageData}
	}
	w.record.Runner = s.config.Runner
	if err := s.save(ctx, w); err != nil {
		return err
	}
	w.claimed = true
	ctx = run.With(run.WithTracker(ctx, &run.Tracker{Clock: s.deps.Clock, NewID: s.deps.IDs, Service: "analysis"}), run.Context{
		Principal: w.state.Grant.Runs(), Now: now, TimeZone: w.state.Spec.TimeZone,
	})
	ctx, step := run.Start(ctx, "analysis.watch")
	step.Set("watch", w.record.ID)
	ctx, told := rpc.AuditWork(ctx, s.deps.Audit, "watch", w.record.ID)
	working, stop := context.WithCancelCause(ctx)
	working, timeUp := context.WithTimeout(working, s.config.Timeout)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.beat(working, w.record.ID, stop)
	}()
	err := s.advance(working, w)
	if cause := context.Cause(working); errors.Is(cause, ErrChanged) {
		err = ErrChanged
	}
	timeUp()
	stop(nil)
	<-beating
	told(err)
	step.End(err)
	return err
}

// beat says from time to time that this process lives, and ends the work on a watch that is
// no longer its own: it was revoked, removed or taken up by another.
func (s *Scheduler) beat(ctx context.Context, id string, stop context.CancelCauseFunc) {
	tick := time.NewTicker(s.config.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.deps.Store.ExtendWatch(ctx, id, s.config.Runner, s.deps.Clock().Add(s.config.Lease)); errors.Is(err, ErrChanged) {
			stop(ErrChanged)
			return
		}
	}
}

// save stores where a watch stands while it is this process's.
func (s *Scheduler) save(ctx context.Context, w *work) error {
	raw, err := json.Marshal(w.state)
	if err != nil {
		return fmt.Errorf("store a watch: %w", err)
	}
	w.record.State, w.record.Updated = raw, s.deps.Clock()
	w.record.LeaseUntil = time.Time{}
	if w.record.Runner != "" {
		w.record.LeaseUntil = w.record.Updated.Add(s.config.Lease)
	}
	ctx = context.WithoutCancel(ctx)
	for range savedAgain {
		var revision int64
		if revision, err = s.deps.Store.SaveWatch(ctx, w.record); err == nil {
			w.record.Revision = revision
			return nil
		}
		if !errors.Is(err, ErrChanged) || s.adopt(ctx, w) != nil {
			return err
		}
	}
	return err
}

// savedAgain is how often a watch is stored that its owner changes meanwhile.
const savedAgain = 5

// adopt takes over what the owner has changed of a watch that is still this process's: its
// status and its grant. ErrChanged where it is not.
func (s *Scheduler) adopt(ctx context.Context, w *work) error {
	have, err := s.deps.Store.GetWatch(ctx, w.record.Owner, w.record.ID)
	if errors.Is(err, ErrUnknown) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	var state State
	if err := json.Unmarshal(have.State, &state); err != nil {
		return fmt.Errorf("read the stored watch: %w", err)
	}
	if !w.claimed || have.Runner != s.config.Runner {
		return ErrChanged
	}
	w.record.Revision, w.record.Status, w.state.Grant, w.state.Stopped = have.Revision, have.Status, state.Grant, state.Stopped
	raw, err := json.Marshal(w.state)
	w.record.State = raw
	return err
}

// later leaves the run where it is until a time.
func (s *Scheduler) later(ctx context.Context, w *work, at time.Time, message string) error {
	w.state.Current.Message = message
	w.record.Due, w.record.Runner = at, ""
	return s.save(ctx, w)
}

// finish ends the run and waits for the next tick. Ticks that went by meanwhile are one.
func (s *Scheduler) finish(ctx context.Context, w *work, o Outcome, message string) error {
	done := *w.state.Current
	done.Outcome, done.Message, done.Ended, done.Stage = o, message, s.deps.Clock(), ""
	if o == Delivered || o == Kept || o == Quiet || o == Undelivered {
		w.state.Marks = done.Marks
	}
	switch o {
	case Delivered, Kept: // what is found no more may be told again when it comes back
		w.state.Told = done.Keys
	case Quiet:
		w.state.Told = slices.DeleteFunc(w.state.Told, func(k string) bool { return !slices.Contains(done.Keys, k) })
	}
	done.Keys, done.Marks, done.Summary = nil, nil, nil
	w.state.put(done)
	w.record.Runner = ""
	if w.record.Status == Active {
		at, err := s.tick(w.state.Spec)
		if err != nil {
			return err
		}
		w.record.Due = at
	}
	return s.save(ctx, w)
}

// tick is the next one of a schedule.
func (s *Scheduler) tick(spec Spec) (time.Time, error) {
	schedule, err := ParseSchedule(spec.Schedule, spec.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	return schedule.Next(s.deps.Clock()), nil
}

// advance takes a claimed watch from its stored stage as far as it goes now.
func (s *Scheduler) advance(ctx context.Context, w *work) error {
	if why := s.Ended(w.state.Grant, w.speaks); why != "" {
		w.record.Status, w.record.Due, w.state.Stopped = Stopped, time.Time{}, why
		return s.finish(ctx, w, Ended, why)
	}
	for {
		before := w.state.Current.Stage
		var on bool
		var err error
		switch before {
		case StageData:
			on, err = s.data(ctx, w)
		case StageAsk:
			on, err = s.ask(ctx, w)
		default:
			return s.deliver(ctx, w)
		}
		if err != nil || !on {
			return err
		}
		if err := s.save(ctx, w); err != nil { // the next stage, before it is done
			return err
		}
	}
}

// Ended says why a grant does not hold, in a sentence; "" where it does.
func (s *Scheduler) Ended(g Grant, l lang.Language) string {
	switch {
	case !g.RevokedAt.IsZero():
		return s.deps.Say(l, "watch_revoked", "who", g.RevokedBy, "at", g.RevokedAt.UTC().Format(time.DateOnly))
	case !s.deps.Clock().Before(g.ExpiresAt):
		return s.deps.Say(l, "watch_expired", "at", g.ExpiresAt.UTC().Format(time.DateOnly))
	}
	return ""
}

// data is the gate before the work: whether there is anything new to read.
func (s *Scheduler) data(ctx context.Context, w *work) (on bool, err error) {
	current, spec := w.state.Current, w.state.Spec
	next := func() (bool, error) {
		current.Stage, current.AnalysisID, current.Message = StageAsk, s.deps.IDs("ana_"), ""
		return true, nil
	}
	if !spec.OnNewData || current.Forced || len(w.state.Marks) == 0 {
		return next()
	}
	tables := spec.Tables
	if len(tables) == 0 {
		for _, m := range w.state.Marks {
			tables = append(tables, m.Table)
		}
	}
	now, err := s.deps.Engine.Freshness(ctx, spec, tables)
	if err != nil {
		return false, s.failed(ctx, w, err)
	}
	if newer, _ := arrived(w.state.Marks, now, len(spec.Tables) > 0); newer {
		return next()
	}
	again := s.deps.Clock().Add(s.config.Recheck)
	tick, err := s.tick(spec)
	if err != nil {
		return false, err
	}
	if !tick.IsZero() && !again.Before(tick) {
		return false, s.finish(ctx, w, NoNewData, s.deps.Say(w.speaks, "watch_no_new_data"))
	}
	return false, s.later(ctx, w, again, s.deps.Say(w.speaks, "watch_waits_for_data"))
}

// ask answers the question and looks whether there is anything to tell.
func (s *Scheduler) ask(ctx context.Context, w *work) (on bool, err error) {
	current, spec := w.state.Current, w.state.Spec
	a, err := s.deps.Engine.Ask(ctx, spec, current.AnalysisID)
	if err != nil {
		return false, s.failed(ctx, w, err)
	}
	current.Title, current.Summary, current.Marks = a.Title, a.Summary[:min(len(a.Summary), maxSummary)], a.Marks
	current.Keys, current.Findings = nil, nil
	for _, f := range a.Findings[:min(len(a.Findings), maxKeys)] {
		current.Keys = append(current.Keys, f.Key)
	}
	fresh := untold(a.Findings, w.state.Told)
	for _, f := range fresh[:min(len(fresh), maxFindings)] {
		current.Findings = append(current.Findings, f.Text)
	}
	if spec.OnFinding && !current.Forced && len(fresh) == 0 {
		key := "watch_quiet"
		if len(a.Findings) > 0 {
			key = "watch_told_before"
		}
		return false, s.finish(ctx, w, Quiet, s.deps.Say(w.speaks, key))
	}
	current.Stage = StageDeliver
	return true, nil
}

// failed ends a run whose question has no answer, or leaves it for later.
func (s *Scheduler) failed(ctx context.Context, w *work, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return s.finish(ctx, w, Failed, s.deps.Say(w.speaks, "watch_timed_out"))
	case cause != nil: // the process stops, or the watch is another's: it goes on from here
		return errors.Join(s.release(ctx, w), cause)
	}
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		return s.later(ctx, w, s.deps.Clock().Add(s.config.Recheck), busy.Reason)
	}
	if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
		return s.finish(ctx, w, Failed, cannot.Reason)
	}
	s.deps.Log.ErrorContext(ctx, "the question of a watch failed", "watch_id", w.record.ID, "error", err)
	message := s.deps.Say(w.speaks, "internal", "run", run.From(ctx).Tag())
	if own := fault.FromStatus(err); own.Reason != "" { // written for people
		message = own.Message
	}
	return s.finish(ctx, w, Failed, message)
}

// release gives the watch back as it is, to whoever comes next.
func (s *Scheduler) release(ctx context.Context, w *work) error {
	w.record.Runner = ""
	if w.record.Status == Active {
		w.record.Due = s.deps.Clock()
	}
	if err := s.save(ctx, w); err != nil && !errors.Is(err, ErrChanged) {
		return err
	}
	return nil
}

// deliver sends the result. A try is counted before it is made, so that a process that dies
// in the middle of each does not try for ever.
func (s *Scheduler) deliver(ctx context.Context, w *work) error {
	current, spec := w.state.Current, w.state.Spec
	if spec.Target == "" {
		return s.finish(ctx, w, Kept, s.deps.Say(w.speaks, "watch_kept"))
	}
	if current.Tries > len(s.config.Retries) {
		return s.finish(ctx, w, Undelivered, s.deps.Say(w.speaks, "watch_undelivered", "target", spec.Target, "reason", current.Message))
	}
	current.Tries++
	if err := s.save(ctx, w); err != nil {
		return err
	}
	err := s.deps.Deliverer.Deliver(ctx, spec.Target, Message{
		ID: current.ID, Watch: spec.Name, Title: current.Title, Findings: current.Findings, Summary: current.Summary,
		AnalysisID: current.AnalysisID, At: current.Began, Language: w.speaks,
	})
	if err == nil {
		return s.finish(ctx, w, Delivered, s.deps.Say(w.speaks, "watch_delivered", "target", spec.Target))
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return errors.Join(s.release(ctx, w), cause)
	}
	temporary := (*TemporaryError)(nil)
	if !errors.As(err, &temporary) || current.Tries > len(s.config.Retries) {
		return s.finish(ctx, w, Undelivered, s.deps.Say(w.speaks, "watch_undelivered", "target", spec.Target, "reason", err.Error()))
	}
	return s.later(ctx, w, s.deps.Clock().Add(s.config.Retries[current.Tries-1]), err.Error())
}
