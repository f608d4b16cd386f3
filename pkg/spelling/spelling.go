// Package spelling measures how far apart two names are, for "did you mean".
package spelling

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// short is how many characters of a name are compared without an allocation.
const short = 63

// Distance is the number of characters to insert, remove, replace or swap with
// the next one that turns a into b: optimal string alignment. It distinguishes
// cases. Its time is the product of the two lengths: bound what is compared.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var first, second, third [short + 1]int
	before, above, row := first[:], second[:], third[:]
	if len(y) > short {
		before, above, row = make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	}
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(y)]
}

// mostCompared is how many characters of a name are compared; what is longer is no
// misspelling of a name, and the time of Distance grows with the square.
const mostCompared = 200

// Nearest returns at most most of the names that may be meant by name: of those that differ
// by a character or by up to a third of the longer one's characters, the nearest. A name that
// contains the other is as near as one that differs by a character. Cases do not count.
func Nearest(name string, names []string, most int) []string {
	type scored struct {
		name     string
		distance int
	}
	low := strings.ToLower(name)
	if low == "" || utf8.RuneCountInString(low) > mostCompared {
		return nil
	}
	var near []scored
	for _, n := range names {
		other := strings.ToLower(n)
		length := utf8.RuneCountInString(other)
		if length == 0 || length > mostCompared {
			continue
		}
		d := Distance(low, other)
		const least = 3 // characters that say something by being contained
		if min(len(low), len(other)) >= least && (strings.Contains(other, low) || strings.Contains(low, other)) {
			d = min(d, 1)
		}
		if d <= max(1, max(length, utf8.RuneCountInString(low))/3) && d < length {
			near = append(near, scored{n, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, s := range near {
		if len(out) == most || s.distance > near[0].distance {
			break
		}
		if !slices.Contains(out, s.name) {
			out = append(out, s.name)
		}
	}
	return out
}
