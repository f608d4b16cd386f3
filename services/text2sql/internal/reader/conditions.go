package reader

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// conditions adds what rows have to fulfil.
func (b *composer) conditions(measures *[]intent.Output) {
	b.wholeOf()
	for i := range b.d.compared {
		n := len(b.in.Filters)
		b.compare(&b.d.compared[i], measures)
		b.neverSoMuch(n)
	}
	values, of := b.ofLacking()
	b.heldTwice(values)
	b.valuesOf(b.bothOf(b.noneOf(values)))
	b.flags()
	for _, x := range b.d.contains {
		left := out("", x.column)
		b.filter(intent.Cond{Op: intent.Contains, Left: &left, Values: []intent.Literal{{Text: x.text}}})
	}
	for _, x := range b.d.lacks {
		n := len(b.in.Filters)
		if slices.ContainsFunc(of, func(v valued) bool { return b.neverTo(x, v) }) {
			b.never, of = of, nil
		}
		b.lack(x)
		b.never = nil
		if len(of) > 0 && len(b.in.Filters) > n && b.in.Filters[n].Sub != nil { // "no films by X": none of those by X
			b.in.Filters[n].Sub.Filters, of = b.conditionsOf(of), nil
		}
	}
	if len(of) > 0 {
		b.fail("conditions of what is lacking")
	}
	b.due()
	b.times()
	b.goingOn()
	if b.contradicts() {
		b.fail("no row can be so")
	}
}

// heldTwice tells of stored values that two tables beside the rows have in columns of one name, of which
// neither is named: orders in Berlin are those of customers there, or of shops.
func (b *composer) heldTwice(values []valued) {
	names := *b.d
	names.values = nil
	said := names.tables()
	for _, v := range values {
		if v.column == nil || v.named || v.column.Of == b.root || slices.Contains(said, v.column.Of) {
			continue
		}
		for _, t := range b.view.Tables {
			if t == v.column.Of || t == b.root || !b.view.OneRow(b.root, t) {
				continue
			}
			for _, c := range t.Columns {
				if strings.EqualFold(c.Names.EN, v.column.Names.EN) && slices.ContainsFunc(v.stored, c.Stores) {
					b.note("held_twice", v.stored[0], v.column.Of.Names.EN, t.Names.EN)
					return
				}
			}
		}
	}
}

// wholeOf takes stored values that are said before what part is asked for, "the share of gardens in
// Lyon that are public", for what the whole has to be.
func (b *composer) wholeOf() {
	b.d.values = slices.DeleteFunc(b.d.values, func(v valued) bool {
		whole := v.from < b.d.whose
		if whole {
			b.d.base = append(b.d.base, v)
		}
		return whole
	})
}

// contradicts reports whether the conditions want two values of one column at once.
func (b *composer) contradicts() bool {
	only := map[string]intent.Literal{}
	for _, c := range b.in.Filters {
		if c.Op != intent.Eq || c.Left == nil || c.Left.Agg != "" || len(c.Values) != 1 {
			continue
		}
		if v, ok := only[c.Left.ID]; ok && v != c.Values[0] {
			return true
		}
		only[c.Left.ID] = c.Values[0]
	}
	return false
}

// times adds the ranges of time: one within another, or whole years, months, ... beside
// each other, each of which is then shown by itself.
func (b *composer) times() {
	list := b.d.times
	b.timesAgain()
	if b.comparesTimes() {
		b.compareTimes(list[0], list[1])
		return
	}
	if len(list) == 1 {
		if sub, day := b.happening(); sub != nil {
			sub.Filters = append(sub.Filters, during(day, b.openEnded(list[0]))...)
			return
		}
	}
	if !apart(list) {
		for i, t := range list {
			if slices.ContainsFunc(list[:i], func(o dates.Found) bool { return excludes(o, t) || excludes(t, o) }) {
				b.fail("times that exclude each other")
				return
			}
			b.within(t)
		}
		return
	}
	first := len(b.in.Filters)
	var either []intent.Cond
	for _, t := range list {
		at := len(b.in.Filters)
		b.within(t)
		either = append(either, intent.Cond{Op: intent.And, Args: slices.Clone(b.in.Filters[at:])})
		b.in.Filters = b.in.Filters[:at]
	}
	b.in.Filters = append(b.in.Filters[:first], intent.Cond{Op: intent.Or, Args: either})
	b.in.Time = nil
	if b.d.against { // "A versus B, each in 2024 and in 2025": of each value, too
		for _, v := range b.d.values {
			if g := (grouping{thing: thing{column: v.column}}); v.column != nil && !v.deny && !slices.Contains(b.d.groups, g) {
				b.d.groups = append(b.d.groups, g)
			}
		}
	}
	if !slices.ContainsFunc(b.d.groups, func(g grouping) bool { return g.grain == list[0].Period }) {
		b.d.groups = append(b.d.groups, grouping{grain: list[0].Period})
		if !b.d.each {
			b.cost += costGuess
		}
	}
	b.d.each = false
}

