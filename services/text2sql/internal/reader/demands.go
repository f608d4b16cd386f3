package reader

import (
	"slices"
	"unicode/utf8"

	"github.com/dibrain/dibrain/services/text2sql/internal/language"
)

// Demands are what a question asks of any SQL that answers it, by its general words alone.
// They hold however its names are read.
type Demands struct {
	Money  string   // the word by which an amount is asked for: "how much", "money"; "": none
	Counts []string // the words by which numbers of things are asked for, each time anew
	When   string   // the word by which a time is asked for; "": none
	Each   string   // the word by which a number is asked for of each of many; "": none, or a list is
	Most   string   // the word by which it is asked what there is most of; "": none
	Share  string   // the word by which a part of a whole is asked for; "": none
	Yes    string   // the word by which yes or no is asked for; "": none, or it is asked which, too
	Never  string   // the word by which things are asked for that never were so; "": none
	Things string   // the words by which is asked which things of a table: "which campaigns"; "": none
	Pick   string   // the word by which is asked which of many has the most; "": it is not
	Alone  string   // the word by which most is asked for of nothing that is named: "paid the most"; "": it is not
	Who    string   // the word by which a person is asked for; "": none
	Lack   string   // the word by which is asked for what is missing; "": none
	With   string   // the word by which something is not left out, so that it restricts nothing; "": none
	Apart  string   // the word by which it is asked for of groups by themselves, never in all; "": none
	// Compare is the word by which two things are set beside each other, HowMany the word by
	// which a number of things is asked for and no list of them; "": none.
	Compare, HowMany string
	// Deny is the word that denies something, Utmost the word by which the first or last of an
	// order are asked for, Measure the words by which a number of a unit of size is: "how many
	// kilos"; "": none. Words of a stored value or of a whole name do none of these.
	Deny, Utmost, Measure string
	// How is the word by which the manner or the place is asked for in which something is done:
	// "how did they pay", "where do they live"; "": none.
	How string
	// Mean is the word by which a mean is asked for, Now the word by which is said that something
	// goes on; "": none. Words of a stored value or of a whole name say neither.
	Mean, Now string
	// Often is the phrase by which is asked how many times something was done; "": none.
	Often string
	// Whose are the words that ask which of things that nothing knows: "Which state"; "": none.
	Whose string
	// Size are the words that ask how much of something there is that nothing knows: "How satisfied"; "": none.
	Size string
	// Undone is the word, which nothing knows, for what was never done; "": none.
	Undone string
	// Bound are the words by which is asked for what is more or less than something: "or higher"; "": none. Words of a
	// stored value or of a whole name are none.
	Bound string

	Sized []Sized // numbers with their units, in order
}

// Sized is a number with a unit.
type Sized struct {
	Text   string // as in the question: "30 euros"
	Number string // its digits
	Unit   language.Unit
	Times  bool // it says how often: "150 times", 3次
}

