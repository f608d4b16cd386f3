package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// toolCall makes the current call. Its error is part of the turn, not of the
// graph: action_dispatch decides what it means.
func (s *Service) toolCall(ctx context.Context, t *turn) error {
	c := t.current
	rc := run.From(ctx)
	rc.ToolCallID, rc.ToolName = c.ID, c.ToolName
	ctx, step := run.Start(run.With(ctx, rc), "tool."+c.ToolName)
	if err := t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolStarted{ToolStarted: &routerv1.ToolStarted{
		ToolCallId: c.ID, ToolName: c.ToolName, AgentName: c.AgentName}}}); err != nil {
		step.End(err)
		return err
	}
	c.output, c.err = s.invoke(ctx, t, c)
	c.err = lostInTheMiddle(ctx, c.err)
	step.End(c.err)
	c.EndedAt, c.dirty = s.deps.Clock(), true
	c.Status = run.StatusOf(c.err)
	if c.err == nil {
		c.err = c.pack()
	}
	if c.err != nil {
		if c.Status == run.StatusSucceeded {
			c.Status = run.StatusFailed
		}
		c.Error, c.ErrorReason = s.errorText(t, c), fault.ReasonOf(c.err)
		if errors.Is(c.err, errNotServed) {
			c.ErrorReason = "NOT_SERVED"
		}
		s.deps.Log.InfoContext(ctx, "a tool call failed", "tool", c.ToolName, "error", c.err)
	} else if questionOf(c.output) != nil {
		c.Status = run.StatusWaiting
	}
	if over(ctx, c.err) { // the turn is over: not the tool's fault
		return context.Cause(ctx)
	}
	return t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolFinished{ToolFinished: &routerv1.ToolFinished{ToolCall: toProtoCall(&c.ToolCall, c.output)}}})
}

// reasonLost is the reason of a call whose service stopped while it was at work.
const reasonLost = "SERVICE_LOST"

// brokenStream is an error of a stream that had begun.
type brokenStream struct{ error }

// lostInTheMiddle recognises the end of a service that was at work on a call: its
// stream broke, or it ended the call that nobody here ended. A service that could
// not be reached at all did not begin, and one that answers that it reaches another
// is there: its error came over the wire as a status, while a broken stream's is
// made here.
func lostInTheMiddle(ctx context.Context, err error) error {
	broken, is := err.(*brokenStream) //nolint:errorlint // stream returns it as it is
	if !is {
		return err
	}
	err = broken.error
	e := fault.FromStatus(err)
	switch {
	case ctx.Err() != nil:
	case e.Code == codes.Canceled, e.Reason == rpc.ReasonStopping, e.Reason == rpc.ReasonServiceUnreachable && errors.As(err, new(*fault.Error)):
		f := fault.New(codes.Unavailable, reasonLost, "The service stopped in the middle of its work. Ask again in a moment.")
		f.RetryAfter = time.Second
		return f.Because(err)
	}
	return err
}

// clockSkew is how much earlier than the turn's own timer the same deadline may
// pass on the other side of a call.
const clockSkew = 200 * time.Millisecond

// over tells whether the turn's time is up, or it was cancelled. A service that
// shares the turn's deadline may notice a moment before the turn does.
func over(ctx context.Context, err error) bool {
	if status.Code(err) == codes.DeadlineExceeded {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < clockSkew {
			<-ctx.Done()
		}
	}
	return ctx.Err() != nil
}

// pack puts the output into its stored form.
func (c *call) pack() error {
	raw, err := proto.Marshal(c.output)
	if err != nil {
		return fmt.Errorf("store the output of %s: %w", c.ToolName, err)
	}
	c.OutputType, c.Output = string(proto.MessageName(c.output)), raw
	return nil
}