// happening is what rows are kept by whether it happened to them, and the column that dates it:
// "households with no visits in 2026" is of visits in 2026. nil where there is none, where it
// has no date, or where a date of the rows themselves is meant: it is named, or they have one and
// the time does not stand behind what they have or lack.
func (b *composer) happening() (*intent.Intent, *schema.Column) {
	var sub *intent.Intent
	for _, f := range b.in.Filters {
		if f.Sub != nil && sub != nil {
			return nil, nil
		}
		if f.Sub != nil {
			sub = f.Sub
		}
	}
	dated := func(t thing) bool { return t.column != nil && t.column.Time }
	if sub == nil || slices.ContainsFunc(b.d.mentions, dated) || slices.ContainsFunc(b.d.counts, func(m measure) bool { return dated(m.thing) }) ||
		slices.ContainsFunc(b.d.aggs, func(m measure) bool { return dated(m.thing) }) {
		return nil, nil
	}
	if !b.d.then && len(b.root.Days()) > 0 { // "orders in May without returns": of the orders
		return nil, nil
	}
	t := b.view.ByID(sub.Entity)
	if t == nil || t == b.root || t.Dated() == nil {
		return nil, nil
	}
	if len(t.Days()) > 1 {
		b.cost += costGuess
	}
	b.note("dated_by", t.Dated().Expr)
	return sub, t.Dated()
}

// excludes reports whether a time ends before another begins.
func excludes(earlier, later dates.Found) bool {
	return !earlier.To.IsZero() && !later.From.IsZero() && !earlier.To.After(later.From)
}

// apart reports whether expressions of time are of one kind, as two years are, and none
// has a day of another.
func apart(list []dates.Found) bool {
	for i, t := range list {
		if t.Period == "" || t.Period != list[0].Period || t.From.IsZero() || t.To.IsZero() {
			return false
		}
		for _, o := range list[:i] {
			if t.From.Before(o.To) && o.From.Before(t.To) {
				return false
			}
		}
	}
	return len(list) > 1
}

// ofLacking parts the conditions on stored values: those of the rows that are not to be
// there belong to them.
func (b *composer) ofLacking() (own, theirs []valued) {
	for _, v := range b.d.values {
		if v.column != nil && slices.ContainsFunc(b.d.lacks, func(x lacking) bool {
			return x.table != nil && x.table != b.root && (x.table == v.column.Of || !x.has && b.onlyThrough(x.table, v.column.Of)) || b.neverTo(x, v)
		}) {
			theirs = append(theirs, v)
			continue
		}
		own = append(own, v)
	}
	return own, theirs
}

// onlyThrough reports whether what the root has to do with a table is said by the rows of another
// alone, each of which leads to one: rooms and the members that booked them.
func (b *composer) onlyThrough(events, t *schema.Table) bool {
	return t != b.root && !b.view.OneRow(b.root, t) && !b.view.OneRow(t, b.root) && b.view.OneRow(events, t) && b.view.OneRow(events, b.root)
}

// lackedWith reports whether rows are to be missing that alone lead to a table: who never booked a
// room has no bookings, each of which is of one.
func (b *composer) lackedWith(t *schema.Table) bool {
	return slices.ContainsFunc(b.d.lacks, func(x lacking) bool {
		return !x.has && x.table != nil && x.table != b.root && b.onlyThrough(x.table, t)
	})
}

func (b *composer) filter(c intent.Cond) {
	b.in.Filters = append(b.in.Filters, c)
}

func number(text string) intent.Literal { return intent.Literal{Text: text, Number: true} }

// compare adds a comparison with a number.
func (b *composer) compare(x *compared, measures *[]intent.Output) {
	if x.counts && x.adj != nil && len(x.adj.Attributes) > 0 { // "heavier than 20": no number of rows
		b.fail("a size that is a number of rows")
		return
	}
	if x.different {
		b.atLeastDifferent(x)
		return
	}
	if x.counts && (x.column == nil || x.column.Nature == schema.Identifier || x.partly && !x.column.Numeric()) {
		b.atLeast(x)
		return
	}
	c := x.column
	if x.agg == intent.AggRate {
		b.compareRate(x)
		return
	}
	if c == nil {
		c = b.measured(x)
	}
	if x.mean {
		b.aboveMean(x, c)
		return
	}
	if c == nil || !c.Numeric() {
		b.fail("compares what is no number")
		return
	}
	if x.none() && slices.ContainsFunc(b.d.lacks, func(l lacking) bool { return l.has && l.column != nil && l.column != c && l.column.Numeric() }) {
		b.fail("a number of one column that is compared with another") // "a duration of more than 30 kg"
		return
	}
	if c.Nature == schema.Identifier {
		b.fail("compares what only tells rows apart")
		return
	}
	var of thing // whose rows are taken together
	if x.agg != "" {
		if of = b.together(x.agg, c); b.failed != "" {
			return
		}
	}
	if c.Nature == schema.Calendar && !plausible(c, x.number) {
		b.fail("no such part of a date")
		return
	}
	if x.part.make == "equal" && (x.dated || x.unit != nil && x.unit.Quantity == "count") && c.Nature != schema.Calendar { // 2000年, "in 2023": a year, and no amount
		b.fail("an amount that is a year")
		return
	}
	if c.Elapsed != nil && x.unit != nil {
		if in := b.view.In(c, timeUnit(x.said)); in != nil {
			c = in
		}
	}
	if x.often && c.Unit != "" {
		b.fail("a size that is a number of times")
		return
	}
	left := out(x.agg, c)
	if b.ofMany(x, c) {
		left, of = out(intent.AggSum, c), b.d.targets[0]
		b.cost += costSum
		b.note("summed", c.Expr)
	}
	cond := intent.Cond{Op: x.op, Left: &left}
	for _, n := range x.number {
		in := b.inUnit(n, x.unit, c)
		if in != n && left.Agg == "" && !c.Reaches(in) { // "ran for at least 8 weeks", of what takes minutes
			b.fail("a number in another unit that nothing comes near")
			return
		}
		cond.Values = append(cond.Values, number(in))
	}
	if left.Agg != "" {
		b.in.GroupBy = b.fieldsOf(of)
		b.in.Having = append(b.in.Having, cond)
		return
	}
	b.filter(cond)
}

