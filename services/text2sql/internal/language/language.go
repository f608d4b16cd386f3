// Package language cuts questions into tokens and knows the general words of
// questions: those that say what is done with the things of a schema. Which words
// those are is data (words.yaml, units.yaml), in both languages under the same tags,
// so that whoever reads tags reads both.
//
// Chinese is not cut into words here: each character is a token, and what a run of
// them stands for is decided where the names and values of the data are known.
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Kind of a token.
type Kind int

// Kinds of tokens.
const (
	Word   Kind = iota // of letters, and digits among them
	Han                // one Chinese character
	Number             // in digits
	Quoted             // text in quotes, without them
	Mark               // anything else
)

// MaxTokens bounds the tokens of a question; the rest is left out.
const MaxTokens = 256

// Token is a piece of a question.
type Token struct {
	Start, End int // bytes of the text
	Kind       Kind
	Text       string // as written
	Lower      string
	Stem       string // of a word; else as Lower
	Spaced     bool   // a space stands before it
}

// Split cuts a text. Letters with marks stay one word; a number takes its separators
// and its decimals ("2,400.50"), not its sign.
func Split(text string) []Token {
	var out []Token
	spaced := false
	for pos := 0; pos < len(text) && len(out) < MaxTokens; {
		r, size := utf8.DecodeRuneInString(text[pos:])
		if unicode.IsSpace(r) {
			pos, spaced = pos+size, true
			continue
		}
		kind, end := next(text, pos, r, size)
		t := Token{Start: pos, End: end, Kind: kind, Text: text[pos:end], Spaced: spaced}
		if kind == Quoted {
			_, open := utf8.DecodeRuneInString(t.Text)
			_, shut := utf8.DecodeLastRuneInString(t.Text)
			t.Text = t.Text[open : len(t.Text)-shut]
		}
		t.Lower = strings.ToLower(t.Text)
		t.Stem = t.Lower
		if kind == Word {
			t.Stem = token.Stem(t.Lower)
		}
		out = append(out, t)
		pos, spaced = end, false
	}
	return out
}

// next tells the kind of the token at a place, and where it ends.
func next(text string, pos int, r rune, size int) (kind Kind, end int) {
	switch {
	case unicode.Is(unicode.Han, r):
		return Han, pos + size
	case r >= '0' && r <= '9':
		return numberAt(text, pos)
	case unicode.IsLetter(r):
		return Word, wordEnd(text, pos)
	}
	if shut, ok := quotes[r]; ok && !inWord(text, pos, size) {
		if n := strings.IndexRune(text[pos+size:], shut); n > 0 {
			return Quoted, pos + size + n + utf8.RuneLen(shut)
		}
	}
	return Mark, pos + size
}

var quotes = map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '「': '」', '《': '》', '`': '`'}

// inWord reports whether a mark stands right behind a letter, as in "don't".
func inWord(text string, pos, _ int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:pos])
	return pos > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// numberAt reads digits with separators; digits that run on in letters are a word
// ("7d", "3rd").
func numberAt(text string, pos int) (kind Kind, end int) {
	end = pos
	digit := func(i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for digit(end) || end < len(text) && (text[end] == '.' || text[end] == ',') && digit(end+1) {
		end++
	}
	if r, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) {
		return Word, wordEnd(text, end)
	}
	return Number, end
}

func wordEnd(text string, pos int) int {
	for pos < len(text) {
		r, size := utf8.DecodeRuneInString(text[pos:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || unicode.Is(unicode.Han, r) {
			break
		}
		pos += size
	}
	return pos
}
