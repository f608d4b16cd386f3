package reader

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// figures are what the intent computes: shown, or what its rows are ordered by.
func (b *changer) figures() []intent.Output {
	var list []intent.Output
	for _, o := range b.in.Select {
		if o.Aggregates() {
			list = append(list, o)
		}
	}
	if len(list) == 0 && len(b.in.OrderBy) > 0 && b.in.OrderBy[0].By.Aggregates() {
		list = append(list, b.in.OrderBy[0].By)
	}
	return list
}

// plain reports whether a figure is one aggregate of one column, or a number of rows.
func plain(o intent.Output) bool {
	return o.Calc == nil && o.When == nil && o.Base == "" && o.Per.ID == "" && o.Agg != intent.AggRate
}

// perRowChange takes back a grouping by the rows themselves, where means are asked for: "the
// average per order" is that of all orders.
func (b *changer) perRowChange() {
	mean := func(m dealt[measure]) bool { return m.what.agg == intent.AggAvg && m.how == replacing }
	if len(b.aggs) == 0 || slices.ContainsFunc(b.aggs, func(m dealt[measure]) bool { return !mean(m) }) {
		return
	}
	b.groups = slices.DeleteFunc(b.groups, func(g dealt[grouping]) bool {
		return g.how == replacing && g.what.grain == "" && g.what.table != nil && g.what.table == b.root
	})
}

// figuresChange changes what is computed.
func (b *changer) figuresChange() {
	b.perRowChange()
	var set, add, drop []intent.Output
	for _, m := range append(slices.Clone(b.counts), b.aggs...) {
		if m.what.none() && m.what.agg == intent.AggSum && b.money && !slices.ContainsFunc(b.figures(), b.ofMoney) {
			m.what.column = b.onlyMoney() // nil: it is refused as not said
		} else if m.what.none() && m.what.agg == intent.AggSum && b.totalled() {
			b.ungroup()
			continue
		}
		if m.what.none() && m.what.agg == intent.AggSum && !b.cue && len(b.counts) == 0 && len(b.in.GroupBy) > 0 && b.fork(2) == 1 {
			b.ungroup() // the same figure of all, or the total of each?
			continue
		}
		if m.what.none() && m.what.agg == intent.AggSum && len(b.counts) > 0 {
			continue // "how many in total"
		}
		if m.what.none() && m.what.agg == intent.AggCount && len(b.groups) == 0 && b.addsUp() && slices.ContainsFunc(b.aggs, func(a dealt[measure]) bool { return a.what.none() && a.what.agg == intent.AggSum }) {
			b.ungroup() // "how many is that in total": of all that the groups have
			continue
		}
		o, ok := b.figureOf(m.what)
		if !ok {
			return
		}
		switch m.how {
		case adding:
			add = append(add, o)
		case leaving:
			drop = append(drop, o)
		default:
			set = append(set, b.asBefore(m.what, o)...)
		}
	}
	if len(drop) > 0 && (len(set) > 0 || slices.ContainsFunc(b.bests, func(x best) bool { return x.column != nil })) {
		drop = nil // they only say what is replaced
	}
	for _, o := range drop {
		b.dropFigure(o)
	}
	if len(set) > 0 {
		b.setFigures(set)
	}
	for _, o := range add {
		b.addFigure(o)
	}
}

// ofMoney reports whether a figure is one of money.
func (b *changer) ofMoney(o intent.Output) bool {
	c := b.view.ColumnOf(o.ID)
	return c != nil && b.reader.holdsMoney(c)
}

