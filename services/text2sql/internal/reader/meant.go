package reader

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// A word that nothing knows may mean a name by general language: money is revenue, where
// revenue is kept and nothing else that money may be. Such an item stands in the lattice
// beside the unknown word, costs more than any name that was said, and is told.
const (
	// minMeant is below which a word does not mean a name, sureMeant from where it may be
	// answered with, meantMargin how much less likely the next name has to be then. Below,
	// or closer, the reading is offered and not answered.
	minMeant    = 0.10
	sureMeant   = 0.20
	meantMargin = 0.12
	// costMeant is what a meant name costs beside its fit.
	costMeant = 0.4
	// meantScore is the fit of a name that is meant for certain: below that of names that
	// were said.
	meantScore  = 0.8
	meantSpread = 0.25 // of it, less for one that is hardly meant
	maxMeantHan = 4    // characters of a word
)

// meantItems adds the names that unknown words may mean. Words come first that mean one
// for certain; what a word of the question names exactly is not meant by another.
func (r *Reader) meantItems(l *lattice, v *schema.View) {
	named := l.exactly()
	for i := range l.tokens {
		if hits := l.persons(i, v); len(hits) > 0 {
			l.name(i, i+1, hits, false)
			continue
		}
		if hits := l.locations(i, v); len(hits) > 0 {
			before := len(l.at[i])
			if l.name(i, i+1, hits, false); len(l.at[i]) > before {
				l.at[i][before].kin = true
			}
			continue
		}
		if slices.ContainsFunc(l.slips, func(s slip) bool { return s.at == i }) {
			continue // one guess at a word is enough
		}
		if r.chargedItem(l, i, v) {
			continue
		}
		switch t := l.tokens[i]; t.Kind {
		case language.Word:
			if r.kinItem(l, i, v) || r.morphemeItem(l, i, v) {
				continue
			}
			if first, _ := utf8.DecodeRuneInString(t.Text); (i == 0 || unicode.IsLower(first)) && noun(t.Lower) && !l.infinitive(i) && !l.known(i, i+1) {
				list := v.Meant([]schema.Gloss{{Stems: []string{token.Stem(t.Lower)}, Score: 1}}, r.lexis)
				l.meant(i, i+1, slices.DeleteFunc(list, func(m schema.Meant) bool { return l.another(i, m) }), named)
			}
		case language.Han:
			for to := i + 1; to <= min(len(l.tokens), i+maxMeantHan) && l.tokens[to-1].Kind == language.Han; to++ {
				if l.known(i, to) || r.knows(l, i, to) || l.cuts(i, to) || to == i+1 && r.within(l, i) {
					continue
				}
				if h, ok := v.Morpheme(l.span(i, to)); ok {
					l.morpheme(i, h)
					continue
				}
				l.meant(i, to, v.Meant(r.lexis.English(l.span(i, to)), r.lexis), named)
			}
		}
	}
}

// morpheme adds the thing whose name has a character as a morpheme: 借 for the rows of 借阅.
func (l *lattice) morpheme(i int, h schema.Hit) {
	before := len(l.at[i])
	l.name(i, i+1, []schema.Hit{h}, false)
	if len(l.at[i]) > before {
		l.at[i][before].kin = true
		l.at[i][before].cost += costMeant
	}
}

// chargedName is how well a word for amounts of money fits the one column of what is charged.
const chargedName = 0.75

// chargedItem adds the one column of money of the tables for a word of amounts of money that nothing is called by,
// where that is what is charged: "spent" and 收入 of a fee. Of a cost, a discount or a salary it may not be.
func (r *Reader) chargedItem(l *lattice, i int, v *schema.View) bool {
	to := i + 1
	for l.tokens[i].Kind == language.Han && to < min(len(l.tokens), i+maxMeantHan) && l.tokens[to].Kind == language.Han && !r.language.Alike(l.span(i, to), "amount") {
		to++
	}
	if l.known(i, to) || !r.language.Alike(strings.ToLower(l.span(i, to)), "amount") {
		return false
	}
	var money []*schema.Column
	for _, t := range v.Tables {
		for _, c := range t.Columns {
			if c.Money && c.Numeric() {
				money = append(money, c)
			}
		}
	}
	if len(money) != 1 || money[0].Nature != schema.Amount {
		return false
	}
	words := money[0].Words()
	if money[0].Unit != "" && len(words) > 1 && strings.EqualFold(words[len(words)-1], money[0].Unit) {
		words = words[:len(words)-1] // fee_eur
	}
	if len(words) == 0 || !r.language.IsOf("charged", words[len(words)-1]) {
		return false
	}
	before := len(l.at[i])
	l.name(i, to, []schema.Hit{{Column: money[0], Score: chargedName}}, false)
	if len(l.at[i]) == before {
		return false
	}
	l.at[i][before].kin = true
	return true
}