func (r *Reader) demands(question string) Demands {
	var d Demands
	tokens := language.Split(question)
	listed, first := false, false
	counted := -1 // where the words end by which a number was asked for last
	for i := 0; i < len(tokens); i++ {
		to, tags := r.longest(tokens, i)
		if to == i {
			continue
		}
		text := question[tokens[i].Start:tokens[to-1].End]
		key := language.Key(tokens[i:to])
		first = first || tags("super") || tags("most") || tags("common")
		switch {
		case (slices.Contains(persons, key) || slices.Contains(persons, tokens[i].Lower)) && (i == 0 || tokens[i].Kind == language.Han || tokens[i-1].Kind == language.Mark): // else "owners who have a dog"
			d.Who, d.Pick = tokens[i].Text, tokens[i].Text
		case slices.Contains(r.language.Tags(key), language.Tag{Name: "which", Arg: "pick"}):
			d.Pick = tokens[i].Text
		}
		if tags("compare") || tags("differ") || tags("versus") {
			d.Compare = text
		}
		if tags("howmany") || tags("havemany") || key == "how many" {
			d.HowMany = text
			if end, also := r.longest(tokens, to); end > to && also("occurrence") {
				d.Often = question[tokens[i].Start:tokens[end-1].End]
			}
		}
		switch {
		case tags("howmuch") || key == "money" || key == "钱":
			d.Money = text
		case tags("mostmoney"):
			d.Money, d.Most = tokens[to-1].Text, text
		case slices.Contains(whens, key):
			if key != "when" || i == 0 || slices.Contains([]string{"and", ",", "since"}, tokens[i-1].Lower) { // else it begins a condition
				d.When = text
			}
		case tags("most") || tags("common"):
			d.Most = text
			if key == "the most" && (to == len(tokens) || tokens[to].Kind == language.Mark || slices.ContainsFunc(r.language.Tags(tokens[to].Lower), func(t language.Tag) bool { return t.Name == "link" })) {
				d.Alone = text
			}
		case tags("never"):
			d.Never = text
		case tags("included") && !tags("holding"):
			d.With = text
		case tags("share"):
			d.Share = text
		case tags("list"):
			listed = true
		case tags("per") || tags("each"):
			d.Each = text
			if slices.Contains(aparts, key) {
				d.Apart = text
			}
		case tags("count") || tags("howmany"):
			if counted != i { // "count the number of" asks once
				d.Counts = append(d.Counts, text)
			}
			counted = to
		}
		i = to - 1
	}
	if listed {
		d.Each, d.HowMany = "", ""
	}
	d.Yes = r.yesOrNo(tokens)
	d.How = manner(tokens)
	d.Lack = r.missing(question, tokens)
	if !first {
		d.Pick = ""
	}
	for i, t := range tokens {
		if t.Kind != language.Number {
			continue
		}
		for to := min(len(tokens), i+1+r.language.Longest()); to > i+1; to-- {
			key := language.Key(tokens[i+1 : to])
			if u, ok := r.language.Unit(key); ok {
				d.Sized = append(d.Sized, Sized{Text: question[t.Start:tokens[to-1].End], Number: t.Text, Unit: u, Times: slices.Contains([]string{"times", "次"}, key)})
				break
			}
		}
	}
	return d
}

// general are the demands of words that may be part of a stored value, or of a name: "Household
// No" is no denial.
func (l *lattice) general(r *Reader, d *Demands) {
	if it := l.current(); it != nil {
		d.Now = it.text
	}
	for i := 0; i < len(l.tokens); i++ {
		to, tags := r.longest(l.tokens, i)
		if to == i {
			if u, ok := r.language.Unit(l.tokens[i].Lower); ok && slices.Contains(added, u.Quantity) && utf8.RuneCountInString(l.tokens[i].Text) >= spelledUnit && !l.whole(i, i+1) && (i == 0 || l.tokens[i-1].Kind != language.Number) {
				d.Measure = cmpOr(d.Measure, l.tokens[i].Text)
			}
			continue
		}
		if tags("never") && l.undone(to) {
			d.Undone = l.tokens[to].Text
		}
		if d.Things == "" && slices.Contains(r.language.Tags(language.Key(l.tokens[i:to])), language.Tag{Name: "which", Arg: "pick"}) && to < len(l.tokens) {
			for _, it := range l.at[to] {
				if it.class == className && it.hits[0].Table != nil {
					d.Things = l.span(i, it.to)
				}
			}
		}
		if i == 0 && to == i+1 && l.is(i, "how") && l.unknownNoun(to) && l.has(to+1, "be") {
			d.Size = l.span(i, to+1)
		}
		if d.Whose == "" && slices.Contains(r.language.Tags(language.Key(l.tokens[i:to])), language.Tag{Name: "which", Arg: "pick"}) && l.unknownNoun(to) {
			d.Whose = l.span(i, to+1)
		}
		switch text := l.span(i, to); {
		case l.whole(i, to), l.whole(to-1, to): // "are not sent", where that is stored
		case (tags("not") || tags("never") || tags("except")) && !tags("missing") && !l.either(i, to) && !l.besideHave(i), l.nothingLeft(i, to):
			d.Deny = cmpOr(d.Deny, text)
		case tags("after") && l.behindOne(i):
			d.Bound = cmpOr(d.Bound, text)
		case slices.Contains(r.language.Tags(language.Key(l.tokens[i:to])), language.Tag{Name: "agg", Arg: "avg"}):
			d.Mean = cmpOr(d.Mean, text)
		case tags("top") && to < len(l.tokens) && !l.saysPlace(i) && slices.ContainsFunc(l.at[to], func(it *item) bool { return it.class == classNumber }) && (!slices.Contains(firsts, language.Key(l.tokens[i:to])) || to+1 < len(l.tokens) && slices.ContainsFunc(l.at[to+1], ranks)):
			d.Utmost = cmpOr(d.Utmost, text)
		case (tags("count") || tags("howmany")) && to < len(l.tokens):
			for _, it := range l.at[to] {
				if it.class == classUnit && slices.Contains(added, it.unit.Quantity) {
					d.Measure = cmpOr(d.Measure, l.span(i, it.to))
				}
			}
		}
		i = to - 1
	}
}

