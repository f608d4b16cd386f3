package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/internal/language"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// class is what kind of thing an item is.
type class string

const (
	className    class = "name"    // of a table or a column
	classValue   class = "value"   // stored, or in quotes
	classNumber  class = "number"  //
	classUnit    class = "unit"    //
	classPeriod  class = "period"  //
	classGrain   class = "grain"   //
	classWord    class = "word"    // a phrase with a tag
	classUnknown class = "unknown" // nothing that is known
	classIgnored class = "ignored" // known, and passed over
)

// item is a span of the question in one of its meanings.
type item struct {
	from, to int // tokens
	text     string
	class    class
	tag      language.Tag        // of a word
	hits     []schema.Hit        // of a name, best first
	values   []schema.Value      // of a value
	quoted   bool                // a value that stands in quotes
	number   string              // in digits
	dated    bool                // a number that an expression of time has
	unit     language.Unit       // of a unit
	period   dates.Found         // of a period and a grain
	place    *schema.Column      // of a place in an order, the column that holds it
	adj      *language.Adjective // of an adjective's superlative or comparative
	deny     bool                // a name with a prefix that denies it: inactive
	alone    bool                // a name of one character in translation
	meant    bool                // a name that general language gives, and no word of it was said
	kin      bool                // a name by a word that the span is derived from
	gloss    string              // words before brackets that say it in words of the data, and that nothing knows
	unsure   bool                // of one that is meant: another is about as likely
	bare     bool                // a measure word behind nothing that counts
	dear     float64             // what passing over it costs beyond a small word: the data call something so
	cost     float64
	things   map[schema.Hit]thing // what a name stands for that is taken for one of its hits, kept as every reading asks again
}

// Costs of items: what a span costs beyond how badly it fits.
const (
	costItem       = 0.10
	costMisfit     = 1.6 // of a fit of 0
	costFiller     = 0.04
	costUnknown    = 2.5 // a word
	costHan        = 0.8 // a Chinese character, and a quarter of it for each one more
	maxUnknownHan  = 3
	maxHits        = 6
	pointerPenalty = 0.06
	bridgePenalty  = 0.2
	costAlone      = 0.5 // a Chinese character that names something in another language
	farBehind      = 0.3 // hits this much worse than the best are left out
)

// lattice holds the items of a question by the token at which they begin.
type lattice struct {
	tokens []language.Token
	text   string
	at     [][]*item
	slips  []slip
	ones   bool // a word says that rows are meant one by one
}

func (r *Reader) lattice(text string, v *schema.View, now time.Time) *lattice {
	l := &lattice{tokens: language.Split(text), text: text}
	l.at = make([][]*item, len(l.tokens)+1)
	r.spell(l, v)
	r.periods(l, now)
	r.years(l)
	l.yearsOfColumns(v)
	known := map[string][]schema.Hit{}
	for i := range l.tokens {
		r.words(l, i, v)
		r.notOne(l, i)
		r.names(l, i, v, known)
		r.values(l, i, v)
		l.numbers(i)
	}
	l.rowsWithin(v)
	l.theirs()
	l.perOne()
	for i := range l.tokens {
		l.dearer(i)
		l.measureWords(i)
		l.partUnits(i)
		l.regionsAsked(i)
		r.withinWords(l, i)
		l.numberNames(i, v)
		r.unknown(l, i)
	}
	l.placesOf(v)
	l.flows(v)
	r.sharedHeads(l, v)
	l.otherForms()
	l.storedWhole()
	l.outOf()
	l.groupedBy()
	l.doneMost()
	r.singles(l)
	r.keepers(l)
	l.bestFirst()
	r.atLeastOne(l)
	l.oftens()
	l.ownWords()
	r.glosses(l)
	r.acts(l)
	r.degrees(l, v)
	l.did()
	r.meantItems(l, v)
	return l
}

// orderAtEnd adds the order that a clause of its own at the end of a question tells: "top 5 donors by amount,
// most generous first", "Highest salary first." What are the first is said before.
func (l *lattice) orderAtEnd() {
	end := len(l.tokens)
	for end > 0 && l.tokens[end-1].Kind == language.Mark {
		end--
	}
	if end < 3 || l.tokens[end-1].Lower != "first" {
		return
	}
	from := end - 1
	for from > 0 && end-from <= maxOrderWords && l.tokens[from-1].Kind != language.Mark {
		from--
	}
	if from == 0 || l.tokens[from-1].Kind != language.Mark || from == end-1 {
		return
	}
	if !slices.ContainsFunc(slices.Concat(l.at[:from]...), func(it *item) bool { return it.is("super", "most", "common", "top") }) {
		return // "pets, heaviest first": the order itself
	}
	for _, it := range l.at[from] {
		if it.class == classWord && it.to < end && it.is("super", "most") {
			arg := map[string]string{"hi": "desc", "lo": "asc"}[it.tag.Arg]
			l.add(&item{from: from, to: end, class: classWord, tag: language.Tag{Name: "order", Arg: arg}, adj: cmp.Or(it.adj, &language.Adjective{}), cost: costItem / 2})
			return
		}
	}
}

// maxOrderWords is how many words a clause that tells an order has at most.
const maxOrderWords = 4

// numberNames adds the numbers that a Chinese unit right behind an aggregate or a superlative is the name of,
// by its first or its last character: 平均分 over 分数, 最高分 over 评分.
func (l *lattice) numberNames(i int, v *schema.View) {
	if l.tokens[i].Kind != language.Han || !slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class == classUnit && it.to == i+1 }) {
		return
	}
	if !slices.ContainsFunc(slices.Concat(l.at[max(0, i-maxAggregateHan):i]...), func(it *item) bool { return it.to == i && it.is("agg", "super") }) {
		return
	}
	var hits []schema.Hit
	for _, t := range v.Tables {
		for _, c := range t.Columns {
			name := c.Expr
			if c.Numeric() && (c.Nature == schema.Amount || c.Nature == schema.Level) && c.InChinese() && (strings.HasPrefix(name, l.tokens[i].Text) || strings.HasSuffix(name, l.tokens[i].Text)) {
				hits = append(hits, schema.Hit{Column: c, Score: unitName})
			}
		}
	}
	if len(hits) > 0 && len(hits) <= maxHits {
		l.name(i, i+1, hits, false)
	}
}

const (
	maxAggregateHan = 3    // characters of an aggregate or a superlative
	unitName        = 0.85 // how well a unit fits as a name
)

