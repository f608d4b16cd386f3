package reader

import (
	"slices"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// Bounds of the rows behind a figure.
const (
	maxListed        = 1000
	maxListedColumns = 16
)

// apply makes the edits in the order in which they build on each other: what goes, which
// rows count, what is shown of them, in which order.
func (b *changer) apply() {
	if b.in.Set != nil || b.in.Counted {
		b.refuse(followup.Edit{Do: followup.Total}, followup.WhyNotOver)
		return
	}
	before := b.far()
	b.numbersChange()
	b.datedBy()
	b.partChange()
	b.wishesChange()
	b.namesChange()
	b.havingChange()
	b.valuesChange()
	b.timesChange()
	b.boundsChange()
	b.figuresChange()
	b.groupsChange()
	b.rowsChange()
	b.bestChange()
	b.orderChange()
	b.shareChange()
	b.settle()
	b.againstChange()
	if c := intent.Impossible(b.in.Filters); c != nil && b.why == nil {
		b.refuse(followup.Edit{Do: followup.SetValue, Field: c.Field}, followup.WhyImpossible)
	}
	b.cost += max(0, b.far()-before)
}

// far is what the joins of the intent cost.
func (b *changer) far() float64 {
	sum := 0.0
	seen := map[*schema.Table]bool{b.root: true}
	for _, f := range b.in.Fields() {
		t := ownerOf(f, b.view)
		if t == nil || seen[t] {
			continue
		}
		seen[t] = true
		d := b.view.Distance(b.root, t)
		if d >= plan.Unreachable {
			b.refuse(followup.Edit{Do: followup.SetValue, Field: f}, followup.WhyNoJoin)
			return sum
		}
		sum += costJoin * d
		if b.view.Ways(b.root, t) > 1 {
			sum += costWays
		}
		if d > 1 && !b.view.OneRow(b.root, t) { // many of what is related to what is related
			sum += costGuess
		}
	}
	return sum
}

// numbersChange takes numbers that stand alone: a year where rows are dated, else how
// many rows.
func (b *changer) numbersChange() {
	for _, it := range b.numbers {
		n, err := strconv.ParseInt(it.number, 10, 64)
		dated := b.calendar("year") != nil || b.day() != nil
		switch {
		case err != nil || n <= 0:
			b.unread = append(b.unread, it)
		case n >= firstYear && n <= lastYear && dated && len(b.times) == 0:
			from := time.Date(int(n), 1, 1, 0, 0, 0, 0, time.UTC)
			b.times = append(b.times, dealt[dates.Found]{dates.Found{From: from, To: from.AddDate(1, 0, 0), Text: it.text, Period: "year"}, b.how})
		case b.in.Limit > 0 || b.how == replacing && b.cue && len(b.in.OrderBy) > 0 && (len(b.in.GroupBy) > 0 || len(b.figures()) == 0):
			b.limits = append(b.limits, it.number)
		default:
			b.unread = append(b.unread, it)
		}
	}
}

// Numbers between these are years where rows are dated.
const (
	firstYear = 1500
	lastYear  = 2200
)

func (b *changer) wishesChange() {
	for _, w := range b.wishes {
		switch w {
		case "ever":
			before := len(b.in.Filters)
			b.in.Filters = slices.DeleteFunc(b.in.Filters, b.ofTime)
			b.in.Time = nil
			if len(b.in.Filters) == before {
				b.refuse(followup.Edit{Do: followup.AllTime}, followup.WhyNotFiltered)
				continue
			}
			b.edit(followup.Edit{Do: followup.AllTime})
		case "nolimit":
			b.in.Limit, b.in.LimitPer = 0, nil
			b.edit(followup.Edit{Do: followup.NoLimit})
		case "condition":
			b.conditionChange()
		case "versus":
			b.versusChange()
		case "why":
			b.told = true
			b.refuse(followup.Edit{Do: followup.Explain}, followup.WhyCauses)
		}
	}
	for _, t := range b.every {
		b.everyChange(t)
	}
}

// conditionChange takes a condition back: the only one, or one of several that the
// asker has to choose.
func (b *changer) conditionChange() {
	if b.how != leaving || len(b.names)+len(b.values)+len(b.times) > 0 {
		return // it is said which, or "only under that condition"
	}
	type place struct{ having, at int }
	var places []place
	for i := range b.in.Having {
		places = append(places, place{1, i})
	}
	for i := range b.in.Filters {
		places = append(places, place{0, i})
	}
	if len(places) == 0 {
		b.refuse(followup.Edit{Do: followup.DropFilter}, followup.WhyNotFiltered)
		return
	}
	at := places[b.fork(len(places))]
	list := &b.in.Filters
	if at.having == 1 {
		list = &b.in.Having
	}
	c := (*list)[at.at]
	*list = slices.Delete(*list, at.at, at.at+1)
	b.in.Time = nil
	b.edit(followup.Edit{Do: followup.DropCondition, Cond: &c})
}

// everyChange takes back the conditions on what all are wanted of.
func (b *changer) everyChange(t thing) {
	before := len(b.in.Filters)
	b.in.Filters = slices.DeleteFunc(b.in.Filters, func(c intent.Cond) bool {
		x := columnOf(b.view, c)
		return x != nil && (x == t.column || t.table != nil && x.Of == t.table && t.table != b.root)
	})
	e := followup.Edit{Do: followup.DropFilter, Field: t.field()}
	if grouped := slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool {
		return t.column != nil && f.ID == t.column.ID || t.table != nil && ownerOf(f, b.view) == t.table
	}); grouped && b.in.Limit > 0 { // of the groups only the first are shown
		b.in.Limit, b.in.LimitPer = 0, nil
		b.edit(followup.Edit{Do: followup.NoLimit})
		if len(b.in.Filters) == before {
			return
		}
	}
	if len(b.in.Filters) == before && len(b.edits) > 0 && b.edits[len(b.edits)-1].Do == followup.DropFilter && b.edits[len(b.edits)-1].Field == t.field() {
		return // said once more: "never mind the species, all animals"
	}
	if len(b.in.Filters) == before {
		b.refuse(e, followup.WhyNotFiltered)
		return
	}
	b.edit(e)
}

