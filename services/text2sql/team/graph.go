package team

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/run"
)

// Members, as steps and streams name them.
const (
	MemberPlanner   = "planner"
	MemberParser    = "semantic_parser"
	MemberGenerator = "sql_generator"
	MemberEvaluator = "result_evaluator"
)

// newGraph returns the team's graph: every member goes back to the planner.
func newGraph(t *Team) (*flow.Graph[Board], error) {
	goes := func(to string) func(*Board) bool { return func(b *Board) bool { return b.Move.To == to } }
	return flow.New("text2sql", MemberPlanner,
		[]flow.Node[Board]{
			{Name: MemberPlanner, Do: t.plan},
			{Name: MemberParser, Do: t.parse},
			{Name: MemberGenerator, Do: t.generate},
			{Name: MemberEvaluator, Do: t.evaluate},
		},
		[]flow.Edge[Board]{
			{From: MemberPlanner, To: MemberParser, Label: "not read, or misread", When: goes(MemberParser)},
			{From: MemberPlanner, To: MemberGenerator, Label: "no SQL yet", When: goes(MemberGenerator)},
			{From: MemberPlanner, To: MemberEvaluator, Label: "not checked, or to repair", When: goes(MemberEvaluator)},
			{From: MemberPlanner, To: flow.End, Label: "finish, ask or give up"},
			{From: MemberParser, To: MemberPlanner},
			{From: MemberGenerator, To: MemberPlanner},
			{From: MemberEvaluator, To: MemberPlanner},
		})
}

// Diagram returns the graph as a Mermaid flowchart, for the documentation.
func Diagram() (string, error) {
	g, err := newGraph(&Team{})
	if err != nil {
		return "", err
	}
	return g.Mermaid(), nil
}

// around makes each node a step of the run tree, a line of the history, and a
// message to whoever listens. A model that does not answer is a failed step after
// which the member goes on by rules.
func (t *Team) around(ctx context.Context, step flow.Step, b *Board, next func(context.Context) error) error {
	by := b.by(step.Node)
	began := run.Clock(ctx)
	ctx, recorded := run.Start(ctx, "text2sql."+step.Node, "strategy", string(by))
	before, given := len(b.History), b.given(step.Node)
	err := next(ctx)
	took := run.Clock(ctx).Sub(began)
	if err != nil {
		reason, fallsBack := llm.FallBack(ctx, err)
		if !fallsBack || by != ByModel {
			recorded.End(err)
			return err
		}
		t.deps.Log.WarnContext(ctx, "rules go on where the model failed", "member", step.Node, "reason", reason, "error", fault.OperatorText(err))
		if reason == llm.ReasonMalformed || reason == llm.ReasonRefused {
			b.noModel(step.Node) // this task is too hard for it; others may not be
		} else {
			b.noModel()
		}
		b.warn(Warning{Code: CodeModelFailed, Message: b.say("model_failed", reason)})
		b.History = append(b.History[:before], Record{Member: step.Node, By: by, Out: reason, Class: reason})
	}
	if len(b.History) == before {
		b.History = append(b.History, Record{Member: step.Node, By: by, OK: true})
	}
	record := &b.History[len(b.History)-1]
	record.In, record.Took = given, took
	recorded.Set("input", record.In)
	recorded.Set("result", record.Out)
	recorded.Set("success", strconv.FormatBool(record.OK))
	if record.Class != "" {
		recorded.Set("error", record.Class)
	}
	recorded.Set("strategy", string(by))
	recorded.End(nil)
	if b.Task.Step != nil {
		b.Task.Step(step.Node, record.Out, took)
	}
	return nil
}

// CodeModelFailed is the code of the warning that rules went on without a model.
const CodeModelFailed = "MODEL_FAILED"

// CodeRulesAnswer is the code of the warning that the model gave no SQL and the rules answer.
const CodeRulesAnswer = "RULES_ANSWER"

// WarnRulesAnswer tells the reader that the model gave no SQL, why, and that the rules
// answer.
func (b *Board) WarnRulesAnswer(why string) {
	b.warn(Warning{Code: CodeRulesAnswer, Message: b.say("rules_second", why)})
}

func (t *Team) members(b *Board, member string) Members {
	if b.by(member) == ByModel && t.deps.Model != nil {
		return *t.deps.Model
	}
	return t.deps.Rules
}

