package reader

import (
	"cmp"
	_ "embed" // change.yaml
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

//go:embed change.yaml
var changeFile []byte

// changeWords are the words and the grammar of changes: those of questions, and more.
type changeWords struct {
	words   *language.Words
	grammar []rule
}

func loadChanges(questions []rule) (changeWords, error) {
	words, err := language.LoadChanges()
	if err != nil {
		return changeWords{}, err
	}
	rules, err := rulesOf(changeFile)
	if err != nil {
		return changeWords{}, err
	}
	return changeWords{words: words, grammar: slices.Concat(questions, rules)}, nil
}

// Change is one way in which what was said changes an earlier question.
type Change struct {
	Intent intent.Intent
	Edits  []followup.Edit
	// Refused is why it cannot be made, with the edit; nil: it can.
	Refused *followup.Refusal
	Unread  []string // words that nothing was done with
	// Own says that it reads as a question of its own, Cue that a word of it points
	// back at the earlier one.
	Own, Cue bool
	// Subject says that it names what it computes or asks for.
	Subject bool
	// Rest is what was said without the thanks and the like that it begins with.
	Rest  string
	Notes []Note
	Spans []Span
	Cost  float64 // the lower, the likelier
	Doubt float64 // the part of the cost that tells how far the reading guessed
}

// Costs of changes.
const (
	costRefused = 1.0 // a reading that cannot be made is the less likely one
	costWithin  = 1.0 // a word that is a character of a longer one
	costUnseen  = 0.6 // a value of a column that the answer does not show, where it is one of a column that it shows
	costOther   = 0.4 // a value of other things than those that are shown
	costNearby  = 0.2 // a name that the earlier question did not use, where another fits
)

// Change returns the ways in which what was said changes an earlier question, likeliest
// first, those with the same result once.
func (r *Reader) Change(said string, prev *intent.Intent, v *schema.View, now time.Time) []Change {
	l := r.lattice(said, v, now)
	r.changeItems(l)
	heldItems(l, prev, v)
	over := *r
	over.grammar = r.changes.grammar
	root := rootOf(prev, v)
	if root == nil {
		return nil
	}
	asked := prev
	prev, again := periodsKept(prev)
	var list []Change
	for _, c := range over.covers(l) {
		for _, choice := range over.changeChoices(&c, prev, v, root) {
			variants := 1
			for variant := 0; variant < variants; variant++ {
				b := changer{
					composer: composer{reader: &over, view: v, now: now, d: &draft{which: -1, share: -1, whose: -1}, root: root, l: l, placed: map[int]bool{}},
					prev:     prev, variant: variant, variants: &variants,
				}
				x := b.change(l, &c, choice)
				if x.Refused != nil {
					x.Intent = *asked
				} else if again(&x.Intent); asked.ComparesPeriods() && !x.Intent.ComparesPeriods() {
					x.Notes = append(x.Notes, Note{ID: "compares_no_more"})
				}
				x.Cost += c.cost + choice.cost
				x.Doubt += fitOf(&c) + choice.cost
				x.Spans = spans(&c, choice.chosen)
				list = keepChange(list, x)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.Cost, b.Cost) })
	return list[:min(len(list), maxReadings)]
}

// changeItems adds the words of changes to a lattice. One inside another is none, and
// what says that something is added or left out is not passed over as a small word.
func (r *Reader) changeItems(l *lattice) {
	w := r.changes.words
	var found []*item
	for i := range l.tokens {
		for to := i + 1; to <= min(len(l.tokens), i+w.Longest()); to++ {
			for _, t := range w.Tags(language.Key(l.tokens[i:to])) {
				found = append(found, &item{from: i, to: to, class: classWord, tag: t, cost: costItem / 2})
			}
		}
	}
	inside := func(it *item) bool {
		return slices.ContainsFunc(found, func(o *item) bool { return o.from <= it.from && it.to <= o.to && o.to-o.from > it.to-it.from })
	}
	for _, it := range slices.Concat(l.at...) { // "how many" is no row of small words
		if it.is("havemany", "howmany", "count") && it.to > it.from+1 {
			for at := it.from; at < it.to; at++ {
				l.at[at] = slices.DeleteFunc(l.at[at], func(o *item) bool { return o.to <= it.to && o.filler() })
			}
		}
	}
	called := func(it *item) bool { // the data call something so
		return slices.ContainsFunc(slices.Concat(l.at[:it.from+1]...), func(o *item) bool {
			longer := o.to-o.from > it.to-it.from
			return o.class == className && o.to >= it.to && (longer || it.is("look") && o.from == it.from) && o.hits[0].Score >= exactName
		})
	}
	for _, it := range found {
		if inside(it) || called(it) {
			continue
		}
		if it.tag.Name == "mode" {
			l.at[it.from] = slices.DeleteFunc(l.at[it.from], func(o *item) bool { return o.to == it.to && o.filler() })
		}
		l.add(it)
	}
	for _, it := range slices.Concat(l.at...) { // 比 in 占比: a character of a longer word is hardly a word of its own
		if it.class != classWord || it.filler() || it.to != it.from+1 || l.tokens[it.from].Text[0] < utf8.RuneSelf {
			continue
		}
		around := slices.Concat(l.at[max(0, it.from-w.Longest()) : it.from+1]...)
		if slices.ContainsFunc(around, func(o *item) bool { return o.class == classWord && !o.filler() && o.to >= it.to && o.to-o.from > 1 }) {
			it.cost += costWithin
		}
	}
}

// minHeld is how many characters a part of a stored value has, in Han characters or in others, that
// stands for the whole where the earlier question keeps rows by it.
const (
	minHeldHan = 2
	minHeld    = 3
)

// heldItems adds words of values that the earlier question keeps rows by: "drop Sian" after the jobs
// of Sian Probert. They are no parts of other values, as they point at what is in force.
func heldItems(l *lattice, prev *intent.Intent, v *schema.View) {
	for _, f := range prev.Filters {
		c := columnOf(v, f)
		if c == nil || !on(f, c.ID) || !slices.Contains([]intent.Op{intent.Eq, intent.In, intent.Ne, intent.NotIn}, f.Op) {
			continue
		}
		for _, x := range f.Values {
			if !x.Number {
				l.heldValue(schema.Value{Column: c, Stored: []string{x.Text}, Score: 1})
			}
		}
	}
}

// heldValue adds the longest spans that are a part of one value.
func (l *lattice) heldValue(x schema.Value) {
	words := language.Split(strings.ToLower(x.Stored[0]))
	for from := 0; from < len(l.tokens); from++ {
		for to := len(l.tokens); to > from; to-- {
			text := l.span(from, to)
			if n := utf8.RuneCountInString(text); n < minHeld && (n < minHeldHan || l.tokens[from].Kind != language.Han) || to-from >= len(words) || !partOf(l.tokens[from:to], words) {
				continue
			}
			if !slices.ContainsFunc(l.at[from], func(it *item) bool { return it.to >= to && it.class == classValue && !it.values[0].Part }) {
				l.add(&item{from: from, to: to, class: classValue, values: []schema.Value{x}, cost: costItem})
			}
			from = to - 1
			break
		}
	}
}

// partOf reports whether tokens stand beside each other in a value.
func partOf(said, value []language.Token) bool {
	for at := 0; at+len(said) <= len(value); at++ {
		same := true
		for i := range said {
			same = same && said[i].Lower == value[at+i].Lower
		}
		if same {
			return true
		}
	}
	return false
}

// keepChange adds a change, or makes the one that comes to the same likelier.
func keepChange(list []Change, x Change) []Change {
	for i := range list {
		o := &list[i]
		if (o.Refused == nil) == (x.Refused == nil) && slices.Equal(o.Unread, x.Unread) && o.Own == x.Own && written(&o.Intent) == written(&x.Intent) {
			if x.Cost < o.Cost {
				*o = x
			}
			return list
		}
	}
	return append(list, x)
}

// fitOf is how badly the names and values of a cover fit.
func fitOf(c *cover) float64 {
	d := 0.0
	for _, p := range c.parts {
		for _, it := range p.items {
			if it.class == className || it.class == classValue {
				d += max(0, it.cost-costItem)
			}
		}
	}
	return d
}

// rootOf is the table whose rows an intent is about: those that its figures are of, where
// it has some.
func rootOf(in *intent.Intent, v *schema.View) *schema.Table {
	for _, o := range slices.Concat(in.Select, ordered(in)) {
		if o.Aggregates() && o.Calc == nil {
			if t := ownerOf(o.Field, v); t != nil {
				return t
			}
		}
	}
	for _, t := range v.Tables {
		if t.ID == in.Entity {
			return t
		}
	}
	for _, f := range in.Fields() {
		if t := ownerOf(f, v); t != nil {
			return t
		}
	}
	return nil
}

func ownerOf(f intent.Field, v *schema.View) *schema.Table {
	if c := v.ColumnOf(f.ID); c != nil {
		return c.Of
	}
	for _, t := range v.Tables {
		if f.Kind == intent.KindEntity && t.ID == f.ID {
			return t
		}
	}
	return nil
}

// changeChoices decides what the names of a cover stand for: what the earlier question
// used comes first, then its tables, then those near them.
func (r *Reader) changeChoices(c *cover, prev *intent.Intent, v *schema.View, root *schema.Table) []choice {
	start := choice{chosen: chosen{hits: map[*item]schema.Hit{}, values: map[*item]*schema.Value{}}, tables: []*schema.Table{root}}
	used := map[string]bool{}
	for _, f := range prev.Fields() {
		used[f.ID] = true
		if t := ownerOf(f, v); t != nil && !slices.Contains(start.tables, t) {
			start.tables = append(start.tables, t)
		}
	}
	seen := map[string]bool{} // columns whose values stand in the answer, or in what it says of itself
	for _, f := range prev.GroupBy {
		seen[f.ID] = true
	}
	for _, x := range prev.Filters {
		if x.Left != nil {
			seen[x.Left.ID] = true
		}
	}
	var shown []*schema.Table // whose things are shown, each by itself
	for _, f := range prev.GroupBy {
		if x := v.ColumnOf(f.ID); x != nil && slices.Contains(x.Of.Key, x) {
			shown = append(shown, x.Of)
		}
	}
	beam := []choice{start}
	for _, p := range c.parts {
		for i, it := range p.items {
			switch it.class {
			case className:
				beam = r.chooseName(beam, it, p.kinds[i], p, v, nil)
				beam = r.preferNear(beam, it, start.tables)
			case classValue:
				beam = r.chooseValue(beam, it, p, v)
				beam = preferUsed(beam, it, costNearby, func(c *schema.Column) bool { return used[c.ID] })
				beam = preferUsed(beam, it, costOther, func(c *schema.Column) bool { return slices.Contains(shown, c.Of) })
				beam = preferUsed(beam, it, costUnseen, func(c *schema.Column) bool { return seen[c.ID] })
				beam = r.preferName(beam, it)
			}
		}
	}
	return beam
}

// preferUsed charges for values of columns that the earlier question has less to do with, where
// the same word is a value of one that it used, or of the things that it shows.
func preferUsed(beam []choice, it *item, cost float64, near func(*schema.Column) bool) []choice {
	if !slices.ContainsFunc(it.values, func(x schema.Value) bool { return near(x.Column) }) {
		return beam
	}
	for i := range beam {
		if x := beam[i].values[it]; x != nil && !near(x.Column) {
			beam[i].cost += cost
		}
	}
	return likeliestFirst(beam)
}

func likeliestFirst(beam []choice) []choice {
	slices.SortStableFunc(beam, func(a, b choice) int { return cmp.Compare(a.cost, b.cost) })
	return beam
}

// preferNear charges for names in tables that the earlier question did not use, where one that
// it used has a name that fits as well, for columns that are called as the rows are, and for what is no money where a word of money was said
// and something else that it may stand for is money.
func (r *Reader) preferNear(beam []choice, it *item, used []*schema.Table) []choice {
	within := func(h schema.Hit) bool { return slices.Contains(used, h.Of()) }
	near := slices.ContainsFunc(it.hits, func(h schema.Hit) bool { return within(h) && h.Score >= it.hits[0].Score })
	money := r.wordOfMoney(it) && slices.ContainsFunc(it.hits, r.ofPayment)
	rows := slices.ContainsFunc(it.hits, func(h schema.Hit) bool { return h.Table != nil && h.Table == used[0] && h.Score >= it.hits[0].Score })
	if !near && !money && !rows {
		return beam
	}
	for i := range beam {
		h, ok := beam[i].hits[it]
		if !ok {
			continue
		}
		if near && !within(h) || rows && h.Column != nil {
			beam[i].cost += costNearby
		}
		if money && !r.ofPayment(h) {
			beam[i].cost += costGuess
		}
	}
	return likeliestFirst(beam)
}

// preferName charges for a word of money that is taken for a stored value: 金额 asks for an
// amount, though a song may be called "Money".
func (r *Reader) preferName(beam []choice, it *item) []choice {
	if !r.wordOfMoney(it) {
		return beam
	}
	for i := range beam {
		beam[i].cost += costGuess
	}
	return beam
}

// wordOfMoney reports whether an item is a general word for an amount of money.
func (r *Reader) wordOfMoney(it *item) bool {
	return r.language.Alike(strings.ToLower(it.text), "amount")
}

// ofPayment reports whether a hit is a column of money.
func (r *Reader) ofPayment(h schema.Hit) bool { return h.Column != nil && r.holdsMoney(h.Column) }

// dealing is what is done with what was named.
type dealing int

const (
	replacing dealing = iota
	adding
	leaving // it goes, or is left out
	denying // it is not so
)

// dealt is a thing that was said with what is done with it.
type dealt[T any] struct {
	what T
	how  dealing
}

// changer turns the parts of a cover into edits of an intent.
type changer struct {
	composer

	prev  *intent.Intent
	edits []followup.Edit
	why   *followup.Refusal
	how   dealing

	cue, frame, subject bool
	told                bool // a word asks for what no change does
	leans               bool // it leaves out of what the first or each are wanted
	content             int  // parts that say more than what is done

	values      []dealt[valued]
	times       []dealt[dates.Found]
	counts      []dealt[measure]
	aggs        []dealt[measure]
	groups      []dealt[grouping]
	names       []dealt[thing]
	only        bool      // some of what there is are kept, and not something else instead
	picks       bool      // one of what was answered is asked for: "which has the most?"
	having      []lacking // what the rows that are kept have one of
	beside      []thing   // what is shown of each row: "with their prices"
	every       []thing
	bests       []best
	limits      []string
	numbers     []*item
	compared    []compared
	contains    []containing
	order       string
	sort        thing
	ranked      *measure
	against     *followup.Edit // the comparison with another period that is wanted; nil: none
	share       bool
	percent     bool
	gone        bool     // a figure is replaced, and by nothing but a figure
	statistic   bool     // what is highest or lowest is called as an aggregate is: "the maximum"
	money       bool     // a total is called one of money
	takesBack   bool     // what goes is a condition, where there is one
	firstRanked string   // how many of the ranked are wanted; empty: it is not said
	asMany      bool     // as many rows as before are wanted
	anyOrder    bool     // what is highest or lowest is said of any order: 最高
	directed    bool     // of two periods, the first is compared with the second
	lists       bool     // one after the other: "list the women"
	wishes      []string // parts without a thing: rows, reverse, ever, ...
	backs       []shift
	dated       *schema.Column // of what the time that was said is; nil: it is not said
	targets     []thing
	unread      []*item

	// Where a part may be meant in two ways each variant takes one of them.
	variant  int
	variants *int
}

// shift is a time so much earlier or later.
type shift struct {
	unit string
	n    int
}

// fork notes that a part may be meant in n ways, and returns the one to take.
func (b *changer) fork(n int) int {
	*b.variants = max(*b.variants, n)
	return min(b.variant, n-1)
}

func (b *changer) edit(e followup.Edit) { b.edits = append(b.edits, e) }

// refuse notes the first edit that cannot be made.
func (b *changer) refuse(e followup.Edit, why followup.Why) {
	if b.why == nil {
		b.why = &followup.Refusal{Edit: e, Why: why}
	}
}

// change reads the parts and applies them.
func (b *changer) change(l *lattice, c *cover, choice choice) Change {
	b.how = usualDealing(c.parts)
	b.lists = l.listsEach()
	for i, p := range c.parts {
		if l.divided(p) {
			b.cost += map[bool]float64{false: costGuess, true: costRefused}[p.make == "gone"]
		}
		if i > 0 && ofNumber(c.parts[i-1], p) || awayFromNumber(p) {
			b.cost += costGuess
		}
		b.part(l, p, choice.chosen)
	}
	b.cue = b.cue || l.endsPointing() || l.speaksOfTheirs() || l.speaksOfThem()
	b.in = copied(*b.prev)
	b.apply()
	x := Change{Intent: b.in, Edits: b.edits, Refused: b.why, Cue: b.cue, Unread: texts(b.unread), Notes: b.notes, Doubt: b.cost, Cost: b.cost}
	x.Rest, x.Subject = restOf(l, c.parts), b.subject
	x.Own = !b.cue && !b.leans && b.subject && (b.frame || b.content > 1)
	if b.failed != "" && x.Refused == nil {
		x.Refused = &followup.Refusal{Why: followup.WhyNotOver}
	}
	if len(b.edits) == 0 && x.Refused == nil && len(x.Unread) == 0 {
		x.Refused = &followup.Refusal{Why: followup.WhyNothing}
	}
	if x.Refused != nil {
		if x.Intent = *b.prev; !b.told {
			x.Cost += costRefused
		}
	}
	return x
}

// divided reports whether a figure is put together over a comma: what stands behind it says
// something else.
func (l *lattice) divided(p *part) bool {
	if !slices.Contains([]string{"agg", "count", "super", "most", "gone"}, p.make) {
		return false
	}
	return slices.ContainsFunc(l.tokens[p.from:p.to-1], func(t language.Token) bool { return slices.Contains(commas, t.Text) && t.Text != "、" })
}

// ofNumber reports whether a name stands right behind the number that something is compared with,
// and is taken for something else than what there are so many of: "more than 100 employees".
func ofNumber(before, p *part) bool {
	last := before.items[len(before.items)-1]
	return last.class == classNumber && last.to == p.from && p.make == "mention"
}

// awayFromNumber reports whether small words stand between a comparison and its number: 最多五 is at
// most five, 最多的五个 are the first five.
func awayFromNumber(p *part) bool {
	if p.make != "compare" {
		return false
	}
	it, n := p.item("cmp"), p.item("number")
	return it != nil && n != nil && it.to < n.from && !slices.ContainsFunc(p.items, func(o *item) bool { return o.from >= it.to && o.to <= n.from })
}

// endsPointing reports whether what was said ends by pointing at what was answered: "how many
// orders is that?" is no question of its own, whatever else it says.
func (l *lattice) endsPointing() bool {
	end := len(l.tokens)
	for end > 0 && l.tokens[end-1].Kind == language.Mark {
		end--
	}
	return slices.ContainsFunc(slices.Concat(l.at[:end]...), func(it *item) bool { return it.to == end && it.is("points") })
}

// speaksOfTheirs reports whether something is said to be of what nothing before has named: "list
// their names".
func (l *lattice) speaksOfTheirs() bool {
	for i, at := range l.at {
		if slices.ContainsFunc(at, func(it *item) bool { return it.is("theirs") }) {
			return true
		}
		if slices.ContainsFunc(l.at[i], func(it *item) bool {
			return it.class == className || it.class == classValue || it.class == classUnknown
		}) {
			return false
		}
	}
	return false
}

// speaksOfThem reports whether a pronoun stands for what nothing in the message names before it: "what
// did they charge?" is of those who were spoken of.
func (l *lattice) speaksOfThem() bool {
	for i, at := range l.at {
		for _, it := range at {
			switch {
			case it.is("pronoun") && (it.from == 0 || it.to > it.from+1 || l.tokens[i].Kind != language.Han): // 他 in 其他 is none
				return true
			case it.class == classValue, it.class == className && it.hits[0].Table != nil:
				return false
			}
		}
	}
	return false
}

// restOf is the text behind the polite words that it begins with.
func restOf(l *lattice, parts []*part) string {
	at := 0
	for _, p := range parts {
		if p.make != "said" || p.items[0].tag.Name != "polite" {
			break
		}
		at = p.to
	}
	for at < len(l.tokens) && l.tokens[at].Kind == language.Mark {
		at++
	}
	if at == len(l.tokens) {
		return l.text
	}
	return l.text[l.tokens[at].Start:]
}

// usualDealing is what is done with names before which nothing is said: the words at the end
// count, as in "wheat too".
func usualDealing(parts []*part) dealing {
	for _, p := range parts {
		switch {
		case p.make == "mode" && p.items[0].tag.Arg != "shift" && p.items[0].tag.Arg != "correct":
			return replacing // said first
		case p.make == "mode", p.make == "said":
			continue
		}
		break
	}
	for _, p := range slices.Backward(parts) {
		if p.make != "mode" || p.items[0].tag.Arg == "shift" {
			if p.make == "said" {
				continue
			}
			break
		}
		switch p.items[0].tag.Arg {
		case "add":
			return adding
		case "without", "drop":
			return leaving
		}
	}
	return replacing
}

// part takes one part in.
func (b *changer) part(l *lattice, p *part, x chosen) {
	if !slices.Contains([]string{"mode", "said", "gone", "join"}, p.make) {
		b.content++
	}
	switch p.make {
	case "mode":
		b.mode(p.items[0], len(l.tokens))
	case "said":
		b.cue = b.cue || p.items[0].tag.Name == "points"
	case "gone":
		b.cue = true
		b.gone = b.gone || slices.ContainsFunc(p.items, func(it *item) bool { return it.is("agg", "count", "counted", "tally") })
		if t := p.name(x); t.none() {
			b.goes(p)
		} else if !b.asked(t) { // what goes was there
			b.cost += costRefused
		}
	case "utmost": // "not the average, the highest": of the same column
		b.cue = true
		b.goes(p)
		b.aggs = append(b.aggs, dealt[measure]{measure{agg: utmost(p.item("super").tag.Arg == "hi")}, b.how})
	case "notfigure": // of a column that the figure before was of
		b.cue = true
		if t := p.name(x); !slices.ContainsFunc(b.prev.Select, func(o intent.Output) bool { return o.Aggregates() && t.is(o) }) {
			b.cost += costRefused
			b.unread = append(b.unread, p.all(className)[0])
		}
	case "every":
		b.every = append(b.every, p.name(x))
	case "withfigure": // "with their average rating": beside what is shown
		m := measure{agg: aggregates[p.item("agg").tag.Arg], thing: p.name(x)}
		b.aggs = append(b.aggs, dealt[measure]{m, adding})
		b.cue = true
	case "mosttimes": // 人次最多的5位: by how many rows there are
		if it := p.item("name"); it != nil && p.name(x).table != b.root { // 投诉次数 of what is no complaint
			b.unread = append(b.unread, it)
		}
		b.ranked = &measure{agg: intent.AggCount}
		b.order = "desc"
		if it := p.item("super"); it != nil && it.tag.Arg == "lo" {
			b.order = "asc"
		}
		if it := p.item("number"); it != nil {
			b.firstRanked = it.number
		}
		b.cue = true
	case "lasts": // "the bottom ones": as many as before, of that end
		b.bests = append(b.bests, best{desc: p.item("top").tag.Arg != "lo"})
		b.anyOrder, b.asMany, b.cue = true, true, true
	case "number":
		b.numbers = append(b.numbers, p.item("number"))
	case "back", "ahead":
		n := map[string]int{"back": -1, "ahead": 1}[p.make]
		b.backs = append(b.backs, shift{p.items[0].tag.Arg, n})
		b.cue = true
	case "turned": // "cheapest first"
		b.order = map[string]string{"hi": "desc", "lo": "asc"}[p.item("super").tag.Arg]
		b.cue = true
	case "ranked", "sortcount":
		b.rank(p, x)
	case "grouphas":
		b.groupOfOwner(p, x)
	case "shown":
		b.beside = append(b.beside, p.name(x))
	case "ever", "nolimit", "condition", "rows", "reverse", "versus", "why":
		b.wishes = append(b.wishes, p.make)
		b.cue = true
	default:
		b.question(l, p, x)
	}
}

// goes takes what is replaced for not understood, where it is a kind of figure that was not there.
func (b *changer) goes(p *part) {
	if it := p.item("agg"); it != nil && !b.computed(aggregates[it.tag.Arg]) {
		b.cost += costRefused
		b.unread = append(b.unread, it)
	}
}

// computed reports whether the earlier question shows a figure of a kind; a number of rows may be
// called a total.
func (b *changer) computed(agg intent.Agg) bool {
	return slices.ContainsFunc(slices.Concat(b.prev.Select, ordered(b.prev)), func(o intent.Output) bool {
		return o.Agg == agg || o.Calc != nil || agg == intent.AggSum && o.Aggregates() && o.Agg != intent.AggAvg && o.Agg != intent.AggMedian
	})
}

// ordered are what an intent orders by.
func ordered(in *intent.Intent) []intent.Output {
	var list []intent.Output
	for _, o := range in.OrderBy {
		list = append(list, o.By)
	}
	return list
}

// asked reports whether the earlier question is about a thing: computes, shows, groups by or compares it.
func (b *changer) asked(t thing) bool {
	return slices.ContainsFunc(b.prev.Fields(), func(f intent.Field) bool {
		return t.column != nil && f.ID == t.column.ID || t.table != nil && ownerOf(f, b.view) == t.table
	})
}

func (b *changer) mode(it *item, end int) {
	switch it.tag.Arg {
	case "shift": // within a list it only joins
		b.cue = b.cue || b.content == 0 || it.to == end
		return
	case "set":
		b.how = replacing
	case "only":
		b.how, b.only = replacing, true
	case "add":
		b.how = adding
	case "without":
		b.how = leaving
	case "drop":
		b.how, b.takesBack = leaving, true
	case "correct":
		if b.content > 0 {
			return
		}
		b.how = replacing
	}
	b.cue = true
}

// groupOfOwner groups by what rows have, where both are named: "by donation method", "by the town
// of the donor".
func (b *changer) groupOfOwner(p *part, x chosen) {
	owner, of := p.name(x), p.lastName(x)
	if of.table != nil { // "the town of the patron"
		owner, of = of, owner
	}
	if owner.table == nil || of.column == nil || of.column.Of != owner.table {
		b.cost += costRefused
		b.unread = append(b.unread, p.all(className)[0])
	}
	b.groups = append(b.groups, dealt[grouping]{grouping{thing: of}, b.how})
}

func (b *changer) rank(p *part, x chosen) {
	m := measure{agg: intent.AggCount, thing: p.name(x)}
	if it := p.item("agg"); it != nil {
		m.agg = aggregates[it.tag.Arg]
	}
	b.ranked = &m
	if it := p.item("order"); it != nil {
		b.order = it.tag.Arg
	}
}

// question takes in what a part of the grammar of questions says.
func (b *changer) question(l *lattice, p *part, x chosen) {
	d := draftOf(l, []*part{p}, x)
	switch p.make {
	case "count", "target", "named", "which", "most", "common":
		b.frame = b.frame || asksForIt(p)
	}
	b.picks = b.picks || p.item("which") != nil
	for _, m := range d.counts {
		if c := b.countColumn(p, m); c != nil { // what the column that is called so comes to, or the rows?
			if b.fork(2) == 0 {
				m.thing = thing{column: c}
			} else {
				b.cost += costSum // as the sum that nobody asked for in so many words
			}
		}
		b.counts = append(b.counts, dealt[measure]{m, b.how})
		b.subject = b.subject || m.table != nil || m.column != nil && m.column.Nature != schema.Flag && !m.column.Time // "how many were returned?" says not of what
	}
	if it := p.item("agg"); it != nil && saysMoneyHan(it.text) { // 总额
		b.money = true
	}
	for _, m := range d.aggs {
		b.aggs = append(b.aggs, dealt[measure]{m, b.how})
		b.subject = b.subject || m.table != nil || m.column != nil
	}
	for _, g := range d.groups {
		b.groups = append(b.groups, dealt[grouping]{g, b.how})
	}
	for _, v := range d.values {
		how := b.how
		if v.deny {
			how = leaving
		}
		b.values = append(b.values, dealt[valued]{v, how})
	}
	for _, t := range d.times {
		b.times = append(b.times, dealt[dates.Found]{t, b.how})
	}
	for _, m := range d.mentions {
		b.names = append(b.names, dealt[thing]{m, b.how})
	}
	for _, k := range d.lacks {
		if k.has && canLack(k.column) {
			b.having = append(b.having, k)
			continue
		}
		how := leaving
		switch {
		case k.has:
			how = replacing
		case k.column != nil && k.column.Nature == schema.Flag && !k.never:
			how = denying
		}
		b.names = append(b.names, dealt[thing]{k.thing, how})
	}
	for _, t := range d.targets {
		b.targets = append(b.targets, t)
		b.subject = b.subject || !t.none()
	}
	b.leans = b.leans || slices.ContainsFunc(d.bests, func(x best) bool { return x.none() }) || d.each
	if p.item("single") != nil {
		for i := range d.bests {
			d.bests[i].n = "1"
		}
	}
	b.bests = append(b.bests, d.bests...)
	if it := p.item("super"); it != nil {
		b.anyOrder = b.anyOrder || b.reader.language.EndsAnyOrder(language.Key(l.tokens[it.from:it.to]))
		b.statistic = b.statistic || slices.ContainsFunc(l.at[it.from], func(o *item) bool { return o.is("agg") && o.to == it.to })
	}
	b.compared = append(b.compared, d.compared...)
	if d.compares && !slices.Contains(b.wishes, "versus") {
		b.wishes = append(b.wishes, "versus")
		b.cue = true
	}
	b.directed = b.directed || d.directed
	b.contains = append(b.contains, d.contains...)
	if d.limit != "" && len(d.bests) == 0 {
		b.limits = append(b.limits, d.limit)
	}
	b.order = cmp.Or(d.order, b.order)
	if !d.sort.none() {
		b.sort = d.sort
	}
	b.share, b.percent = b.share || d.share >= 0, b.percent || d.percent
	if d.share >= 0 && !d.whole.none() {
		b.names = append(b.names, dealt[thing]{d.whole, replacing})
	}
	for _, it := range d.unread {
		if !b.calledRows(it) {
			b.unread = append(b.unread, it)
		}
	}
}

// canLack reports whether some rows have no value of a column and others have, which tells them
// apart: "those with a subscription". A flag says it by itself, and an amount is a figure.
func canLack(c *schema.Column) bool {
	if c == nil || c.Nature == schema.Flag || c.Nature == schema.Amount {
		return false
	}
	_, none := c.Nothing()
	return none || c.Missing > 0
}

// calledRows reports whether a word that nothing knows is how the name of the root ends: the rows
// of birdstrikes are strikes.
func (b *changer) calledRows(it *item) bool {
	word, name := strings.ToLower(it.text), strings.ToLower(b.root.Names.EN)
	return utf8.RuneCountInString(word) >= minRowsWord && (strings.HasSuffix(name, word) || strings.HasSuffix(token.Stem(name), token.Stem(word)))
}

// minRowsWord is how many characters the end of a table's name has that people call its rows by.
const minRowsWord = 5

// countColumn is the amount of the root's rows whose name begins with the word that alone
// says a number: 数量 over a column 数量_盒. nil: the word names none, or more is said.
func (b *changer) countColumn(p *part, m measure) *schema.Column {
	if !m.none() || m.rows != nil || len(p.items) != 1 {
		return nil
	}
	for _, c := range b.root.Columns {
		if words := c.Words(); c.Nature == schema.Amount && len(words) > 0 && strings.EqualFold(words[0], p.items[0].text) {
			return c
		}
	}
	return nil
}

// listsEach reports whether a word that lists one after the other begins what is said.
func (l *lattice) listsEach() bool {
	const start = 2 // tokens: "and list", 请列出
	for _, at := range l.at[:min(len(l.at), start+1)] {
		if slices.ContainsFunc(at, func(it *item) bool { return it.is("list") && it.tag.Arg == "each" }) {
			return true
		}
	}
	return false
}

// asksForIt reports whether a part begins as questions do.
func asksForIt(p *part) bool {
	return slices.ContainsFunc(p.items, func(it *item) bool { return it.is("count", "howmany", "havemany", "which", "list", "howmuch") })
}

// copied copies what edits change; conditions are only ever replaced as a whole.
func copied(in intent.Intent) intent.Intent {
	in.Select, in.Filters, in.GroupBy = slices.Clone(in.Select), slices.Clone(in.Filters), slices.Clone(in.GroupBy)
	in.Having, in.OrderBy, in.With = slices.Clone(in.Having), slices.Clone(in.OrderBy), slices.Clone(in.With)
	return in
}
