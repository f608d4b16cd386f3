package rankmodel

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"sync"

	"gonum.org/v1/gonum/optimize"
)

// Defaults of Options.
const (
	DefaultL2         = 3e-3
	DefaultIterations = 80
	DefaultFolds      = 5
)

// Options of a fit.
type Options struct {
	// Fixed are weights that are not fitted, by the number of their feature.
	Fixed map[int]float64
	// Positive says which features must not count against a candidate, by number.
	Positive []bool
	// L2 is what squares of weights cost, or of their distances from Prior; 0:
	// DefaultL2.
	L2 float64
	// Prior are weights that hold where the questions tell nothing else; nil: 0.
	Prior []float64
	// Iterations bounds the steps; 0: DefaultIterations.
	Iterations int
}

// Complete fills in defaults.
func (o Options) Complete() Options {
	if o.L2 <= 0 {
		o.L2 = DefaultL2
	}
	if o.Iterations <= 0 {
		o.Iterations = DefaultIterations
	}
	return o
}

// Fit finds the weights, one for each of n features, under which the tables that
// answer a question are likeliest among its candidates: each question spreads one
// vote evenly over its gold tables, and the softmax of the scores has to give them
// (ListNet). The loss is convex, so the result does not depend on where the search
// starts. Where weights must be positive, those that would not be are set to 0 and
// the others fitted again. Questions without a gold candidate tell nothing and are left out.
func Fit(ctx context.Context, questions []Question, n int, o Options) ([]float64, error) {
	o = o.Complete()
	p := &problem{ctx: ctx, features: n, l2: o.L2, prior: o.Prior, fixed: maps.Clone(o.Fixed)}
	if p.fixed == nil {
		p.fixed = make(map[int]float64)
	}
	for i := range questions {
		q := &questions[i]
		if len(q.Values) != n*len(q.Gold) {
			return nil, fmt.Errorf("fit: question %d has %d values for %d candidates of %d features", i, len(q.Values), len(q.Gold), n)
		}
		if q.golds() > 0 {
			p.questions = append(p.questions, q)
		}
	}
	if len(p.questions) == 0 {
		return nil, fmt.Errorf("fit: no question has a right table among its candidates")
	}
	weights := make([]float64, n)
	for {
		for i, w := range p.fixed {
			weights[i] = w
		}
		if err := p.minimize(weights, o.Iterations); err != nil {
			return nil, err
		}
		if !p.fixNegative(weights, o.Positive) {
			return weights, nil
		}
	}
}

// minimize moves the weights that are not fixed to where the loss is least.
func (p *problem) minimize(weights []float64, iterations int) error {
	p.at = nil
	found, err := optimize.Minimize(
		optimize.Problem{Func: p.loss, Grad: p.slope, Status: p.status}, weights,
		&optimize.Settings{MajorIterations: iterations, GradientThreshold: 1e-5, Concurrent: 1}, &optimize.LBFGS{},
	)
	if p.ctx.Err() != nil {
		return fmt.Errorf("fit: %w", p.ctx.Err())
	}
	if found == nil {
		return fmt.Errorf("fit: %w", err)
	}
	copy(weights, found.X) // a search that cannot improve any more ends with an error, and the best it has
	return nil
}

// fixNegative fixes weights at 0 that must not be below. Each round fixes one at
// least, so it ends.
func (p *problem) fixNegative(weights []float64, positive []bool) (more bool) {
	for i, w := range weights {
		if _, fixed := p.fixed[i]; !fixed && w < 0 && i < len(positive) && positive[i] {
			p.fixed[i] = 0
			more = true
		}
	}
	return more
}

func (q *Question) golds() int {
	n := 0
	for _, gold := range q.Gold {
		if gold {
			n++
		}
	}
	return n
}

