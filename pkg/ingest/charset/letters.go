package charset

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

// language is a language whose letters an encoding of one byte a character has.
type language struct {
	encoding string
	letters  string
	vowels   string // "": they do not tell
}

//go:embed letters.txt
var lettersFile string

// languages reads the table of letters.
func languages() []language {
	var out []language
	for line := range strings.Lines(lettersFile) {
		fields := strings.Fields(line)
		if len(fields) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		l := language{encoding: fields[0], letters: fields[2]}
		if len(fields) > 3 {
			l.vowels = fields[3]
		}
		out = append(out, l)
	}
	return out
}

// signs stand in tables beside letters, whatever the language.
const signs = "€£¥¢°±²³µ·–—‘’‚“”„«»…©®™§½¼¾×÷•¿¡ªº\u00a0"

// finals are letters that end a word.
const finals = "ςךםןףץ"

// minVowels is the least share of vowels in a text of a language that has them.
const minVowels = 0.25

// rate is how much of a text beyond ASCII are letters of the language, in words as
// people write them: at most 1.
func (l language) rate(text string) float64 {
	worth, n, vowels := 0.0, 0, 0
	before, previous := ' ', ' '
	for i, r := range text {
		if r >= utf8.RuneSelf {
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			worth += l.worth(before, previous, r, after)
			n++
			if strings.ContainsRune(l.vowels, unicode.ToLower(r)) {
				vowels++
			}
		}
		before, previous = previous, r
	}
	if n == 0 {
		return 0
	}
	if l.vowels != "" && float64(vowels) < minVowels*float64(n) {
		return worth / float64(2*n)
	}
	return worth / float64(n)
}

// worth is what a character is worth where it stands: 1 for a letter of the language
// in a word of its kind, less than 0 for one that no word has there.
func (l language) worth(before, previous, r, after rune) float64 {
	inWord := unicode.IsLetter(previous) && unicode.IsLetter(after)
	if !unicode.IsLetter(r) && !unicode.IsMark(r) {
		switch {
		case inWord && !strings.ContainsRune("’‘·", r): // "M¼ller"
			return never
		case strings.ContainsRune(signs, r):
			return 0.6
		default:
			return 0
		}
	}
	switch {
	case unicode.IsUpper(r) && unicode.IsLower(previous): // "лНЯЙБЮ"
		return never
	case unicode.IsLower(r) && unicode.IsUpper(previous) && unicode.IsUpper(before) && unicode.IsUpper(after):
		return never
	case latin(r) && previous >= utf8.RuneSelf && before >= utf8.RuneSelf && unicode.IsLetter(previous) && unicode.IsLetter(before):
		return never // three in a row: no word of these languages
	case unicode.IsLetter(previous) && latin(r) != latin(previous):
		return never // two scripts in a word
	case strings.ContainsRune(finals, r) && unicode.IsLetter(after):
		return never
	case !unicode.IsLetter(previous) && !unicode.IsLetter(after):
		return 0.4 // a letter alone tells little
	case strings.ContainsRune(l.letters, unicode.ToLower(r)):
		return 1
	case latin(r):
		return 0.4 // of another language, as in names
	default:
		return 0.2
	}
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }
