package analysis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Reasons of faults.
const (
	reasonUnknown    = "ANALYSIS_UNKNOWN"
	reasonNotWaiting = "ANALYSIS_NOT_WAITING"
	reasonPlan       = "ANALYSIS_PLAN_CHANGED"
	reasonBadPlan    = "ANALYSIS_PLAN_INVALID"
	reasonFull       = "ANALYSES_FULL"
	reasonRunning    = "ANALYSES_RUNNING"
	reasonNoReport   = "ANALYSIS_NO_REPORT"
	reasonTooLarge   = "ANALYSIS_TOO_LARGE"
)

// Why a stretch of work was ended from outside.
var (
	errCancelled = errors.New("the analysis was cancelled")
	errLost      = errors.New("another process has the analysis")
	errStopping  = errors.New("the service is stopping")
)

// live are the analyses at work in this process, and who waits for a change of one.
type live struct {
	mu      sync.Mutex
	stop    map[string]context.CancelCauseFunc
	changed map[string]chan struct{}
	work    sync.WaitGroup
}

func newLive() *live {
	return &live{stop: make(map[string]context.CancelCauseFunc), changed: make(map[string]chan struct{})}
}

// next is closed at the next change of an analysis that this process makes.
func (l *live) next(id string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed[id] == nil {
		l.changed[id] = make(chan struct{})
	}
	return l.changed[id]
}

func (l *live) tell(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.changed[id]; c != nil {
		close(c)
		delete(l.changed, id)
	}
}

// end ends the work on an analysis, if it is done here.
func (l *live) end(id string, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stop := l.stop[id]; stop != nil {
		stop(why)
	}
}

// has reports whether an analysis is at work here.
func (l *live) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stop[id] != nil
}

// at returns how many are at work.
func (l *live) at() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.stop)
}

// item is an analysis while this process has it.
type item struct {
	record Record
	state  *workflow.State
}

func (i *item) pack(most int) error {
	raw, err := json.Marshal(i.state)
	if err != nil {
		return fmt.Errorf("store an analysis: %w", err)
	}
	if len(raw) > most {
		return fault.New(codes.ResourceExhausted, reasonTooLarge, fmt.Sprintf(
			"The results of the analysis take %d bytes, above analysis.max_state_bytes (%d): ask for fewer rows or steps.", len(raw), most))
	}
	i.record.State, i.record.Status = raw, i.state.Status
	return nil
}

func (s *Service) unpack(r Record) (*item, error) {
	state := &workflow.State{}
	if err := json.Unmarshal(r.State, state); err != nil {
		return nil, fmt.Errorf("read the stored analysis %s: %w", r.ID, err)
	}
	return &item{record: r, state: state}, nil
}

// load reads an analysis of a person's own.
func (s *Service) load(ctx context.Context, p run.Principal, id string) (*item, error) {
	r, err := s.deps.Store.Get(ctx, p.ID, id)
	if errors.Is(err, ErrUnknown) {
		return nil, fault.NotFound(reasonUnknown, "There is no analysis %q of yours. ListAnalyses, or `dibrain analyze list`, lists them.", lang.Shorten(id, 64))
	}
	if err != nil {
		return nil, err
	}
	return s.unpack(r)
}

// interrupted reports an analysis that counts as at work and whose process is dead.
func (s *Service) interrupted(r Record) bool {
	return r.Status == run.StatusRunning && (r.Runner == "" || s.deps.Clock().After(r.LeaseUntil))
}

// claim makes this process the one at work, if nobody was quicker.
func (s *Service) claim(ctx context.Context, i *item) error {
	if s.live.at() >= s.config.MaxRunning {
		return fault.New(codes.ResourceExhausted, reasonRunning, fmt.Sprintf(
			"%d analyses are at work already, which is the most (analysis.max_running). Try again when one has ended.", s.config.MaxRunning))
	}
	now := s.deps.Clock()
	i.record.Runner, i.record.LeaseUntil, i.record.Updated = s.instance, now.Add(s.config.Lease), now
	if err := i.pack(s.config.MaxStateBytes); err != nil {
		return err
	}
	revision, err := s.deps.Store.Save(ctx, i.record)
	if errors.Is(err, ErrChanged) {
		return notWaiting()
	}
	i.record.Revision = revision
	return err
}

func notWaiting() error {
	return fault.New(codes.FailedPrecondition, reasonNotWaiting,
		"The analysis does not wait for this: somebody else has decided meanwhile, or it has ended. GetAnalysis, or `dibrain analyze show`, says where it stands.")
}

// work goes on with a claimed analysis in the background, as the caller of ctx, until it
// ends, waits, or is ended.
func (s *Service) work(ctx context.Context, i *item) {
	rc := run.From(ctx)
	rc.Now, rc.TimeZone = i.state.Query.Now, i.state.Query.TimeZone
	ctx, stop := context.WithCancelCause(context.WithoutCancel(run.With(ctx, rc)))
	ctx, timeUp := context.WithTimeout(ctx, s.config.MaxDuration)
	id := i.record.ID
	ctx, told := rpc.AuditWork(ctx, s.deps.Audit, "analysis", id)
	s.live.mu.Lock()
	s.live.stop[id] = stop
	s.live.mu.Unlock()
	s.live.work.Add(1)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.beat(ctx, id, stop)
	}()
	go func() {
		defer s.live.work.Done()
		err := s.workflow.Run(ctx, i.state, func(ctx context.Context, _ *workflow.State) error { return s.save(ctx, i) })
		s.ended(context.WithoutCancel(ctx), i, err, context.Cause(ctx))
		told(err)
		stop(nil)
		timeUp()
		<-beating
		s.live.mu.Lock()
		delete(s.live.stop, id)
		s.live.mu.Unlock()
		s.live.tell(id)
	}()
}