// given says in a few words what a member begins with. The question is not repeated: the run
// holds it.
func (b *Board) given(member string) string {
	reading, draft, verdict := "none", "none", "none"
	if b.Reading != nil {
		reading = fmt.Sprintf("%s, confidence %.2f", b.Reading.Outcome, b.Reading.Confidence)
	}
	if b.Draft != nil {
		draft = fmt.Sprintf("%s, candidates: %d", b.Draft.Outcome, len(b.Draft.Candidates))
	}
	switch {
	case b.Verdict == nil:
	case b.Verdict.OK:
		verdict = "holds"
	default:
		verdict = cmp.Or(b.Verdict.Finding.Class, "asks")
	}
	switch member {
	case MemberParser:
		return fmt.Sprintf("the question, tables: %d, findings: %d", len(b.Task.Tables), len(b.Learned))
	case MemberGenerator:
		return "reading: " + reading
	case MemberEvaluator:
		return fmt.Sprintf("draft: %s; repairs before: %d", draft, b.Repairs)
	}
	return fmt.Sprintf("reading: %s; draft: %s; verdict: %s", reading, draft, verdict)
}

// note adds a step to the history.
func (b *Board) note(member string, r Record) {
	r.Member, r.By = member, b.by(member)
	b.History = append(b.History, r)
}

func (t *Team) plan(ctx context.Context, b *Board) error {
	if len(b.History) >= t.cfg.MaxSteps {
		b.Move = Move{To: GiveUp, Why: "no more steps"}
	} else {
		move, err := t.members(b, MemberPlanner).Planner.Next(ctx, b)
		if err != nil {
			if move, err = t.replan(ctx, b, err); err != nil {
				return err
			}
		}
		b.Move = move
	}
	if again := b.Move.To == MemberParser && b.Reading != nil && !b.parserFailed() || b.Move.To == MemberGenerator && b.Draft != nil; again {
		b.Returns++
		b.Draft, b.Verdict, b.Repairs = nil, nil, 0
	}
	b.note(MemberPlanner, Record{Out: b.Move.To + ": " + b.Move.Why, OK: true})
	return nil
}

// replan has the rules decide where the planner's model failed.
func (t *Team) replan(ctx context.Context, b *Board, err error) (Move, error) {
	reason, ok := llm.FallBack(ctx, err)
	if !ok {
		return Move{}, err
	}
	b.noModel(MemberPlanner)
	b.warn(Warning{Code: CodeModelFailed, Message: b.say("model_failed", reason)})
	return t.deps.Rules.Planner.Next(ctx, b)
}

func (t *Team) parse(ctx context.Context, b *Board) error {
	r, err := t.members(b, MemberParser).Parser.Parse(ctx, b)
	if err != nil {
		return err
	}
	b.Reading = &r
	b.note(MemberParser, Record{
		OK:  true,
		Out: fmt.Sprintf("%s, confidence %.2f, not understood: %d", r.Outcome, r.Confidence, len(r.NotUnderstood)),
	})
	return nil
}

func (t *Team) generate(ctx context.Context, b *Board) error {
	d, err := t.members(b, MemberGenerator).Generator.Generate(ctx, b)
	if err != nil {
		return err
	}
	b.Draft, b.Verdict = &d, nil
	b.note(MemberGenerator, Record{OK: true, Out: fmt.Sprintf("%s, candidates: %d", d.Outcome, len(d.Candidates))})
	return nil
}

func (t *Team) evaluate(ctx context.Context, b *Board) error {
	v, err := t.members(b, MemberEvaluator).Evaluator.Evaluate(ctx, b)
	if err != nil {
		return err
	}
	b.Verdict = &v
	if v.OK || v.Ask {
		out := "holds"
		if v.Agreed > 1 {
			out = fmt.Sprintf("%d candidates agree", v.Agreed)
		}
		if v.Ask {
			out = "candidates mean different things"
		}
		if v.Summary != "" {
			out += ": " + v.Summary
		}
		b.note(MemberEvaluator, Record{OK: true, Out: out})
		return nil
	}
	b.Learned = append(b.Learned, v.Finding)
	b.note(MemberEvaluator, Record{Class: v.Finding.Class, Out: v.Finding.Class + ": " + v.Finding.Message})
	return nil
}