// storedWhole takes away names that a span is a part of where the span is a stored value as a whole: the
// most hurricanes are rows with the status hurricane, and no hurricane force diameter.
func (l *lattice) storedWhole() {
	for i := range l.at {
		whole := map[int]bool{}
		for _, it := range l.at[i] {
			if it.class == classValue && len(it.values) > 0 && it.values[0].Score >= wholeValue && !it.values[0].Part && inHan(it.text) == inHan(it.values[0].Stored[0]) {
				whole[it.to] = true
			}
		}
		if len(whole) == 0 {
			continue
		}
		l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool {
			return it.class == className && whole[it.to] && it.hits[0].Score < knownName
		})
	}
}

// wholeValue is how well a span fits a value that it is as a whole.
const wholeValue = 0.95

// recordTag is the tag of words for the rows of a table, whatever they are of.
const recordTag = "record"

// bestFirst adds orders that are said by the one that comes first, of nothing that is a size by itself:
// "best first".
func (l *lattice) bestFirst() {
	l.orderAtEnd()
	for i := 1; i < len(l.tokens); i++ {
		if l.tokens[i].Lower != "first" || l.has(i+1, "number") {
			continue
		}
		for _, it := range l.at[i-1] {
			if it.class != classWord || it.to != i || !it.is("super", "most", "common", "top") || it.adj != nil && len(it.adj.Attributes) > 0 || it.adj != nil && it.adj.Time {
				continue
			}
			arg := map[string]string{"hi": "desc", "lo": "asc"}[it.tag.Arg]
			l.add(&item{from: i - 1, to: i + 1, class: classWord, tag: language.Tag{Name: "order", Arg: arg}, adj: cmp.Or(it.adj, &language.Adjective{}), cost: costItem / 2})
			break
		}
	}
}

func (l *lattice) add(it *item) {
	if it.text == "" {
		it.text = l.text[l.tokens[it.from].Start:l.tokens[it.to-1].End]
	}
	l.at[it.from] = append(l.at[it.from], it)
}

// span is the text of some tokens.
func (l *lattice) span(from, to int) string {
	return l.text[l.tokens[from].Start:l.tokens[to-1].End]
}

func (r *Reader) periods(l *lattice, now time.Time) {
	for _, f := range r.dates.Recurring(l.text, now) {
		from := slices.IndexFunc(l.tokens, func(t language.Token) bool { return t.Start >= f.Start })
		to := slices.IndexFunc(l.tokens, func(t language.Token) bool { return t.Start >= f.End })
		if to < 0 {
			to = len(l.tokens)
		}
		if from < 0 || from >= to {
			continue
		}
		it := &item{from: from, to: to, class: classPeriod, period: f, cost: costItem}
		if f.Grain != "" {
			it.class = classGrain
		}
		l.add(it)
	}
}

// costNamed is what a word costs that says no more than that there is something, where the
// data call their rows so: "stays".
const costNamed = 0.7

// costRowsNamed is what it costs where a table is called so.
const costRowsNamed = 1.0

// rowsWithin takes away names of columns that fit several words badly where one of these alone is what the rows of another table
// are called: "Bauer's first inspection" is one of the inspections, and no first name of an inspector.
func (l *lattice) rowsWithin(v *schema.View) {
	called := make([]*schema.Table, len(l.tokens)) // of each token
	for i, t := range l.tokens {
		if at := slices.IndexFunc(v.Tables, func(x *schema.Table) bool {
			return t.Kind == language.Word && strings.EqualFold(lexicon.Singular(x.Names.EN), lexicon.Singular(t.Lower))
		}); at >= 0 {
			called[i] = v.Tables[at]
		}
	}
	for i, at := range l.at {
		l.at[i] = slices.DeleteFunc(at, func(it *item) bool {
			if it.class != className || it.to == it.from+1 {
				return false
			}
			it.hits = slices.DeleteFunc(it.hits, func(h schema.Hit) bool {
				return h.Column != nil && h.Score < knownName && slices.ContainsFunc(called[it.from:it.to], func(t *schema.Table) bool { return t != nil && t != h.Of() })
			})
			return len(it.hits) == 0
		})
	}
}

// theirs sees to it that "their" is not passed over behind "with", where what follows is shown of the things.
func (l *lattice) theirs() {
	for i := 1; i+1 < len(l.tokens); i++ {
		if !l.has(i, "theirs") || !l.has(i-1, "have") || !slices.ContainsFunc(l.at[i+1], func(it *item) bool { return it.class == className && it.hits[0].Column != nil }) {
			continue
		}
		l.at[i] = slices.DeleteFunc(l.at[i], (*item).filler)
	}
}

// dearer makes general words less likely where the data call something just so: verbs and
// measure words, and what says how often, which kinds, or where. Where a table is called so,
// the latter are its rows. It looks at the words within a name too: 次 of 场次.
func (l *lattice) dearer(i int) {
	for to := i + 1; to <= len(l.tokens); to++ {
		if l.storedSo(i, to) {
			for at := i; at < to; at++ {
				for _, it := range l.at[at] {
					if it.filler() && it.to <= to && it.dear == 0 {
						it.dear = costNamed
					}
				}
			}
		}
		if !l.calledSo(i, to) {
			continue
		}
		table := slices.ContainsFunc(l.at[i], func(o *item) bool { return o.class == className && o.to == to && o.hits[0].Table != nil })
		for at := i; at < to; at++ {
			l.at[at] = slices.DeleteFunc(l.at[at], func(it *item) bool { return table && it.to <= to && it.is("occurrence", "kinds", "region") })
			for _, it := range l.at[at] {
				switch {
				case it.to > to || it.dear > 0:
				case it.is("verb", "classifier"):
					it.dear = costNamed
					if table && !participle(l.tokens[at].Lower) {
						it.dear = costRowsNamed
					}
				case it.is("occurrence", "kinds", "region"):
					it.dear = costNamed
					it.cost += costNamed
				}
			}
		}
	}
}

// oftens leaves out that a word asks for an amount where right behind it stands what counts how often
// something was, and no name has that: 多少次 is no sum of money.
func (l *lattice) oftens() {
	for i := range l.tokens {
		l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool {
			return it.is("quantity") && l.has(it.to, "occurrence") && !slices.ContainsFunc(l.at[it.to], func(o *item) bool { return o.class == className })
		})
	}
}

// perOne adds that 一 and a measure word right behind a mean say of what each has it: 平均一单多少钱.
func (l *lattice) perOne() {
	for i := range l.tokens {
		if l.tokens[i].Text == "一" && (l.has(i+1, "classifier", "occurrence")) && l.endsAt(i, "agg") {
			l.add(&item{from: i, to: i + 1, class: classWord, tag: language.Tag{Name: "each"}, cost: costItem / 2})
		}
	}
}

// measureWords tells the measure words of Chinese that stand behind nothing that counts, and say
// something: in 哪天来的人最多 it is the people of whom there are most.
func (l *lattice) measureWords(i int) {
	for _, it := range l.at[i] {
		if it.is("classifier") && l.tokens[i].Kind == language.Han && !l.counts(i) {
			it.bare = true
		}
	}
}