// compareRate keeps the things of whose rows so large a part is so: "inspectors with a failure rate
// over 10%".
func (b *composer) compareRate(x *compared) {
	t := b.manyOf()
	if t.none() || t.rows != nil || len(x.number) != 1 || x.column == nil || t.table == x.column.Of || t.of() != x.column.Of && !b.view.OneRow(x.column.Of, t.of()) {
		b.fail("a rate of what is not said")
		return
	}
	left := b.rate(&best{thing: x.thing, value: x.value})
	n := x.number[0]
	if x.unit != nil && x.unit.Quantity == "share" {
		n = times(n, 0.01)
	}
	b.keep(t, x.op, left, n)
}

// keep takes the things of whose rows together a figure compares so with a number.
func (b *composer) keep(t thing, op intent.Op, figure intent.Output, n string) {
	b.in.GroupBy = b.fieldsOf(t)
	b.in.Having = append(b.in.Having, intent.Cond{Op: op, Left: &figure, Values: []intent.Literal{number(n)}})
}

// together are the things that are asked for, of each of which many rows have an aggregate of a
// column to compare: "genres with an average price over 12".
func (b *composer) together(agg intent.Agg, c *schema.Column) thing {
	t := b.manyOf()
	switch {
	case t.none() || t.column == nil && t.table == nil:
		b.fail("an aggregate of what is not said")
	case !b.sums(agg, c):
		b.fail("no " + string(agg) + " of " + c.ID)
	case t.table == c.Of, t.column != nil && (t.column == c || t.column.Unique()):
		b.fail("an aggregate of one row")
	case t.of() != c.Of && !b.view.OneRow(c.Of, t.of()):
		b.fail("an aggregate of what is related by many")
	}
	return t
}

// ofMany reports whether a number is compared with what many rows come to together:
// "which channels brought in more than 1,000 euros".
func (b *composer) ofMany(x *compared, c *schema.Column) bool {
	if c.Nature != schema.Amount || !b.d.pick {
		return false
	}
	if len(b.d.targets) == 0 && !x.none() && len(b.d.mentions) == 1 && b.d.mentions[0].of() != nil && b.d.mentions[0].of() != c.Of {
		b.d.targets, b.d.mentions = b.d.mentions, nil
	}
	if len(b.d.targets) != 1 {
		return false
	}
	t := b.d.targets[0]
	if !x.none() { // 维修费超过十万的城区有哪些: of all of each, where they are of another table
		return x.column == c && t.of() != nil && t.of() != c.Of && b.view.OneRow(c.Of, t.of()) && (t.table != nil || t.column.Nature == schema.Category)
	}
	return t.table != nil && t.table != c.Of && b.view.OneRow(c.Of, t.table) || t.column != nil && t.column.Nature == schema.Category && b.view.OneRow(c.Of, t.column.Of)
}

// inUnit gives a number in the unit of a column.
func (b *composer) inUnit(n string, asked *unit, c *schema.Column) string {
	if asked == nil {
		return n
	}
	if asked.Quantity == "share" {
		if fraction(c) {
			return times(n, 0.01)
		}
		return n
	}
	stored, ok := b.reader.language.Unit(c.Unit)
	switch {
	case !ok || asked.Quantity == "count" || stored.Quantity == "count":
		return n
	case stored.Quantity != asked.Quantity: // "more than 30 kg" of a time
		b.fail("a number of another unit than " + c.ID)
		return n
	case stored.Factor == asked.Factor:
		return n
	}
	b.note("converted", c.Expr)
	return times(n, asked.Factor/stored.Factor)
}

// fraction reports whether a column holds parts of 1: how its file wrote them, or stored
// values tell.
func fraction(c *schema.Column) bool {
	if c.Parts {
		return true
	}
	for _, v := range c.Values {
		if len(v.Value) > 1 && v.Value[0] != '0' && v.Value[0] != '1' {
			return false
		}
	}
	return len(c.Values) > 0
}

