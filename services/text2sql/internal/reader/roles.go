package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// A word that nothing knows has a role by its place. Some roles restrict what is meant:
// an adjective before a noun, a name, a number, a place. A question with such a word is
// not answered without it. Others add nothing to the parts that are known, and are told:
//
//	verb   says what one known thing does to another: "which courier hauled the most parcels"
//	rows   names the rows, of which a stored value is said: "crime novels", 自费患者
//	head   ends the name of a column with what its numbers are: "satisfaction score"
//	column says what the column is called whose value follows: 净度为VVS1
//	new    says of what came in that it did so in the time asked for: "new members per month"
//	gloss  stands before brackets that say it in words of the data: 勒威克（Lerwick）
//
// docs/decisions/26-unknown-words-by-role.md says why.
type role string

const (
	roleRestricts role = ""
	roleVerb      role = "taken_verb"
	roleRows      role = "taken_rows"
	roleHead      role = "taken_head"
	roleColumn    role = "taken_column"
	roleGloss     role = "taken_gloss"
	roleNew       role = "taken_new"
)

// costTaken is what a word costs that is told of, beside the cost of its part.
const costTaken = 0.4

// place is a cover of a question token by token.
type place struct {
	*composer
	chosen  chosen
	l       *lattice
	parts   []*part
	part    []int   // of each token, its part; -1: none
	items   []*item // of each token, the item of its part that covers it; nil: none
	decided []role  // of each token, the role so far
}

// roles decides what the unread words of a cover do; those that restrict stay unread.
// saved is what the reading costs less by the words that do not.
func (b *composer) roles(l *lattice, parts []*part, c chosen) (saved float64) {
	if len(b.d.unread) == 0 || strange(parts) {
		return 0
	}
	p := place{composer: b, chosen: c, l: l, parts: parts, part: make([]int, len(l.tokens)), items: l.covered(parts), decided: make([]role, len(l.tokens))}
	for i := range p.part {
		p.part[i] = -1
	}
	for n, part := range parts {
		for i := part.from; i < part.to; i++ {
			p.part[i] = n
		}
	}
	var left []*item
	for _, it := range b.d.unread {
		role := roleRestricts
		if it.class == classUnknown {
			role = p.role(it)
		}
		for i := it.from; i < it.to; i++ {
			p.decided[i] = role
		}
		if role == roleRestricts {
			left = append(left, it)
			continue
		}
		if role == roleColumn {
			b.note(string(role), it.text, p.saysValue(it).Column.Expr)
		} else {
			b.took(role, it.text)
		}
		saved += it.cost + costRow - costTaken
	}
	b.d.unread = left
	return saved
}

// covered are the items of parts, of each token the one that covers it; nil: none does.
func (l *lattice) covered(parts []*part) []*item {
	items := make([]*item, len(l.tokens))
	for _, p := range parts {
		for _, it := range p.items {
			for i := it.from; i < it.to; i++ {
				items[i] = it
			}
		}
	}
	return items
}

// strange reports whether a text in quotes is stored nowhere: an unknown word may be what
// says of which column it is.
func strange(parts []*part) bool {
	return slices.ContainsFunc(parts, func(p *part) bool {
		return slices.ContainsFunc(p.items, func(it *item) bool { return it.quoted && len(it.values) == 0 })
	})
}

// role of a word.
func (p *place) role(it *item) role {
	if p.l.tokens[it.from].Kind == language.Han {
		return p.roleHan(it)
	}
	t := p.l.tokens[it.from]
	first, _ := utf8.DecodeRuneInString(t.Text)
	if t.Kind != language.Word || it.to != it.from+1 || !unicode.IsLower(first) {
		return roleRestricts
	}
	switch {
	case t.Lower == "new" && p.cameIn(it.to):
		return roleNew
	case slices.Contains(aspects, t.Lower) && p.stands(it.to):
		return roleVerb
	case p.particle(it.from):
		return roleVerb
	case p.verb(it.from):
		return roleVerb
	case p.head(it), p.sized(it.to):
		return roleHead
	case (t.Lower == "one" || t.Lower == "ones") && p.is(p.before(it.from), classValue) && p.root != nil: // "a red one"
		return roleRows
	case p.plural(t) && p.afterCondition(it.from) && p.ends(it.to) && !p.money(it):
		return roleRows
	}
	return roleRestricts
}