func (t thing) field() intent.Field {
	switch {
	case t.column != nil:
		return field(t.column)
	case t.table != nil:
		return intent.Field{Kind: intent.KindEntity, ID: t.table.ID}
	}
	return intent.Field{}
}

// namesChange decides what a name alone says: what goes, a figure, or a grouping.
func (b *changer) namesChange() {
	for _, t := range b.beside {
		if t.column != nil && len(b.figures()) == 0 {
			b.showChange(t.column, b.how)
			continue
		}
		b.names = append(b.names, dealt[thing]{t, b.how})
	}
	for _, n := range b.names {
		switch c := n.what.column; {
		case b.besideValue(n.what) || b.saidOtherwise(n.what):
		case n.how == denying: // "not urgent": the others, whichever were meant before
			b.in.Filters = slices.DeleteFunc(b.in.Filters, func(f intent.Cond) bool { return on(f, c.ID) })
			b.flag(c, false)
			b.edit(followup.Edit{Do: followup.DropValue, Field: field(c), Values: []string{c.Expr}})
		case n.how == leaving:
			b.dropName(n.what)
		case c != nil && c.Nature == schema.Flag:
			b.setFlag(c)
		case c != nil && (c.Nature == schema.Amount || c.Nature == schema.Level):
			b.aggs = append(b.aggs, dealt[measure]{measure{thing: n.what}, n.how})
		case len(b.bests) > 0:
			b.targets = append(b.targets, n.what)
		case c != nil && len(b.figures()) == 0: // of a list: shown as well
			b.showChange(c, n.how)
		case n.what.table != nil && n.what.table == b.root:
			b.cost += costGuess
			b.counts = append(b.counts, dealt[measure]{measure{agg: intent.AggCount, thing: n.what}, n.how})
		case b.only && n.how == replacing && canLack(c):
			b.having = append(b.having, lacking{thing: n.what, has: true})
		case b.only && n.how == replacing && !slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool { return c != nil && f.ID == c.ID }):
			b.refuse(followup.Edit{Do: followup.SetValue, Field: n.what.field()}, followup.WhyNotSaid) // which of them?
		case c != nil && n.how != leaving && within(idsOf(b.in.GroupBy), idsOf(fieldsOf(c.Of.Key))) && len(c.Of.Key) > 0:
			b.in.GroupBy = append(b.in.GroupBy, field(c)) // each of the groups has one
			b.in.Select = append(b.in.Select, out("", c))
			b.edit(followup.Edit{Do: followup.AddColumn, Field: field(c)})
		case len(b.in.GroupBy) > 0:
			b.cost += costGuess / 2
			b.groups = append(b.groups, dealt[grouping]{grouping{thing: n.what}, n.how})
		default:
			b.fail("a name of which it is not said what is done with it")
			b.refuse(followup.Edit{Do: followup.SetGroup, Field: n.what.field()}, followup.WhyNotSaid)
		}
	}
}

