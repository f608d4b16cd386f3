// Package analysis turns text into search terms. It is made for warehouses: an
// identifier in snake or camel case falls into its words, digits that belong to
// a word stay with it ("1d", "s0"), English is stemmed, and Chinese becomes
// bigrams, since it has no spaces. Documents and questions go through the same
// Analyzer, so what is split one way is split that way on both sides.
package analysis

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"go.yaml.in/yaml/v3"
)

//go:embed stopwords.yaml
var defaultStopWords []byte

// irregular.tsv.gz: inflected words whose base a stemmer does not find, each with its
// base. See irregular.LICENSE and scripts/make-irregular.py.
//
//go:embed irregular.tsv.gz
var irregularWords []byte

// Limits of an Analyzer.
const (
	maxTermBytes  = 64      // longer words are cut: no name has them, attacks do
	longestZhStop = 4       // characters of the longest Chinese stop word
	minSplitWord  = 3       // letters a word needs to be taken out of one with digits
	maxWordsKept  = 200_000 // words remembered; beyond it they are analysed each time
)

// Kind tells the scripts of tokens apart.
type Kind int

// Kinds of tokens.
const (
	Word   Kind = iota // letters, perhaps with digits: "gmv", "1d"
	Number             // digits alone
	Han                // one or two Chinese characters
)

// Token is one term of a text.
type Token struct {
	Term       string // what is indexed and searched: lower case, stemmed
	Word       string // in lower case, not stemmed
	Surface    string // as it stands in the text
	Start, End int    // bytes of Surface in the text
	Kind       Kind
	Stop       bool // too common to search for
	// Part is set for what a run-together word or one with digits holds; it follows
	// the whole word and has its place.
	Part bool
}

// Analyzer splits text. It may be used concurrently.
type Analyzer struct {
	stop      map[string]struct{}
	irregular map[string]string // to the base
	splitter  *Splitter         // nil: run-together words are not split

	mu    sync.RWMutex
	known map[string]analysed
}

// New returns an analyzer with the stop words that the package embeds.
func New() (*Analyzer, error) {
	var lists map[string][]string
	if err := yaml.Unmarshal(defaultStopWords, &lists); err != nil {
		return nil, fmt.Errorf("read the embedded stop words: %w", err)
	}
	a := &Analyzer{stop: make(map[string]struct{}), known: make(map[string]analysed)}
	var err error
	if a.irregular, err = Irregular(); err != nil {
		return nil, err
	}
	for _, words := range lists {
		for _, w := range words {
			a.stop[strings.ToLower(w)] = struct{}{}
		}
	}
	return a, nil
}

