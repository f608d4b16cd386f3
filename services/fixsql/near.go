package fixsql

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/spelling"
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
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if longer == 0 {
		return 0
	}
	return float64(spelling.Distance(a, b)) / float64(longer)
}
