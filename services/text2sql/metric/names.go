// Package metric reads questions over a hand-written semantic layer: which
// metric, over which time, by what, only where. Such questions name things in any
// order and either language, so they are read as a set of links, not by a
// sentence grammar; what nothing covers is kept and lowers the confidence.
//
// A layer's id x__y means x in another table, one that has the dimensions y. An
// intent holds x; which table serves it is chosen when SQL is written.
package metric

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Base returns the id without the part that names another table.
func Base(id string) string {
	base, _, _ := strings.Cut(id, "__")
	return base
}

// kind of a name.
type kind string

const (
	kindMetric    kind = "metric"
	kindDimension kind = "dimension"
	kindEntity    kind = "entity"
	kindFilter    kind = "filter"
	kindExclusion kind = "exclusion"
	kindCountry   kind = "country"
	kindValue     kind = "value"
	kindDate      kind = "date" // a column of time; value is the grain that the name says
)

// meaning is what a name stands for.
type meaning struct {
	kind  kind
	id    string // base id; code of a country
	value string // of kindValue
	of    string // y of a metric's variant x__y
	// part marks the end of a name.
	part bool
	// plural marks the name of a metric that is one word in the plural: its
	// singular is another word.
	plural bool
}

// Names leads from words to a layer's items. Read-only after NewNames.
type Names struct {
	layer   *semantic.Layer
	words   *Words
	dict    *token.Dictionary
	byKey   map[string][]meaning
	ends    map[string][]meaning // what several metrics' names end with
	begins  map[string][]string  // words that tell figures apart, and the ids of those they name
	nots    [][]token.Token      // words that leave something out
	longest int                  // tokens
}

// NewNames indexes the names of a layer in both languages. By the convention of
// variants x__y is the same number as x, so their names mean x.
func NewNames(layer *semantic.Layer, words *Words) *Names {
	n := &Names{layer: layer, words: words, dict: words.dict.Clone(), byKey: map[string][]meaning{}, ends: map[string][]meaning{}, begins: map[string][]string{}}
	type entry struct {
		text string
		m    meaning
	}
	var entries []entry
	add := func(m meaning, names semantic.Text, more []string) {
		all := append([]string{names.EN, names.ZH}, more...)
		for _, t := range all {
			if strings.Contains(t, "-") { // sign-ups, signups
				all = append(all, strings.ReplaceAll(t, "-", ""))
			}
		}
		for _, t := range all {
			if t = strings.TrimSpace(t); t != "" {
				n.dict.Add(t)
				entries = append(entries, entry{t, m})
				if strings.HasPrefix(t, "多少") { // 多少单, 有多少单
					n.dict.Add("有" + t)
					entries = append(entries, entry{"有" + t, m})
				}
			}
		}
	}
	for _, x := range layer.Metrics {
		_, of, _ := strings.Cut(x.ID, "__")
		add(meaning{kind: kindMetric, id: Base(x.ID), of: of}, x.Names, n.plain(x))
	}
	for _, x := range append([]semantic.Dimension{dayType()}, layer.Dimensions...) {
		add(meaning{kind: kindDimension, id: Base(x.ID)}, x.Names, x.Synonyms)
		for _, v := range x.Values {
			add(meaning{kind: kindValue, id: Base(x.ID), value: v.Value}, semantic.Text{EN: v.Value}, v.Synonyms)
		}
	}
	for _, x := range layer.Entities {
		add(meaning{kind: kindEntity, id: x.ID}, x.Names, x.Synonyms)
	}
	for _, x := range layer.Dates {
		add(meaning{kind: kindDate, id: x.ID}, x.Names, x.Synonyms)
		n.datesByGrain(x, func(name, grain string) {
			add(meaning{kind: kindDate, id: x.ID, value: grain}, semantic.Text{EN: name}, nil)
		})
	}
	for _, x := range layer.Filters {
		add(meaning{kind: kindFilter, id: x.ID}, x.Names, x.Synonyms)
	}
	for _, x := range layer.Exclusions {
		add(meaning{kind: kindExclusion, id: x.ID}, x.Names, x.Synonyms)
	}
	for _, x := range layer.Countries {
		add(meaning{kind: kindCountry, id: x.Code}, semantic.Text{EN: x.Names.EN, ZH: x.Names.ZH}, append([]string{x.Code}, x.Synonyms...))
	}
	for phrase, tags := range words.phrases {
		if slices.ContainsFunc(tags, func(t lexicon.Tag) bool { return t.Name == "not" }) {
			n.nots = append(n.nots, token.Split(phrase, n.dict))
		}
	}
	slices.SortFunc(n.nots, func(a, b []token.Token) int { return strings.Compare(lowers(a), lowers(b)) })
	for _, e := range entries {
		tokens := token.Split(e.text, n.dict)
		e.m.plural = e.m.kind == kindMetric && len(tokens) == 1 && singular(tokens[0].Lower) != tokens[0].Lower
		key := keyOf(tokens)
		n.longest = max(n.longest, len(tokens))
		if tokens[0].Kind == token.Han {
			n.longest = max(n.longest, utf8.RuneCountInString(e.text)+1) // cut in characters, with 的
		}
		if !slices.Contains(n.byKey[key], e.m) {
			n.byKey[key] = append(n.byKey[key], e.m)
		}
		if m, ok := layer.Metric(e.m.id); ok && e.m.kind == kindMetric && e.m.of == "" && (e.text == m.Names.EN || e.text == m.Names.ZH) {
			n.addEnds(e.text, tokens, e.m)
		}
	}
	for _, e := range entries {
		if e.m.kind == kindMetric {
			n.addBegins(e.text, e.m.id)
		}
	}
	n.addColumns()
	return n
}