// before is the last token in front of one that is more than an article or a pronoun;
// -1: none.
func (p *place) before(i int) int {
	for i--; i >= 0 && p.items[i] == nil && p.l.has(i, language.Stop); i-- {
	}
	return i
}

// after is the first token from one on that is more than an article or a particle.
func (p *place) after(i int) int {
	for ; i < len(p.l.tokens) && (p.items[i] == nil && p.l.has(i, language.Stop) || slices.Contains(particles, p.l.tokens[i].Lower) || p.is(i, classUnknown) && slices.Contains(prepositions, p.l.tokens[i].Lower)); i++ {
	}
	return i
}

// has reports whether a token alone is a word with a tag.
func (l *lattice) has(i int, tags ...string) bool {
	return i >= 0 && i < len(l.tokens) && slices.ContainsFunc(l.at[i], func(it *item) bool { return it.to == i+1 && it.is(tags...) })
}

// is reports whether a token belongs to an item of a class in its part.
func (p *place) is(i int, classes ...class) bool {
	return i >= 0 && i < len(p.items) && p.items[i] != nil && slices.Contains(classes, p.items[i].class)
}

// makes is what kind of part a token belongs to.
func (p *place) makes(i int) string {
	if i < 0 || i >= len(p.part) || p.part[i] < 0 {
		return ""
	}
	return p.parts[p.part[i]].make
}

// cameIn reports whether at a token, or right behind it, the rows are named, each of which is counted in the time in which
// it came in: rows that joined in a month are those that were new then.
func (p *place) cameIn(i int) bool {
	if p.root == nil || !p.is(i, className) || p.items[i].from != i || len(p.d.counts) != 1 || !p.d.counts[0].none() && p.d.counts[0].table != p.root {
		return false
	}
	if h := p.chosen.hits[p.items[i]]; h.Table != p.root { // those of a column may have come before
		return false
	}
	day := p.dayAsked()
	return day != nil && day.Of == p.root && slices.ContainsFunc(day.Words(), func(w string) bool { return p.reader.language.IsOf("begins", w) })
}

// dayAsked is the one column of days by which the rows are kept or put together; nil: none, or more.
func (p *place) dayAsked() *schema.Column {
	var day *schema.Column
	more := false
	add := func(id string) {
		if c := p.view.ColumnOf(id); c != nil && c.Time {
			more = more || day != nil && day != c
			day = c
		}
	}
	for _, f := range p.in.GroupBy {
		add(f.ID)
	}
	var within func([]intent.Cond)
	within = func(list []intent.Cond) {
		for _, c := range list {
			if c.Left != nil {
				add(c.Left.ID)
			}
			within(c.Args)
		}
	}
	within(p.in.Filters)
	if more {
		return nil
	}
	return day
}

// particles follow verbs and are part of them.
var particles = []string{"up", "out", "off", "down", "back", "away", "over", "together", "along"}

// prepositions follow verbs, and make another verb of them with what they stand before: "looks after
// the clients". They are a closed class.
var prepositions = []string{"after", "for", "on", "in", "at", "to", "with", "from", "into", "through", "about"}

// particle reports whether a word is one that belongs to the verb before it.
func (p *place) particle(i int) bool {
	if slices.Contains(prepositions, p.l.tokens[i].Lower) && i > 0 && p.decided[i-1] == roleVerb {
		return true
	}
	return slices.Contains(particles, p.l.tokens[i].Lower) && i > 0 && (p.decided[i-1] == roleVerb || p.items[i-1] == nil && p.l.has(i-1, "verb") && p.plainRows())
}