// Terms returns the terms of a text that are worth searching, in its order.
func (a *Analyzer) Terms(text string) []string {
	var few [16]Token // most names have no more
	tokens := a.appendTokens(few[:0], text)
	terms := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if !t.Stop {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

// Tokens returns all tokens of a text in its order, stop words marked.
func (a *Analyzer) Tokens(text string) []Token { return a.appendTokens(nil, text) }

func (a *Analyzer) appendTokens(tokens []Token, text string) []Token {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r >= utf8.RuneSelf && unicode.Is(unicode.Han, r):
			end := runEnd(text, i, func(r rune) bool { return unicode.Is(unicode.Han, r) })
			tokens = a.appendHan(tokens, text, i, end)
			i = end
		case isWord(r):
			end := runEnd(text, i, isWord)
			tokens = a.appendWords(tokens, text, i, end)
			i = end
		default:
			i += size
		}
	}
	return tokens
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

func runEnd(text string, start int, in func(rune) bool) int {
	for i, r := range text[start:] {
		if !in(r) {
			return start + i
		}
	}
	return len(text)
}

// appendWords splits a run of letters and digits at its camel humps.
func (a *Analyzer) appendWords(tokens []Token, text string, start, end int) []Token {
	for from := start; from < end; {
		to := humpEnd(text, from, end)
		tokens = a.appendWord(tokens, text, from, to)
		from = to
	}
	return tokens
}

// humpEnd finds where the word at start ends: before an upper-case letter that
// follows a lower-case one, or before the last capital of "HTTPServer".
func humpEnd(text string, start, end int) int {
	var before rune
	capitals := 0
	for i, r := range text[start:end] {
		at := start + i
		switch {
		case i == 0:
		case unicode.IsUpper(r) && unicode.IsLower(before):
			return at
		case unicode.IsLower(r) && capitals > 1:
			// The plural of an abbreviation, "IDs", is one word.
			if rest := text[at:end]; rest != "s" {
				return at - utf8.RuneLen(before)
			}
		}
		if unicode.IsUpper(r) {
			capitals++
		} else {
			capitals = 0
		}
		before = r
	}
	return end
}

func (a *Analyzer) appendWord(tokens []Token, text string, start, end int) []Token {
	surface := text[start:end]
	lower := strings.ToLower(surface)
	if len(lower) > maxTermBytes {
		lower = strings.ToValidUTF8(lower[:maxTermBytes], "")
	}
	t := Token{Word: lower, Surface: surface, Start: start, End: end, Kind: Word}
	if isDigits(lower) {
		t.Kind, t.Term = Number, lower
		return append(tokens, t)
	}
	w := a.lookUp(lower)
	t.Term, t.Word, t.Stop = w.whole.term, lower, w.whole.stop
	tokens = append(tokens, t)
	for _, part := range w.parts {
		tokens = append(tokens, Token{Term: part.term, Word: part.word, Surface: surface, Start: start, End: end, Kind: Word, Stop: part.stop, Part: true})
	}
	return tokens
}

// analysed is what a word becomes.
type analysed struct {
	whole piece
	parts []piece
}

type piece struct {
	word, term string
	stop       bool
}

// lookUp returns what a word in lower case becomes, from memory where it can.
func (a *Analyzer) lookUp(lower string) analysed {
	a.mu.RLock()
	w, known := a.known[lower]
	a.mu.RUnlock()
	if known {
		return w
	}
	w = a.analyse(strings.Clone(lower)) // lets go of the text that it stands in
	a.mu.Lock()
	if len(a.known) < maxWordsKept {
		a.known[w.whole.word] = w
	}
	a.mu.Unlock()
	return w
}

func (a *Analyzer) analyse(lower string) analysed {
	one := func(word string) piece {
		_, stop := a.stop[word]
		return piece{word, a.stem(word), stop}
	}
	w := analysed{whole: one(lower)}
	// A lone letter is what an apostrophe or an initial leaves.
	w.whole.stop = w.whole.stop || utf8.RuneCountInString(lower) == 1
	// "level1" is found by "level" too; "1d" and "s0" are words of their own.
	if letters := strings.TrimRight(lower, "0123456789"); letters != lower && len(letters) >= minSplitWord {
		part := one(letters)
		part.stop = false
		w.parts = append(w.parts, part)
		lower = letters
	}
	if a.splitter != nil {
		for _, part := range a.splitter.Split(lower) {
			w.parts = append(w.parts, one(part))
		}
	}
	return w
}

// appendHan cuts a run of Chinese at its stop words and takes the bigrams of the
// pieces; a piece of one character stands for itself.
func (a *Analyzer) appendHan(tokens []Token, text string, start, end int) []Token {
	piece := start
	for i := start; i < end; {
		n := a.zhStop(text[i:end])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		tokens = appendBigrams(tokens, text, piece, i)
		tokens = append(tokens, Token{Term: text[i : i+n], Word: text[i : i+n], Surface: text[i : i+n], Start: i, End: i + n, Kind: Han, Stop: true})
		i += n
		piece = i
	}
	return appendBigrams(tokens, text, piece, end)
}

// zhStop returns the bytes of the longest stop word that text begins with.
func (a *Analyzer) zhStop(text string) int {
	longest, count := 0, 0
	for i, r := range text {
		count++
		if count > longestZhStop {
			break
		}
		if _, ok := a.stop[text[:i+utf8.RuneLen(r)]]; ok {
			longest = i + utf8.RuneLen(r)
		}
	}
	return longest
}

func appendBigrams(tokens []Token, text string, start, end int) []Token {
	if start >= end {
		return tokens
	}
	_, first := utf8.DecodeRuneInString(text[start:])
	if start+first == end {
		return append(tokens, Token{Term: text[start:end], Word: text[start:end], Surface: text[start:end], Start: start, End: end, Kind: Han})
	}
	for i := start; ; {
		_, one := utf8.DecodeRuneInString(text[i:])
		if i+one >= end {
			return tokens
		}
		_, two := utf8.DecodeRuneInString(text[i+one:])
		pair := text[i : i+one+two]
		tokens = append(tokens, Token{Term: pair, Word: pair, Surface: pair, Start: i, End: i + one + two, Kind: Han})
		i += one
	}
}

// Stem returns the term that a word in lower case becomes.
func (a *Analyzer) Stem(word string) string { return a.lookUp(word).whole.term }

func (a *Analyzer) stem(word string) string {
	if base, irregular := a.irregular[word]; irregular {
		word = base
	}
	return english.Stem(word, true)
}

func isDigits(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
