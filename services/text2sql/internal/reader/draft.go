package reader

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// thing is what a name stands for in one reading: a table, a column, or the rows that
// the question is about (an unknown word that can be nothing else).
type thing struct {
	table  *schema.Table
	column *schema.Column
	rows   *item // the unknown word
	owned  bool  // of a column: its table is named beside it
	partly bool  // of a column: part of its name was said
	beside bool  // of a table: words beside the one that says what its rows are, "honey" of honey deliveries
	many   bool  // of a column that is called one: they were said to be many
	done   bool  // of a column of days: what was done on them was said alone, "filed" of filed_on
	key    bool  // of a column that points: it is said to be the key, "branch id"
	called bool  // of a column: it was said only that it is a name
	single bool  // one of them was said, whichever: "a customer"
}

func (t thing) none() bool { return t.table == nil && t.column == nil && t.rows == nil }

func (t thing) of() *schema.Table {
	if t.column != nil {
		return t.column.Of
	}
	return t.table
}

// is reports whether a figure is of a column, or counts the rows of a table.
func (t thing) is(o intent.Output) bool {
	return t.column != nil && o.Kind == intent.KindDimension && o.ID == t.column.ID || t.table != nil && o.Kind == intent.KindEntity && o.ID == t.table.ID
}

// measure is a number that is asked for.
type measure struct {
	agg intent.Agg
	thing
	distinct bool
	plain    bool          // 多少 without a measure word, which asks for amounts too
	value    *schema.Value // of a rate: what the rows are that it counts
	from     int           // where it is said
}

// best is a wish for the first or last of an order.
type best struct {
	desc  bool
	agg   intent.Agg
	thing // what it is ordered by
	adj   *language.Adjective
	count bool          // the number of the things, not their values
	money bool          // an amount of money, and it is not said which
	when  bool          // when it was, not what
	by    bool          // what it is ordered by is said behind the things: "the biggest club by members"
	done  *item         // what was done the most times with what is wanted
	value *schema.Value // of a rate: what it counts
	n     string
	from  int           // where it is said
	whose *schema.Table // the things that a superlative of time stands right before: "the oldest film"
}

// grouping is what rows are put together by.
type grouping struct {
	thing
	grain  string
	per    bool // said with "per", which tells of units too
	by     bool // said with "by", which tells of makers and places too
	across bool // said with "across", which may be over all of them
}

// compared is a comparison with a number whose column may not be named.
type compared struct {
	thing
	agg       intent.Agg    // of what is compared: many rows of a thing together
	value     *schema.Value // of a rate that is compared: what it counts
	op        intent.Op
	number    []string
	unit      *language.Unit
	said      *item // the unit
	adj       *language.Adjective
	counts    bool // of the rows of a table
	different bool // each thing that is counted once
	mean      bool // with what the column is on average, not with a number
	often     bool // the number is one of times
	dated     bool // the number is part of an expression of time
	from      int
	part      *part
}

// valued is a condition on stored values.
type valued struct {
	column *schema.Column
	stored []string
	quoted string
	deny   bool
	both   bool // things have it beside the one that follows or stands before
	and    bool // it stands beside another with "and"
	part   bool // part of the stored value was said
	named  bool // its column is named beside it
	from   int
}

// lacking is a condition that something is not there, or with has that it is.
type lacking struct {
	thing
	has, never bool
	missing    bool // of a value that is not there
	verb       bool // what was never done is said by a word that nothing knows
	value      *schema.Value
	from       int
}

// span is the time between two days or times.
type span struct{ from, to *schema.Column }

// containing is a condition that a text has another in it.
type containing struct {
	column *schema.Column
	text   string
}

// draft is what the parts of a cover say, with each name decided.
type draft struct {
	counts    []measure
	aggs      []measure
	groups    []grouping
	each      bool
	targets   []thing
	which     int  // parts that ask which, without a name; -1: none
	plain     bool // of a part that asks which: it asks what, not which of many
	against   bool // values are set beside each other
	exceeds   bool // and one is said to be more or less than the other
	orders    bool // two orders, from one to the other
	amount    bool // an amount is asked for, or its unit said
	number    bool // a number is asked for
	who       bool // a person is asked for
	named     bool // what the targets are called is asked for
	theirs    bool // something is shown beside what the targets are called: "with their addresses"
	pick      bool // such a part asks for some of many
	mentions  []thing
	bests     []best
	behind    int // of the mentions, the first behind the superlative
	limit     string
	step      bool // it is asked which step of time: "which month"
	most      bool // "who gave the most": and it is not said of what
	money     bool // "how much did we": an amount of money is asked for, and it is not said which
	then      bool // a time stands behind what rows have or lack: "no visits in 2026"
	topped    bool // the limit is of an order, not of rows as they stand
	compared  []compared
	values    []valued
	lacks     []lacking
	contains  []containing
	included  []*item // what is not left out, which restricts nothing
	times     []dates.Found
	again     []dates.Found // times that come again: "on Saturdays"
	compares  bool          // two things are to be set beside each other
	directed  bool          // that is told as the first against the second, whichever was earlier
	differs   bool          // and by how much they differ, not what each is
	less      bool          // and by how much the first is less
	over      *thing        // of what each has the mean is wanted; none: the rows
	share     int           // where the wish for a part stands; -1: none
	whole     thing
	wrong     bool                // a unit of no time where one of time is needed
	unfit     string              // why the parts cannot be meant; "": they can
	ever      bool                // of all rows one by one: "the highest ever"
	rival     *best               // which of the values beside each other has more, and of what
	kinds     *schema.Table       // that the kinds of are asked for
	size      *language.Adjective // of what it is asked how much of it there is: "how heavy"
	lasting   bool                // it is asked how long something is
	span      *span               // from when to when
	unit      string              // the unit in which that is asked for; "": none is said
	sized     *unit               // it is asked how many of a unit of size there are: "how many kilos"
	alone     *unit               // a unit of size without a number: "kilos per town"
	base      []valued            // what the whole has to be
	ratio     []valued            // the values whose rows are set against each other: so many of the first for each of the second
	whose     int                 // where it is said what part of the whole is meant, behind the whole; -1: nowhere
	percent   bool                // the share is one of a hundred
	order     string
	meanOrder bool // it is said by what is best or worst
	sort      thing
	distinct  bool
	overAll   bool // of the part at hand: "all" is said in it
	unread    []*item

	late *item // the word for what was done after it was due, or not
	owed *item // the word for what is not paid
	when bool  // it is asked when

	acts []*item // verbs that say how what is named belongs together

	listing, listed bool // the part, the parts before it belong to a list of what is asked for
	joined          bool // the part stands behind "and" or a comma
}

// chosen are the decisions about the names and values of a cover, by item.
type chosen struct {
	hits   map[*item]schema.Hit
	values map[*item]*schema.Value
}