// measured is the column that a comparison without a name is about: what its adjective
// orders by, the one mentioned, the one in its unit, the only number that is asked for.
func (b *composer) measured(x *compared) *schema.Column {
	if x.adj != nil && len(x.adj.Attributes) > 0 {
		if c := b.called(x.adj.Attributes); c != nil {
			return c
		}
	}
	if c := b.amount(); c != nil {
		return c
	}
	if x.adj != nil && x.adj.Mean && x.unit == nil { // "ratings worse than 3": of the one figure that the rows have
		return b.figureAlone(x)
	}
	if x.unit != nil && len(x.unit.Of) > 0 {
		return b.called(x.unit.Of)
	}
	if x.unit != nil {
		var found []*schema.Column
		for _, c := range b.root.Columns {
			if u, ok := b.reader.language.Unit(strings.ToLower(c.Unit)); ok && u.Quantity == x.unit.Quantity {
				found = append(found, c)
			}
		}
		var one *schema.Column
		if len(found) == 1 {
			one = found[0]
		} else if len(found) > 1 {
			one = whole(found)
		}
		if one != nil {
			b.cost += costGuess
			b.note("compared", one.Expr)
			return one
		}
		if c, sure := b.view.Lasting(b.root); len(found) == 0 && sure && timeUnit(x.said) != "" { // "lasted more than 45 minutes"
			b.cost += costGuess
			b.tellsLasting(c)
			return c
		}
	}
	if x.unit == nil && x.adj == nil && !x.often && !x.dated && b.root.Persons() { // "how many clients are over 60"
		return b.called(ageNames)
	}
	return nil
}

