// Package token cuts a question into tokens: words, numbers, quoted texts and
// marks. English words get a stem; Chinese text is cut into the words that are
// likeliest together.
package token

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// Kind of a token.
type Kind int

// Kinds of tokens.
const (
	Word Kind = iota
	Number
	Quoted
	Mark
	Han
	// Time is an expression of time, put in the place of its words by Merge.
	Time
)

// Token is a piece of the question.
type Token struct {
	Kind  Kind
	Text  string // as written; of a quoted text what is inside
	Lower string
	Stem  string // of words; else Lower
	// Start and End are byte offsets in the question.
	Start, End int
	// Possessive marks a word that had 's.
	Possessive bool
	Period     *Period // of Time
	// Glosses are what a Chinese word may be in English, likeliest first.
	Glosses []Gloss
	han     string // of a number written in Chinese characters
}

// Part returns a token of a word that t is made of, in its place.
func (t Token) Part(word string) Token {
	t.Text, t.Lower, t.Stem, t.Glosses = word, word, word, nil
	return t
}

// Gloss is a translation of a Chinese word.
type Gloss struct {
	Text  string   // in lower case
	Stems []string // of its words
	// Name marks names of places, peoples and languages, which are written with a
	// capital.
	Name  bool
	Score float64 // 0 to 1: how likely it is what a schema calls the thing
}

// Period is a range of days, or how time is cut.
type Period struct {
	// First and Last are days, "2006-01-02", both included; empty: open.
	First, Last string
	Grain       string // hour day week month quarter year; then there is no range
}

// Merge puts one token in the place of those between two byte offsets.
func Merge(tokens []Token, start, end int, p Period) []Token {
	var out []Token
	done := false
	for _, t := range tokens {
		if t.Start < start || t.End > end {
			out = append(out, t)
			continue
		}
		if done {
			last := &out[len(out)-1]
			last.Text += " " + t.Text
			last.Lower, last.Stem, last.End = last.Text, last.Text, t.End
			continue
		}
		t.Kind, t.Period, t.Lower, t.Stem, t.Possessive = Time, &p, t.Text, t.Text, false
		out, done = append(out, t), true
	}
	return out
}

// Capital reports whether a word is written with a capital or has a digit.
func (t Token) Capital() bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return unicode.IsUpper(r)
}

// MaxTokens bounds the tokens of a question; the rest is not read.
const MaxTokens = 400

// Stem returns the stem of a lower-case English word.
func Stem(w string) string {
	if s, ok := irregular[w]; ok {
		w = s
	}
	if len(w) == 3 && w[2] == 's' && !strings.ContainsRune("aeious", rune(w[1])) {
		return w[:2] // ads, and not gas or pass
	}
	if len(w) <= 3 {
		return strings.TrimSuffix(w, "'")
	}
	// Who does something is not what is done: gardener and garden, manager and
	// managed stay apart.
	if one := strings.TrimSuffix(w, "s"); len(one) > 5 && (strings.HasSuffix(one, "er") || strings.HasSuffix(one, "or")) {
		return one
	}
	return english.Stem(w, true)
}

// irregular plurals that a suffix stemmer leaves apart from their singulars.
var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "mice": "mouse",
	"teeth": "tooth", "lives": "life", "wives": "wife", "ids": "id", "data": "datum", "media": "medium",
	"criteria": "criterion", "series": "series", "dogs": "dog", "cats": "cat", "pets": "pet", "cars": "car",
	"jobs": "job", "tvs": "tv", "days": "day", "statuses": "status", "bonuses": "bonus", "campuses": "campus", "viruses": "virus",
}

var quotes = map[rune]rune{'"': '"', '“': '”', '‘': '’', '「': '」', '《': '》', '\'': '\'', '`': '`'}

// Split cuts a question. words is the dictionary of Chinese words.
func Split(question string, words *Dictionary) []Token {
	s := splitter{text: question, words: words}
	for s.pos < len(question) && len(s.out) < MaxTokens {
		s.next()
	}
	return numerals(s.out)
}

type splitter struct {
	text  string
	pos   int
	out   []Token
	words *Dictionary
}