// onlyMoney is the one column of money that the rows have; nil: there is none, or there are several.
func (b *changer) onlyMoney() *schema.Column {
	var found *schema.Column
	for _, c := range b.root.Columns {
		if c.Nature != schema.Amount || !b.reader.holdsMoney(c) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// totalled reports whether a total alone says that there are no groups: of what is a
// total already.
func (b *changer) totalled() bool {
	return len(b.counts) == 0 && b.addsUp()
}

// addsUp reports whether there are groups whose figures are parts of that of all.
func (b *changer) addsUp() bool {
	f := b.figures()
	return len(b.in.GroupBy) > 0 && len(f) > 0 && !slices.ContainsFunc(f, func(o intent.Output) bool { return o.Agg != intent.AggSum && o.Agg != intent.AggCount })
}

func (b *changer) ungroup() {
	b.in.GroupBy, b.in.Limit = nil, 0
	b.regroup()
	b.edit(followup.Edit{Do: followup.Total})
}

// figureOf is the figure that words name; what they leave out is that of the figure
// before.
func (b *changer) figureOf(m measure) (intent.Output, bool) {
	figures := b.figures()
	e := followup.Edit{Do: followup.SetFigure, Field: m.field()}
	var before intent.Output
	if len(figures) > 0 {
		before = figures[0]
	}
	switch {
	case m.agg == intent.AggRate:
		o := b.rateOf(m.column)
		return o, b.failed == ""
	case m.agg == intent.AggCount:
		return b.countOf(m)
	case m.none(): // the same of another kind
		c := b.view.ColumnOf(before.ID)
		if len(figures) != 1 || c == nil || !plain(before) || !b.sums(m.agg, c) {
			b.refuse(e, followup.WhyNotSaid)
			return intent.Output{}, false
		}
		return out(m.agg, c), true
	case m.table != nil:
		o := b.ofTable(m)
		return o, b.failed == ""
	case m.column == nil:
		b.refuse(e, followup.WhyNotSaid)
		return intent.Output{}, false
	}
	agg := m.agg
	if agg == "" {
		agg = before.Agg
		if c := b.view.ColumnOf(before.ID); c == nil || !plain(before) || agg == intent.AggCount || agg == intent.AggCountDistinct || !b.sums(agg, m.column) || agg == intent.AggSum && m.column.Nature != schema.Amount {
			if m.column.Nature != schema.Amount {
				b.refuse(e, followup.WhyNotSaid) // the sum or the mean of it?
				return intent.Output{}, false
			}
			agg = intent.AggSum
			if !b.calledTotal(m.column) {
				b.cost += costSum
			}
			b.note("summed", m.column.Expr)
		}
	}
	if !b.sums(agg, m.column) {
		b.refuse(e, followup.WhyNotSaid)
		return intent.Output{}, false
	}
	b.rootAt(m.column.Of)
	return out(agg, m.column), true
}

// calledTotal reports whether a column is called a total, so that its sum is no guess.
func (b *changer) calledTotal(c *schema.Column) bool {
	return slices.ContainsFunc(c.Words(), func(w string) bool {
		return slices.Contains(b.reader.language.Tags(strings.ToLower(w)), language.Tag{Name: "agg", Arg: "sum"})
	})
}

// asBefore is a figure of a column whose kind was not said: of as many kinds as there were of the
// one column before. "And the height?" after the total and the mean of the weight is both.
func (b *changer) asBefore(m measure, o intent.Output) []intent.Output {
	figures := b.figures()
	if m.agg != "" || m.column == nil || len(figures) < 2 || figures[0].Agg != o.Agg {
		return []intent.Output{o}
	}
	list := []intent.Output{o}
	for _, f := range figures[1:] {
		if f.ID != figures[0].ID || !plain(f) || !b.sums(f.Agg, m.column) {
			return []intent.Output{o}
		}
		list = append(list, out(f.Agg, m.column))
	}
	return list
}

// rootAt moves the question to the rows of a table that has several for each of the
// root's.
func (b *changer) rootAt(t *schema.Table) {
	if t != b.root && b.view.OneRow(t, b.root) && !b.view.OneRow(b.root, t) {
		b.root = t
		b.in.Entity = t.ID
	}
}

// countOf counts rows, or the different values of a column.
func (b *changer) countOf(m measure) (intent.Output, bool) {
	switch {
	case m.rows != nil && m.rows.tag.Name == recordTag: // the rows that were asked about
		b.records = true
	case m.rows != nil && len(b.view.Tables) > 1:
		b.unread = append(b.unread, m.rows)
		return intent.Output{}, false
	case m.rows != nil && !b.calls(m.rows): // a refund is no donation
		b.unread = append(b.unread, m.rows)
		return intent.Output{}, false
	case m.rows != nil:
		b.cost += costRows
		b.note("rows_are", m.rows.text, b.root.Names.EN)
	case m.column != nil && m.column.Nature == schema.Flag:
		b.setFlag(m.column)
	case m.column != nil && m.column.Time && !m.distinct && canLack(m.column): // "how many were returned"
		b.lackChange(lacking{thing: m.thing, has: true})
	case m.column != nil && !m.distinct && !b.valued(m.column) && m.column.Nature == schema.Amount: // as in a whole question: "how many goals"
		b.rootAt(m.column.Of)
		if b.eachHasOne(m.thing) {
			break
		}
		b.cost += costSum
		b.note("summed", m.column.Expr)
		return out(intent.AggSum, m.column), true
	case m.column != nil && !m.distinct && !b.valued(m.column) && m.column.Nature == schema.Level:
		b.refuse(followup.Edit{Do: followup.SetFigure, Field: m.field()}, followup.WhyNotSaid) // the mean of it, or how many have one?
		return intent.Output{}, false
	case m.column != nil && !m.column.Unique() && !b.valued(m.column):
		b.note("counted_distinct", m.column.Expr)
		return out(intent.AggCountDistinct, m.column), true
	case m.table != nil && m.table != b.root:
		switch {
		case b.view.OneRow(m.table, b.root) && !b.view.OneRow(b.root, m.table):
			b.rootAt(m.table)
		case b.view.OneRow(b.root, m.table) && len(m.table.Key) == 1:
			b.note("counted_distinct", m.table.Key[0].Expr)
			return out(intent.AggCountDistinct, m.table.Key[0]), true
		default:
			b.refuse(followup.Edit{Do: followup.SetFigure, Field: m.field()}, followup.WhyNoJoin)
			return intent.Output{}, false
		}
	}
	if len(b.figures()) == 0 && b.in.Distinct {
		if len(b.in.Select) != 1 {
			b.refuse(followup.Edit{Do: followup.SetFigure, Field: m.field()}, followup.WhyNotOver)
			return intent.Output{}, false
		}
		o := b.in.Select[0]
		o.Agg = intent.AggCountDistinct
		return o, true
	}
	return b.rows(), true
}

// setFigures puts figures in the place of those before. An order by one of them is one
// by the first of the new ones.
func (b *changer) setFigures(set []intent.Output) {
	in := &b.in
	for _, o := range b.figures() {
		if !plain(o) {
			b.refuse(followup.Edit{Do: followup.SetFigure, Output: &set[0]}, followup.WhyNotOver)
			return
		}
	}
	if len(b.figures()) == 0 { // of a list
		if in.Limit > 0 && in.Limit != maxListed {
			b.refuse(followup.Edit{Do: followup.SetFigure, Output: &set[0]}, followup.WhyNotOver)
			return
		}
		in.Select, in.OrderBy, in.Limit, in.Distinct = nil, nil, 0, false
	}
	in.Select = append(slices.DeleteFunc(in.Select, func(o intent.Output) bool { return o.Aggregates() }), set...)
	for i := range in.OrderBy {
		if in.OrderBy[i].By.Aggregates() {
			in.OrderBy[i].By = set[0]
		}
	}
	for i := range set {
		b.edit(followup.Edit{Do: followup.SetFigure, Output: &set[i]})
	}
}

func (b *changer) addFigure(o intent.Output) {
	e := followup.Edit{Do: followup.AddFigure, Output: &o}
	switch {
	case slices.Contains(b.in.Select, o):
		b.refuse(e, followup.WhyAllThere)
	case len(b.figures()) == 0:
		b.refuse(e, followup.WhyNotOver)
	default:
		b.in.Select = append(b.in.Select, o)
		b.edit(e)
	}
}

func (b *changer) dropFigure(o intent.Output) {
	e := followup.Edit{Do: followup.DropFigure, Output: &o}
	switch {
	case !slices.Contains(b.in.Select, o):
		b.refuse(e, followup.WhyNotFiltered)
	case len(b.figures()) < 2:
		b.refuse(e, followup.WhyNothingLeft)
	default:
		b.in.Select = slices.DeleteFunc(b.in.Select, func(x intent.Output) bool { return x == o })
		b.orderWithout(func(x intent.Output) bool { return x == o })
		b.edit(e)
	}
}

// orderWithout takes figures that are no longer shown out of the order. Where only the first rows
// are shown it stays: they are the same ones with a column less.
func (b *changer) orderWithout(gone func(intent.Output) bool) {
	if b.in.Limit == 0 {
		b.in.OrderBy = slices.DeleteFunc(b.in.OrderBy, func(x intent.Order) bool { return gone(x.By) })
	}
}

// groupsChange changes by what rows are put together.
func (b *changer) groupsChange() {
	var set, add []intent.Field
	var drop []grouping
	for _, g := range b.groups {
		if g.how == leaving {
			drop = append(drop, g.what)
			continue
		}
		if c := g.what.column; c != nil && c.Nature == schema.Amount && len(b.in.GroupBy) > 0 { // it orders, it does not group
			b.ranked = &measure{thing: g.what.thing}
			continue
		}
		if c := g.what.column; c != nil && c.Nature == schema.Amount && b.onlyCountsRows() && (len(b.limits) == 1 || len(b.bests) == 1 && b.bests[0].none()) {
			x := best{thing: g.what.thing, desc: b.order != "asc"} // "the top 5 by amount" of those that were counted
			if len(b.bests) == 1 {
				x.desc, x.n = b.bests[0].desc, b.bests[0].n
			}
			b.bests = []best{x}
			continue
		}
		if g.what.rows != nil { // a word that nothing knows
			b.unread = append(b.unread, g.what.rows)
			continue
		}
		fields, ok := b.groupOf(g.what)
		if !ok {
			why := followup.WhyNoJoin
			if g.what.grain != "" {
				why = followup.WhyUndated
			}
			b.refuse(followup.Edit{Do: followup.SetGroup, Field: g.what.field()}, why)
			return
		}
		if g.how == adding {
			add = append(add, fields...)
		} else {
			set = append(set, fields...)
		}
	}
	for _, g := range drop {
		b.dropName(g.thing)
	}
	if len(set)+len(add) == 0 {
		return
	}
	if b.gone && len(b.counts)+len(b.aggs) == 0 { // "days instead of the number" are no steps
		b.cost += costRefused
	}
	if len(b.figures()) == 0 {
		b.refuse(followup.Edit{Do: followup.SetGroup, Field: append(set, add...)[0]}, followup.WhyNoFigure)
		return
	}
	b.setGroups(unique(set), unique(add))
}

func (b *changer) groupOf(g grouping) ([]intent.Field, bool) {
	switch {
	case g.grain != "":
		if x := b.timed(); x != nil {
			b.d.mentions = []thing{{column: x}}
		}
		return b.steps(g.grain)
	case g.column != nil:
		return b.bySelf(g.thing), true
	case g.table != nil:
		return b.byThing(g.table), b.failed == ""
	}
	return nil, false
}

func (b *changer) setGroups(set, add []intent.Field) {
	for i, f := range set {
		do := followup.SetGroup
		if i > 0 {
			do = followup.AddGroup
		}
		if c := b.view.ColumnOf(f.ID); c == nil || !b.labelled(c, set) {
			b.edit(followup.Edit{Do: do, Field: f})
		}
		if at := b.condition(f.ID, intent.Eq); at >= 0 && f.Grain == "" { // one group alone: or is the condition to go?
			if b.fork(2) == 0 {
				b.in.Filters = slices.Delete(b.in.Filters, at, at+1)
				b.edit(followup.Edit{Do: followup.DropFilter, Field: f})
			}
		}
	}
	if len(set) > 0 {
		if b.in.Limit > 0 && slices.Equal(set, b.in.GroupBy) { // of each once more: not of the first ones alone
			b.in.Limit, b.in.LimitPer = 0, nil
			b.edit(followup.Edit{Do: followup.NoLimit})
		}
		b.in.GroupBy = set
	}
	for _, f := range add {
		if slices.Contains(b.in.GroupBy, f) {
			b.refuse(followup.Edit{Do: followup.AddGroup, Field: f}, followup.WhyAllThere)
			return
		}
		b.in.GroupBy = append(b.in.GroupBy, f)
		b.edit(followup.Edit{Do: followup.AddGroup, Field: f})
	}
	b.regroup()
}

// regroup shows what is grouped by beside the figures, in the order that whole questions
// have.
func (b *changer) regroup() {
	in := &b.in
	figures := b.figures()
	in.Select = append(b.shown(in.GroupBy), figures...)
	desc := true
	for _, o := range in.OrderBy {
		if o.By.Aggregates() {
			desc = o.Desc
		}
	}
	in.OrderBy = nil
	if len(in.GroupBy) == 0 {
		for i := range in.Having { // it was one on groups
			b.edit(followup.Edit{Do: followup.DropCondition, Cond: &in.Having[i]})
		}
		in.Limit, in.Having = 0, nil
		return
	}
	if b.trend() && in.Limit > 0 { // a series is wanted whole
		in.Limit = 0
		b.edit(followup.Edit{Do: followup.NoLimit})
	}
	if b.trend() {
		for _, f := range in.GroupBy {
			in.OrderBy = append(in.OrderBy, intent.Order{By: intent.Output{Field: f}})
		}
		return
	}
	in.OrderBy = append([]intent.Order{{By: figures[0], Desc: desc}}, b.then(in.GroupBy)...)
}

// trend reports whether groups are steps of time.
func (b *changer) trend() bool {
	return slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool {
		c := b.view.ColumnOf(f.ID)
		return f.Grain != "" || c != nil && (c.Nature == schema.Calendar || c.Nature == schema.Moment)
	})
}

// bestChange takes the first or last of an order.
func (b *changer) bestChange() {
	if len(b.bests) > 1 {
		b.fail("two orders")
		return
	}
	n := ""
	for _, l := range b.limits {
		n = l
	}
	if len(b.bests) == 0 {
		if n != "" {
			b.firstOf(n, b.order != "asc", b.order != "")
		}
		return
	}
	x := b.bests[0]
	n = cmpOr(x.n, n)
	for _, t := range b.targets {
		b.targetChange(t)
	}
	switch {
	case b.why != nil:
	case x.column != nil:
		b.bestOf(x, x.column, n)
	case x.adj != nil && !x.adj.Time && len(x.adj.Attributes) > 0 && b.called(x.adj.Attributes) != nil && len(b.figures()) == 0:
		b.bestOf(x, b.called(x.adj.Attributes), n)
	case x.count && x.table != nil, x.count && x.rows != nil:
		if o, ok := b.countOf(measure{agg: intent.AggCount, thing: x.thing}); ok {
			b.orderFigure(o, x.desc, n)
		}
	case !b.anyOrder && !b.ofFigure(x.adj):
		b.refuse(followup.Edit{Do: followup.Turn, Desc: x.desc}, followup.WhyNotSaid)
	case len(b.in.GroupBy) == 0 && len(b.figures()) == 1, b.otherEnd(x, n):
		b.extremeChange(x)
	default:
		if x.adj != nil && x.adj.Mean && (b.lessIsBetter() || !b.moreIsBetter() && b.fork(2) == 1) {
			x.desc = !x.desc // the worst delay is the longest
		}
		b.orderedAs(x.adj)
		if b.statistic && n == "" && len(b.targets) == 0 && b.ofValues() {
			b.cost += costGuess // "and the maximum?" after a mean is the other figure
		}
		b.firstOf(n, x.desc, true)
	}
}

// ofFigure reports whether an adjective may say of the figures which of them comes first: the
// oldest is no matter of weights.
func (b *changer) ofFigure(adj *language.Adjective) bool {
	if adj == nil || adj.Time || len(adj.Attributes) == 0 {
		return true
	}
	return slices.ContainsFunc(b.figures(), func(o intent.Output) bool {
		c := b.view.ColumnOf(o.ID)
		return c == nil || c.Money || slices.ContainsFunc(adj.Attributes, func(w string) bool {
			return slices.ContainsFunc(b.reader.lookUp(b.view, w), func(h schema.Hit) bool { return h.Column == c && h.Score >= schema.MinScore })
		})
	})
}

// orderedAs orders by the one of several figures that an adjective is said of: the heaviest by their
// weight, and not by their number. Whether the rows are meant rather than the groups is a guess.
func (b *changer) orderedAs(adj *language.Adjective) {
	figures := b.figures()
	if adj == nil || len(adj.Attributes) == 0 || len(figures) < 2 {
		return
	}
	for _, o := range figures {
		c := b.view.ColumnOf(o.ID)
		if c == nil || !slices.ContainsFunc(adj.Attributes, func(w string) bool {
			return slices.ContainsFunc(b.reader.lookUp(b.view, w), func(h schema.Hit) bool { return h.Column == c && h.Score >= schema.MinScore })
		}) {
			continue
		}
		b.cost += costRefused
		b.in.OrderBy = []intent.Order{{By: o, Desc: true}}
		return
	}
}

// lessIsBetter reports whether all that is shown is better the less there is of it: delays, ranks.
func (b *changer) lessIsBetter() bool {
	figures := b.figures()
	return len(figures) > 0 && !slices.ContainsFunc(figures, func(o intent.Output) bool {
		c := b.view.ColumnOf(o.ID)
		return c == nil || !c.Adverse() && !c.Place()
	})
}

// moreIsBetter reports whether the best of what is shown is what has most of it.
func (b *changer) moreIsBetter() bool {
	return slices.ContainsFunc(b.figures(), func(o intent.Output) bool {
		c := b.view.ColumnOf(o.ID)
		return c == nil || c.Nature == schema.Level || o.Agg == intent.AggSum || o.Agg == intent.AggCount || o.Agg == intent.AggCountDistinct
	})
}

// otherEnd reports whether the highest of each group was shown and the lowest is wanted, or the
// other way round: that of each again, and not the group that has the lowest of them.
func (b *changer) otherEnd(x best, n string) bool {
	f := b.figures()
	if len(f) != 1 || !plain(f[0]) || n != "" || len(b.targets) > 0 || b.in.Limit > 0 {
		return false
	}
	return f[0].Agg == intent.AggMax && !x.desc || f[0].Agg == intent.AggMin && x.desc
}

// ofValues reports whether there is one figure and it tells what the values of a column are
// like, not how much they come to.
func (b *changer) ofValues() bool {
	f := b.figures()
	return len(f) == 1 && plain(f[0]) && slices.Contains([]intent.Agg{intent.AggAvg, intent.AggMedian, intent.AggMin, intent.AggMax}, f[0].Agg)
}

// targetChange groups by what the first of is wanted.
func (b *changer) targetChange(t thing) {
	if t.column != nil && names(t.column) {
		t = thing{table: t.column.Of}
	}
	fields, ok := b.groupOf(grouping{thing: t})
	if !ok || len(b.figures()) == 0 {
		b.refuse(followup.Edit{Do: followup.SetGroup, Field: t.field()}, followup.WhyNotOver)
		return
	}
	if within(idsOf(b.in.GroupBy), idsOf(fields)) {
		return
	}
	b.setGroups(fields, nil)
}

func idsOf(fields []intent.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.ID+f.Grain)
	}
	return out
}

