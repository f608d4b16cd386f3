package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Hit is a thing that a span of a question may name: a table, or a column.
type Hit struct {
	Table  *Table
	Column *Column
	Score  float64 // 0 to 1: how well the span fits the name
	Owned  bool    // of a column: the span names its table too
}

// Of is the table of the thing itself.
func (h Hit) Of() *Table {
	if h.Column != nil {
		return h.Column.Of
	}
	return h.Table
}

// name is one of a thing's names.
type name struct {
	words []string // stems of the words, without small ones
	plain string   // the words as they are, run together
	text  string   // Chinese: all characters without separators
	core  int      // words without those of the unit at the end
	tail  string   // Chinese: the unit at the end
	fit   float64  // of a translation, how likely it is; 0: the name itself
}

// Lexis relates words of general language.
type Lexis interface {
	// Full writes shorthand out: "amt" is "amount".
	Full(word string) string
	// Short reports whether a stem of a name is short for a stem: "lvl" for "level".
	Short(name, stem string) bool
	// Written returns words with the shorthand that several words have been written out: "emp fname" is
	// "emp first name".
	Written(words []string) []string
	// Synonymous reports whether two stems mean the same.
	Synonymous(a, b string) bool
	// Alike reports whether two stems stand for each other.
	Alike(a, b string) bool
	// Word reports whether a Chinese text is a word of the dictionary.
	Word(han string) bool
	// English are the words that a Chinese word may be in English, with how likely each
	// is, from 0 to 1.
	English(han string) []Gloss
	// Kin are the words that an English word in lower case is derived from, or that are derived
	// from it; with verbs, also those that tell what is done.
	Kin(word string, verbs bool) []string
	// Morphemes are the Chinese characters that several translations of an English word share.
	Morphemes(word string) []Morpheme
	// Opposites are the words for the two values of columns that have no other, and how they may be stored.
	Opposites() [][2]lexicon.ValueWords
	// Meanings are the stems of names that a stem may mean, likeliest first.
	Meanings(stem string) []Meaning
}

// Meaning is a stem of names that a word may mean.
type Meaning struct {
	Stem  string
	Logit float64 // how likely it is meant, before what a name adds
}

// Morpheme is a Chinese character that translations of a word share, with the share that has it.
type Morpheme struct {
	Character string
	Share     float64 // 0 to 1
}

// Gloss is a translation.
type Gloss struct {
	Stems []string
	Text  string
	Score float64
}

// wordIndex finds names by the stems of their words, by their letters run together,
// and Chinese ones by any part of two characters and more.
type wordIndex struct {
	byStem map[string][]*entry
	joined map[string][]*entry
	parts  map[string][]partHit
	stems  []string // of byStem, sorted
	latin  bool     // there are names that are not in Chinese
}

type entry struct {
	Hit
	name
}

type partHit struct {
	*entry
	score float64
	owned bool // the table is named too
}

// Bounds of Chinese names whose parts are looked up.
const maxPartRunes = 16

func wordsOf(text string) []string { return semantic.Words(text) }

