package analysis

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Limits of splitting run-together words.
const (
	minRunTogether = 6   // letters of the shortest word that is split
	maxRunTogether = 40  // letters of the longest
	minPart        = 3   // letters of a part, but for those of shortParts
	maxPart        = 20  // letters of a part
	minLearned     = 3   // distinct texts in which a word stands apart to be learned
	wholeMargin    = 1.0 // what a split may cost more than a known word that it is one of
	unknownLetter  = 3.5 // cost of each letter of a part that is no word; 0 parts of it are allowed
	partCost       = 2.5 // of each part: fewer parts are likelier
	frequentWord   = 6000
)

// shortParts are parts of two letters that names really are run together with.
var shortParts = [...]string{"id", "no", "of", "to", "by", "is", "in", "on", "at"}

// Splitter cuts run-together words at the most likely places (a word's cost is
// minus the logarithm of its probability; the cheapest cut is the likeliest). Its
// words are general English and what a corpus shows as words of their own. It
// never changes and may be used concurrently.
type Splitter struct {
	words *lexicon
	costs map[string]float64 // learned
}

// learn counts words as they stand apart in a corpus and takes those as known that
// are no general words and are not made of such.
func learn(l *lexicon, counts map[string]int) *Splitter {
	s := &Splitter{words: l, costs: make(map[string]float64)}
	for _, w := range shortParts {
		s.costs[w] = math.Log(100) + math.Log(math.Log(float64(len(l.rank))))
	}
	var total float64
	type counted struct {
		word  string
		count int
	}
	var candidates []counted
	for w, n := range counts {
		total += float64(n)
		if _, general := l.rank[w]; !general && n >= minLearned && len(w) >= minPart && len(w) <= maxPart && isLetters(w) {
			candidates = append(candidates, counted{w, n})
		}
	}
	// Short words first: a longer one may be made of them.
	slices.SortFunc(candidates, func(a, b counted) int {
		return cmp.Or(cmp.Compare(len(a.word), len(b.word)), cmp.Compare(a.word, b.word))
	})
	for _, c := range candidates {
		if len(c.word) >= minRunTogether && len(s.Split(c.word)) > 0 {
			continue
		}
		s.costs[c.word] = math.Log(total/float64(c.count)) + learnedCost
	}
	return s
}

// learnedCost is what a learned word costs more than its share of the corpus says:
// most of them are abbreviations that a longer word may hold by chance.
const learnedCost = 3

func (s *Splitter) cost(part string) (float64, bool) {
	if c, known := s.costs[part]; known {
		return c, true
	}
	if len(part) < minPart {
		return 0, false
	}
	return s.words.cost(part)
}

// Split returns the parts of a run-together word in lower case, two or more, or
// none where the word is one. It knows ASCII letters only.
func (s *Splitter) Split(word string) []string {
	n := len(word)
	if n < minRunTogether || n > maxRunTogether || !isLetters(word) {
		return nil
	}
	limit := math.Inf(1)
	if whole, known := s.cost(word); known {
		limit = whole + wholeMargin
	}
	best := make([]float64, n+1)
	from := make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		for start := max(0, end-maxPart); start < end; start++ {
			if end-start == n || math.IsInf(best[start], 1) {
				continue
			}
			if c, known := s.cost(word[start:end]); known && best[start]+c+partCost < best[end] {
				best[end], from[end] = best[start]+c+partCost, start
			}
		}
	}
	if best[n] > limit || best[n] > unknownLetter*float64(n) {
		return nil
	}
	var parts []string
	for end := n; end > 0; end = from[end] {
		parts = append(parts, word[from[end]:end])
	}
	slices.Reverse(parts)
	return parts
}

func isLetters(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}
