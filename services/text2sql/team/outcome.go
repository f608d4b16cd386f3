package team

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// outcome is what the board says when the work ends.
func (b *Board) outcome() Outcome {
	out := Outcome{Warnings: b.warnings, History: b.History}
	if b.Reading != nil {
		out.Result, out.Restatement = b.Reading.Result, b.Reading.Restatement
	}
	if b.Draft != nil && b.Draft.Restatement != "" {
		out.Restatement = b.Draft.Restatement
	}
	switch {
	case b.Move.To == Finish && b.sure():
		b.finish(&out)
	case b.Move.To == Ask:
		b.ask(&out)
	case b.rulesAnswer():
		b.finish(&out)
		out.Warnings = b.warnings
	default:
		b.giveUp(&out)
	}
	return out
}

// sure reports whether the best candidate may be shown: rules have asked that of
// their own already.
func (b *Board) sure() bool {
	best := &b.Draft.Candidates[b.Verdict.Best]
	if best.By == ByRules || best.Confidence >= b.Task.Threshold {
		return true
	}
	b.Learned = append(b.Learned, best.Doubts...)
	return false
}

// SurelyRead is how sure the rules have to be of their reading for it to be the answer where
// a model has none.
const SurelyRead = 0.8

// rulesAnswer takes what the rules read, where nothing that the model wrote holds, their
// own holds and they are sure of it. The reader is told.
func (b *Board) rulesAnswer() bool {
	if b.Task.Strategy != ByModel || b.Draft == nil || b.Reading == nil || b.Reading.Outcome != pipeline.Answered || b.Reading.Confidence < SurelyRead {
		return false
	}
	own := slices.IndexFunc(b.Draft.Candidates, func(c Candidate) bool {
		return c.By == ByRules && c.SQL == b.Reading.SQL && c.holds() && len(c.Doubts) == 0
	})
	if own < 0 {
		return false
	}
	why := ""
	if len(b.Learned) > 0 {
		why = b.Learned[len(b.Learned)-1].Message
	}
	b.Verdict = &Verdict{OK: true, Best: own, Agreed: 1, Summary: b.summary(&b.Draft.Candidates[own])}
	b.WarnRulesAnswer(why)
	return true
}

// finish puts the best candidate first. What the rules told of their own SQL goes
// where another one's is the answer.
func (b *Board) finish(out *Outcome) {
	best := b.Draft.Candidates[b.Verdict.Best]
	if best.SQL != out.SQL {
		read := out.Result
		out.Result = pipeline.Result{Intent: nil, Understood: read.Understood, Reads: read.Reads}
		out.SQL = best.SQL
		if stmt, err := parser.Parse(best.SQL); err == nil {
			out.Statement = stmt
		}
	}
	out.Outcome, out.Draft = pipeline.Answered, ""
	out.Confidence, out.Reason, out.Assumptions = best.Confidence, best.Reason, best.Assumptions
	out.Validated, out.Tables, out.Summary = b.Task.Mode >= ModeValidate, best.Tables, b.Verdict.Summary
	out.Candidates = []Candidate{best}
	for i, c := range b.Draft.Candidates {
		if i != b.Verdict.Best && c.Problem == nil && c.Canonical != best.Canonical {
			out.Candidates = append(out.Candidates, c)
		}
	}
	for _, d := range best.Doubts {
		out.Warnings = append(out.Warnings, Warning{Code: d.Class, Message: d.Message})
	}
	if b.rulesDiffer(&best) {
		out.Warnings = append(out.Warnings, Warning{Code: CodeRulesDiffer, Message: b.say("rules_differ")})
	}
}

// sayOption begins the id of an option that is known by its words: the service
// keeps nothing between a question and its answer.
const (
	sayOption   = "say:"
	maxOptionID = 128 // characters, as in the contract
)

// SayOption is an option that is known by its words.
func SayOption(label string) pipeline.Option {
	return pipeline.Option{ID: sayOption + lang.Shorten(label, maxOptionID-len(sayOption)), Label: label}
}

// Said returns the words of a chosen option; ok is false for other options.
func Said(option string) (words string, ok bool) { return strings.CutPrefix(option, sayOption) }

func (b *Board) ask(out *Outcome) {
	unanswered(out)
	out.Outcome = pipeline.Asked
	switch {
	case b.Verdict != nil && b.Verdict.Ask:
		out.Question, out.Options = b.say("ask_reading"), nil
		for _, i := range append([]int{b.Verdict.Best}, b.Verdict.Apart...) {
			out.Options = append(out.Options, SayOption(b.Draft.Candidates[i].Reason))
		}
	case b.Draft != nil:
		out.Question, out.Options = b.Draft.Question, b.Draft.Options
	}
}

// giveUp says why there is no SQL: what the reading or the draft said, else what
// was found last.
func (b *Board) giveUp(out *Outcome) {
	draft := out.SQL
	unanswered(out)
	out.Outcome = pipeline.Abstained
	if draft != "" {
		out.Draft = draft
	}
	switch {
	case len(b.Learned) > 0:
		last := b.Learned[len(b.Learned)-1]
		out.Draft = last.SQL
		out.Doubts = append(out.Doubts, last.Message)
		out.Reason = b.say("cannot_write", last.Message)
		if slices.ContainsFunc(b.Learned, func(f Finding) bool { return f.SQL != last.SQL }) {
			out.Reason = b.say("gave_up", last.Message)
		}
	case b.Draft != nil && b.Draft.Reason != "" && len(b.Draft.Candidates) == 0:
		out.Reason, out.Lacking = b.Draft.Reason, b.Draft.By == ByModel
	case b.Draft == nil && b.Reading != nil && b.Reading.By == ByModel && b.Reading.Outcome == pipeline.Abstained:
		out.Lacking = true
	case b.Reading == nil || b.Reading.Outcome == pipeline.Answered:
		out.Reason = b.say("out_of_time")
	}
}

// unanswered takes away what belongs to an answer.
func unanswered(out *Outcome) {
	out.SQL, out.Statement, out.Candidates, out.Validated, out.Tables = "", nil, nil, false, nil
}