// regionsAsked takes away that a word ends the name of a place where it is asked which: "which state".
func (l *lattice) regionsAsked(i int) {
	if i > 0 && l.has(i-1, "which", "each", "per", "count", "howmany") {
		l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool { return it.is("region") })
	}
}

// partUnits takes away Chinese units of one character that begin a general word, where nothing that counts
// stands before them: 平 of 平均 is no area.
func (l *lattice) partUnits(i int) {
	if l.tokens[i].Kind != language.Han || l.counts(i) || !slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class == classWord && it.to > i+1 }) {
		return
	}
	l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool { return it.class == classUnit && it.to == i+1 })
}

// withinWords makes small Chinese words of one character less likely that are part of a word of the
// dictionary: 比 of 比赛 compares nothing.
func (r *Reader) withinWords(l *lattice, i int) {
	if l.tokens[i].Kind != language.Han || !slices.ContainsFunc(l.at[i], func(it *item) bool {
		return it.to == i+1 && (it.is(smallWords...) || it.is("verb") && slices.Contains(directions, it.text))
	}) || !r.withinWord(l, i) {
		return
	}
	for _, it := range l.at[i] {
		switch {
		case it.to != i+1:
		case it.is(smallWords...):
			it.cost += costNamed
		case it.is("verb") && it.dear == 0:
			it.dear = costNamed
		}
	}
}

// smallWords are tags of words that put things beside each other.
var smallWords = []string{"versus", "and", "or", "to", "between", "within", "link"}

// directions are Chinese verbs that say where somebody goes, and that end other words: 来 of 从来.
var directions = []string{"来", "去"}

// longestWord is how many characters the words of the dictionary have that small words are looked for in.
const longestWord = 3

// withinWord reports whether a Chinese character is part of a word of the dictionary.
func (r *Reader) withinWord(l *lattice, i int) bool {
	for from := max(0, i-longestWord+1); from <= i; from++ {
		for to := max(from+2, i+1); to <= min(len(l.tokens), from+longestWord); to++ {
			if slices.ContainsFunc(l.tokens[from:to], func(t language.Token) bool { return t.Kind != language.Han }) {
				break
			}
			if r.lexis.Word(l.span(from, to)) {
				return true
			}
		}
	}
	return false
}

// counters are Chinese words, beside numbers and those that ask, that a measure word stands behind.
var counters = []string{"这", "那", "该", "某", "两", "半", "几", "多", "每", "各", "一", "哪", "第", "前", "首", "整", "单", "同", "另", "本", "数", "任"}

// counts reports whether what stands before a token has a measure word behind it.
func (l *lattice) counts(i int) bool {
	if i == 0 {
		return false
	}
	if l.tokens[i-1].Kind == language.Number || slices.Contains(counters, l.tokens[i-1].Text) {
		return true
	}
	if l.has(i-1, "classifier") && l.counts(i-1) { // 几个人
		return true
	}
	for at := max(0, i-maxNameTokens); at < i; at++ {
		if slices.ContainsFunc(l.at[at], func(it *item) bool {
			return it.to == i && (it.class == classNumber || it.is("howmany", "havemany", "each", "which", "one", "top", "common", "distinct", "super"))
		}) {
			return true
		}
	}
	return false
}

// storedSo reports whether a stored value is exactly what some tokens say: 通过 is no small word
// where it is how an exam ended.
func (l *lattice) storedSo(from, to int) bool {
	if n := utf8.RuneCountInString(l.span(from, to)); n < minSaid || n <= minSaid && l.tokens[from].Kind != language.Han {
		return false
	}
	return slices.ContainsFunc(l.at[from], func(o *item) bool {
		return o.class == classValue && o.to == to && len(o.values) > 0 && !o.values[0].Part && o.values[0].Score >= exactName
	})
}

// calledSo reports whether tables or columns are called exactly what some tokens say; a single
// Chinese character is part of too many words.
func (l *lattice) calledSo(from, to int) bool {
	if to == from+1 && l.tokens[from].Kind == language.Han {
		return false
	}
	return slices.ContainsFunc(l.at[from], func(o *item) bool {
		return o.class == className && o.to == to && o.hits[0].Score >= exactName
	})
}

// years adds years that stand beside each other, "2022 or 2023", or beside one that is
// known to be one: "in 2022 and 2023", "in 2022 compared with 2023".
func (r *Reader) years(l *lattice) {
	year := func(i int) bool {
		return i >= 0 && i < len(l.tokens) && l.tokens[i].Kind == language.Number && len(l.tokens[i].Text) == 4 && (l.tokens[i].Text[:2] == "19" || l.tokens[i].Text[:2] == "20")
	}
	add := func(at int, cost float64) {
		n, err := strconv.Atoi(l.tokens[at].Text)
		if err != nil {
			return
		}
		l.addYear(at, n, cost)
	}
	steps := slices.ContainsFunc(l.at, func(at []*item) bool {
		return slices.ContainsFunc(at, func(it *item) bool { return it.class == classGrain })
	})
	for i, t := range l.tokens {
		if steps && year(i) && i > 0 && slices.Contains([]string{"over", "throughout", "across"}, l.tokens[i-1].Lower) && !l.inPeriod(i, i+1) {
			add(i, costItem) // "per month over 2025"
			l.add(&item{from: i - 1, to: i, class: classWord, tag: language.Tag{Name: "link"}, cost: costItem / 2})
		}
		// "revenue per month, 2024": by itself behind a comma
		if year(i) && !l.inPeriod(i, i+1) && i > 0 && slices.Contains([]string{",", "，", "(", "（"}, l.tokens[i-1].Text) && (i+1 == len(l.tokens) || l.tokens[i+1].Kind == language.Mark) {
			add(i, 2*costItem)
		}
		if t.Kind != language.Number {
			continue
		}
		for next := i + 2; year(i) && next <= min(len(l.tokens)-1, i+1+maxBeside); next++ {
			if !year(next) || !r.beside(l, i+1, next) || l.inPeriod(i, next+1) {
				continue
			}
			for _, at := range []int{i, next} {
				if l.inPeriod(at, at+1) {
					continue
				}
				add(at, costItem)
			}
		}
	}
}

// addYear adds that a token is a whole year.
func (l *lattice) addYear(at, year int, cost float64) {
	from, t := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), l.tokens[at]
	l.add(&item{from: at, to: at + 1, class: classPeriod, cost: cost, period: dates.Found{Text: t.Text, From: from, To: from.AddDate(1, 0, 0), Period: "year", Start: t.Start, End: t.End}})
}

// maxBeside is how many words may stand between two years beside each other.
const maxBeside = 2