func fieldsOf(columns []*schema.Column) []intent.Field {
	var list []intent.Field
	for _, c := range columns {
		list = append(list, field(c))
	}
	return list
}

// setFlag keeps the rows of which a flag says yes.
func (b *changer) setFlag(c *schema.Column) {
	b.in.Filters = slices.DeleteFunc(b.in.Filters, func(x intent.Cond) bool { return on(x, c.ID) })
	b.flag(c, true)
	b.edit(followup.Edit{Do: followup.Bound, Cond: &b.in.Filters[len(b.in.Filters)-1]})
}

// havingChange keeps the rows that have one of what was named: "those with a subscription".
func (b *changer) havingChange() {
	for _, k := range b.having {
		if len(b.figures()) == 0 && b.fork(2) == 0 { // of a list: or is it shown as well?
			b.showChange(k.column, b.how)
			continue
		}
		b.lackChange(k)
	}
}

// lackChange keeps the rows that have a value of a column, or those that have none, whichever were
// kept before.
func (b *changer) lackChange(k lacking) {
	b.in.Filters = slices.DeleteFunc(b.in.Filters, func(x intent.Cond) bool { return on(x, k.column.ID) })
	before := len(b.in.Filters)
	if b.lackColumn(k); len(b.in.Filters) == before {
		b.refuse(followup.Edit{Do: followup.SetValue, Field: field(k.column)}, followup.WhyNotSaid)
		return
	}
	added := b.in.Filters[before]
	b.edit(followup.Edit{Do: followup.Bound, Cond: &added})
}

// besideValue reports whether a name only says whose value was said.
func (b *changer) besideValue(t thing) bool {
	return slices.ContainsFunc(b.values, func(v dealt[valued]) bool {
		return v.what.column != nil && (v.what.column == t.column || v.what.column.Of == t.table)
	})
}

// saidOtherwise reports whether a name only says again what a figure is of.
func (b *changer) saidOtherwise(t thing) bool {
	if t.table == nil {
		return false
	}
	said := len(b.counts) + len(b.aggs) + len(b.bests) + len(b.groups) + len(b.times) + len(b.limits) + len(b.values) + len(b.compared) + len(b.contains)
	return t.table == b.root && (said > 0 || slices.Contains(b.wishes, "rows") || slices.ContainsFunc(b.names, b.restricts))
}

// restricts reports whether a name alone keeps or leaves out rows: "objects on loan".
func (b *changer) restricts(n dealt[thing]) bool {
	return n.how == denying || n.how != leaving && n.what.column != nil && n.what.column.Nature == schema.Flag
}

