package repair

import (
	"slices"
	"strings"
	"unicode"
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
	if best == "" || first > enough || second-first < margin || !sameParts(name, best) {
		return "", 0, false
	}
	return best, surety(name, best, second), true
}

// sameParts reports whether names of as many parts differ in the letters of parts only:
// user_nam and user_name do, user_name and user_number do not, near as they are.
func sameParts(a, b string) bool {
	x, y := parts(strings.ToLower(a)), parts(strings.ToLower(b))
	if strings.Join(x, "") == strings.Join(y, "") {
		return true
	}
	if len(x) < 2 || len(x) != len(y) {
		return true
	}
	slices.Sort(x)
	slices.Sort(y)
	for i := range x {
		if d := spelling.Distance(x[i], y[i]); d > 1 && editRatio(x[i], y[i]) > 0.4 || d == 1 && len(x[i]) == 1 {
			return false
		}
	}
	return true
}

// holding is the one candidate whose parts, as camelCase and underscores divide it, hold
// all parts of a name: tier is held by customer_tier_code. More may be meant by it
// than is said, so it is never certain.
func holding(name string, candidates []string) (string, bool) {
	want := smallParts(name)
	found := ""
	for _, c := range candidates {
		have := smallParts(c)
		if slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) }) {
			continue
		}
		if found != "" && !strings.EqualFold(found, c) {
			return "", false
		}
		found = c
	}
	return found, found != "" && len(want) > 0
}

func smallParts(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return parts(strings.ToLower(b.String()))
}

// surety of taking one name for another, where the next best is at a distance. One
// letter is a slip of the finger, more may be another name; a digit is never a slip.
func surety(name, best string, second float64) float64 {
	a, b := strings.ToLower(name), strings.ToLower(best)
	switch {
	case digitsOf(a) != digitsOf(b):
		return 0.6
	case strings.ContainsFunc(a+b, func(r rune) bool { return r > unicode.MaxASCII }):
		return 0.7 // one character is a word
	}
	length := float64(max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
	edits := float64(spelling.Distance(a, b))
	apart := second*length - edits // how much further the next best is
	switch {
	case strings.Join(parts(a), "") == strings.Join(parts(b), "") && apart >= 2:
		return 0.95 // orderid, order_id
	case edits == 1 && length >= 4 && apart >= 2:
		return 0.95
	case edits == 2 && length >= 8 && apart >= 3:
		return 0.91
	}
	return min(0.85, 0.95-distance(a, b))
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
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
