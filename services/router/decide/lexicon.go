package decide

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

//go:embed lexicon.yaml
var lexiconYAML []byte

// phrase is a sequence of words; one that ends in "*" stands for all words with
// that beginning.
type phrase []string

// signal is the words of one signal.
type signal struct {
	name string
	// index is the signal's place in its lexicon, from 1; 0: it is in none.
	index int
	// latin holds phrases by their first word, and open those that begin with a prefix.
	latin map[string][]phrase
	open  []phrase
	// han holds lower-case texts, and signs, that are looked for anywhere.
	han []string
	// like holds expressions over the message in lower case. They tell of the
	// signal and are never taken out of a message.
	like []expression
	// not fits texts that are taken out of the message first; nil: there are none.
	not *expression
}

type lexicon struct {
	signals []signal
	byName  map[string]*signal
	begins  map[string][]int // words to the indices of signals with phrases that they begin
}

func readLexicon(raw []byte) (*lexicon, error) {
	var file map[string]struct {
		EN   []string `yaml:"en"`
		ZH   []string `yaml:"zh"`
		Like []string `yaml:"like"`
		Not  []string `yaml:"not"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("lexicon: %w", err)
	}
	l := &lexicon{byName: make(map[string]*signal, len(file))}
	for name, words := range file {
		phrases := slices.Concat(words.EN, words.ZH)
		if i := slices.IndexFunc(phrases, isEmptyPhrase); i >= 0 {
			return nil, fmt.Errorf("lexicon: empty phrase %q of %s", phrases[i], name)
		}
		s := newSignal(name, phrases)
		if len(words.Not) > 0 {
			not, err := compile(strings.Join(words.Not, "|"))
			if err != nil {
				return nil, fmt.Errorf("lexicon: %s: %w", name, err)
			}
			s.not = &not
		}
		for _, text := range words.Like {
			re, err := compile(text)
			if err != nil {
				return nil, fmt.Errorf("lexicon: %s: %w", name, err)
			}
			s.like = append(s.like, re)
		}
		l.signals = append(l.signals, s)
	}
	slices.SortFunc(l.signals, func(a, b signal) int { return strings.Compare(a.name, b.name) })
	l.begins = map[string][]int{}
	for i := range l.signals {
		s := &l.signals[i]
		l.byName[s.name], s.index = s, i+1
		for w := range s.latin {
			l.begins[w] = append(l.begins[w], s.index)
		}
	}
	return l, nil
}

// newSignal reads phrases; one without a letter or digit says nothing. A phrase
// with a Han character is looked for anywhere. One without is made of words, in a
// Chinese sentence too: "log" is no part of "login".
func newSignal(name string, phrases []string) signal {
	s := signal{name: name, latin: map[string][]phrase{}}
	for _, p := range phrases {
		if hasHan(p) || hasSymbol(p) {
			s.han = append(s.han, strings.ToLower(strings.ReplaceAll(p, " ", "")))
			continue
		}
		if isEmptyPhrase(p) {
			continue
		}
		ph := phrase(phraseWords(strings.ToLower(p)))
		if strings.HasSuffix(ph[0], "*") {
			s.open = append(s.open, ph)
			continue
		}
		s.latin[ph[0]] = append(s.latin[ph[0]], ph)
	}
	// The longest first, so that what is taken out leaves no stump.
	slices.SortFunc(s.han, func(a, b string) int { return len(b) - len(a) })
	return s
}

func isEmptyPhrase(p string) bool {
	says := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r) }
	return !strings.ContainsFunc(p, says)
}

// hasSymbol finds signs such as a raised thumb.
func hasSymbol(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.So, r) })
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// phraseWords splits a lexicon's phrase; "*" belongs to its word.
func phraseWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '*' && r != '-'
	})
}

// message is a text prepared for matching.
type message struct {
	lower   string
	words   []string // Latin words, lower case, in order
	compact string   // lower case, without spaces
	ascii   bool     // nothing but ASCII, so that no text of a signal's han is in it
	// begun tells by their index the signals of a lexicon that a word may begin a phrase of; nil:
	// nobody has looked. A message has words of few.
	begun []bool
}

// look notes of which signals the message has a word that begins a phrase.
func (l *lexicon) look(m *message) {
	m.begun = make([]bool, len(l.signals)+1)
	for _, w := range m.words {
		for _, i := range l.begins[w] {
			m.begun[i] = true
		}
	}
}

// mayBegin reports whether a phrase of the signal may stand in the message's words.
func (s *signal) mayBegin(m message) bool {
	return len(s.open) > 0 || s.index == 0 || m.begun == nil || m.begun[s.index]
}

func prepare(text string) message {
	lower := strings.TrimSpace(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	m := message{lower: lower}
	m.words = strings.FieldsFunc(lower, func(r rune) bool {
		return unicode.Is(unicode.Han, r) || (!unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-')
	})
	var b strings.Builder
	for _, r := range lower {
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
		}
	}
	m.compact = b.String()
	m.ascii = !strings.ContainsFunc(m.compact, func(r rune) bool { return r > unicode.MaxASCII })
	return m
}

func (p phrase) at(words []string) bool {
	if len(p) > len(words) {
		return false
	}
	for i, w := range p {
		if prefix, open := strings.CutSuffix(w, "*"); open {
			if !strings.HasPrefix(words[i], prefix) {
				return false
			}
		} else if words[i] != w {
			return false
		}
	}
	return true
}

// holds reports whether one of the signal's phrases stands in the message.
func (s *signal) holds(m message) bool {
	if s.not != nil && s.not.fits(m.lower) {
		m = prepare(s.not.ReplaceAllString(m.lower, " "))
	}
	if s.mayBegin(m) {
		for i := range m.words {
			if s.longest(m.words[i:]) > 0 {
				return true
			}
		}
	}
	return !m.ascii && slices.ContainsFunc(s.han, func(h string) bool { return strings.Contains(m.compact, h) }) ||
		slices.ContainsFunc(s.like, func(e expression) bool { return e.fits(m.lower) })
}

// without returns the message with the signal's phrases taken out.
func (s *signal) without(m message) message {
	out := message{words: m.words, compact: m.compact, ascii: m.ascii, begun: m.begun}
	if s.mayBegin(m) {
		out.words = s.rest(m.words)
	}
	if m.ascii {
		return out
	}
	for _, h := range s.han {
		out.compact = strings.ReplaceAll(out.compact, h, "")
	}
	return out
}

// rest returns words without the signal's phrases: themselves where there is none.
func (s *signal) rest(words []string) []string {
	left, whole := words, true
	for i := 0; i < len(words); {
		n := s.longest(words[i:])
		switch {
		case n > 0 && whole:
			left, whole = slices.Clone(words[:i]), false
		case n == 0 && !whole:
			left = append(left, words[i])
		}
		i += max(n, 1)
	}
	return left
}

// longest returns the number of words of the longest phrase that words begin with.
func (s *signal) longest(words []string) int {
	n := 0
	for _, phrases := range [...][]phrase{s.latin[words[0]], s.open} {
		for _, p := range phrases {
			if len(p) > n && p.at(words) {
				n = len(p)
			}
		}
	}
	return n
}

// leftover reports whether anything is said beside the named signals.
func (l *lexicon) leftover(m message, names ...string) bool {
	for _, n := range names {
		m = l.byName[n].without(m)
	}
	if len(m.words) > 0 {
		return true
	}
	return hasHan(m.compact)
}

// size counts words and Han characters, two of which weigh about a word.
func (m message) size() int {
	han := 0
	for _, r := range m.compact {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return len(m.words) + (han+1)/2
}