// extremeChange takes the highest or lowest value instead of another figure of it.
func (b *changer) extremeChange(x best) {
	before := b.figures()[0]
	agg := intent.AggMax
	if !x.desc {
		agg = intent.AggMin
	}
	c := b.view.ColumnOf(before.ID)
	if c == nil || !plain(before) || !b.sums(agg, c) {
		b.refuse(followup.Edit{Do: followup.Limit, N: 1}, followup.WhyNothingToCut)
		return
	}
	b.setFigures([]intent.Output{out(agg, c)})
}

// bestOf orders by a column that is named.
func (b *changer) bestOf(x best, c *schema.Column, n string) {
	if !c.Numeric() && !c.Time {
		b.fail("no order by the texts of " + c.ID)
		return
	}
	if (n != "" || b.picks) && len(b.in.GroupBy) == 0 && b.onlyCountsRows() { // the first of those that were counted
		n = cmpOr(n, "1")
		b.in.Select, b.in.Type = b.listedColumns(), intent.Basic
		b.edit(followup.Edit{Do: followup.ListRows, N: number64(n)})
	}
	if len(b.in.GroupBy) == 0 && len(b.figures()) > 0 {
		if n != "" {
			b.refuse(followup.Edit{Do: followup.Limit, N: number64(n)}, followup.WhyNothingToCut)
			return
		}
		agg := intent.AggMax
		if !x.desc {
			agg = intent.AggMin
		}
		b.setFigures([]intent.Output{out(agg, c)})
		return
	}
	if len(b.figures()) == 0 {
		b.in.OrderBy = []intent.Order{{By: out("", c), Desc: x.desc}}
		b.in.Distinct = false
		b.edit(followup.Edit{Do: followup.OrderBy, Field: field(c), Desc: x.desc, Direction: true})
		b.limitTo(cmpOr(n, "1"))
		return
	}
	agg := x.agg
	if agg == "" && n == "" && len(b.targets) == 0 && b.in.Limit == 0 && b.sums(intent.AggMax, c) && b.fork(2) == 0 { // the highest value of each, or the highest of them?
		agg = intent.AggMax
		if !x.desc {
			agg = intent.AggMin
		}
		b.setFigures([]intent.Output{out(agg, c)})
		return
	}
	if agg == "" {
		for _, f := range b.figures() {
			if f.ID == c.ID {
				agg = f.Agg
			}
		}
	}
	if agg == "" && c.Nature == schema.Amount {
		agg = intent.AggSum
		b.cost += costSum
		b.note("summed", c.Expr)
	}
	if agg == "" || !b.sums(agg, c) {
		b.refuse(followup.Edit{Do: followup.OrderBy, Field: field(c)}, followup.WhyNotSaid)
		return
	}
	b.orderFigure(out(agg, c), x.desc, n)
}