func (c chosen) thing(it *item) thing {
	switch {
	case it == nil:
		return thing{}
	case it.class == classUnknown:
		return thing{rows: it}
	}
	h := c.hits[it]
	t, known := it.things[h]
	if !known {
		t = it.thing(h)
		if it.things == nil {
			it.things = map[schema.Hit]thing{}
		}
		it.things[h] = t
	}
	return t
}

// thing is what a name stands for that is taken for a hit.
func (it *item) thing(h schema.Hit) thing {
	t := thing{table: h.Table, column: h.Column, owned: h.Owned, beside: h.Table != nil && besideHead(it.text, h.Table)}
	if h.Column != nil {
		t.partly, t.many = h.Score < rivalName, many(it.text, h.Column)
		t.called = slices.Contains(nameWords, strings.ToLower(it.text))
		t.key, t.done = saysKey(it.text, h.Column), h.Column.Time && (saysDone(it.text) || h.Column.DoneHan(strings.TrimRight(it.text, "过了")) || doneAcross(it.text, h.Column))
	}
	return t
}

// saysDone reports whether a text says what was done, alone or with a particle: "filed", "signed up".
func saysDone(text string) bool {
	verb, particle, _ := strings.Cut(text, " ")
	return (participle(verb) || irregular(verb)) && !strings.Contains(particle, " ") && (particle == "" || slices.Contains(particles, strings.ToLower(particle)))
}

// doneAcross reports whether a Chinese text says what was done that a column in another language dates, and not
// when: 离职 of left_on.
func doneAcross(text string, c *schema.Column) bool {
	words := c.Words()
	return inHan(text) && !c.InChinese() && len(words) > 1 && (participle(words[0]) || irregular(words[0])) &&
		!slices.ContainsFunc(datingHan, func(end string) bool { return strings.HasSuffix(text, end) })
}

// datingHan are what Chinese words end in that mean a day or a time.
var datingHan = []string{"日期", "时间", "日", "天", "时", "年", "月", "年份", "月份"}

// saysKey reports whether a text ends as the name of a column ends.
func saysKey(text string, c *schema.Column) bool {
	said, words := schema.SplitName(text), c.Words()
	if inHan(text) && len(words) == 1 {
		_, last := utf8.DecodeLastRuneInString(text)
		return strings.HasSuffix(words[0], text[len(text)-last:])
	}
	return len(said) > 0 && len(words) > 1 && token.Stem(strings.ToLower(said[len(said)-1])) == token.Stem(words[len(words)-1])
}

// besideHead reports whether a text has words of a table's name, and not the last one, which says
// what its rows are.
func besideHead(text string, t *schema.Table) bool {
	said, name := schema.SplitName(text), schema.SplitName(t.Names.EN)
	stem := func(w string) string { return token.Stem(strings.ToLower(w)) }
	if len(said) == 0 || len(name) < 2 {
		return false
	}
	last := stem(said[len(said)-1])
	return last != stem(name[len(name)-1]) && slices.ContainsFunc(name[:len(name)-1], func(w string) bool { return stem(w) == last })
}

// many reports whether a text ends in the plural of how the name of a column ends.
func many(text string, c *schema.Column) bool {
	said, words := strings.Fields(strings.ToLower(text)), c.Words()
	if len(said) == 0 || len(words) == 0 {
		return false
	}
	last, called := said[len(said)-1], words[len(words)-1]
	return last != called && lexicon.Singular(last) == called
}

// whatDid reports whether a part asks what somebody did: "what did we take".
func (l *lattice) whatDid(p *part) bool {
	name := p.item("name")
	if name == nil || !p.items[0].is("which") || p.items[0].tag.Arg != "" {
		return false
	}
	return slices.ContainsFunc(l.tokens[p.from:name.from], func(t language.Token) bool { return slices.Contains(doing, t.Lower) })
}

// asksMoney reports whether it is asked how much was paid or received: "how much" before a verb,
// where it is of nothing that is named, or 多少钱.
func (l *lattice) asksMoney() bool {
	for i, t := range l.tokens {
		if t.Lower == "much" && i > 0 && l.tokens[i-1].Lower == "how" && i+1 < len(l.tokens) && (l.tokens[i+1].Lower == "money" || slices.Contains(auxiliaries, l.tokens[i+1].Lower)) {
			return true
		}
	}
	return strings.Contains(l.text, "多少钱")
}

// asksQuantity reports whether a number is asked for, or which of two has more, and not how many things there are.
func (l *lattice) asksQuantity() bool {
	found := false
	for _, it := range slices.Concat(l.at...) {
		if it.is("howmany", "havemany") && l.has(it.to, "classifier") || it.is("counted", "occurrence") {
			return false
		}
		found = found || it.is("quantity", "rival")
	}
	return found
}

// asksMost reports whether "the most" ends a question, so that it is of nothing that is named.
func (l *lattice) asksMost() bool {
	for i, t := range l.tokens {
		if t.Lower == "most" && i > 0 && l.tokens[i-1].Lower == "the" && (i+1 == len(l.tokens) || l.tokens[i+1].Kind == language.Mark) {
			return true
		}
	}
	return false
}

var aggregates = map[string]intent.Agg{"avg": intent.AggAvg, "median": intent.AggMedian, "sum": intent.AggSum, "max": intent.AggMax, "min": intent.AggMin}