// beside reports whether words between two years put them beside each other.
func (r *Reader) beside(l *lattice, from, to int) bool {
	key := language.Key(l.tokens[from:to])
	return slices.Contains([]string{"and", "or", "with", "than", "against", "to", "和", "与", "还", "跟", "比"}, key) ||
		slices.ContainsFunc(r.language.Tags(key), func(t language.Tag) bool { return t.Name == "versus" })
}

// inPeriod reports whether one expression of time covers some tokens.
func (l *lattice) inPeriod(from, to int) bool {
	for i := 0; i <= from; i++ {
		if slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class == classPeriod && it.to >= to }) {
			return true
		}
	}
	return false
}

// words adds the phrases of general words that begin at a token.
func (r *Reader) words(l *lattice, i int, v *schema.View) {
	for to := i + 1; to <= min(len(l.tokens), i+r.language.Longest()); to++ {
		key := language.Key(l.tokens[i:to])
		for _, t := range r.language.Tags(key) {
			if t.Name == "most" && i > 0 && l.tokens[i-1].Lower == "at" {
				continue // "at least" and "at most" are no superlatives
			}
			if t.Name == "which" && slices.Contains(relatives, key) && i > 0 && l.named(i-1, i) {
				l.add(&item{from: i, to: to, class: classWord, tag: language.Tag{Name: "link"}, cost: costItem / 2})
				continue // "countries where ...": of the countries, and no question
			}
			if t.Name == "current" && !ends(v) || slices.Contains(placed, t.Name) {
				continue
			}
			if t.Name == flowTag && len(v.Flows()) == 0 {
				continue
			}
			if t.Name == "verb" && l.nounBefore(i, to) {
				continue // "the most common cause of death"
			}
			if t.Name == "howmany" && i > 0 && l.tokens[i-1].Lower == "哪" {
				continue // 哪几 asks which
			}
			if t.Name == "per" && key == "by" && r.done(l, i) { // "owned by students" groups nothing
				l.add(&item{from: i, to: to, class: classWord, tag: language.Tag{Name: "link"}, cost: costItem / 2})
				if !l.calledSo(i-1, i) { // "makes by country": Make is a column
					continue
				}
			}
			it := &item{from: i, to: to, class: classWord, tag: t, cost: costItem / 2}
			if t.Name == recordTag { // rows, unless something is called so
				it.class, it.cost = classUnknown, 2*costItem
			}
			if slices.Contains([]string{"super", "cmp", "howbig", "gap", "comparative"}, t.Name) {
				it.adj = r.language.Adjective(key)
			}
			if t.Name == "order" && (strings.HasPrefix(key, "从") || strings.HasPrefix(key, "由") || strings.HasPrefix(key, "from ") || strings.HasSuffix(key, " first")) {
				it.adj = &language.Adjective{} // by size, and not by the alphabet
			}
			l.add(it)
		}
		if a := utmostOf(key); a != nil && to == i+1 && len(r.language.Tags(key)) == 0 {
			l.add(&item{from: i, to: to, class: classWord, tag: language.Tag{Name: "super", Arg: "hi"}, adj: a, cost: costItem + costMisfit/4})
		}
		if u, ok := r.language.Unit(key); ok {
			l.add(&item{from: i, to: to, class: classUnit, unit: u, cost: costItem / 2})
		}
	}
}

// nounBefore reports whether a word that may be a verb or an adjective stands where no verb does: behind an article, as in "the
// last storm", or behind what asks for nouns and before "of", as in "most common cause of".
func (l *lattice) nounBefore(i, to int) bool {
	if i == 0 || participle(l.tokens[to-1].Lower) {
		return false
	}
	if l.is(i-1, "the", "a", "an") {
		return true
	}
	return l.is(to, "of") && l.endsAt(i, "super", "most", "common", "which", "each", "count", "kinds")
}

// utmostOf takes a superlative apart that no list has: the windiest is the one with the
// most wind, where a column says how much.
func utmostOf(word string) *language.Adjective {
	for _, end := range []string{"iest", "est"} {
		if noun, ok := strings.CutSuffix(word, end); ok && len(noun) > 3 {
			return &language.Adjective{Down: true, Attributes: []string{noun}}
		}
	}
	return nil
}

// superlative reports whether a word that no list has is the superlative of an adjective that is
// derived from a noun: windiest, of windy, of the wind.
func (r *Reader) superlative(word string) bool {
	a := utmostOf(word)
	return a != nil && slices.Contains(r.lexis.Kin(a.Attributes[0]+"y", false), a.Attributes[0])
}

// done reports whether a word that says what was done stands before a token.
func (r *Reader) done(l *lattice, i int) bool {
	if i == 0 || l.tokens[i-1].Kind != language.Word {
		return false
	}
	before := l.tokens[i-1].Lower
	return participle(before) && !slices.Contains(groupers, before) || slices.ContainsFunc(r.language.Tags(before), func(t language.Tag) bool { return t.Name == "verb" })
}

// groupers are participles whose "by" groups or orders.
var groupers = []string{"grouped", "ordered", "sorted", "ranked", "listed", "divided", "separated", "counted", "summed", "totalled", "averaged", "aggregated", "classified", "categorized"}

// maxNameTokens bounds the tokens of a name, maxNameHan those of a Chinese one.
const (
	maxNameTokens = 6
	maxNameHan    = 12
	maxGlossHan   = 6 // characters of a word of the dictionary
)

// merge puts two lists of hits together, best first.
func merge(a, b []schema.Hit) []schema.Hit {
	out := append(slices.Clone(a), b...)
	slices.SortStableFunc(out, func(x, y schema.Hit) int { return cmp.Compare(y.Score, x.Score) })
	seen := map[schema.Hit]bool{}
	return slices.DeleteFunc(out, func(h schema.Hit) bool {
		key := schema.Hit{Table: h.Table, Column: h.Column}
		was := seen[key]
		seen[key] = true
		return was
	})
}