// unknownNoun reports whether a token is a word that nothing knows, as it stands before a verb.
func (l *lattice) unknownNoun(i int) bool {
	return i+1 < len(l.tokens) && len(l.at[i]) > 0 && !slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class != classUnknown }) && l.has(i+1, "verb", "be", "have")
}

// undone reports whether a token is an unknown word with the name of a table behind it: "missed a class".
func (l *lattice) undone(i int) bool {
	const near = 3 // tokens
	if i >= len(l.tokens) || !slices.ContainsFunc(l.at[i], func(it *item) bool { return it.class == classUnknown }) {
		return false
	}
	if slices.ContainsFunc(l.at[i], func(it *item) bool {
		return it.is("link", "verb", "be") || it.class == className && it.hits[0].Table != nil
	}) {
		return false // it is known: "never been in a show", 没请过假 of 请假
	}
	for at := i + 1; at < min(len(l.tokens), i+1+near); at++ {
		if slices.ContainsFunc(l.at[at], func(it *item) bool { return it.class == className && it.hits[0].Table != nil }) {
			return true
		}
	}
	return false
}

// spelledUnit are the letters from which a unit is written out, and no other word.
const spelledUnit = 4

// firsts ask for what stands first, which may be as it is stored. They are a closed class.
var firsts = []string{"first", "last", "前", "后", "头"}

// ranks reports whether a measure word is one of places in an order: 前三名.
func ranks(it *item) bool {
	return it != nil && it.is("classifier") && slices.Contains([]string{"名", "大", "强"}, it.text)
}

// whole reports whether tokens are a part of a stored value or of a name that is said whole.
func (l *lattice) whole(from, to int) bool {
	for at := range to {
		if slices.ContainsFunc(l.at[at], func(it *item) bool {
			covers := it.from <= from && it.to >= to && it.to-it.from > to-from
			return covers && (it.class == classValue && !it.values[0].Part && it.values[0].Score >= exactName || it.class == className && it.hits[0].Score >= exactName)
		}) {
			return true
		}
	}
	return false
}

// either reports whether a word that denies leaves both open: "or not", 有没有.
func (l *lattice) either(from, to int) bool {
	if from > 0 && l.tokens[from-1].Lower == "or" {
		return true
	}
	for at := from; at < to; at++ {
		if at > 0 && at+1 < len(l.tokens) && slices.Contains([]string{"不", "没"}, l.tokens[at].Lower) && l.tokens[at-1].Lower == l.tokens[at+1].Lower {
			return true
		}
	}
	return false
}

// auxiliaries begin questions that want a yes or a no. They are a closed class.
var auxiliaries = []string{"is", "are", "was", "were", "do", "does", "did", "has", "have", "had"}

// yesOrNo is the word by which a question asks whether something is so; "" where it asks
// something else, or which it is as well.
func (r *Reader) yesOrNo(tokens []language.Token) string {
	word := ""
	for i := range tokens {
		switch {
		case i == 0 && slices.Contains(auxiliaries, tokens[i].Lower):
			word = tokens[i].Text
		case tokens[i].Lower == "吗":
			word = tokens[i].Text
		}
		if _, tags := r.longest(tokens, i); tags != nil && (tags("which") || tags("list") || tags("howmany") || tags("howmuch") || tags("count")) {
			return ""
		}
	}
	return word
}