// orderFigure orders groups by a figure, which is shown.
func (b *changer) orderFigure(o intent.Output, desc bool, n string) {
	if len(b.in.GroupBy) == 0 {
		b.refuse(followup.Edit{Do: followup.Limit, N: 1}, followup.WhyNothingToCut)
		return
	}
	if !slices.Contains(b.in.Select, o) {
		b.in.Select = append(slices.DeleteFunc(b.in.Select, func(x intent.Output) bool { return x.Aggregates() }), o)
		b.edit(followup.Edit{Do: followup.SetFigure, Output: &o})
	}
	b.in.OrderBy = []intent.Order{{By: o, Desc: desc}}
	b.edit(followup.Edit{Do: followup.OrderBy, Field: o.Field, Desc: desc, Direction: true})
	switch {
	case n != "":
		b.limitTo(n)
	case b.in.Limit == 0:
		b.limitTo("1")
	}
}

// firstOf keeps the first rows of an order that is there already, turned where the other
// end is wanted.
func (b *changer) firstOf(n string, desc, turned bool) {
	in := &b.in
	e := followup.Edit{Do: followup.Limit, Desc: desc, Direction: turned, N: number64(cmpOr(n, "1"))}
	figures := b.figures()
	switch {
	case len(in.GroupBy) == 0 && len(figures) > 0:
		b.refuse(e, followup.WhyNothingToCut)
		return
	case len(figures) > 0:
		by := figures[0]
		for _, o := range in.OrderBy {
			if o.By.Aggregates() {
				by = o.By
			}
		}
		in.OrderBy = []intent.Order{{By: by, Desc: desc}}
	case len(in.OrderBy) > 0 && turned:
		in.OrderBy[0].Desc = desc
	case len(in.OrderBy) == 0 && n != "" && !turned: // the first ones as they come
		switch at := b.boundBefore(intent.Cond{Op: intent.Le}); {
		case at < 0:
			b.cost += costGuess
		case b.fork(2) == 0: // the top 10 of those with a rank of at most 5: so many rows, or another rank?
			c := b.in.Filters[at]
			c.Op, c.Values = intent.Le, []intent.Literal{number(n)}
			b.in.Filters[at] = c
			b.edit(followup.Edit{Do: followup.Bound, Cond: &c})
			return
		}
		b.limitTo(n)
		return
	case len(in.OrderBy) == 0:
		b.refuse(e, followup.WhyNothingToCut)
		return
	}
	if n == "" && in.Limit > 0 && (in.Limit == 1 || b.asMany || b.fork(2) == 1) { // one alone, or as many as before?
		n = strconv.FormatInt(in.Limit, 10)
	}
	b.edit(followup.Edit{Do: followup.Turn, Desc: desc})
	b.limitTo(cmpOr(n, "1"))
}