// names adds the names of tables and columns that begin at a token.
func (r *Reader) names(l *lattice, i int, v *schema.View, known map[string][]schema.Hit) {
	switch l.tokens[i].Kind {
	case language.Han:
		for to := i + 1; to <= min(len(l.tokens), i+maxNameHan); to++ {
			text := l.span(i, to)
			if strings.ContainsAny(text, " ，。？,?") {
				break
			}
			hits := v.NamesHan(text)
			if noun, ok := strings.CutSuffix(text, "子"); ok && len(hits) == 0 && to == i+2 { // 单子, 车子
				hits = v.NamesHan(noun)
			}
			for _, done := range []string{"过", "了"} {
				if before, after, ok := strings.Cut(text, done); ok && len(hits) == 0 && before != "" && after != "" { // 下过单: 下单
					hits = v.NamesHan(before + after)
				}
			}
			if len(hits) == 0 {
				hits = r.amountsHan(text, v)
			}
			if v.Latin() && to-i <= maxGlossHan && !l.has(i, "howmany") { // 几天 asks, and is no name
				hits = merge(hits, v.NamesAcross(text, r.lexis))
			}
			hits = l.ofYears(hits, i, to, v)
			if r.alikeItem(l, i, to, hits, v) {
				continue
			}
			l.name(i, to, hits, false)
			if at := l.at[i]; to == i+1 && len(hits) > 0 && len(v.NamesHan(text)) == 0 && len(at) > 0 && at[len(at)-1].class == className {
				at[len(at)-1].alone = true // one character alone is part of many words
				at[len(at)-1].cost += costAlone
			}
		}
	case language.Word, language.Number:
		if l.tokens[i].Kind == language.Number && (i == 0 || l.tokens[i].Spaced) {
			return
		}
		var stems []string
		letters := ""
		over := false   // small words were passed over
		utmost := false // a superlative is among them
		often := false  // so is a word for how often or in which way
		for to := i + 1; to <= len(l.tokens) && len(stems) < maxNameTokens; to++ {
			t := l.tokens[to-1]
			if to > i+1 && slices.Contains(schema.Between, t.Lower) {
				over = true
				continue
			}
			if t.Kind == language.Mark && (t.Text == "_" || t.Text == "-") && to < len(l.tokens) && !l.tokens[to].Spaced {
				continue
			}
			if t.Kind != language.Word && t.Kind != language.Number {
				break
			}
			parts := schema.SplitName(t.Text)
			for _, p := range parts {
				stems = append(stems, token.Stem(p))
			}
			letters += strings.Join(parts, "")
			hits, ok := known[letters+" "+strings.Join(stems, " ")]
			if !ok {
				hits = v.Names(stems, letters, r.lexis)
				known[letters+" "+strings.Join(stems, " ")] = hits
			}
			if i > 0 && l.tokens[i-1].Kind == language.Number && (t.Lower == "times" || t.Lower == "time") {
				break // it says how often
			}
			if participle(t.Lower) { // "cartoons directed": it says what was done with them, and is no name of theirs
				hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool { return h.Owned })
			}
			if to < len(l.tokens) && slices.Contains(particles, l.tokens[to].Lower) {
				hits = noFlags(hits)
			}
			if often = often || strings.HasSuffix(t.Lower, "ly"); often { // "yearly number": how often, and no year
				hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
					return h.Column != nil && h.Column.Nature == schema.Calendar && !strings.HasSuffix(strings.ToLower(h.Column.Expr), "ly")
				})
			}
			if strings.HasSuffix(t.Lower, "ing") { // "shipping costs": what is done has no yes and no
				hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
					return h.Column != nil && h.Column.Nature == schema.Flag && donePast(h.Column)
				})
			}
			hits = r.ofMoney(hits, l.span(i, to))
			if over {
				hits = wholeNames(hits, l.tokens[i].Lower)
			}
			if to == i+1 {
				hits = rowsOfKinds(t.Lower, i > 0 && slices.Contains([]string{"a", "an"}, l.tokens[i-1].Lower), r.nounsAndVerbs(t.Lower, hits))
			}
			if utmost = utmost || r.superlative(t.Lower); utmost { // "windiest" orders by the wind, and is no name of it
				hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool { return h.Score < exactName })
			}
			if to == i+1 && r.small(t.Lower) { // "no" is no "Household No"
				hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool { return h.Score < exactName })
			}
			l.name(i, to, l.ofYears(hits, i, to, v), false)
			if to == i+1 {
				r.denied(l, i, v)
				r.joined(l, i, v)
			}
		}
	}
}

// alikeItem adds the table that a Chinese word is another word for, where nothing is called by it: 顾客 of a 客户信息.
func (r *Reader) alikeItem(l *lattice, from, to int, hits []schema.Hit, v *schema.View) bool {
	if to < from+2 || to-from > maxGlossHan || len(hits) > 0 && hits[0].Score >= knownName || len(r.language.Tags(l.span(from, to))) > 0 {
		return false
	}
	alike := v.TablesAlike(l.span(from, to), r.lexis)
	if len(alike) != 1 {
		return false
	}
	l.name(from, to, alike, false)
	it := l.at[from][len(l.at[from])-1]
	if pointed := l.is(from-2, "这", "那") && l.is(from-1, "些"); pointed { // 这些房子: those of an earlier question
		it.meant, it.unsure = true, true
	} else {
		it.kin = true
	}
	return true
}

// alikeHan is how well a Chinese word for an amount fits a column that is called by another.
const alikeHan = 0.75

// amountsHan are the amounts with Chinese names that are called by another word for the same:
// 销售额 where there is a 金额.
func (r *Reader) amountsHan(text string, v *schema.View) []schema.Hit {
	var out []schema.Hit
	for _, other := range r.language.Others(text) {
		for _, h := range v.NamesHan(other) {
			if h.Column != nil && h.Column.Numeric() && h.Column.Nature == schema.Amount && (h.Score >= exactName || strings.HasSuffix(h.Column.Expr, other)) {
				h.Score *= alikeHan
				out = merge(out, []schema.Hit{h})
			}
		}
	}
	return out
}

// wholeName is how well a name fits that was said with small words between its words.
const wholeName = 0.94

// wholeNames are the columns all of whose names was said, and no words of their tables. A number of professors
// is no professor number.
func wholeNames(hits []schema.Hit, first string) []schema.Hit {
	counts := slices.Contains(numbering, first)
	return slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
		return h.Column == nil || h.Owned || h.Column.Nature == schema.Identifier || h.Score < wholeName ||
			counts && slices.Contains(numbering, h.Column.Words()[len(h.Column.Words())-1])
	})
}

// numbering are words that count what follows them, and tell things apart behind what they are of.
var numbering = []string{"number", "num", "no", "nbr"}

// nounsAndVerbs leaves out the names that a word alone is none of: the noun of a table is not the
// column that says when it was done, "visit" of the hive visits is no "Visited"; and what general
// language does, "take", stands for no column that means something like it.
func (r *Reader) nounsAndVerbs(word string, hits []schema.Hit) []schema.Hit {
	const likeIt = 0.7 // below are names of other words
	verb := slices.ContainsFunc(r.language.Tags(word), func(t language.Tag) bool { return t.Name == "verb" })
	stem := token.Stem(word)
	return slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
		if verb && h.Score < likeIt {
			return true
		}
		return !participle(word) && h.Column != nil && h.Column.Time && donePart(h.Column) &&
			slices.ContainsFunc(schema.SplitName(h.Column.Of.Names.EN), func(w string) bool { return token.Stem(strings.ToLower(w)) == stem })
	})
}