// manners ask for a way or a place, in English before an auxiliary. They are a closed class.
var manners = []string{"how", "where", "怎么", "怎样", "如何", "哪里", "哪儿", "何处"}

// askers stand behind "how do" and "how can" where a way to get the answer is asked for, and no
// way that the data tell. They are a closed class.
var askers = []string{"i", "we", "you", "one"}

// manner is the word by which a question asks for a way or a place; "" where there is none. In
// English it begins the question, or what is added to it: "customers where the town is Tuam"
// names a condition.
func manner(tokens []language.Token) string {
	for i, t := range tokens {
		if t.Kind == language.Han {
			if to := hanPhrase(tokens, i, manners); to > i {
				return joined(tokens[i:to])
			}
			continue
		}
		if !slices.Contains(manners, t.Lower) || i+1 >= len(tokens) || !slices.Contains(auxiliaries, tokens[i+1].Lower) {
			continue
		}
		begins := i == 0 || slices.Contains([]string{"and", ","}, tokens[i-1].Lower)
		if begins && (i+2 >= len(tokens) || !slices.Contains(askers, tokens[i+2].Lower)) {
			return t.Text
		}
	}
	return ""
}

// hanPhrase is the end of the phrase of a list that Chinese tokens begin; from itself where they
// begin none.
func hanPhrase(tokens []language.Token, from int, phrases []string) int {
	for to := min(len(tokens), from+2); to > from; to-- {
		if slices.Contains(phrases, joined(tokens[from:to])) {
			return to
		}
	}
	return from
}

func joined(tokens []language.Token) string {
	text := ""
	for _, t := range tokens {
		text += t.Text
	}
	return text
}

// persons ask for somebody. They are a closed class.
var persons = []string{"who", "whom", "谁", "哪位"}

// missing is the phrase by which a question asks for what is missing, wherever it begins: "is
// not" is a phrase as well, and "not known" is part of "is not known".
func (r *Reader) missing(question string, tokens []language.Token) string {
	for i := range tokens {
		for to := min(len(tokens), i+r.language.Longest()); to > i; to-- {
			if slices.ContainsFunc(r.language.Tags(language.Key(tokens[i:to])), func(t language.Tag) bool { return t.Name == "missing" }) {
				return question[tokens[i].Start:tokens[to-1].End]
			}
		}
	}
	return ""
}

// aparts ask for groups by themselves, whatever is computed of them: of "per" and 每 a mean
// may be meant.
var aparts = []string{"for each", "in each", "at each", "broken down by", "split by", "grouped by", "for every", "in every", "各", "各个", "各种", "各类", "不同"}

// whens ask for a time. They are a closed class.
var whens = []string{
	"when", "which month", "what month", "which year", "what year", "which quarter", "which week", "which day", "what day", "which date", "what date",
	"哪个月", "哪月", "哪几个月", "哪年", "哪一年", "哪个季度", "哪一季度", "哪周", "哪一周", "什么时候", "何时", "几时", "哪天", "哪一天"}

// longest is the end of the longest phrase of general words from a token on, and what tells
// whether it has a tag; the token itself where there is none.
func (r *Reader) longest(tokens []language.Token, from int) (to int, has func(tag string) bool) {
	for to := min(len(tokens), from+r.language.Longest()); to > from; to-- {
		key := language.Key(tokens[from:to])
		tags := r.language.Tags(key)
		if len(tags) > 0 || key == "money" || key == "钱" || slices.Contains(whens, key) {
			return to, func(tag string) bool {
				return slices.ContainsFunc(tags, func(t language.Tag) bool { return t.Name == tag })
			}
		}
	}
	return from, nil
}

// IsSize reports whether a word is a unit of money, mass, length, time and the like.
func (r *Reader) IsSize(word string) bool {
	u, ok := r.language.Unit(language.Key(language.Split(word)))
	return ok && u.Quantity != "count"
}