// verb reports whether a word is a verb that says no more than how the known things
// beside it belong together.
func (p *place) verb(i int) bool {
	word := p.l.tokens[i].Lower
	if p.reader.language.Alike(word, "amount") {
		return false // "spent the most" asks for money, whether or not it is known which
	}
	subject, object := p.before(i), p.after(i+1)
	asks := p.makes(subject) == "target" || p.makes(subject) == "which" || p.makes(subject) == "named"
	asked := []string{"most", "count", "super", "agg", "common", "top", "mention", "compare", "exceed"}
	past := participle(word) || irregular(word)
	switch {
	case p.root != nil && (len(p.view.Pointing(p.root)) == 0 || p.makes(object) != "mention") && p.sure(subject) && i == subject+1 && (past || asks && strings.HasSuffix(word, "s")) && asks && (slices.Contains(asked, p.makes(object)) || p.l.has(object, "link") && slices.Contains(asked, p.makes(p.after(object+1)))):
		return true // "which courier hauled the most parcels"
	case p.goesOn(i, subject, object):
		return true // "how did the population of India develop over the years"
	case len(p.d.aggs) > 0 && base(word) && i == subject+1 && p.sure(subject) && p.did(subject) && (object >= len(p.l.tokens) || p.is(object, classGrain, classPeriod) || p.l.has(object, "per", "each")):
		return true // "how did the total cost develop by year"
	case past && i == subject+1 && p.who(subject) && (p.sizedMost(object) || p.boundsMoney(i, object)):
		return true // "who sat in the senate the longest", "everyone who gave more than £1000"
	case p.yields(i):
		return true // "how much did the fair bring in", "total raised per campaign"
	case p.does(i) && base(word):
		return p.is(i-1, className, classValue) && p.sure(i-1) && p.makes(i-1) != "count" || p.plainRows() // "how many parcels did each courier haul"
	case past && p.sure(subject) && (p.is(object, classValue) && p.ofRows(object) || p.makes(object) == "both") && object == p.particlesEnd(i+1):
		return true // "bookings ended up cancelled"
	case past && p.sure(subject) && slices.Contains(comparing, p.makes(object)) && (p.makes(object) == "placed" || p.namesColumn(object)) && object == p.particlesEnd(i+1):
		return true // "storms reached category 3": the column says of what
	case past && (p.sure(subject) || p.l.has(subject, "be")):
		return p.plainRows() && (object >= len(p.l.tokens) || p.l.has(i+1, "link", "per", language.Stop) || p.l.has(i+1, "each") || p.is(i+1, classPeriod))
	}
	return false
}

// who reports whether at a token it is asked for a person by nothing but "who".
func (p *place) who(i int) bool {
	return i >= 0 && p.items[i] != nil && p.items[i].is("which") && p.items[i].tag.Arg == "who"
}

// sizedMost reports whether at a token, or behind the name of the rows there, stands the superlative of an adjective of
// which the rows have the size, which is then that of what was done: who sat the longest did so for the longest time.
// The first or last of days may be that of anything that was done.
func (p *place) sizedMost(i int) bool {
	if p.l.has(i, "link") && (i >= len(p.items) || p.items[i] == nil) {
		i = p.after(i + 1)
		if p.makes(i) != "mention" || !p.is(i, className) || p.chosen.hits[p.items[i]].Table != p.root {
			return false
		}
		i = p.after(p.items[i].to)
	}
	if p.makes(i) != "super" {
		return false
	}
	it := p.parts[p.part[i]].item("super")
	return it != nil && it.adj != nil && !it.adj.Time && !it.adj.Mean && len(it.adj.Attributes) > 0 && len(p.d.bests) == 1
}

// boundsMoney reports whether a verb of money that came in stands before a bound of the one amount of money that the
// rows have.
func (p *place) boundsMoney(verb, i int) bool {
	return p.bringsIn(verb) && p.makes(i) == "compare" && len(p.d.compared) == 1 && p.root != nil && !p.root.NamesStates() && p.oneMoney()
}

// bringsIn reports whether a word is a verb that says no more than that money came in.
func (p *place) bringsIn(i int) bool { return p.reader.language.IsOf("brings_in", p.l.tokens[i].Lower) }

// oneMoney reports whether the rows have one amount of money.
func (p *place) oneMoney() bool {
	n := 0
	for _, c := range p.root.Columns {
		if c.Money {
			n++
		}
	}
	return n == 1
}

