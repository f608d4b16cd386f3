package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// intentRoute chooses how the turn begins: an agent that the request names, the
// tool whose question the message answers, or a decision.
func (s *Service) intentRoute(_ context.Context, t *turn) error {
	if _, direct := s.tools.ByDirectAgent(t.request.GetAgentName()); direct || t.again != nil {
		t.next = nodeDirectTool
		return nil
	}
	t.next = nodeInvokeAgent
	if t.chat.Pending != nil && s.answerPending(t) {
		t.next = nodeActionDispatch
	}
	return nil
}

// answerPending takes the message back to the call that asked. It is false when
// the message is plainly a new question; the question is forgotten either way.
func (s *Service) answerPending(t *turn) bool {
	p := t.chat.Pending
	reply, verdict := t.request.GetQuestion(), s.rules.Verdict(t.request.GetQuestion())
	if p.Tool == tools.Execute || p.asksCost() {
		return s.answerCost(t, p, verdict)
	}
	if t.request.GetChosenOptionId() == "" && s.rules.GoesBack(reply) { // "go back to the first one": of the answers, and not of the options
		return false
	}
	if p.Kept && !s.choosesKept(t, p) {
		return false
	}
	if p.offersReadings() {
		return s.answerReading(t, p, verdict)
	}
	at, ok := s.chosenOption(p.Options, t.request.GetChosenOptionId(), reply)
	if len(p.Options) == 1 && verdict == decide.Yes && t.request.GetChosenOptionId() == "" { // "do you mean this?"
		at, ok = 0, true
	}
	switch {
	case ok:
		t.chosen, reply = p.Options[at].ID, p.Options[at].Label
		verdict = s.verdictOf(p.Options[at])
		t.speakAs(p)
	case verdict != decide.Other:
	case len(p.Options) == 0 && s.rules.IsFragment(reply):
	case p.Tool == tools.DataDiscovery && s.rules.IsFragment(reply):
		t.clarified = reply // find data reads it beside its question
	default:
		return false
	}
	if verdict == decide.No {
		return s.sayInstead(t, "decline", words.Declined)
	}
	first := p.First
	if verdict == decide.Other {
		first.Rewritten = s.words.Say(t.language, words.RewriteFreeText, "topic", first.Rewritten, "reply", reply)
	}
	first.Tool, first.Arguments, first.Say = p.Tool, p.Arguments, ""
	if len(p.Options) == 0 && verdict == decide.Other {
		first.Arguments = withQuestion(p.Arguments, first.Rewritten)
	}
	t.goBackTo(p, first)
	return true
}

// choosesKept reports whether a message takes an option that was offered before the last
// turn: by its id, its number alone or all its words.
func (s *Service) choosesKept(t *turn, p *pendingQuestion) bool {
	reply, id := t.request.GetQuestion(), t.request.GetChosenOptionId()
	if _, numbered := s.rules.Numbered(reply, len(p.Options)); numbered && id == "" {
		return true
	}
	return slices.ContainsFunc(p.Options, func(o option) bool {
		return id != "" && id == o.ID || id == "" && (strings.EqualFold(o.ID, reply) || strings.EqualFold(o.Label, reply))
	})
}

// goBackTo makes the call that asked once more, under its id.
func (t *turn) goBackTo(p *pendingQuestion, first decide.Decision) {
	t.first, t.decision, t.fresh, t.answered = &first, first, true, true
	t.pending = p
}

// answerCost takes a reply to the question whether a dear statement shall run. A
// yes lets it run, a no and the option to narrow it end the turn. All else is a new
// question, beside which is said that the statement did not run: words that also
// stand in an option are no leave.
func (s *Service) answerCost(t *turn, p *pendingQuestion, verdict decide.Verdict) bool {
	reply, id := t.request.GetQuestion(), t.request.GetChosenOptionId()
	at := slices.IndexFunc(p.Options, func(o option) bool {
		return id == o.ID && id != "" || id == "" && (strings.EqualFold(o.ID, reply) || strings.EqualFold(o.Label, reply))
	})
	if at < 0 && id == "" {
		if n, numbered := s.rules.Numbered(reply, len(p.Options)); numbered {
			at = n
		}
	}
	if at >= 0 {
		if verdict = s.verdictOf(p.Options[at]); verdict == decide.Other {
			return s.sayInstead(t, "narrow", words.NarrowDown)
		}
	}
	switch {
	case verdict == decide.No:
		return s.sayInstead(t, "decline", words.NotRun)
	case verdict != decide.Yes, at < 0 && id != "": // an id of no option is no yes
		t.notRun = true
		return false
	}
	first := p.First
	first.Tool, first.Arguments, first.Say = p.Tool, p.Arguments, ""
	t.confirmed = true
	t.goBackTo(p, first)
	return true
}

