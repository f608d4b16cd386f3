package parse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// Read reads the items of a question by the grammar: derivations of the whole
// question, best first, at most maxDrafts; none where the question is longer than
// the parser's bound or nothing fits.
func (g *Grammar) Read(all []*link.Item, lex *lexicon.Lexicon) []*Draft {
	its := content(all)
	if len(its) == 0 || len(its) > maxItems {
		return nil
	}
	c, roots := g.parse(its)
	b := &builder{g: g, lex: lex}
	said := g.saidAt(all)
	var out []*Draft
	seen := map[string]bool{}
	for _, e := range roots {
		f := b.build(e)
		d := finished(&f, said)
		key := d.String()
		if seen[key] {
			continue // derived in another way, for a lower score
		}
		seen[key] = true
		d.Unread = c.passed(e)
		d.Features = c.features(e)
		d.Score = e.score
		shape(d, d.Features)
		for name, n := range d.Features {
			if strings.HasPrefix(name, "shape/") {
				d.Score += n * g.weights[name]
			}
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b *Draft) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), maxDrafts)]
}

// content are the items that carry something, and the marks inside the question.
func content(all []*link.Item) []*link.Item {
	out := make([]*link.Item, 0, len(all))
	for _, it := range all {
		if !isFiller(it) {
			out = append(out, it)
		}
	}
	for len(out) > 0 && out[len(out)-1].Is("mark") && !out[len(out)-1].Is("cmp") {
		out = out[:len(out)-1]
	}
	return out
}

// finished completes a draft: which table each column stands near, what a share
// is of, and what is shown where nothing was asked for by name.
func finished(f *fragment, said []int) *Draft {
	d := &f.Draft
	slices.SortStableFunc(d.Tables, func(a, b *link.Item) int { return a.From - b.From })
	d.Tables = slices.Compact(d.Tables)
	var near func(e *Expr)
	near = func(e *Expr) {
		if e == nil || e.Table || e.Near != nil {
			return
		}
		if e.Calc != nil {
			near(e.Calc.Left)
			near(e.Calc.Right)
			return
		}
		for _, t := range d.Tables {
			if e.Item == nil || t.From < e.Item.From {
				e.Near = t
			}
		}
	}
	for _, list := range [][]*Expr{d.Outputs, d.Groups} {
		for _, e := range list {
			near(e)
		}
	}
	for _, list := range [][]*Pred{d.Preds, d.Having} {
		for _, p := range list {
			near(p.Left)
			near(p.SubOf)
		}
	}
	for _, o := range d.Orders {
		near(o.By)
	}
	d.Preds = once(d.Preds)
	if f.rate {
		shareOf(d, f.percent, said)
	}
	sharePart(d, said)
	if len(d.Outputs) == 0 && len(d.Tables) > 0 && !d.Star && !(d.Superlative && len(d.Groups) > 0) {
		d.Outputs = append(d.Outputs, &Expr{Item: d.Tables[0], Table: true})
	}
	if len(d.Outputs)+len(d.Groups) == 0 && !d.Star {
		d.Outputs = append(d.Outputs, &Expr{Rows: true})
	}
	if o := d.Outputs; f.shown != nil && len(o) == 1 && o[0].Table && !d.Superlative && len(d.Groups) == 0 {
		shown := *f.shown
		d.Groups = append(d.Groups, &Expr{Item: o[0].Item, Table: true, Prep: "by"})
		d.Outputs = []*Expr{o[0], &shown}
	}
	if d.Limit > 0 && !d.Superlative {
		d.doubt(0.3, "a number of rows without an order")
	}
	if d.Superlative && len(d.Orders) == 0 {
		d.doubt(0.4, "a superlative without an order")
	}
	return d
}

// once leaves out conditions that a question says twice: "more than 3 unpaid invoices
// ... the number of unpaid invoices".
func once(preds []*Pred) []*Pred {
	seen := map[string]bool{}
	var out []*Pred
	for _, p := range preds {
		key := p.String()
		if seen[key] && !p.Both && !p.OrPrev {
			continue
		}
		seen[key] = true
		out = append(out, p)
	}
	return out
}

// onlyRows reports whether nothing is shown but rows or their number.
func onlyRows(d *Draft) bool {
	return !slices.ContainsFunc(d.Outputs, func(e *Expr) bool { return !e.Table && e.Agg != intent.AggCount })
}