func (b *changer) showChange(c *schema.Column, how dealing) {
	if slices.Contains(b.in.Select, out("", c)) {
		b.refuse(followup.Edit{Do: followup.AddColumn, Field: field(c)}, followup.WhyAllThere)
		return
	}
	if how == replacing && b.how == replacing && b.content > 1 {
		b.cost += costGuess
	}
	b.in.Select = append(b.in.Select, out("", c))
	b.edit(followup.Edit{Do: followup.AddColumn, Field: field(c)})
}

// dropName takes back what a name is in the earlier question: a grouping, a condition, a
// figure.
func (b *changer) dropName(t thing) {
	of := func(f intent.Field) bool {
		owner := ownerOf(f, b.view)
		return t.column != nil && f.ID == t.column.ID || t.table != nil && owner == t.table && (f.Kind == intent.KindEntity || t.table != b.root)
	}
	grouped := slices.ContainsFunc(b.in.GroupBy, of)
	filtered := slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool { return c.Left != nil && of(c.Left.Field) })
	shown := slices.ContainsFunc(b.in.Select, func(o intent.Output) bool { return of(o.Field) && (o.Aggregates() || !grouped) })
	switch {
	case grouped && !filtered && canLack(t.column) && b.fork(2) == 1, !grouped && !filtered && canLack(t.column): // those that have none
		b.lackChange(lacking{thing: t})
	case grouped && filtered && b.fork(2) == 0, filtered && !grouped:
		b.in.Filters = slices.DeleteFunc(b.in.Filters, func(c intent.Cond) bool { return c.Left != nil && of(c.Left.Field) })
		b.edit(followup.Edit{Do: followup.DropFilter, Field: t.field()})
	case grouped:
		b.in.GroupBy = slices.DeleteFunc(b.in.GroupBy, of)
		b.regroup()
		b.edit(followup.Edit{Do: followup.DropGroup, Field: t.field()})
	case shown && len(b.in.Select) > 1:
		b.in.Select = slices.DeleteFunc(b.in.Select, func(o intent.Output) bool { return of(o.Field) })
		b.orderWithout(func(o intent.Output) bool { return of(o.Field) })
		b.edit(followup.Edit{Do: followup.DropColumn, Field: t.field()})
	case t.column != nil && t.column.Nature == schema.Flag:
		b.flag(t.column, false)
		b.edit(followup.Edit{Do: followup.DropValue, Field: field(t.column), Values: []string{t.column.Expr}})
	case slices.ContainsFunc(b.prev.Filters, func(c intent.Cond) bool { return c.Left != nil && of(c.Left.Field) }): // it is gone: "never mind the species, all animals"
	default:
		b.refuse(followup.Edit{Do: followup.DropFilter, Field: t.field()}, followup.WhyNotFiltered)
	}
}

// rowsChange lists the rows behind figures.
func (b *changer) rowsChange() {
	if !slices.Contains(b.wishes, "rows") && !b.listed() || len(b.groups) > 0 { // "list it by day" shows the days
		return
	}
	e := followup.Edit{Do: followup.ListRows, N: maxListed}
	in := &b.in
	if len(in.Having) > 0 || slices.ContainsFunc(in.Select, func(o intent.Output) bool {
		return o.When != nil || o.Agg == intent.AggRate || o.Agg == intent.AggShare
	}) {
		b.refuse(e, followup.WhyNotOver)
		return
	}
	if len(b.figures()) == 0 {
		b.edit(e)
		return
	}
	if in.Limit > 0 && len(in.GroupBy) > 0 && !b.ofShown() {
		b.refuse(e, followup.WhyNotOver)
		return
	}
	counted := b.differing()
	in.GroupBy, in.OrderBy, in.Type, in.Limit = nil, nil, intent.Basic, maxListed
	if counted != nil {
		shown := out("", counted)
		in.Select, in.Distinct = []intent.Output{shown}, true
		if counted.Missing > 0 {
			b.filter(intent.Cond{Op: intent.NotNull, Left: &shown})
		}
		b.edit(followup.Edit{Do: followup.ListValues, Field: field(counted)})
		return
	}
	in.Select, in.Distinct = b.listedColumns(), false
	b.edit(e)
}