// yields reports whether a verb says no more than that the one amount of money which the rows have came in: all of
// it is asked for, and nothing stands behind the verb that it would be of.
func (p *place) yields(i int) bool {
	if !p.bringsIn(i) || p.root == nil || len(p.root.Label) > 0 || len(p.view.Pointing(p.root)) > 0 || p.root.NamesStates() || len(p.d.compared) > 0 {
		return false
	}
	end := p.particlesEnd(i + 1)
	if end < len(p.l.tokens) && p.items[end] == nil && p.l.tokens[end].Lower == "in" {
		end++ // "bring in"
	}
	ends := end >= len(p.l.tokens) || p.l.tokens[end].Kind == language.Mark || p.l.has(end, "per", "each", "link") || p.is(end, classPeriod, classGrain) || p.makes(end) == "agg"
	total := i > 0 && p.items[i-1] != nil && slices.ContainsFunc(p.l.at[i-1], func(it *item) bool { return it.to == i && it.is("agg") && it.tag.Arg == "sum" })
	return p.oneMoney() && ends && (p.d.money || p.d.number || total)
}

// goesOn reports whether a verb asks how something went on by steps of time, which stand behind it.
func (p *place) goesOn(i, subject, object int) bool {
	return p.l.is(0, "how") && p.l.is(1, "did", "does", "do", "has", "have") && i == subject+1 && i > 2 && base(p.l.tokens[i].Lower) &&
		(p.is(subject, className, classValue) || p.makes(subject) == "count") && (p.is(object, classGrain) || p.l.has(object, "per", "each"))
}

// comparing are parts that compare a column with a number.
var comparing = []string{"compare", "equal", "range", "placed"}

// namesColumn reports whether the part that a token belongs to names a column.
func (p *place) namesColumn(i int) bool { return p.parts[p.part[i]].item("name") != nil }

// aspects say since when or how long something has been as it is: "still open" is open. They are a
// closed class.
var aspects = []string{"still", "already", "currently", "presently"}

// stands reports whether at a token stands how something is: a stored value, a column of yes and no
// or of what was done, or what denies one.
func (p *place) stands(i int) bool {
	if p.is(i, classValue) || slices.Contains([]string{"notvalue", "lack", "late", "owed"}, p.makes(i)) {
		return true
	}
	if !p.is(i, className) {
		return false
	}
	c := p.chosen.hits[p.items[i]].Column
	return c != nil && (c.Nature == schema.Flag || c.Time)
}

// ofRows reports whether the stored value at a token is one of the rows themselves, or the rows are
// events: the members that visited a branch are not those whose home it is.
func (p *place) ofRows(i int) bool {
	v := p.chosen.values[p.items[i]]
	return v == nil || v.Column.Of == p.root || p.plainRows()
}

// particlesEnd is the first token from one on that is no particle.
func (p *place) particlesEnd(i int) int {
	for i < len(p.l.tokens) && slices.Contains(particles, p.l.tokens[i].Lower) {
		i++
	}
	return i
}

// did reports whether "do" stands before a name, and "how" before that.
func (p *place) did(subject int) bool {
	for j := subject - 1; j > 0 && j >= subject-5; j-- {
		if slices.Contains(doing, p.l.tokens[j].Lower) {
			return p.l.tokens[j-1].Lower == "how"
		}
	}
	return false
}

// does reports whether a number of things is asked for, and "do" and who does it stand
// right before a verb: "did we get".
func (p *place) does(i int) bool {
	if p.d.sized == nil && (len(p.d.counts) == 0 || len(p.d.aggs) > 0) || !p.is(i-1, className, classValue) && !p.l.has(i-1, language.Stop) {
		return false
	}
	for j := i - 2; j >= max(0, i-5) && p.l.tokens[j].Kind == language.Word; j-- {
		if slices.Contains([]string{"do", "does", "did"}, p.l.tokens[j].Lower) {
			return true
		}
		if p.l.has(j, "verb") {
			return false // that is the verb
		}
	}
	return false
}

