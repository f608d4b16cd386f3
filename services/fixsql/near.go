package fixsql

import (
	"slices"
	"strings"
)

// nearestOf is the candidate that is clearly meant by a name that does not exist:
// near enough, and nearer than any other by at least margin. Names are compared
// part by part, so that order_cnt and cnt_order are near and user_id and order_id
// are not nearer than their letters.
func nearestOf(name string, candidates []string) (best string, certainty float64, ok bool) {
	const (
		enough = 0.34 // of the length
		margin = 0.10
	)
	first, second := 2.0, 2.0
	for _, c := range candidates {
		d := distance(name, c)
		switch {
		case strings.EqualFold(c, best):
		case d < first:
			best, first, second = c, d, first
		case d < second:
			second = d
		}
	}
	if best == "" || first > enough || second-first < margin {
		return "", 0, false
	}
	return best, 0.95 - first, true
}

// distance of two names, from 0 to 1: the least of the edit distance of the whole
// and that of the sorted parts, by the length of the longer.
func distance(a, b string) float64 {
	a, b = strings.ToLower(a), strings.ToLower(b)
	whole := editRatio(a, b)
	pa, pb := parts(a), parts(b)
	if strings.Join(pa, "") == strings.Join(pb, "") && a != b {
		return min(whole, 0.05) // orderid, order_id
	}
	slices.Sort(pa)
	slices.Sort(pb)
	return min(whole, editRatio(strings.Join(pa, "_"), strings.Join(pb, "_"))+0.05)
}

func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
}

// editRatio is the edit distance, a swap of neighbours being one edit, by the
// length of the longer.
func editRatio(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	longer := max(len(x), len(y))
	if longer == 0 {
		return 0
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return float64(last[len(y)]) / float64(longer)
}