func han(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// small are words of names that need not be said; a name that is a sentence, as the questions of a survey are, says who
// speaks.
var small = []string{"of", "the", "a", "an", "in", "for", "by", "and", "to", "on", "at", "s", "is", "are", "has", "was", "flag", "i", "my", "we", "our"}

// Between are words that people put between the words of a name, in another order than its own or where the name
// has them itself: "date of birth" of birth_date, "opt in to email" of email_opt_in, "the library is too noisy".
var Between = []string{"of", "in", "to", "for", "on", "the", "is", "are", "a", "an", "they", "their"}

func nameOf(text string, units Units) name {
	var n name
	n.core = -1
	before, _, bracketed := bracketedEnd(text)
	words := wordsOf(text)
	bracket := len(words)
	if bracketed {
		bracket = len(wordsOf(before))
		n.tail = strings.Join(words[bracket:], "")
	}
	for i, w := range words {
		if slices.Contains(small, w) && len(words) > 1 {
			continue
		}
		if _, ok := units(w); ok && i > 0 && i == len(words)-1 && !bracketed {
			n.core = len(n.words)
			n.tail = w
		}
		if i == bracket && i > 0 {
			n.core = len(n.words)
		}
		n.words = append(n.words, token.Stem(w))
		n.plain += w
	}
	if _, ok := units(n.plain); ok && len(n.words) == 1 {
		n.tail = n.plain
	}
	if n.core < 0 {
		n.core = len(n.words)
	}
	if han(text) {
		n.text = strings.Join(words, "")
		if n.tail == "" {
			n.tail = unitEnd(n.text, units)
		}
	}
	return n
}

// bracketedEnd cuts a name before the brackets at its end, which say what it is measured
// in or explain it: 单价(元/平米), "Price (EUR)".
func bracketedEnd(text string) (before, inside string, ok bool) {
	for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}, {"[", "]"}, {"【", "】"}} {
		rest, closed := strings.CutSuffix(strings.TrimSpace(text), pair[1])
		if before, inside, open := strings.Cut(rest, pair[0]); closed && open && len(wordsOf(before)) > 0 && len(wordsOf(inside)) > 0 {
			return before, inside, true
		}
	}
	return text, "", false
}

// unitEnd is the unit that a Chinese name ends in.
func unitEnd(text string, units Units) string {
	runes := []rune(text)
	for n := min(3, len(runes)-2); n > 0; n-- {
		end := string(runes[len(runes)-n:])
		if _, ok := units(end); ok {
			return end
		}
	}
	return ""
}

// measuredHan are what Chinese names end in before a character that is a unit there, and makes a noun elsewhere.
var measuredHan = map[string]string{"分": "时长间", "度": "量电"}

