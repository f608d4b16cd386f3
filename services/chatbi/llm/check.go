package llm

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

//go:embed vocabulary.yaml
var vocabularyYAML []byte

// vocabulary are the words with which figures may be told, by what they say of them.
type vocabulary struct {
	sense   map[string]sense // words of letters, in lower case
	han     map[string]sense // of Han characters, as they are written
	longest int              // of the latter, in characters
}

// sense is what a word says of figures.
type sense int

// Senses. A word without one is a name, a unit or another word of the finding's own.
const (
	own sense = iota
	neutral
	up
	down
)

func readVocabulary(source []byte) (*vocabulary, error) {
	var file struct{ Neutral, Up, Down struct{ En, Zh string } }
	if err := yaml.Unmarshal(source, &file); err != nil {
		return nil, fmt.Errorf("read the vocabulary of sentences: %w", err)
	}
	v := &vocabulary{sense: map[string]sense{}, han: map[string]sense{}}
	for _, list := range []struct {
		of     sense
		en, zh string
	}{{neutral, file.Neutral.En, file.Neutral.Zh}, {up, file.Up.En, file.Up.Zh}, {down, file.Down.En, file.Down.Zh}} {
		for _, w := range strings.Fields(list.en) {
			v.sense[w] = list.of
		}
		for _, w := range strings.Fields(list.zh) {
			v.han[w] = list.of
			v.longest = max(v.longest, len([]rune(w)))
		}
	}
	return v, nil
}

// anchor is what a sentence may not change: a figure, or a word that is no other's.
type anchor struct {
	word string // empty: a figure
	// number as it is written, without separators, its decimals, and whether a percent
	// sign follows.
	number   string
	decimals int
	percent  bool
	// joined says that the next anchor is the next character of the same word.
	joined bool
}

// told is a sentence as far as it can be checked: its anchors in order, and the words of
// direction with how many anchors stand before each.
type told struct {
	anchors    []anchor
	directions []direction
}

type direction struct {
	sense sense
	after int // anchors before it
}

// read takes a sentence apart. What the result names, such as a shop called "Top", is
// own wherever it stands, though the vocabulary has its words.
func (v *vocabulary) read(text string, names []string) told {
	var t told
	note := func(s sense) {
		if s == up || s == down {
			t.directions = append(t.directions, direction{s, len(t.anchors)})
		}
	}
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		if name := nameAt(runes, i, names); name != "" {
			t.anchors = append(t.anchors, anchor{word: strings.ToLower(name)})
			i += len([]rune(name))
			continue
		}
		switch {
		case unicode.IsDigit(r):
			n := i
			for n < len(runes) && (unicode.IsDigit(runes[n]) || (runes[n] == ',' || runes[n] == '.') && n+1 < len(runes) && unicode.IsDigit(runes[n+1])) {
				n++
			}
			a := anchor{number: strings.ReplaceAll(string(runes[i:n]), ",", ""), percent: n < len(runes) && (runes[n] == '%' || runes[n] == '％')}
			if _, after, ok := strings.Cut(a.number, "."); ok {
				a.decimals = len(after)
			}
			if i > 0 && (runes[i-1] == '-' || runes[i-1] == '−' || runes[i-1] == '+') {
				a.number = strings.Replace(string(runes[i-1]), "−", "-", 1) + a.number
			}
			t.anchors = append(t.anchors, a)
			i = n
		case unicode.Is(unicode.Han, r):
			n, s := v.hanAt(runes[i:])
			if s == own {
				t.anchors = append(t.anchors, anchor{word: string(r), joined: i+1 < len(runes) && v.ownHan(runes[i+1:])})
			}
			note(s)
			i += n
		case unicode.IsLetter(r) || unicode.IsMark(r):
			n := i
			for n < len(runes) && (unicode.IsLetter(runes[n]) || unicode.IsMark(runes[n])) && !unicode.Is(unicode.Han, runes[n]) {
				n++
			}
			word := strings.ToLower(string(runes[i:n]))
			s := v.sense[word]
			if s == own {
				t.anchors = append(t.anchors, anchor{word: word})
			}
			note(s)
			i = n
		case strings.ContainsRune(" \t,.:;()'’\"“”/-–—+−%％_…·！!?？，。、：；（）《》‘[]&#", r):
			i++
		default: // a character that no sentence of ours has its meaning from
			t.anchors = append(t.anchors, anchor{word: string(r)})
			i++
		}
	}
	return t
}