// invoke checks the arguments and calls the tool's service. A call that has
// ended well before is not made again: its stored output is returned.
func (s *Service) invoke(ctx context.Context, t *turn, c *call) (proto.Message, error) {
	if !c.fresh {
		if stored, ok, err := s.storedOutput(ctx, t, c); ok || err != nil {
			return stored, err
		}
	}
	args, err := s.parse(ctx, c.ToolName, c.Arguments)
	if err != nil {
		return nil, err
	}
	c.args = args
	if source := sourceOf(args); source != "" {
		c.SourceID = source
	}
	switch a := args.(type) {
	case *dynamicpb.Message:
		return s.callOutside(ctx, t, c, a)
	case *tools.DataDiscoveryArgs:
		return s.discover(ctx, t, c, a)
	case *tools.GenerateSQLArgs:
		return s.generate(ctx, t, c, a)
	case *tools.FixSQLArgs:
		return s.fixSQL(ctx, t, a)
	case *tools.ExplainSQLArgs:
		return s.explainSQL(ctx, t, a)
	case *tools.ExecuteArgs:
		return s.execute(ctx, t, c, a)
	case *tools.ExplainChangeArgs:
		return s.explainChange(ctx, t, c, a)
	case *tools.FAQArgs:
		return s.faq(ctx, t, a)
	case *tools.ExpertArgs:
		return s.expert(ctx, t, a)
	case *tools.SearchLogArgs:
		return s.searchLog(ctx, t, a)
	case *tools.AnalyzeArgs:
		return s.analyze(ctx, t, c, a)
	case *tools.RejectArgs:
		key := words.OutOfScope
		if a.Reason == "unsafe" {
			key = words.Unsafe
		}
		return wrapperspb.String(s.words.Say(t.language, key)), nil
	default:
		return nil, fmt.Errorf("tool %s cannot be called", c.ToolName)
	}
}

// storedOutput returns the output of a call that ended well under the same id.
func (s *Service) storedOutput(ctx context.Context, t *turn, c *call) (proto.Message, bool, error) {
	have, err := s.deps.Store.ToolCall(ctx, t.principal, c.ID)
	switch {
	case fault.ReasonOf(err) == store.ReasonToolCallUnknown:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("look for call %s: %w", c.ID, err)
	case have.Status != run.StatusSucceeded:
		return nil, false, nil
	case have.SessionID != t.session.ID || have.ToolName != c.ToolName:
		return nil, false, store.IDTaken(c.ID)
	}
	if c.args, err = s.parse(ctx, c.ToolName, c.Arguments); err != nil {
		return nil, false, err
	}
	out, err := unpack(have)
	return out, true, err
}

// stream reads the events of a service until its result, passing progress on.
// each takes the parts of an event: the result, when it is there, the trace and
// a progress event.
func stream[M any](t *turn, open func() (grpc.ServerStreamingClient[M], error),
	each func(*M) (result proto.Message, trace *commonv1.RunTrace, progress *routerv1.ToolProgress)) (proto.Message, error) {
	events, err := open()
	if err != nil {
		return nil, err
	}
	var out proto.Message
	for {
		m, err := events.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, &brokenStream{err}
		}
		result, trace, progress := each(m)
		t.keep(trace)
		if result != nil {
			out = result
		}
		if progress == nil || t.current == nil {
			continue
		}
		progress.ToolCallId = t.current.ID
		if err := t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_ToolProgress{ToolProgress: progress}}); err != nil {
			return nil, err
		}
	}
	if out == nil {
		return nil, errors.New("the service ended its stream without a result")
	}
	return out, nil
}

func (t *turn) keep(trace *commonv1.RunTrace) {
	if trace == nil {
		return
	}
	records, _ := runpb.FromTrace(trace)
	t.recorder.Add(records...)
}

