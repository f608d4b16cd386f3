package bind

import (
	"slices"
	"sort"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// slots lists what has to be decided, tables first: they are the surest.
func (l *Layer) slots(d *parse.Draft) []slot {
	var out []slot
	seen := map[*link.Item]bool{}
	addTable := func(it *link.Item) {
		if it == nil || seen[it] || len(it.Tables) == 0 {
			return
		}
		seen[it] = true
		out = append(out, slot{table: it, choices: tableChoices(it)})
	}
	for _, it := range d.Tables {
		addTable(it)
	}
	for _, p := range d.Preds {
		addTable(p.Related)
	}
	tables := l.named(out)
	var add func(e *parse.Expr, p *parse.Pred)
	condition := func(p *parse.Pred) {
		if p.Left == nil {
			out = append(out, slot{pred: p, choices: l.valueChoices(p, tables)})
			return
		}
		add(p.Left, p)
		if p.SubOf != p.Left {
			add(p.SubOf, nil)
		}
		add(p.Right, nil)
	}
	add = func(e *parse.Expr, p *parse.Pred) {
		if e != nil && (e.Calc != nil || e.Per != nil) {
			for _, part := range parts(e) {
				if part == e {
					continue
				}
				n := len(out)
				if add(part, nil); len(out) > n && e.Calc != nil && part.Agg == "" {
					out[n].choices = slices.DeleteFunc(out[n].choices, func(c choice) bool { return !l.calculable(c, e) })
				}
			}
		}
		if e != nil && e.When != nil {
			condition(e.When)
		}
		if e == nil || e.Item == nil && e.Adj == nil {
			return
		}
		if e.Table && seen[e.Item] {
			return // decided with its mention
		}
		out = append(out, slot{expr: e, pred: p, owner: e.Owner, near: e.Near, choices: l.exprChoices(e, p, tables)})
	}
	for _, e := range d.Outputs {
		if e.Rate != nil {
			condition(e.Rate)
			continue
		}
		add(e, nil)
	}
	for _, list := range [][]*parse.Pred{d.Preds, d.Having} {
		for _, p := range list {
			if p.Related != nil {
				continue
			}
			condition(p)
		}
	}
	for _, e := range d.Groups {
		add(e, nil)
	}
	for _, o := range d.Orders {
		add(o.By, nil)
	}
	return out
}

// calculable reports whether arithmetic may be done with a meaning: with days and
// times how long something lasts, and else with numbers that are no keys.
func (l *Layer) calculable(c choice, e *parse.Expr) bool {
	switch {
	case c.dim == nil:
		return e.Calc.Left.Table || e.Calc.Right.Table
	case lasting(e.Calc.Op):
		return l.dated[c.dim.ID]
	}
	return c.dim.Role != semantic.RoleKey && numeric(c.dim) || e.Calc.Op == intent.Minus && l.dated[c.dim.ID]
}

// lasting reports whether arithmetic tells how long something lasts.
func lasting(op intent.CalcOp) bool {
	return op == intent.Days || op == intent.Hours || op == intent.Minutes
}

// named returns the tables that the question names, best meaning each.
func (l *Layer) named(slots []slot) []string {
	var out []string
	for _, s := range slots {
		if len(s.choices) > 0 && !contains(out, s.choices[0].table()) {
			out = append(out, s.choices[0].table())
		}
	}
	return out
}

func tableChoices(it *link.Item) []choice {
	var out []choice
	for _, t := range it.Tables {
		out = append(out, choice{entity: t.Entity, score: t.Score})
	}
	return out[:min(len(out), maxChoices)]
}

func (l *Layer) exprChoices(e *parse.Expr, p *parse.Pred, tables []string) []choice {
	if e.Adj == parse.TimeColumn {
		return l.timeChoices(tables)
	}
	if e.Adj == parse.BeginColumn || e.Adj == parse.EndColumn {
		return l.spanChoices(e.Adj == parse.EndColumn)
	}
	if e.Adj != nil {
		return l.adjectiveChoices(e.Adj, tables, p)
	}
	if e.Table && len(e.Item.Tables) > 0 {
		return tableChoices(e.Item)
	}
	var out []choice
	for _, c := range e.Item.Columns {
		ch := choice{dim: c.Dim, score: c.Score}
		if p != nil {
			ch.score += l.fit(c.Dim, p, &ch)
		}
		if (e.Agg == intent.AggSum || e.Agg == intent.AggAvg) && !numeric(c.Dim) {
			ch.score -= 0.6
		}
		if slices.ContainsFunc(aggregateUses[e.Agg], func(u use) bool { return !l.may(c.Dim, u, saysIdentifier(e.Item.Text)) }) {
			ch.score -= 0.6
		}
		out = append(out, ch)
	}
	if len(out) == 0 {
		return tableChoices(e.Item)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out[:min(len(out), maxChoices*2)]
}

// numeric reports whether a column's values are numbers, or texts of numbers.
func numeric(d *semantic.Dimension) bool {
	return semantic.IsNumber(d.Type) || allNumbers(d)
}

func allNumbers(d *semantic.Dimension) bool {
	if len(d.Values) == 0 || !semantic.IsText(d.Type) {
		return false
	}
	for _, v := range d.Values {
		if strings.Trim(v.Value, "0123456789.,-+ ") != "" || v.Value == "" {
			return false
		}
	}
	return true
}

// fit scores how well a condition's constants suit a column, and finds the
// stored form of a value.
func (l *Layer) fit(d *semantic.Dimension, p *parse.Pred, c *choice) float64 {
	if p.Op == intent.Contains || p.Op == intent.StartsWith || p.Op == intent.EndsWith {
		if semantic.IsText(d.Type) {
			return 0
		}
		return -0.5
	}
	bonus := 0.0
	for _, v := range p.Values {
		switch {
		case v.Number && numeric(d):
		case v.Number && l.dated[d.ID]:
		case v.Date && l.dated[d.ID]:
		case v.Number && p.Op.Ordered():
			bonus -= 0.5
		case v.Number:
			bonus -= 0.2
		case semantic.IsNumber(d.Type):
			bonus -= 0.7
		default:
			bonus += stored(d, v, c)
		}
	}
	return bonus
}

func stored(d *semantic.Dimension, v parse.Value, c *choice) float64 {
	if v.Item == nil {
		return 0
	}
	for _, m := range v.Item.Values {
		if m.Dim == d {
			c.value = m.Value
			return 0.3
		}
	}
	if d.Complete {
		return -0.5
	}
	return -0.1
}

func (l *Layer) adjectiveChoices(adj *lexicon.Adjective, tables []string, p *parse.Pred) []choice {
	out := l.attributed(adj, tables, p)
	dated := adj == parse.YearColumn || slices.Contains(adj.Attributes, "date")
	if len(out) == 0 && len(tables) > 0 && !dated { // "who earns the most in Sales": pay is not the department's
		out = l.attributed(adj, nil, p)
		for i := range out {
			out[i].score -= elsewherePenalty
		}
	}
	if adj == parse.YearColumn || len(out) == 0 && dated {
		for _, c := range l.timeChoices(tables) { // "joined in 2024", "newest": whatever dates the rows
			c.score -= 0.2
			if !slices.ContainsFunc(out, func(o choice) bool { return o.dim == c.dim }) {
				out = append(out, c)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out[:min(len(out), maxChoices)]
}

// elsewherePenalty is by how much an attribute fits worse that no table that the
// question names has.
const elsewherePenalty = 0.1

// attributed are the columns of tables, or of all, that an adjective may order by.
func (l *Layer) attributed(adj *lexicon.Adjective, tables []string, p *parse.Pred) []choice {
	var out []choice
	for _, d := range l.candidateColumns(tables) {
		for i, a := range adj.Attributes {
			if s := l.attributeScore(d, a); s > 0 {
				c := choice{dim: d, score: s - 0.04*float64(i)}
				if p != nil {
					c.score += l.fit(d, p, &c)
				}
				out = append(out, c)
			}
		}
		for i, a := range adj.Inverse {
			if s := l.attributeScore(d, a); s > 0 {
				out = append(out, choice{dim: d, inverse: true, score: s - 0.1 - 0.02*float64(i)})
			}
		}
	}
	return out
}

// timeChoices are the columns that date rows; those whose names say so first.
func (l *Layer) timeChoices(tables []string) []choice {
	var out []choice
	for _, d := range l.candidateColumns(nil) { // amounts may be of a table that is not named
		if !l.dated[d.ID] || schema.IsBirth(d) { // nothing that is asked for happens to people on the day of their birth
			continue
		}
		c := choice{dim: d, score: 0.85}
		if len(tables) > 0 && !contains(tables, d.Table) {
			c.score -= 0.01
		}
		for _, a := range parse.TimeColumn.Attributes {
			if l.attributeScore(d, a) > 0 {
				c.score = 0.95
			}
		}
		c.score += l.dating(d)
		out = append(out, c)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out[:min(len(out), beamWidth)]
}

// candidateColumns are those of the tables that the question names, or all.
func (l *Layer) candidateColumns(tables []string) []*semantic.Dimension {
	var out []*semantic.Dimension
	if len(tables) == 0 {
		for i := range l.Dimensions {
			out = append(out, &l.Dimensions[i])
		}
		return out
	}
	for _, t := range tables {
		out = append(out, l.columns[t]...)
	}
	return out
}

// attributeScore compares a column's name with an attribute's words: all of them
// have to be in the name.
func (l *Layer) attributeScore(d *semantic.Dimension, attribute string) float64 {
	words := l.words[d.ID]
	n := 0
	for _, w := range strings.Fields(attribute) {
		if w == "of" {
			continue
		}
		n++
		if !contains(words, token.Stem(w)) {
			return 0
		}
	}
	if d.Role == semantic.RoleKey {
		return 0
	}
	return 0.9 - 0.1*float64(max(0, len(words)-n))
}

// valueChoices are the columns that hold a condition's constant; for a quoted
// text that no sample holds, the columns that name things.
func (l *Layer) valueChoices(p *parse.Pred, tables []string) []choice {
	if len(p.Values) == 0 {
		return nil
	}
	v := p.Values[0]
	var out []choice
	for _, m := range v.Item.Values {
		out = append(out, choice{dim: m.Dim, value: m.Value, score: m.Score + preferName(m.Dim)})
	}
	if len(out) == 0 {
		for _, d := range l.candidateColumns(tables) {
			switch {
			case d.Complete || !semantic.IsText(d.Type):
			case d.Role == semantic.RoleLabel:
				out = append(out, choice{dim: d, score: 0.6})
			default:
				out = append(out, choice{dim: d, score: 0.25})
			}
		}
		sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	}
	return out[:min(len(out), maxChoices)]
}

func preferName(d *semantic.Dimension) float64 {
	if d.Role == semantic.RoleLabel || d.Role == semantic.RoleCategory {
		return 0.03
	}
	return 0
}