// base reports whether a word may be a verb as it stands behind "do".
func base(word string) bool {
	return !slices.ContainsFunc([]string{"ed", "ing", "s", "er", "ly", "est"}, func(end string) bool { return strings.HasSuffix(word, end) })
}

// sureName is how well a name has to fit where a verb is taken to be about it.
const sureName = 0.85

// sure reports whether a token belongs to a name that fits well.
func (p *place) sure(i int) bool {
	return p.is(i, className) && p.chosen.hits[p.items[i]].Score >= sureName
}

// plainRows reports whether the rows are events of which nothing is kept but that they
// were: then what was done with them chooses none of them. Things that have names go on
// after what is done with them, and may be chosen by it.
func (p *place) plainRows() bool {
	return p.root != nil && len(p.root.Label) == 0 && len(p.view.Pointing(p.root)) == 0 && !p.root.KeepsStates()
}

// irregular reports whether a word is the past of a verb that has no regular one. These
// verbs are a closed class.
func irregular(word string) bool { return slices.Contains(irregularPast, word) }

var irregularPast = strings.Fields(`bought brought built caught chose chosen came cost cut dealt did done drew drawn drank drunk drove driven ate eaten fell fallen fed felt fought found flew flown forgot forgotten gave given went gone got gotten grew grown had heard hid hidden hit held hurt kept knew known laid led left lent let lost made meant met paid put quit read rode ridden rang rung rose risen ran said saw seen sought sold sent set shook shaken shot shown shut sang sung sank sat slept spoke spoken spent stood stole stolen struck swam took taken taught told thought threw thrown understood woke woken wore worn won wrote written`)

// plural reports whether a word is called as many things are.
func (p *place) plural(t language.Token) bool {
	return len(t.Lower) > 3 && strings.HasSuffix(t.Lower, "s") && !strings.HasSuffix(t.Lower, "ss") || slices.Contains(plurals, t.Lower)
}

// plurals are those of everyday words that do not end in s.
var plurals = []string{"people", "men", "women", "children"}

// afterCondition reports whether right before a token stands a stored value that the
// rows have.
func (p *place) afterCondition(i int) bool {
	i--
	if i >= 0 && p.l.tokens[i].Text == "的" {
		i--
	}
	if i < 0 || p.items[i] == nil || p.root == nil {
		return false
	}
	if v := p.chosen.values[p.items[i]]; v != nil {
		return p.makes(i) == "value" && !v.Part && p.view.OneRow(p.root, v.Column.Of)
	}
	return p.l.tokens[i+1].Text == "的" && slices.Contains([]string{"compare", "range", "equal", "has", "lack", "time"}, p.makes(i)) && p.l.tokens[i].Kind != language.Word
}

// ends reports whether what is named ends before a token: no further name follows.
func (p *place) ends(i int) bool {
	if i >= len(p.l.tokens) {
		return true
	}
	if p.items[i] == nil {
		return p.l.has(i, "link", "verb", "be", language.Stop, "and", "have")
	}
	return p.items[i].class == classWord && p.items[i].tag.Name != "naming" || p.makes(i) == "mention" && p.l.tokens[i].Kind == language.Han && p.numbers(p.chosen.hits[p.items[i]])
}

func (p *place) numbers(h schema.Hit) bool { return h.Column != nil && h.Column.Numeric() }

// sized reports whether at a token, or behind "in", stands the unit by which an amount was found:
// what stands before it says what that is, "capacity in kW".
func (p *place) sized(i int) bool {
	if i < len(p.l.tokens) && p.l.tokens[i].Lower == "in" && p.items[i] == nil {
		i++
	}
	return p.d.sized != nil && p.makes(i) == "unit" && p.d.sized == &p.items[i].unit
}

// head reports whether a word ends the name of a column of numbers by what they are:
// "satisfaction score" over a satisfaction.
func (p *place) head(it *item) bool {
	if it.from == 0 || !p.is(it.from-1, className) {
		return false
	}
	c := p.chosen.hits[p.items[it.from-1]].Column
	if c == nil || !c.Numeric() || !p.ends(it.to) {
		return false
	}
	if p.l.tokens[it.from].Kind != language.Han {
		return schema.Measure(token.Stem(p.l.tokens[it.from].Lower))
	}
	return slices.ContainsFunc(p.reader.lexis.English(it.text), func(g schema.Gloss) bool {
		return len(g.Stems) == 1 && schema.Measure(g.Stems[0])
	})
}

