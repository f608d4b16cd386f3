package train

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/distort"
)

// candidatesKept is how many candidates of a question are trained on: the right
// ones and those that are nearest to being taken for them.
const candidatesKept = 60

// sourceOfCopy is the name under which makers know a copy.
const sourceOfCopy = "training"

// reader turns labelled questions into rows of features.
type reader struct {
	corpus *retrieval.Corpus
	near   []int // features whose sum tells how near a wrong candidate is
}

// readSet reads at most Questions of a set over a distorted copy of its tables,
// chosen by seed, with the indices that makers makes.
func (t *trainer) readSet(ctx context.Context, s *Set, r distort.Recipe, makers retrieval.Makers, progress func(done, total int)) ([]rankmodel.Question, error) {
	limit, seed := t.Questions, t.Seed
	tables := distort.Apply(s.Tables, r, seed)
	index := catalog.NewIndex(&catalog.Snapshot{Tables: tables}, catalog.Defaults{Region: region})
	cfg, err := retrieval.DefaultConfig()
	if err != nil {
		return nil, err
	}
	corpus, err := retrieval.BuildOn(ctx, cfg, retrieval.Subject{Source: sourceOfCopy, Index: index}, makers, nil)
	if err != nil {
		return nil, fmt.Errorf("index %s, %s: %w", s.Name, r.Name, err)
	}
	defer func() { _ = corpus.Close() }() // nothing of it is kept
	in := &reader{corpus: corpus}
	names := retrieval.FeatureNames()
	for _, name := range []string{"bm25", "sch_cov_rel", "cov_strength", "facet.fit"} {
		in.near = append(in.near, slices.Index(names, name))
	}
	byName := make(map[string]*catalog.Table, len(tables))
	for _, table := range index.All().Tables() {
		byName[table.Name.Key()] = table
	}
	pick := rand.New(rand.NewPCG(seed, uint64(len(s.Questions)))).Perm(len(s.Questions))
	pick = pick[:min(len(pick), limit)]
	slices.Sort(pick)
	questions := make([]rankmodel.Question, 0, len(pick))
	for done, i := range pick {
		q := &s.Questions[i]
		gold := make(map[*catalog.Table]bool, len(q.Gold))
		for _, n := range q.Gold {
			gold[byName[tables[n].Name.Key()]] = true
		}
		one, err := in.read(ctx, q, gold)
		if err != nil {
			return nil, err
		}
		questions = append(questions, one)
		if progress != nil {
			progress(done+1, len(pick))
		}
	}
	return questions, nil
}

func (in *reader) read(ctx context.Context, q *Labelled, gold map[*catalog.Table]bool) (rankmodel.Question, error) {
	parsed := in.corpus.Parse(q.Text, nil)
	candidates, err := in.corpus.Candidates(ctx, parsed, nil)
	if err != nil {
		return rankmodel.Question{}, fmt.Errorf("search for %q: %w", q.Text, err)
	}
	rows := make([]row, 0, len(candidates))
	for _, c := range candidates {
		one := row{values: c.Features, gold: gold[c.Table]}
		for _, n := range in.near {
			one.near += c.Features[n]
		}
		rows = append(rows, one)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		if a.gold != b.gold {
			if a.gold {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.near, a.near)
	})
	return question(rows[:min(len(rows), candidatesKept)], q.Group, len(gold)), nil
}

// row is a candidate.
type row struct {
	values []float64
	gold   bool
	near   float64
}

// question packs rows. Right tables come last, so that a model that gives all the
// same score is not taken for a good one.
func question(rows []row, group string, wanted int) rankmodel.Question {
	slices.Reverse(rows)
	q := rankmodel.Question{Group: group, Wanted: wanted}
	for _, r := range rows {
		for _, v := range r.values {
			q.Values = append(q.Values, float32(v))
		}
		q.Gold = append(q.Gold, r.gold)
	}
	return q
}