// nameAt is the longest of the names that stands at a place, as whole words.
func nameAt(text []rune, at int, names []string) string {
	found := ""
	inWord := func(i, j int) bool { // i and j are parts of one word of letters or digits
		if i < 0 || j >= len(text) {
			return false
		}
		part := func(r rune) bool {
			return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
		}
		return part(text[i]) && part(text[j])
	}
	for _, name := range names {
		n := len([]rune(name))
		if len(name) > len(found) && at+n <= len(text) && strings.EqualFold(string(text[at:at+n]), name) && !inWord(at-1, at) && !inWord(at+n-1, at+n) {
			found = name
		}
	}
	return found
}

// hanAt is the longest word of the vocabulary at the beginning of a text.
func (v *vocabulary) hanAt(text []rune) (int, sense) {
	for n := min(v.longest, len(text)); n > 0; n-- {
		if s := v.han[string(text[:n])]; s != own {
			return n, s
		}
	}
	return 1, own
}

func (v *vocabulary) ownHan(text []rune) bool {
	if !unicode.Is(unicode.Han, text[0]) {
		return false
	}
	_, s := v.hanAt(text)
	return s == own
}

// wrong says what a sentence has that the finding's does not; empty: nothing. What it
// says goes to the model, which may mend it.
func (v *vocabulary) wrong(template, sentence string, names []string) string {
	if len([]rune(sentence)) > 2*len([]rune(template))+80 {
		return "it is too long"
	}
	if strings.TrimSpace(sentence) == "" {
		return "it is empty"
	}
	want, have := v.read(template, names), v.read(sentence, names)
	for i, a := range have.anchors {
		switch {
		case i >= len(want.anchors):
			return fmt.Sprintf("%q is not in it", a.text())
		case !a.stands(want.anchors[i]):
			return fmt.Sprintf("%q stands where the finding has %q", a.text(), want.anchors[i].text())
		}
	}
	switch n := len(have.anchors); {
	case n == 0 && len(want.anchors) > 0:
		return "it has nothing of the finding"
	case n > 0 && want.anchors[n-1].joined:
		return "a name is cut short"
	case n > 0 && !slices.ContainsFunc(have.anchors, func(a anchor) bool { return a.word == "" }) && slices.ContainsFunc(want.anchors, func(a anchor) bool { return a.word == "" }):
		return "it has no figure"
	}
	for _, d := range have.directions {
		if !want.holds(d) {
			return "it turns a direction round, or tells one that the finding does not have"
		}
	}
	return ""
}

// holds reports whether a sentence tells the same direction at the same place, one anchor
// off where the opposite is not told nearby.
func (t told) holds(d direction) bool {
	same, opposite, exact := false, false, false
	for _, have := range t.directions {
		if have.after < d.after-1 || have.after > d.after+1 {
			continue
		}
		if have.sense == d.sense {
			same, exact = true, exact || have.after == d.after
		} else {
			opposite = true
		}
	}
	return exact || same && !opposite
}

func (a anchor) text() string {
	if a.word != "" {
		return a.word
	}
	if a.percent {
		return a.number + "%"
	}
	return a.number
}

// stands reports whether an anchor is the finding's, figures rounded to fewer decimals
// with two significant digits left at least.
func (a anchor) stands(want anchor) bool {
	if a.word != "" || want.word != "" {
		return a.word == want.word
	}
	if a.percent != want.percent {
		return false
	}
	if a.number == want.number {
		return true
	}
	if a.decimals >= want.decimals || len(strings.TrimLeft(strings.ReplaceAll(a.number, ".", ""), "-+0")) < 2 {
		return false
	}
	exact, err := strconv.ParseFloat(want.number, 64)
	if err != nil {
		return false
	}
	rounded, err := strconv.ParseFloat(a.number, 64)
	return err == nil && math.Abs(exact-rounded) <= 0.5*math.Pow10(-a.decimals)+1e-9
}
