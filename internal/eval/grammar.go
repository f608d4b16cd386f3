package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/parse/learn"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// GrammarOptions say what the weights of the grammar are fitted on.
type GrammarOptions struct {
	Data     string // folder with databases/
	Queries  string // file of questions with their SQL
	PerDB    int    // most questions of a database; 0: all
	Skip     func(db string) bool
	Rounds   int                // of reading with the weights of the round before
	From     map[string]float64 // weights to begin with
	Labels   Labels
	Now      time.Time
	Progress func(round, done, total int) // may be nil
}

// wordingCopies is how often each wording counts: they are few beside the questions.
const wordingCopies = 4

// GrammarRound is what a round found before its fit.
type GrammarRound struct {
	Questions, First, Any int // all, first draft right, any draft right
	Wordings, WordedFirst int
}

// GrammarWeights reads questions, labels the drafts by their rows, and fits weights
// so that right drafts come first. The drafts of all rounds count.
func GrammarWeights(ctx context.Context, o GrammarOptions) (map[string]float64, []GrammarRound, error) {
	questions, err := o.questions()
	if err != nil {
		return nil, nil, err
	}
	judge, err := NewJudge(filepath.Join(o.Data, "databases"))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = judge.Close() }() // a temporary folder
	weights, set := o.From, learn.New()
	var rounds []GrammarRound
	for round := range o.Rounds {
		p, err := pipeline.New(pipeline.Config{Weights: weights})
		if err != nil {
			return nil, nil, err
		}
		g := grammarReader{reader: reader{ReadingsOptions: ReadingsOptions{Labels: o.Labels, Now: o.Now}, judge: judge, pipeline: p}, set: set}
		for i, q := range questions {
			if err := g.read(ctx, q); err != nil {
				return nil, nil, err
			}
			if o.Progress != nil {
				o.Progress(round, i+1, len(questions))
			}
		}
		if err := g.wordings(); err != nil {
			return nil, nil, err
		}
		rounds = append(rounds, g.found)
		weights = set.Fit(o.From, learn.Default())
	}
	return weights, rounds, nil
}

// questions are those to fit on, by database.
func (o *GrammarOptions) questions() ([]textQuestion, error) {
	all, err := readQuestions(o.Queries, false)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b textQuestion) int { return strings.Compare(a.DB, b.DB) })
	taken := map[string]int{}
	var out []textQuestion
	for _, q := range all {
		if o.PerDB > 0 && taken[q.DB] >= o.PerDB || o.Skip != nil && o.Skip(q.DB) {
			continue
		}
		taken[q.DB]++
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no question is left to fit on", ErrData)
	}
	return out, nil
}

type grammarReader struct {
	reader
	set   *learn.Set
	found GrammarRound
}

func (g *grammarReader) read(ctx context.Context, q textQuestion) error {
	if g.schema == nil || q.DB != g.db {
		tables, err := g.judge.Tables(ctx, q.DB)
		if err != nil {
			return err
		}
		g.db, g.schema = q.DB, g.pipeline.Prepare(tables, nil)
	}
	drafts := g.pipeline.Drafts(pipeline.Input{Question: q.Question, Schema: g.schema, Now: g.Now})
	right := make([]bool, len(drafts))
	for i, d := range drafts {
		if d.SQL == "" {
			continue
		}
		ok, err := g.right(ctx, q, d.SQL)
		if errors.Is(err, ErrGold) {
			return nil
		}
		if err != nil {
			return err
		}
		right[i] = ok
	}
	first, found := g.add(drafts, right)
	g.found.Questions++
	if first {
		g.found.First++
	}
	if found {
		g.found.Any++
	}
	return nil
}

// wordings adds the questions of the grammar's own file, right where the SQL is the
// one written there.
func (g *grammarReader) wordings() error {
	w, err := learn.LoadWordings()
	if err != nil {
		return err
	}
	schema := g.pipeline.Prepare(w.Tables, nil)
	for _, group := range w.Groups {
		for _, q := range group.Questions {
			drafts := g.pipeline.Drafts(pipeline.Input{Question: q, Schema: schema, Now: g.Now})
			right := make([]bool, len(drafts))
			for i, d := range drafts {
				right[i] = d.SQL == group.SQL
			}
			first, _ := g.add(drafts, right)
			for range wordingCopies - 1 {
				g.add(drafts, right)
			}
			g.found.Wordings++
			if first {
				g.found.WordedFirst++
			}
		}
	}
	return nil
}

func (g *grammarReader) add(drafts []pipeline.DraftSQL, right []bool) (first, found bool) {
	features := make([]map[string]float64, len(drafts))
	for i, d := range drafts {
		features[i] = d.Draft.Features
	}
	g.set.Add(features, right)
	written := slices.IndexFunc(drafts, func(d pipeline.DraftSQL) bool { return d.SQL != "" })
	return written >= 0 && right[written], slices.Contains(right, true)
}
