package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// composer turns a draft into what SQL is written from.
type composer struct {
	reader      *Reader
	view        *schema.View
	now         time.Time
	d           *draft
	root        *schema.Table
	in          intent.Intent
	notes       []Note
	cost        float64
	l           *lattice // of the question, and the parts of it that the draft is of
	parts       []*part
	failed      string       // why the draft cannot be meant
	saved       float64      // what it costs less since a word that nothing knows found its place
	records     bool         // rows are said to be meant, whatever they are of
	ofDescribed bool         // the things are counted that the rows describe, which nobody named
	chosen      bool         // things are counted that a number of rows of each chooses
	placed      map[int]bool // mentions that found their place
	never       []valued     // to what it never happened, while what never did is composed
	sides       *sides       // between which a difference is asked for

	overStep string // the step of time over which the mean of a number is asked for; "": none
}

// Costs of what a draft leaves to be guessed.
const (
	costUnplaced = 1.6 // a name that is said and that nothing is done with
	costState    = 3.2 // a verb that nothing knows may be a state of rows
	costRows     = 0.4 // an unknown word taken for the rows
	costGuess    = 0.5 // a column that is not named
	costSum      = 0.3 // an amount that is summed although nobody says so
	costJoin     = 0.12
	costFar      = 5.0
	costPartial  = 0.25
	costWays     = 0.9 // two tables that meet in more than one way
)

func (b *composer) note(id string, args ...string) {
	b.notes = append(b.notes, Note{ID: id, Args: args})
}

func (b *composer) fail(why string) {
	if b.failed == "" {
		b.failed = why
	}
}

func field(c *schema.Column) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: c.ID} }

func out(agg intent.Agg, c *schema.Column) intent.Output {
	return intent.Output{Agg: agg, Field: field(c)}
}

// compose makes the intent.
func (b *composer) compose() {
	b.placed = map[int]bool{}
	if b.d.unfit != "" {
		b.fail(b.d.unfit)
		return
	}
	if b.d.kinds != nil && b.d.kinds.Kind() == nil {
		b.fail("no column says of which kind they are")
		return
	}
	if b.d.orders && len(b.d.counts)+len(b.d.aggs) > 0 {
		b.fail("two orders of numbers")
		return
	}
	b.halfNames()
	b.places()
	b.numbersOf()
	b.ofSize()
	b.whenOf()
	b.neverPointed()
	b.everyRow()
	pointed := b.pointedTo()
	if !pointed {
		b.pickRoot()
	}
	if b.failed != "" {
		return
	}
	if b.root == nil {
		b.fail("no table")
		return
	}
	if b.orderedByKey() {
		b.fail("an order by what only tells rows apart")
		return
	}
	b.owing()
	b.topOf()
	b.mostMoney()
	if b.failed != "" {
		return
	}
	b.thingsOfKeys()
	b.moneyOf()
	b.in = intent.Intent{Type: intent.Basic, Entity: b.root.ID, Filters: b.in.Filters}
	b.setApart()
	b.meanOver()
	b.countsApart()
	b.valuesApart()
	b.extremes()
	measures := b.ofThings(b.overMean(b.rivals(b.measures())))
	if m, ok := b.ordering(measures); ok { // "top 3 operators by fuel cost"
		measures = append(measures, m)
	}
	b.ofFirst(measures)
	b.conditions(&measures)
	groups := b.perRow(b.groups(measures), measures)
	if b.failed != "" {
		return
	}
	switch {
	case b.sides != nil:
		b.composeDifference(measures, groups)
	case b.in.Time != nil && b.in.Time.Compare != nil:
		b.composeComparison(measures, groups)
	case len(b.d.ratio) > 0:
		b.composeRatio(measures, groups)
	case b.chosen:
		b.composeChosen(groups)
	case b.d.differs || b.d.compares && len(groups) == 0 && len(b.d.times) > 0:
		b.fail("a comparison of what is not said")
	case b.d.share >= 0 && len(b.d.bests) > 0:
		b.composeBestShare(groups)
	case b.d.share >= 0:
		b.composeShare(groups)
	case len(b.d.bests) > 0 || b.d.limit != "" && len(measures) > 0:
		b.composeBest(measures, groups)
	case len(measures) > 0:
		b.composeMeasures(measures, groups)
	case len(groups) > 0 && len(b.d.targets) == 0:
		b.composeMeasures([]intent.Output{b.implied()}, groups)
	default:
		b.composeList(groups)
	}
	for _, it := range b.d.included {
		b.note("included", strings.TrimFunc(it.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	}
	if b.showsNothing() {
		b.fail("what is shown is not there")
	}
	if b.ofDescribed && !b.saysOfThings(b.root.Observed.Thing) {
		b.fail("a number of what nobody named")
	}
	if b.apart() {
		b.fail("a number of what is only of the same third")
	}
	if b.oneGroup() {
		b.fail("groups of which there is one")
	}
	b.thingsThatAre()
	b.leftOver()
	b.joins()
	b.pointing()
	b.inAskedUnit()
	b.agesAndLengths()
}

// thingsThatAre leaves out the group of rows without a thing, where things are chosen by their rows: companies with at
// least 7 members, of which some have none.
func (b *composer) thingsThatAre() {
	if len(b.in.Having) == 0 {
		return
	}
	for _, f := range b.in.GroupBy {
		c := b.view.ColumnOf(f.ID)
		if c == nil || f.Grain != "" || !c.Nullable || c.Missing == 0 || c.Of != b.root {
			continue
		}
		left := out("", c)
		b.filter(intent.Cond{Op: intent.NotNull, Left: &left})
	}
}

// places takes the best of a place in an order for the lowest number: the best position of a song is its first, and
// the worst delay the longest.
func (b *composer) places() {
	for i := range b.d.bests {
		if x := &b.d.bests[i]; x.adj != nil && x.adj.Mean && x.column != nil && (x.column.Place() || x.column.Adverse()) {
			x.desc = !x.desc
		}
	}
}

// numbersOf takes things that are wanted beside a number for what the number is of each: "the nominees and the number
// of shows".
func (b *composer) numbersOf() {
	d := b.d
	if len(d.targets) == 0 || len(d.groups)+len(d.bests) > 0 || d.share >= 0 || d.limit != "" || d.pick {
		return
	}
	for i, p := range b.parts[:max(0, len(b.parts)-2)] {
		if (p.make == "target" || p.make == "named" || p.make == "kinds") && b.parts[i+1].make == "join" && slices.Contains([]string{"count", "agg", "agg2"}, b.parts[i+2].make) {
			for _, t := range d.targets {
				d.groups = append(d.groups, grouping{thing: t})
			}
			d.targets = nil
			b.cost += costGuess / 2
			return
		}
	}
}

// halfNames leaves out the drafts in which two words beside each other are parts of the names of two persons:
// "Steve Johnson" is one of the staff or one of the customers.
func (b *composer) halfNames() {
	for i, p := range b.parts[:max(0, len(b.parts)-1)] {
		next := b.parts[i+1]
		if p.make != "value" || next.make != "value" || p.to != next.from {
			continue
		}
		first, second := b.valueAt(p.from), b.valueAt(next.from)
		if first != nil && second != nil && first.Of != second.Of && first.PartOfName() && second.PartOfName() {
			b.fail("half a name of each of two")
		}
	}
}

// valueAt is the column of the stored value that is said at a token; nil: there is none.
func (b *composer) valueAt(from int) *schema.Column {
	for _, v := range b.d.values {
		if v.from == from {
			return v.column
		}
	}
	return nil
}

// whenOf takes the wish for when something was for the day of it: of the first or the last, or of what
// is named.
func (b *composer) whenOf() {
	d := b.d
	if !d.when {
		return
	}
	if len(d.bests) == 1 {
		if x := d.bests[0]; x.column != nil && x.column.Time && (d.which >= 0 || len(d.targets) > 0) { // 最早入职的医生是谁，什么时候: both of the one row
			if !slices.ContainsFunc(d.mentions, func(t thing) bool { return t.column == x.column }) {
				d.mentions = append(d.mentions, thing{column: x.column})
			}
			return
		}
		d.bests[0].when = true
		return
	}
	for i, t := range d.mentions {
		if t.column != nil && t.column.Time {
			d.targets = append(d.targets, t)
			d.mentions = slices.Delete(d.mentions, i, i+1)
			return
		}
	}
	for _, t := range d.tables() {
		if days := t.Days(); len(days) == 1 {
			d.targets = append(d.targets, thing{column: days[0]})
			return
		}
	}
	b.fail("when what was is not said")
}

// showsNothing reports whether a column is shown of which the rows are to have no value: who lacks
// something is asked for, and not what is lacking.
func (b *composer) showsNothing() bool {
	return slices.ContainsFunc(b.in.Select, func(o intent.Output) bool {
		return slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool {
			return c.Op == intent.IsNull && c.Left != nil && c.Left.ID == o.ID && o.Agg == "" && o.Calc == nil
		})
	})
}

// oneGroup reports whether rows are put together by nothing but what they all have: "show" is no part of
// no_show, of which all rows are then one.
func (b *composer) oneGroup() bool {
	return len(b.in.GroupBy) > 0 && !slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool {
		return !slices.ContainsFunc(b.in.Filters, func(c intent.Cond) bool {
			return c.Op == intent.Eq && c.Left != nil && c.Left.Field == f && c.Left.Agg == "" && len(c.Values) == 1
		})
	})
}

// countsApart takes two numbers of the same things, each with another value of one column,
// for one number by that column: "how many by boat and how many by net".
func (b *composer) countsApart() {
	d := b.d
	if len(d.counts) < 2 {
		return
	}
	for _, m := range d.counts[1:] {
		if m.thing != d.counts[0].thing && !m.none() {
			return
		}
	}
	if len(d.values) != len(d.counts) || len(d.groups) > 0 {
		return
	}
	for _, v := range d.values {
		if v.column == nil || v.deny || v.column != d.values[0].column {
			return
		}
	}
	d.counts, d.each, d.against = d.counts[:1], true, true
}

// everyRow takes groups by things of which nothing but columns of their own is asked for, for a
// list of the things: "the names, countries and ages of every singer".
func (b *composer) everyRow() {
	d := b.d
	if len(d.counts)+len(d.aggs)+len(d.bests)+len(d.targets) > 0 || d.share >= 0 || d.rival != nil || d.lasting || d.span != nil || d.limit != "" || len(d.times)+len(d.again) > 0 ||
		len(d.groups) != 1 || d.groups[0].table == nil || d.groups[0].by || len(d.mentions) == 0 {
		return
	}
	t := d.groups[0].table
	for _, m := range d.mentions {
		if m.column == nil || m.column.Of != t {
			return
		}
	}
	called := slices.ContainsFunc(d.mentions, func(m thing) bool { return names(m.column) })
	if !called && len(d.mentions) < 2 {
		return // one number of each: a figure by things
	}
	d.groups, d.targets = nil, d.mentions
	d.mentions = nil
	if !called {
		d.targets = slices.Insert(d.targets, 0, thing{table: t})
	}
}

// extremes takes the highest of a column for a number, where it stands beside other numbers of
// the rows and nothing is asked to be chosen by it: "the lowest and the highest age".
func (b *composer) extremes() {
	d := b.d
	if len(d.bests)+len(d.aggs) < 2 || len(d.targets) > 0 || len(d.counts) > 0 || d.which >= 0 && d.pick || d.who || d.limit != "" || d.step || d.orders || d.share >= 0 {
		return
	}
	for _, x := range d.bests {
		if x.column == nil || !b.sums(utmost(x.desc), x.column) || x.agg != "" || x.count || x.when || x.n != "" {
			return
		}
	}
	for _, x := range d.bests {
		d.aggs = append(d.aggs, measure{agg: utmost(x.desc), thing: x.thing, from: x.from})
	}
	d.bests = nil
	slices.SortStableFunc(d.aggs, func(x, y measure) int { return cmp.Compare(x.from, y.from) })
}