// addColumns lets a dimension be called as the column that it is, "by grass_region", where nothing of the layer is
// called so, no other dimension is a column of that name, and it is no word that people say: a column called total or
// day does not take that word away.
func (n *Names) addColumns() {
	of := map[string][]meaning{}
	for _, x := range n.layer.Dimensions {
		m := meaning{kind: kindDimension, id: Base(x.ID)}
		if tokens := token.Split(x.Expr, n.dict); len(tokens) == 1 && tokens[0].Kind == token.Word {
			if key := keyOf(tokens); !slices.Contains(of[key], m) {
				of[key] = append(of[key], m)
			}
		}
	}
	for key, list := range of {
		if said := len(n.words.phrases[key]) > 0 || len(n.words.lex.Phrase(key)) > 0 || len(n.begins[key]) > 0; len(list) == 1 && len(n.byKey[key]) == 0 && !said {
			n.byKey[key] = list
		}
	}
}

// glossed finds the one dimension that is called as schemas call a Chinese word in English, where nothing else of the
// layer is: 区域 where "region" is a name of it. What only a general dictionary says is no name: 卖场 is no market in
// that sense. Longest word first.
func (n *Names) glossed(tokens []token.Token, i int) (unit, bool) {
	for j := min(len(tokens), i+maxGlossed); j > i; j-- {
		span := tokens[i:j]
		if slices.ContainsFunc(span, func(t token.Token) bool { return t.Kind != token.Han }) {
			continue
		}
		var named []meaning
		for _, word := range n.words.lex.Chinese().OfSchemas(lowers(span)) {
			for _, m := range n.byKey[keyOf(token.Split(word, n.dict))] {
				if !slices.Contains(named, m) {
					named = append(named, m)
				}
			}
		}
		if len(named) == 1 && named[0].kind == kindDimension {
			return unit{tokens: span, meanings: named, glossed: true}, true
		}
	}
	return unit{}, false
}

// maxGlossed is of how many tokens a word is at most that is looked up in the dictionary.
const maxGlossed = 3

// Least lengths of the end of a name that may stand for it.
const (
	leastEndWords = 2
	leastEndRunes = 3

	leastBeginRunes = 2 // of what a name begins with
)

// addEnds indexes the ends of a name: "resolution rate" of "ticket resolution
// rate". They are used where they are no name themselves, and ask which is meant
// where they are of several.
func (n *Names) addEnds(text string, tokens []token.Token, m meaning) {
	m.part = true
	add := func(key string) {
		if !slices.Contains(n.ends[key], m) {
			n.ends[key] = append(n.ends[key], m)
		}
	}
	if tokens[0].Kind != token.Han {
		for i := 1; i+leastEndWords <= len(tokens); i++ {
			add(keyOf(tokens[i:]))
		}
		return
	}
	runes := []rune(text)
	for i := 1; i+leastEndRunes <= len(runes); i++ {
		add(string(runes[i:]))
	}
}

// addBegins indexes what a figure's name begins with, where the rest is the name of
// something else: "cancelled" of "cancelled orders", not "placed" of "placed orders".
func (n *Names) addBegins(text, id string) {
	tokens := token.Split(text, n.dict)
	add := func(word, rest string) {
		other := func(m meaning) bool { return m.kind == kindMetric && m.id != id || m.kind == kindEntity }
		same := func(m meaning) bool { return m.kind == kindMetric && m.id == id }
		named := n.byKey[rest]
		if slices.ContainsFunc(named, other) && !slices.ContainsFunc(named, same) && !slices.Contains(n.begins[word], id) {
			n.begins[word] = append(n.begins[word], id)
		}
	}
	if tokens[0].Kind != token.Han {
		add(tokens[0].Lower, keyOf(tokens[1:]))
		return
	}
	runes := []rune(keyOf(tokens))
	for i := leastBeginRunes; i < len(runes); i++ {
		add(string(runes[:i]), string(runes[i:]))
	}
}

// plain leaves out the names of a variant that have a word in them that groups,
// such as "GMV by country": that is a question over the metric, not its name.
func (n *Names) plain(m semantic.Metric) []string {
	if Base(m.ID) == m.ID {
		return m.Synonyms
	}
	return slices.DeleteFunc(slices.Clone(m.Synonyms), func(name string) bool {
		return slices.ContainsFunc(token.Split(name, n.words.dict), func(t token.Token) bool {
			return n.words.is(t.Lower, "group") || n.words.is(t.Lower, "each_country")
		})
	})
}

// keyOf joins the words of a name; number does not tell names apart, all other
// endings do. Chinese is joined without spaces and without 的, so that it does
// not matter how it was cut.
func keyOf(tokens []token.Token) string {
	var b strings.Builder
	han := false
	for _, t := range tokens {
		if t.Kind == token.Mark || t.Text == "的" {
			continue
		}
		if b.Len() > 0 && !(han && t.Kind == token.Han) {
			b.WriteByte(' ')
		}
		han = t.Kind == token.Han
		b.WriteString(singular(t.Lower))
	}
	return b.String()
}

// keyOf is the key of a name of the layer.
func (n *Names) keyOf(name string) string { return keyOf(token.Split(name, n.dict)) }

// singular returns an English noun without its plural ending. Both sides of a
// comparison go through it, so that it need not be a word.
func singular(w string) string {
	switch {
	case len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return strings.TrimSuffix(w, "ies") + "y"
	case strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "sses"):
		return strings.TrimSuffix(w, "es")
	}
	return strings.TrimSuffix(w, "s")
}