func (t *turn) send(e *routerv1.ChatResponse) error {
	if t.events == nil {
		return nil
	}
	if err := t.events(e); err != nil { // whoever listened is gone
		return fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return nil
}

func (s *Service) discover(ctx context.Context, t *turn, c *call, a *tools.DataDiscoveryArgs) (proto.Message, error) {
	q := &findatav1.DiscoverQuery{
		Source: t.source, UserQuery: a.UserQuestion, UserContext: s.userContext(t),
		SelectedTables: a.SelectedTables, SelectedTableGroups: a.SelectedTableGroups, ChosenOptionId: t.chosenFor(c),
		ForSql: t.goal() != tools.DataDiscovery,
	}
	if c.ID == t.answeredCall() {
		q.ClarificationReply = lang.Clip(t.clarified, maxHistoryBytes)
	}
	for _, m := range t.history[max(0, len(t.history)-maxHistoryTurns):] {
		if m.Content != "" && !m.Personal { // find data tells the conversation to a model
			q.ChatHistory = append(q.ChatHistory, &findatav1.ChatTurn{Role: m.Role, Content: lang.Clip(m.Content, maxHistoryBytes)})
		}
	}
	return stream(t, func() (grpc.ServerStreamingClient[findatav1.DiscoverResponse], error) {
		return s.deps.FindData.Discover(ctx, &findatav1.DiscoverRequest{Query: q})
	}, func(m *findatav1.DiscoverResponse) (proto.Message, *commonv1.RunTrace, *routerv1.ToolProgress) {
		if r := m.GetResult(); r != nil {
			return r, m.GetTrace(), nil
		}
		if p := m.GetPreview(); p != nil {
			return nil, m.GetTrace(), &routerv1.ToolProgress{Message: firstTables(p), Fraction: -1}
		}
		return nil, m.GetTrace(), &routerv1.ToolProgress{Message: m.GetStage().GetMessage(), Fraction: -1}
	})
}

// firstTables names the tables of a first list.
func firstTables(p *findatav1.DiscoverPreview) string {
	names := make([]string, 0, len(p.GetTables()))
	for _, c := range p.GetTables() {
		ref := c.GetTable().GetRef()
		names = append(names, ref.GetIdcRegion()+"."+ref.GetSchema()+"."+ref.GetTable())
	}
	return strings.Join(names, ", ")
}

// maxSuggestions bounds the changes that are suggested beside an answer.
const maxSuggestions = 3

func (s *Service) generate(ctx context.Context, t *turn, c *call, a *tools.GenerateSQLArgs) (proto.Message, error) {
	q := &text2sqlv1.GenerateQuery{
		Source: t.source, UserQuestion: a.UserQuestion, UserContext: s.userContext(t),
		Execution: s.execution(t), ChosenOptionId: t.chosenFor(c), ShowBasis: true, OfferReadings: true, // a person reads it
	}
	if t.goal() == tools.Execute {
		q.MaxSuggestions = maxSuggestions
	}
	if a.RelatedTableSourceToolCallID != "" {
		known, err := s.resolve(ctx, t, a.RelatedTableSourceToolCallID)
		if err != nil {
			return nil, err
		}
		q.Tables, q.GlossaryTerms, q.Rules = known.tables, known.terms, known.rules
	}
	if a.PreviousToolCallID != "" {
		previous, err := s.intentOf(ctx, t, a.PreviousToolCallID)
		if err != nil {
			return nil, err
		}
		if previous != "" { // else the whole question is read
			q.PreviousIntentJson, q.FollowUp = previous, a.FollowUp
		}
	}
	return stream(t, func() (grpc.ServerStreamingClient[text2sqlv1.GenerateSQLResponse], error) {
		return s.deps.Text2SQL.GenerateSQL(ctx, &text2sqlv1.GenerateSQLRequest{Query: q})
	}, func(m *text2sqlv1.GenerateSQLResponse) (proto.Message, *commonv1.RunTrace, *routerv1.ToolProgress) {
		if r := m.GetResult(); r != nil {
			return r, m.GetTrace(), nil
		}
		return nil, m.GetTrace(), &routerv1.ToolProgress{Message: m.GetStep().GetMessage(), Fraction: -1}
	})
}

// execution says whether writing SQL may touch the engine: what the request allows. Else
// text to SQL decides for a query that is run anyway; one that is for reading, or that the
// person is asked about before it runs, is checked without running.
func (s *Service) execution(t *turn) text2sqlv1.Execution {
	asks := t.request.GetDispatchStrategy() == routerv1.DispatchStrategy_DISPATCH_STRATEGY_CONFIRM_EACH_STEP
	if e := t.request.GetExecution(); e != text2sqlv1.Execution_EXECUTION_UNSPECIFIED || !asks && t.goal() == tools.Execute {
		return e
	}
	return text2sqlv1.Execution_EXECUTION_VALIDATE
}

func (s *Service) execute(ctx context.Context, t *turn, c *call, a *tools.ExecuteArgs) (proto.Message, error) {
	q := &chatbiv1.ExecuteQuery{
		Source: t.source, Sql: a.SQL, UserQuestion: a.UserQuestion, UserContext: s.userContext(t), PageSize: t.request.GetPageSize(),
		Fresh: t.again != nil,
	}
	if c.ID == t.answeredCall() {
		q.CostConfirmed = t.confirmed
	}
	if a.ToolCallID != "" {
		known, err := s.resolveSQL(ctx, t, a.ToolCallID)
		if err != nil {
			return nil, err
		}
		q.Sql, q.Tables = known.sql, known.tables
		q.Metrics, q.Assumptions, q.Labels, q.Confidence = known.metrics, known.assumptions, known.labels, known.confidence
	}
	if q.Sql == "" {
		return nil, &tools.ArgumentError{Tool: c.ToolName, Problems: []string{"sql or tool_call_id is required"}}
	}
	return stream(t, func() (grpc.ServerStreamingClient[chatbiv1.ExecuteAndAnalyzeResponse], error) {
		return s.deps.ChatBI.ExecuteAndAnalyze(ctx, &chatbiv1.ExecuteAndAnalyzeRequest{Query: q})
	}, func(m *chatbiv1.ExecuteAndAnalyzeResponse) (proto.Message, *commonv1.RunTrace, *routerv1.ToolProgress) {
		if r := m.GetResult(); r != nil {
			return r, m.GetTrace(), nil
		}
		p := m.GetProgress()
		return nil, m.GetTrace(), &routerv1.ToolProgress{Message: p.GetPhase(), Fraction: p.GetFraction(), Rows: p.GetRows(), FirstPage: p.GetFirstPage()}
	})
}

// userContext is the request's, with the language of the answer filled in.
func (s *Service) userContext(t *turn) *commonv1.UserContext {
	u := proto.CloneOf(t.request.GetUserContext())
	if u == nil {
		u = &commonv1.UserContext{}
	}
	u.Language = toProtoLanguage(t.language)
	if u.TimeZone == "" {
		u.TimeZone = s.config().TimeZone
	}
	return u
}

// chosenFor is the option that the person took, for the call that asked.
func (t *turn) chosenFor(c *call) string {
	if c.ID == t.answeredCall() {
		return t.chosen
	}
	return ""
}

// answeredCall is the call that the message answers: the turn's first.
func (t *turn) answeredCall() string {
	if !t.answered || len(t.calls) == 0 {
		return ""
	}
	return t.calls[0].ID
}

// Bounds of the history that goes to find data.
const (
	maxHistoryTurns = 20
	maxHistoryBytes = 4096
)

// statusText is what an error says to people.
func statusText(err error) string { return fault.FromStatus(err).Message }

// errorText is the sentence that a failed call gets.
func (s *Service) errorText(t *turn, c *call) string {
	failure := fault.FromStatus(c.err)
	switch failure.Code {
	case codes.Unimplemented:
		return s.words.Say(t.language, words.NotServed, "agent", c.AgentName)
	case codes.Unavailable:
		if failure.Reason == reasonLost {
			return s.words.Say(t.language, words.Lost, "agent", c.AgentName)
		}
		if failure.Reason != "" && failure.Reason != rpc.ReasonServiceUnreachable {
			return failure.Message // the agent is there; what it works with is not
		}
		return s.words.Say(t.language, words.Unreachable, "agent", c.AgentName)
	case codes.Unknown:
		var wrong *tools.ArgumentError
		switch {
		case errors.Is(c.err, errNotServed):
			return s.words.Say(t.language, words.NotServed, "agent", c.AgentName)
		case errors.As(c.err, &wrong):
			return wrong.Error()
		}
		return s.words.Say(t.language, words.Internal, "run", t.root.RunID())
	case codes.Internal:
		return s.words.Say(t.language, words.Internal, "run", t.root.RunID())
	default:
		return statusText(c.err)
	}
}
