// Package reader reads questions. What it knows of a question comes from three places,
// in this order: the names and stored values of the data, expressions of time and
// numbers, and the general words of language. It covers the question with parts by one
// grammar for English and Chinese, decides what each name stands for so that all fits
// together, and puts the parts together to an intent.
//
//	items      what each span may be: a name, a value, a number, a time, a general word
//	grammar    which rows of parts cover the question (grammar.yaml)
//	draft      what the parts say
//	compose    what is asked for, as an intent
//	reader     which of the readings is meant, and how sure that is
package reader

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

type unit = language.Unit

// Reader is read-only after New and may be used concurrently.
type Reader struct {
	language *language.Words
	dates    *dates.Reader
	lexis    schema.Lexis
	grammar  []rule
	changes  changeWords
	bases    map[string]string // of irregular forms of words
}

// New loads the words and the grammar.
func New(d *dates.Reader, lex *lexicon.Lexicon) (*Reader, error) {
	words, err := language.Load()
	if err != nil {
		return nil, err
	}
	grammar, err := loadGrammar()
	if err != nil {
		return nil, err
	}
	changes, err := loadChanges(grammar)
	if err != nil {
		return nil, err
	}
	bases, err := analysis.Irregular()
	if err != nil {
		return nil, err
	}
	return &Reader{language: words, dates: d, lexis: lexis{lex, words}, grammar: grammar, changes: changes, bases: bases}, nil
}

// View makes tables ready for questions.
func (r *Reader) View(layer *semantic.Layer, tables []catalog.Table, graph *plan.Graph) *schema.View {
	return schema.New(layer, tables, graph, r.units, r.lexis)
}

// lexis relates words of general language.
type lexis struct {
	*lexicon.Lexicon

	words *language.Words
}

// Alike reports whether two words stand for each other.
func (x lexis) Alike(a, b string) bool { return x.words.Alike(a, b) }

// Morphemes are the Chinese characters that translations of an English word share.
func (x lexis) Morphemes(word string) []schema.Morpheme {
	list := x.Lexicon.Morphemes(word)
	out := make([]schema.Morpheme, len(list))
	for i, m := range list {
		out[i] = schema.Morpheme(m)
	}
	return out
}

// Meanings are what a word may mean by general language.
func (x lexis) Meanings(stem string) []schema.Meaning {
	list := x.Lexicon.Meanings(stem)
	out := make([]schema.Meaning, len(list))
	for i, m := range list {
		out[i] = schema.Meaning(m)
	}
	return out
}

// minGloss is below which a translation is too unlikely, maxGlosses how many count.
const (
	minGloss   = 0.8
	maxGlosses = 6
)

// Word reports whether a Chinese text is a word of the dictionary.
func (x lexis) Word(han string) bool {
	_, known := x.Chinese().Cost(han)
	return known
}

// English translates a Chinese word.
func (x lexis) English(han string) []schema.Gloss {
	var out []schema.Gloss
	for _, g := range x.Chinese().Glosses(han) {
		if g.Score >= minGloss && len(out) < maxGlosses {
			out = append(out, schema.Gloss{Stems: g.Stems, Text: g.Text, Score: g.Score})
		}
	}
	return out
}

// units tells which words are units, for a view of a schema.
func (r *Reader) units(word string) (string, bool) {
	u, ok := r.language.Unit(word)
	return u.Quantity, ok && u.Quantity != "count"
}

// Note is something that was decided and that people should know: an id of a message
// and what stands in it.
type Note struct {
	ID   string
	Args []string
}

// Span is a piece of the question and what it was taken for.
type Span struct{ Text, Kind, Meaning string }

// Reading is one way in which a question can be meant.
type Reading struct {
	Intent intent.Intent
	Notes  []Note
	Spans  []Span
	Unread []string // words that nothing was done with
	// Predicates are those of them that say how things have to be: "how many dogs are microchipped".
	Predicates []string
	Theirs     bool    // something is shown beside what the things are called: "with their addresses"
	Cost       float64 // the lower, the likelier
	Doubt      Doubt

	sense string // what it asks for
}

