package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Things that are named often meet only in what happened to them, which a table of its own keeps
// and nobody names: "which branch lends the most books" is of the loans. The verb between them says
// that it is what happened that counts, and not the things.

// act is the verb of a question that says what happened between the things it names.
type act struct {
	text   string
	to     int   // the token behind it
	unread *item // the verb, where nothing knows it; nil: it is one of the general words
}

// light are forms of general verbs that say no more than how things stand: they tell of nothing
// that happened. They are a closed class.
var light = []string{
	"be", "been", "being", "do", "does", "did", "done", "get", "gets", "got", "exist", "exists", "existed",
	"belong", "belongs", "belonged", "live", "lives", "lived", "lie", "lies", "lay", "stand", "stands", "include", "includes", "included",
	"last", "lasts", "lasted", "own", "owns", "owned", "measure", "measured", "cause", "causes", "caused", "involve", "involves", "involved",
}

// happened finds the verb that says what happened between things, by its form and its place; nil:
// there is none.
func (b *composer) happened() *act {
	l, d := b.l, b.d
	covered := l.covered(b.parts)
	for i, t := range l.tokens {
		it := covered[i]
		switch {
		case t.Kind == language.Han:
			if it != nil && it.class == classUnknown && it.from == i && slices.Contains(d.unread, it) && l.doneHan(it) {
				return &act{it.text, it.to, it}
			}
		case t.Kind != language.Word:
		case it == nil && l.has(i, "verb") && !l.has(i, "be", "have", "list") && !slices.Contains(light, t.Lower):
			return &act{t.Text, i + 1, nil}
		case it != nil && it.class == classUnknown && slices.Contains(d.unread, it) && l.verbForm(i):
			return &act{it.text, it.to, it}
		case it != nil && it.is("acts"):
			return &act{it.text, it.to, nil}
		}
	}
	return nil
}

// verbForm reports whether an unknown word has the form of a verb at its place: of what was done,
// or of what somebody who is named does.
func (l *lattice) verbForm(i int) bool {
	word := l.tokens[i].Lower
	if first, _ := utf8.DecodeRuneInString(l.tokens[i].Text); !unicode.IsLower(first) || i == 0 {
		return false
	}
	switch {
	case participle(word) || irregular(word):
		return i+1 >= len(l.tokens) || !l.namesAt(i+1) || l.ended(i, true) || l.ended(i, false) || slices.Contains(relatives, l.tokens[i-1].Lower) // "borrowed books" are some of them
	case slices.Contains(relatives, l.tokens[i-1].Lower):
		return true
	case len(word) > 3 && word[len(word)-1] == 's' && word[len(word)-2] != 's':
		return l.ended(i, true)
	}
	return base(word) && slices.ContainsFunc(l.tokens[max(0, i-5):i], func(t language.Token) bool { return slices.Contains(doing, t.Lower) })
}

// doneHan reports whether an unknown run of Chinese characters says what was done: it stands
// before 了 or 过.
func (l *lattice) doneHan(it *item) bool {
	return it.from > 0 && it.to < len(l.tokens) && slices.Contains([]string{"了", "过"}, l.tokens[it.to].Text)
}

// meeting is the one table nearest to some others that keeps what happened to them: it dates its
// rows, which have no names, and each leads to at most one of each of the others. nil: there is
// none, or more.
func (b *composer) meeting(tables []*schema.Table) *schema.Table {
	return b.nearest(tables, func(t *schema.Table) bool { return len(t.Label) == 0 && len(t.Days()) > 0 })
}

// nearest is the one allowed table nearest to some others of whose rows each has at most one of each of theirs; nil:
// there is none, or more.
func (b *composer) nearest(tables []*schema.Table, allowed func(*schema.Table) bool) *schema.Table {
	var found *schema.Table
	nearest, alone := 0.0, false
	for _, t := range b.view.Tables {
		if !allowed(t) || slices.Contains(tables, t) || !b.hasEach(t, tables) {
			continue
		}
		far := 0.0
		for _, o := range tables {
			far += b.view.Distance(t, o)
		}
		switch {
		case found == nil || far < nearest:
			found, nearest, alone = t, far, true
		case far == nearest:
			alone = false
		}
	}
	if !alone {
		return nil
	}
	return found
}