func number64(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64) // what the reader took for a number
	return n
}

func (b *changer) limitTo(n string) {
	v, err := strconv.ParseInt(n, 10, 64)
	if err != nil || v <= 0 {
		b.fail("no number of rows")
		return
	}
	if b.in.Limit != v {
		b.edit(followup.Edit{Do: followup.Limit, N: v})
	}
	b.in.Limit = v
}

// orderChange orders the rows anew.
func (b *changer) orderChange() {
	switch {
	case b.ranked != nil:
		o, ok := b.figureOf(*b.ranked)
		if !ok {
			return
		}
		limited := b.in.Limit > 0
		b.orderFigure(o, b.order != "asc", b.firstRanked)
		if !limited && b.firstRanked == "" {
			b.in.Limit = 0
			b.edits = slices.DeleteFunc(b.edits, func(e followup.Edit) bool { return e.Do == followup.Limit })
		}
	case !b.sort.none():
		b.sortBy(b.sort)
	case slices.Contains(b.wishes, "reverse"), b.order != "" && len(b.bests) == 0 && len(b.limits) == 0:
		if len(b.in.OrderBy) == 0 {
			if f := b.figures(); len(f) > 0 && len(b.in.GroupBy) > 0 {
				b.in.OrderBy = []intent.Order{{By: f[0], Desc: true}}
			} else {
				b.refuse(followup.Edit{Do: followup.Turn}, followup.WhyNothingToCut)
				return
			}
		}
		desc := !b.in.OrderBy[0].Desc
		if b.order != "" {
			desc = b.order == "desc"
			if f := b.figures(); len(f) > 0 && !b.in.OrderBy[0].By.Aggregates() && len(b.in.GroupBy) > 0 && b.in.OrderBy[0].By.Grain == "" {
				b.in.OrderBy = []intent.Order{{By: f[0]}}
			}
		}
		if b.in.Limit > 0 && desc != b.in.OrderBy[0].Desc {
			b.cost += costGuess // the others, or the same ones in another order?
		}
		b.in.OrderBy[0].Desc = desc
		b.edit(followup.Edit{Do: followup.Turn, Desc: desc})
	}
}