// Doubt tells how far a reading guessed, by what it guessed; 0: not at all.
type Doubt struct {
	Names   float64 // how badly names fit
	Values  float64 // how badly stored values fit
	Grammar float64 // how unusual the parts are
	Choice  float64 // of what the names could be, how far the decision is from the best fit, and how far apart the tables are
	Guess   float64 // what the question does not say
}

// Sum is all of it.
func (d Doubt) Sum() float64 { return d.Names + d.Values + d.Grammar + d.Choice + d.Guess }

// Bounds of the search.
const (
	maxReadings = 8
	beamWidth   = 16
)

func (r *Reader) read(l *lattice, v *schema.View, now time.Time) (list []Reading, refused []string) {
	for _, c := range r.covers(l) {
		for _, choice := range r.choices(&c, v) {
			b := composer{reader: r, view: v, now: now, d: draftOf(l, c.parts, choice.chosen), l: l, parts: c.parts}
			taken := len(b.d.unread)
			switch {
			case l.again(c.parts):
				b.fail("two questions")
			case l.halved(c.parts):
				b.fail("things with and without something")
			case l.asksMore(c.parts):
				b.fail("two wishes")
			case attributive(c.parts):
				b.fail("an adjective for the rows")
			case l.countsBefore(c.parts):
				b.fail("a number of what stands before it, and not of what follows")
			case l.otherRows(c.parts, choice.chosen):
				b.fail("compared with other rows")
			default:
				b.compose()
			}
			if b.failed != "" {
				refused = append(refused, b.failed)
				continue
			}
			doubt := c.doubt()
			choice.cost += l.apartFrom(c.parts, choice.chosen)
			doubt.Choice, doubt.Guess = choice.cost, b.cost
			saved := b.saved + b.roles(l, c.parts, choice.chosen)
			doubt.Grammar -= costRow * float64(taken-len(b.d.unread))
			for _, it := range b.d.unread {
				b.note("unread", it.text)
			}
			for _, it := range b.d.acts {
				b.took(roleVerb, it.text)
			}
			b.tellMeant(c.parts, choice.chosen)
			for _, p := range c.parts {
				for _, it := range p.items {
					if it.gloss != "" {
						b.note(string(roleGloss), it.gloss)
					}
				}
			}
			for _, s := range l.slips {
				b.note("spelled", s.said, s.meant)
				doubt.Grammar += costSlip
			}
			list = keep(list, v, Reading{
				sense:  sense(&b.in, v),
				Intent: b.in, Notes: b.notes, Unread: texts(b.d.unread), Theirs: b.d.theirs, Predicates: texts(l.predicates(b.d.unread)), Spans: spans(&c, choice.chosen),
				Cost: c.cost + choice.cost + b.cost - saved, Doubt: doubt,
			})
		}
	}
	slices.SortStableFunc(list, func(a, b Reading) int { return cmp.Compare(a.Cost, b.Cost) })
	return list[:min(len(list), maxReadings)], refused
}

// calledMargin is how much more a reading may cost that shows what things are called than one
// that means the same and shows their keys, to stand for both.
const calledMargin = 0.5

// keep adds a reading, or makes the one that means the same likelier: the cheaper, or of about
// as cheap ones that which shows what things are called.
func keep(list []Reading, v *schema.View, x Reading) []Reading {
	for i := range list {
		if list[i].sense == x.sense {
			better := x.Cost < list[i].Cost
			if called := named(&x.Intent, v); called != named(&list[i].Intent, v) && math.Abs(x.Cost-list[i].Cost) <= calledMargin {
				better = called
			}
			if better {
				list[i] = x
			}
			return list
		}
	}
	return append(list, x)
}

// costApart is what it costs that a stored value is not taken for one of the table beside it.
const costApart = 1.0

