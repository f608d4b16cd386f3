package run

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Attribute keys of spans, and of log lines (pkg/telemetry).
const (
	AttrRunID       = "run_id"
	AttrParentRunID = "parent_run_id"
	AttrSessionID   = "session_id"
	AttrToolCallID  = "tool_call_id"
	AttrToolName    = "tool_name"
	AttrService     = "service"
	AttrOutcome     = "outcome"
	AttrCallerRunID = "caller_run_id"
)

const scopeName = "github.com/dibrain/dibrain/pkg/run"

// Tracker says with which clock, ids and tracer the steps of a process are
// made. What is nil has a default: the wall clock, random ids, and the tracer
// provider of the span that the context already carries.
type Tracker struct {
	Clock   func() time.Time
	NewID   func(prefix string) string
	Tracer  trace.Tracer
	Service string
	// OnStart hears of every run that begins; it must be quick and safe for
	// concurrent use.
	OnStart func(Context)
}

type trackerKey struct{}

// WithTracker returns a context whose steps are made by t.
func WithTracker(ctx context.Context, t *Tracker) context.Context {
	return context.WithValue(ctx, trackerKey{}, t)
}

func trackerOf(ctx context.Context) *Tracker {
	if t, _ := ctx.Value(trackerKey{}).(*Tracker); t != nil {
		return t
	}
	return &Tracker{}
}

func (t *Tracker) now() time.Time {
	if t.Clock == nil {
		return time.Now()
	}
	return t.Clock()
}

func (t *Tracker) newID(prefix string) string {
	if t.NewID == nil {
		return NewIDAt(prefix, t.now(), nil)
	}
	return t.NewID(prefix)
}

func (t *Tracker) tracer(ctx context.Context) trace.Tracer {
	if t.Tracer != nil {
		return t.Tracer
	}
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(scopeName)
}

// Now returns the run's one "now" in the asker's location. Outside a run it is
// the tracker's clock, so two calls may differ.
func Now(ctx context.Context) time.Time {
	rc := From(ctx)
	now := rc.Now
	if now.IsZero() {
		now = trackerOf(ctx).now()
	}
	return now.In(rc.Location())
}

// Clock reads the tracker's clock: what a duration is measured with, where Now
// stands still for the whole run.
func Clock(ctx context.Context) time.Time { return trackerOf(ctx).now() }

// Step is one piece of work of a run while it is at work. It is safe for
// concurrent use. Every Step needs End.
type Step struct {
	tracker  *Tracker
	recorder *Recorder
	span     trace.Span

	mu       sync.Mutex
	record   Record
	admitted *entry // nil: the recorder had no room, or there is none
	outcome  Outcome
	ended    bool
}

// Start begins a child of the run of ctx, or a root run where ctx has none. The
// returned context is the child's: steps, calls and log lines made with it
// belong to the child. attrs are pairs of short facts, as in Set.
func Start(ctx context.Context, name string, attrs ...string) (context.Context, *Step) {
	t := trackerOf(ctx)
	rc := From(ctx)
	started := t.now()
	rc.ParentRunID, rc.RunID = rc.RunID, t.newID(PrefixRun)
	caller := rc.CallerRunID
	rc.CallerRunID = "" // its children have a parent of their own
	if rc.RootRunID == "" {
		if rc.RootRunID = rc.ParentRunID; rc.RootRunID == "" {
			rc.RootRunID = rc.RunID
		}
	}
	if rc.Now.IsZero() {
		rc.Now = started
	}
	ctx, span := t.tracer(ctx).Start(With(ctx, rc), name, trace.WithTimestamp(started))
	if span.IsRecording() {
		span.SetAttributes(spanAttributes(rc, t.Service)...)
	}
	s := &Step{
		tracker: t, recorder: recorderOf(ctx), span: span,
		record: Record{
			RunID: rc.RunID, ParentRunID: rc.ParentRunID, Name: clip(name, maxValueBytes), Service: t.Service,
			ToolCallID: rc.ToolCallID, ToolName: rc.ToolName, Status: StatusRunning, StartedAt: started,
		},
	}
	s.admitted = s.recorder.admit(s.record)
	if t.OnStart != nil {
		t.OnStart(rc)
	}
	if caller != "" {
		s.Set(AttrCallerRunID, caller)
	}
	for i := 0; i+1 < len(attrs); i += 2 {
		s.Set(attrs[i], attrs[i+1])
	}
	return ctx, s
}

// RunID returns the id of the step's run.
func (s *Step) RunID() string { return s.record.RunID }

// Set notes a short fact about the step in its record and its span. Values are
// cut at 1 KiB and a step keeps 32 of them. Never put row values or secrets in.
func (s *Step) Set(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if _, known := s.record.Attributes[key]; !known && len(s.record.Attributes) >= maxAttributes {
		return
	}
	if s.record.Attributes == nil {
		s.record.Attributes = make(map[string]string)
	}
	key, value = clip(key, maxKeyBytes), clip(value, maxValueBytes)
	s.record.Attributes[key] = value
	if s.span.IsRecording() {
		s.span.SetAttributes(attribute.String(key, value))
	}
	s.recorder.update(s.admitted, s.record)
}

// SetOutcome notes what came of the step where no error says it. A span of an
// outcome that is not good ends with the status Error, so that whoever looks for
// what went wrong finds it.
func (s *Step) SetOutcome(o Outcome) {
	s.Set(AttrOutcome, string(o))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome = o
}

// End ends the step with the state that err stands for. Later calls do nothing.
func (s *Step) End(err error) { s.EndAs(StatusOf(err), err) }

// EndAs ends the step in a state that no error stands for, such as waiting.
func (s *Step) EndAs(state Status, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	s.record.Status = state
	s.record.EndedAt = s.tracker.now()
	s.record.Error = errorText(err)
	s.recorder.update(s.admitted, s.record)
	switch {
	case err != nil:
		s.span.RecordError(err)
		s.span.SetStatus(codes.Error, s.record.Error)
	case s.outcome != "" && !s.outcome.Good():
		s.span.SetStatus(codes.Error, string(s.outcome))
	}
	s.span.End(trace.WithTimestamp(s.record.EndedAt))
}

// Record returns the step's record as it is now.
func (s *Step) Record() Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.clone()
}

func spanAttributes(rc Context, service string) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 6)
	for _, kv := range [...][2]string{
		{AttrRunID, rc.RunID}, {AttrParentRunID, rc.ParentRunID}, {AttrSessionID, rc.SessionID},
		{AttrToolCallID, rc.ToolCallID}, {AttrToolName, rc.ToolName}, {AttrService, service},
	} {
		if kv[1] != "" {
			attrs = append(attrs, attribute.String(kv[0], kv[1]))
		}
	}
	return attrs
}