// makesNoun reports whether what stands at the end of a Chinese name as a unit makes a noun of what stands before it:
// 满意度 and 推荐分 are no degrees and no minutes, 时长分 are.
func (n name) makesNoun() bool {
	before, ok := strings.CutSuffix(n.text, n.tail)
	behind, both := measuredHan[n.tail]
	if !ok || !both || len(n.words) > 1 {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return !strings.ContainsRune(behind, last)
}

func (v *View) indexNames(units Units, lex Lexis) {
	v.words = wordIndex{byStem: map[string][]*entry{}, joined: map[string][]*entry{}, parts: map[string][]partHit{}}
	add := func(h Hit, n name) {
		v.words.add(h, n)
		v.words.addEnglish(h, n, lex)
	}
	for _, t := range v.Tables {
		for _, text := range append([]string{t.Names.EN, t.Names.ZH}, t.Synonyms...) {
			n := nameOf(text, units)
			if n.tail == "" {
				n.tail = listEnd(n.text)
			}
			if called := strings.TrimSuffix(n.text, n.tail); han(called) && utf8.RuneCountInString(called) > 1 {
				v.calledHan = append(v.calledHan, tableName{t, called, lex.English(called)})
			}
			if t.Observed != nil && t.Observed.Titled { // storms are what the rows are of
				add(Hit{Column: t.Observed.Thing, Score: 1}, n)
				continue
			}
			add(Hit{Table: t, Score: 1}, n)
		}
		for _, c := range t.Columns {
			texts := append([]string{c.Names.EN, c.Names.ZH, c.Expr}, c.Synonyms...)
			if written := strings.Join(c.words, " "); !han(written) {
				texts = append(texts, written)
			}
			for i, text := range texts {
				if slices.Contains(texts[:i], text) {
					continue
				}
				n := nameOf(text, units)
				if n.tail != "" && c.Unit == "" && c.Numeric() && !n.makesNoun() {
					c.Unit = n.tail
				}
				add(Hit{Column: c, Score: 1}, n)
			}
		}
	}
	v.indexLasting(units)
	v.indexAges(units)
	for s := range v.words.byStem {
		v.words.stems = append(v.words.stems, s)
	}
	slices.Sort(v.words.stems)
}

func (x *wordIndex) add(h Hit, n name) {
	if len(n.words) == 0 {
		return
	}
	e := &entry{Hit: h, name: n}
	if n.text != "" {
		x.addParts(e)
		return
	}
	x.latin = x.latin || n.fit == 0
	for i, w := range n.words {
		if !slices.Contains(n.words[:i], w) {
			x.byStem[w] = append(x.byStem[w], e)
		}
	}
	keys := []string{strings.Join(n.words, ""), n.plain}
	if last := len(n.words) - 1; last > 0 && slices.Contains(naming, n.words[last]) {
		keys = append(keys, strings.Join(n.words[:last], ""))
	}
	for i, k := range keys {
		if !slices.Contains(keys[:i], k) {
			x.joined[k] = append(x.joined[k], e)
		}
	}
}

// addEnglish indexes what the parts of a Chinese name may be in English.
func (x *wordIndex) addEnglish(h Hit, n name, lex Lexis) {
	runes := []rune(strings.TrimSuffix(n.text, n.tail))
	if len(runes) == 0 || len(runes) > maxPartRunes {
		return
	}
	seen := map[string]bool{}
	for _, end := range namingHan[:3] { // 医生姓名: what is named
		whose, ok := strings.CutSuffix(string(runes), end)
		if !ok || utf8.RuneCountInString(whose) < 2 {
			continue
		}
		for _, g := range lex.English(whose) {
			if len(g.Stems) > 0 && len(g.Stems) <= 3 && !seen[g.Text] {
				seen[g.Text] = true
				x.add(h, name{words: g.Stems, plain: strings.ReplaceAll(g.Text, " ", ""), core: len(g.Stems), fit: 0.9})
			}
		}
		break
	}
	for from := 0; from < len(runes); from++ {
		if from > 0 && len(runes)-from < 2 {
			break
		}
		for _, g := range lex.English(string(runes[from:])) {
			if len(g.Stems) == 0 || len(g.Stems) > 3 || seen[g.Text] {
				continue
			}
			seen[g.Text] = true
			x.add(h, name{words: g.Stems, plain: strings.ReplaceAll(g.Text, " ", ""), core: len(g.Stems), fit: 0.95 - 0.1*float64(min(from, 2))})
		}
		if from == 0 && len(seen) > 0 && len(runes) <= 2 {
			break
		}
	}
}

// listsHan are ends of Chinese names of tables that say no more than that there are rows.
var listsHan = []string{"登记表", "明细表", "信息表", "记录表", "记录", "明细", "信息", "数据", "清单", "流水", "台账", "档案", "列表", "名单", "表", "单"}

// listEnd is the end of a table's Chinese name that says no more than that there are rows:
// 记录 of 练车记录; empty: it has none.
func listEnd(text string) string {
	for _, end := range listsHan {
		if whose, ok := strings.CutSuffix(text, end); ok && utf8.RuneCountInString(whose) >= 2 {
			return end
		}
	}
	return ""
}

// recordsHan are those of them that say that each row is something that happened.
var recordsHan = []string{"记录表", "记录", "流水"}

// Records reports whether a table is called in Chinese as one of what happened: 门诊记录.
func (t *Table) Records() bool {
	return slices.ContainsFunc([]string{t.Names.EN, t.Names.ZH}, func(name string) bool { return slices.Contains(recordsHan, listEnd(name)) })
}

// namingHan are ends of Chinese names that say no more than that a thing is named.
var namingHan = []string{"姓名", "名称", "名字", "编号", "代码", "编码", "名", "号"}

// Naming reports whether a column says what its things are called, or tells them apart.
func (c *Column) Naming() bool {
	words := c.Words()
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return len(words) > 1 && slices.Contains([]string{"name", "title", "id", "code", "key", "number", "no"}, last) ||
		han(last) && slices.ContainsFunc(namingHan, func(end string) bool { return strings.HasSuffix(last, end) && last != end })
}

// InChinese reports whether a column has a Chinese name.
func (c *Column) InChinese() bool { return han(c.Expr) }

// addParts indexes what people say for a Chinese name: all of it, it without its unit,
// its end (类别 for 商品类别), its beginning, what is inside.
func (x *wordIndex) addParts(e *entry) {
	runes := []rune(e.text)
	if len(runes) > maxPartRunes {
		runes = runes[:maxPartRunes]
	}
	core := len(runes) - utf8.RuneCountInString(e.tail)
	for from := range runes {
		for to := from + 1; to <= len(runes); to++ {
			n := to - from
			whole := from == 0 && (to == len(runes) || to == core)
			head := e.Table != nil && to == core // 店 of 门店: things are called by it alone
			noun := e.Table != nil && from == 0 && to == 1 && core == 2 && strings.ContainsRune(collectives, runes[1])
			if n < 2 && !whole && !head && !noun {
				continue
			}
			score := partScore(from, to, core, len(runes))
			if noun {
				score = nounScore
			}
			x.parts[string(runes[from:to])] = append(x.parts[string(runes[from:to])], partHit{entry: e, score: score * e.certain()})
		}
	}
}

// collectives are measure words that make a noun one for all of its things: 车辆 are 车, 剧目 are 剧.
// nounScore is how well the noun stands for them.
const (
	collectives = "辆只匹本张件支册间次目株片"
	nounScore   = 0.93
)

// partScore tells how well the characters from one to another stand for a name whose
// unit begins at core.
func partScore(from, to, core, all int) float64 {
	covered := float64(to-from) / float64(max(core, 1))
	switch {
	case from == 0 && to == all:
		return 1
	case from == 0 && to == core:
		return 0.98
	case to == core || to == all: // the head of a Chinese name stands last
		return 0.75 + 0.2*min(covered, 1)
	case from == 0:
		return 0.55 + 0.3*min(covered, 1)
	}
	return 0.4 + 0.2*min(covered, 1)
}

// MinScore is below which a span does not name a thing.
const MinScore = 0.5

// NamesHan finds what a run of Chinese characters names.
func (v *View) NamesHan(text string) []Hit {
	return best(v.words.parts[text])
}

// NamesAcross finds what a run of Chinese characters names in a schema in English.
func (v *View) NamesAcross(text string, lex Lexis) []Hit {
	var found []partHit
	for _, g := range lex.English(text) {
		if len(g.Stems) == 0 || len(g.Stems) > 3 {
			continue
		}
		for _, h := range v.names(g.Stems, strings.Join(g.Stems, ""), lex, true) {
			if h.Table != nil && slices.ContainsFunc(figureEnds, func(end string) bool { return strings.HasSuffix(text, end) }) {
				continue
			}
			if last := len(g.Stems) - 1; h.Table != nil && last > 0 && slices.Contains(figureHeads, g.Stems[last]) && !slices.Contains(h.Table.stems, g.Stems[last]) {
				continue // 失业率 is a rate, and not unemployment
			}
			found = append(found, partHit{entry: &entry{Hit: h}, score: h.Score * g.Score, owned: h.Owned})
		}
	}
	return best(found)
}

// tableName is what the rows of a table are called in Chinese, and what that is in English.
type tableName struct {
	table   *Table
	text    string
	glosses []Gloss
}

// sameThing is how well a Chinese word fits the name of a table that is called by another word for the same:
// 顾客 of 客户信息. sameGloss is how likely both have to be what the two share in English.
const (
	sameThing = 0.88
	sameGloss = 0.95
)

// TablesAlike are the tables with Chinese names that are called by another word for what a Chinese word means,
// which is told by the English that both stand for.
func (v *View) TablesAlike(text string, lex Lexis) []Hit {
	if len(v.calledHan) == 0 {
		return nil
	}
	asked := lex.English(text)
	var out []Hit
	for _, n := range v.calledHan {
		h := Hit{Table: n.table, Score: sameThing}
		if n.text != text && !slices.Contains(out, h) && slices.ContainsFunc(n.glosses, func(g Gloss) bool {
			return slices.ContainsFunc(asked, func(a Gloss) bool { return a.Text == g.Text && a.Score*g.Score >= sameGloss })
		}) {
			out = append(out, h)
		}
	}
	return out
}

// figureEnds are what Chinese words end in that mean a figure, and no rows.
var figureEnds = []string{"率", "价", "价格", "费", "额"}

// figureHeads are stems of last words that say that a figure is meant, and no rows.
var figureHeads = []string{"rate", "ratio", "percentag", "price", "cost", "fee", "score", "index", "level", "averag"}

// Latin reports whether a schema has names that are not in Chinese.
func (v *View) Latin() bool { return v.words.latin }

// Names finds what a run of words names, by their stems; letters are the words as
// written, run together, in lower case.
func (v *View) Names(stems []string, letters string, lex Lexis) []Hit {
	return v.names(stems, letters, lex, false)
}

// names finds names; own leaves out what names are in translation, as a translation of a
// translation is no name.
func (v *View) names(stems []string, letters string, lex Lexis, own bool) []Hit {
	x := &v.words
	var found []partHit
	if asked := x.nearAll(stems, lex); asked != nil {
		found = x.spelled(stems, asked, lex, own)
	}
	for _, key := range []string{letters, strings.Join(stems, "")} {
		for _, e := range x.joined[key] {
			if own && e.fit > 0 {
				continue
			}
			if whole := strings.Join(e.words, "") == key || e.plain == key; whole && len(stems) != len(e.words) {
				found = append(found, partHit{entry: e, score: 0.98 * e.certain()})
			} else if !whole {
				found = append(found, partHit{entry: e, score: 0.9 * e.certain()})
			}
		}
	}
	if slices.ContainsFunc(found, func(p partHit) bool { return p.fit == 0 && slices.Equal(p.words, stems) }) {
		found = slices.DeleteFunc(found, func(p partHit) bool { return misspells(stems, p.words, lex) })
	}
	return best(found)
}

// spelled are the names that have words near to all of some stems.
func (x *wordIndex) spelled(stems []string, asked []nearWords, lex Lexis, own bool) []partHit {
	figures := false // a word stands for another as amounts do
	for i, s := range stems {
		figures = figures || slices.ContainsFunc(asked[i], func(w nearWord) bool { return s != w.stem && lex.Alike(s, w.stem) })
	}
	ends := asked[0] // "captain ranks" are the ranks of captains: either end may be the column's
	if last := len(asked) - 1; last > 0 {
		ends = slices.Concat(ends, asked[last])
	}
	var found []partHit
	for i, s := range ends {
		for _, e := range x.byStem[s.stem] {
			if own && e.fit > 0 || slices.ContainsFunc(ends[:i], func(before nearWord) bool { return slices.Contains(e.words, before.stem) }) {
				continue
			}
			if figures && (e.Column == nil || !e.Column.Numeric() || e.Column.Nature == Flag) && !callsThings(stems, asked, e.words, lex) {
				continue
			}
			if score, owned := similarity(stems, asked, e); score*e.certain() >= MinScore {
				found = append(found, partHit{e, score * e.certain(), owned})
			}
		}
	}
	return found
}

// kinName is how well a word that is derived from another fits what that names: "windy" a wind.
// exactEnough is how well the other has to name it.
const (
	kinName     = 0.85
	exactEnough = 0.97
)

// NamesOfKin finds what an English word in lower case names by a word that it is derived from,
// or that is derived from it: "windy" the wind, "died" the deaths. bases are what it may be a
// form of, itself included.
func (v *View) NamesOfKin(bases []string, lex Lexis) []Hit {
	var found []partHit
	for _, base := range bases {
		for _, other := range lex.Kin(base, true) {
			if strings.Contains(other, " ") || token.Stem(other) == token.Stem(bases[0]) { // what its own stem names is known
				continue
			}
			for _, h := range v.names([]string{token.Stem(other)}, other, lex, true) {
				if h.Score >= exactEnough && !h.Owned && (h.Column == nil || h.Column.Nature != Flag) { // whether there is something is not what it is
					found = append(found, partHit{entry: &entry{Hit: h}, score: kinName * h.Score})
				}
			}
		}
	}
	return best(found)
}

// misspells reports whether a word of a question calls something only as its name is
// written much alike: "species" for a specialty. It does not where something is called so.
func misspells(stems, words []string, lex Lexis) bool {
	return slices.ContainsFunc(stems, func(s string) bool {
		alike := false
		for _, w := range words {
			if s == w || sameWord(s, w, lex) || lex.Synonymous(s, w) || lex.Alike(s, w) {
				return false
			}
			alike = alike || nearness(s, w, lex) > 0
		}
		return alike
	})
}

// callsThings reports whether words may call the things of a table, or what is no number:
// words that stand for each other as amounts do, as "paid" and "sales", call columns of
// numbers only. asked are the words of names that each stem is near to.
func callsThings(stems []string, asked []nearWords, words []string, lex Lexis) bool {
	for i, s := range stems {
		alike, called := false, false
		for _, w := range words {
			if asked[i].of(w) == 0 {
				continue
			}
			if s == w || !lex.Alike(s, w) {
				called = true
				break
			}
			alike = true
		}
		if alike && !called {
			return false
		}
	}
	return true
}

// Slips are the words of names that a stem is with one slip of the hand, as names write them.
func (v *View) Slips(stem string) []string {
	var out []string
	for _, s := range v.words.stems {
		if !token.Slip(stem, s) {
			continue
		}
		if at := slices.IndexFunc(v.words.byStem[s], func(e *entry) bool { return e.fit == 0 }); at >= 0 {
			out = append(out, v.words.byStem[s][at].written(s))
		}
	}
	return out
}

// written is a word of a name as its thing is called, by its stem; the stem where it is
// called otherwise.
func (e *entry) written(stem string) string {
	called := e.Of().Names.EN
	if e.Column != nil {
		called = e.Column.Names.EN
	}
	for _, w := range SplitName(called) {
		if token.Stem(w) == stem {
			return w
		}
	}
	return stem
}

// certain is how likely a name is one of its thing.
func (n *name) certain() float64 {
	if n.fit == 0 {
		return 1
	}
	return n.fit
}

// best keeps the best hit of each thing, best first.
func best(list []partHit) []Hit {
	at := map[any]int{}
	var out []Hit
	for _, p := range list {
		h := p.Hit
		h.Score, h.Owned = p.score, p.owned
		key := any(h.Table)
		if h.Column != nil {
			key = h.Column
		}
		if i, ok := at[key]; ok {
			if h.Score > out[i].Score {
				out[i] = h
			}
			continue
		}
		at[key] = len(out)
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// nearWord is a stem of names that a stem of a question may stand for, with how well.
type nearWord struct {
	stem  string
	score float64
}

// nearWords are those of one stem of a question, in order of theirs: few.
type nearWords []nearWord

// of is how well a stem of names fits; 0: it does not.
func (l nearWords) of(stem string) float64 {
	for _, w := range l {
		if w.stem == stem {
			return w.score
		}
	}
	return 0
}

func (x *wordIndex) near(asked string, lex Lexis) nearWords {
	var out nearWords
	for _, s := range x.stems {
		if score := nearness(asked, s, lex); score > 0 {
			out = append(out, nearWord{s, score})
		}
	}
	return out
}

// nearAll are the stems of names that each of some stems may stand for; nil: no name has a word for each of them.
func (x *wordIndex) nearAll(stems []string, lex Lexis) []nearWords {
	out := make([]nearWords, len(stems))
	for i, s := range stems {
		if out[i] = x.near(s, lex); len(out[i]) == 0 && !mayBeUnnamed(stems, i) {
			return nil
		}
	}
	return out
}

// mayBeUnnamed reports whether one of some stems need be no word of a name that the others say: "phone number" for a
// phone.
func mayBeUnnamed(stems []string, i int) bool {
	return i > 0 && i == len(stems)-1 && slices.Contains(naming, stems[i])
}

func nearness(asked, name string, lex Lexis) float64 {
	switch {
	case asked == name:
		return 1
	case name == "per": // no people
		return 0
	case sameWord(asked, name, lex):
		return 0.97
	case lex.Synonymous(asked, name):
		return 0.85
	case lex.Alike(asked, name):
		return 0.75
	case agentOf(asked, name): // players are no plays
		return 0
	case lex.Short(name, asked):
		return 0.85
	case len(name) >= 3 && len(asked) >= len(name)+2 && strings.HasPrefix(asked, name):
		return 0.85 // the name is shorthand: dep for departure
	case len(asked) >= 4 && strings.HasPrefix(name, asked):
		return 0.85
	case len(asked) >= 4 && len(name) >= 4 && asked[:4] == name[:4] && derived(asked, name):
		return 0.75
	case len(asked) >= 6 && oneEdit(asked, name):
		return 0.8
	}
	return 0
}

// agentOf reports whether a stem is what those are called who do what another stem says: player of play, winner of
// win, sportsman of sport.
func agentOf(agent, verb string) bool {
	for _, end := range []string{"er", "or", "man", "woman"} {
		base, ok := strings.CutSuffix(agent, end)
		if ok && len(verb) >= 3 && (base == verb || base+"e" == verb || base == verb+"s" || base == verb+verb[len(verb)-1:]) {
			return true
		}
	}
	return false
}

// sameWord reports whether one of two stems is the other, shortened.
func sameWord(a, b string, lex Lexis) bool {
	return lex.Full(a) == b || lex.Full(b) == a || token.Stem(lex.Full(b)) == a || token.Stem(lex.Full(a)) == b
}

// derived reports whether two stems are forms of one word: they begin alike, and what
// is left of either is short.
func derived(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 5 && len(a)-n <= 3 && len(b)-n <= 3
}

func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// naming are stems that say no more than that a thing has a name.
var naming = []string{"name", "title", "id", "code", "key", "number", "no", "date", "type", "cnt", "count", "amt", "amount", "valu"}

// similarity of asked words to a name: each has to be one of its words. Words of the
// name that were not asked cost, most where they are its head, nothing where they are
// the unit or repeat the table. owned tells that an asked word is the table's.
func similarity(stems []string, asked []nearWords, e *entry) (score float64, owned bool) {
	used := make([]bool, len(e.words))
	sum := 0.0
	for i, a := range asked {
		if len(asked) == len(e.words)+1 && e.Column != nil && mayBeUnnamed(stems, i) {
			sum += 0.9
			continue
		}
		bestScore, at := 0.0, -1
		for i, w := range e.words {
			if s := a.of(w); !used[i] && s > bestScore {
				bestScore, at = s, i
			}
		}
		if at < 0 {
			if s := owner(e.Column, a); s > 0 { // "invoice total": the total of an invoice
				sum += s
				owned = true
				continue
			}
			return 0, false
		}
		used[at] = true
		sum += bestScore
	}
	if !slices.Contains(used, true) {
		return 0, false
	}
	score = sum / float64(len(asked))
	for i, w := range e.words {
		switch {
		case used[i] || i >= e.core:
		case e.Column != nil && ownWord(e.Column, w):
			score -= 0.03
		case slices.Contains(naming, w) && i == len(e.words)-1:
			score -= 0.08
		case isDigits(w) || len(w) == 1:
			score -= 0.1
		case i == e.core-1:
			score -= 0.25
		default:
			score -= 0.15
		}
	}
	return score, owned
}

// owner is how well an asked word fits the table of a column.
func owner(c *Column, asked nearWords) float64 {
	best := 0.0
	if c == nil {
		return 0
	}
	for _, s := range c.Of.stems {
		best = max(best, asked.of(s))
	}
	return best * 0.97
}

// ownWord reports whether a word of a column's name only repeats its table's, or the beginning of it: emp of
// employee.
func ownWord(c *Column, w string) bool {
	return slices.ContainsFunc(c.Of.stems, func(own string) bool { return own == w || len(w) >= minPrefix && strings.HasPrefix(own, w) })
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// SplitName cuts a word of a question as names are cut: at camel humps, underscores and
// between letters and digits.
func SplitName(word string) []string { return wordsOf(word) }

// SaysMoreThan reports whether a column's name has all words of another's, and more.
func (c *Column) SaysMoreThan(o *Column) bool {
	mine, others := c.Words(), o.Words()
	return len(mine) > len(others) && !slices.ContainsFunc(others, func(w string) bool { return !slices.Contains(mine, w) })
}

// Words are the words of a column's name.
func (c *Column) Words() []string {
	if c.words == nil {
		return wordsOf(c.Names.EN)
	}
	return c.words
}
