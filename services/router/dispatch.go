package router

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

const codeInvalid = codes.InvalidArgument

//go:embed repair.yaml
var repairYAML []byte

// fixableErrors are the engine's errors that a repair can cure.
func fixableErrors() (map[string]bool, error) {
	var file struct {
		Fixable []string `yaml:"fixable"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(repairYAML))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("repair.yaml: %w", err)
	}
	out := make(map[string]bool, len(file.Fixable))
	for _, name := range file.Fixable {
		out[name] = true
	}
	return out, nil
}

// actionDispatch acts on what the decision or a tool said, by the first rule
// that fits. The numbers are those of the specification.
func (s *Service) actionDispatch(ctx context.Context, t *turn) error {
	if t.failure != nil { // 1: an internal error
		return s.goRespond(t)
	}
	if t.fresh {
		t.fresh = false
		return s.dispatchDecision(ctx, t)
	}
	return s.dispatchAnswer(ctx, t)
}

func (s *Service) goRespond(t *turn) error {
	t.next = nodeRespond
	return nil
}

func (s *Service) goDecide(t *turn) error {
	t.next = nodeInvokeAgent
	return nil
}

// dispatchDecision is rules 2 to 4: what the decision asked for.
func (s *Service) dispatchDecision(ctx context.Context, t *turn) error {
	d := t.decision
	switch {
	case d.Tool == tools.AskHuman: // 2: a question of the router's own
		args, err := s.parse(ctx, d.Tool, d.Arguments)
		if err != nil {
			return s.refused(ctx, t, "", err)
		}
		ask := args.(*tools.AskHumanArgs)
		t.question = &commonv1.Question{Text: prose.Safe(ask.Question)}
		for i, o := range ask.Options {
			t.question.Options = append(t.question.Options, &commonv1.Option{Id: fmt.Sprint(i + 1), Label: prose.Safe(prose.Line(o))})
		}
		if len(ask.Options) > 0 {
			t.asked = decide.AskedChoice
		}
		return s.goRespond(t)

	case d.Tool != "": // 3: any other tool
		tool, known := s.tools.ByName(d.Tool)
		if !known {
			return s.refused(ctx, t, "", &tools.ArgumentError{Tool: d.Tool, Problems: []string{"there is no such tool"}})
		}
		if len(t.calls) >= s.config().MaxToolCalls {
			t.interruption = routerv1.InterruptionReason_INTERRUPTION_REASON_TOOL_CALL_LIMIT
			return s.goRespond(t)
		}
		id := ""
		if t.pending != nil { // the answer goes back to the call that asked
			id = t.pending.CallID
		}
		c := s.record(t, tool, d.Arguments, id)
		if t.pending != nil {
			c.SourceID, t.pending = t.pending.SourceID, nil
		}
		t.direct = false
		t.next = nodeToolCall
		return nil

	default: // 4: no tool: its text
		t.say, t.text = d.Say, d.Text
		return s.goRespond(t)
	}
}

// dispatchAnswer is rules 5 to 11: what the tool answered.
func (s *Service) dispatchAnswer(ctx context.Context, t *turn) error {
	c := t.current
	switch {
	case t.sourceFault() != nil: // 1, before 5: no arguments would help
		return s.goRespond(t)
	case isRefusal(c.err): // 5: a validation error: decide again, a few times
		return s.refused(ctx, t, c.ID, c.err)
	case s.startRepair(t, c): // 6: a failed SQL is repaired first
		t.next = nodeToolCall
		return nil
	case c.err != nil || failed(c.output): // 6: any other error
		return s.goRespond(t)
	}
	t.refusals, t.refusal = 0, ""
	if q := questionOf(c.output); q != nil { // 7: the tool asks
		t.question = proto.CloneOf(q)
		t.question.ToolName, t.question.ToolCallId = c.ToolName, c.ID
		t.pending = &pendingQuestion{Tool: c.ToolName, CallID: c.ID, Arguments: c.Arguments, SourceID: c.SourceID, First: *t.first, Language: t.language}
		for _, o := range q.GetOptions() {
			t.pending.Options = append(t.pending.Options, option{ID: o.GetId(), Label: o.GetLabel()})
		}
		return s.goRespond(t)
	}
	if t.direct { // 8: made by direct_tool
		return s.goRespond(t)
	}
	if tool, ok := s.tools.ByName(c.ToolName); ok && tool.Ends { // 9: no final intent of its own
		return s.goRespond(t)
	}
	if t.request.GetDispatchStrategy() == routerv1.DispatchStrategy_DISPATCH_STRATEGY_CONFIRM_EACH_STEP { // 11
		return s.dispatchConfirm(t, c)
	}
	if s.leavesOpen(t, c) { // before 10: the answer would be without what was asked for before
		t.asked = decide.OfferWithout
		t.question = s.yesOrNo(t, s.words.Say(t.language, words.ChangeWithout, "change", t.first.Open,
			"read", strings.Join(t.changesMade(), map[bool]string{true: "", false: " "}[t.language == lang.Chinese])))
		return s.goRespond(t)
	}
	// 10: the goal's own agent ends the turn.
	if goal, ok := s.tools.ByName(t.goal()); ok && goal.Agent == c.AgentName {
		return s.goRespond(t)
	}
	return s.goDecide(t)
}

// dispatchConfirm is rule 11: each step is shown.
func (s *Service) dispatchConfirm(t *turn, c *call) error {
	switch {
	case c.ToolName == tools.DataDiscovery && len(c.args.(*tools.DataDiscoveryArgs).SelectedTables) == 0:
		if usable(c.output) && t.goal() != tools.DataDiscovery {
			t.asked = decide.OfferContinue
		}
		return s.goRespond(t)
	case c.ToolName == tools.GenerateSQL:
		if usable(c.output) && t.goal() == tools.Execute {
			t.asked = decide.OfferExecute
			t.question = s.yesOrNo(t, s.words.Say(t.language, words.SQLConfirm))
		}
		return s.goRespond(t)
	default:
		return s.goDecide(t)
	}
}

// yesOrNo is a question of the router's own with these two options.
func (s *Service) yesOrNo(t *turn, text string) *commonv1.Question {
	return &commonv1.Question{Text: prose.Safe(text), Options: []*commonv1.Option{
		{Id: "yes", Label: s.words.Say(t.language, words.Yes)}, {Id: "no", Label: s.words.Say(t.language, words.No)}}}
}

// leavesOpen reports whether a SQL changes the question before and leaves out an earlier change that
// could not be made, which was not said anew and of which nobody was asked yet.
func (s *Service) leavesOpen(t *turn, c *call) bool {
	return c.ToolName == tools.GenerateSQL && usable(c.output) && t.goal() == tools.Execute && t.first.Open != "" && !t.first.OpenAsked &&
		len(t.changesMade()) > 0 && !s.rules.Rewords(t.first.FollowUp, t.first.Open)
}

// refused is rule 5: the call is dropped, and the decision is made again.
func (s *Service) refused(ctx context.Context, t *turn, id string, err error) error {
	t.refusals++
	t.refusal = refusalText(err)
	if id != "" {
		t.calls = slices.DeleteFunc(t.calls, func(c *call) bool { return c.ID == id })
		t.dropped = append(t.dropped, id)
	}
	if t.refusals > s.config().MaxValidationRetries {
		t.failure = fmt.Errorf("the arguments were refused %d times, at last: %w", t.refusals, err)
		return s.goRespond(t)
	}
	if t.direct { // nobody would decide otherwise
		t.say = words.ArgumentsRefused
		return s.goRespond(t)
	}
	if t.refusals > 1 {
		if pause.For(ctx, s.config().ValidationRetryWait) != nil {
			return context.Cause(ctx)
		}
	}
	return s.goDecide(t)
}

// startRepair sets up a fix_sql for an execution that failed on an error that a
// repair can cure: once for each class of error, within the turn's budget.
func (s *Service) startRepair(t *turn, c *call) bool {
	result, is := c.output.(*chatbiv1.ExecuteResult)
	if !is || !failed(result) {
		return false
	}
	class := result.GetError().GetCode()
	if !s.fixable[class] || t.repaired[class] || t.repairs >= s.config().RepairBudget || len(t.calls)+2 > s.config().MaxToolCalls {
		return false
	}
	args, err := json.Marshal(tools.FixSQLArgs{ToolCallID: c.ID, ErrorInfo: class + ": " + result.GetError().GetMessage(), FinalIntent: t.goal()})
	if err != nil {
		return false
	}
	tool, _ := s.tools.ByName(tools.FixSQL)
	t.repairs++
	if t.repaired == nil {
		t.repaired = map[string]bool{}
	}
	t.repaired[class] = true
	s.record(t, tool, args, "").repair = true
	t.direct = false
	return true
}

// failed reports an output that says that its job failed.
func failed(output proto.Message) bool {
	switch o := output.(type) {
	case *chatbiv1.ExecuteResult:
		return o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED || o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED
	default:
		return false
	}
}

// usable reports an output that the next tool can build on.
func usable(output proto.Message) bool {
	switch o := output.(type) {
	case nil:
		return false
	case *findatav1.DiscoverResult:
		return slices.ContainsFunc(o.GetRelatedTables(), func(c *findatav1.TableCandidate) bool { return !c.GetLocked() })
	case *text2sqlv1.GenerateResult:
		return len(o.GetCandidates()) > 0
	case *fixsqlv1.FixSQLResponse:
		return o.GetFixed().GetSql() != "" && len(o.GetRemaining()) == 0
	case *chatbiv1.ExecuteResult:
		return o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE
	case *chatbiv1.ExplainResult:
		return o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE
	case *text2sqlv1.PlanChangeResponse:
		return false
	case *knowledgev1.KnowledgeAnswer:
		return o.GetAnswered()
	default:
		return true
	}
}

// questionOf returns what a tool asks, nil when it asks nothing.
func questionOf(output proto.Message) *commonv1.Question {
	switch o := output.(type) {
	case *findatav1.DiscoverResult:
		if o.GetOutcome() == findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK {
			return orQuestion(o.GetQuestion())
		}
	case *text2sqlv1.GenerateResult:
		if o.GetOutcome() == text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK {
			return orQuestion(o.GetQuestion())
		}
	case *chatbiv1.ExecuteResult:
		if o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK {
			return orQuestion(o.GetQuestion())
		}
	case *chatbiv1.ExplainResult:
		if o.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK {
			return orQuestion(o.GetQuestion())
		}
	case *text2sqlv1.PlanChangeResponse:
		if o.GetOutcome() == text2sqlv1.GenerateOutcome_GENERATE_OUTCOME_ASK {
			return orQuestion(o.GetQuestion())
		}
	case *logifyv1.GenerateLogQLResponse:
		return o.GetQuestion()
	}
	return nil
}

func orQuestion(q *commonv1.Question) *commonv1.Question {
	if q == nil {
		return &commonv1.Question{}
	}
	return q
}

func (s *Service) parse(ctx context.Context, tool string, raw []byte) (any, error) {
	d, ok := s.tools.ByName(tool)
	if !ok {
		return nil, &tools.ArgumentError{Tool: tool, Problems: []string{"there is no such tool"}}
	}
	return d.Arguments.Parse(ctx, tool, raw)
}

func refusalText(err error) string {
	var wrong *tools.ArgumentError
	if errors.As(err, &wrong) {
		return wrong.Error()
	}
	return statusText(err)
}