// ofFirst keeps the rows of the one thing that is the first of an order, where a number of the
// rows is asked for: "how many lessons did the pupil with the highest balance take".
func (b *composer) ofFirst(measures []intent.Output) {
	d := b.d
	if len(d.bests) != 1 || len(measures) == 0 || len(d.targets)+len(d.groups) > 0 || d.pick || d.who || d.step || d.each || d.share >= 0 || d.limit != "" || d.rival != nil {
		return
	}
	x := d.bests[0]
	c := x.column
	if c == nil || x.count || x.agg != "" || x.when || x.n != "" || c.Of == b.root || !c.Numeric() && !c.Time || !b.view.OneRow(b.root, c.Of) || len(c.Of.Key) != 1 {
		return
	}
	at := slices.IndexFunc(d.mentions, func(t thing) bool { return t.table == c.Of })
	if at < 0 {
		return
	}
	b.placed[at] = true
	key := out("", c.Of.Key[0])
	b.filter(intent.Cond{Op: intent.Eq, Left: &key, Sub: &intent.Intent{
		Type: intent.Basic, Entity: c.Of.ID, Select: []intent.Output{key},
		OrderBy: []intent.Order{{By: out("", c), Desc: x.desc}}, Limit: 1,
	}})
	d.bests = nil
}

// ordering takes a number that the first things are wanted "by" for what orders them,
// not for what groups them.
func (b *composer) ordering(measures []intent.Output) (intent.Output, bool) {
	d := b.d
	if d.limit == "" || len(measures) > 0 || len(d.bests) > 0 || len(d.groups) != 1 {
		return intent.Output{}, false
	}
	c := d.groups[0].column
	if c == nil || c.Nature != schema.Amount && c.Nature != schema.Level {
		return intent.Output{}, false
	}
	d.groups = nil
	agg := intent.AggSum
	if c.Nature == schema.Level {
		agg = intent.AggMax
	}
	b.note("ordered_by", c.Expr)
	return out(agg, c), true
}

// rows counts the rows of the root, or adds up what they count.
func (b *composer) rows() intent.Output { return b.number(b.root) }

// observedThing reports whether a column holds the things for which its table is called, and of which it
// has several rows each.
func observedThing(c *schema.Column) bool {
	return c.Of.Observed != nil && c.Of.Observed.Titled && c.Of.Observed.Thing == c
}

// number is how many there are of what the rows of a table are: a row that is a figure of things at a
// time is none of them.
func (b *composer) number(t *schema.Table) intent.Output {
	switch o := t.Observed; {
	case o == nil || b.records:
		return rowsOf(t)
	case o.Count != nil:
		b.note("summed", o.Count.Expr)
		return out(intent.AggSum, o.Count)
	case o.Thing != nil && (o.Titled || len(b.d.counts) > 0 && len(b.d.bests)+len(b.in.Having) == 0) && !slices.ContainsFunc(b.d.groups, func(g grouping) bool { return g.column == o.Thing }):
		b.note("counted_distinct", o.Thing.Expr)
		b.ofDescribed = !o.Titled
		return out(intent.AggCountDistinct, o.Thing)
	}
	b.fail("rows that are figures of a thing at a time")
	return rowsOf(t)
}

// rowsOf counts the rows of a table.
func rowsOf(t *schema.Table) intent.Output {
	return intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: t.ID}}
}

// pickRoot decides whose rows the question is about: those that are counted, that a
// number is computed of, that are listed; else the table from which all others that
// are named follow.
func (b *composer) pickRoot() {
	d := b.d
	if d.span != nil && d.span.from != nil {
		b.root = d.span.from.Of
		return
	}
	if b.asEvents() {
		return
	}
	for _, m := range d.counts {
		if t := m.of(); t != nil {
			b.root = t
			return
		}
	}
	for _, m := range d.aggs {
		if t := m.of(); t != nil {
			b.root = t
			return
		}
	}
	if d.rival != nil && d.rival.of() != nil {
		b.root = d.rival.of()
		return
	}
	for _, x := range d.bests {
		if x.done != nil {
			b.pickDone(x)
			return
		}
	}
	for _, g := range d.groups {
		if g.column != nil && d.limit != "" && g.column.Nature == schema.Amount && len(d.counts) == 0 {
			b.root = g.column.Of
			return
		}
	}
	for _, x := range d.bests {
		if x.ownDay() != nil {
			b.root = x.whose
			return
		}
		if x.column != nil {
			b.root = x.column.Of
			return
		}
		if x.count && x.table != nil {
			b.root = x.table
			return
		}
	}
	for _, x := range d.compared { // what many rows of each come to
		if x.agg != "" && x.column != nil && len(d.bests) == 0 && d.share < 0 {
			b.root = x.column.Of
			return
		}
	}
	if len(d.counts) == 0 && len(d.aggs) == 0 && len(d.bests) == 0 && d.share < 0 {
		if len(d.targets) > 0 {
			if b.root = b.meetingOf(d.targets); b.root == nil {
				b.root = d.targets[0].of()
			}
			return
		}
	}
	if t := d.whole.of(); d.share >= 0 && t != nil {
		b.root = t
		return
	}
	if len(d.tables()) == 0 {
		if b.root = b.dueRoot(); b.root != nil {
			return
		}
	}
	if b.root = b.central(); b.root == nil {
		for _, x := range d.lacks { // "members who never borrowed a tool" are members
			if b.root = b.lacks(x.table); b.root != nil {
				return
			}
		}
		if b.root = b.eventsBetween(); b.root != nil {
			b.cost += costRows
			b.note("met_in", b.root.Names.EN)
			b.takeAct(b.happened())
		}
		return
	}
	if t := b.lacks(b.root); t != nil { // "clubs that play no matches" are no matches
		b.root = t
	}
}

// lacks is the one other table that is named, where rows of one are to be there for none of it;
// nil: it is not so.
func (b *composer) lacks(none *schema.Table) *schema.Table {
	if !slices.ContainsFunc(b.d.lacks, func(x lacking) bool { return x.table == none && !x.has }) &&
		!slices.ContainsFunc(b.d.values, func(v valued) bool { return v.deny && v.column != nil && v.column.Of == none }) {
		return nil
	}
	var found *schema.Table
	for _, m := range b.d.mentions {
		switch t := m.of(); {
		case t == none || t == found:
		case found != nil:
			return nil
		default:
			found = t
		}
	}
	return found
}

// pickDone takes the rows of what happens to what is wanted, where what is done with it
// has no name: "the most borrowed titles".
func (b *composer) pickDone(x best) {
	t := b.d.targets[len(b.d.targets)-1].of()
	if t == nil {
		return
	}
	if b.reader.language.Alike(strings.ToLower(x.done.text), "amount") { // who spent the most is not who came most often
		b.fail("rows of what is money")
		return
	}
	if len(b.view.Pointing(t)) == 0 {
		b.root = t
	} else {
		b.root = b.eventsOf(t)
	}
	if b.root != nil {
		b.cost += costRows
		b.note("rows_are", x.done.text, b.root.Names.EN)
	}
}

// central is the table that has at most one row of each other table named for each row
// of its own.
func (b *composer) central() *schema.Table {
	tables := b.d.tables()
	if len(tables) == 0 && len(b.view.Tables) == 1 {
		return b.view.Tables[0]
	}
	return b.centre(tables)
}

// centre is the first of some tables of whose rows each has at most one of each of the others; nil: there is none.
func (b *composer) centre(tables []*schema.Table) *schema.Table {
	for _, t := range tables {
		if b.hasEach(t, tables) {
			return t
		}
	}
	return nil
}

// hasEach reports whether each row of a table has at most one of each of some others.
func (b *composer) hasEach(t *schema.Table, others []*schema.Table) bool {
	return !slices.ContainsFunc(others, func(o *schema.Table) bool { return !b.view.OneRow(t, o) })
}

// meetingOf is the table in which the things of several tables that are wanted beside each other meet: one of theirs,
// else the nearest to them; nil: they are of one table, there is none, or more than one is as near.
func (b *composer) meetingOf(targets []thing) *schema.Table {
	var of []*schema.Table
	for _, t := range targets {
		if t.of() != nil && !slices.Contains(of, t.of()) {
			of = append(of, t.of())
		}
	}
	if len(of) < 2 {
		return nil
	}
	if t := b.centre(of); t != nil {
		return t
	}
	return b.nearest(of, func(*schema.Table) bool { return true })
}