// kinItem adds the names of a word that nothing knows by a word which it is derived from, or which is
// derived from it: "windy" is of the wind.
func (r *Reader) kinItem(l *lattice, i int, v *schema.View) bool {
	word := l.tokens[i].Lower
	if first, _ := utf8.DecodeRuneInString(l.tokens[i].Text); i > 0 && !unicode.IsLower(first) || l.known(i, i+1) || len(r.language.Tags(word)) > 0 {
		return false
	}
	before := len(l.at[i])
	l.name(i, i+1, v.NamesOfKin(r.basesOf(word), r.lexis), false)
	if len(l.at[i]) == before {
		return false
	}
	l.at[i][before].kin = true
	return true
}

// morphemeItem adds the thing whose Chinese name shares a character with the translations of an English
// word that nothing knows: 借阅 for "loans". Of the rows of a table many are said, or what was done
// with them; a single one may be of anything, "the clinic", and is not sure.
func (r *Reader) morphemeItem(l *lattice, i int, v *schema.View) bool {
	word := l.tokens[i].Lower
	if first, _ := utf8.DecodeRuneInString(l.tokens[i].Text); i > 0 && !unicode.IsLower(first) || l.known(i, i+1) || len(r.language.Tags(word)) > 0 {
		return false
	}
	h, ok := v.MorphemeOf(r.basesOf(word), r.lexis)
	if !ok {
		return false
	}
	before := len(l.at[i])
	l.name(i, i+1, []schema.Hit{h}, false)
	if len(l.at[i]) == before {
		return false
	}
	it := l.at[i][before]
	it.cost += costMeant
	if it.kin = lexicon.Singular(word) != word || participle(word) || irregular(word); !it.kin {
		it.meant, it.unsure = true, true
	}
	return true
}

// basesOf are the words that one may be a form of, itself first.
func (r *Reader) basesOf(word string) []string {
	out := []string{word}
	if base, ok := r.bases[word]; ok {
		out = append(out, base)
	}
	for _, ending := range []struct{ cut, put string }{{"ied", "y"}, {"ed", ""}, {"ed", "e"}, {"ing", ""}, {"ing", "e"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, ending.cut); ok && len(stem) > 1 {
			out = append(out, stem+ending.put)
		}
	}
	return out
}

// How well a word for persons of any kind fits the one table of persons, and one of several.
const (
	personsFit   = 0.9
	onePersonFit = 0.8
)

// personWords are words for persons of any kind.
var personWords = []string{"people", "person", "persons", "individuals", "individual", "participants", "participant", "subjects", "subject", "人"}

// persons are the tables of persons, where a token is a word for such of any kind: which of several
// is meant, what else is named tells.
func (l *lattice) persons(i int, v *schema.View) []schema.Hit {
	bare := slices.ContainsFunc(l.at[i], func(it *item) bool { return it.bare && it.to == i+1 })
	if !slices.Contains(personWords, l.tokens[i].Lower) || l.known(i, i+1) && !bare {
		return nil
	}
	var hits []schema.Hit
	for _, t := range v.Tables {
		if t.Persons() {
			hits = append(hits, schema.Hit{Table: t, Score: onePersonFit})
		}
	}
	if len(hits) == 1 {
		hits[0].Score = personsFit
	}
	if len(hits) == 0 && len(v.Tables) == 1 && v.Tables[0].OfPersons() {
		return []schema.Hit{{Table: v.Tables[0], Score: personsFit}}
	}
	return hits
}

// locationWords are words for places of any kind.
var locationWords = []string{"places", "locations", "premises", "venues"}

// locations are the tables of places that one can go to, where a token is a word for such of any kind.
func (l *lattice) locations(i int, v *schema.View) []schema.Hit {
	if !slices.Contains(locationWords, l.tokens[i].Lower) || l.known(i, i+1) {
		return nil
	}
	var hits []schema.Hit
	for _, t := range v.Tables {
		if t.Located() {
			hits = append(hits, schema.Hit{Table: t, Score: onePersonFit})
		}
	}
	if len(hits) == 1 {
		hits[0].Score = personsFit
	}
	return hits
}

// within reports whether a Chinese character is part of a word of two: 金 of 金钱 means
// nothing by itself.
func (r *Reader) within(l *lattice, i int) bool {
	word := func(from int) bool {
		return from >= 0 && from+2 <= len(l.tokens) && l.tokens[from].Kind == language.Han && l.tokens[from+1].Kind == language.Han && len(r.lexis.English(l.span(from, from+2))) > 0
	}
	return word(i-1) || word(i)
}

