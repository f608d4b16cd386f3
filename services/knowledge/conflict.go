package knowledge

import (
	"regexp"
	"slices"
	"strings"
)

// Conflict is passages that say about the same in other figures.
type Conflict struct {
	// Values are the figures as the passages write them, Cited their sentences; newest
	// first.
	Values []string
	Cited  []Citation
}

// figures are numbers with what is written to them: "30 days", "2.5 GB", "90 %", "七天"
// stays a word.
var figures = regexp.MustCompile(`\d+(?:[.,:]\d+)*(?:\s?%|\s?[a-zA-Zµ]+|\s?[天年月周小时分秒个条次元]+)?`)

const (
	// leastAlike is the share of words from which on two sentences say about the same.
	leastAlike = 0.5
	// nearlyAsSure is the share of the best passage's confidence that another one needs
	// to be held against it.
	nearlyAsSure = 0.6
)

// conflicts holds the sentences of the best passage against those of others that fit
// nearly as well: two that have most words in common and differ in a figure
// contradict each other.
func (s *Service) conflicts(passages []found, question string) []Conflict {
	if len(passages) < 2 {
		return nil
	}
	best := passages[0]
	sentence := s.keySentence(best, question)
	own := figuresOf(sentence)
	if len(own) == 0 {
		return nil
	}
	c := Conflict{Values: []string{strings.Join(own, ", ")}, Cited: []Citation{s.cite(best, sentence)}}
	for _, other := range passages[1:] {
		if other.document() == best.document() && other.of == best.of && other.in.section(other.at).Question == "" {
			continue
		}
		if other.hit.Confidence() < nearlyAsSure*best.hit.Confidence() {
			continue
		}
		theirs := s.keySentence(other, question)
		values := figuresOf(theirs)
		if len(values) == 0 || sameFigures(own, values) ||
			best.in.index.Alike(withoutFigures(sentence), withoutFigures(theirs)) < leastAlike {
			continue
		}
		c.Values = append(c.Values, strings.Join(values, ", "))
		c.Cited = append(c.Cited, s.cite(other, theirs))
	}
	if len(c.Cited) < 2 {
		return nil
	}
	return []Conflict{c.newestFirst()}
}

func (c Conflict) newestFirst() Conflict {
	order := make([]int, len(c.Cited))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.Cited[b].Changed.Compare(c.Cited[a].Changed) })
	var out Conflict
	for _, i := range order {
		out.Values, out.Cited = append(out.Values, c.Values[i]), append(out.Cited, c.Cited[i])
	}
	return out
}

func figuresOf(sentence string) []string {
	var out []string
	for _, f := range figures.FindAllString(sentence, -1) {
		out = append(out, strings.ToLower(strings.Join(strings.Fields(f), " ")))
	}
	return out
}

func sameFigures(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func withoutFigures(sentence string) string { return figures.ReplaceAllString(sentence, " ") }
