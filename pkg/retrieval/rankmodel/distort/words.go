package distort

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// shortened is the share of words that are shortened.
const shortened = 0.6

// longEnough is the length from which words are shortened, in letters.
const longEnough = 5

// prefixes are put before names of tables; most schemas have none.
var prefixes = [...]string{"", "", "tbl", "dw_", "t_"}

// style is how a schema writes names.
type style int

const (
	snake style = iota
	camel
	run
	upper
	styles
)

// rename shortens the words of a table's names and writes them in the style of
// its schema.
func (d *distorter) rename(t *catalog.Table) {
	of := d.random("style", t.Name.Schema)
	s, prefix := style(of.IntN(int(styles))), prefixes[of.IntN(len(prefixes))]
	schema := t.Name.Schema
	t.Name.Table = prefix + d.write(schema, t.Name.Table, s)
	for i := range t.Columns {
		t.Columns[i].Name = d.write(schema, t.Columns[i].Name, s)
	}
}

func (d *distorter) write(schema, name string, s style) string {
	words := split(name)
	for i, w := range words {
		if of := d.random("word", schema, w); of.Float64() < shortened {
			words[i] = shorten(w, of)
		}
	}
	switch s {
	case snake:
		return strings.Join(words, "_")
	case upper:
		return strings.ToUpper(strings.Join(words, "_"))
	case run:
		return strings.ToUpper(strings.Join(words, ""))
	}
	for i, w := range words {
		words[i] = lang.Capital(w)
	}
	return strings.Join(words, "")
}

// shorten makes an abbreviation of a word in one of the usual ways: its first
// letters, its consonants, or its first two consonants and its last letter.
func shorten(w string, of *rand.Rand) string {
	if len(w) < longEnough || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return w
	}
	consonants := w[:1] + strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiou", r) {
			return -1
		}
		return r
	}, w[1:])
	switch way := of.Float64(); {
	case way < 0.4:
		return w[:3+of.IntN(2)]
	case way < 0.85 && len(consonants) >= 3:
		return consonants[:min(len(consonants), 5)]
	case len(consonants) >= 3:
		return consonants[:2] + w[len(w)-1:]
	}
	return w
}

// split returns the words of an identifier in lower case.
func split(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	var before rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(before), unicode.IsDigit(r) != unicode.IsDigit(before):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		before = r
	}
	end()
	return words
}

func glue(name string) string { return strings.Join(split(name), "") }
