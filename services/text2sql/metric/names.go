// Package metric reads questions over a hand-written semantic layer: which
// metric, over which time, by what, only where. Such questions name things in any
// order and either language, so they are read as a set of links, not by a
// sentence grammar; what nothing covers is kept and lowers the confidence.
//
// A layer's id x__y means x in another table, one that has the dimensions y. An
// intent holds x; which table serves it is chosen when SQL is written.
package metric

import (
	"strings"

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
	kindFilter    kind = "filter"
	kindExclusion kind = "exclusion"
	kindCountry   kind = "country"
	kindValue     kind = "value"
)

// meaning is what a name stands for.
type meaning struct {
	kind  kind
	id    string // base id; code of a country
	exact string // id as written in the layer
	value string // of kindValue
	// own marks a name of the item x itself, not of a variant x__y.
	own bool
}

// Names leads from words to a layer's items. Read-only after NewNames.
type Names struct {
	layer   *semantic.Layer
	lex     *lexicon.Lexicon
	dict    *token.Dictionary
	byKey   map[string][]meaning
	longest int // tokens
}

// NewNames indexes the names of a layer in both languages.
func NewNames(layer *semantic.Layer, lex *lexicon.Lexicon) *Names {
	n := &Names{layer: layer, lex: lex, dict: lex.Chinese().Dictionary().Clone(), byKey: map[string][]meaning{}}
	type entry struct {
		text string
		m    meaning
	}
	var entries []entry
	add := func(m meaning, texts ...string) {
		for _, t := range texts {
			if t = strings.TrimSpace(t); t != "" && !(m.kind == kindMetric && n.groups(t)) {
				n.dict.Add(t)
				entries = append(entries, entry{t, m})
			}
		}
	}
	for _, x := range layer.Metrics {
		m := meaning{kind: kindMetric, id: Base(x.ID), exact: x.ID, own: Base(x.ID) == x.ID}
		add(m, append([]string{x.Names.EN, x.Names.ZH}, x.Synonyms...)...)
	}
	for _, x := range layer.Dimensions {
		m := meaning{kind: kindDimension, id: Base(x.ID), exact: x.ID, own: Base(x.ID) == x.ID}
		add(m, append([]string{x.Names.EN, x.Names.ZH}, x.Synonyms...)...)
		for _, v := range x.Values {
			vm := m
			vm.kind, vm.value = kindValue, v.Value
			add(vm, append([]string{v.Value}, v.Synonyms...)...)
		}
	}
	for _, x := range layer.Filters {
		add(meaning{kind: kindFilter, id: x.ID, exact: x.ID, own: true}, append([]string{x.Names.EN, x.Names.ZH}, x.Synonyms...)...)
	}
	for _, x := range layer.Exclusions {
		add(meaning{kind: kindExclusion, id: x.ID, exact: x.ID, own: true}, append([]string{x.Names.EN, x.Names.ZH}, x.Synonyms...)...)
	}
	for _, x := range layer.Countries {
		add(meaning{kind: kindCountry, id: x.Code, exact: x.Code, own: true}, append([]string{x.Code, x.Names.EN, x.Names.ZH}, x.Synonyms...)...)
	}
	for _, e := range entries {
		tokens := token.Split(e.text, n.dict)
		key := keyOf(tokens)
		n.longest = max(n.longest, len(tokens))
		if !has(n.byKey[key], e.m) {
			n.byKey[key] = append(n.byKey[key], e.m)
		}
	}
	return n
}

func has(list []meaning, m meaning) bool {
	for _, x := range list {
		if x.kind == m.kind && x.id == m.id && x.value == m.value {
			return true
		}
	}
	return false
}

// keyOf joins stems; small words inside names stay, as they tell names apart.
func keyOf(tokens []token.Token) string {
	stems := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if t.Kind != token.Mark {
			stems = append(stems, t.Stem)
		}
	}
	return strings.Join(stems, " ")
}

// groups reports whether a metric's name has a word in it that groups, such as
// "GMV by country": that is a question over the metric, not another name of it.
func (n *Names) groups(name string) bool {
	for _, t := range token.Split(name, n.lex.Chinese().Dictionary()) {
		if t.Lower == "by" || t.Lower == "per" {
			return true
		}
	}
	return false
}