// apartFrom is what it costs that a stored value which stands right beside the name of a table is
// taken for one of another table, where that table has it too: 上海的剧场, "linguists in Berlin".
func (l *lattice) apartFrom(parts []*part, c chosen) float64 {
	cost := 0.0
	for i, p := range parts {
		it := p.item("value")
		if it == nil || p.make != "value" && p.make != "notvalue" || c.values[it] == nil {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(parts) {
				continue
			}
			beside := parts[j].lastName(c).table
			if j > i {
				beside = parts[j].name(c).table
				if !l.joined(p.to, parts[j].from) {
					continue
				}
			} else if !l.joined(parts[j].to, p.from) {
				continue
			}
			if beside != nil && c.values[it].Column.Of != beside && slices.ContainsFunc(it.values, func(v schema.Value) bool { return v.Column.Of == beside && v.Score >= c.values[it].Score }) {
				cost += costApart
				break
			}
		}
	}
	return cost
}

// joined reports whether nothing but small words that hold together stands between two tokens.
func (l *lattice) joined(from, to int) bool {
	for i := from; i < to; i++ {
		if !l.has(i, "link", "be", language.Stop) || l.tokens[i].Kind == language.Mark {
			return false
		}
	}
	return from <= to
}

// countsBefore reports whether a Chinese number of things is taken to be of what stands before it, where a
// measure word and a name follow: 门店有多少名店员 asks for the staff.
func (l *lattice) countsBefore(parts []*part) bool {
	for i, p := range parts[:max(0, len(parts)-1)] {
		last := p.items[len(p.items)-1]
		if p.make != "count" || p.items[0].class != className || !last.is("havemany", "howmany", "classifier") || !parts[i+1].begins(className) {
			continue
		}
		if to := parts[i+1].from; last.is("classifier") && to == last.to || to == last.to+1 && l.has(last.to, "classifier") || to == last.to {
			return true
		}
	}
	return false
}

// otherRows reports whether rows are compared with other rows of their table, which have another value
// of one column: "countries in Asia with more people than any country in Africa". Both values are then no
// conditions on the same rows, nor two groups.
func (l *lattice) otherRows(parts []*part, c chosen) bool {
	than := slices.IndexFunc(l.tokens, func(t language.Token) bool { return t.Lower == "than" })
	if than < 0 {
		return false
	}
	before := map[*schema.Column]bool{}
	for _, p := range parts {
		for _, it := range p.items {
			x := c.values[it]
			switch {
			case it.class != classValue || x == nil:
			case it.to <= than:
				before[x.Column] = true
			case before[x.Column] && l.rowsBetween(than, it.from, x.Column.Of):
				return true
			}
		}
	}
	return false
}

// rowsBetween reports whether the rows of a table are named between two tokens.
func (l *lattice) rowsBetween(from, to int, t *schema.Table) bool {
	for at := from; at < to; at++ {
		if slices.ContainsFunc(l.at[at], func(it *item) bool {
			return it.class == className && it.to <= to && it.hits[0].Table == t && it.hits[0].Score >= knownName
		}) {
			return true
		}
	}
	return false
}

// begins reports whether the first item of a part is of a class.
func (p *part) begins(c class) bool { return len(p.items) > 0 && p.items[0].class == c }

// asksMore reports whether a word that asks stands behind "and" or a comma, and nothing behind it says
// what it asks: "on which animal, and what was done?"
func (l *lattice) asksMore(parts []*part) bool {
	for i := 2; i < len(l.tokens); i++ {
		if !slices.ContainsFunc(parts, func(p *part) bool { return p.to > i+1 && p.make != "which" && p.make != "row" }) && l.is(i, "what", "who", "whom", "whose", "which", "when", "where", "why", "how") && (l.has(i-1, "and") || l.is(i-1, commas...)) {
			return true
		}
	}
	return false
}

// predicates are the words that say how things have to be: those for what is late or owed, and those
// that stand behind a form of "be" where nothing else follows.
func (l *lattice) predicates(list []*item) []*item {
	var out []*item
	for _, it := range list {
		if l.has(it.from, "late", "owed") {
			out = append(out, it)
			continue
		}
		end := it.to >= len(l.tokens) || l.tokens[it.to].Kind == language.Mark || l.has(it.to, "and", "or")
		if it.class == classUnknown && end && (l.has(it.from-1, "be") || l.has(it.from-1, "not") && l.has(it.from-2, "be") || l.is(it.from-1, "been", "being")) {
			out = append(out, it)
		}
	}
	return out
}

