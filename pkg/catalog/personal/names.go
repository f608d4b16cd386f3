package personal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sign is what a word of a name says: bit n of named and not speaks of rule n.
type sign struct {
	named, not      uint64
	person, further bool
}

func (s *sign) add(other sign) {
	s.named |= other.named
	s.not |= other.not
	s.person = s.person || other.person
	s.further = s.further || other.further
}

// lexicon finds all that the words of a name say in one look: a warehouse has a million
// columns, and the rules have hundreds of words.
type lexicon struct {
	first  map[string][]phrase // words in a row, by the first of them
	inside []phrase            // Chinese ones, which stand anywhere in a name
}

// phrase is a word, or several one after another.
type phrase struct {
	words []string
	says  sign
}

// add takes in a word or several.
func (l *lexicon) add(text string, says sign) {
	if utf8.RuneCountInString(text) != len(text) {
		l.inside = append(l.inside, phrase{[]string{strings.ToLower(text)}, says})
		return
	}
	if words := wordsOf(text); len(words) > 0 {
		l.first[words[0]] = append(l.first[words[0]], phrase{words, says})
	}
}

// of returns what a name says, whose words are given.
func (l *lexicon) of(name string, words []string) sign {
	var all sign
	for i, word := range words {
		for _, p := range l.first[word] {
			if rest := words[i:]; len(rest) >= len(p.words) && slices.Equal(rest[:len(p.words)], p.words) {
				all.add(p.says)
			}
		}
	}
	if utf8.RuneCountInString(name) == len(name) {
		return all
	}
	name = strings.ToLower(name)
	for _, p := range l.inside {
		if strings.Contains(name, p.words[0]) {
			all.add(p.says)
		}
	}
	return all
}

// wordsOf are the words of customerEmail and customer_email in small letters. Digits
// part them too: phone1 is a phone.
func wordsOf(name string) []string {
	var words []string
	runes := []rune(name)
	from := 0
	end := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(string(runes[from:to])))
		}
	}
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c):
			end(i)
			from = i + 1
		case i > from && unicode.IsUpper(c) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end(i)
			from = i
		}
	}
	end(len(runes))
	return words
}

// singular takes the s off each word.
func singular(words []string) []string {
	words = slices.Clone(words)
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "s")
	}
	return words
}
