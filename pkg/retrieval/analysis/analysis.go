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

//go:embed irregular.yaml
var irregularWords []byte

// Limits of an Analyzer.
const (
	maxTermBytes  = 64      // longer words are cut: no name has them, attacks do
	maxStemsKept  = 100_000 // stems remembered; beyond it they are computed each time
	longestZhStop = 4       // characters of the longest Chinese stop word
	minSplitWord  = 3       // letters a word needs to be taken out of one with digits
	maxWordsKept  = 100_000 // words whose parts are remembered
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
	stems map[string]string
	parts map[string][]string // of words that the splitter was asked for
}

// New returns an analyzer with the stop words that the package embeds.
func New() (*Analyzer, error) {
	var lists map[string][]string
	if err := yaml.Unmarshal(defaultStopWords, &lists); err != nil {
		return nil, fmt.Errorf("read the embedded stop words: %w", err)
	}
	a := &Analyzer{stop: make(map[string]struct{}), stems: make(map[string]string), parts: make(map[string][]string)}
	if err := yaml.Unmarshal(irregularWords, &a.irregular); err != nil {
		return nil, fmt.Errorf("read the embedded irregular words: %w", err)
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
	tokens := a.Tokens(text)
	terms := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if !t.Stop {
			terms = append(terms, t.Term)
		}
	}
	return terms
}

// Tokens returns all tokens of a text in its order, stop words marked.
func (a *Analyzer) Tokens(text string) []Token {
	var tokens []Token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.Is(unicode.Han, r):
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
	_, t.Stop = a.stop[lower]
	t.Term = a.stem(lower)
	// A lone letter is what an apostrophe or an initial leaves.
	t.Stop = t.Stop || utf8.RuneCountInString(lower) == 1
	tokens = append(tokens, t)
	// "level1" is found by "level" too; "1d" and "s0" are words of their own.
	if letters := strings.TrimRight(lower, "0123456789"); letters != lower && len(letters) >= minSplitWord {
		tokens = append(tokens, Token{Term: a.stem(letters), Word: letters, Surface: surface, Start: start, End: end, Kind: Word, Part: true})
		lower = letters
	}
	for _, part := range a.split(lower) {
		_, stop := a.stop[part]
		tokens = append(tokens, Token{Term: a.stem(part), Word: part, Surface: surface, Start: start, End: end, Kind: Word, Stop: stop, Part: true})
	}
	return tokens
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
func (a *Analyzer) Stem(word string) string { return a.stem(word) }

func (a *Analyzer) stem(word string) string {
	a.mu.RLock()
	s, ok := a.stems[word]
	a.mu.RUnlock()
	if ok {
		return s
	}
	base, irregular := a.irregular[word]
	if !irregular {
		base = word
	}
	s = english.Stem(base, true)
	a.mu.Lock()
	if len(a.stems) < maxStemsKept {
		a.stems[word] = s
	}
	a.mu.Unlock()
	return s
}

// split returns the parts of a run-together word.
func (a *Analyzer) split(word string) []string {
	if a.splitter == nil || len(word) < minRunTogether {
		return nil
	}
	a.mu.RLock()
	parts, known := a.parts[word]
	a.mu.RUnlock()
	if known {
		return parts
	}
	parts = a.splitter.Split(word)
	a.mu.Lock()
	if len(a.parts) < maxWordsKept {
		a.parts[word] = parts
	}
	a.mu.Unlock()
	return parts
}

func isDigits(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