func (b *changer) sortBy(t thing) {
	e := followup.Edit{Do: followup.OrderBy, Field: t.field(), Desc: b.order == "desc", Direction: true}
	for _, o := range b.figures() {
		if t.is(o) {
			e.Desc = b.order != "asc"
			b.in.OrderBy = append([]intent.Order{{By: o, Desc: e.Desc}}, b.then(b.in.GroupBy)...)
			b.edit(e)
			return
		}
	}
	by := t.column
	if t.table != nil && len(t.table.Label) > 0 {
		by = t.table.Label[0]
	}
	if by != nil && t.partly && len(b.figures()) > 0 { // figures are what groups are ordered by
		b.cost += costGuess
	}
	switch {
	case by == nil:
		b.refuse(e, followup.WhyNotFiltered)
	case len(b.figures()) > 0 && !slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool { return f.ID == by.ID }):
		b.refuse(e, followup.WhyNotFiltered)
	default:
		o := out("", by)
		for _, s := range b.in.Select {
			if s.ID == by.ID && !s.Aggregates() {
				o = s
			}
		}
		b.in.Distinct = b.in.Distinct && slices.Contains(b.in.Select, o)
		b.in.OrderBy = []intent.Order{{By: o, Desc: e.Desc}}
		b.edit(e)
	}
}

