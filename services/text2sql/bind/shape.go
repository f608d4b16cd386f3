package bind

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// implied adds the aggregate that "visits per vet" and "fee by city" leave out:
// things are counted, amounts are summed.
func (b *builder) implied() {
	d := b.draft
	if len(d.Groups) == 0 || len(d.Outputs) != 1 || d.Outputs[0].Agg != "" || len(d.Having) > 0 || d.Superlative || d.Outputs[0].Rate != nil {
		return
	}
	for _, g := range d.Groups {
		if g.Prep != "per" && g.Prep != "by" {
			return // "the height of each bridge" is a list
		}
	}
	e := *d.Outputs[0]
	c := b.exprs[d.Outputs[0]]
	table := c.table()
	if e.Table {
		table = b.tables[e.Item].table()
	}
	for _, g := range d.Groups {
		if g.Table && b.tables[g.Item].table() == table {
			return
		}
	}
	switch {
	case e.Table:
		e.Agg = intent.AggCount
	case c.dim != nil && b.layer.natures[c.dim.ID] == level && semantic.IsNumber(c.dim.Type):
		e.Agg = intent.AggAvg
		b.doubt("mean_implied", "no word says how %s is summed up", c.dim.ID)
	case c.dim != nil && b.quantity(c.dim) && semantic.IsNumber(c.dim.Type) && b.layer.may(c.dim, implied, false):
		e.Agg = intent.AggSum
		b.doubt("sum_implied", "no word says how %s is summed up", c.dim.ID)
	default:
		return
	}
	shown := *d
	shown.Outputs = []*parse.Expr{&e}
	b.exprs[&e] = c
	b.draft = &shown
}

// groupsBy reports whether a table is named only to group by.
func (b *builder) groupsBy(it *link.Item) bool {
	return slices.ContainsFunc(b.draft.Groups, func(g *parse.Expr) bool { return g.Table && g.Item == it || g.Owner == it })
}

// rate is the part of the rows that fulfil a condition.
func (b *builder) rate(e *parse.Expr) {
	c := b.preds[e.Rate]
	if e.Rate.Op != intent.Eq || len(e.Rate.Values) != 1 {
		b.rateWhen(e)
		return
	}
	if c.dim == nil {
		b.doubt("share_unread", "a share that could not be read")
		return
	}
	value := e.Rate.Values[0].Text
	stored := false
	for _, m := range e.Rate.Values[0].Item.Values {
		if m.Dim == c.dim {
			value, stored = m.Value, true
		}
	}
	if !stored {
		b.doubt("value_unseen", "%q was not seen in %s", value, c.dim.ID)
	}
	if e.Rate.Neg {
		no := link.Falsehoods(c.dim)
		if len(no) == 0 {
			b.doubt("share_denied", "a share of what is not")
			return
		}
		value = no[0]
	}
	b.add(intent.Output{Agg: intent.AggRate, Field: dimField(c.dim), Value: value, Times: times(e)})
}

// arrange puts what is grouped by before what is aggregated, and gives groups an
// order that people read easily where none was asked for: time forwards, amounts
// from the top.
func (b *builder) arrange() {
	if len(b.in.GroupBy) == 0 || !b.in.HasAggregate() {
		return
	}
	var groups, aggregates []intent.Output
	for _, o := range b.in.Select {
		if !o.Aggregates() {
			groups = append(groups, o)
		} else {
			aggregates = append(aggregates, o)
		}
	}
	b.in.Select = append(slices.Clone(groups), aggregates...)
	if len(b.in.OrderBy) > 0 || b.in.Limit > 0 || b.in.Set != nil || b.in.Distinct {
		return
	}
	timed := slices.IndexFunc(groups, func(o intent.Output) bool { return o.Grain != "" || b.layer.periodic(o.ID) })
	if timed >= 0 {
		b.in.OrderBy = []intent.Order{{By: groups[timed]}}
	} else {
		b.in.OrderBy = []intent.Order{{By: aggregates[0], Desc: true}}
	}
	for i, o := range groups {
		if i != timed {
			b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: o})
		}
	}
}

// NamesNobody reports whether a reading shows days or amounts alone, which name no
// person and no thing.
func (l *Layer) NamesNobody(in *intent.Intent) bool {
	return len(in.Select) > 0 && !slices.ContainsFunc(in.Select, func(o intent.Output) bool {
		d := l.byID[o.ID]
		return o.Agg == "" && (d == nil || semantic.IsText(d.Type) || d.Role == semantic.RoleKey || d.Role == semantic.RoleLabel)
	})
}

// periodic reports whether a column cuts time: days, or years and months as
// numbers.
func (l *Layer) periodic(id string) bool {
	if l.dated[id] {
		return true
	}
	words := l.words[id]
	d := l.byID[id]
	return d != nil && len(words) > 0 && semantic.IsNumber(d.Type) && slices.Contains([]string{"year", "month", "quarter", "week", "day", "hour"}, words[len(words)-1])
}