// draftOf puts together what parts say.
func draftOf(l *lattice, parts []*part, c chosen) *draft {
	d := &draft{which: -1, share: -1, whose: -1}
	d.money, d.most = l.asksMoney(), l.asksMost()
	d.ever = l.oneByOne()
	for i, p := range parts {
		d.listing = len(d.targets) > 0 && !l.attached(p.from) && (parts[i-1].make == "target" || parts[i-1].make == "named" || d.listed && (parts[i-1].make == "join" || parts[i-1].make == "mention"))
		d.listed = d.listing || p.make == "target" || p.make == "named"
		d.joined = i > 0 && (parts[i-1].make == "join" || l.has(p.from-1, "and") || p.from > 0 && slices.Contains(commas, l.tokens[p.from-1].Text))
		d.wrong = d.wrong || l.onDays(p)
		d.overAll = slices.ContainsFunc(l.tokens[p.from:p.to], func(t language.Token) bool { return t.Lower == "all" })
		if p.make == "time" && i > 0 && (parts[i-1].make == "lack" || parts[i-1].make == "has") {
			d.then = true
		}
		n, wanted, mentioned := len(d.compared), len(d.targets), len(d.mentions)
		if make := makers[p.make]; make != nil {
			make(d, p, c)
		}
		d.money = d.money || p.make == "value" && saysMoneyHan(p.item("value").text) && l.asksQuantity() // 交通费是多少
		if p.make == "mention" && len(d.mentions) > mentioned && l.is(p.from-1, "a", "an", "one", "each", "every") {
			d.mentions[mentioned].single = true
		}
		if n := len(d.bests); i > 0 && parts[i-1].make == "super" && parts[i-1].to == p.from && n > 0 && d.bests[n-1].from == parts[i-1].from && p.items[0].class == className {
			d.bests[n-1].whose = c.thing(p.items[0]).table
		}
		if p.make == "countvalue" && l.namesTable(p.to) || p.make == "share" && p.items[0].is("share") && len(p.items) > 1 && l.namesTable(p.items[0].to) && !l.startsAt(p.items[0].to, p.items[1]) || i > 0 && parts[i-1].make == "countvalue" && (p.items[0].class == className || p.make == "row") && parts[i-1].to == p.from {
			d.unfit = "a noun that a value or a share stands before" // "how many Berlin orders", "what share of stays"
		}
		d.unfit = cmpOr(l.misnames(d, parts[:i], p, c), d.unfit)
		if n := len(d.groups); p.make == "group" && n > 0 && d.groups[n-1].by && d.groups[n-1].table != nil && l.is(p.to, "that", "who", "which", "whose") { // "records by artists who are older than 30"
			d.mentions, d.groups = append(d.mentions, d.groups[n-1].thing), d.groups[:n-1]
		}
		if p.make == "superby" && l.valueWanted(parts[:i]) {
			d.unfit = "whether a value says which things or what they are called" // "the 10 largest municipalities by area"
		}
		if p.make == "target" && l.whatDid(p) && !d.targets[len(d.targets)-1].many {
			d.plain = true
		}
		if i > 0 && p.make == "most" && parts[i-1].make == "count" && parts[i-1].to == p.from && l.tokens[p.from].Kind == language.Han {
			d.mostOf()
		}
		if i > 1 && p.make == "value" && parts[i-1].make == "join" && (parts[i-2].make == "value" || parts[i-2].make == "countvalue") && len(d.values) > 1 {
			d.values[len(d.values)-1].and, d.values[len(d.values)-2].and = true, true
			if l.is(p.from-1, "for", "in", "at", "from") && l.tokens[p.from-1].Lower == l.tokens[max(0, parts[i-2].from-1)].Lower && d.values[len(d.values)-1].column == d.values[len(d.values)-2].column {
				d.each, d.against = true, true // "for musicals and for tragedies"
			}
		}
		d.listed = d.listed || len(d.targets) > wanted // "give me the population and life expectancy"
		if len(d.compared) > n {
			x := &d.compared[n]
			if n > 0 && x.none() && !x.counts && x.unit == nil && i > 1 && parts[i-1].make == "join" && parts[i-2] == d.compared[n-1].part && (x.adj == nil || slices.Contains(x.adj.Attributes, "size")) {
				x.thing = d.compared[n-1].thing // "population bigger than 1000 and smaller than 5000"
			}
			x.often = l.often(p)
			if x.counts && p.from > 0 && slices.Contains([]string{"a", "an"}, l.tokens[p.from-1].Lower) {
				d.unfit = "one of them is no number of them" // "a singer below 30"
			}
			if x.unit == nil && i+1 < len(parts) && parts[i+1].make == "unit" && parts[i+1].from == p.to {
				x.said = parts[i+1].item("unit")
				x.unit = &x.said.unit
			}
		}
	}
	d.stepsOf()
	d.sizesOf()
	d.hadNone(parts, c)
	if d.share >= 0 {
		d.whose = l.whose(parts)
	}
	return d
}

var commas = []string{",", "，", "、"}

// whose is where it is said what part of a whole is asked for: behind "that", "who" or "are" where
// the share stands before its whole, behind 中 where it stands after it. -1: the question has no
// such place.
func (l *lattice) whose(parts []*part) int {
	for _, p := range parts {
		switch {
		case p.make == "among" && l.tokens[p.from].Kind == language.Han:
			return p.to
		case p.make == "share" && p.items[0].is("share"):
			for i := p.to; i < len(l.tokens); i++ {
				if slices.Contains(relatives, l.tokens[i].Lower) || l.has(i, "be") {
					return i + 1
				}
			}
		}
	}
	return -1
}

// mostOf takes what stands behind "most" for what is asked for, where right before it stands what
// there is most of: 考试次数最多的教练.
func (d *draft) mostOf() {
	x := &d.bests[len(d.bests)-1]
	if x.none() || x.rows != nil {
		return
	}
	d.targets = append(d.targets, x.thing)
	x.thing = thing{}
}

// hadNone takes a stored value that kinds of many rows are said not to have for what none of their rows is:
// 哪些品牌没有柴油车. A row by itself has another value, and 哪些品牌的车没有卖出 is said of rows.
func (d *draft) hadNone(parts []*part, c chosen) {
	if len(d.targets) != 1 || d.targets[0].column == nil || d.targets[0].column.Unique() || slices.Contains(d.targets[0].column.Of.Label, d.targets[0].column) {
		return
	}
	for _, p := range parts {
		if !slices.ContainsFunc(parts, func(q *part) bool { return q.to == p.from && q.name(c).column == d.targets[0].column }) {
			continue
		}
		if p.make != "notvalue" || p.items[0].text != "没有" || len(p.all(classValue)) != 1 {
			continue
		}
		v, target := c.values[p.item("value")], d.targets[0].column
		if v == nil || v.Column == target || v.Column.Of != target.Of {
			continue
		}
		d.values = slices.DeleteFunc(d.values, func(x valued) bool { return x.deny && x.from == p.from })
		d.lacks = append(d.lacks, lacking{thing: thing{column: v.Column}, never: true, value: v, from: p.from})
	}
}

// sizesOf takes things that stand before a mean of how big they are for what they are of: 病人平均几岁.
func (d *draft) sizesOf() {
	if d.size == nil {
		return
	}
	for i, m := range d.aggs {
		if m.column != nil && !m.column.Numeric() && !m.column.Time {
			d.mentions = append(d.mentions, m.thing)
			d.aggs[i].thing = thing{table: m.column.Of}
		}
	}
}

// stepsOf takes a column of times that stands beside a step of time for what the steps are
// of: "per month, by collection date".
func (d *draft) stepsOf() {
	if !slices.ContainsFunc(d.groups, func(g grouping) bool { return g.grain != "" }) {
		return
	}
	d.groups = slices.DeleteFunc(d.groups, func(g grouping) bool {
		steps := g.grain == "" && g.column != nil && g.column.Time
		if steps {
			d.mentions = append(d.mentions, g.thing)
		}
		return steps
	})
}

// often reports whether the number of a comparison says how often something was.
func (l *lattice) often(p *part) bool {
	is := func(i int) bool {
		return i < len(l.tokens) && (l.tokens[i].Lower == "times" || l.tokens[i].Lower == "次")
	}
	return is(p.to) || is(p.to-1)
}

// asks notes whether a word asks for a person, or for some of many.
func (d *draft) asks(it *item) {
	d.who = d.who || it.tag.Arg == "who"
	d.pick = d.pick || it.tag.Arg == "pick"
}