// rowsOfKind is how well the noun of a column of kinds fits the rows that are of those kinds.
const rowsOfKind = 0.9

// rowsOfKinds takes the plural, or one, of what rows are called by a column of their kinds for the rows:
// "jobs" of job_type are no different types. Where something is called exactly so, it is that.
func rowsOfKinds(word string, one bool, hits []schema.Hit) []schema.Hit {
	noun := lexicon.Singular(word)
	if noun == word && !one || len(hits) == 0 || hits[0].Score >= exactName {
		return hits
	}
	var out []schema.Hit
	for _, h := range hits {
		if c := h.Column; c != nil && c.Noun() == noun {
			h = schema.Hit{Table: c.Of, Score: rowsOfKind}
		}
		out = append(out, h)
	}
	return merge(out, nil)
}

// small reports whether a word is one of those that hold others together or deny them: alone
// it stands for no name that has other words as well.
func (r *Reader) small(word string) bool {
	return r.holds(word) || slices.ContainsFunc(r.language.Tags(word), func(t language.Tag) bool {
		return slices.Contains([]string{"not", "never", "have"}, t.Name)
	})
}

// holds reports whether a word is one of those that hold others together: it is a stored
// value only where it is written as that is. "and" is not the code AND.
func (r *Reader) holds(word string) bool {
	return slices.ContainsFunc(r.language.Tags(word), func(t language.Tag) bool {
		return slices.Contains([]string{"stop", "link", "be", "per", "each", "and", "or"}, t.Name)
	})
}

// donePast reports whether the name of a column ends in what was done: "shipped".
func donePast(c *schema.Column) bool {
	words := schema.SplitName(c.Expr)
	return len(words) > 0 && participle(strings.ToLower(words[len(words)-1]))
}

// participle reports whether a word has the form of what was done.
func participle(word string) bool { return len(word) > 4 && strings.HasSuffix(word, "ed") }

// joined adds the names that a verb and its particle make together: "signed up" of a signup_date.
func (r *Reader) joined(l *lattice, i int, v *schema.View) {
	if i+1 >= len(l.tokens) || !slices.Contains(particles, l.tokens[i+1].Lower) && !slices.Contains([]string{"in", "on"}, l.tokens[i+1].Lower) {
		return
	}
	for _, verb := range []string{token.Stem(l.tokens[i].Lower), l.tokens[i].Lower} {
		noun := verb + l.tokens[i+1].Lower
		if hits := noFlags(v.Names([]string{token.Stem(noun)}, noun, r.lexis)); len(hits) > 0 {
			l.name(i, i+2, hits, false)
			return
		}
	}
}

// noFlags leaves out the columns of yes and no that a verb with a particle names in part: to sign up
// is not to sign.
func noFlags(hits []schema.Hit) []schema.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
		return h.Column != nil && h.Column.Nature == schema.Flag && h.Score < exactName
	})
}

// deniedName is how well a word without its prefix has to fit a name.
const deniedName = 0.8

// donePart reports whether the name of a column has a word of what was done: "paid" of paid_on.
func donePart(c *schema.Column) bool {
	return slices.ContainsFunc(schema.SplitName(c.Expr), func(w string) bool {
		w = strings.ToLower(w)
		return participle(w) || irregular(w)
	})
}

// denied adds flags that a word with a denying prefix names, and days that some rows have not: what
// is unpaid has no day on which it was paid.
func (r *Reader) denied(l *lattice, i int, v *schema.View) {
	for _, prefix := range []string{"in", "un", "non", "dis"} {
		rest, ok := strings.CutPrefix(l.tokens[i].Lower, prefix)
		if !ok || len(rest) < 4 {
			continue
		}
		var flags []schema.Hit
		for _, h := range v.Names([]string{token.Stem(rest)}, rest, r.lexis) {
			if c := h.Column; c != nil && h.Score > deniedName && (c.Nature == schema.Flag || c.Time && c.Nullable && donePart(c)) {
				flags = append(flags, h)
			}
		}
		l.name(i, i+1, flags, true)
	}
}

// Fits by which a name is exactly what was said, and by which another is no rival then.
const (
	exactName = 0.97
	rivalName = 0.9
)

// leading leaves out the hits that no one means where another is called exactly so:
// those that fit in part, and those of the same table whose names say more.
func leading(hits []schema.Hit) []schema.Hit {
	first := hits[0]
	if first.Score < exactName {
		return hits
	}
	return slices.DeleteFunc(hits, func(h schema.Hit) bool {
		return h.Owned && !first.Owned || h.Score < rivalName && (first.Table != nil || h.Of() == first.Of()) || h != first && first.Column != nil && h.Column != nil && h.Column.Of == first.Column.Of && h.Column.SaysMoreThan(first.Column)
	})
}

// ofMoney leaves out the columns of numbers that are no money, where words of money alone are said
// and one such word is in their names: revenue is no number of payment_terms_days.
func (r *Reader) ofMoney(hits []schema.Hit, text string) []schema.Hit {
	words := schema.SplitName(text)
	if slices.ContainsFunc(words, func(w string) bool { return !r.language.Alike(strings.ToLower(w), "amount") }) {
		return hits
	}
	return slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
		if h.Column == nil {
			return false
		}
		u, ok := r.language.Unit(strings.ToLower(h.Column.Unit))
		return ok && u.Quantity != "money" && !slices.ContainsFunc(h.Column.Words(), func(w string) bool {
			return slices.ContainsFunc(words, func(s string) bool { return token.Stem(strings.ToLower(s)) == token.Stem(w) })
		})
	})
}

// said leaves out the columns of whose names no word was said, where another is called exactly so:
// a rating is no number of reviews, though one word may stand for the other.
func said(hits []schema.Hit, text string) []schema.Hit {
	if hits[0].Score < exactName || hits[0].Column == nil || inHan(text) {
		return hits
	}
	words := schema.SplitName(text)
	return slices.DeleteFunc(hits, func(h schema.Hit) bool {
		return h.Column != nil && h.Score < rivalName && !h.Column.InChinese() && !slices.ContainsFunc(h.Column.Words(), func(w string) bool {
			return slices.ContainsFunc(words, func(s string) bool { return lexicon.Singular(strings.ToLower(s)) == lexicon.Singular(w) })
		})
	})
}

