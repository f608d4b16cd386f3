package scope

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// ask offers marts, the likeliest first.
func (c *Clarifier) ask(r Request, between []weighed, marts map[string]catalog.Mart) Result {
	l := r.Question.Language
	result := Result{Outcome: Ask, Text: c.say("ask", l), Fallback: fallback(marts)}
	for _, w := range between[:min(len(between), c.file.MaxOptions)] {
		label := w.mart
		if len(w.words) > 0 {
			label = strings.Join(w.words, l.Pick(", ", "、")) + " → " + w.mart
		}
		result.Options = append(result.Options, Option{ID: OptionPrefix + w.mart, Label: label, Description: inLanguage(marts[w.mart].Description, l)})
	}
	return result
}

// CountryPrefix begins the id of a country that is offered; its code follows.
const CountryPrefix = "country_"

// AskCountry offers countries, by their codes.
func (c *Clarifier) AskCountry(codes []string, l lang.Language) Result {
	result := Result{Outcome: Ask, Text: c.say("country", l)}
	for _, code := range codes {
		result.Options = append(result.Options, Option{ID: CountryPrefix + code, Label: facet.CountryName(code, l == lang.Chinese)})
	}
	return result
}

// open asks what a question without a subject is about: of "compare Singapore with
// Malaysia" only the person knows. Where department or habit
// speak for one mart, it is that.
func (c *Clarifier) open(r Request, marts map[string]catalog.Mart) Result {
	asksForData := r.Question.AsksForData || r.Question.AsksForRows
	if !r.Question.Asks || r.Question.WantsAdvice && !asksForData || len(marts) == 1 {
		return noMatch(marts)
	}
	var all []weighed
	for _, m := range r.Marts {
		if !m.Fallback {
			all = append(all, weighed{mart: m.Name, score: 1})
		}
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.mart, b.mart) })
	if len(all) < 2 {
		return noMatch(marts)
	}
	if c.breakTie(r, all, marts) && !r.MakeSure {
		return c.identified(all[:1], all[:1], r)
	}
	result := c.ask(r, all, marts)
	result.Text = c.say("open", r.Question.Language)
	return result
}

// inLanguage returns the line of a description in two languages that is in l,
// the first where none is.
func inLanguage(text string, l lang.Language) string {
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if lang.Detect(line) == l {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(lines[0])
}