// halved reports whether things are asked for with and without something, and no part reads it:
// one of the two is not what is asked for.
func (l *lattice) halved(parts []*part) bool {
	if slices.ContainsFunc(parts, func(p *part) bool { return p.make == "halves" }) {
		return false
	}
	for i := range l.tokens {
		if l.besideHave(i) {
			return true
		}
	}
	return false
}

// besideHave reports whether at a token stands the second word of "with and without".
func (l *lattice) besideHave(i int) bool {
	return l.has(i-2, "have") && l.has(i-1, "and", "or") && l.has(i, "not")
}

// namesTable reports whether the word at a token, or behind articles there, is the name of a table.
func (l *lattice) namesTable(at int) bool {
	for at < len(l.tokens) && l.has(at, language.Stop) && !slices.ContainsFunc(l.at[at], func(it *item) bool { return it.class == className }) {
		at++
	}
	return at < len(l.tokens) && l.tokens[at].Kind == language.Word && !participle(l.tokens[at].Lower) && slices.ContainsFunc(l.at[at], func(it *item) bool {
		return it.class == className && it.hits[0].Table != nil && it.hits[0].Score >= exactName
	})
}

// startsAt reports whether an item begins at a token, or behind articles there.
func (l *lattice) startsAt(at int, it *item) bool {
	for at < it.from && l.has(at, language.Stop) {
		at++
	}
	return at == it.from
}

// attached reports whether what begins at a token hangs on what stands before: "of
// players" is no further thing in a list.
func (l *lattice) attached(at int) bool {
	return at > 0 && slices.Contains([]string{"of", "for", "by", "from", "in", "who", "that", "with", "whose", "the"}, l.tokens[at-1].Lower) &&
		!(l.tokens[at-1].Lower == "the" && (at < 2 || !l.attached(at-1)))
}

// name is the first thing that a part names.
func (p *part) name(c chosen) thing {
	for _, it := range p.items {
		if it.class == className || it.class == classUnknown {
			return c.thing(it)
		}
	}
	return thing{}
}

// lastName is the last thing that a part names: what stands before it is whose it is.
func (p *part) lastName(c chosen) thing {
	if list := p.all(className); len(list) > 0 {
		return c.thing(list[len(list)-1])
	}
	return p.name(c)
}

// asksWhen reports whether a superlative asks for a moment: "the longest time" is how long
// something took.
func asksWhen(moment *item, adj *language.Adjective) bool {
	return moment != nil && (adj == nil || !slices.Contains(adj.Attributes, strings.ToLower(moment.text)))
}

