package metric

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// leastLike is how alike two names have to be, from 0 to 1, for the one to be
// offered for the other.
const leastLike = 0.4

// Near returns the ids of the metrics whose names are most like some words, best
// first and at most so many. visible says which tables, as the layer names them,
// the asker has.
func (n *Names) Near(words []string, visible func(table string) bool, most int) []string {
	type near struct {
		id   string
		like float64
	}
	var found []near
	for i := range n.layer.Metrics {
		m := &n.layer.Metrics[i]
		if Base(m.ID) != m.ID || m.Composed() || !n.anyVisible(m, visible) {
			continue
		}
		best := 0.0
		for _, name := range append([]string{m.Names.EN, m.Names.ZH}, m.Synonyms...) {
			for _, w := range append(words, strings.Join(words, " ")) {
				best = max(best, alike(w, name))
			}
		}
		if best >= leastLike {
			found = append(found, near{m.ID, best})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.like, a.like), strings.Compare(a.id, b.id))
	})
	var out []string
	for _, f := range found[:min(most, len(found))] {
		out = append(out, f.id)
	}
	return out
}

// anyVisible reports whether the asker has a table of a metric, for some country.
func (n *Names) anyVisible(m *semantic.Metric, visible func(string) bool) bool {
	if !strings.Contains(m.Table, semantic.CIDPlaceholder) {
		return visible(m.Table)
	}
	return slices.ContainsFunc(n.layer.Countries, func(c semantic.Country) bool {
		return visible(physical(n.layer, m.Table, c.Code))
	})
}

// alike is the Dice coefficient of the pairs of letters of two names: 1 for equal
// ones, 0 for nothing in common.
func alike(a, b string) float64 {
	x, y := pairs(a), pairs(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for p := range x {
		if y[p] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// pairs are the neighbouring letters of a name; a Chinese character alone counts
// for one, too.
func pairs(s string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(strings.ToLower(s)) {
		var last rune
		for _, r := range word {
			if unicode.Is(unicode.Han, r) {
				out[string(r)] = true
			}
			if last != 0 {
				out[string(last)+string(r)] = true
			}
			last = r
		}
		if utf8.RuneCountInString(word) == 1 {
			out[word] = true
		}
	}
	return out
}
