package reader

import (
	"cmp"
	_ "embed" // grammar.yaml
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

//go:embed grammar.yaml
var grammarFile []byte

// rule is a kind of part and the items it is made of.
type rule struct {
	make     string
	elements []element
	cost     float64
}

// element is a place of a rule.
type element struct {
	class    class  // with kind: which names
	kind     string // "", "col", "tab", "flag"
	tag, arg string // of words; arg empty: any
	optional bool
	tight    bool
}

func loadGrammar() ([]rule, error) { return rulesOf(grammarFile) }

// rulesOf reads the rules of a file.
func rulesOf(text []byte) ([]rule, error) {
	var file []struct {
		Make string  `yaml:"make"`
		Of   string  `yaml:"of"`
		Cost float64 `yaml:"cost"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("grammar of questions: %w", err)
	}
	rules := make([]rule, 0, len(file))
	for _, f := range file {
		r := rule{make: f.Make, cost: f.Cost}
		for _, text := range strings.Fields(f.Of) {
			r.elements = append(r.elements, elementOf(text))
		}
		if len(r.elements) == 0 {
			return nil, fmt.Errorf("grammar of questions: a part %q is made of nothing", f.Make)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func elementOf(text string) element {
	var e element
	text, e.optional = strings.CutSuffix(text, "?")
	text, e.tight = strings.CutSuffix(text, "!")
	switch text {
	case "name":
		e.class = className
	case "col", "tab", "flag":
		e.class, e.kind = className, text
	case "value", "number", "unit", "period", "grain", "unknown", "ignored":
		e.class = class(text)
	default:
		e.class = classWord
		e.tag, e.arg, _ = strings.Cut(text, ":")
	}
	return e
}

func (e element) takes(it *item) bool {
	if it.class != e.class {
		return false
	}
	if e.class == classWord {
		return it.tag.Name == e.tag && (e.arg == "" || it.tag.Arg == e.arg)
	}
	is := func(h schema.Hit) bool {
		switch e.kind {
		case "col":
			return h.Column != nil
		case "tab":
			return h.Table != nil
		case "flag":
			return h.Column != nil && h.Column.Nature == schema.Flag
		}
		return true
	}
	return e.class != className || slices.ContainsFunc(it.hits, is)
}

// part is a piece of the question that a rule covers.
type part struct {
	make     string
	items    []*item  // that the rule's elements took
	kinds    []string // of each: what the rule's element asks of a name
	from, to int
	cost     float64
	doubt    float64 // of the rule
}

// item returns the part's first item of a class or, of words, with a tag.
func (p *part) item(what string) *item {
	for _, it := range p.items {
		if string(it.class) == what || it.class == classWord && it.tag.Name == what {
			return it
		}
	}
	return nil
}

// together reports whether the part says a stored value and the column that has it.
func (p *part) together() bool { return p.make == "value" || p.make == "notvalue" }

// all returns the part's items of a class.
func (p *part) all(c class) []*item {
	var out []*item
	for _, it := range p.items {
		if it.class == c {
			out = append(out, it)
		}
	}
	return out
}

// cover is a row of parts that cover the question.
type cover struct {
	parts []*part
	cost  float64
}

// doubt is what a cover costs beyond its mere length.
func (c *cover) doubt() Doubt {
	var d Doubt
	for _, p := range c.parts {
		for _, it := range p.items {
			switch it.class {
			case className:
				d.Names += it.cost - costItem
			case classValue:
				d.Values += it.cost - costItem
			}
		}
		d.Grammar += max(0, p.doubt)
	}
	return d
}

// Bounds of the search.
const (
	maxCovers   = 24
	maxFillers  = 4   // in a row within a part
	costPart    = 0.5 // of any part
	costRow     = 1.6 // of a word that nothing knows, as grammar.yaml has it
	maxMatches  = 4000
	maxPerPlace = 160
)

// firstOf are the parts in which a number says how many are wanted: a year does not.
var firstOf = []string{"top", "super", "most", "common", "target", "named"}

var fillers = []string{language.Stop, "link", "verb", "be", "classifier", "current"}

func (it *item) filler() bool {
	return it.class == classWord && !it.bare && slices.Contains(fillers, it.tag.Name)
}

// covers returns rows of parts that cover the question, the cheapest first.
func (r *Reader) covers(l *lattice) []cover {
	n := len(l.tokens)
	best := make([][]cover, n+1)
	best[0] = []cover{{}}
	for at := range n {
		if len(best[at]) == 0 {
			continue
		}
		best[at] = cheapest(best[at], maxCovers)
		for _, it := range l.at[at] {
			if it.filler() {
				for _, c := range best[at] {
					best[it.to] = append(best[it.to], cover{parts: c.parts, cost: c.cost + costFiller + it.dear})
				}
			}
		}
		for _, p := range r.partsAt(l, at) {
			for _, c := range best[at] {
				best[p.to] = append(best[p.to], cover{parts: append(slices.Clip(slices.Clone(c.parts)), p), cost: c.cost + p.cost + costPart})
			}
		}
	}
	return cheapest(best[n], maxCovers)
}

// cheapest keeps the covers that cost least, those of the same parts once: small words
// are passed over in more than one way.
func cheapest(list []cover, n int) []cover {
	slices.SortStableFunc(list, func(a, b cover) int { return cmp.Compare(a.cost, b.cost) })
	out := list[:0]
	for _, c := range list {
		if len(out) == n {
			break
		}
		if !slices.ContainsFunc(out, func(o cover) bool { return slices.EqualFunc(o.parts, c.parts, (*part).like) }) {
			out = append(out, c)
		}
	}
	return out
}

// like reports whether two parts say the same of the same items.
func (p *part) like(o *part) bool {
	return p == o || p.make == o.make && slices.Equal(p.items, o.items) && slices.Equal(p.kinds, o.kinds)
}

// partsAt returns the parts that begin with an item at a token.
func (r *Reader) partsAt(l *lattice, at int) []*part {
	var out []*part
	ordered := slices.ContainsFunc(l.at[:at], func(items []*item) bool {
		return slices.ContainsFunc(items, func(it *item) bool { return it.is("super") })
	})
	for i := range r.grammar {
		if r.grammar[i].make == "superby" && !ordered {
			continue // nothing before it has an order
		}
		m := matcher{l: l, rule: &r.grammar[i], left: maxMatches}
		m.match(at, 0, nil, r.grammar[i].cost, 0)
		out = append(out, m.found...)
	}
	slices.SortStableFunc(out, func(a, b *part) int {
		return cmp.Compare(a.cost-0.4*float64(a.to-a.from), b.cost-0.4*float64(b.to-b.from))
	})
	once := out[:0]
	for _, p := range out {
		if !slices.ContainsFunc(once, func(o *part) bool { return o.to == p.to && o.like(p) }) {
			once = append(once, p)
		}
		if len(once) == maxPerPlace {
			break
		}
	}
	return once
}

// matcher finds the ways in which a rule fits at a place.
type matcher struct {
	l     *lattice
	rule  *rule
	found []*part
	left  int
	kinds []string
}

func (m *matcher) match(at, place int, items []*item, cost float64, skipped int) {
	if m.left--; m.left < 0 {
		return
	}
	if place == len(m.rule.elements) {
		if len(items) > 0 {
			m.found = append(m.found, &part{make: m.rule.make, items: slices.Clone(items), kinds: slices.Clone(m.kinds), from: items[0].from, to: at, cost: cost, doubt: m.rule.cost})
		}
		return
	}
	e := m.rule.elements[place]
	if e.optional {
		m.match(at, place+1, items, cost, skipped)
	}
	if at >= len(m.l.tokens) {
		return
	}
	for _, it := range m.l.at[at] {
		if it.deny && m.rule.make != "mention" { // what is denied is a condition
			continue
		}
		if e.takes(it) && !(it.dated && it.class == classNumber && slices.Contains(firstOf, m.rule.make)) {
			m.kinds = append(m.kinds, e.kind)
			m.match(it.to, place+1, append(slices.Clip(items), it), cost+it.cost, 0)
			m.kinds = m.kinds[:len(m.kinds)-1]
		}
	}
	if len(items) == 0 || e.tight || skipped >= maxFillers || !m.more(place) {
		return
	}
	for _, it := range m.l.at[at] {
		if it.filler() && !e.takes(it) && !(it.text == "的" && (m.rule.make == "exceed" || m.rule.make == "lack")) { // 超过三本的读者 are no three readers
			m.match(it.to, place, items, cost+costFiller+it.dear, skipped+1)
		}
	}
}

// more reports whether an element that has to be there is still to come: small words
// behind a part's last item are none of its own.
func (m *matcher) more(place int) bool {
	return slices.ContainsFunc(m.rule.elements[place:], func(e element) bool { return !e.optional }) || place < len(m.rule.elements)
}