// makers say what each kind of part of the grammar adds to a draft.
var makers = map[string]func(*draft, *part, chosen){
	"count": func(d *draft, p *part, c chosen) {
		plain := p.item("classifier") == nil && slices.ContainsFunc(p.items, func(it *item) bool { return it.text == "多少" })
		if name := p.item("name"); plain && name != nil && p.name(c).table != nil && saysMoneyHan(name.text) { // 收到多少捐款: how much of it
			d.money = true
			d.mentions = append(d.mentions, p.name(c))
			return
		}
		m := measure{agg: intent.AggCount, thing: p.name(c), distinct: p.item("distinct") != nil, plain: plain}
		if d.theirs && d.joined && m.thing.column != nil && m.thing.column.Numeric() { // "with their addresses and number of seats"
			d.targets = append(d.targets, m.thing)
			return
		}
		if it := p.item("counted"); it != nil && it.tag.Arg == "times" && m.thing.column != nil { // 充电次数: how often, and no different ones
			m.thing = thing{table: m.thing.of()}
		}
		d.counts = append(d.counts, m)
	},
	"occurrences": func(d *draft, p *part, c chosen) { // of what: the rows of the table
		d.counts = append(d.counts, measure{agg: intent.AggCount, thing: thing{table: p.name(c).of()}})
	},
	"agg": func(d *draft, p *part, c chosen) {
		m := measure{agg: intent.AggSum, thing: p.lastName(c), from: p.from}
		if n := p.all(className); len(n) > 1 {
			d.mentions = append(d.mentions, c.thing(n[0])) // "the players' average age"
		}
		if it := p.item("agg"); it != nil {
			m.agg = aggregates[it.tag.Arg]
		}
		d.aggs = append(d.aggs, m)
	},
	"rate": func(d *draft, p *part, c chosen) {
		m := measure{agg: intent.AggRate, thing: p.name(c)}
		m.value = d.rated(p, c, &m.thing)
		d.aggs = append(d.aggs, m)
	},
	"agg2": func(d *draft, p *part, c chosen) { // "the average, lowest and highest age"
		for _, it := range p.items {
			switch {
			case it.is("agg"):
				d.aggs = append(d.aggs, measure{agg: aggregates[it.tag.Arg], thing: p.name(c), from: it.from})
			case it.is("super"):
				d.aggs = append(d.aggs, measure{agg: utmost(it.tag.Arg == "hi"), thing: p.name(c), from: it.from})
			}
		}
	},
	"group": func(d *draft, p *part, c chosen) {
		g := grouping{thing: p.name(c), per: strings.EqualFold(p.items[0].text, "per"), by: strings.EqualFold(p.items[0].text, "by"), across: strings.EqualFold(p.items[0].text, "across")}
		if g.across && d.overAll {
			return // "across all countries": of all of them together
		}
		if it := p.item("grain"); it != nil {
			g.grain = it.period.Grain
		}
		if p.item("value") != nil { // "for each hurricane category": of hurricanes
			makeValue(d, p, c, false)
		}
		d.groups = append(d.groups, g)
	},
	"group2": func(d *draft, p *part, c chosen) {
		for _, it := range p.all(className) {
			d.groups = append(d.groups, grouping{thing: c.thing(it)})
		}
	},
	"countvalue": func(d *draft, p *part, c chosen) { // "how many dogs": rows of the table that has them
		v := c.values[p.item("value")]
		if v == nil || v.Part || v.Column.Nature != schema.Category {
			d.unfit = "a number of what is no kind of rows"
			return
		}
		makeValue(d, p, c, false)
		d.counts = append(d.counts, measure{agg: intent.AggCount, thing: thing{table: v.Column.Of}})
	},
	"eachvalue": func(d *draft, p *part, c chosen) { // 每个水电工: each of the staff whose trade that is
		v := c.values[p.item("value")]
		if v == nil || v.Part || v.Column.Nature != schema.Category || len(v.Column.Of.Label) == 0 {
			d.unfit = "each of what has no name"
			return
		}
		makeValue(d, p, c, false)
		d.groups = append(d.groups, grouping{thing: thing{table: v.Column.Of}})
	},
	"divided": func(d *draft, p *part, c chosen) {
		names := p.all(className)
		d.mentions = append(d.mentions, c.thing(names[0]))
		for _, it := range names[1:] {
			d.groups = append(d.groups, grouping{thing: c.thing(it)})
		}
	},
	"halves": func(d *draft, p *part, c chosen) { // "with and without a shed": both, side by side
		t := p.name(c)
		if t.column == nil || t.column.Nature != schema.Flag {
			d.unfit = "things with and without what is no column of yes and no"
		}
		d.groups = append(d.groups, grouping{thing: t})
	},
	"groupstep": func(d *draft, p *part, c chosen) { // "by town and month"
		grain := strings.TrimSuffix(timeUnit(p.item("unit")), "s")
		d.wrong = d.wrong || grain == ""
		d.groups = append(d.groups, grouping{thing: p.name(c)}, grouping{grain: grain})
	},
	"each": func(d *draft, _ *part, _ chosen) { d.each = true },
	"grain": func(d *draft, p *part, _ chosen) {
		it := p.item("grain")
		d.step = d.step || it.period.Grain == intent.Weekday && strings.HasSuffix(it.text, "几") // 星期几 asks which
		d.groups = append(d.groups, grouping{grain: it.period.Grain})
	},
	"graingroup": func(d *draft, p *part, c chosen) { // "by month and city"
		d.groups = append(d.groups, grouping{grain: p.item("grain").period.Grain}, grouping{thing: c.thing(p.items[len(p.items)-1])})
	},
	"whichgrain": func(d *draft, p *part, _ chosen) { // "which day of the week"
		d.step = true
		d.asks(p.items[0])
		d.groups = append(d.groups, grouping{grain: p.item("grain").period.Grain})
	},
	"super": func(d *draft, p *part, c chosen) {
		s := p.item("super")
		d.behind = len(d.mentions)
		b := best{desc: s.tag.Arg == "hi", adj: s.adj, n: p.number(), when: asksWhen(p.item("moment"), s.adj), from: p.from}
		if it := p.item("agg"); it != nil {
			b.agg = aggregates[it.tag.Arg]
		}
		if t := p.name(c); t.rows == nil {
			b.thing = t
		}
		if p.item("rate") != nil {
			b.agg = intent.AggRate
			b.value = d.rated(p, c, &b.thing)
		}
		d.bests = append(d.bests, b)
	},
	"superby": func(d *draft, p *part, c chosen) { // "the biggest club by members"
		by := p.name(c)
		if it := p.item("period"); it != nil {
			d.times = append(d.times, it.period)
		}
		n := len(d.bests)
		if n != 1 || !d.bests[0].none() || d.bests[0].count || d.bests[0].agg != "" || d.bests[0].value != nil || by.column == nil || !by.column.Numeric() {
			d.unfit = "by a number, and nothing that is ordered"
			return
		}
		if adj := d.bests[0].adj; adj != nil && adj.Time {
			d.unfit = "the first by a number" // "the latest by size"
		}
		d.bests[0].thing, d.bests[0].adj, d.bests[0].by = by, nil, true
	},
	"most": func(d *draft, p *part, c chosen) {
		d.bests = append(d.bests, best{desc: p.item("most").tag.Arg == "hi", thing: p.name(c), count: true, n: p.number()})
	},
	"mostcount": func(d *draft, p *part, c chosen) { // "the smallest number of teachers"
		d.bests = append(d.bests, best{desc: p.item("super").tag.Arg == "hi", thing: p.name(c), count: true})
	},
	"namedbest": func(d *draft, p *part, c chosen) { // "the name of the newest film"
		t := p.name(c)
		d.targets, d.named = append(d.targets, t), true
		s := p.item("super")
		d.bests = append(d.bests, best{desc: s.tag.Arg == "hi", adj: s.adj, from: s.from, whose: t.table})
	},
	"mostmoney": func(d *draft, p *part, _ chosen) { // "which branch makes the most money"
		d.bests = append(d.bests, best{desc: true, money: true, from: p.from})
	},
	"common": func(d *draft, p *part, c chosen) {
		b := best{count: true, n: p.number()}
		if it := p.item("common"); it != nil {
			b.desc = it.tag.Arg == "hi"
		} else {
			b.desc, b.done = p.item("most").tag.Arg == "hi", p.item("unknown")
			if w := strings.ToLower(b.done.text); !inHan(w) && !participle(w) && !irregular(w) {
				d.unfit = "most of what is no deed" // "most populous"
			}
		}
		d.bests = append(d.bests, b)
		d.targets = append(d.targets, p.lastName(c))
	},
	"commonstep": func(d *draft, p *part, _ chosen) { // "the busiest month"
		grain := ""
		if it := p.item("grain"); it != nil {
			grain = it.period.Grain
		} else {
			grain = strings.TrimSuffix(timeUnit(p.item("unit")), "s")
		}
		d.step, d.wrong = true, d.wrong || grain == ""
		d.groups = append(d.groups, grouping{grain: grain})
		d.bests = append(d.bests, best{count: true, desc: p.item("common").tag.Arg == "hi"})
	},
	"ranked": func(d *draft, p *part, c chosen) { // "top 5 clients by number of hires"
		names := p.all(className)
		by := c.thing(names[len(names)-1])
		d.limit, d.topped = p.number(), true
		if p.item("top").tag.Arg == "lo" {
			d.order = "asc"
		}
		d.mentions = append(d.mentions, c.thing(names[0]))
		switch it := p.item("agg"); {
		case it != nil:
			d.aggs = append(d.aggs, measure{agg: aggregates[it.tag.Arg], thing: by})
		case by.table != nil || p.item("count") != nil:
			d.counts = append(d.counts, measure{agg: intent.AggCount, thing: by})
		default:
			d.groups = append(d.groups, grouping{thing: by})
		}
	},
	"howbig":   func(d *draft, p *part, _ chosen) { d.amount, d.size = true, p.item("howbig").adj },
	"quantity": func(d *draft, _ *part, _ chosen) { d.number = true },
	"orders": func(d *draft, p *part, _ chosen) {
		if slices.Contains([]string{"and", "和"}, strings.ToLower(p.items[1].text)) {
			d.unfit = "two orders beside each other" // "the first and last names" have no order
		}
		d.orders = true
	},
	"unit": func(d *draft, p *part, _ chosen) {
		d.amount = true
		it := p.item("unit")
		if it.unit.Quantity == "share" && d.share < 0 {
			d.unfit = "a percentage of what is not said"
		}
		d.unit = cmpOr(d.unit, timeUnit(it))
		if timeUnit(it) == "" {
			d.alone = &it.unit
		}
	},
	"lasting": func(d *draft, p *part, _ chosen) {
		d.lasting = true
		if it := p.item("unit"); it != nil {
			d.unit = timeUnit(it)
			if d.unit == "" && it.unit.Quantity != "count" {
				d.lasting, d.sized = false, &it.unit
				return
			}
			d.wrong = d.wrong || d.unit == ""
		}
	},
	"span": func(d *draft, p *part, c chosen) {
		list := p.all(className)
		list = list[len(list)-2:] // "between a job being reported and closed"
		d.span = &span{c.thing(list[0]).column, c.thing(list[1]).column}
	},
	"top": func(d *draft, p *part, _ chosen) {
		d.limit = p.number()
		if it := p.item("super"); it != nil {
			d.bests = append(d.bests, best{desc: it.tag.Arg == "hi", adj: it.adj, n: p.number()})
			return
		}
		top := p.item("top")
		if top.tag.Arg == "lo" {
			d.order = "asc"
		}
		d.topped = !slices.Contains(firsts, strings.ToLower(top.text)) || ranks(p.item("classifier"))
	},
	"target": func(d *draft, p *part, c chosen) {
		d.asks(p.items[0])
		if t := p.name(c); d.who && (t.done || t.table != nil && saysDone(p.item("name").text)) { // "who joined in 2026": who, and not when
			d.which = p.from
			d.mentions = append(d.mentions, t)
			return
		}
		d.targets = append(d.targets, p.name(c))
		d.distinct = d.distinct || p.item("distinct") != nil
		if n := p.number(); n != "" {
			d.limit = n
		}
	},
	"rival": func(d *draft, p *part, c chosen) {
		d.rival = &best{desc: p.item("rival").tag.Arg == "hi", thing: p.name(c)}
		if it := p.item("agg"); it != nil {
			d.rival.agg = aggregates[it.tag.Arg]
		}
		switch {
		case p.item("rate") != nil:
			d.rival.agg = intent.AggRate
			d.rival.value = d.rated(p, c, &d.rival.thing)
		case p.item("value") != nil: // 内科和外科哪个退号的多, 男的多还是女的多
			makeValue(d, p, c, false)
		}
		if it := p.item("acts"); it != nil {
			d.acts = append(d.acts, it)
		}
	},
	"kinds": func(d *draft, p *part, c chosen) {
		d.kinds = p.name(c).table
		d.targets = append(d.targets, thing{column: d.kinds.Kind()})
		d.distinct = true
	},
	"kindcount": func(d *draft, p *part, c chosen) {
		d.kinds = p.name(c).table
		d.counts = append(d.counts, measure{agg: intent.AggCount, thing: thing{column: d.kinds.Kind()}, distinct: true})
	},
	"whose": func(d *draft, p *part, _ chosen) { // "names of everyone who"
		d.which, d.named = p.from, true
		d.asks(p.item("which"))
	},
	"named": func(d *draft, p *part, c chosen) {
		d.targets = append(d.targets, p.name(c))
		d.named = true
	},
	"which": func(d *draft, p *part, _ chosen) {
		d.which = p.from
		d.plain = p.items[0].tag.Name == "which" && p.items[0].tag.Arg != "pick"
		d.asks(p.items[0])
	},
	"whichstep": func(d *draft, p *part, _ chosen) { // "which month"
		it := p.item("unit")
		grain := strings.TrimSuffix(timeUnit(it), "s")
		if grain == "" {
			d.unread = append(d.unread, it) // "which kilos"
			return
		}
		d.step = true
		d.asks(p.items[0])
		d.groups = append(d.groups, grouping{grain: grain})
	},
	"compare": makeCompare,
	"exceed":  makeCompare,
	"range":   makeCompare,
	"placed": func(d *draft, p *part, _ chosen) { // "number one", "in the top ten"
		it := p.item("place")
		d.compared = append(d.compared, compared{thing: thing{column: it.place}, op: comparisons[it.tag.Arg], number: []string{it.number}, from: p.from, part: p})
	},
	"equal": makeCompare,
	"mean":  makeMean,
	"both": func(d *draft, p *part, c chosen) {
		n := len(d.values)
		makeValue(d, p, c, false)
		for i := range d.values[n:] {
			d.values[n+i].both = true
		}
	},
	"bothnames": func(d *draft, p *part, c chosen) {
		for _, it := range p.all(className) {
			d.mentions = append(d.mentions, c.thing(it))
		}
	},
	"value": func(d *draft, p *part, c chosen) { makeValue(d, p, c, false) },
	"versus": func(d *draft, p *part, c chosen) {
		if it := p.item("value"); it != nil && p.item("cmp") != nil && it.number == "" && strings.Trim(it.text, "0123456789.,") == "" {
			d.unread = append(d.unread, p.items...) // "over 1000" is more than so much, whatever is called 1000
			return
		}
		makeValue(d, p, c, false)
		d.each, d.against, d.exceeds = true, true, d.exceeds || p.item("cmp") != nil
	},
	"notvalue": func(d *draft, p *part, c chosen) { makeValue(d, p, c, true) },
	"acts":     func(d *draft, p *part, _ chosen) { d.acts = append(d.acts, p.item("acts")) },
	"lack": func(d *draft, p *part, c chosen) {
		if it := p.item("acts"); it != nil { // "do not play any matches"
			d.acts = append(d.acts, it)
		}
		x := lacking{thing: p.name(c), never: p.item("never") != nil, from: p.from}
		if it := p.item("value"); it != nil { // "never had a refit"
			x.value = c.values[it]
			if x.value != nil {
				x.column = x.value.Column
			}
		}
		if it := p.item("unknown"); it != nil && p.item("name") != nil { // "never led a job"
			x.thing, x.verb = p.lastName(c), true
			d.acts = append(d.acts, it)
		}
		if x.none() { // "never sold": what is done has no name
			x.rows = p.items[len(p.items)-1]
		}
		x.missing = p.item("missing") != nil
		if it := p.item("name"); it != nil && strings.Contains(it.text, "过") {
			x.never = true
		}
		d.lacks = append(d.lacks, x)
	},
	"has": func(d *draft, p *part, c chosen) {
		d.lacks = append(d.lacks, lacking{thing: p.name(c), has: true, from: p.from})
	},
	"shown": func(d *draft, p *part, c chosen) { // "the members with their towns"
		d.theirs = true
		switch t := p.name(c); {
		case t.column != nil && len(d.targets) == 0 && len(t.column.Of.Label)+len(t.column.Of.Key) > 0: // "all the bars with their addresses"
			d.targets = append(d.targets, thing{table: t.column.Of}, t)
		case t.column != nil && len(d.targets) > 0:
			d.targets = append(d.targets, t)
		default:
			d.mentions = append(d.mentions, t)
		}
	},
	"also": func(d *draft, p *part, c chosen) { // 都有谁，分别在哪个校区: shown beside who they are
		t := p.name(c)
		if len(d.targets) == 0 {
			for i, m := range d.mentions {
				if m.table != nil && m.table == t.of() {
					d.targets = append(d.targets, m)
					d.mentions = slices.Delete(d.mentions, i, i+1)
					break
				}
			}
		}
		if len(d.targets) == 0 && t.column != nil && (d.who || d.which >= 0) {
			d.targets = append(d.targets, thing{table: t.column.Of})
		}
		d.targets = append(d.targets, t)
	},
	"late": func(d *draft, p *part, _ chosen) { d.late = p.items[0] },
	"owed": func(d *draft, p *part, _ chosen) { d.owed = p.items[0] },
	"when": func(d *draft, _ *part, _ chosen) { d.when = true },
	"included": func(d *draft, p *part, _ chosen) {
		if it := p.item("value"); it != nil {
			d.included = append(d.included, it)
		} else {
			d.included = append(d.included, p.item("name"))
		}
	},
	"contains": func(d *draft, p *part, c chosen) {
		d.contains = append(d.contains, containing{p.name(c).column, p.item("value").text})
	},
	"share": func(d *draft, p *part, c chosen) {
		d.share, d.whole, d.percent = p.from, p.name(c), p.item("share").tag.Arg == "percent"
		if it := p.item("value"); it != nil { // "percentage of dogs that are ...": dogs are the whole
			makeValue(d, p, c, false)
			d.base = append(d.base, d.values[len(d.values)-1])
			d.values = d.values[:len(d.values)-1]
		}
	},
	"ratio": func(d *draft, p *part, c chosen) {
		makeValue(d, p, c, false)
		n := len(d.values)
		d.ratio = slices.Clone(d.values[n-2:])
		d.values = d.values[:n-2]
	},
	"time": func(d *draft, p *part, _ chosen) {
		for _, it := range p.all(classPeriod) {
			if !it.period.Recurs.IsZero() {
				d.again = append(d.again, it.period)
				continue
			}
			d.times = append(d.times, it.period)
		}
	},
	"order": func(d *draft, p *part, _ chosen) {
		it := p.item("order")
		d.order, d.meanOrder = it.tag.Arg, it.adj != nil && it.adj.Mean
	},
	"sort": func(d *draft, p *part, c chosen) {
		d.sort = p.name(c)
		it := p.item("order")
		if it == nil {
			return
		}
		d.order = it.tag.Arg
		if col := d.sort.column; it.adj != nil && col != nil && !col.Numeric() && col.Nature != schema.Moment { // "per category, biggest first"
			d.unfit = "an order by size of what has none"
		}
	},
	"sortcount": func(d *draft, p *part, c chosen) { // "sorted by number of orders"
		d.sort = thing{table: p.name(c).table}
		if d.sort.none() {
			d.unfit = "an order by a number of what is no table"
		}
		if it := p.item("order"); it != nil {
			d.order = it.tag.Arg
		}
	},
	"distinct": func(d *draft, p *part, c chosen) {
		d.distinct = true
		d.mentions = append(d.mentions, p.name(c))
	},
	"mention": func(d *draft, p *part, c chosen) {
		t := p.name(c)
		if it := p.items[0]; it.deny {
			d.lacks = append(d.lacks, lacking{thing: t, from: p.from})
			return
		}
		flagged := t.column != nil && t.column.Nature == schema.Flag && !d.joined                     // "which owners get the newsletter"
		if d.who && (t.table != nil && !t.table.Persons() || t.column != nil && t.column.Numeric()) { // who: none of the loans
			d.mentions = append(d.mentions, t)
			return
		}
		if !t.done && !flagged && (d.listing && (t.column != nil && d.targets[len(d.targets)-1].of() == t.column.Of || d.joined) || d.which >= 0 && len(d.targets) == 0 && len(d.bests) == 0) {
			d.targets = append(d.targets, t)
			return
		}
		d.mentions = append(d.mentions, t)
	},
	"against": func(d *draft, p *part, _ chosen) {
		d.compares = true
		for _, it := range p.all(classPeriod) {
			if !it.period.Recurs.IsZero() {
				d.unfit = "times that come again beside each other"
			}
			d.times = append(d.times, it.period)
		}
	},
	"either": func(d *draft, p *part, _ chosen) { // "more orders in 2022 or in 2023"
		if d.rival == nil {
			d.unfit = "one of two times, and nothing that there is more of in either"
		}
		for _, it := range p.all(classPeriod) {
			if !it.period.Recurs.IsZero() {
				d.unfit = "times that come again beside each other"
			}
			d.times = append(d.times, it.period)
		}
	},
	"comparing": func(d *draft, p *part, _ chosen) {
		d.compares = true
		if p.item("compare").tag.Arg == "way" {
			d.directed, d.differs = true, true
		}
		if p.item("classifier") != nil { // 多多少人
			d.counts = append(d.counts, measure{agg: intent.AggCount})
		}
	},
	"permean": func(d *draft, p *part, c chosen) {
		t := p.name(c)
		d.over = &t
	},
	"gap": func(d *draft, p *part, _ chosen) {
		d.compares, d.directed, d.differs = true, true, true
		it := p.item("gap")
		if it == nil {
			it = p.item("comparative")
		}
		d.less, d.size = it.tag.Arg == "lo", it.adj
	},
	"differ": func(d *draft, p *part, c chosen) {
		d.compares, d.directed, d.differs = true, true, true
		d.less = p.item("differ").tag.Arg == "lo"
		if p.item("value") != nil { // "how many more nurses"
			makeValue(d, p, c, false)
			d.counts = append(d.counts, measure{agg: intent.AggCount})
			return
		}
		d.counts = append(d.counts, measure{agg: intent.AggCount, thing: p.name(c)})
	},
	"row": func(d *draft, p *part, _ chosen) { d.unread = append(d.unread, p.items[0]) },
}

