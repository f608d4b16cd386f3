package resolve

import (
	"cmp"
	"slices"
	"strings"
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
		d := editDistance(name, low, len(name))
		contains := len(name) > 2 && len(low) > 2 && (strings.Contains(low, name) || strings.Contains(name, low))
		switch {
		case contains:
			near = append(near, scored{c, min(d, 2)})
		case d <= max(1, max(len(name), len(low))/3):
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

// editDistance is Levenshtein's distance with a swap of neighbours as one edit;
// more than limit is limit+1.
func editDistance(a, b string, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