// measures are the numbers that are asked for.
func (b *composer) measures() []intent.Output {
	var list []intent.Output
	add := func(o intent.Output) {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	for _, m := range b.d.aggs {
		switch {
		case m.agg == intent.AggRate && m.value != nil:
			add(b.rateOfValue(m.value))
		case m.agg == intent.AggRate:
			add(b.rateOf(m.column))
		case m.column != nil && b.sums(m.agg, m.column):
			add(out(m.agg, m.column))
		case m.column != nil:
			b.fail("no " + string(m.agg) + " of " + m.column.ID)
		case m.table != nil:
			add(b.ofTable(m))
		case len(b.d.counts) > 0 && m.agg == intent.AggSum: // "how many in total"
		default:
			if (b.d.lasting || b.d.span != nil) && m.none() {
				if c := b.lasts(); c != nil {
					add(out(m.agg, c))
				}
				continue
			}
			if c := b.amount(); c != nil && m.none() {
				if !b.sums(m.agg, c) {
					b.fail("no " + string(m.agg) + " of " + c.ID)
				}
				add(out(m.agg, c))
				continue
			}
			if b.sides != nil && b.d.size != nil && m.none() { // "how much heavier is a cat than a rabbit on average"
				add(b.sizeOf(m.agg))
				continue
			}
			if d := b.d; d.rival != nil && m.none() { // "larger grants on average": of what is compared
				d.rival.agg = m.agg
				continue
			}
			if _, sure := b.view.Lasting(b.root); sure && b.d.unit != "" && m.none() { // "average hours per task"
				if c := b.lasts(); c != nil {
					add(out(m.agg, c))
				}
				continue
			}
			if t := b.rowsSaid(); t != nil && m.none() { // "total cash donations"
				b.cost += costSum
				add(b.ofTable(measure{agg: m.agg, thing: thing{table: t}}))
				continue
			}
			b.fail("an aggregate of nothing")
		}
	}
	for _, m := range b.d.counts {
		add(b.counted(m))
	}
	return b.lasting(list)
}

// lasting adds the time that is asked for: on average, where nothing says otherwise.
func (b *composer) lasting(list []intent.Output) []intent.Output {
	d := b.d
	switch {
	case !d.lasting && d.span == nil || b.failed != "":
	case d.unit == "days" && b.root.OfDays != nil && d.span == nil && len(d.counts)+len(d.aggs)+len(d.bests) == 0: // "how many days had fog", with a row for each
		b.note("rows_are", b.root.OfDays.Expr, b.root.Names.EN)
		return append(list, b.rows())
	case d.wrong:
		b.fail("how many of a unit")
	case len(d.counts) > 0:
		b.fail("a time beside a number")
	case len(d.bests) > 0 || len(d.aggs) > 0: // of the longest; of what is averaged
		d.amount = true
		if d.span != nil && len(d.aggs) == 0 || !slices.ContainsFunc(list, func(o intent.Output) bool { return b.isElapsed(o) }) && len(d.aggs) > 0 {
			b.fail("a time that nothing is done with")
		}
	default:
		if c := b.lasts(); c != nil {
			b.cost += costSum
			b.note("averaged", c.Names.EN)
			return append(list, out(intent.AggAvg, c))
		}
	}
	return list
}

// topOf takes "the top 5 donors" for those with the most of the one amount that they, or what
// happens to them, have: of money first. Which is left open for the person to say.
func (b *composer) topOf() {
	d := b.d
	if !d.topped || len(d.bests)+len(d.aggs)+len(d.counts)+len(d.groups) > 0 || !d.sort.none() || slices.ContainsFunc(d.mentions, func(t thing) bool {
		return t.column != nil && t.column.Numeric() && t.column.Nature != schema.Identifier
	}) {
		return
	}
	for _, t := range []*schema.Table{b.root, b.eventsOf(b.root)} {
		if t == nil {
			continue
		}
		if c := onlyAmount(t); c != nil {
			b.root = t
			d.aggs = append(d.aggs, measure{agg: intent.AggSum, thing: thing{column: c}})
			b.cost += 2 * costGuess
			b.note("ranked_by", c.Names.EN)
			return
		}
	}
}

// moneyOf takes "how much did we receive" for the total of the one amount of money that the rows
// have.
func (b *composer) moneyOf() {
	d := b.d
	if !d.money || len(d.bests)+len(d.aggs)+len(d.counts) > 0 || d.share >= 0 || slices.ContainsFunc(d.mentions, func(t thing) bool {
		return t.column != nil && t.column.Numeric() && t.column.Nature != schema.Identifier
	}) {
		return
	}
	if t, c := b.moneyHere(); c != nil {
		b.root = t
		d.aggs = append(d.aggs, measure{agg: intent.AggSum, thing: thing{column: c}})
		b.cost += costSum
		b.note("summed", c.Expr)
	}
}

// mostMoney takes "the most money" for the total of the one amount of money that the rows have, or what
// happens to them.
func (b *composer) mostMoney() {
	for i := range b.d.bests {
		x := &b.d.bests[i]
		if !x.money {
			continue
		}
		t, c := b.moneyHere()
		if c == nil {
			b.fail("money of which there is none, or more than one")
			return
		}
		b.root, x.thing, x.agg = t, thing{column: c}, intent.AggSum
		b.cost += costSum
		b.note("summed", c.Expr)
	}
}

// moneyHere is the one amount of money of the rows, or of what happens to them, and the table that has
// it; nil: there is none, or more than one.
func (b *composer) moneyHere() (*schema.Table, *schema.Column) {
	for _, t := range []*schema.Table{b.root, b.eventsOf(b.root)} {
		if t == nil {
			continue
		}
		var all, takings []*schema.Column
		for _, c := range t.Columns {
			if c.Elapsed != nil || !b.reader.holdsMoney(c) {
				continue
			}
			all = append(all, c)
			if b.reader.takings(c) {
				takings = append(takings, c)
			}
		}
		switch {
		case len(all) == 1:
			return t, all[0]
		case len(takings) == 1: // what was paid, and not the tip
			return t, takings[0]
		case len(all) > 1:
			return nil, nil // which of them is meant nobody said
		}
	}
	return nil, nil
}

// moneyAlone is the one amount that the rows have, where it is of money; nil: it is not, or there
// are others, so that it is not said what there is most of.
func (b *composer) moneyAlone() *schema.Column {
	amounts := 0
	for _, c := range b.root.Columns {
		if c.Nature == schema.Amount && c.Elapsed == nil {
			amounts++
		}
	}
	if c := onlyAmount(b.root); amounts == 1 && c.Money {
		return c
	}
	return nil
}

// onlyAmount is the one amount of money of a table, else its one amount; nil: there are more,
// or none.
func onlyAmount(t *schema.Table) *schema.Column {
	var money, all []*schema.Column
	for _, c := range t.Columns {
		if c.Nature == schema.Amount && c.Elapsed == nil {
			all = append(all, c)
			if c.Money {
				money = append(money, c)
			}
		}
	}
	switch {
	case len(money) == 1:
		return money[0]
	case len(all) == 1:
		return all[0]
	}
	return nil
}

// added are the quantities of which a number is a total: degrees and knots are none.
var added = []string{"mass", "length", "area", "volume", "energy", "power", "money"}

// ofSize takes "how many kilos" for the total of the one amount that is told in such a unit: of
// those that are named, else of all.
func (b *composer) ofSize() {
	d := b.d
	if d.sized == nil && d.alone != nil && slices.Contains(added, d.alone.Quantity) && len(d.aggs)+len(d.counts)+len(d.bests)+len(d.compared) == 0 {
		d.sized = d.alone
	}
	if d.sized == nil && d.alone != nil && len(d.aggs) == 1 && d.aggs[0].none() && d.aggs[0].value == nil { // "total capacity in kW"
		d.sized = d.alone
	}
	if d.sized == nil {
		return
	}
	add := func(t thing) {
		if len(d.aggs) == 1 && d.aggs[0].none() {
			d.aggs[0].thing = t
			return
		}
		d.aggs = append(d.aggs, measure{agg: intent.AggSum, thing: t})
		b.cost += costSum
		b.note("summed", t.column.Expr)
	}
	measured := func(c *schema.Column) bool {
		u, ok := b.reader.language.Unit(strings.ToLower(c.Unit))
		return ok && u.Quantity == d.sized.Quantity && u.Factor == d.sized.Factor && slices.Contains(added, u.Quantity) && c.Nature == schema.Amount
	}
	if slices.ContainsFunc(d.aggs, func(m measure) bool { return m.column != nil && measured(m.column) }) {
		return // 平均体重是多少公斤: the unit of what is asked for
	}
	for i, t := range d.mentions {
		if t.column != nil && measured(t.column) {
			b.placed[i] = true
			add(t)
			return
		}
	}
	var found *schema.Column
	for _, t := range b.view.Tables {
		for _, c := range t.Columns {
			if !measured(c) {
				continue
			}
			if found != nil {
				b.fail("more than one amount in a unit")
				return
			}
			found = c
		}
	}
	if found == nil {
		b.fail("how many of a unit")
		return
	}
	add(thing{column: found})
}

func (b *composer) isElapsed(o intent.Output) bool {
	c := b.view.ColumnOf(o.ID)
	return c != nil && c.Elapsed != nil
}

// rateOf is the part of the rows of which a flag says yes.
func (b *composer) rateOf(c *schema.Column) intent.Output {
	if c == nil || c.Nature != schema.Flag {
		b.fail("a rate of no flag")
		return intent.Output{}
	}
	yes, ok := c.Says(true)
	if !ok {
		b.fail("a flag that says neither")
	}
	o := out(intent.AggRate, c)
	o.Value = yes
	return o
}

// rateOfValue is the part of the rows that have a stored value.
func (b *composer) rateOfValue(v *schema.Value) intent.Output {
	if len(v.Stored) != 1 || v.Column.Of != b.root {
		b.fail("a rate of what is related")
		return intent.Output{}
	}
	o := out(intent.AggRate, v.Column)
	o.Value = v.Stored[0]
	b.note("rate_of", v.Column.Expr, v.Stored[0])
	return o
}

// sized is an aggregate of how heavy, long, old the rows of a table are, where it is asked for
// without naming a column.
func (b *composer) sized(m measure) intent.Output {
	if m.table == b.root {
		if c := b.called(b.d.size.Attributes); c != nil && b.sums(m.agg, c) {
			return out(m.agg, c)
		}
	}
	b.fail("a size that nothing tells")
	return intent.Output{}
}

// ofTable is an aggregate of the one amount that a table has; a total of a table without
// is the number of its rows.
func (b *composer) ofTable(m measure) intent.Output {
	if b.d.size != nil { // "how heavy is a parcel on average"
		return b.sized(m)
	}
	if amount := onlyAmount(m.table); b.d.money && m.table == b.root && (amount == nil || !amount.Money) { // "how much is a course on average": what it costs, and no number of seats
		if c := b.calledOf(b.reader.language.Adjective("most expensive").Attributes, false); c != nil && b.sums(m.agg, c) {
			return out(m.agg, c)
		}
	}
	var amounts, levels []*schema.Column
	for _, c := range m.table.Columns {
		switch c.Nature {
		case schema.Amount:
			amounts = append(amounts, c)
		case schema.Level:
			levels = append(levels, c)
		}
	}
	switch {
	case len(amounts) == 0 && len(levels) == 1 && m.agg != intent.AggSum: // "the average rating" of ratings with a score
		return out(m.agg, levels[0])
	case len(amounts) == 1:
		if m.agg == intent.AggSum {
			b.note("summed", amounts[0].Expr)
		}
		return out(m.agg, amounts[0])
	case m.agg == intent.AggSum && len(amounts) == 0:
		return rowsOf(m.table)
	}
	b.fail("an aggregate of " + m.table.ID)
	return intent.Output{}
}

// implied is what is shown of groups where no number is asked for: the sum of an amount
// that is mentioned, else the number of rows.
func (b *composer) implied() intent.Output {
	switch c := b.amount(); {
	case c == nil:
	case c.Nature == schema.Amount && !b.d.against:
		b.cost += costSum
		b.note("summed", c.Expr)
		return out(intent.AggSum, c)
	case c.Nature == schema.Level && b.d.against: // which of two is higher: on average
		b.cost += costSum
		b.note("averaged", c.Expr)
		return out(intent.AggAvg, c)
	case b.d.against:
		b.fail("more in all or on average")
	}
	if slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.column != nil && !t.column.Time && t.column.Nature != schema.Flag }) {
		b.fail("groups of which it is not said what is shown")
	}
	if b.d.plain && !slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.table == b.root || t.rows != nil }) {
		b.fail("what is wanted of groups is not said") // "what did we take in per month"
	}
	if slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.beside && t.table == b.root }) {
		b.fail("rows that a word beside their name is of") // "honey by village" of honey deliveries
	}
	b.cost += costGuess
	return b.rows()
}

// amount takes a column that is mentioned for what an aggregate is of.
func (b *composer) amount() *schema.Column {
	found := -1
	for i, t := range b.d.mentions {
		if t.column != nil && t.column.Numeric() && t.column.Nature != schema.Identifier && !b.placed[i] {
			if found >= 0 {
				return nil
			}
			found = i
		}
	}
	if found < 0 {
		return nil
	}
	b.placed[found] = true
	return b.d.mentions[found].column
}