func (p *part) number() string {
	if it := p.item("number"); it != nil {
		return it.number
	}
	return ""
}

var comparisons = map[string]intent.Op{">": intent.Gt, ">=": intent.Ge, "<": intent.Lt, "<=": intent.Le, "=": intent.Eq}

func makeCompare(d *draft, p *part, c chosen) {
	x := compared{thing: p.name(c), op: intent.Eq, from: p.from, counts: p.make == "exceed", different: p.item("distinct") != nil, part: p}
	for _, it := range p.all(classNumber) {
		x.number = append(x.number, it.number)
		x.dated = x.dated || it.dated
	}
	if it := p.item("unit"); it != nil {
		x.unit, x.said = &it.unit, it
	}
	if it := p.item("did"); it != nil {
		d.acts = append(d.acts, it)
	}
	if it := p.item("agg"); it != nil {
		x.agg = aggregates[it.tag.Arg]
	}
	if p.item("rate") != nil {
		x.agg = intent.AggRate
		x.value = d.rated(p, c, &x.thing)
	}
	switch {
	case p.make == "range":
		x.op = intent.Between
	case p.item("cmp") != nil:
		it := p.item("cmp")
		x.op, x.adj = comparisons[it.tag.Arg], it.adj
	case p.item("after") != nil:
		x.op = comparisons[p.item("after").tag.Arg]
	}
	d.compared = append(d.compared, x)
}

