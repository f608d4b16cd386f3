// Package personal tells by its name whether a column holds personal data, whose
// values are never kept as samples.
package personal

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed personal.txt
var list string

// Words find names of columns that hold personal data.
type Words struct {
	words []string // " credit card ", whole words
	parts []string // Chinese, which has no spaces
}

// New returns the words of personal.txt and further ones.
func New(further []string) Words {
	var w Words
	add := func(entry string) {
		entry = strings.TrimSpace(entry)
		switch {
		case entry == "" || strings.HasPrefix(entry, "#"):
		case utf8.RuneCountInString(entry) == len(entry):
			w.words = append(w.words, spaced(entry))
		default:
			w.parts = append(w.parts, strings.ToLower(entry))
		}
	}
	for line := range strings.Lines(list) {
		add(line)
	}
	for _, f := range further {
		add(f)
	}
	return w
}

// Match reports whether a column's name speaks of personal data.
func (w Words) Match(column string) bool {
	text := spaced(column)
	for _, word := range w.words {
		if strings.Contains(text, word) {
			return true
		}
	}
	lower := strings.ToLower(column)
	for _, p := range w.parts {
		if strings.Contains(lower, p) {
			return true
		}
	}
	return false
}

// spaced turns customerEmail and customer_email into " customer email ".
func spaced(name string) string {
	var b strings.Builder
	b.WriteByte(' ')
	var previous rune
	runes := []rune(name)
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c):
			c = ' ' // digits too: phone1 is a phone
		case unicode.IsUpper(c) && (unicode.IsLower(previous) || unicode.IsUpper(previous) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		if c != ' ' || previous != ' ' {
			b.WriteRune(unicode.ToLower(c))
		}
		previous = c
	}
	b.WriteByte(' ')
	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}
