package semantic

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words splits an identifier into lower-case words: at everything that is no
// letter and no digit, between camel humps, and between letters and digits.
func Words(identifier string) []string {
	var (
		words []string
		word  []rune
		runes = []rune(identifier)
	)
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case len(word) == 0:
		case unicode.IsDigit(r) != unicode.IsDigit(word[len(word)-1]):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(word[len(word)-1]):
			flush()
		case unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !unicode.IsDigit(word[len(word)-1]) && !pluralAcronym(runes, i):
			flush() // the last capital of a run starts the next word: XMLFile
		}
		word = append(word, r)
	}
	flush()
	return words
}

// pluralAcronym reports whether the capital at i ends an acronym in the plural,
// as the D of IDs.
func pluralAcronym(runes []rune, i int) bool {
	return runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
}

// Fold returns a text in the form in which values are compared: without case,
// accents, width and surrounding or repeated spaces.
func Fold(s string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			space = b.Len() > 0
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// splitter cuts words that were written together, such as "stuid", with the
// words that the same catalog writes apart.
type splitter struct {
	known map[string]struct{}
}

// heads end many identifiers and are seldom written apart in all of a catalog.
var heads = []string{"id", "name", "code", "date", "type", "number", "num", "no", "count", "time", "year", "status", "price", "city"}

func newSplitter(identifiers []string) *splitter {
	s := &splitter{known: map[string]struct{}{}}
	for _, id := range identifiers {
		words := Words(id)
		for _, w := range words {
			if len(words) > 1 && len(w) >= 3 {
				s.known[w] = struct{}{}
			}
		}
		if len(words) == 1 && len(words[0]) >= 3 && len(words[0]) <= 9 {
			s.known[words[0]] = struct{}{}
			s.known[strings.TrimSuffix(words[0], "s")] = struct{}{}
		}
	}
	return s
}

// split returns the words of an identifier; comment is the column's description,
// whose words count as known.
func (s *splitter) split(identifier, comment string) []string {
	var out []string
	hints := map[string]struct{}{}
	for _, w := range Words(comment) {
		if len(w) >= 2 {
			hints[w] = struct{}{}
		}
	}
	for _, w := range Words(identifier) {
		if a, b, ok := s.cut(w, hints); ok {
			out = append(out, a, b)
			continue
		}
		out = append(out, w)
	}
	return out
}

func (s *splitter) cut(w string, hints map[string]struct{}) (first, second string, ok bool) {
	if len(w) < 5 {
		return "", "", false
	}
	if _, ok := hints[w]; ok {
		return "", "", false
	}
	for i := len(w) - 2; i >= 2; i-- {
		a, b := w[:i], w[i:]
		_, hintA := hints[a]
		_, hintB := hints[b]
		if hintA && hintB {
			return a, b, true
		}
		if !s.has(a) {
			continue
		}
		for _, h := range heads {
			if b == h && len(a) >= 3 {
				return a, b, true
			}
		}
	}
	return "", "", false
}

func (s *splitter) has(w string) bool { _, ok := s.known[w]; return ok }
