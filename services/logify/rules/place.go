package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/logify/drain"
)

// place is a varying word of a template that a question asks about.
type place struct {
	t     *template
	at    int
	shape string
}

// shapes are the forms of values, the first that fits all of them counts. The words
// are what people call such a thing.
var shapes = []struct {
	name    string
	re      *regexp.Regexp
	pattern string
	words   []string
}{
	{"endpoint", regexp.MustCompile(`^/?\d{1,3}(?:\.\d{1,3}){3}:\d+`), `\d+\.\d+\.\d+\.\d+:\d+`, []string{"ip", "node", "endpoint"}},
	{"ip", regexp.MustCompile(`^/?\d{1,3}(?:\.\d{1,3}){3}`), `\d+\.\d+\.\d+\.\d+`, []string{"ip", "node"}},
	{"number", regexp.MustCompile(`^\d+(?:\.\d+)?$`), `\d+(?:\.\d+)?`, []string{"number"}},
	{"path", regexp.MustCompile(`^(?:https?:/)?/`), `\S+`, []string{"path", "file", "url", "endpoint"}},
	{"id", regexp.MustCompile(`\d`), "", []string{"id"}},
	{"word", regexp.MustCompile(``), "", nil},
}

func shapeOf(values []string) int {
	for i, s := range shapes {
		if len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !s.re.MatchString(v) }) {
			return i
		}
	}
	return len(shapes) - 1
}

// findPlace returns the place of the templates that words describe best. Numeric
// asks for a number that can be computed with.
func (g *Generator) findPlace(words []string, templates []*template, numeric bool) (place, bool) {
	best, found := 0.0, place{}
	for _, t := range templates {
		for i, w := range t.Words {
			if !w.Varies {
				continue
			}
			shape := shapeOf(w.Values)
			if numeric && shapes[shape].name != "number" {
				continue
			}
			score := g.describes(words, t, i, shape)
			if score > best {
				best, found = score, place{t, i, shapes[shape].name}
			}
		}
	}
	return found, best > 0
}

// onlyName returns the one place of the templates that holds a name or an id, which is
// what a thing is that nothing in the lines is called like.
func (g *Generator) onlyName(templates []*template) (place, bool) {
	found, n := place{}, 0
	for _, t := range templates {
		for i, w := range t.Words {
			if !w.Varies {
				continue
			}
			if shape := shapes[shapeOf(w.Values)].name; shape == "word" || shape == "id" {
				found, n = place{t, i, shape}, n+1
			}
		}
	}
	return found, n == 1
}

// describes scores how well words name a place: by what stands before and after it,
// the nearer the better, by its prefix and its shape.
func (g *Generator) describes(words []string, t *template, at, shape int) float64 {
	near := map[string]float64{}
	note := func(text string, weight float64) {
		for _, w := range wordsOf(text) {
			s := stem(w)
			near[s] = max(near[s], weight)
		}
	}
	for d := 1; d <= 3; d++ {
		if i := at - d; i >= 0 && !t.Words[i].Varies {
			note(t.Words[i].Text, 1.2/float64(d))
		} else {
			break
		}
	}
	for d := 1; d <= 3; d++ {
		if i := at + d; i < len(t.Words) && !t.Words[i].Varies {
			note(t.Words[i].Text, 0.7/float64(d))
		} else {
			break
		}
	}
	note(t.Words[at].Prefix, 1.5)
	for _, v := range t.Words[at].Values[:min(1, len(t.Words[at].Values))] {
		if head, _, ok := strings.Cut(v, "_"); ok { // blk_123
			note(head, 1)
		}
	}
	for _, w := range shapes[shape].words {
		near[stem(w)] = max(near[stem(w)], 0.9)
	}
	total := 0.0
	for n, word := range words {
		s := stem(word)
		// The last word is the head of the phrase.
		weight := 1.0
		if n == len(words)-1 {
			weight = 1.5
		}
		best := 0.0
		for other, v := range near {
			switch {
			case other == s:
				best = max(best, v)
			case beginAlike(other, s):
				best = max(best, 0.8*v)
			case g.words.alikeStems(other, s):
				best = max(best, 0.7*v)
			}
		}
		total += weight * best
	}
	return total
}

// capture writes the regular expression that takes a place of a line into a label.
func (p place) capture(label string) string {
	w := p.t.Words[p.at]
	var b strings.Builder
	from := p.at
	for from > 0 && p.at-from < 3 && !p.t.Words[from-1].Varies {
		from--
	}
	for i := from; i < p.at; i++ {
		b.WriteString(regexp.QuoteMeta(p.t.Words[i].Text) + `\s+`)
	}
	if from == p.at && p.at > 0 {
		b.WriteString(`\s`)
	}
	b.WriteString(regexp.QuoteMeta(w.Prefix))
	b.WriteString("(?P<" + label + ">" + p.pattern(w) + ")")
	if next := p.at + 1; next < len(p.t.Words) && !p.t.Words[next].Varies {
		b.WriteString(regexp.QuoteMeta(w.Suffix) + `\s+` + regexp.QuoteMeta(p.t.Words[next].Text))
	} else {
		b.WriteString(regexp.QuoteMeta(w.Suffix))
	}
	return strings.ReplaceAll(b.String(), `\s+`, " ")
}

func (p place) pattern(w drain.Word) string {
	for _, s := range shapes {
		if s.name == p.shape && s.pattern != "" {
			return s.pattern
		}
	}
	if w.Suffix != "" && len(w.Suffix) == 1 {
		return `[^\s` + regexp.QuoteMeta(w.Suffix) + `]+`
	}
	return `\S+`
}
