package eval

import (
	"math"
	"strings"
)

// ranking is what a list of ids is worth beside the right ones.
type ranking struct {
	hit1, hit5, mrr10, ndcg5, recall10, full10 float64
}

// tableScore is the worth of one answer, and of its families.
type tableScore struct{ own, family ranking }

// rank compares ids, best first, with the right ones, without case.
func rank(ids, gold []string) ranking {
	right := make(map[string]bool, len(gold))
	for _, g := range gold {
		right[strings.ToLower(g)] = true
	}
	if len(right) == 0 {
		return ranking{}
	}
	var r ranking
	var gain, found float64
	seen := make(map[string]bool)
	for place, id := range ids[:min(len(ids), 10)] {
		id = strings.ToLower(id)
		if !right[id] || seen[id] {
			continue
		}
		seen[id] = true
		found++
		if r.mrr10 == 0 {
			r.mrr10 = 1 / float64(place+1)
		}
		if place == 0 {
			r.hit1 = 1
		}
		if place < 5 {
			r.hit5 = 1
			gain += discount(place)
		}
	}
	r.ndcg5 = gain / ideal(min(len(right), 5))
	r.recall10 = found / float64(len(right))
	if int(found) == len(right) {
		r.full10 = 1
	}
	return r
}

// discount of place from 0, as DCG has it.
func discount(place int) float64 { return 1 / math.Log2(float64(place+2)) }

// ideal is the gain of n right ids in the first n places.
func ideal(n int) float64 {
	var sum float64
	for place := range n {
		sum += discount(place)
	}
	return sum
}

// addRankings puts the means of all rankings into metrics.
func addRankings(metrics map[string]float64, suffix string, all []ranking) {
	var sum ranking
	for _, r := range all {
		sum.hit1 += r.hit1
		sum.hit5 += r.hit5
		sum.mrr10 += r.mrr10
		sum.ndcg5 += r.ndcg5
		sum.recall10 += r.recall10
		sum.full10 += r.full10
	}
	n := math.Max(1, float64(len(all)))
	for name, v := range map[string]float64{
		"hit@1": sum.hit1, "hit@5": sum.hit5, "mrr@10": sum.mrr10, "ndcg@5": sum.ndcg5,
		"recall@10": sum.recall10, "full_recall@10": sum.full10,
	} {
		metrics[name+suffix] = v / n
	}
}