// roleHan is the role of a run of Chinese characters.
func (p *place) roleHan(it *item) role {
	next := it.to
	if next < len(p.l.tokens) && slices.Contains([]string{"了", "过"}, p.l.tokens[next].Text) && p.items[next] == nil {
		next++
		if p.is(next, className) || p.asksMany(next) && len(p.d.aggs) > 0 || (p.asksMany(next) || p.is(next, classNumber)) && p.plainRows() || len(p.d.aggs) > 0 && p.makes(next) == "quantity" {
			return roleVerb // 收了多少药费, 买了保险
		}
		return roleRestricts
	}
	switch {
	case p.head(it):
		return roleHead
	case p.namesValue(it), p.behindValue(it):
		return roleHead
	case p.saysValue(it) != nil:
		return roleColumn
	case next+1 < len(p.l.tokens) && p.l.tokens[next].Text == "的" && p.l.namesAt(next+1):
		return roleRestricts // 报废的维修单: which of them
	case it.to-it.from > 1 && p.afterCondition(it.from) && p.ends(it.to) && !p.money(it):
		return roleRows // 自费患者占比
	case p.asksMany(next) && it.from > 0 && p.items[it.from-1] != nil && p.plainRows() && !p.afterCondition(it.from):
		return roleVerb
	}
	return roleRestricts
}

// equating are Chinese words between what a column is called and its value.
var equating = []string{"为", "等于"}

// saysValue is the stored value that a Chinese word, by equating, says to be that of what it calls; nil: it does not.
func (p *place) saysValue(it *item) *schema.Value {
	for _, word := range equating {
		at := it.to + len([]rune(word))
		if at >= len(p.l.tokens) || p.l.span(it.to, at) != word || !p.is(at, classValue) {
			continue
		}
		if v := p.chosen.values[p.items[at]]; v != nil && !v.Part {
			return v
		}
	}
	return nil
}

// namesValue reports whether a word is part of the name of the column whose value stands right
// behind it: 报C2 of a 报考车型.
func (p *place) namesValue(it *item) bool {
	if !p.is(it.to, classValue) {
		return false
	}
	v := p.chosen.values[p.items[it.to]]
	return v != nil && !v.Part && strings.HasPrefix(v.Column.Expr, it.text)
}

// behindValue reports whether a word is the beginning of the name of the column whose value stands
// right before it: 江苏籍 of a 籍贯.
func (p *place) behindValue(it *item) bool {
	if it.from == 0 || !p.is(it.from-1, classValue) {
		return false
	}
	v := p.chosen.values[p.items[it.from-1]]
	return v != nil && !v.Part && strings.HasPrefix(v.Column.Expr, it.text)
}

// money reports whether a word is one for an amount of money: rows are not called so, unless it
// is asked how many of them there are.
func (p *place) money(it *item) bool {
	return len(p.d.counts) == 0 && (p.reader.wordOfMoney(it) || inHan(it.text) && saysMoneyHan(it.text))
}

// namesAt reports whether at a token stands the name of a table or of what is no number.
func (l *lattice) namesAt(i int) bool {
	return slices.ContainsFunc(l.at[i], func(it *item) bool {
		return it.class == className && it.hits[0].Score >= knownName && (it.hits[0].Column == nil || !it.hits[0].Column.Numeric())
	})
}

// asksMany reports whether a token begins what asks for a number of something named.
func (p *place) asksMany(i int) bool {
	return i < len(p.l.tokens) && (p.makes(i) == "count" || p.makes(i) == "agg") && p.items[i] != nil && p.items[i].is("howmany", "havemany", "howmuch", "agg")
}

// took tells what a word was taken for.
func (b *composer) took(r role, text string) {
	if r == roleRows {
		b.note(string(r), text, b.root.Names.EN)
		return
	}
	b.note(string(r), text)
}
