package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/logql"
)

// Outline is what of the logs bears on a question, for whoever writes the query
// instead of the rules. It has no value of a line.
type Outline struct {
	Labels []OutlineLabel
	// Lines are the forms of lines, those that fit the question best first.
	Lines []OutlineLine
}

// OutlineLabel is a label with those of its values that the question names first.
type OutlineLabel struct {
	Name   string
	Values []string
	// More counts the values that are left out.
	More int
}

// OutlineLine is a form of lines: its constant text, with ‹number›, ‹ip›, ‹path›,
// ‹id› or ‹word› where lines differ, and the labels that its streams share.
type OutlineLine struct {
	Text    string
	Streams string
}

// OutlineLimits bound an outline.
type OutlineLimits struct {
	Labels, Values, Lines int
	// Text bounds the bytes of one form.
	Text int
}

// Outline returns what of the logs bears on a question.
func (g *Generator) Outline(question string, now time.Time, k *Known, most OutlineLimits) Outline {
	r := g.read(question, now, k)
	var matchers []logql.Matcher
	for _, label := range sortedKeys(r.mentions) {
		matchers = append(matchers, matcherFor(label, r.mentions[label]))
	}
	series := k.picked(matchers)
	var e event
	e.used = map[string]bool{}
	_, values := g.splitQuoted(r, k, series, &e)
	candidates := k.at(series)
	var lines []*template
	for _, t := range e.templates {
		if !slices.Contains(lines, t) {
			lines = append(lines, t)
		}
	}
	for _, s := range g.rank(r, values, candidates, k, map[string]bool{}) {
		if !slices.Contains(lines, s.t) {
			lines = append(lines, s.t)
		}
	}
	for _, t := range candidates {
		if !slices.Contains(lines, t) {
			lines = append(lines, t)
		}
	}
	out := Outline{}
	for _, t := range lines[:min(len(lines), most.Lines)] {
		out.Lines = append(out.Lines, OutlineLine{clip(t.form(), most.Text), k.shared(t, series)})
	}
	for _, label := range k.Labels[:min(len(k.Labels), most.Labels)] {
		out.Labels = append(out.Labels, k.outlined(label, r, series, most.Values))
	}
	return out
}

// outlined puts those values of a label first that the question names, then those of
// the streams that it names.
func (k *Known) outlined(label Label, r *reading, series []int, most int) OutlineLabel {
	near := map[string]bool{}
	for _, s := range series {
		near[k.Series[s][label.Name]] = true
	}
	rank := func(v string) int {
		switch {
		case strings.Contains(r.lower, strings.ToLower(v)):
			return 0
		case near[v]:
			return 1
		}
		return 2
	}
	values := slices.Clone(label.Values)
	slices.SortStableFunc(values, func(a, b string) int { return rank(a) - rank(b) })
	n := min(len(values), most)
	return OutlineLabel{Name: label.Name, Values: values[:n], More: len(values) - n}
}

// form writes a template without the values of lines.
func (t *template) form() string {
	var words []string
	for _, w := range t.Words {
		if w.Varies {
			words = append(words, w.Prefix+"‹"+shapes[shapeOf(w.Values)].name+"›"+w.Suffix)
		} else {
			words = append(words, w.Prefix+w.Text+w.Suffix)
		}
	}
	return strings.Join(words, " ")
}

// shared writes the labels that all streams of a template have among the series.
func (k *Known) shared(t *template, series []int) string {
	var labels map[string]string
	for _, s := range t.series {
		if _, picked := slices.BinarySearch(series, s); !picked {
			continue
		}
		if labels == nil {
			labels = map[string]string{}
			for name, value := range k.Series[s] {
				labels[name] = value
			}
		}
		for name, value := range labels {
			if k.Series[s][name] != value {
				delete(labels, name)
			}
		}
	}
	var matchers []logql.Matcher
	for _, name := range sortedKeys(labels) {
		matchers = append(matchers, matcherFor(name, []string{labels[name]}))
	}
	return logql.Print(&logql.LogExpr{Matchers: matchers})
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
