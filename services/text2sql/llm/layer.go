package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// Kinds of definitions beside those of intents.
const (
	kindFilter  intent.Kind = "filter"
	kindCountry intent.Kind = "country"
)

// definitions are what a model is told of a written layer, and the ids in it: it
// may use no others.
type definitions struct {
	metrics, dimensions, entities, filters, countries string

	ids map[intent.Kind]map[string]bool
	// stored are the values that dimensions hold of which all are told.
	stored map[string][]semantic.Value
}

func (d *definitions) has(kind intent.Kind, id string) bool { return d.ids[kind][id] }

// listed is a definition as it is told, on one line.
type listed struct {
	id, line string
	score    float64
}

// definitions are the parts of a layer that fit the question best.
func (d *desk) definitions(task *team.Task) *definitions {
	layer, asked, l := task.Layer, wordsOf(task.Question), task.Language
	out := &definitions{ids: map[intent.Kind]map[string]bool{}, stored: map[string][]semantic.Value{}}
	line := func(id string, names semantic.Text, synonyms []string, facts ...string) listed {
		called := slices.Compact([]string{names.EN, names.ZH})
		text := "- " + id + ": " + strings.Trim(strings.Join(called, " / "), " /")
		if told := spoken(synonyms, l); len(told) > 0 {
			text += " (" + strings.Join(told[:min(len(told), maxSynonyms)], ", ") + ")"
		}
		for _, f := range facts {
			if f != "" {
				text += "; " + f
			}
		}
		words := id + " " + names.EN + " " + names.ZH + " " + strings.Join(synonyms, " ")
		return listed{id, lang.Shorten(lang.OneLine(text), 2*maxText), overlap(words, asked)}
	}
	var metrics, dimensions, entities, filters, countries []listed
	for _, m := range layer.Metrics {
		if metric.Base(m.ID) == m.ID { // the others are the same in other tables
			unit := m.Unit
			if unit != "" {
				unit = "unit " + unit
			}
			metrics = append(metrics, line(m.ID, m.Names, m.Synonyms, l.Pick(m.Description.EN, m.Description.ZH), unit))
		}
	}
	for _, x := range layer.Dimensions {
		if base := metric.Base(x.ID); base != x.ID && slices.ContainsFunc(layer.Dimensions, func(other semantic.Dimension) bool { return other.ID == base }) {
			continue // the same in another table
		}
		if x.Complete && len(x.Values) > 0 && d.cfg.Samples != SamplesOff {
			out.stored[x.ID] = x.Values
		}
		dimensions = append(dimensions, line(x.ID, x.Names, x.Synonyms, l.Pick(x.Description.EN, x.Description.ZH), d.values(x, asked, l)))
	}
	for _, x := range layer.Entities {
		entities = append(entities, line(x.ID, x.Names, x.Synonyms))
	}
	for _, f := range slices.Concat(layer.Filters, layer.Exclusions) {
		filters = append(filters, line(f.ID, f.Names, f.Synonyms, l.Pick(f.Description.EN, f.Description.ZH)))
	}
	for _, c := range layer.Countries {
		countries = append(countries, line(c.Code, c.Names, nil))
	}
	out.metrics = out.take(intent.KindMetric, metrics, d.cfg.MaxLayerItems)
	out.dimensions = out.take(intent.KindDimension, dimensions, d.cfg.MaxLayerItems)
	out.entities = out.take(intent.KindEntity, entities, d.cfg.MaxLayerItems)
	out.filters = out.take(kindFilter, filters, d.cfg.MaxLayerItems)
	out.countries = out.take(kindCountry, countries, maxCountries)
	return out
}

// Bounds of what is told of one definition.
const (
	maxSynonyms = 4
	maxValues   = 12
	// maxValueSynonyms bounds the other words for one value.
	maxValueSynonyms = 2
	maxCountries     = 60
)

// spoken are the synonyms in the language of the question; all where none is.
func spoken(synonyms []string, l lang.Language) []string {
	out := slices.DeleteFunc(slices.Clone(synonyms), func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) != (l == lang.Chinese)
	})
	if len(out) == 0 {
		return synonyms
	}
	return out
}

// take tells the n definitions that fit best, in their own order.
func (d *definitions) take(kind intent.Kind, list []listed, n int) string {
	best := slices.Clone(list)
	slices.SortStableFunc(best, func(a, b listed) int { return cmp.Compare(b.score, a.score) })
	best = best[:min(len(best), n)]
	d.ids[kind] = map[string]bool{}
	for _, e := range best {
		d.ids[kind][e.id] = true
	}
	var lines []string
	for _, e := range list {
		if d.ids[kind][e.id] {
			lines = append(lines, e.line)
		}
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// values are the stored values of a dimension that people wrote into the layer.
func (d *desk) values(x semantic.Dimension, asked map[string]bool, l lang.Language) string {
	if len(x.Values) == 0 || d.cfg.Samples == SamplesOff {
		return ""
	}
	list := x.Values
	if len(list) > maxValues { // those that the question names, then the first; told in stored order
		named := func(v semantic.Value) bool {
			return isNamed(v.Value, asked) || slices.ContainsFunc(v.Synonyms, func(s string) bool { return isNamed(s, asked) })
		}
		n := 0
		for _, v := range list {
			if named(v) {
				n++
			}
		}
		ofNamed, others := min(n, maxValues), maxValues-min(n, maxValues)
		list = slices.DeleteFunc(slices.Clone(list), func(v semantic.Value) bool {
			left := &others
			if named(v) {
				left = &ofNamed
			}
			*left--
			return *left < 0
		})
	}
	var out []string
	for _, v := range list {
		text := v.Value
		if told := spoken(v.Synonyms, l); len(told) > 0 {
			text += " = " + strings.Join(told[:min(len(told), maxValueSynonyms)], ", ")
		}
		out = append(out, text)
	}
	if len(list) < len(x.Values) {
		return fmt.Sprintf("%d of its %d values: %s", len(list), len(x.Values), strings.Join(out, "; "))
	}
	return "values: " + strings.Join(out, "; ")
}