// is reports whether a token is one of some words.
func (l *lattice) is(i int, words ...string) bool {
	return i >= 0 && i < len(l.tokens) && slices.Contains(words, l.tokens[i].Lower)
}

func texts(items []*item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.text)
	}
	return out
}

// choice decides what the names of a cover stand for.
type choice struct {
	chosen
	cost   float64
	tables []*schema.Table
}

// choices are the likeliest ways to decide.
func (r *Reader) choices(c *cover, v *schema.View) []choice {
	beam := []choice{{chosen: chosen{hits: map[*item]schema.Hit{}, values: map[*item]*schema.Value{}}}}
	stretches := c.stretches()
	for _, p := range c.parts {
		for i, it := range p.items {
			switch it.class {
			case className:
				beam = r.chooseName(beam, it, p.kinds[i], p, v, stretches)
			case classValue:
				beam = r.chooseValue(beam, it, p, v)
			}
		}
	}
	return beam
}

func (r *Reader) chooseName(beam []choice, it *item, kind string, p *part, v *schema.View, stretches []dates.Found) []choice {
	var next shortlist
	for i := range beam {
		c := &beam[i]
		for _, h := range it.hits {
			if kind == "col" && h.Column == nil || kind == "tab" && h.Table == nil {
				continue
			}
			if it.meant && p.make == "count" && h.Column != nil && h.Column.Numeric() {
				continue // "how many loans": of things, and no amount
			}
			if p.make == "count" && p.item("counted") != nil && h.Column != nil && h.Column.Nature == schema.Amount && h.Score < rivalName {
				continue // 报名人数: how many, and no 报名费
			}
			cost, apart := c.cost+c.costOf(h.Of(), v)+costMisfit*(it.hits[0].Score-h.Score), false
			if h.Column != nil && slices.ContainsFunc(stretches, func(f dates.Found) bool { return windowIn(h.Column, f) == otherWindow }) {
				cost += costGuess
			}
			for _, other := range p.items { // "risk grade A": the value that stands beside it
				if x := c.values[other]; other.class == classValue && x != nil && x.Column != h.Column && p.make != "group" {
					apart = apart || p.together()
					cost += costFar
				}
			}
			if apart {
				continue
			}
			if it := p.item("super"); it != nil && h.Column != nil && h.Column.OtherEnd(it.tag.Arg == "hi") {
				cost += costGuess
			}
			if p.make == "count" && h.Column != nil && (it.hits[0].Table != nil || h.Column.Time) {
				cost += costGuess
			}
			next.add(step{from: c, cost: cost, hit: h})
		}
	}
	return next.choices(it)
}

func (r *Reader) chooseValue(beam []choice, it *item, p *part, v *schema.View) []choice {
	if len(it.values) == 0 {
		return beam // in quotes, and not stored as far as is known
	}
	called := map[*schema.Table]float64{} // how near the value is to a name of the table's things
	for _, x := range it.values {
		if names(x.Column) {
			called[x.Column.Of] = max(called[x.Column.Of], x.Score)
		}
	}
	var next shortlist
	for i := range beam {
		c := &beam[i]
		for j := range it.values {
			x := &it.values[j]
			misfit := costMisfit * (it.values[0].Score - x.Score)
			if !next.takes(c.cost + misfit) {
				continue // what else is looked at makes it dearer
			}
			cost, apart := c.cost+c.costOf(x.Column.Of, v)+misfit, false
			if !next.takes(cost) {
				continue
			}
			if score, ok := called[x.Column.Of]; ok && !names(x.Column) && score >= x.Score {
				cost += costGuess // a thing is known by its name
			}
			for _, other := range p.items { // "risk grade A": the column that is named beside it
				if h, ok := c.hits[other]; ok && other.class == className && h.Column != nil && h.Column != x.Column && p.make != "group" {
					apart = apart || p.together()
					cost += costFar
				}
			}
			if apart {
				continue
			}
			next.add(step{from: c, cost: cost, value: x})
		}
	}
	return next.choices(it)
}