// another reports whether an English word at a token is no name of a thing by its
// neighbours: right before a name it says which ("male students" are no sexes), right
// behind a table it is part of its name, unless it is an amount of it ("grant money"); and
// what stands in the plural is counted, and is no amount.
func (l *lattice) another(i int, m schema.Meant) bool {
	amount := m.Column != nil && m.Column.Numeric()
	word := l.tokens[i].Lower
	if amount && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "ings") {
		return true
	}
	if m.Column != nil && i+1 < len(l.tokens) && l.firmly(i+1, func(it *item) bool { return it.from == i+1 }) != nil {
		return true
	}
	if before := l.firmly(i-1, func(it *item) bool { return it.to == i }); before != nil && before.hits[0].Table != nil {
		return !amount || m.Of() != before.hits[0].Table
	}
	return false
}

// firmly is an item at a token, or up to it, that names something well; nil: none.
func (l *lattice) firmly(at int, fits func(*item) bool) *item {
	for from := max(0, at-maxNameTokens); from <= at; from++ {
		for _, it := range l.at[from] {
			if it.class == className && it.hits[0].Score >= knownName && fits(it) {
				return it
			}
		}
	}
	return nil
}

// noun reports whether a word may be one by its form: what is done, or is being done, is
// told by its place (roles.go).
func noun(word string) bool {
	return len(word) > 2 && !participle(word) && !strings.HasSuffix(word, "ing") && !irregular(word)
}

// infinitive reports whether a word stands behind "to", as a verb does: "to graduate".
func (l *lattice) infinitive(i int) bool { return i > 0 && l.tokens[i-1].Lower == "to" }

// exactly are the things that words of the question name as they are called.
func (l *lattice) exactly() map[any]bool {
	out := map[any]bool{}
	for _, at := range l.at {
		for _, it := range at {
			if it.class != className || it.deny {
				continue
			}
			for _, h := range it.hits {
				if h.Score >= knownName {
					out[thingOf(h)] = true
				}
			}
		}
	}
	return out
}

func thingOf(h schema.Hit) any {
	if h.Column != nil {
		return h.Column
	}
	return h.Table
}

// known reports whether anything but the names that a span fits badly says what it is.
func (l *lattice) known(from, to int) bool {
	for _, it := range l.at[from] {
		switch {
		case it.to != to || it.class == classUnknown:
		case it.class == className && it.hits[0].Score < knownName, it.class == classValue && it.number == "" && len(it.values) > 0 && it.values[0].Part:
		default:
			return true
		}
	}
	return false
}

// meant adds an item for what a span may mean.
func (l *lattice) meant(from, to int, list []schema.Meant, named map[any]bool) {
	var hits []schema.Hit
	first, rival := schema.Meant{}, 0.0
	for _, m := range list {
		if m.Likely < minMeant || named[thingOf(m.Hit)] {
			continue
		}
		switch {
		case first.Likely == 0:
			first = m
		case rival == 0 && !alike(first.Hit, m.Hit):
			rival = m.Likely
		}
		h := m.Hit
		h.Score = meantScore - meantSpread*(1-m.Likely/first.Likely)
		hits = append(hits, h)
	}
	if len(hits) == 0 {
		return
	}
	before := len(l.at[from])
	l.name(from, to, hits, false)
	if len(l.at[from]) == before {
		return
	}
	it := l.at[from][before]
	it.meant, it.unsure = true, first.Likely < sureMeant || first.Likely-rival < meantMargin
	it.cost += costMeant * (2 - first.Likely)
	if l.tokens[from].Kind == language.Han && to == from+1 {
		it.cost += costAlone
	}
}

// alike reports whether two things are one to whoever asks: a table and what its rows are
// told apart by.
func alike(a, b schema.Hit) bool {
	return a.Of() == b.Of() && (a.Table != nil && b.Column.Nature == schema.Identifier || b.Table != nil && a.Column.Nature == schema.Identifier)
}

// tellMeant notes what words were taken to mean, and whether that is open: another name
// is about as likely, or another word of the question has the same.
func (b *composer) tellMeant(parts []*part, c chosen) {
	for _, p := range parts {
		for _, it := range p.items {
			if x := c.values[it]; x != nil && x.Kin && it.class == classValue {
				b.note("kin_value", it.text, x.Column.Names.EN, x.Stored[0])
			}
			if it.kin {
				b.note("kin", it.text, c.thing(it).label())
			}
			if !it.meant {
				continue
			}
			id := "meant"
			if it.unsure || c.twice(it) {
				id = "meant_open"
			}
			b.notes = slices.Insert(b.notes, 0, Note{ID: id, Args: []string{it.text, c.thing(it).label()}}) // before lesser assumptions
		}
	}
}

// twice reports whether another item stands for the same thing as one.
func (c chosen) twice(it *item) bool {
	for other, h := range c.hits {
		if other != it && thingOf(h) == thingOf(c.hits[it]) {
			return true
		}
	}
	return false
}