// partChange takes the figure for the whole of which the rows with a stored value are a part:
// "what share of them are women". Where no value is said, the part is the rows that the one
// condition of the earlier question keeps, and the whole is without it.
func (b *changer) partChange() {
	if b.share { // "of all orders" says the whole that there is anyway
		whole := func(t thing) bool { return t.table != nil && t.table == b.root }
		b.every = slices.DeleteFunc(b.every, whole)
		b.names = slices.DeleteFunc(b.names, func(n dealt[thing]) bool { return whole(n.what) })
	}
	var flag *schema.Column // "what share were cancelled"
	if len(b.names) == 1 && b.names[0].how == replacing && b.names[0].what.column != nil && b.names[0].what.column.Nature == schema.Flag {
		flag = b.names[0].what.column
	}
	if !b.share || len(b.groups)+len(b.counts)+len(b.aggs)+len(b.bests) > 0 || len(b.names) > 0 && (flag == nil || len(b.values) > 0) {
		return
	}
	var c intent.Cond
	switch {
	case flag != nil:
		c = b.says(flag, true)
		b.in.Filters = slices.DeleteFunc(b.in.Filters, func(f intent.Cond) bool { return on(f, flag.ID) })
	case len(b.values) == 1 && b.values[0].how == replacing && b.values[0].what.column != nil && len(b.values[0].what.stored) > 0:
		x := b.values[0].what
		if !b.view.OneRow(b.root, x.column.Of) {
			return
		}
		c = among(x.column, x.stored, false)
		b.in.Filters = slices.DeleteFunc(b.in.Filters, func(f intent.Cond) bool { return on(f, x.column.ID) })
	case len(b.values) == 0 && len(b.in.GroupBy) == 0:
		var at []int
		for i, f := range b.in.Filters {
			if !b.ofTime(f) {
				at = append(at, i)
			}
		}
		if len(at) != 1 {
			return
		}
		c = b.in.Filters[at[0]]
		b.in.Filters = slices.Delete(b.in.Filters, at[0], at[0]+1)
	default:
		return
	}
	part, ok := b.partOfFigure(c)
	if !ok {
		b.in.Filters = slices.Clone(b.prev.Filters)
		return
	}
	b.values, b.names, b.share = nil, nil, false
	before := b.figures()[0]
	for i := range b.in.Select {
		if b.in.Select[i] == before {
			b.in.Select[i] = part
		}
	}
	for i := range b.in.OrderBy {
		if b.in.OrderBy[i].By == before {
			b.in.OrderBy[i].By = part
		}
	}
	b.edit(followup.Edit{Do: followup.ShareOf, Cond: &c})
}