// figureAlone is the one figure of the rows; nil: they have none, or more. Better is less where less is better.
func (b *composer) figureAlone(x *compared) *schema.Column {
	var found *schema.Column
	for _, c := range b.root.Columns {
		if c.Elapsed != nil || c.Nature != schema.Amount && c.Nature != schema.Level {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	if found == nil {
		return nil
	}
	if found.Place() || found.Adverse() {
		x.op = map[intent.Op]intent.Op{intent.Gt: intent.Lt, intent.Lt: intent.Gt}[x.op]
	}
	b.note("compared", found.Expr)
	return found
}

// ageNames are what columns are called that hold how old somebody is.
var ageNames = []string{"age", "年龄"}

// atLeast keeps things that have more or fewer than a number of rows of a table.
func (b *composer) atLeast(x *compared) {
	t := b.manyOf()
	of := x.table
	if x.column != nil && (!x.partly || x.column.Of != b.root) {
		of = x.column.Of
	}
	switch {
	case t.none() || len(x.number) != 1:
		b.fail("a number of rows of what is not said")
		return
	case of != nil:
	case t.column == nil || t.column.Of != b.root || t.column.Unique() || t.column.Nature != schema.Category && t.column.Nature != schema.Text:
		b.fail("a number of rows of what is not said")
		return
	default:
		of = b.root
		b.cost += costRows
		if x.rows != nil {
			b.asRows(x.rows)
		}
	}
	if t.of() == of && (t.table != nil || t.column.Unique()) {
		b.fail("a number of things of themselves")
		return
	}
	if of != b.root && of != t.of() && (x.op == intent.Lt || x.op == intent.Le) {
		b.cost += costGuess
		b.note("none_left_out", of.Names.EN)
	}
	b.keep(t, x.op, rowsOf(of), x.number[0])
}

// manyOf is what a question wants those of that have a number of rows.
func (b *composer) manyOf() thing {
	if b.d.who && !slices.ContainsFunc(b.d.targets, func(t thing) bool { return t.of() != nil && len(t.of().Label) > 0 }) {
		if c := b.nameColumn(); c != nil { // those whose names the rows hold: "who has booked"
			b.d.targets = []thing{{column: c}}
		} else if p := b.persons(); p != nil && p != b.root && p.Persons() && len(b.d.targets) == 0 { // "who has adopted six times"
			b.d.targets = []thing{{table: p}}
		}
	}
	if len(b.d.targets) == 1 {
		return b.d.targets[0]
	}
	if b.countsThings() { // "how many technicians led at least 100 jobs"
		b.chosen = true
		return b.d.counts[0].thing
	}
	at := -1
	for i, t := range b.d.mentions {
		switch {
		case t.done: // 演出超过50场的剧
		case at >= 0:
			return thing{}
		default:
			at = i
		}
	}
	if len(b.d.targets) > 0 || b.d.which < 0 && len(b.d.counts)+len(b.d.aggs)+len(b.d.bests) > 0 || b.d.share >= 0 || at < 0 {
		return thing{}
	}
	t := b.d.mentions[at] // 球员有哪些
	if b.d.who && t.table != nil && !t.table.Persons() {
		return thing{}
	}
	b.placed[at] = true
	b.d.targets = append(b.d.targets, t)
	return t
}

// atLeastDifferent keeps things whose rows have more or fewer than a number of different values, or
// are of so many different things: "members who borrowed three or more different titles".
func (b *composer) atLeastDifferent(x *compared) {
	t := b.manyOf()
	c := x.column
	if x.table != nil {
		c = b.pointer(x.table)
	}
	if t.none() || c == nil || c.Of != b.root || len(x.number) != 1 || t.column == c || t.table == b.root {
		b.fail("a number of different things of what is not said")
		return
	}
	b.keep(t, x.op, out(intent.AggCountDistinct, c), x.number[0])
}

// countsThings reports whether nothing but a number of things is asked for, so that a condition on
// how many rows each has chooses which are counted.
func (b *composer) countsThings() bool {
	d := b.d
	return len(d.counts) == 1 && len(d.targets)+len(d.aggs)+len(d.bests)+len(d.groups) == 0 && d.share < 0 && d.rival == nil && !d.each &&
		d.counts[0].table != nil && d.counts[0].column == nil && len(d.counts[0].table.Key) == 1
}

// conditionsOf are the conditions that stored values are, apart from those of the rows that are asked
// for.
func (b *composer) conditionsOf(values []valued) []intent.Cond {
	outer := b.in.Filters
	b.in.Filters = nil
	b.valuesOf(values)
	conds := b.in.Filters
	b.in.Filters = outer
	return conds
}

// valuesOf adds the conditions on stored values: those of one column together.
func (b *composer) valuesOf(values []valued) {
	type key struct {
		column *schema.Column
		deny   bool
	}
	var order []key
	stored := map[key][]intent.Literal{}
	for _, v := range values {
		if v.column == nil {
			b.fail("a value of nothing")
			return
		}
		if v.part {
			b.cost += costPartial
			b.note("begins_with", v.stored...)
		}
		k := key{v.column, v.deny}
		if _, ok := stored[k]; !ok {
			order = append(order, k)
		}
		texts := v.stored
		if v.quoted != "" && len(texts) == 0 {
			texts = []string{v.quoted}
			if inHan(v.quoted) != v.column.InChinese() && !slices.ContainsFunc(v.column.Values, func(x semantic.Value) bool { return inHan(x.Value) }) {
				b.cost += 2 * costGuess // 安圭拉 where names are English: what is stored is written otherwise
			}
		}
		for _, s := range texts {
			lit := intent.Literal{Text: s, Number: semantic.IsNumber(v.column.Type)}
			if !slices.Contains(stored[k], lit) {
				stored[k] = append(stored[k], lit)
			}
		}
	}
	for _, k := range order {
		left := out("", k.column)
		c := intent.Cond{Op: intent.Eq, Left: &left, Values: stored[k]}
		switch {
		case len(c.Values) > 1 && k.deny:
			c.Op = intent.NotIn
		case len(c.Values) > 1:
			c.Op = intent.In
		case k.deny:
			c.Op = intent.Ne
		}
		b.filter(c)
	}
}

// flags adds the columns of yes and no that are said of the rows.
func (b *composer) flags() {
	for i, t := range b.d.mentions {
		if t.column != nil && t.column.Nature == schema.Flag && !b.placed[i] && b.view.OneRow(b.root, t.column.Of) {
			b.placed[i] = true
			b.flag(t.column, true)
		}
	}
}

// noneOf keeps the things of which no related row has a value that is denied, where each may have
// many: "countries that do not speak English" may speak others. It returns the other values.
func (b *composer) noneOf(values []valued) []valued {
	denied := map[*schema.Column][]string{}
	var order []*schema.Column
	var left []valued
	for _, v := range values {
		if c := v.column; !v.deny || c == nil || len(v.stored) == 0 || !b.view.Owns(b.root, c.Of) {
			left = append(left, v)
			continue
		}
		if denied[v.column] == nil {
			order = append(order, v.column)
		}
		denied[v.column] = append(denied[v.column], v.stored...)
	}
	for _, c := range order {
		b.filter(rowsWith(intent.NotExists, c, denied[c]))
	}
	return left
}

// lack adds that something is not there, or that it is.
func (b *composer) lack(x lacking) {
	if x.verb && x.table != nil && x.table.KeepsStates() { // "never missed a class" may be how those that are there ended
		b.cost += costState
	}
	switch {
	case x.value != nil:
		b.neverHad(x)
	case x.rows != nil:
		b.nothingDone(x)
	case x.table != nil && b.view.Owns(b.root, x.table):
		if x.has && b.asked(intent.Exists, x.table) { // those that are there are told already
			return
		}
		b.filter(x.rowsOf(x.table))
	case x.table != nil && x.table != b.root && b.pointer(x.table) != nil: // a class without a teacher
		left, op := out("", b.pointer(x.table)), intent.IsNull
		if x.never && !b.pointer(x.table).Nullable { // "never left port": all have a port, and something else is meant
			b.fail("what never was of what all have")
			return
		}
		if x.has {
			op = intent.NotNull
		} else if b.hasValues(x.table) {
			return
		}
		b.filter(intent.Cond{Op: op, Left: &left})
	case x.table != nil && x.table != b.root && !b.view.OneRow(b.root, x.table): // "members who never borrowed a tool"
		event := b.meeting([]*schema.Table{b.root, x.table})
		if event == nil {
			b.fail("the lack of what is not related")
			return
		}
		b.note("without_events", event.Names.EN)
		b.filter(x.rowsOf(event))
	case x.column != nil && x.column.Of != b.root && !b.view.OneRow(b.root, x.column.Of) && b.view.OneRow(x.column.Of, b.root) && x.never:
		sub := &intent.Intent{Entity: x.column.Of.ID}
		if x.column.Nature == schema.Flag { // "members who never had a late loan": of loans, those that are late
			sub.Filters = []intent.Cond{b.says(x.column, true)}
		}
		b.filter(intent.Cond{Op: intent.NotExists, Sub: sub})
	case x.column != nil && b.view.OneRow(b.root, x.column.Of):
		b.lackColumn(x)
	default:
		b.fail("the lack of what is not related")
	}
}

// rowsOf is the condition that related rows of a table are not there, or that they are.
func (x lacking) rowsOf(t *schema.Table) intent.Cond {
	op := intent.NotExists
	if x.has {
		op = intent.Exists
	}
	return intent.Cond{Op: op, Sub: &intent.Intent{Entity: t.ID}}
}

// asked reports whether rows of a table are already asked for to be there, or not to be.
func (b *composer) asked(op intent.Op, t *schema.Table) bool {
	return slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool { return c.Op == op && c.Sub != nil && c.Sub.Entity == t.ID })
}

// neverHad keeps the things that no row with a stored value is of: "which makes have never
// had a refit".
func (b *composer) neverHad(x lacking) {
	c := x.value.Column
	cond := oneOf(c, x.value.Stored)
	switch {
	case c.Of != b.root && !b.view.OneRow(b.root, c.Of) && b.view.OneRow(c.Of, b.root):
		b.filter(rowsWith(intent.NotExists, c, x.value.Stored))
	case c.Of != b.root || !b.neverSo(cond, c):
		b.fail("of what a value never was is not said")
	}
}

// pointer is the one column of the root that points to a table; nil: none, or more.
func (b *composer) pointer(to *schema.Table) *schema.Column {
	edges := b.view.Graph.Path(b.root.Full(), to.Full())
	if len(edges) != 1 || edges[0].Many || b.view.Ways(b.root, to) != 1 || len(edges[0].Columns) != 1 {
		return nil
	}
	return b.root.Column(edges[0].Columns[0])
}

// nothingDone keeps the rows with which nothing was done: those without a row in the one
// table that points to them.
func (b *composer) nothingDone(x lacking) {
	if len(b.never) > 0 { // "buyers that never bought pumpkins"
		b.neverValue()
		return
	}
	event := b.eventsOf(b.root)
	if !x.never || event == nil {
		b.fail("what is never done has no name")
		return
	}
	b.cost += costRows
	if event.KeepsStates() && slices.ContainsFunc(b.d.mentions, func(m thing) bool { return m.table == event && m.column == nil }) { // "never missed a class"
		b.cost += costState
	}
	b.note("never", x.rows.text, event.Names.EN)
	b.filter(intent.Cond{Op: intent.NotExists, Sub: &intent.Intent{Entity: event.ID}})
}

// eventsOf is the one table that dates what happens to the rows of another: the last of
// the tables of which each alone points to the one before, or the one before it where
// the last has no day or says what followed. nil: there is none, or more than one.
func (b *composer) eventsOf(t *schema.Table) *schema.Table {
	seen := map[*schema.Table]bool{t: true}
	for {
		next := b.view.Pointing(t)
		if len(next) != 1 || seen[next[0]] {
			return nil
		}
		t = next[0]
		seen[t] = true
		if len(t.Days()) > 0 && len(t.Label) == 0 {
			return t
		}
	}
}

// hasValues fails where a stored value is said of things that are not to be there: "photos not taken with a lens of
// that brand" may have another.
func (b *composer) hasValues(t *schema.Table) bool {
	has := slices.ContainsFunc(b.d.values, func(v valued) bool { return v.column != nil && v.column.Of == t })
	if has {
		b.fail("what is not there has no values")
	}
	return has
}

func (b *composer) lackColumn(x lacking) {
	c := x.column
	if t := b.view.ThingOf(c); t != nil && t != c.Of && !x.has && b.hasValues(t) {
		return
	}
	if c.Nature == schema.Flag && x.never && c.Of == b.root && b.neverSo(b.says(c, true), c) {
		return
	}
	if c.Nature == schema.Flag {
		b.flag(c, x.has)
		return
	}
	if c.Nature == schema.Level && x.partly && !x.has && !x.missing { // "never sold" of what has a selling price
		b.fail("what was never done by what something costs")
		return
	}
	if c.FlagLike() {
		b.fail("a flag of which it is not known how it says yes")
		return
	}
	left := out("", c)
	if x.never && c.Of == b.root {
		cond := intent.Cond{Op: intent.NotNull, Left: &left}
		if none, ok := c.Nothing(); ok && isText(c) {
			cond = intent.Cond{Op: intent.Ne, Left: &left, Values: []intent.Literal{{Text: none}}}
		}
		if b.neverSo(cond, c) {
			return
		}
	}
	if none, ok := c.Nothing(); ok && isText(c) {
		op := intent.Eq
		if x.has {
			op = intent.Ne
		}
		b.filter(intent.Cond{Op: op, Left: &left, Values: []intent.Literal{{Text: none}}})
		return
	}
	if x.has && c.Nature == schema.Amount && c.Numeric() { // "bookings with children"
		b.filter(intent.Cond{Op: intent.Gt, Left: &left, Values: []intent.Literal{number("0")}})
		return
	}
	null := intent.Cond{Op: intent.IsNull, Left: &left}
	if c.Time && !x.missing && (b.planned(c) || !x.has && b.eachWasDone(c)) { // all have a day: what has not started has one ahead
		b.filter(b.untilToday(c, null, x.has))
		return
	}
	switch {
	case x.has:
		null.Op = intent.NotNull
	case c.Nature == schema.Amount && c.Numeric() && !x.missing && (c.Unit == "" || c.Money): // "bookings without children": none is a number of them, too; a speed of 0 is one
		if c.Missing > 0 {
			b.note("none_or_missing", itoa(c.Missing), c.Expr)
		}
		b.filter(intent.Cond{Op: intent.Or, Args: []intent.Cond{null, {Op: intent.Eq, Left: &left, Values: []intent.Literal{number("0")}}}})
		return
	}
	b.filter(null)
}

// planned reports whether a column holds days that lie ahead: that a row has a day there does not
// tell that it happened.
func (b *composer) planned(c *schema.Column) bool {
	return c.High >= day(dates.Today(b.now).AddDate(0, 0, 1))
}

// untilToday is the condition that what a column plans has happened until today, or that it has not.
func (b *composer) untilToday(c *schema.Column, null intent.Cond, yes bool) intent.Cond {
	tomorrow := intent.Literal{Text: day(dates.Today(b.now).AddDate(0, 0, 1)), Date: true}
	b.note("planned", c.Expr)
	if yes {
		return intent.Cond{Op: intent.Lt, Left: null.Left, Values: []intent.Literal{tomorrow}}
	}
	ahead := intent.Cond{Op: intent.Ge, Left: null.Left, Values: []intent.Literal{tomorrow}}
	if b.eachWasDone(c) {
		return ahead
	}
	return intent.Cond{Op: intent.Or, Args: []intent.Cond{null, ahead}}
}

// neverSo keeps the things of many rows each of which no row fulfils a condition on a
// column: "which drivers were never late". It reports whether such things are asked for;
// rows by themselves need no more than that the condition does not hold.
func (b *composer) neverSo(cond intent.Cond, c *schema.Column) bool {
	for _, m := range b.d.counts {
		if m.column != nil && !m.column.Unique() && m.column.Of == b.root && m.column != c {
			b.fail("a number of things that were never so")
			return true
		}
	}
	t, ok := b.askedMany()
	if !ok || t.column == c {
		return false
	}
	if len(b.never) > 0 {
		cond = intent.Cond{Op: intent.And, Args: append([]intent.Cond{cond}, b.conditionsOf(b.never)...)}
	}
	count := b.rows()
	count.When = &cond
	b.keep(t, intent.Eq, count, "0")
	return true
}

// askedMany is the one thing that is asked for, where many rows of the root are of each.
func (b *composer) askedMany() (thing, bool) {
	if len(b.d.targets) != 1 {
		return thing{}, false
	}
	t := b.d.targets[0]
	return t, t.column != nil && !t.column.Unique() && t.column.Of == b.root
}

// neverValue keeps the things of which no row has the stored values.
func (b *composer) neverValue() {
	values := b.never
	b.never = values[1:]
	conds := b.conditionsOf(values[:1])
	if b.failed != "" {
		return
	}
	b.cost += costRows
	if !b.neverSo(conds[0], values[0].column) {
		b.fail("of what a value never was is not said")
	}
}

// neverTo reports whether a stored value says to what things of many rows never happened: "crops that
// were never sold to the bistro".
func (b *composer) neverTo(x lacking, v valued) bool {
	t, ok := b.askedMany()
	of := x.column != nil && x.column.Of == b.root || x.rows != nil && x.table == nil && x.column == nil
	return ok && x.never && of && v.column != nil && v.column.Of == b.root && v.column != t.column && v.from > x.from
}

// neverSoMuch takes a comparison, the filter behind the first n, for what never was where
// "never" says no more of what: "which chargers never gave more than 60 kWh".
func (b *composer) neverSoMuch(n int) {
	if len(b.in.Filters) != n+1 || len(b.d.compared) != 1 || b.in.Filters[n].Left == nil {
		return
	}
	cond := b.in.Filters[n]
	at := slices.IndexFunc(b.d.lacks, func(x lacking) bool {
		return x.never && (x.rows != nil || x.column != nil && x.column.ID == cond.Left.ID)
	})
	if at < 0 {
		return
	}
	if c := b.view.ColumnOf(cond.Left.ID); c == nil || c.Of != b.root || !b.neverSo(cond, c) {
		b.fail("what was never so much is not said")
		return
	}
	b.in.Filters = b.in.Filters[:n]
	b.d.lacks = slices.Delete(b.d.lacks, at, at+1)
}

// flag adds that a column of yes and no says one of them.
func (b *composer) flag(c *schema.Column, yes bool) {
	b.filter(b.says(c, yes))
}

// says is the condition that a column of yes and no says one of them.
func (b *composer) says(c *schema.Column, yes bool) intent.Cond {
	value, ok := c.Says(yes)
	if !ok {
		b.fail("a flag that says neither")
	}
	left := out("", c)
	return intent.Cond{Op: intent.Eq, Left: &left, Values: []intent.Literal{{Text: value, Number: c.Numeric()}}}
}

// within adds a range of time.
func (b *composer) within(f dates.Found) {
	if b.windowed(f) || b.yearly(f) {
		return
	}
	if b.root.Dated() == nil && !b.namesDay() && b.yearOf(b.openEnded(f)) != nil { // the rows say their year, and need no day of another table
		b.withinCalendar(b.openEnded(f))
		return
	}
	if b.wasOn(f) {
		return
	}
	c := b.day()
	if c == nil {
		b.withinCalendar(f)
		return
	}
	f = b.openEnded(f)
	for _, cond := range during(c, f) {
		b.filter(cond)
	}
	b.in.Time = &intent.Time{Text: f.Text}
	if !f.From.IsZero() {
		b.in.Time.From = day(f.From)
	}
	if !f.To.IsZero() {
		b.in.Time.To = day(f.To)
	}
}

// states are words for what goes on at a time, and not for its beginning. They are a closed class.
var states = []string{"open", "on", "running", "active", "underway", "ongoing"}

// wasOn keeps the rows that went on at a time, where it is asked what was open, running or active then:
// what began before its end, and had not ended before it began. It reports whether that is asked.
func (b *composer) wasOn(f dates.Found) bool {
	begins, ends := b.root.Spell()
	if begins == nil || f.From.IsZero() || f.To.IsZero() || !b.l.inState(f) {
		return false
	}
	for i, t := range b.d.mentions { // "open" is no wish for the day of the opening
		if t.column == begins {
			b.placed[i] = true
		}
	}
	from, to := out("", begins), out("", ends)
	b.filter(intent.Cond{Op: intent.Lt, Left: &from, Values: []intent.Literal{{Text: day(f.To), Date: true}}})
	open := intent.Cond{Op: intent.Ge, Left: &to, Values: []intent.Literal{{Text: day(f.From), Date: true}}}
	if ends.Missing > 0 { // what has no end goes on
		open = intent.Cond{Op: intent.Or, Args: []intent.Cond{{Op: intent.IsNull, Left: &to}, open}}
	}
	b.filter(open)
	b.note("went_on", begins.Expr, ends.Expr)
	return true
}

// inState reports whether a form of "be" and a word for what goes on stand before a time.
func (l *lattice) inState(f dates.Found) bool {
	for i := 1; i < len(l.tokens) && l.tokens[i].Start < f.Start; i++ {
		if l.has(i-1, "be") && slices.Contains(states, l.tokens[i].Lower) && l.tokens[i].End <= f.Start {
			return true
		}
	}
	return false
}

// namesDay reports whether a day is named that rows can be dated by.
func (b *composer) namesDay() bool {
	return slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.column != nil && t.column.Time }) ||
		slices.ContainsFunc(slices.Concat(b.d.counts, b.d.aggs), func(m measure) bool { return m.column != nil && m.column.Time })
}

