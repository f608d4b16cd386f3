package team

import (
	"context"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Parser reads a question.
type Parser interface {
	Parse(ctx context.Context, b *Board) (Reading, error)
}

// Generator writes candidates for a reading, best first.
type Generator interface {
	Generate(ctx context.Context, b *Board) (Draft, error)
}

// RulesParser reads by the pipeline.
type RulesParser struct{ Pipeline *pipeline.Pipeline }

// Parse implements Parser. Asked to read a question again, it has nothing new to
// say: what it read stands, and the next of its candidates is tried by the
// generator.
func (p RulesParser) Parse(ctx context.Context, b *Board) (Reading, error) {
	schema := b.Task.Schema
	res := p.answer(b, schema)
	if b.Task.More != nil && len(res.Reads) > 0 {
		tables, more, ok, err := b.Task.More(ctx, res)
		if err != nil {
			return Reading{}, err
		}
		if ok {
			b.Task.Tables, b.Task.Schema = tables, more
			res = p.answer(b, more)
		}
	}
	return Reading{Result: res, By: ByRules, Restatement: res.Restated, Settled: len(res.Metrics) > 0 || len(res.Changes) > 0}, nil
}

func (p RulesParser) answer(b *Board, s *pipeline.Schema) pipeline.Result {
	return p.Pipeline.Answer(pipeline.Input{
		Question: b.Task.Question, Language: b.Task.Language, Chosen: b.Task.Chosen, Now: b.Task.Now, Schema: s,
		Previous: b.Task.Previous, FollowUp: b.Task.FollowUp, Alone: b.Task.Alone, Terms: b.Task.Terms, Rules: b.Task.Rules, ShowBasis: b.Task.ShowBasis,
	})
}

// RulesGenerator takes what the pipeline wrote: its SQL, and the other readings
// of the question behind it.
type RulesGenerator struct{}

// Generate implements Generator. Candidates that failed before are left out, so
// that another reading gets its turn.
func (RulesGenerator) Generate(_ context.Context, b *Board) (Draft, error) {
	r := b.Reading
	if r.Outcome != pipeline.Answered {
		return Draft{Outcome: r.Outcome, Question: r.Question, Options: r.Options, Reason: r.Reason, By: ByRules}, nil
	}
	d := Draft{Outcome: pipeline.Answered, By: ByRules, Restatement: r.Restatement}
	for i, c := range Candidates(&r.Result) {
		if !Found(b.Learned, c.SQL) && (i == 0 || c.Confidence >= b.Task.Threshold) && len(d.Candidates) < max(1, b.Task.Candidates) {
			d.Candidates = append(d.Candidates, c)
		}
	}
	return d, nil
}

// Candidates are the statements of a result of the pipeline.
func Candidates(r *pipeline.Result) []Candidate {
	out := []Candidate{{SQL: r.SQL, Reason: r.Reason, By: ByRules, Confidence: r.Confidence, Assumptions: r.Assumptions}}
	for _, a := range r.Alternatives {
		out = append(out, Candidate{SQL: a.SQL, By: ByRules, Confidence: a.Confidence})
	}
	return out
}