// rated is the stored value that a rate is of, and the column of a thing is then that which has it;
// nil: the rate is of a column of yes and no.
func (d *draft) rated(p *part, c chosen, t *thing) *schema.Value {
	it := p.item("value")
	if it == nil {
		return nil
	}
	v := c.values[it]
	if v == nil {
		d.unfit = "a rate of what is not stored"
		return nil
	}
	t.column = v.Column
	return v
}

// makeMean is a comparison with an average: "older than the average", 高于平均价格.
func makeMean(d *draft, p *part, c chosen) {
	names := p.all(className)
	x := compared{from: p.from, part: p, mean: true}
	if len(names) > 0 {
		x.thing = c.thing(names[0])
	}
	if last := p.lastName(c); len(names) > 1 && last.column != x.column {
		d.unfit = "compared with an average of something else"
	}
	it := p.item("cmp")
	x.op, x.adj = comparisons[it.tag.Arg], it.adj
	d.compared = append(d.compared, x)
}

func makeValue(d *draft, p *part, c chosen, deny bool) {
	for _, it := range p.all(classValue) {
		v := valued{deny: deny, from: p.from, named: p.item("name") != nil}
		if chosen := c.values[it]; chosen != nil {
			v.column, v.stored, v.part = chosen.Column, chosen.Stored, chosen.Part
		} else {
			v.quoted = it.text
			v.column = p.name(c).column
		}
		d.values = append(d.values, v)
	}
}

