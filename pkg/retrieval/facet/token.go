package facet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// token is a word of a question in letters; Chinese is read by expressions.
type token struct {
	word, stem string // lower case, without accents
	surface    string
	start, end int
	after      gap  // what follows
	quoted     bool // part of a value
	function   bool // no noun
	joins      bool // lists things: "and", "or"
}

// gap is what stands between two words.
type gap uint8

const (
	together gap = iota // blanks, a hyphen
	comma               // and what else parts adjectives in a row
	apart               // the end of a clause, or Chinese
)

// tokens cuts a text into words at everything but letters and digits. The s of a
// possessive goes with its word.
func (l *lexicon) tokens(text string) []token {
	quoted := quotes(text)
	var out []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			if len(out) > 0 {
				out[len(out)-1].after = max(out[len(out)-1].after, gapOf(r))
			}
			i += size
			continue
		}
		end := i
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if !isWordRune(r) {
				break
			}
			end += n
		}
		surface := text[i:end]
		if surface == "s" && i > 1 && len(out) > 0 && out[len(out)-1].end < i && isApostrophe(text[out[len(out)-1].end:i]) {
			out[len(out)-1].end = end
			i = end
			continue
		}
		word := strings.ToLower(fold(surface))
		out = append(out, token{word: word, stem: l.stem(word), surface: surface, start: i, end: end, function: l.function[word], joins: l.joins[word], quoted: inside(i, quoted)})
		i = end
	}
	if len(out) > 0 {
		out[len(out)-1].after = apart
	}
	return out
}

func gapOf(r rune) gap {
	switch {
	case r == ',' || r == '，' || r == '、':
		return comma
	case strings.ContainsRune(";:.?!()[]", r), unicode.Is(unicode.Han, r), unicode.IsPunct(r) && r > unicode.MaxLatin1 && r != '’':
		return apart
	}
	return together
}

func isWordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)) && !unicode.Is(unicode.Han, r)
}

func isApostrophe(s string) bool { return s == "'" || s == "’" }

// fold takes the accents from letters.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			folded, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s)
			if err != nil {
				return s
			}
			return folded
		}
	}
	return s
}

// stem returns the stem of a word; those of the lexicon's own words are ready.
func (l *lexicon) stem(word string) string {
	if s, ok := l.stems[word]; ok {
		return s
	}
	return english.Stem(word, true)
}

// quotes finds what stands in quotation marks: it is a value, not a wish.
func quotes(text string) [][2]int {
	var spans [][2]int
	for _, pair := range [][2]string{{"\"", "\""}, {"“", "”"}, {"「", "」"}, {"《", "》"}, {"‘", "’"}, {"'", "'"}, {"`", "`"}} {
		for from := 0; from < len(text); {
			i := strings.Index(text[from:], pair[0])
			if i < 0 {
				break
			}
			start := from + i + len(pair[0])
			from = start
			if pair[0] == "'" && !opens(text, start-1) {
				continue
			}
			n := closes(text[start:], pair[1])
			if n < 0 {
				continue
			}
			spans = append(spans, [2]int{start, start + n})
			from = start + n + len(pair[1])
		}
	}
	return spans
}

// opens reports whether the apostrophe at i may open a quotation: it follows no
// letter.
func opens(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return !isWordRune(r) || i == 0
}

// closes returns where a quotation ends: an apostrophe before a letter is none.
func closes(text, mark string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return -1
		}
		end := from + i
		r, _ := utf8.DecodeRuneInString(text[end+len(mark):])
		if mark != "'" || !isWordRune(r) || r == utf8.RuneError {
			return end
		}
		from = end + len(mark)
	}
}

func inside(at int, spans [][2]int) bool {
	for _, s := range spans {
		if s[0] <= at && at < s[1] {
			return true
		}
	}
	return false
}