// rowsSaid is the root, where it is the one thing that is mentioned; nil: it is not.
func (b *composer) rowsSaid() *schema.Table {
	at := -1
	for i, t := range b.d.mentions {
		switch {
		case b.placed[i]:
		case at >= 0 || t.table != b.root:
			return nil
		default:
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	b.placed[at] = true
	return b.root
}

// sums reports whether an aggregate of a column makes sense.
func (b *composer) sums(agg intent.Agg, c *schema.Column) bool {
	switch c.Nature {
	case schema.Amount, schema.Level:
		return true
	case schema.Moment:
		return agg == intent.AggMin || agg == intent.AggMax
	case schema.Calendar:
		return agg == intent.AggMin || agg == intent.AggMax || agg == intent.AggAvg || agg == intent.AggMedian
	case schema.Flag, schema.Identifier:
		return false
	}
	return c.Numeric() && agg != intent.AggSum
}

// counted is a number of things.
func (b *composer) counted(m measure) intent.Output {
	switch {
	case m.table != nil && m.table.Observed != nil && !b.records && m.table.Observed.Thing != nil && !m.table.Observed.Titled:
		b.fail("a number of what has several rows of each thing")
	case m.table != nil && m.table.Observed != nil:
		return b.number(m.table)
	case m.table != nil:
		b.summed(m.table)
		return rowsOf(m.table)
	case m.column != nil && m.column.Unique():
		return b.rows()
	case m.column != nil && m.column.Nature == schema.Flag:
		b.flag(m.column, true)
		return b.rows()
	case m.column != nil && b.valued(m.column): // "gold members": those that are gold
		return b.rows()
	case m.column != nil && b.eachHasOne(m.thing):
		return b.rows()
	case m.column != nil && m.column.Nature == schema.Amount && m.column.Money && m.partly && !b.d.money: // 多少人次参赛 is no entry fee
		b.fail("a number of things that is money")
	case m.column != nil && m.column.Nature == schema.Amount && m.column.DescribesThing(): // "how many films" over the length of each, in each of its rows
		b.fail("a sum of what the rows of a thing have in common")
	case m.column != nil && m.column.Nature == schema.Amount: // "how many goals", 多少药费
		b.cost += costSum
		b.note("summed", m.column.Expr)
		return out(intent.AggSum, m.column)
	case m.column != nil && m.column.Nature == schema.Calendar && b.ofManyYears(m.column):
		b.fail("a number of parts of dates that come again each year") // months above a rate are those of each year
	case m.column != nil && m.column.Nature == schema.Level:
		b.fail("a number of " + m.column.ID)
	case m.column != nil && m.column.Time: // of what the day is of
		b.cost += costRows
		b.note("rows_are", m.column.Expr, b.root.Names.EN)
		return b.rows()
	case m.column != nil && m.partly && m.column.Nature == schema.Category && !m.column.Naming() && !m.distinct && m.column.InChinese(): // 就诊量 over a 就诊类型: of what the type is
		b.cost += costRows
		b.note("rows_are", m.column.Expr, b.root.Names.EN)
		return b.rows()
	case m.column != nil && b.d.exceeds: // of how many things one is more than another
		b.fail("things of which one has more than another")
	case m.column != nil:
		if m.column.Points { // the things have a table of their own
			b.cost += costGuess
		}
		b.note("counted_distinct", m.column.Expr)
		return out(intent.AggCountDistinct, m.column)
	case m.rows != nil:
		b.asRows(m.rows)
	}
	return b.rows()
}

// ofManyYears reports whether a column of months, weeks or days stands beside one of their years, so that they
// come again.
func (b *composer) ofManyYears(c *schema.Column) bool {
	year := c.Of.Year()
	return year != nil && year != c && year.Distinct != 1
}

// eachHasOne reports whether amounts of money of which there are many are the rows that have
// one: "how many fines" over a column "fine".
func (b *composer) eachHasOne(t thing) bool {
	if !t.many || !t.column.Money || t.column.Of != b.root {
		return false
	}
	b.cost += costRows
	b.note("rows_are", t.column.Expr, b.root.Names.EN)
	if t.column.Nullable {
		left := out("", t.column)
		b.filter(intent.Cond{Op: intent.NotNull, Left: &left})
	}
	return true
}

// valued reports whether rows have to have a certain value of a column.
func (b *composer) valued(c *schema.Column) bool {
	return slices.ContainsFunc(b.d.values, func(v valued) bool { return v.column == c && !v.deny })
}

// ofOthers reports whether a Chinese name of how many there were says of what, and that is
// not what a table holds.
func ofOthers(name, table string) bool {
	for _, w := range schema.Counting {
		if of, ok := strings.CutSuffix(name, w); ok && of != "" {
			return !strings.Contains(table, of)
		}
	}
	return false
}

// summed notes where rows are totals already: how many there are of something is then
// hardly how many rows there are.
func (b *composer) summed(t *schema.Table) {
	for _, c := range t.Columns {
		words := c.Words()
		others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "of" || slices.Contains(schema.Counting, w) })
		if len(others) > 0 && others[0][0] < 0x80 && !slices.ContainsFunc(others, func(w string) bool {
			return slices.Contains(t.Stems(), token.Stem(w))
		}) {
			continue // of other things: the rows of customers are no children
		}
		if len(words) > 0 && words[0][0] > 0x7f && ofOthers(words[0], t.Names.ZH+t.Names.EN) {
			continue // 玩家人数 of 场次
		}
		if c.Nature == schema.Amount && len(words) > 0 && slices.ContainsFunc(schema.Counting, func(w string) bool {
			return words[len(words)-1] == w || words[0] == w || w[0] > 0x7f && strings.HasSuffix(words[0], w)
		}) {
			b.cost += costWays
			b.note("totals", c.Expr)
			return
		}
	}
}

// saysMoneyHan reports whether a Chinese word ends as words for amounts of money do.
func saysMoneyHan(word string) bool {
	return slices.ContainsFunc([]string{"款", "钱", "费", "额", "金", "价", "资"}, func(end string) bool { return strings.HasSuffix(word, end) })
}

// asRows takes an unknown word for the rows.
func (b *composer) asRows(it *item) {
	if it.tag.Name == recordTag && len(b.view.Tables) == 1 {
		b.records = true
		return
	}
	if saysMoneyHan(it.text) || b.reader.language.Alike(strings.ToLower(it.text), "amount") && lexicon.Singular(it.text) == it.text { // 收款 is no rows, nor is who spent most who came most often; payments are
		b.fail("rows of what is money")
		return
	}
	if slices.ContainsFunc(b.d.mentions, func(t thing) bool { return t.table == b.root }) {
		b.fail("the rows have a name, which is another") // "how many smells do the plants have"
		return
	}
	if len(b.view.Tables) == 1 {
		b.cost += costRows / 2
	} else {
		b.cost += 3 * costRows
	}
	if b.calls(it) {
		b.note("rows_are", it.text, b.root.Names.EN)
	} else { // a refund is no donation
		b.note("rows_open", it.text, b.root.Names.EN)
	}
}

// calls reports whether the rows may be called by an unknown word: a word for rows of any kind or for persons, what is
// done ("is hit most often"), or a word that the name of their table has within it, or may mean.
func (b *composer) calls(it *item) bool {
	word := strings.ToLower(it.text)
	if it.tag.Name == recordTag || slices.Contains(personWords, word) || participle(word) || irregular(word) {
		return true
	}
	lexis := b.reader.lexis
	if first, _ := utf8.DecodeRuneInString(it.text); unicode.Is(unicode.Han, first) {
		return b.view.Calls(b.root, lexis.English(it.text), it.text, lexis)
	}
	var words []schema.Gloss
	for _, w := range b.reader.basesOf(word) {
		words = append(words, schema.Gloss{Stems: []string{token.Stem(w)}, Text: w, Score: 1})
	}
	return b.view.Calls(b.root, words, "", lexis)
}

// groups are the fields by which rows are put together.
func (b *composer) groups(measures []intent.Output) []intent.Field {
	var list []intent.Field
	averages := areAverages(measures)
	for _, g := range b.d.groups {
		switch {
		case g.table == b.root && g.table != nil && averages && !g.by && len(g.table.Key) == 0: // "the average of tickets per booking": of bookings
		case g.across && g.table == b.root && len(b.d.groups) == 1 && len(b.d.counts) == 0: // "the average age across artists": of all of them
		case g.grain != "":
			steps, ok := b.steps(g.grain)
			if !ok {
				b.fail("nothing is dated")
			}
			list = append(list, steps...)
		case g.column != nil && g.per && measured(g.column) && len(measures) == 1:
			b.perUnit(g.column, measures)
		case g.column != nil:
			list = append(list, b.bySelf(g.thing)...)
		case g.table != nil:
			list = append(list, b.byThing(g.table)...)
		default:
			b.fail("groups by what nobody knows")
		}
	}
	list = unique(list)
	if b.d.each && len(list) == 0 {
		list = b.byValues()
	} else if b.d.each {
		b.cost += costUnplaced
	}
	return list
}

// measured reports whether a column holds sizes of any fraction, which are no groups: carats, kilograms.
func measured(c *schema.Column) bool {
	kind := strings.ToLower(c.Type)
	return (c.Nature == schema.Amount || c.Nature == schema.Level) && (kind == "double" || kind == "real" || strings.HasPrefix(kind, "decimal")) && c.Distinct > mostKinds
}

// mostKinds is how many different numbers a column has at most that may be groups.
const mostKinds = 40

// perUnit takes an average per something measured for that of what it comes to in each row: "the average price per
// carat".
func (b *composer) perUnit(c *schema.Column, measures []intent.Output) {
	m := measures[0]
	if m.Agg != intent.AggAvg || m.Calc != nil || m.Per.ID != "" || m.Kind != intent.KindDimension || b.view.ColumnOf(m.ID) == nil || b.view.ColumnOf(m.ID).Of != c.Of {
		b.fail("groups by what is measured")
		return
	}
	b.cost += costGuess / 2
	measures[0] = intent.Output{Agg: m.Agg, Calc: &intent.Calc{Op: intent.Over, Left: out("", b.view.ColumnOf(m.ID)), Right: out("", c)}}
}

// areAverages reports whether figures are all of many rows what one of them is.
func areAverages(measures []intent.Output) bool {
	return len(measures) > 0 && !slices.ContainsFunc(measures, func(m intent.Output) bool { return m.Agg != intent.AggAvg && m.Agg != intent.AggMedian })
}

// perRow leaves out the key of the rows where averages alone are asked for: "the average
// amount per order" is one of orders, not one of each.
func (b *composer) perRow(groups []intent.Field, measures []intent.Output) []intent.Field {
	if !areAverages(measures) {
		return groups
	}
	return slices.DeleteFunc(groups, func(f intent.Field) bool {
		c := b.view.ColumnOf(f.ID)
		return f.Grain == "" && c != nil && c.Of == b.root && c.Unique()
	})
}

