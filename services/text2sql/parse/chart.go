package parse

import (
	"cmp"
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

// Bounds of the search.
const (
	maxItems  = 48 // of a question, without words that carry nothing
	maxSkip   = 3  // items passed over in a row
	cellWidth = 6  // derivations kept of a symbol over a span
	maxDrafts = 12
)

// edge is a symbol found over a span, and what it is made of.
type edge struct {
	symbol, from, to int
	score            float64
	rule             int // -1: a terminal
	kids             [maxBody]*edge
	head             *link.Item
}

// active is a rule of which the first symbols were found.
type active struct {
	rule, dot int
	to        int
	score     float64
	kids      [maxBody]*edge
}

// chart holds what was found: all spans are cut from the right to the left, so
// that whatever begins further right is complete.
type chart struct {
	g       *Grammar
	items   []*link.Item
	classes []class
	at      [][][]*edge // from -> symbol -> edges, any end
	link    linkWeights
	counts  []int // of a cell, by symbol
}

// linkWeights are the weights of how well names fit.
type linkWeights struct{ fit, against float64 }

// parse returns derivations of the start symbol, best first.
func (g *Grammar) parse(items []*link.Item) (*chart, []*edge) {
	c := &chart{g: g, items: items, at: make([][][]*edge, len(items)+1), classes: make([]class, len(items)), counts: make([]int, len(g.names))}
	c.link = linkWeights{fit: g.weights["link/fit"], against: g.weights["link/against"]}
	for i, it := range items {
		c.classes[i] = classOf(it)
	}
	for from := len(items); from >= 0; from-- {
		c.at[from] = make([][]*edge, len(g.names))
		if from < len(items) {
			c.begin(from)
		}
	}
	return c, c.roots()
}

// roots are the derivations of the whole question, where words at its beginning
// may be passed over.
func (c *chart) roots() []*edge {
	var out []*edge
	skipped := 0.0
	for from := 0; from <= min(maxSkip, len(c.items)-1); from++ {
		for _, e := range c.at[from][c.g.start] {
			if e.to == len(c.items) {
				whole := *e
				whole.score += skipped
				out = append(out, &whole)
			}
		}
		skipped += c.g.skipCost[c.classes[from]]
	}
	slices.SortStableFunc(out, func(a, b *edge) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), 4*maxDrafts)]
}

// begin finds everything that begins at an item, short spans first.
func (c *chart) begin(from int) {
	n := len(c.items)
	complete := make([][]*edge, n+1) // by end, not yet closed
	open := make([][]active, n+1)    // by end
	c.senses(from, complete)
	for to := from + 1; to <= n; to++ {
		for _, e := range c.close(from, to, complete[to], open) {
			c.at[from][e.symbol] = append(c.at[from][e.symbol], e)
		}
		for k := 0; k < len(open[to]); k++ {
			c.extend(from, open[to][k], complete, open)
		}
	}
}

// senses adds the terminals of an item, each with up to maxSkip items after it
// that are passed over.
func (c *chart) senses(from int, complete [][]*edge) {
	it := c.items[from]
	for s := range c.g.terminals {
		t := &c.g.terminals[s]
		fit, ok := t.takes(it)
		if !ok {
			continue
		}
		score := 0.0
		if t.named {
			score = c.link.fit*(fit-1) + c.link.against*against(t, it, fit)
		}
		for to := from + 1; to <= min(len(c.items), from+1+maxSkip); to++ {
			if to > from+1 {
				score += c.g.skipCost[c.classes[to-1]]
			}
			sense := c.g.senseCost[s].at(c.class(from-1), c.class(from+1))
			complete[to] = append(complete[to], &edge{symbol: s, from: from, to: to, score: score + sense, rule: -1, head: it})
		}
	}
}

// against is by how much another sense of the item's names fits better.
func against(t *terminal, it *link.Item, fit float64) float64 {
	best := fit
	if len(it.Tables) > 0 && t.kind != "table" {
		best = max(best, it.Tables[0].Score)
	}
	if len(it.Columns) > 0 && t.kind != "column" && t.kind != "flag" {
		best = max(best, it.Columns[0].Score)
	}
	if len(it.Values) > 0 && t.kind != "value" {
		best = max(best, it.Values[0].Score)
	}
	return best - fit
}

func (c *chart) class(i int) class {
	if i < 0 || i >= len(c.classes) {
		return 0
	}
	return c.classes[i]
}

// close applies rules of one symbol to what was found over a span, keeps the best
// derivations of each symbol and begins longer rules with them.
func (c *chart) close(from, to int, found []*edge, open [][]active) []*edge {
	byScore := func(a, b *edge) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(found, byScore)
	var kept []*edge
	clear(c.counts)
	for i := 0; i < len(found); i++ {
		e := found[i]
		if c.counts[e.symbol] >= cellWidth {
			continue
		}
		c.counts[e.symbol]++
		kept = append(kept, e)
		for _, r := range c.g.starting[e.symbol] {
			a := active{rule: r, dot: 1, to: to, score: e.score}
			a.kids[0] = e
			if len(c.g.rules[r].body) > 1 {
				open[to] = append(open[to], a)
			} else if made := c.make(from, a); made != nil {
				at, _ := slices.BinarySearchFunc(found[i+1:], made, byScore)
				found = slices.Insert(found, i+1+at, made)
			}
		}
	}
	return kept
}

// extend goes on with a rule by what begins where it ended.
func (c *chart) extend(from int, a active, complete [][]*edge, open [][]active) {
	r := &c.g.rules[a.rule]
	for _, e := range c.at[a.to][r.body[a.dot]] {
		next := a
		next.kids[a.dot] = e
		next.dot, next.to, next.score = a.dot+1, e.to, a.score+e.score
		if next.dot < len(r.body) {
			open[e.to] = append(open[e.to], next)
			continue
		}
		if made := c.make(from, next); made != nil {
			complete[e.to] = append(complete[e.to], made)
		}
	}
}

// make completes a rule; nil where a guard refuses.
func (c *chart) make(from int, a active) *edge {
	r := &c.g.rules[a.rule]
	for _, ok := range r.when {
		if !ok(a.kids[:len(r.body)]) {
			return nil
		}
	}
	score := a.score + c.g.ruleCost[a.rule].at(c.class(from-1), c.class(a.to))
	return &edge{symbol: r.left, from: from, to: a.to, score: score, rule: a.rule, kids: a.kids, head: a.kids[r.head].head}
}