// yearOf is the column of the rows that holds the years of a time of whole years; nil: there is none.
func (b *composer) yearOf(f dates.Found) *schema.Column {
	if !newYear(f.From) || !newYear(f.To) || f.From.IsZero() && f.To.IsZero() {
		return nil
	}
	return b.calendar("year")
}

// newYear reports whether a day begins a year, or is none.
func newYear(t time.Time) bool { return t.IsZero() || t.Month() == time.January && t.Day() == 1 }

// openEnded takes the end from a time that goes on: the data has what it has.
func (b *composer) openEnded(f dates.Found) dates.Found {
	if f.GoesOn && f.To.Equal(dates.Today(b.now)) {
		f.To = time.Time{}
		if f.Period != "" {
			f.To = dates.Next(f.From, f.Period)
		}
	}
	return f
}

// during are the conditions that a day is in a time.
func during(c *schema.Column, f dates.Found) []intent.Cond {
	var out []intent.Cond
	left := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: c.ID}}
	if !f.From.IsZero() {
		out = append(out, intent.Cond{Op: intent.Ge, Left: &left, Values: []intent.Literal{{Text: day(f.From), Date: true}}})
	}
	if !f.To.IsZero() {
		out = append(out, intent.Cond{Op: intent.Lt, Left: &left, Values: []intent.Literal{{Text: day(f.To), Date: true}}})
	}
	return out
}

