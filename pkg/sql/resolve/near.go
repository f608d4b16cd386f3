package resolve

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/spelling"
)

const mostSuggestions = 3

// nearest returns the candidates that resemble name, best first.
func nearest(name string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	name = strings.ToLower(name)
	var near []scored
	seen := map[string]bool{}
	for _, c := range candidates {
		low := strings.ToLower(c)
		if seen[low] {
			continue
		}
		seen[low] = true
		d := spelling.Distance(name, low)
		contains := len(name) > 2 && len(low) > 2 && (strings.Contains(low, name) || strings.Contains(name, low))
		switch {
		case contains:
			near = append(near, scored{c, min(d, 2)})
		case d <= max(1, max(utf8.RuneCountInString(name), utf8.RuneCountInString(low))/3):
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, s := range near[:min(len(near), mostSuggestions)] {
		out = append(out, s.name)
	}
	return out
}
