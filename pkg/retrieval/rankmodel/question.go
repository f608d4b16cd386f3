package rankmodel

import (
	"fmt"
	"math"
	"slices"
)

// Question is a labelled question: its candidates with what they are worth.
type Question struct {
	// Group is what questions have in common that one of them tells of others,
	// such as their database: folds never part a group.
	Group string
	// Values are the candidates' features, row by row.
	Values []float32
	// Gold says which candidates answer the question.
	Gold []bool
	// Wanted is how many tables answer it, candidates or not.
	Wanted int
}

// rank returns the places of the candidates, best score first; equal scores keep
// their order.
func (q *Question) rank(weights []float64) []int {
	scores := make([]float64, len(q.Gold))
	places := make([]int, len(q.Gold))
	for i := range scores {
		scores[i] = dot(weights, q.Values[i*len(weights):(i+1)*len(weights)])
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return places
}

func dot(weights []float64, values []float32) float64 {
	var sum float64
	for i, w := range weights {
		sum += w * float64(values[i])
	}
	return sum
}

// Figures are means over questions.
type Figures struct {
	Questions int     `json:"questions"`
	Hit1      float64 `json:"hit@1"`
	Hit5      float64 `json:"hit@5"`
	MRR10     float64 `json:"mrr@10"`
	NDCG5     float64 `json:"ndcg@5"`
	Recall10  float64 `json:"recall@10"`
}

// String returns the figures in one line.
func (f Figures) String() string {
	return fmt.Sprintf("hit@1 %.3f, hit@5 %.3f, mrr@10 %.3f, ndcg@5 %.3f, recall@10 %.3f over %d questions", f.Hit1, f.Hit5, f.MRR10, f.NDCG5, f.Recall10, f.Questions)
}

const (
	near = 5  // places that hit@5 and ndcg@5 look at
	far  = 10 // places that mrr@10 and recall@10 look at
)

// Measure ranks the questions' candidates by weights, one for each feature.
func Measure(questions []Question, weights []float64) Figures {
	f := Figures{Questions: len(questions)}
	for i := range questions {
		q := &questions[i]
		f.add(q, q.rank(weights))
	}
	return f.mean()
}

func (f *Figures) add(q *Question, places []int) {
	if q.Wanted == 0 {
		return
	}
	var found, gain, ideal float64
	first := 0
	for n, place := range places[:min(len(places), far)] {
		if !q.Gold[place] {
			continue
		}
		found++
		if first == 0 {
			first = n + 1
		}
		if n < near {
			gain += discount(n)
		}
	}
	for n := range min(near, q.Wanted) {
		ideal += discount(n)
	}
	f.NDCG5 += gain / ideal
	f.Recall10 += found / float64(q.Wanted)
	switch {
	case first == 1:
		f.Hit1++
		fallthrough
	case first > 0 && first <= near:
		f.Hit5++
	}
	if first > 0 {
		f.MRR10 += 1 / float64(first)
	}
}

func discount(place int) float64 { return 1 / math.Log2(float64(place)+2) }

func (f Figures) mean() Figures {
	n := float64(max(1, f.Questions))
	for _, v := range []*float64{&f.Hit1, &f.Hit5, &f.MRR10, &f.NDCG5, &f.Recall10} {
		*v = math.Round(*v/n*1e4) / 1e4
	}
	return f
}

// Join returns the means over the questions of both.
func Join(a, b Figures) Figures {
	n := a.Questions + b.Questions
	sum := func(x, y float64) float64 {
		return x*float64(a.Questions) + y*float64(b.Questions)
	}
	return Figures{n, sum(a.Hit1, b.Hit1), sum(a.Hit5, b.Hit5), sum(a.MRR10, b.MRR10), sum(a.NDCG5, b.NDCG5), sum(a.Recall10, b.Recall10)}.mean()
}
