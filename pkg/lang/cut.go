package lang

import (
	"math"
	"slices"
	"unicode/utf8"
)

const (
	// unknownCost is the cost of a character that is no word.
	unknownCost = 14.0
	// perWord is added for each word: fewer are likelier.
	perWord = 2.0
)

// Cut splits a text that is written without spaces into its likeliest words: those
// that cost least together. cost returns what a word costs, about minus the
// logarithm of its probability, and whether it is one; it is asked for up to
// longest characters. A character that is no word stands alone.
func Cut(text string, longest int, cost func(word string) (float64, bool)) []string {
	best := make([]float64, len(text)+1)
	from := make([]int, len(text)+1)
	for i := 1; i <= len(text); i++ {
		best[i] = math.Inf(1)
	}
	for start := 0; start < len(text); {
		_, size := utf8.DecodeRuneInString(text[start:])
		end := start
		for n := 1; end < len(text) && n <= max(longest, 1); n++ {
			_, next := utf8.DecodeRuneInString(text[end:])
			end += next
			least, known := unknownCost, n == 1
			if n <= longest {
				if c, ok := cost(text[start:end]); ok {
					least, known = c, true
				}
			}
			if total := best[start] + least + perWord; known && total < best[end] {
				best[end], from[end] = total, start
			}
		}
		start += size
	}
	var words []string
	for end := len(text); end > 0; end = from[end] {
		words = append(words, text[from[end]:end])
	}
	slices.Reverse(words)
	return words
}
