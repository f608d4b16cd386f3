package team

import (
	"context"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Planner says who is next.
type Planner interface {
	Next(ctx context.Context, b *Board) (Move, error)
}

// Move is a decision of the planner.
type Move struct {
	// To is a member, or one of the ends below.
	To string
	// Why in a few words, for the history.
	Why string
	// Repair tells the evaluator to repair before it checks.
	Repair bool
}

// Ends.
const (
	Finish = "finish"
	Ask    = "ask"
	GiveUp = "give_up"
)

// RulesPlanner decides from what is missing and from what went wrong before: the
// first pattern that fits.
type RulesPlanner struct{}

// pattern is a state of the board and what to do in it.
type pattern struct {
	fits func(b *Board) bool
	move Move
}

// patterns are tried in their order; where none fits, several readings failed.
func patterns() []pattern {
	return []pattern{
		{func(b *Board) bool { return b.failures(b.worst()) > maxFailures }, Move{To: GiveUp, Why: "one member fails again and again"}},
		{func(b *Board) bool { return b.Reading == nil }, Move{To: MemberParser, Why: "the question is not read yet"}},
		{func(b *Board) bool { return b.parserFailed() }, Move{To: MemberParser, Why: "the parser failed: by rules now"}},
		{func(b *Board) bool { return b.Draft == nil && b.readingIs(pipeline.Asked) }, Move{To: Ask, Why: "only the asker can say"}},
		{func(b *Board) bool { return b.Draft == nil && b.readingIs(pipeline.Abstained) }, Move{To: GiveUp, Why: "the question is not understood"}},
		{func(b *Board) bool { return b.Draft == nil }, Move{To: MemberGenerator, Why: "there is no SQL yet"}},
		{func(b *Board) bool { return b.Draft.Outcome == pipeline.Asked }, Move{To: Ask, Why: "only the asker can say"}},
		{func(b *Board) bool { return len(b.Draft.Candidates) == 0 }, Move{To: GiveUp, Why: "no SQL can be written"}},
		{func(b *Board) bool { return b.Verdict == nil }, Move{To: MemberEvaluator, Why: "the SQL is not checked yet"}},
		{func(b *Board) bool { return b.Verdict.Ask }, Move{To: Ask, Why: "the candidates mean different things"}},
		{func(b *Board) bool { return b.Verdict.OK }, Move{To: Finish, Why: "the SQL holds"}},
		{func(b *Board) bool { return b.repairable() }, Move{To: MemberEvaluator, Why: "an error that can be repaired", Repair: true}},
		{func(b *Board) bool { return b.Returns < b.cfg.MaxReturns }, Move{To: MemberParser, Why: "repairs do not help: the question was probably misread"}},
	}
}

// maxFailures of one member; one more ends the work.
const maxFailures = 8

// Next implements Planner.
func (RulesPlanner) Next(_ context.Context, b *Board) (Move, error) {
	for _, p := range patterns() {
		if p.fits(b) {
			return p.move, nil
		}
	}
	return Move{To: GiveUp, Why: "several readings failed"}, nil
}

// worst is the member that failed most often.
func (b *Board) worst() string {
	worst := MemberParser
	for _, m := range []string{MemberGenerator, MemberEvaluator} {
		if b.failures(m) > b.failures(worst) {
			worst = m
		}
	}
	return worst
}

// parserFailed reports that the last step was the parser's and came to nothing.
func (b *Board) parserFailed() bool {
	if len(b.History) == 0 {
		return false
	}
	last := b.History[len(b.History)-1]
	return last.Member == MemberParser && !last.OK
}

// readingIs reports a reading that came to nothing but a question or a refusal
// which the generator cannot turn into SQL: one that stands, or one where rules
// write the SQL.
func (b *Board) readingIs(o pipeline.Outcome) bool {
	return b.Reading.Outcome == o && (b.Reading.Settled || b.by(MemberGenerator) == ByRules)
}

// repairable reports a finding that is worth a repair: not more than so many
// repairs, and not again where the last one left an error of the same class.
func (b *Board) repairable() bool {
	if b.Repairs >= b.cfg.MaxRepairs {
		return false
	}
	return b.Repairs == 0 || b.same(b.Verdict.Finding.Class) < 2
}