func (l *lattice) name(from, to int, hits []schema.Hit, deny bool) {
	if len(hits) == 0 {
		return
	}
	hits = slices.DeleteFunc(slices.Clone(hits), func(h schema.Hit) bool {
		return h.Score < schema.MinScore || h.Score < hits[0].Score-farBehind
	})
	if len(hits) == 0 {
		return
	}
	hits = said(leading(hits), l.span(from, to))
	if hits[0].Table != nil && hits[0].Score > 0.95 { // their ids are no other meaning
		hits = slices.DeleteFunc(hits, func(h schema.Hit) bool { return h.Column != nil && h.Column.Nature == schema.Identifier && h.Score < 1 })
	}
	for i, h := range hits {
		if h.Table != nil && h.Table.Bridge() {
			hits[i].Score -= bridgePenalty
		}
		if c := h.Column; c != nil && c.Nature == schema.Identifier && !c.Unique() { // it tells the rows of another table apart
			hits[i].Score -= pointerPenalty
		}
	}
	slices.SortStableFunc(hits, func(x, y schema.Hit) int { return cmp.Compare(y.Score, x.Score) })
	if t := hits[0].Table; t != nil { // the name of a thing is the thing
		hits = slices.DeleteFunc(hits, func(h schema.Hit) bool { return h.Column != nil && slices.Contains(t.Label, h.Column) })
	}
	hits = hits[:min(len(hits), maxHits)]
	l.add(&item{from: from, to: to, class: className, hits: hits, deny: deny, cost: costItem + costMisfit*(1-hits[0].Score)})
}

// values adds the stored values that begin at a token, and texts in quotes.
func (r *Reader) values(l *lattice, i int, v *schema.View) {
	if l.tokens[i].Kind == language.Quoted {
		it := &item{from: i, to: i + 1, text: l.tokens[i].Text, class: classValue, quoted: true, cost: costItem, values: v.Values(l.tokens[i].Text, true)}
		l.add(it)
		return
	}
	if l.tokens[i].Kind == language.Mark || l.tokens[i].Kind == language.Number && len(l.tokens[i].Text) < 4 {
		return
	}
	for to := i + 1; to <= len(l.tokens); to++ {
		text := l.span(i, to)
		if utf8.RuneCountInString(text) > maxValueRunes || strings.Count(text, " ") > v.LongestValue() {
			break
		}
		found := v.Values(text, len(r.language.Tags(language.Key(l.tokens[i:to]))) == 0)
		alone := 0.0
		if len(found) == 0 && l.tokens[i].Kind == language.Han && to-i <= maxGlossHan && len(r.language.Tags(language.Key(l.tokens[i:to]))) == 0 { // 最高 is no Max
			found = v.ValuesAcross(text, r.lexis)
			if _, unit := r.language.Unit(text); to == i+1 { // 猫: a character of its own, or a part of many words
				alone = costAlone
				found = slices.DeleteFunc(found, func(f schema.Value) bool {
					return unit || f.Column.Nature != schema.Category || r.withinWord(l, i) || l.callsTable(i, to)
				})
			}
		}
		if len(found) > 0 && found[0].Part && to == i+1 && i > 0 && slices.Contains(auxiliaries, l.tokens[i-1].Lower) {
			continue // "has written": no value that begins with it
		}
		if len(found) == 0 {
			found = l.valuesAndHead(i, to, v)
		}
		if kin := r.valuesOfKin(l, i, to, found, v); len(kin) > 0 {
			found = kin
		}
		exact := slices.ContainsFunc(found, func(f schema.Value) bool { return slices.Contains(f.Stored, text) })
		if len(found) == 0 || !exact && (shortLatin(l.tokens[i:to]) || to == i+1 && r.holds(l.tokens[i].Lower)) {
			continue
		}
		l.add(&item{from: i, to: to, class: classValue, values: found, cost: costItem + costMisfit*(1-found[0].Score) + alone})
	}
}

// valuesAndHead are the stored values behind which a Chinese character stands that the name of their column ends in:
// A级 of a 车况等级.
func (l *lattice) valuesAndHead(from, to int, v *schema.View) []schema.Value {
	if to < from+2 || l.tokens[to-1].Kind != language.Han || len(l.at[from]) > 0 && slices.ContainsFunc(l.at[from], func(it *item) bool { return it.class == className && it.to == to }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Values(l.span(from, to-1), true)), func(x schema.Value) bool {
		return x.Part || x.Score < wholeValue || !x.Column.InChinese() || !strings.HasSuffix(x.Column.Expr, l.tokens[to-1].Text) || x.Column.Nature != schema.Category
	})
}

// callsTable reports whether some tokens are the name of a table.
func (l *lattice) callsTable(from, to int) bool {
	return slices.ContainsFunc(l.at[from], func(it *item) bool { return it.class == className && it.to == to && it.hits[0].Table != nil })
}

const maxValueRunes = 60

// sharedHeads adds the names of columns whose last word is said once for two of them: first of "first and last name",
// home of "home and away goals".
func (r *Reader) sharedHeads(l *lattice, v *schema.View) {
	for i := range l.tokens {
		at := i + 2
		if at >= len(l.tokens) || l.tokens[i].Kind != language.Word || !l.has(i+1, "and", "or") {
			continue
		}
		for _, it := range l.at[at] {
			if it.class != className || it.to < at+2 || it.hits[0].Column == nil || it.hits[0].Score < rivalName {
				continue
			}
			var stems []string
			letters := ""
			for _, t := range append([]language.Token{l.tokens[i]}, l.tokens[at+1:it.to]...) {
				for _, w := range schema.SplitName(t.Text) {
					stems = append(stems, token.Stem(w))
					letters += w
				}
			}
			hits := slices.DeleteFunc(slices.Clone(v.Names(stems, letters, r.lexis)), func(h schema.Hit) bool {
				return h.Column == nil || h.Score < rivalName || !slices.ContainsFunc(it.hits, func(o schema.Hit) bool { return o.Column != nil && o.Column != h.Column && o.Column.Of == h.Column.Of })
			})
			if len(hits) > 0 { // then they are no orders
				for _, from := range []int{i, at} {
					l.at[from] = slices.DeleteFunc(l.at[from], func(o *item) bool { return o.is("super", "top", "order") })
				}
				l.name(i, i+1, hits, false)
				break
			}
		}
	}
}

// otherForms takes away stored values of which a span is another form, the plural or a word of the same stem,
// where the span is what general words or names of the data say: "the number of tracks" is no track called
// Numbers, and "the mountains" are no photo called The mountain.
func (l *lattice) otherForms() {
	for i := range l.at {
		l.at[i] = slices.DeleteFunc(l.at[i], func(it *item) bool {
			return it.class == classValue && !it.quoted && len(it.values) > 0 && otherForm(it.values[0], it.text) && l.saidByAll(i, it.to)
		})
	}
}

// otherForm reports whether a text is another form of a stored value.
func otherForm(v schema.Value, text string) bool {
	return !inHan(text) && !v.Part && !v.Across && !v.Kin && v.Score < 1 &&
		!slices.ContainsFunc(v.Stored, func(s string) bool { return schema.ValueKey(s) == schema.ValueKey(text) })
}

