package parser

import "github.com/dibrain/dibrain/pkg/sql/tree"

// WordKind tells words of a text apart for whoever corrects it.
type WordKind int

// Kinds of words.
const (
	WordSign    WordKind = iota // a sign, or a character that begins nothing
	WordName                    // may be a name without quotes, key words that are not reserved among them
	WordKey                     // a reserved key word
	WordQuoted                  // a name in quotes
	WordLiteral                 // a text or a number
)

// Word is a word or sign of a text: bytes [Start, End).
type Word struct {
	Start, End int
	Kind       WordKind
}

// Words splits a text into words and signs; blanks, comments and the
// semicolons at its end are left out.
func Words(text string) []Word {
	if len(text) > MaxBytes {
		return nil
	}
	tokens := lex(text, &work{})
	words := make([]Word, 0, len(tokens))
	names := vocabulary().names
	for _, t := range tokens {
		w := Word{Start: t.start, End: t.end}
		switch t.kind {
		case kEnd:
			continue
		case tQuotedIdentifier, tBackquotedIdentifier:
			w.Kind = WordQuoted
		case tString, tUnicodeString, tBinaryLiteral, kDollarString, tIntegerValue, tDecimalValue, tDoubleValue:
			w.Kind = WordLiteral
		default:
			switch c := text[t.start]; {
			case !isLetter(c) && c != '_':
			case int(t.kind) < len(names) && names[t.kind]:
				w.Kind = WordName
			default:
				w.Kind = WordKey
			}
		}
		words = append(words, w)
	}
	for len(words) > 0 && text[words[len(words)-1].Start] == ';' {
		words = words[:len(words)-1]
	}
	return words
}

// Probe reads a query by the fast reader alone. It returns how many words of the text
// lie behind the one that does not fit, that one counted, 0 where only the end is
// missing; and whether the whole is a query. It is for trying corrections, of which
// there are hundreds: it says neither what is wrong nor where Trino would say so.
func Probe(text string) (left int, ok bool) {
	if len(text) > MaxBytes {
		return 0, false
	}
	w := &work{}
	source := tree.NewSource(text)
	tokens, err := oneStatement(source, lex(text, w))
	if err != nil {
		return len(text), false
	}
	if _, err := checkBounds(source, tokens); err != nil {
		return len(tokens) - 1, false
	}
	r := newReader(source, tokens, w)
	s := r.statement()
	if r.peek() != kEnd {
		r.fail()
	}
	if r.failed {
		return len(tokens) - 1 - r.furthest, false
	}
	return 0, r.badName == nil && r.misread == nil && s != nil && s.Query != nil
}