// verdictOf is what taking an option means.
func (s *Service) verdictOf(o option) decide.Verdict {
	if v := s.rules.Verdict(o.Label); v != decide.Other {
		return v
	}
	return s.rules.Verdict(o.ID)
}

// sayInstead ends the turn with words, no tool being called.
func (s *Service) sayInstead(t *turn, kind, key string) bool {
	t.first = &decide.Decision{Kind: kind, Rewritten: t.request.GetQuestion()}
	t.decision, t.fresh = decide.Decision{Say: key}, true
	return true
}

// withQuestion puts another question into arguments that have one.
func withQuestion(args json.RawMessage, question string) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(args, &fields) != nil || fields["user_question"] == nil {
		return args
	}
	fields["user_question"] = question
	changed, err := json.Marshal(fields)
	if err != nil {
		return args
	}
	return changed
}

// chosenOption finds the option that a reply takes, by its id or by what the reply says.
func (s *Service) chosenOption(options []option, id, reply string) (int, bool) {
	if id != "" {
		at := slices.IndexFunc(options, func(o option) bool { return o.ID == id })
		return at, at >= 0
	}
	labels, changes := make([]string, len(options)), false
	for i, o := range options {
		changes = changes || strings.HasPrefix(o.ID, changeOption)
		if strings.EqualFold(o.ID, reply) || strings.EqualFold(o.Label, reply) {
			return i, true
		}
		labels[i] = o.Label
	}
	if changes { // what changes an answer has the words of other changes in it
		return s.rules.PickMost(reply, labels)
	}
	return decide.Pick(reply, labels)
}

// changeOption begins the ids of options that text2sql offers for a change with two
// meanings.
const changeOption = "change:"

// directTool makes the call of the agent that the request names, or the one that is to be
// made again.
func (s *Service) directTool(_ context.Context, t *turn) error {
	if t.again != nil {
		tool, _ := s.tools.ByName(tools.Execute)
		t.first = &decide.Decision{Kind: "direct", Goal: tools.Execute, Plan: []string{tools.Execute}, Rewritten: t.request.GetQuestion()}
		t.direct = true
		s.record(t, tool, t.again, "")
		return nil
	}
	tool, _ := s.tools.ByDirectAgent(t.request.GetAgentName())
	question := t.request.GetQuestion()
	sql := t.request.GetOriginalSql()
	if sql == "" {
		sql = question
		if p := decide.Split(question); p.SQL != "" {
			sql = p.SQL
		}
	}
	dialect := t.request.GetSqlDialect()
	if dialect == "" {
		dialect = "Presto SQL"
	}
	var args any
	switch tool.Name {
	case tools.DataDiscovery:
		args = &tools.DataDiscoveryArgs{UserQuestion: question, SelectedTables: t.request.GetSelectedTables(),
			SelectedTableGroups: t.request.GetSelectedTableGroups(), FinalIntent: tools.DataDiscovery}
	case tools.FixSQL:
		args = &tools.FixSQLArgs{SQL: sql, SQLDialect: dialect, ErrorInfo: t.request.GetErrorMessage(), FinalIntent: tools.FixSQL}
	case tools.ExplainSQL:
		args = &tools.ExplainSQLArgs{SQL: sql, SQLDialect: dialect}
	case tools.DataSuiteExpert:
		args = &tools.ExpertArgs{UserQuestion: question, ProductName: t.request.GetProductName(), SessionID: t.session.ID}
	case tools.SearchLog:
		args = &tools.SearchLogArgs{UserQuestion: question, FinalIntent: tools.SearchLog}
	}
	raw, err := json.Marshal(args)
	if args == nil {
		raw, err = s.directOutside(tool.Name, question)
	}
	if err != nil {
		return fmt.Errorf("arguments of %s: %w", tool.Name, err)
	}
	goal := ""
	if slices.Contains(tools.Intents(), tool.Name) {
		goal = tool.Name
	}
	t.first = &decide.Decision{Kind: "direct", Goal: goal, Plan: []string{tool.Name}, Rewritten: question}
	t.direct = true
	s.record(t, tool, raw, "")
	return nil
}

// invokeAgent makes a decision.
func (s *Service) invokeAgent(ctx context.Context, t *turn) error {
	source, who := firstText(t.request.GetSource(), t.chat.Source, t.session.Source), t.request.GetUserContext()
	d, err := s.strategy.Decide(ctx, decide.In{
		Question: t.request.GetQuestion(), Language: t.language,
		History: t.history, Before: t.chat.Summary, Known: t.known, Earlier: t.earlier,
		SelectedTables: t.request.GetSelectedTables(), SelectedGroups: t.request.GetSelectedTableGroups(),
		Source: source != "", SourceName: source,
		Today: run.Now(ctx).Format(time.DateOnly), Person: prompt.Asker(who.GetBackground(), who.GetDepartment(), who.GetEmail(), who.GetRegion()),
		OriginalSQL: t.request.GetOriginalSql(), SQLDialect: t.request.GetSqlDialect(), ErrorMessage: t.request.GetErrorMessage(),
		Goal: fromProtoIntent(t.request.GetFinalIntent()),
		Turn: t.first, Calls: t.decisionCalls(), Refused: t.refusal, Refusals: t.refusals, Outside: s.others,
		Tools: s.bound(ctx), Session: t.session.ID, OnText: t.tellText,
	})
	if err != nil {
		t.failure = fmt.Errorf("decide: %w", err)
		return nil
	}
	if t.first == nil || len(t.calls) == 0 || d.Instead { // a call that was refused sets no goal
		first := d
		t.first = &first
	}
	t.decision, t.fresh, t.fellBack = d, true, firstText(t.fellBack, d.FellBack)
	return nil
}

// bound are the tools that a model may call. One of another team whose server is
// down is left out.
func (s *Service) bound(ctx context.Context) []decide.Tool {
	if s.strategy.Name() == s.rules.Name() {
		return nil
	}
	var out []decide.Tool
	for _, d := range s.tools.All() {
		if d.Unbound || !s.served(d.Name) {
			continue
		}
		if schema, err := d.Arguments.Schema(ctx); err == nil {
			out = append(out, decide.Tool{Name: d.Name, Description: d.Description, Schema: schema})
		}
	}
	return out
}

// tellText passes a model's words on while they come.
func (t *turn) tellText(piece string) {
	_ = t.send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_TextDelta{TextDelta: &routerv1.TextDelta{Text: piece}}}) // who is gone is noticed at the next step
}

// record notes a call under its id before it is made.
func (s *Service) record(t *turn, tool tools.Definition, args json.RawMessage, id string) *call {
	c := &call{dirty: true, fresh: id == "" && s.deps.idsAreNew}
	if id == "" {
		id = s.deps.IDs(run.PrefixCall)
	}
	c.ID, c.SessionID, c.ChatID, c.RunID = id, t.session.ID, t.chatID, t.root.RunID()
	c.ToolName, c.AgentName, c.Arguments = tool.Name, tool.Agent, args
	c.Status, c.StartedAt = run.StatusRunning, s.deps.Clock()
	t.calls = append(t.calls, c)
	t.current = c
	return c
}

// errNotServed says that a tool's service is defined but not there.
var errNotServed = errors.New("not served")

// isRefusal reports whether a tool answered that its arguments are wrong.
func isRefusal(err error) bool {
	var wrong *tools.ArgumentError
	return errors.As(err, &wrong) || (err != nil && fault.FromStatus(err).Code == codeInvalid)
}