// eventsBetween is the table that keeps what happened between the things that are named, where
// they meet in no table that is named; of "who", persons are one of the things. nil: it is none.
func (b *composer) eventsBetween() *schema.Table {
	tables := b.d.tables()
	if b.d.who && !slices.ContainsFunc(tables, (*schema.Table).Persons) {
		var persons []*schema.Table
		for _, t := range b.view.Tables {
			if t.Persons() {
				persons = append(persons, t)
			}
		}
		if len(persons) != 1 {
			return nil
		}
		tables = append(tables, persons[0])
	}
	if len(tables) < 2 || b.centre(tables) != nil {
		return nil
	}
	return b.meeting(tables)
}

// takeAct takes the verb that says what happened, with its particle, for what leads to the events.
func (b *composer) takeAct(a *act) {
	if a == nil {
		return
	}
	b.took(roleVerb, a.text)
	b.found(costTaken, func(it *item) bool {
		return it == a.unread || it.from == a.to && slices.Contains(particles, strings.ToLower(it.text))
	})
}

// asEvents takes what is counted of things for what happened to them, where a verb says so: the
// books that a branch lends are its loans, the members that visited are different ones.
func (b *composer) asEvents() bool {
	d := b.d
	named := func(t thing) bool { return t.table != nil && t.column == nil }
	counted := slices.IndexFunc(d.counts, func(m measure) bool { return named(m.thing) && !m.distinct })
	most := slices.IndexFunc(d.bests, func(x best) bool { return x.count && named(x.thing) })
	exceeds := slices.IndexFunc(d.compared, func(x compared) bool { return x.counts && named(x.thing) })
	if exceeds >= 0 && (len(d.targets) != 1 || len(d.compared) > 1) {
		exceeds = -1
	}
	if counted < 0 && most < 0 && exceeds < 0 || counted >= 0 && exceeds >= 0 || len(d.counts) > 1 || len(d.bests) > 1 || len(d.aggs) > 0 {
		return false
	}
	if most >= 0 && counted < 0 && b.actBefore(&d.bests[most]) {
		return true
	}
	event := b.eventsBetween()
	if event == nil {
		return false
	}
	verb := b.happened()
	if verb == nil {
		return false
	}
	b.root = event
	b.takeAct(verb)
	var what *thing
	switch {
	case counted >= 0:
		what = &d.counts[counted].thing
	case most >= 0:
		what = &d.bests[most].thing
	case d.compared[exceeds].different: // different ones are counted as what they are
		return true
	default:
		what = &d.compared[exceeds].thing
	}
	things := what.table
	*what = thing{table: event}
	if things.Persons() { // each of them once
		if c := b.pointer(things); c != nil && counted >= 0 {
			d.counts[counted].thing, d.counts[counted].distinct = thing{column: c}, true
			return true
		}
	}
	b.note("events_of", event.Names.EN, things.Names.EN)
	return true
}

// actBefore takes events that are named right before the things of which there are most for the verb
// of these, as Chinese has it: 借阅图书最多的读者 are those with the most of the 借阅.
func (b *composer) actBefore(x *best) bool {
	things := x.table
	for i, m := range b.d.mentions {
		event := m.table
		if event == nil || event == things || len(event.Label) > 0 || len(event.Days()) == 0 || !b.view.OneRow(event, things) || !b.besideHan(event, things) {
			continue
		}
		b.d.mentions = slices.Delete(b.d.mentions, i, i+1)
		if b.d.behind > i {
			b.d.behind--
		}
		b.root, x.thing = event, thing{table: event}
		b.note("events_of", event.Names.EN, things.Names.EN)
		return true
	}
	return false
}

// besideHan reports whether Chinese names of two tables stand right beside each other.
func (b *composer) besideHan(one, other *schema.Table) bool {
	names := func(it *item, t *schema.Table) bool {
		return it.class == className && slices.ContainsFunc(it.hits, func(h schema.Hit) bool { return h.Table == t })
	}
	for i := 1; i < len(b.parts); i++ {
		before, behind := b.parts[i-1], b.parts[i]
		last, first := before.items[len(before.items)-1], behind.items[0]
		if last.to == first.from && b.l.tokens[last.from].Kind == language.Han && names(last, one) && names(first, other) {
			return true
		}
	}
	return false
}