// unique leaves out what is there before.
func unique(list []intent.Field) []intent.Field {
	var out []intent.Field
	for _, f := range list {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// bySelf groups by a column: a day by itself. The things that a column points to are shown by
// what they are called, unless their keys are asked for.
func (b *composer) bySelf(g thing) []intent.Field {
	c := g.column
	if t := b.ofRole(g); t != nil {
		return b.byThing(t)
	}
	if c.Nature == schema.Amount {
		b.cost += costUnplaced
	}
	return []intent.Field{field(c)}
}

// byThing groups by the things of a table: by their key, and what they are called.
func (b *composer) byThing(t *schema.Table) []intent.Field {
	var list []intent.Field
	for _, c := range t.Key {
		list = append(list, field(c))
	}
	for _, c := range t.Label {
		if !slices.Contains(list, field(c)) {
			list = append(list, field(c))
		}
	}
	if len(list) == 0 {
		b.fail("nothing tells the rows of " + t.ID + " apart")
	}
	return list
}

// byValues groups by the column whose values the question lists: "A and B each".
func (b *composer) byValues() []intent.Field {
	for _, v := range b.d.values {
		if v.column != nil && !v.deny {
			return []intent.Field{field(v.column)}
		}
	}
	found := -1
	for i, t := range b.d.mentions { // "the reasons, each with its share"
		if !b.placed[i] && t.column != nil && t.column.Nature == schema.Category {
			if found >= 0 {
				b.fail("each of what is not said")
				return nil
			}
			found = i
		}
	}
	if found >= 0 {
		b.placed[found] = true
		return []intent.Field{field(b.d.mentions[found].column)}
	}
	b.fail("each of what is not said")
	return nil
}

// shown are the fields of groups that people read: what things are called, else their
// keys.
func (b *composer) shown(groups []intent.Field) []intent.Output {
	var list []intent.Output
	for _, f := range groups {
		if c := b.view.ColumnOf(f.ID); f.Grain == intent.WeekdayNumber || c != nil && f.Grain == "" && b.labelled(c, groups) {
			continue
		}
		list = append(list, intent.Output{Field: f})
	}
	return list
}

// labelled reports whether a column is a key whose thing is shown by name.
func (b *composer) labelled(c *schema.Column, groups []intent.Field) bool {
	return !slices.ContainsFunc(b.d.targets, func(t thing) bool { return t.column == c }) && slices.Contains(c.Of.Key, c) && !names(c) &&
		slices.ContainsFunc(c.Of.Label, func(l *schema.Column) bool { return slices.Contains(groups, field(l)) })
}

func (b *composer) composeMeasures(measures []intent.Output, groups []intent.Field) {
	for _, m := range measures {
		if m.Kind != intent.KindEntity && slices.ContainsFunc(groups, func(f intent.Field) bool { return f.ID == m.ID }) {
			b.fail("counts what it groups by")
		}
	}
	if b.d.pick && len(b.d.targets) == 0 {
		b.cost += costUnplaced
	}
	b.in.GroupBy = groups
	b.in.Select = append(b.shown(groups), measures...)
	b.targetsOfMeasures(measures, groups)
	if len(groups) == 0 {
		if !b.d.sort.none() {
			b.fail("an order of one number")
		}
		return
	}
	b.in.Type = intent.Dimension
	grains := slices.ContainsFunc(groups, func(f intent.Field) bool {
		c := b.view.ColumnOf(f.ID)
		return f.Grain != "" || c != nil && (c.Nature == schema.Calendar || c.Nature == schema.Moment)
	})
	if grains {
		b.in.Type = intent.Trend
		for _, f := range groups {
			if f.Grain != intent.Weekday {
				b.in.OrderBy = append(b.in.OrderBy, intent.Order{By: intent.Output{Field: f}})
			}
		}
		return
	}
	first, ok := b.sortOf(measures, groups)
	if !ok {
		return
	}
	b.in.OrderBy = append([]intent.Order{first}, b.then(groups)...)
	if b.d.order != "" || !b.d.sort.none() {
		b.in.OrderBy = b.in.OrderBy[:1]
	}
	b.limit()
}

// sortOf is what groups are ordered by: what the question names, which is one of the numbers or
// of what the groups are of, else the first number, the largest first.
func (b *composer) sortOf(measures []intent.Output, groups []intent.Field) (intent.Order, bool) {
	s := b.d.sort
	if s.none() {
		if c := b.view.ColumnOf(measures[0].ID); b.d.meanOrder && c != nil && (c.Place() || c.Adverse()) { // "average delay per ship, worst first"
			return intent.Order{By: measures[0], Desc: b.d.order == "asc"}, true
		}
		return intent.Order{By: measures[0], Desc: b.d.order != "asc"}, true
	}
	desc := b.d.order == "desc"
	for _, m := range measures {
		if s.is(m) {
			return intent.Order{By: m, Desc: desc}, true
		}
	}
	for _, o := range b.shown(groups) {
		c := b.view.ColumnOf(o.ID)
		if o.Grain == "" && c != nil && (s.column == c || s.table != nil && s.table == c.Of) {
			return intent.Order{By: o, Desc: desc}, true
		}
	}
	b.fail("an order by what is not shown")
	return intent.Order{}, false
}

// then orders what is alike by what is shown of it, so that an answer has one order.
func (b *composer) then(groups []intent.Field) []intent.Order {
	var list []intent.Order
	for _, o := range b.shown(groups) {
		list = append(list, intent.Order{By: o})
	}
	return list
}

// targetsOfMeasures groups by what a question asks "which" of, beside a number.
func (b *composer) targetsOfMeasures(measures []intent.Output, groups []intent.Field) {
	for _, t := range b.d.targets {
		switch {
		case t.column != nil && slices.Contains(groups, field(t.column)):
		case t.table != nil && slices.ContainsFunc(groups, func(f intent.Field) bool { return b.view.ColumnOf(f.ID).Of == t.table }):
		case t.column != nil && !slices.ContainsFunc(measures, func(m intent.Output) bool { return m.ID == t.column.ID }):
			b.fail("which " + t.column.ID + " by no order")
		case t.table != nil && t.table != b.root:
			b.fail("which " + t.table.ID + " by no order")
		}
	}
}

func (b *composer) limit() {
	if n, err := strconv.ParseInt(b.d.limit, 10, 64); err == nil && n > 0 {
		b.in.Limit = n
	}
}

// composeBest orders things and takes the first of them.
func (b *composer) composeBest(measures []intent.Output, groups []intent.Field) {
	d := b.d
	if len(d.bests) > 1 || d.orders {
		b.fail("two orders")
		return
	}
	x := best{desc: d.order != "asc"}
	if len(d.bests) == 1 {
		x = d.bests[0]
	}
	n := cmpOr(x.n, d.limit)
	wanted := b.columnsOfOne()
	var target thing
	if !b.d.step || len(b.d.targets) > 0 { // else it is asked which month
		target = b.target()
	}
	if t := target.table; b.d.who && t != nil && !t.Persons() { // "who owns the heaviest pet": none of the pets
		if p := b.persons(); p == nil || p.Persons() {
			target = thing{table: p}
		}
	}
	ownedTarget := target.owned
	if target.none() && x.owned && b.d.pick && !b.d.step && x.column != nil { // "which depot opened last"
		target = thing{table: x.column.Of}
	}
	if x.when {
		if t := target.of(); t != nil && t != b.root {
			b.fail("when what is related was")
			return
		}
		target = thing{}
		if x.adj != nil && len(x.adj.Attributes) > 0 && !x.adj.Time && x.none() { // "the windiest day": the day, and not its wind
			c := b.day()
			if c == nil {
				b.fail("nothing is dated")
				return
			}
			target, x.when = thing{column: c}, false
		}
	}
	if x.column != nil && x.column.Time && (x.adj == nil || !x.adj.Time) && x.agg == "" {
		if x.adj == nil || len(x.adj.Attributes) == 0 || !target.none() && target.column != x.column {
			b.fail("days have no size")
			return
		}
		target, x.column = thing{column: x.column}, nil // "the hottest day": the day on which that was
		x.thing = thing{}
	}
	if c := x.column; c != nil && c.Nature == schema.Identifier && x.agg == "" && x.adj != nil && !x.adj.Time && len(x.adj.Attributes) > 0 && !c.Points {
		target, x.thing = thing{table: c.Of}, thing{} // "the longest session": not the last of their numbers
	}
	if t := target.column; t != nil && b.d.who && (t.Time || t.Numeric()) {
		b.fail("who is no day and no number")
		return
	}
	if t := target.column; t != nil && names(t) && (!t.Of.Namesakes || target.partly || t.PartOfName()) { // the name of a thing is the thing, unless many are called alike; persons are
		if wanted == nil && !target.partly && t.PartOfName() && len(t.Of.Label) > 1 { // of names of several parts what was said
			wanted = []intent.Output{out("", t)}
		}
		target = thing{table: t.Of}
	}
	if target.none() && b.d.who && len(groups) == 0 {
		if target = (thing{table: b.persons()}); target.none() {
			b.fail("who is not said")
			return
		}
		if len(target.table.Label) == 0 {
			if target = (thing{column: b.nameColumn()}); target.none() {
				b.fail("nobody has a name")
				return
			}
		}
	}
	if target.none() && len(groups) > 0 && x.column != nil && x.agg == "" && n == "" && !b.d.pick { // the highest of each
		agg := utmost(x.desc)
		if !b.sums(agg, x.column) {
			b.fail("no order by " + x.column.ID)
			return
		}
		b.composeMeasures(append([]intent.Output{out(agg, x.column)}, measures...), groups)
		return
	}
	if x.column != nil && x.column.Nature == schema.Calendar && !x.count && x.agg == "" && x.adj != nil && len(x.adj.Attributes) == 0 && !x.adj.Time {
		b.fail("parts of dates have no size")
		return
	}
	if t := target.column; t != nil && observedThing(t) && x.column != nil && x.column.Of == t.Of && x.agg == "" && !x.count && b.sums(utmost(x.desc), x.column) {
		x.agg = utmost(x.desc) // "the top 3 storms by highest wind": each by the highest that it had
	}
	by, ok := b.orderBy(&x, measures, target)
	if !ok {
		return
	}
	if target.none() && len(groups) == 0 && (x.column == nil && x.adj != nil && !x.adj.Time || x.by) && !b.d.amount && len(b.root.Label) > 0 && !by.Aggregates() {
		target = thing{table: b.root} // "the heaviest dog" is a dog, not a weight
	}
	order := intent.Order{By: by, Desc: x.desc}
	if t := target.column; t != nil && t.ID == by.ID {
		target = thing{} // which day was the first
		if ownedTarget { // which depot opened last
			target = thing{table: t.Of}
		}
	}
	switch {
	case target.none() && len(groups) == 0 && len(d.counts) > 0:
		b.fail("a number beside an order")
		return
	case target.none() && len(groups) == 0:
		b.extreme(by, x.desc, n)
		return
	case target.none():
		b.in.GroupBy = groups
		b.in.Select = append(b.shown(groups), by)
		if slices.ContainsFunc(groups, func(f intent.Field) bool { return f.ID == by.ID && by.Kind != intent.KindEntity }) {
			b.fail("orders by what it groups by")
		}
	case by.Aggregates() && wanted != nil:
		b.in.GroupBy = b.fieldsOf(target)
		for _, o := range wanted {
			b.in.GroupBy = append(b.in.GroupBy, o.Field)
		}
		b.in.GroupBy = unique(b.in.GroupBy)
		b.in.Select = slices.Concat(wanted, []intent.Output{by})
	case by.Aggregates():
		if target.table != nil && target.table == b.root && by.Kind == intent.KindDimension {
			b.cost += costUnplaced // each row by itself is nothing to add up
		}
		if c := target.column; c != nil && c.Nullable { // the rows that have none are no answer to "which"
			left := out("", c)
			b.filter(intent.Cond{Op: intent.NotNull, Left: &left})
		}
		b.in.GroupBy = slices.Concat(b.fieldsOf(target), groups)
		b.in.Select = slices.Concat(b.shown(groups), b.shown(b.fieldsOf(target)), []intent.Output{by})
	default: // rows of the target themselves
		b.in.Select = b.labelsOf(target)
		if wanted != nil {
			b.in.Select = wanted
		}
		for i, t := range b.d.mentions {
			if t.column != nil && t.column.Of == b.root && !b.placed[i] && !slices.Contains(b.in.Select, out("", t.column)) {
				b.placed[i] = true
				b.in.Select = append(b.in.Select, out("", t.column))
			}
		}
		asked := slices.Contains(b.in.Select, by)
		if !asked {
			b.in.Select = append(b.in.Select, by)
		}
		b.d.amount = b.d.amount || asked
		b.in.Select = slices.Concat(b.shown(groups), b.in.Select)
	}
	for _, m := range measures {
		if m != by && !slices.Contains(b.in.Select, m) {
			if !by.Aggregates() {
				b.fail("an aggregate beside rows")
			}
			b.in.Select = append(b.in.Select, m)
		}
	}
	b.firstOf(order, n)
	if len(groups) > 0 && !target.none() && !(b.d.step && len(b.d.targets) > 0) { // "in each branch, which member ...": the first of each; "which city, and in which month": of all
		b.in.LimitPer = groups
		if slices.ContainsFunc(groups, func(f intent.Field) bool { return f.Grain == intent.WeekdayNumber }) {
			b.fail("the first of each day of the week")
		}
		return
	}
	if x.column == nil || !slices.Contains(measures, by) { // else it is asked for by itself: "the department with the highest average grade, and that average"
		b.basis(by)
	}
}

// columnsOfOne takes several columns of one table that are wanted of the first of an order for a
// wish for that thing, and returns what is shown of it; nil: no more than one thing is wanted.
func (b *composer) columnsOfOne() []intent.Output {
	d := b.d
	if len(d.targets) < 2 {
		return nil
	}
	var shown []intent.Output
	t := d.targets[0].of()
	for _, x := range d.targets {
		if x.column == nil || x.column.Of != t {
			return nil
		}
		shown = append(shown, out("", x.column))
	}
	d.targets = []thing{{table: t}}
	return shown
}

// firstOf takes as many of an order as a text says, one where it says no number.
func (b *composer) firstOf(order intent.Order, n string) {
	b.in.OrderBy = []intent.Order{order}
	b.in.Limit = 1
	if v, err := strconv.ParseInt(n, 10, 64); err == nil && v > 0 {
		b.in.Limit = v
	}
}

// basis leaves out what the first are chosen by where the question does not ask for it:
// whoever shows the answer puts it beside them.
func (b *composer) basis(by intent.Output) {
	if len(b.d.bests) == 0 || len(b.in.Select) < 2 || len(b.d.counts)+len(b.d.aggs) > 1 || b.d.amount && !by.Aggregates() {
		return
	}
	b.in.Select = slices.DeleteFunc(b.in.Select, func(o intent.Output) bool { return o == by })
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// nameColumn is the one column of the root that holds names of what its rows are about,
// not of the rows themselves; nil: none, or more.
func (b *composer) nameColumn() *schema.Column {
	var found *schema.Column
	for _, c := range b.root.Columns {
		if !isText(c) || c.Nature == schema.Identifier || !c.Naming() || slices.Contains(b.root.Label, c) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// persons is the table of those that "who" asks for: the one of the root and of those that
// its rows lead to that names persons; the root where none does, nil where more do.
func (b *composer) persons() *schema.Table {
	found, more := b.root, false
	for _, t := range b.view.Tables {
		switch {
		case t == b.root || !t.Persons() || !b.view.OneRow(b.root, t):
		case b.acting(t):
			return t
		case found.Persons():
			more = true
		default:
			found = t
		}
	}
	if more {
		return nil
	}
	return found
}

// acting reports whether a verb of the question is what the persons of a table are called by: those who
// adopt are adopters.
func (b *composer) acting(t *schema.Table) bool {
	const least = 3 // letters of a verb
	for _, w := range schema.SplitName(t.Names.EN) {
		agent := strings.TrimSuffix(strings.ToLower(w), "s")
		if !strings.HasSuffix(agent, "er") && !strings.HasSuffix(agent, "or") {
			continue
		}
		verb := token.Stem(agent[:len(agent)-2])
		if len(verb) >= least && slices.ContainsFunc(b.l.tokens, func(t language.Token) bool { return token.Stem(t.Lower) == verb }) {
			return true
		}
	}
	return false
}

// target is what a question wants the first of.
func (b *composer) target() thing {
	if len(b.d.targets) > 0 {
		if len(b.d.targets) > 1 {
			b.fail("two targets")
		}
		return b.d.targets[0]
	}
	for _, v := range b.d.values { // "which sales agent", where that is a stored value
		if b.d.which >= 0 && v.column != nil && !v.deny && v.from == b.d.which+1 {
			return thing{table: v.column.Of}
		}
	}
	found := -1
	for i, t := range b.d.mentions {
		if b.placed[i] || t.column != nil && (t.column.Numeric() && t.column.Nature != schema.Identifier || t.column.Time) {
			continue
		}
		if found < 0 || t.table != nil && i >= b.d.behind && found < b.d.behind { // 总额最高的五个客户: what stands behind
			found = i
		}
	}
	if found < 0 {
		return thing{}
	}
	b.placed[found] = true
	return b.d.mentions[found]
}

// fieldsOf are the fields that a target is grouped by.
func (b *composer) fieldsOf(t thing) []intent.Field {
	if of := b.ofRole(t); of != nil {
		return b.byThing(of)
	}
	if t.column != nil {
		return []intent.Field{field(t.column)}
	}
	return b.byThing(t.table)
}

// labelsOf are the columns that show a thing.
func (b *composer) labelsOf(t thing) []intent.Output {
	if t.column != nil {
		return []intent.Output{out("", t.column)}
	}
	list := t.table.Label
	if len(list) == 0 && b.d.named {
		b.fail("nothing says what " + t.table.ID + " are called")
	}
	if len(list) == 0 || t.table.Namesakes {
		list = slices.Concat(t.table.Key, list)
	}
	var outs []intent.Output
	for _, c := range list {
		outs = append(outs, out("", c))
	}
	if len(outs) == 0 {
		b.fail("nothing tells the rows of " + t.table.ID + " apart")
	}
	return outs
}

// countsJustBefore reports whether a number of things stands right before what says that it is the highest.
func (b *composer) countsJustBefore(x *best) bool {
	for i, p := range b.parts[:max(0, len(b.parts)-1)] {
		if next := b.parts[i+1]; p.make == "count" && next.make == "super" && next.from == x.from && p.to == next.from {
			return true
		}
	}
	return false
}

// orderBy is what the first are chosen by.
func (b *composer) orderBy(x *best, measures []intent.Output, target thing) (intent.Output, bool) {
	if x.adj != nil && x.adj.Mean && (x.agg == intent.AggRate || len(measures) > 0 && measures[0].Agg == intent.AggRate) {
		b.fail("the best or worst rate") // whether much of it is good or bad nobody knows
		return intent.Output{}, false
	}
	if x.count {
		return b.orderByCount(x, measures, target)
	}
	if x.column == nil && x.table == nil && len(measures) > 0 && (x.adj == nil || len(x.adj.Attributes) == 0) {
		return measures[0], true
	}
	if x.agg == intent.AggRate {
		o := b.rate(x)
		return o, b.failed == ""
	}
	c := x.column
	if c == nil && x.table == nil && len(measures) == 1 && b.countsJustBefore(x) { // 借阅量最大
		return measures[0], true
	}
	if c == nil {
		if c = b.attribute(x); c == nil {
			b.fail("an order by nothing")
			return intent.Output{}, false
		}
		b.note("ordered_by", c.Expr)
	}
	if !c.Numeric() && !c.Time {
		b.fail("no order by the texts of " + c.ID)
		return intent.Output{}, false
	}
	agg := x.agg
	switch {
	case agg != "":
	case target.none() && !b.d.step:
	case target.table != nil && b.view.OneRow(target.table, c.Of):
		b.root = target.table
		b.in.Entity = target.table.ID
		return out("", c), true
	case target.column != nil && target.column.Unique() && target.column.Of == c.Of:
		return out("", c), true
	case x.adj != nil && x.adj.Mean && c.Nature == schema.Level: // the best by their ratings
		agg = intent.AggAvg
		b.cost += costSum
		b.note("averaged", c.Expr)
	case c.Nature == schema.Amount && !b.d.ever:
		agg = intent.AggSum
		b.cost += costSum
		b.note("summed", c.Expr)
	default:
		agg = utmost(x.desc)
		if c.Nature == schema.Level {
			b.cost += costWays // the highest of all, or on average
		}
	}
	if agg != "" && !b.sums(agg, c) {
		b.fail("no order by " + c.ID)
		return intent.Output{}, false
	}
	return out(agg, c), true
}

// rate is the rate that things are ordered by.
func (b *composer) rate(x *best) intent.Output {
	if x.value != nil {
		return b.rateOfValue(x.value)
	}
	return b.rateOf(x.column)
}

func (b *composer) orderByCount(x *best, measures []intent.Output, target thing) (intent.Output, bool) {
	switch {
	case x.none() && len(measures) > 0:
		return measures[0], true
	case target.table != nil && b.ofThemselves(x, target.table):
		b.fail("the most of themselves")
		return intent.Output{}, false
	case x.none():
		return b.rows(), true
	case x.rows != nil:
		b.asRows(x.rows)
		return b.rows(), true
	case x.table != nil && b.d.most && x.table == b.root && b.moneyAlone() != nil: // "who donated the most": money
		c := b.moneyAlone()
		b.cost += costSum
		b.note("summed", c.Expr)
		return out(intent.AggSum, c), true
	case x.table != nil:
		return b.number(x.table), b.failed == ""
	case x.column != nil && observedThing(x.column): // "the year with the most storms"
		b.note("counted_distinct", x.column.Expr)
		return out(intent.AggCountDistinct, x.column), true
	case b.eachHasOne(x.thing):
		return b.rows(), true
	case x.column.Nature == schema.Amount && target.table != nil && b.view.OneRow(target.table, x.column.Of):
		b.root = target.table
		b.in.Entity = target.table.ID
		return out("", x.column), true
	case x.column.Nature == schema.Amount:
		return out(intent.AggSum, x.column), true
	case x.column.Nature == schema.Moment || x.column.Nature == schema.Identifier:
		return b.rows(), true
	}
	b.fail("most of " + x.column.ID)
	return intent.Output{}, false
}

// ofThemselves reports whether what there is most of are the wanted things: each has one of itself.
func (b *composer) ofThemselves(x *best, wanted *schema.Table) bool {
	switch {
	case x.rows != nil:
		return false
	case x.column != nil:
		return wanted == b.root && (x.column.Nature == schema.Moment || x.column.Nature == schema.Identifier)
	case x.table != nil:
		return wanted == x.table
	}
	return wanted == b.root
}

// attribute is the column that an adjective orders by: one mentioned in the question,
// else one of the root that is called as what the adjective is of.
func (b *composer) attribute(x *best) *schema.Column {
	if x.adj == nil {
		return nil
	}
	if c := x.ownDay(); c != nil && c.Of == b.root {
		b.cost += costGuess / 2
		return c
	}
	if x.adj.Time {
		return b.day()
	}
	if c := b.calledOf(x.adj.Attributes, false); c != nil && !c.PairedEnd(x.desc) { // temp_min has no minutes
		return c
	}
	if c := b.born(x.adj); c != nil { // to the day, where ages are whole years
		x.desc = !x.desc
		return c
	}
	if c := b.called(x.adj.Attributes); c != nil && !c.PairedEnd(x.desc) {
		return c
	}
	c := b.amount() // "the longest stay in nights"
	if c != nil {
		b.cost += costGuess
	}
	return c
}

// ownDay is the day or the year by which the things are newer or older that a superlative stands right before:
// the oldest film is not the one that was first rated. nil: they have none, or more than one.
func (x *best) ownDay() *schema.Column {
	if x.whose == nil || x.adj == nil || !x.none() || !x.adj.Time && (!slices.Contains(x.adj.Attributes, "age") || x.whose.Persons()) {
		return nil
	}
	if c := x.whose.Dated(); c != nil {
		return c
	}
	return x.whose.Year()
}

// born is the day of birth by which ages are told where no column holds them: who is
// older was born earlier.
func (b *composer) born(adj *language.Adjective) *schema.Column {
	if !slices.Contains(adj.Attributes, "age") {
		return nil
	}
	if c := b.root.Birth(); c != nil {
		b.cost += costGuess / 2
		return c
	}
	if days := b.root.Days(); len(days) == 1 { // the oldest loan
		b.cost += costGuess
		return days[0]
	}
	return nil
}

// called finds the one column of the root whose name has one of some words.
func (b *composer) called(words []string) *schema.Column {
	if c := b.calledOf(words, false); c != nil {
		return c
	}
	c := b.calledOf(words, true)
	if c != nil {
		b.tellsLasting(c)
	}
	return c
}

// calledOf does so among the stored columns, or among the times between two of them.
func (b *composer) calledOf(words []string, elapsed bool) *schema.Column {
	for _, w := range words {
		var found []*schema.Column
		for _, h := range b.reader.lookUp(b.view, w) {
			if c := h.Column; c != nil && c.Of == b.root && c.Numeric() && c.Nature != schema.Identifier && h.Score >= schema.MinScore && (c.Elapsed != nil) == elapsed {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			b.cost += costGuess / 2
			return found[0]
		}
		if len(found) > 1 {
			return whole(found)
		}
	}
	return nil
}

// whole is the one of some columns that is called the total of the others; nil: none.
func whole(columns []*schema.Column) *schema.Column {
	var found *schema.Column
	for _, c := range columns {
		if slices.ContainsFunc(c.Words(), func(w string) bool { return w == "total" || w == "overall" || w == "总" }) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// extreme is the largest or smallest value itself.
func (b *composer) extreme(by intent.Output, desc bool, n string) {
	c := b.view.ColumnOf(by.ID)
	if by.Agg == intent.AggCount || c == nil || n != "" {
		b.fail("an order of nothing")
		return
	}
	agg := utmost(desc)
	if by.Agg != "" && by.Agg != agg {
		b.fail("an order of one number")
		return
	}
	b.in.Select = []intent.Output{out(agg, c)}
}

// utmost is the aggregate that takes the first of an order.
func utmost(desc bool) intent.Agg {
	if desc {
		return intent.AggMax
	}
	return intent.AggMin
}

// composeShare is the part of the rows, or of the sum of an amount, that fulfil the
// conditions or are of each group. When they are restricts the whole.
func (b *composer) composeShare(groups []intent.Field) {
	conds := slices.Clone(b.in.Filters)
	var base []intent.Cond
	if len(b.d.base) > 0 {
		b.in.Filters = nil
		b.valuesOf(b.d.base)
		base = b.in.Filters
	}
	var times []intent.Cond
	conds = slices.DeleteFunc(conds, func(c intent.Cond) bool {
		timed := b.saysWhen(c)
		if timed {
			times = append(times, c)
		}
		return timed
	})
	if len(conds) == 0 && len(base) == 0 && len(groups) == 0 && len(times) > 0 { // "what share of the orders came in 2026"
		conds = []intent.Cond{allOf(times)}
	} else {
		base = append(base, times...)
	}
	if of := b.d.whole.of(); of != nil && of != b.root && (b.d.whole.table != nil || b.d.whole.column.Unique()) {
		b.fail("a share of the rows of another table")
		return
	}
	amount := b.d.whole.column
	if b.root.Observed != nil && !b.records && amount == nil { // rows that are figures are no whole: what they count is
		whole := b.counted(measure{agg: intent.AggCount, thing: b.d.whole})
		if amount = b.view.ColumnOf(whole.ID); b.failed != "" || whole.Agg != intent.AggSum || amount == nil {
			b.fail("a share of what is no rows")
			return
		}
	}
	switch {
	case len(b.d.aggs) > 0 && len(conds) > 0:
		b.fail("a share beside an aggregate")
		return
	case amount == nil || amount.Unique():
		amount = nil
	case amount.Nature != schema.Amount || !b.sums(intent.AggSum, amount) || len(b.d.aggs) > 0:
		b.fail("a share of what is no rows")
		return
	}
	for i, t := range b.d.mentions {
		if !b.placed[i] && (t.table != nil && t.table != b.root || t.column != nil) {
			b.fail("a share of what it is not said of")
			return
		}
	}
	if b.d.whole.rows != nil && len(conds) > 0 {
		b.asRows(b.d.whole.rows)
	}
	var share intent.Output
	switch {
	case len(conds) == 0 && len(groups) > 0 && (len(b.d.base) == 0 || amount != nil) && len(b.d.aggs) == 0: // what part of all each group is
		share = intent.Output{Agg: intent.AggShare, Field: intent.Field{Kind: intent.KindEntity, ID: b.root.ID}}
		if amount != nil {
			share.Field = field(amount)
		}
	case len(conds) == 0:
		b.fail("a share of nothing")
		return
	case len(conds) > 1 || len(b.d.base) > 0 && b.d.whose < 0 && len(b.d.values) > 0:
		b.fail("a share with two readings")
		return
	case !b.ofEachRow(conds[0]):
		b.fail("a share by what is related")
		return
	case amount != nil:
		share = b.partOf(amount, conds[0])
	default:
		share = b.part(conds[0])
	}
	b.in.Filters = base
	b.in.GroupBy = groups
	b.in.Select = append(b.shown(groups), share)
	if len(groups) > 0 {
		b.in.OrderBy = append([]intent.Order{{By: share, Desc: true}}, b.then(groups)...)
	}
}

// columnOf is the column that a condition is of; nil: it is of more, or of a figure.
func (b *composer) columnOf(c intent.Cond) *schema.Column {
	if c.Left == nil || c.Left.Agg != "" || c.Left.Calc != nil {
		return nil
	}
	return b.view.ColumnOf(c.Left.ID)
}

// saysWhen reports whether a condition is one of time.
func (b *composer) saysWhen(c intent.Cond) bool {
	if len(c.Args) > 0 {
		return !slices.ContainsFunc(c.Args, func(a intent.Cond) bool { return !b.saysWhen(a) })
	}
	of := b.columnOf(c)
	return of != nil && (of.Time || of.Nature == schema.Calendar)
}

// ofEachRow reports whether each row of the root either fulfils a condition or does not, so that the rows
// that do are a part of all of them: none has nothing to do with what the condition is of.
func (b *composer) ofEachRow(c intent.Cond) bool {
	if len(c.Args) > 0 {
		return !slices.ContainsFunc(c.Args, func(a intent.Cond) bool { return !b.ofEachRow(a) })
	}
	of := b.columnOf(c)
	return of != nil && b.view.EachHas(b.root, of.Of)
}

// composeRatio sets the numbers of rows with two stored values against each other: "the ratio of
// repairs to services".
func (b *composer) composeRatio(measures []intent.Output, groups []intent.Field) {
	d := b.d
	first, second := d.ratio[0], d.ratio[1]
	if len(measures)+len(groups)+len(d.targets)+len(d.bests) > 0 || first.column == nil || first.column != second.column || !b.view.OneRow(b.root, first.column.Of) {
		b.fail("a ratio of what is not said")
		return
	}
	of := func(v valued) intent.Output {
		o, cond := b.rows(), oneOf(v.column, v.stored)
		o.When = &cond
		return o
	}
	b.in.Select = []intent.Output{{Calc: &intent.Calc{Op: intent.Over, Left: of(first), Right: of(second)}}}
	b.note("ratio", first.stored[0], second.stored[0], b.root.Names.EN)
}

// composeChosen counts the things that a number of rows of each chooses.
func (b *composer) composeChosen(groups []intent.Field) {
	if len(groups) > 0 || len(b.in.Having) == 0 {
		b.fail("a number of things by groups")
		return
	}
	key := b.d.counts[0].table.Key[0]
	b.in.Select, b.in.GroupBy, b.in.Counted = []intent.Output{out("", key)}, []intent.Field{field(key)}, true
}

// composeBestShare orders things by a share: "which site has the highest share of failed
// inspections".
func (b *composer) composeBestShare(groups []intent.Field) {
	x := b.d.bests[0]
	if len(b.d.bests) > 1 || b.d.orders || x.count || x.agg != "" || !x.none() || len(groups) > 0 {
		b.fail("a share beside an order")
		return
	}
	target := b.target()
	if target.none() {
		b.fail("which has the share is not said")
		return
	}
	b.composeShare(b.fieldsOf(target))
	if b.failed != "" {
		return
	}
	share := b.in.Select[len(b.in.Select)-1]
	b.firstOf(intent.Order{By: share, Desc: x.desc}, cmpOr(x.n, b.d.limit))
}

// partOf is the part of the sum of an amount that rows give which fulfil a condition.
func (b *composer) partOf(amount *schema.Column, c intent.Cond) intent.Output {
	whole := out(intent.AggSum, amount)
	part := whole
	part.When = &c
	op := intent.Over
	if b.d.percent {
		op = intent.Percent
	}
	return intent.Output{Calc: &intent.Calc{Op: op, Left: part, Right: whole}}
}

// part is the part of the root's rows that fulfil a condition.
func (b *composer) part(c intent.Cond) intent.Output {
	if of := b.columnOf(c); c.Op == intent.Eq && len(c.Values) == 1 && of != nil && of.Of == b.root {
		o := intent.Output{Agg: intent.AggRate, Field: c.Left.Field}
		o.Value = c.Values[0].Text
		if b.d.percent {
			o.Times = "100"
		}
		return o
	}
	o := intent.Output{Agg: intent.AggRate, Field: intent.Field{Kind: intent.KindEntity, ID: b.root.ID}, When: &c}
	if b.d.percent {
		o.Times = "100"
	}
	return o
}

// composeList lists things.
func (b *composer) composeList(groups []intent.Field) {
	if len(groups) > 0 {
		b.fail("rows by groups")
		return
	}
	things := b.d.targets
	if b.d.size != nil { // "how tall is Everest"
		c := b.called(b.d.size.Attributes)
		if c == nil {
			b.fail("a size that nothing tells")
			return
		}
		things = append(slices.Clip(things), thing{column: c})
	}
	for i, t := range b.d.mentions {
		if t.none() || b.placed[i] {
			continue
		}
		if t.column != nil && len(b.d.targets) > 0 && b.d.targets[0].table == t.column.Of {
			continue // seen below
		}
		if len(b.d.targets) == 0 {
			things = append(slices.Clip(things), t)
			b.placed[i] = true
		}
	}
	if p := b.persons(); len(things) == 0 && b.d.who && p != nil && p.Persons() { // "who joined in 2026"
		things = []thing{{table: p}}
	}
	if len(things) == 0 {
		b.fail("nothing is asked for")
		return
	}
	if b.d.distinct { // "the different countries with members": the members are whose they are
		things = slices.DeleteFunc(slices.Clone(things), func(t thing) bool {
			return t.table != nil && slices.ContainsFunc(things, func(o thing) bool { return o.column != nil && o.column.Of == t.table })
		})
	}
	things = slices.DeleteFunc(slices.Clone(things), func(t thing) bool { // what has no name is shown by what is asked of it
		return t.table != nil && len(t.table.Label) == 0 && slices.ContainsFunc(b.d.targets, func(o thing) bool { return o.column != nil && o.column.Of == t.table })
	})
	if c := things[0].column; (b.d.number || b.d.plain) && len(things) == 1 && c != nil && c.Nature == schema.Amount && !c.Unique() && b.d.sort.none() && b.d.limit == "" {
		b.cost += costSum // "what was the revenue in March"
		b.note("summed", c.Expr)
		b.composeMeasures([]intent.Output{out(intent.AggSum, c)}, nil)
		return
	}
	if b.d.number && len(things) > 1 && slices.ContainsFunc(things, func(t thing) bool { return t.column != nil && t.column.Nature == schema.Amount }) {
		b.fail("a number is asked for, and there are more")
		return
	}
	if b.d.number && !slices.ContainsFunc(things, func(t thing) bool { return t.column != nil && t.column.Numeric() }) {
		b.fail("a number is asked for")
		return
	}
	b.in.Distinct = b.d.distinct
	if len(b.d.targets) == 0 {
		b.cost += costGuess
	}
	if len(things) > 1 { // "the names of members whose country is ...": the country is a condition
		things = slices.DeleteFunc(slices.Clone(things), func(t thing) bool {
			return t.column != nil && slices.ContainsFunc(b.d.values, func(v valued) bool { return v.column == t.column && !v.named })
		})
	}
	for _, t := range things {
		if t.column != nil && t.column.FlagLike() && t.column.Nature != schema.Flag && len(things) > 1 { // "the official language": not whether it is
			b.fail("a flag of which it is not known how it says yes")
			return
		}
		for _, o := range b.labelsOf(t) {
			if !slices.Contains(b.in.Select, o) {
				b.in.Select = append(b.in.Select, o)
			}
		}
		if c := t.column; c != nil && !c.Unique() && len(things) == 1 && b.d.sort.none() && (b.d.pick || c.Nature == schema.Category) {
			b.in.Distinct = len(b.in.GroupBy) == 0 // the kinds that there are
		}
	}
	if len(b.in.Select) == 0 {
		return // labelsOf has said why
	}
	if len(b.in.Filters) == 0 && b.d.limit == "" && b.d.order == "" && b.d.which < 0 && len(b.d.targets) == 0 {
		b.fail("a list of all, which nobody asked for")
	}
	if len(b.d.again) > 0 && b.d.which < 0 && len(b.d.targets) == 0 && things[0].partly { // "registered users on weekends" are no platforms of registration
		b.fail("a list of what is only partly named, by days that come again")
	}
	if b.d.sort.table != nil {
		b.fail("rows in an order of things")
	}
	if s := b.d.sort; s.column != nil {
		b.in.OrderBy = []intent.Order{{By: out("", s.column), Desc: b.d.order == "desc"}}
		b.in.Distinct = b.in.Distinct && slices.Contains(b.in.Select, out("", s.column))
	} else if b.d.order != "" {
		b.in.OrderBy = []intent.Order{{By: b.in.Select[0], Desc: b.d.order == "desc"}}
	}
	b.limit()
}

// leftOver tells of names that were said and that nothing was done with.
func (b *composer) leftOver() {
	for i, t := range b.d.mentions {
		switch {
		case t.column != nil && !b.placed[i] && slices.Contains(b.in.GroupBy, field(t.column)) && !slices.Contains(b.in.Select, out("", t.column)):
			b.in.Select = append([]intent.Output{out("", t.column)}, b.in.Select...) // "the id and name"
		case b.placed[i] || t.none():
		case t.table == b.root:
		case t.table != nil && slices.ContainsFunc(b.in.GroupBy, func(f intent.Field) bool { // 各类型剧本: it is theirs
			c := b.view.ColumnOf(f.ID)
			return c != nil && c.Of == t.table
		}) && b.view.OneRow(b.root, t.table):
		case t.column != nil && t.partly && !t.called && t.column.Of == b.root && t.column.Naming() && b.in.HasAggregate(): // 男性患者的平均年龄
			b.cost += costRows
			b.note("taken_rows", t.label(), b.root.Names.EN)
		case t.table != nil && b.view.OneRow(b.root, t.table): // the rows are theirs
			b.cost += costPartial
		case t.table != nil && (b.asked(intent.NotExists, t.table) || b.asked(intent.Exists, t.table) || b.lackedWith(t.table)): // it is said which of its rows there are, or are not
		case t.table != nil && b.view.Distance(b.root, t.table) < plan.Unreachable:
			b.in.With = append(b.in.With, t.table.ID)
		case t.column != nil && t.column.Nature == schema.Flag:
			b.flag(t.column, true)
		case t.column != nil && slices.ContainsFunc(b.in.Select, func(o intent.Output) bool { return o.ID == t.column.ID }):
		case t.column != nil && slices.ContainsFunc(b.in.Fields(), func(f intent.Field) bool { return f.ID == t.column.ID }):
			b.cost += costUnplaced / 4
		case t.done && t.column.Of == b.root && b.eachWasDone(t.column) && b.figured(): // each of the rows was
			b.cost += costPartial
		case t.done && t.column.Missing > 0 && b.view.OneRow(b.root, t.column.Of) && len(b.in.Select) > 0: // those that were
			left := out("", t.column)
			b.filter(intent.Cond{Op: intent.NotNull, Left: &left})
			b.note("was_done", t.column.Expr)
		case t.column != nil && (t.column.Time || t.column.Nature == schema.Level) && len(b.in.Select) > 0:
			b.cost += costUnplaced / 2
			b.note("unplaced", t.label())
		default:
			b.cost += costUnplaced
			b.note("unplaced", t.label())
		}
	}
	for _, t := range b.d.targets {
		if t.column != nil && !slices.ContainsFunc(b.in.Fields(), func(f intent.Field) bool { return f.ID == t.column.ID }) && !slices.Contains(t.column.Of.Key, t.column) {
			b.cost += costUnplaced
			b.note("unplaced", t.label())
		}
	}
	for i, o := range b.in.Select {
		if slices.Contains(b.in.Select[:i], o) {
			b.fail("the same twice")
		}
	}
}

// eachWasDone reports whether rows were all that what a column dates: each is known to have a day
// there. Who looked at the days has counted the missing ones too.
func (b *composer) eachWasDone(c *schema.Column) bool {
	return !c.Nullable || c.Low != "" && c.Missing == 0
}

// figured reports whether rows are counted or summed up, or ordered by such a figure.
func (b *composer) figured() bool {
	return b.in.HasAggregate() || slices.ContainsFunc(b.in.OrderBy, func(o intent.Order) bool { return o.By.Aggregates() })
}

func (t thing) label() string {
	switch {
	case t.column != nil:
		return t.column.Expr
	case t.table != nil:
		return t.table.Names.EN
	case t.rows != nil:
		return t.rows.text
	}
	return ""
}

// joins charges for how far apart the tables are. Rows that meet in a table which nobody
// named are not taken to belong together: the loans and the complaints of one branch.
func (b *composer) joins() {
	seen := map[*schema.Table]bool{b.root: true}
	named := b.d.tables()
	apart := func(t *schema.Table) bool {
		m := b.view.Meeting(b.root, t)
		return m != nil && !slices.Contains(named, m)
	}
	if slices.ContainsFunc(b.in.With, func(id string) bool {
		t := b.view.ByID(id)
		return t != nil && apart(t)
	}) {
		b.fail("related by what nobody named")
		return
	}
	for _, f := range b.in.Fields() {
		c := b.view.ColumnOf(f.ID)
		if c == nil || seen[c.Of] {
			continue
		}
		seen[c.Of] = true
		d := b.view.Distance(b.root, c.Of)
		if d >= plan.Unreachable {
			b.fail("no join")
			return
		}
		if apart(c.Of) {
			b.fail("related by what nobody named")
			return
		}
		b.cost += costJoin * d
		if b.view.Ways(b.root, c.Of) > 1 && !b.through(b.root, c.Of) {
			b.cost += costWays
			b.note("ways", c.Of.Names.EN)
		}
	}
}

// steps are the fields that cut time into steps: days of the week have their order beside them.
func (b *composer) steps(grain string) ([]intent.Field, bool) {
	f, ok := b.timeBy(grain)
	if !ok {
		return nil, false
	}
	list := []intent.Field{f}
	if f.Grain == intent.Weekday {
		f.Grain = intent.WeekdayNumber
		list = append(list, f)
	}
	return list, true
}

// timeBy cuts time into steps: by a day of the rows, or by a column of whole years,
// months and the like.
func (b *composer) timeBy(grain string) (intent.Field, bool) {
	named := b.calendar(grain)
	if named != nil && b.root.Dated() == nil && !b.namesDay() {
		return field(named), true
	}
	if c := b.day(); c != nil {
		if named != nil && grain == intent.MonthOfYear {
			return field(named), true
		}
		if named != nil && grain != "year" { // a column is called so, too: of all years together, or the time is one of another zone
			if year := b.calendar("year"); year != nil && year.Distinct == 1 {
				return field(named), true
			}
			if !b.inOneYear() { // else they are the same
				b.note("steps_open", grain, named.Expr, c.Expr)
			}
		}
		if (grain == "hour" || grain == intent.HourOfDay) && strings.EqualFold(c.Type, "date") {
			return intent.Field{}, false
		}
		f := field(c)
		if grain != "day" || !strings.EqualFold(c.Type, "date") { // a date is a day
			f.Grain = grain
		}
		return f, true
	}
	if named != nil {
		return field(named), true
	}
	return intent.Field{}, false
}

// inOneYear reports whether the only time that is asked for lies within one year, so that months are those of a date
// and those of a column alike.
func (b *composer) inOneYear() bool {
	if len(b.d.times) != 1 {
		return false
	}
	f := b.d.times[0]
	return !f.From.IsZero() && !f.To.IsZero() && f.From.Year() == f.To.AddDate(0, 0, -1).Year()
}

// calendar is a column of the root that holds the numbers of years, months, ...
func (b *composer) calendar(grain string) *schema.Column {
	for _, word := range grainNames[grain] {
		for _, h := range b.reader.lookUp(b.view, word) {
			if c := h.Column; c != nil && c.Of == b.root && c.Nature == schema.Calendar && h.Score > 0.7 && !c.Aside() {
				return c
			}
		}
	}
	return nil
}

// grainNames are what columns are called that hold parts of dates.
var grainNames = map[string][]string{
	"year": {"year", "年份", "年"}, "quarter": {"quarter", "季度"}, "month": {"month", "月份", "月"}, "week": {"week", "周"}, "day": {"day", "日"}, "hour": {"hour", "小时"},
	intent.Weekday: {"weekday", "星期"}, intent.HourOfDay: {"hour", "小时"}, intent.MonthOfYear: {"month", "月份", "月"},
}

// day is the column that dates the rows: the one that the question names, else the
// only one or the first one of the root, else that of a table that it leads to.
func (b *composer) day() *schema.Column {
	for i, t := range b.d.mentions {
		if t.column != nil && t.column.Time && b.view.OneRow(b.root, t.column.Of) {
			b.placed[i] = true
			return t.column
		}
	}
	for _, m := range slices.Concat(b.d.counts, b.d.aggs) {
		if m.column != nil && m.column.Time {
			return m.column
		}
	}
	if c := b.root.Dated(); c != nil {
		if len(b.root.Days()) > 1 {
			b.cost += costGuess
			b.note("dated_by", c.Expr)
		}
		return c
	}
	var found *schema.Column
	nearest := plan.Unreachable
	for _, t := range b.view.Tables {
		c := t.Dated()
		if c == nil || !b.view.OneRow(b.root, t) {
			continue
		}
		switch d := b.view.Distance(b.root, t); {
		case d < nearest || d == nearest && found != nil && found.Of.Persons() && !t.Persons(): // a person's day dates the person
			found, nearest = c, d
		case d == nearest && found != nil && !t.Persons():
			b.cost += costWays // either may be meant
		}
	}
	if found != nil {
		b.note("dated_by", found.Expr)
	}
	return found
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// isText reports whether a column holds texts.
func isText(c *schema.Column) bool { return semantic.IsText(c.Type) }