// listedColumns are those by which rows are shown.
func (b *changer) listedColumns() []intent.Output {
	var list []intent.Output
	for _, c := range b.root.Columns[:min(len(b.root.Columns), maxListedColumns)] {
		list = append(list, out("", c))
	}
	return list
}

// differing is the column whose different values are all that was counted: they are what is listed
// then, and not the rows that have them. nil: rows were counted, or things that have rows of
// their own.
func (b *changer) differing() *schema.Column {
	f := b.figures()
	if len(f) != 1 || !plain(f[0]) || f[0].Agg != intent.AggCountDistinct || len(b.in.GroupBy) > 0 {
		return nil
	}
	c := b.view.ColumnOf(f[0].ID)
	if c == nil || slices.Contains(c.Of.Key, c) || c.Points {
		return nil
	}
	return c
}

// ofShown keeps the rows that belong to the groups that are shown, where only the first of an
// order are: false where no one column tells the groups apart.
func (b *changer) ofShown() bool {
	by := b.in.GroupBy[0]
	c := b.view.ColumnOf(by.ID)
	if c == nil || by.Grain != "" || len(b.in.OrderBy) == 0 {
		return false
	}
	if len(b.in.GroupBy) > 1 && (len(c.Of.Key) != 1 || c.Of.Key[0] != c || !within(idsOf(fieldsOf(append(slices.Clone(c.Of.Label), c))), idsOf(b.in.GroupBy))) {
		return false // more than the key of a thing and what it is called
	}
	sub := copied(b.in)
	left := out("", c)
	sub.Select, sub.Entity = []intent.Output{left}, b.root.ID
	b.filter(intent.Cond{Op: intent.In, Left: &left, Sub: &sub})
	b.edit(followup.Edit{Do: followup.OfFirst, Field: field(c)})
	return true
}

// namesRoot reports whether the rows of the earlier question are said by name.
func (b *changer) namesRoot() bool {
	return slices.ContainsFunc(b.names, func(n dealt[thing]) bool { return n.how == replacing && n.what.table == b.root })
}

// onlyCounts reports whether a number of rows is all that the question before shows, and that nothing
// else is asked for.
func (b *changer) onlyCounts() bool {
	figures := b.figures()
	return len(figures) == 1 && figures[0].Agg == intent.AggCount && len(b.bests)+len(b.counts)+len(b.aggs)+len(b.groups)+len(b.targets) == 0 && !b.share
}

// onlyCountsRows reports whether all that is shown is one number of the root's rows.
func (b *changer) onlyCountsRows() bool {
	f := b.figures()
	return len(b.in.Select) == 1 && len(f) == 1 && plain(f[0]) && f[0].Agg == intent.AggCount && f[0].Kind == intent.KindEntity && f[0].ID == b.root.ID
}

// listed reports whether the things that figures count are asked for by name: "list the
// loans".
func (b *changer) listed() bool {
	if b.lists && len(b.values)+len(b.times) > 0 && len(b.prev.GroupBy) == 0 && b.onlyCounts() { // "list the women among them"
		return true
	}
	if b.lists && b.namesRoot() && len(b.counts)+len(b.aggs)+len(b.bests)+len(b.groups) == 0 && len(b.figures()) > 0 {
		return true
	}
	if len(b.targets) != 1 || len(b.bests) > 0 || len(b.counts)+len(b.aggs) > 0 || len(b.figures()) == 0 || len(b.groups) > 0 {
		return false
	}
	return b.targets[0].table == b.root || b.targets[0].column != nil && slices.Contains(b.root.Label, b.targets[0].column)
}