// withinCalendar adds a range of time where rows hold years and months as numbers.
func (b *composer) withinCalendar(f dates.Found) {
	switch year, month := b.calendar("year"), b.calendar("month"); {
	case f.Period == "month" && month != nil:
		b.equals(month, int64(f.From.Month()))
		if strings.ContainsAny(f.Text, "0123456789") && year != nil {
			b.equals(year, int64(f.From.Year()))
		}
	case year == nil || !newYear(f.From) || !newYear(f.To):
		b.fail("nothing is dated")
	case !f.From.IsZero() && f.To.Equal(f.From.AddDate(1, 0, 0)):
		b.equals(year, int64(f.From.Year()))
	default:
		left := out("", year)
		if !f.From.IsZero() {
			b.filter(intent.Cond{Op: intent.Ge, Left: &left, Values: []intent.Literal{{Text: itoa(int64(f.From.Year())), Number: year.Numeric()}}})
		}
		if !f.To.IsZero() {
			b.filter(intent.Cond{Op: intent.Lt, Left: &left, Values: []intent.Literal{{Text: itoa(int64(f.To.Year())), Number: year.Numeric()}}})
		}
	}
}

func (b *composer) equals(c *schema.Column, n int64) {
	left := out("", c)
	b.filter(intent.Cond{Op: intent.Eq, Left: &left, Values: []intent.Literal{{Text: itoa(n), Number: c.Numeric()}}})
}

// plausible reports whether numbers may be values of a column of parts of dates.
func plausible(c *schema.Column, numbers []string) bool {
	limits := map[string]int{"month": 12, "月": 12, "月份": 12, "quarter": 4, "季度": 4, "week": 53, "周": 53, "day": 31, "hour": 23, "小时": 23, "minute": 59}
	most := 0
	for _, w := range c.Words() {
		most = max(most, limits[w])
	}
	for _, n := range numbers {
		if v, err := strconv.Atoi(n); most > 0 && (err != nil || v > most) {
			return false
		}
	}
	return true
}

// inHan reports whether a text has Chinese characters.
func inHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