// names reports whether a column is what the things of its table are called.
func names(c *schema.Column) bool { return slices.Contains(c.Of.Label, c) }

// step is a choice with one more item decided, before it is known whether it is kept: over
// hundreds of tables most are not, and what a choice holds is copied for those that are.
type step struct {
	from  *choice
	cost  float64 // of the whole choice
	hit   schema.Hit
	value *schema.Value // of an item of a stored value; the hit is none then
}

// shortlist is the likeliest steps so far. What costs the same stays in its order.
type shortlist []step

// takes reports whether a step that costs so much is kept.
func (l shortlist) takes(cost float64) bool {
	return len(l) < beamWidth || cost < l[len(l)-1].cost
}

func (l *shortlist) add(s step) {
	if !l.takes(s.cost) {
		return
	}
	if len(*l) == beamWidth {
		*l = (*l)[:beamWidth-1]
	}
	at := len(*l)
	for at > 0 && s.cost < (*l)[at-1].cost {
		at--
	}
	*l = slices.Insert(*l, at, s)
}

// choices are the steps, taken.
func (l shortlist) choices(it *item) []choice {
	var beam []choice
	for _, s := range l {
		beam = append(beam, s.choice(it))
	}
	return beam
}

func (s step) choice(it *item) choice {
	n := choice{cost: s.cost, tables: s.from.tables, chosen: s.from.chosen} // the map that stays the same is shared
	var t *schema.Table
	if s.value != nil {
		n.values, t = maps.Clone(n.values), s.value.Column.Of
		n.values[it] = s.value
	} else {
		n.hits, t = maps.Clone(n.hits), s.hit.Of()
		n.hits[it] = s.hit
	}
	if !slices.Contains(n.tables, t) {
		n.tables = append(slices.Clip(n.tables), t)
	}
	return n
}

// costOf is what it costs to use a table beside those that are used.
func (c *choice) costOf(t *schema.Table, v *schema.View) float64 {
	if len(c.tables) == 0 || slices.Contains(c.tables, t) {
		return 0
	}
	nearest := math.Inf(1)
	for _, o := range c.tables {
		nearest = min(nearest, v.Distance(o, t))
	}
	if nearest > 100 {
		return costFar
	}
	return costJoin * nearest
}

// days are the first day of a period and the one after its last, as metric questions have
// them; of what has no such days its text.
func (it *item) days() string {
	if it.class != classPeriod || it.period.From.IsZero() || it.period.To.IsZero() {
		return it.text
	}
	return it.period.From.Format(time.DateOnly) + " to " + it.period.To.Format(time.DateOnly)
}

// spans tells what pieces of the question were taken for.
func spans(c *cover, x chosen) []Span {
	var list []Span
	for _, p := range c.parts {
		for _, it := range p.items {
			switch it.class {
			case className:
				list = append(list, Span{it.text, "name", x.thing(it).label()})
			case classValue:
				if v := x.values[it]; v != nil {
					list = append(list, Span{it.text, "value", v.Column.Expr + " = " + v.Stored[0]})
				}
			case classPeriod, classGrain:
				list = append(list, Span{it.text, "time", it.days()})
			case classNumber:
				list = append(list, Span{it.text, "number", it.number})
			}
		}
	}
	return list
}

// lookUp finds what a word of the product's own words names.
func (r *Reader) lookUp(v *schema.View, words string) []schema.Hit {
	tokens := language.Split(words)
	if len(tokens) == 0 {
		return nil
	}
	if tokens[0].Kind == language.Han {
		return v.NamesHan(words)
	}
	var stems []string
	letters := ""
	for _, t := range tokens {
		stems = append(stems, token.Stem(t.Lower))
		letters += t.Lower
	}
	return v.Names(stems, letters, r.lexis)
}