// sharePart turns a share of a sum of no groups into the part of the rows that a
// condition picks: "what share of the fees comes from dogs".
func sharePart(d *Draft, said []int) {
	if len(d.Outputs) != 1 || d.Outputs[0].Agg != intent.AggShare || len(d.Groups) > 0 {
		return
	}
	at := partOf(d, said, false)
	if at < 0 || d.Preds[at].OrPrev || d.Preds[at].Both || d.Preds[at].Neg || len(d.Having) > 0 || d.Superlative {
		d.doubt(0.2, "a share of nothing")
		return
	}
	whole := *d.Outputs[0]
	op := intent.Over
	if whole.Percent {
		op = intent.Percent
	}
	whole.Agg, whole.Percent = intent.AggSum, false
	part := whole
	part.When = d.Preds[at]
	d.Preds = slices.Delete(slices.Clone(d.Preds), at, at+1)
	d.Outputs = []*Expr{{Calc: &Calc{Op: op, Left: &part, Right: &whole}}}
}

// saidAt is where a question begins to say what it asks of the things whose share it
// named.
func (g *Grammar) saidAt(all []*link.Item) []int {
	var out []int
	share := false
	for _, it := range all {
		share = share || it.Is("rate")
		if share && g.says[lower(it)] {
			out = append(out, it.From)
		}
	}
	return out
}

// partOf is the condition that a share counts, of those that may be it; -1 for none.
// With one there is no choice. With more, the others say of what it is a share: "what
// share of the dogs from Oslo were vaccinated" is one of the dogs from Oslo. The part is
// what is said first behind the verb; without a verb both readings are as good, and
// the draft is unclear.
func partOf(d *Draft, said []int, measured bool) int {
	var open []int
	for i, p := range d.Preds {
		value := p.Op == intent.Eq && len(p.Values) == 1 && !p.Values[0].Number && !p.Values[0].Date
		if value || measured && ofRows(p) && len(p.Values) > 0 && p.Values[0].Number {
			open = append(open, i)
		}
	}
	switch len(open) {
	case 0:
		if at := len(d.Preds) - 1; measured && at >= 0 && ofRows(d.Preds[at]) {
			return at
		}
		return -1
	case 1:
		return open[0]
	}
	slices.SortStableFunc(open, func(a, b int) int { return place(d.Preds[a]) - place(d.Preds[b]) })
	for i, at := range open {
		from := 0
		if i > 0 {
			from = place(d.Preds[open[i-1]])
		}
		if slices.ContainsFunc(said, func(s int) bool { return s >= from && s < place(d.Preds[at]) }) {
			return at
		}
	}
	d.Unclear = "a share of which of two"
	return open[len(open)-1]
}

// ofRows reports whether a condition is on a column of the rows themselves.
func ofRows(p *Pred) bool {
	return p.Op != intent.NotExists && p.SubAgg == "" && p.Left != nil && p.Left.Agg == ""
}

// place is where a condition stands in the question.
func place(p *Pred) int {
	switch {
	case len(p.Values) > 0 && p.Values[0].Item != nil && p.Values[0].Item.To > 0: // read in the question
		return p.Values[0].Item.From
	case p.Left != nil && p.Left.Item != nil:
		return p.Left.Item.From
	}
	return 0
}

// shareOf turns one of the conditions into what a share counts.
func shareOf(d *Draft, percent bool, said []int) {
	at := partOf(d, said, onlyRows(d)) // also "of the loans above 100"
	if at < 0 || d.Preds[at].OrPrev || d.Preds[at].Both || len(d.Having) > 0 || d.Superlative {
		d.doubt(0.2, "a share of nothing")
		return
	}
	p := d.Preds[at]
	d.Preds = slices.Delete(slices.Clone(d.Preds), at, at+1)
	d.Outputs = append(slices.DeleteFunc(d.Outputs, func(e *Expr) bool { return e.Table || e.Agg == intent.AggCount }), &Expr{Agg: intent.AggRate, Rate: p, Percent: percent})
}

// passed are items that a derivation took nothing of and that meant something.
func (c *chart) passed(root *edge) []*link.Item {
	var out []*link.Item
	note := func(i int) {
		it := c.items[i]
		if it.Number != "" || it.Quoted || len(it.Values) > 0 || len(it.Columns) > 0 || strings.TrimSpace(it.Text) != "" && len(it.Tags) == 0 && len(it.Tables) == 0 {
			out = append(out, it)
		}
	}
	for i := range root.from {
		note(i)
	}
	var walk func(e *edge)
	walk = func(e *edge) {
		if e.rule < 0 {
			for i := e.from + 1; i < e.to; i++ {
				note(i)
			}
			return
		}
		for _, k := range e.kids[:len(c.g.rules[e.rule].body)] {
			walk(k)
		}
	}
	walk(root)
	return out
}