// misnames tells why a part gives to something what the parts before it say of something else; empty: it does not.
func (l *lattice) misnames(d *draft, before []*part, p *part, c chosen) string {
	if at := l.calledAt(p); at > 0 && !d.calledSo(before, at, c) {
		return "another thing is called so" // "the album named": no track
	}
	if l.namesOther(before, p, c) {
		return "the name of another thing"
	}
	if len(before) == 0 {
		return ""
	}
	last := before[len(before)-1]
	switch {
	case last.make == "lack" && last.item("never") == nil && l.is(last.to, "by") && p.from-last.to <= maxArticles && p.make != "group":
		return "what somebody did not do" // "not reviewed by Ann" are not Ann's without a review
	case p.make == "mention" && slices.Contains([]string{"named", "target", "count"}, last.make) && l.cutsNoun(last, p, c):
		return "the first of two nouns" // "the names of the party hosts": of no party
	case p.make == "named" && last.make == "mention" && last.to == p.from && l.tokens[p.from].Kind == language.Word && p.items[0].is("naming"):
		return "the name of another thing" // "the department name of the students": of the department
	}
	return ""
}

// maxArticles is how many small words stand at most between a verb and who did it: "by a".
const maxArticles = 2

// nameWords are words that say no more than that something has a name.
var nameWords = []string{"name", "names", "title", "titles"}

// namesOther reports whether a name that is said alone is the name of something else than of what it is said to be:
// "the name and id of the item" is no name of a user.
func (l *lattice) namesOther(before []*part, p *part, c chosen) bool {
	of := c.thing(p.items[0]).table
	if of == nil || p.items[0].class != className || len(of.Label) == 0 {
		return false
	}
	at := p.from - 1
	for at > 0 && slices.Contains([]string{"the", "all", "each", "every"}, l.tokens[at].Lower) {
		at--
	}
	if at <= 0 || !slices.Contains([]string{"of", "for"}, l.tokens[at].Lower) {
		return false
	}
	for i := len(before) - 1; i >= 0; i-- {
		switch t := before[i].lastName(c); {
		case t.called && t.column != nil:
			return t.column.Of != of
		case before[i].make != "join" && (before[i].make != "mention" || t.column == nil):
			return false
		}
	}
	return false
}

// cutsNoun reports whether a part ends in the name of a table and right behind it stands the name of another, which
// together call something: the party of "party hosts".
func (l *lattice) cutsNoun(before, p *part, c chosen) bool {
	last := before.items[len(before.items)-1]
	if last.to != p.from || l.tokens[p.from].Kind != language.Word || last.class != className || c.thing(last).table == nil || c.thing(p.items[0]).table == nil {
		return false
	}
	return slices.ContainsFunc(l.at[last.from], func(it *item) bool { return it.class == className && it.to == p.items[0].to })
}

// calledWords are words that stand between a thing and what it is called.
var calledWords = []string{"named", "called", "titled", "entitled"}

// calledAt is where a word stands that tells that the value of a part is what the thing before it is called; 0: nowhere.
func (l *lattice) calledAt(p *part) int {
	for _, at := range []int{p.from, p.from - 1} {
		if p.make == "value" && at > 0 && slices.Contains(calledWords, l.tokens[at].Lower) {
			return at
		}
	}
	return 0
}

// calledSo reports whether the last stored value, before which a word at a token tells that something is called so,
// is of the thing that stands before that word. Where no table stands there, any thing may be.
func (d *draft) calledSo(before []*part, at int, c chosen) bool {
	v := d.values[len(d.values)-1].column
	for _, o := range before {
		for _, it := range o.items {
			if it.class != className || it.to != at || v == nil {
				continue
			}
			switch t := c.thing(it); {
			case t.table != nil:
				return v.Of == t.table
			case t.column != nil && t.column.Points:
				return v.Of != t.column.Of // the album that a row points to is not called as the row is
			}
		}
	}
	return true
}

// things are the tables that a draft names themselves, not by a column of theirs.
func (d *draft) things() []*schema.Table {
	var out []*schema.Table
	for _, t := range slices.Concat(d.targets, d.mentions) {
		if t.table != nil {
			out = append(out, t.table)
		}
	}
	for _, m := range slices.Concat(d.counts, d.aggs) {
		if m.table != nil {
			out = append(out, m.table)
		}
	}
	return out
}

// tables are the tables of what a draft names, each once.
func (d *draft) tables() []*schema.Table {
	var out []*schema.Table
	add := func(t *schema.Table) {
		if t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, list := range [][]measure{d.counts, d.aggs} {
		for _, m := range list {
			add(m.of())
		}
	}
	for _, g := range d.groups {
		add(g.of())
	}
	for _, t := range slices.Concat(d.targets, d.mentions) {
		add(t.of())
	}
	for _, b := range d.bests {
		add(b.of())
	}
	if d.rival != nil {
		add(d.rival.of())
	}
	for _, x := range d.compared {
		add(x.of())
	}
	for _, v := range d.values {
		if v.column != nil {
			add(v.column.Of)
		}
	}
	for _, v := range d.ratio {
		if v.column != nil {
			add(v.column.Of)
		}
	}
	for _, x := range d.lacks {
		add(x.of())
	}
	return out
}

// valueWanted reports whether a stored value stands right behind a number or what asks which: then it may be no more
// than what all the things are called.
func (l *lattice) valueWanted(parts []*part) bool {
	return slices.ContainsFunc(parts, func(p *part) bool {
		if p.make != "value" || p.from == 0 {
			return false
		}
		before := l.at[p.from-1]
		return slices.ContainsFunc(before, func(it *item) bool { return it.to == p.from && (it.class == classNumber || it.is("which")) })
	})
}