func (s *splitter) next() {
	r, size := utf8.DecodeRuneInString(s.text[s.pos:])
	switch {
	case unicode.IsSpace(r):
		s.pos += size
	case s.quoted(r, size):
	case unicode.IsDigit(r):
		s.number()
	case unicode.Is(unicode.Han, r):
		s.han()
	case unicode.IsLetter(r):
		s.word()
	default:
		s.add(Mark, s.pos, s.pos+size)
	}
}

func (s *splitter) add(k Kind, from, to int) {
	text := s.text[from:to]
	lower := strings.ToLower(text)
	t := Token{Kind: k, Text: text, Lower: lower, Stem: lower, Start: from, End: to}
	if k == Word {
		t.Stem = Stem(lower)
	}
	s.out = append(s.out, t)
	s.pos = to
}

// quoted takes a quoted text. A single quote opens one only where a word starts
// and closes only where one ends, so that apostrophes stay apart.
func (s *splitter) quoted(open rune, size int) bool {
	closing, ok := quotes[open]
	if !ok {
		return false
	}
	rest := s.text[s.pos+size:]
	end := -1
	for i, r := range rest {
		if r != closing && !(open == '‘' && r == '\'') {
			continue
		}
		after, _ := utf8.DecodeRuneInString(rest[i+utf8.RuneLen(r):])
		if (open == '\'' || open == '‘') && (unicode.IsLetter(after) || unicode.IsDigit(after)) && !unicode.Is(unicode.Han, after) {
			continue
		}
		end = i
		closing = r
		break
	}
	if end <= 0 || end > 200 {
		return false
	}
	inside := rest[:end]
	from := s.pos
	to := s.pos + size + end + utf8.RuneLen(closing)
	trimmed := strings.TrimSpace(inside)
	s.out = append(s.out, Token{Kind: Quoted, Text: trimmed, Lower: strings.ToLower(trimmed), Stem: strings.ToLower(trimmed), Start: from, End: to})
	s.pos = to
	return true
}

// number takes digits with , . and : inside; ordinal and unit letters that follow
// at once make it a word, such as 3rd or 2x4.
func (s *splitter) number() {
	end := s.pos
	for end < len(s.text) {
		c := s.text[end]
		inside := (c == '.' || c == ',' || c == ':' || c == '-' || c == '/') && end+1 < len(s.text) && isDigit(s.text[end+1])
		if !isDigit(c) && !inside {
			break
		}
		end++
	}
	r, _ := utf8.DecodeRuneInString(s.text[end:])
	if unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) {
		for end < len(s.text) {
			r, size := utf8.DecodeRuneInString(s.text[end:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			end += size
		}
		s.add(Word, s.pos, end)
		return
	}
	s.add(Number, s.pos, end)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (s *splitter) word() {
	end := s.pos
	for end < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if r == '_' || ((unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)) {
			end += size
			continue
		}
		if (r == '-' || r == '&' || r == '.') && end+size < len(s.text) {
			after, _ := utf8.DecodeRuneInString(s.text[end+size:])
			if r == '&' && unicode.IsUpper(after) || r == '.' && unicode.IsLetter(after) && end-s.pos == 1 {
				end += size
				continue
			}
		}
		break
	}
	from := s.pos
	rest := s.text[end:]
	s.add(Word, from, end)
	w := &s.out[len(s.out)-1]
	for _, mark := range []string{"'s", "’s"} {
		if after, ok := strings.CutPrefix(rest, mark); ok && !startsWithLetter(after) {
			w.Possessive = true
			w.End += len(mark)
			s.pos += len(mark)
			return
		}
	}
	for _, mark := range []string{"n't", "n’t"} {
		if full := s.text[from:min(len(s.text), end+2+len("’"))]; strings.Contains(full, mark) {
			at := strings.Index(full, mark)
			w.Text, w.Lower = full[:at], strings.ToLower(full[:at])
			w.Stem, w.End = Stem(w.Lower), from+at
			s.out = append(s.out, Token{Kind: Word, Text: "not", Lower: "not", Stem: "not", Start: from + at, End: from + at + len(mark)})
			s.pos = from + at + len(mark)
			return
		}
	}
	if strings.HasPrefix(rest, "' ") && strings.HasSuffix(w.Lower, "s") { // students' names
		w.Possessive = true
		s.pos++
	}
}

func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