// problem is the loss over the questions. The optimizer asks for value and slope
// apart; both come from one pass.
type problem struct {
	ctx       context.Context
	questions []*Question
	features  int
	l2        float64
	prior     []float64
	fixed     map[int]float64

	at     []float64
	value  float64
	slopes []float64
}

func (p *problem) status() (optimize.Status, error) {
	if p.ctx.Err() != nil {
		return optimize.Failure, p.ctx.Err()
	}
	return optimize.NotTerminated, nil
}

func (p *problem) loss(x []float64) float64 {
	p.pass(x)
	return p.value
}

func (p *problem) slope(slopes, x []float64) {
	p.pass(x)
	copy(slopes, p.slopes)
}

// parts is into how many parts a pass is cut: a fixed number, whatever the
// machine, so that sums are the same everywhere.
const parts = 8

func (p *problem) pass(x []float64) {
	if p.at != nil && equal(p.at, x) {
		return
	}
	p.at = append(p.at[:0], x...)
	var sums [parts]float64
	var slopes [parts][]float64
	var all sync.WaitGroup
	for part := range parts {
		from, to := part*len(p.questions)/parts, (part+1)*len(p.questions)/parts
		slopes[part] = make([]float64, p.features)
		all.Go(func() { sums[part] = passOver(p.questions[from:to], x, slopes[part]) })
	}
	all.Wait()
	n := float64(len(p.questions))
	p.value, p.slopes = 0, make([]float64, p.features)
	for part := range parts {
		p.value += sums[part] / n
		for i, s := range slopes[part] {
			p.slopes[i] += s / n
		}
	}
	for i, w := range x {
		if i < len(p.prior) {
			w -= p.prior[i]
		}
		p.value += p.l2 * w * w
		p.slopes[i] += 2 * p.l2 * w
	}
	for i := range p.fixed {
		p.slopes[i] = 0
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// passOver adds the slopes of some questions' losses to slopes and returns the
// sum of the losses.
func passOver(questions []*Question, x, slopes []float64) (sum float64) {
	var scores []float64
	n := len(x)
	for _, q := range questions {
		scores = scores[:0]
		best := math.Inf(-1)
		for i := range q.Gold {
			s := dot(x, q.Values[i*n:(i+1)*n])
			scores, best = append(scores, s), max(best, s)
		}
		var all float64
		for _, s := range scores {
			all += math.Exp(s - best)
		}
		vote := 1 / float64(q.golds())
		for i, gold := range q.Gold {
			pull := math.Exp(scores[i]-best) / all
			if gold {
				sum -= vote * (scores[i] - best - math.Log(all))
				pull -= vote
			}
			if math.Abs(pull) < negligible {
				continue
			}
			for j, v := range q.Values[i*n : (i+1)*n] {
				slopes[j] += pull * float64(v)
			}
		}
	}
	return sum
}

// negligible is a probability that moves no weight.
const negligible = 1e-9

// CrossValidate measures by models that have not seen a question's group. It
// fits one model a fold, on the questions of the other groups.
func CrossValidate(ctx context.Context, questions []Question, n, folds int, seed uint64, o Options, progress func(done, total int)) (Figures, error) {
	f := Figures{Questions: len(questions)}
	for fold := range folds {
		var seen []Question
		var unseen []*Question
		for i := range questions {
			if foldOf(questions[i].Group, folds, seed) == fold {
				unseen = append(unseen, &questions[i])
			} else {
				seen = append(seen, questions[i])
			}
		}
		if len(unseen) == 0 {
			continue
		}
		weights, err := Fit(ctx, seen, n, o)
		if err != nil {
			return f, fmt.Errorf("fold %d of %d: %w", fold+1, folds, err)
		}
		for _, q := range unseen {
			f.add(q, q.rank(weights))
		}
		if progress != nil {
			progress(fold+1, folds)
		}
	}
	return f.mean(), nil
}

func foldOf(group string, folds int, seed uint64) int {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%s", seed, group) // a hash takes everything
	return int(h.Sum64() % uint64(folds))
}