// partOfFigure is the part that rows which fulfil a condition have in the one figure that there is.
func (b *changer) partOfFigure(c intent.Cond) (intent.Output, bool) {
	f := b.figures()
	if len(f) != 1 || !slices.Contains(b.in.Select, f[0]) || !plain(f[0]) || len(b.in.Having) > 0 || c.Left == nil || c.Left.Agg != "" {
		return intent.Output{}, false
	}
	b.d.percent = b.percent
	column := b.view.ColumnOf(f[0].ID)
	switch {
	case f[0].Agg == intent.AggCount && f[0].Kind == intent.KindEntity && on(c, c.Left.ID) && b.view.ColumnOf(c.Left.ID) != nil && b.view.ColumnOf(c.Left.ID).Of == b.root:
		return b.composer.part(c), true
	case f[0].Agg == intent.AggCount && f[0].Kind == intent.KindEntity:
		o := intent.Output{Agg: intent.AggRate, Field: intent.Field{Kind: intent.KindEntity, ID: b.root.ID}, When: &c}
		if b.percent {
			o.Times = "100"
		}
		return o, true
	case f[0].Agg == intent.AggSum && column != nil:
		return b.partOf(column, c), true
	}
	return intent.Output{}, false
}

// shareChange shows figures as parts of their total.
func (b *changer) shareChange() {
	if !b.share {
		return
	}
	f := b.figures()
	e := followup.Edit{Do: followup.Share}
	if len(b.in.GroupBy) == 0 || len(f) != 1 || !plain(f[0]) || f[0].Agg != intent.AggSum && !(f[0].Agg == intent.AggCount && f[0].Kind == intent.KindEntity) || len(b.in.Having) > 0 {
		b.refuse(e, followup.WhyNoWhole)
		return
	}
	if b.in.Limit > 0 {
		b.cost += costGuess // the whole is that of all
	}
	o := f[0]
	o.Agg = intent.AggShare
	if b.percent {
		o.Times = "100"
	}
	for i := range b.in.Select {
		if b.in.Select[i] == f[0] {
			b.in.Select[i] = o
		}
	}
	for i := range b.in.OrderBy {
		if b.in.OrderBy[i].By == f[0] {
			b.in.OrderBy[i].By = o
		}
	}
	b.edit(e)
}

// settle makes the rest of the intent fit. Groups that are all shown have an order to the last.
func (b *changer) settle() {
	if b.in.Limit == 0 && len(b.in.GroupBy) > 0 && len(b.in.OrderBy) == 1 && b.in.OrderBy[0].By.Aggregates() {
		b.in.OrderBy = append(b.in.OrderBy, b.then(b.in.GroupBy)...)
	}
	if b.in.Type == intent.Complex {
		return
	}
	b.in.Type = intent.Basic
	for _, f := range b.in.GroupBy {
		if b.in.Type = intent.Dimension; f.Grain != "" {
			b.in.Type = intent.Trend
			return
		}
	}
}
