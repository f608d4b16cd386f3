package llm

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// These words only choose what a model is told; what it is told is part of
// recorded conversations, so they stay apart from the words that rules read by.

// wordsOf are the words of a text as a set, with and without a plural's end.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range split(s) {
		out[w], out[stem(w)] = true, true
	}
	return out
}

// stem takes the end off a plural.
func stem(w string) string {
	if len(w) > 3 && !strings.HasSuffix(w, "ss") {
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// split cuts a text into words in lower case: at what is no letter or digit, at
// capitals inside a name, and Chinese into pairs of characters.
func split(s string) []string {
	var out []string
	var word, han []rune
	endWord := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	endHan := func() {
		for i := 0; i+1 < len(han); i++ {
			out = append(out, string(han[i:i+2]))
		}
		if len(han) == 1 {
			out = append(out, string(han))
		}
		han = han[:0]
	}
	var before rune
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r):
			endWord()
			han = append(han, r)
		case unicode.IsLetter(r), unicode.IsDigit(r):
			endHan()
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				endWord()
			}
			word = append(word, r)
		default:
			endWord()
			endHan()
		}
		before = r
	}
	endWord()
	endHan()
	return out
}

// Nearest returns the indices of the questions most like one, best first, at most
// n: those that share words with it, rare words counting more.
func Nearest(question string, others []string, n int) []int {
	asked := wordsOf(question)
	sets := make([]map[string]bool, len(others))
	seen := map[string]int{}
	for i, o := range others {
		sets[i] = wordsOf(o)
		for w := range sets[i] {
			seen[w]++
		}
	}
	score := make([]float64, len(others))
	var order []int
	for i, set := range sets {
		whole := 0.0
		for w := range set {
			weight := 1 / float64(seen[w])
			whole += weight
			if asked[w] {
				score[i] += weight
			}
		}
		if score[i] > 0 {
			score[i] /= whole
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order[:min(len(order), n)]
}