// saidByAll reports whether each word of a span is within a phrase of general words, or within a name in the span.
func (l *lattice) saidByAll(from, to int) bool {
	for at := from; at < to; at++ {
		if !slices.ContainsFunc(slices.Concat(l.at[:at+1]...), func(it *item) bool {
			return it.to > at && (it.class == classWord || it.class == className && it.from >= from && it.to <= to && it.hits[0].Score >= exactName)
		}) {
			return false
		}
	}
	return true
}

// valuesOfKin are the stored values that one English word is derived from, where it is none itself
// and no general word: Japan for Japanese, though a name begins with Japanese.
func (r *Reader) valuesOfKin(l *lattice, i, to int, found []schema.Value, v *schema.View) []schema.Value {
	if to != i+1 || l.tokens[i].Kind != language.Word || len(found) > 0 && !found[0].Part || len(r.language.Tags(l.tokens[i].Lower)) > 0 {
		return nil
	}
	return v.ValuesOfKin(l.tokens[i].Lower, r.lexis)
}

// shortLatin reports whether a span is one word of so few letters that only its exact
// form counts: "a" is hardly the grade A.
func shortLatin(tokens []language.Token) bool {
	return len(tokens) == 1 && tokens[0].Kind == language.Word && len(tokens[0].Text) <= 2
}

// numbers adds numbers, also those in Chinese characters.
func (l *lattice) numbers(i int) {
	if l.tokens[i].Kind == language.Number {
		text := strings.ReplaceAll(l.tokens[i].Text, ",", "")
		l.add(&item{from: i, to: i + 1, class: classNumber, number: text, dated: l.inPeriod(i, i+1) || l.ofYear(i), cost: costItem / 2})
		if i+1 < len(l.tokens) && (l.tokens[i+1].Kind == language.Han || l.tokens[i+1].Kind == language.Word) {
			if scaled, ok := scale(text, l.tokens[i+1].Lower); ok {
				l.add(&item{from: i, to: i + 2, class: classNumber, number: scaled, cost: costItem / 2})
			}
		}
		return
	}
	if n, ok := spelt[l.tokens[i].Lower]; ok {
		l.add(&item{from: i, to: i + 1, class: classNumber, number: n, cost: costItem})
	}
	text := ""
	for to := i + 1; to <= len(l.tokens) && l.tokens[to-1].Kind == language.Han; to++ {
		text += l.tokens[to-1].Text
		n, ok := token.HanNumber(text)
		if !ok && to > i+1 || to > i+10 {
			break
		}
		if ok {
			l.add(&item{from: i, to: to, class: classNumber, number: itoa(n), cost: costItem})
		}
	}
}

// ofYear reports whether a number is one of a year: "inspectors of 2025".
func (l *lattice) ofYear(i int) bool {
	t := l.tokens[i]
	return i > 0 && l.tokens[i-1].Lower == "of" && len(t.Text) == 4 && (t.Text[:2] == "19" || t.Text[:2] == "20")
}

var spelt = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "twenty": "20", "fifty": "50", "hundred": "100"}

// unless is the class of a span that is passed over: a word that names something, or
// says what is done, is no unknown one.
func (l *lattice) unless(from, to int) class {
	for _, it := range l.at[from] {
		switch {
		case it.to != to:
		case it.class == className && it.hits[0].Score >= knownName, it.class == classValue, it.class == classNumber:
			return classIgnored
		case it.class == classWord && !it.filler():
			return classIgnored
		}
	}
	return classUnknown
}

// knownName is how well a word has to fit a name to be known by it.
const knownName = 0.85

// knows reports whether a part of a span is known: then the span is no one word.
func (r *Reader) knows(l *lattice, from, to int) bool {
	for at := from; at < to; at++ {
		for _, it := range l.at[at] {
			if it.to > to || it.class == classUnknown || it.class == classIgnored || it.alone || it.class == classUnit && it.to == it.from+1 || it.is("classifier", "region", "verb", "rival") || it.class == classNumber && it.to == it.from+1 {
				continue
			}
			return true
		}
	}
	return false
}

// cuts reports whether a span ends inside a general word of more than one character that
// begins in it.
func (l *lattice) cuts(from, to int) bool {
	for at := from + 1; at < to; at++ {
		if slices.ContainsFunc(l.at[at], func(it *item) bool { return it.to > to && it.class == classWord && !it.filler() }) {
			return true
		}
	}
	return false
}

// is reports whether an item is a word with one of some tags.
func (it *item) is(tags ...string) bool {
	return it.class == classWord && slices.Contains(tags, it.tag.Name)
}

// unknown adds a word or a character that may carry something and that nothing covers.
func (r *Reader) unknown(l *lattice, i int) {
	t := l.tokens[i]
	switch t.Kind {
	case language.Word, language.Number, language.Quoted:
		l.add(&item{from: i, to: i + 1, class: l.unless(i, i+1), cost: costUnknown})
	case language.Han:
		for to := i + 1; to <= min(len(l.tokens), i+maxUnknownHan) && l.tokens[to-1].Kind == language.Han; to++ {
			if to > i+1 && (r.knows(l, i, to) || l.cuts(i, to)) {
				break
			}
			l.add(&item{from: i, to: to, class: l.unless(i, to), cost: costHan * (1 + float64(to-i)/4)})
		}
	case language.Mark:
		if _, ok := r.language.Unit(t.Text); ok && i > 0 && l.tokens[i-1].Kind == language.Number {
			return // "50 %": it says what the number is of
		}
		l.add(&item{from: i, to: i + 1, class: classWord, tag: language.Tag{Name: language.Stop}, cost: costFiller})
	}
}

// attributive reports whether an unknown word that is taken for the rows stands right
// before a name: then it says which of what is named.
func attributive(parts []*part) bool {
	for i, p := range parts[:max(0, len(parts)-1)] {
		last := p.items[len(p.items)-1]
		if next := parts[i+1]; last.class == classUnknown && p.make != "row" && next.make != "row" && next.from == last.to && next.items[0].class == className {
			return true
		}
	}
	return false
}

// again reports whether a second sentence asks for more.
func (l *lattice) again(parts []*part) bool {
	end := -1
	for i, t := range l.tokens {
		if t.Kind == language.Mark && strings.ContainsAny(t.Text, ".?。？!！") && i+1 < len(l.tokens) {
			end = i
		}
	}
	return end >= 0 && slices.ContainsFunc(parts, func(p *part) bool {
		return p.from > end && slices.Contains([]string{"target", "named", "count", "agg", "agg2", "group", "rate", "share", "most"}, p.make)
	})
}
