// Package learn fits the weights of the grammar: a log-linear model over the drafts
// of a question, of which those are right that lead to the rows of a known answer.
// Several drafts may be right; what is raised is the probability of all of them
// together.
package learn

import (
	"math"
	"sort"
)

// Config of a fit. The zero value is not useful: see Default.
type Config struct {
	Epochs int
	Rate   float64 // of AdaGrad
	L2     float64 // pull towards the weights begun with, a question
	// MinCount is the number of questions in which a feature must differ between
	// drafts to get a weight.
	MinCount int
}

// Default is what the weights of the product were fitted with.
func Default() Config { return Config{Epochs: 20, Rate: 0.05, L2: 0.05, MinCount: 25} }

// Set collects questions for a fit.
type Set struct {
	ids       map[string]int
	names     []string
	questions []question
}

type question struct {
	drafts []draft
}

type draft struct {
	ids    []int
	counts []float64
	right  bool
}

// New returns an empty set.
func New() *Set { return &Set{ids: map[string]int{}} }

// Add adds a question with the features of its drafts. One without a right draft,
// or without a wrong one, tells nothing and is left out.
func (s *Set) Add(features []map[string]float64, right []bool) {
	n := 0
	for _, r := range right {
		if r {
			n++
		}
	}
	if n == 0 || n == len(right) {
		return
	}
	var q question
	for i, f := range features {
		d := draft{right: right[i]}
		names := make([]string, 0, len(f))
		for name := range f {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			id, ok := s.ids[name]
			if !ok {
				id = len(s.names)
				s.ids[name] = id
				s.names = append(s.names, name)
			}
			d.ids = append(d.ids, id)
			d.counts = append(d.counts, f[name])
		}
		q.drafts = append(q.drafts, d)
	}
	s.questions = append(s.questions, q)
}

// Len is the number of questions that tell something.
func (s *Set) Len() int { return len(s.questions) }

// Fit returns weights, from those that it begins with. Weights that stay near 0
// are left out. The same set gives the same weights.
func (s *Set) Fit(from map[string]float64, cfg Config) map[string]float64 {
	prior := make([]float64, len(s.names))
	for i, n := range s.names {
		prior[i] = from[n]
	}
	w := append([]float64(nil), prior...)
	squares := make([]float64, len(w))
	frozen := s.rare(cfg.MinCount)
	gradient := map[int]float64{}
	for range cfg.Epochs {
		for _, q := range s.questions {
			clear(gradient)
			q.gradient(w, gradient)
			ids := make([]int, 0, len(gradient))
			for id := range gradient {
				ids = append(ids, id)
			}
			sort.Ints(ids)
			for _, id := range ids {
				if frozen[id] {
					continue
				}
				g := gradient[id] - cfg.L2*(w[id]-prior[id])
				squares[id] += g * g
				w[id] += cfg.Rate * g / (math.Sqrt(squares[id]) + 1e-6)
			}
		}
	}
	out := map[string]float64{}
	for n, v := range from {
		out[n] = v
	}
	for i, n := range s.names {
		v := math.Round(w[i]*1000) / 1000
		if math.Abs(v) >= 0.01 || from[n] != 0 {
			out[n] = v
		}
	}
	return out
}

// gradient adds that of the log probability of the right drafts.
func (q *question) gradient(w []float64, out map[int]float64) {
	scores := make([]float64, len(q.drafts))
	top := math.Inf(-1)
	for i, d := range q.drafts {
		for k, id := range d.ids {
			scores[i] += w[id] * d.counts[k]
		}
		top = max(top, scores[i])
	}
	all, right := 0.0, 0.0
	for i, d := range q.drafts {
		scores[i] = math.Exp(scores[i] - top)
		all += scores[i]
		if d.right {
			right += scores[i]
		}
	}
	for i, d := range q.drafts {
		p := -scores[i] / all
		if d.right && right > 0 {
			p += scores[i] / right
		}
		if math.Abs(p) < 1e-9 {
			continue
		}
		for k, id := range d.ids {
			out[id] += p * d.counts[k]
		}
	}
}

// rare marks features that differ between the drafts of too few questions.
func (s *Set) rare(atLeast int) []bool {
	seen := make([]int, len(s.names))
	for _, q := range s.questions {
		first := map[int]float64{}
		in := map[int]int{}
		differs := map[int]bool{}
		for _, d := range q.drafts {
			for k, id := range d.ids {
				if v, ok := first[id]; ok && v != d.counts[k] {
					differs[id] = true
				}
				first[id] = d.counts[k]
				in[id]++
			}
		}
		for id, n := range in {
			if differs[id] || n < len(q.drafts) {
				seen[id]++
			}
		}
	}
	out := make([]bool, len(seen))
	for i, n := range seen {
		out[i] = n < atLeast
	}
	return out
}