// beat says from time to time that this process lives, and notices when the analysis is
// no longer its own: it was cancelled in another process, or taken up by one.
func (s *Service) beat(ctx context.Context, id string, stop context.CancelCauseFunc) {
	tick := time.NewTicker(s.config.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.deps.Store.Extend(ctx, id, s.instance, s.deps.Clock().Add(s.config.Lease)); errors.Is(err, ErrChanged) {
			stop(errLost)
			return
		}
	}
}

// save stores where an analysis stands after a node.
func (s *Service) save(ctx context.Context, i *item) error {
	i.record.Updated = s.deps.Clock()
	i.record.LeaseUntil = i.record.Updated.Add(s.config.Lease)
	if err := i.pack(s.config.MaxStateBytes); err != nil {
		return err
	}
	if i.record.Status != run.StatusRunning {
		i.record.Runner = ""
	}
	// A node that has ended well is stored, whatever ended the work meanwhile.
	revision, err := s.deps.Store.Save(context.WithoutCancel(ctx), i.record)
	if errors.Is(err, ErrChanged) {
		return errLost
	}
	if err != nil {
		return err
	}
	i.record.Revision = revision
	s.live.tell(i.record.ID)
	return nil
}

// ended stores how a stretch ended that the workflow did not end itself.
func (s *Service) ended(ctx context.Context, i *item, err, why error) {
	if err == nil || errors.Is(err, errLost) || errors.Is(why, errLost) || errors.Is(why, errCancelled) {
		return // stored already, by this process or by another one
	}
	if errors.Is(why, errStopping) { // whoever comes next goes on after the last node
		i.record.Runner = ""
	} else {
		s.deps.Log.ErrorContext(ctx, "an analysis failed", "analysis_id", i.record.ID, "node", i.state.Next, "error", err)
		i.state.Status = run.StatusFailed
		i.state.Error = s.words.Say(i.state.Query.Language, "internal", "run", run.From(ctx).Tag())
		if errors.Is(why, context.DeadlineExceeded) {
			i.state.Status, i.state.Error = run.StatusTimedOut, s.words.Say(i.state.Query.Language, "timed_out")
		} else if own := writtenForPeople(err); own != "" {
			i.state.Error = own
		}
		i.state.Message, i.record.Runner = i.state.Error, ""
	}
	if perr := i.pack(s.config.MaxStateBytes); perr != nil {
		i.state.Results, i.state.Report = nil, nil // too large is told without what is
		if perr = i.pack(s.config.MaxStateBytes); perr != nil {
			s.deps.Log.ErrorContext(ctx, "an analysis cannot be stored", "analysis_id", i.record.ID, "error", perr)
			return
		}
	}
	i.record.Updated = s.deps.Clock()
	if _, serr := s.deps.Store.Save(ctx, i.record); serr != nil && !errors.Is(serr, ErrChanged) {
		s.deps.Log.ErrorContext(ctx, "how an analysis ended cannot be stored", "analysis_id", i.record.ID, "error", serr)
	}
}

// writtenForPeople is what an error says to whoever asked: a fault of this service, or one
// that another service has answered with; "" where nobody wrote it for them.
func writtenForPeople(err error) string {
	own, answered := new(fault.Error), interface{ GRPCStatus() *status.Status }(nil)
	switch {
	case errors.As(err, new(*flow.PanicError)):
		return ""
	case errors.As(err, &own):
		return own.Message
	case errors.As(err, &answered):
		if from := fault.FromStatus(answered.GRPCStatus().Err()); from != nil && from.Reason != "" && from.Code != codes.Internal {
			return from.Message
		}
	}
	return ""
}

// follow tells where an analysis stands, at once and at every change, until it ends or
// waits.
func (s *Service) follow(ctx context.Context, p run.Principal, id string, tell func(*item) error) error {
	last := int64(-1)
	tick := time.NewTicker(s.config.Poll)
	defer tick.Stop()
	look := time.NewTicker(s.config.Look)
	defer look.Stop()
	for {
		next := s.live.next(id)
		i, err := s.load(ctx, p, id)
		if err != nil {
			return err
		}
		if i.record.Revision != last {
			last = i.record.Revision
			if err := tell(i); err != nil {
				return err
			}
		}
		if i.record.Status != run.StatusRunning || s.interrupted(i.record) {
			return nil
		}
		for seen := i.record.Revision; seen == i.record.Revision; {
			select {
			case <-ctx.Done():
				return fault.FromStatus(context.Cause(ctx))
			case <-next:
				seen = -1
			case <-tick.C: // its process may have died, which is no change
				seen = -1
			case <-look.C:
				if s.live.has(id) {
					continue // it is told of
				}
				if seen, err = s.deps.Store.Revision(ctx, p.ID, id); err != nil {
					return err
				}
			}
		}
	}
}
