package chinese

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// prepare replaces phrases of questions by English ones, joins words in letters
// that nothing covers to constants, and drops what says nothing.
func (w *writer) prepare(items []*link.Item) part {
	var out part
	items = w.paired(items)
	for i, it := range items {
		n := len(out)
		switch {
		case it.Is("zh-also") && it.Is("and") && it.Text == "and":
			out = append(out, it)
		case it.Is("zh-also") && it.Is("stop") && named(it) == 0: // 也, which answers to nothing
		case foreign(it) && n > 0 && constant(out[n-1]) && foreign(items[i-1]):
			out[n-1] = joined(out[n-1], it)
		case foreign(it):
			out = append(out, joined(nil, it))
		case it.Is("mark") && it.Text == "、":
			out = append(out, w.say("and"))
		case it.Is("mark") && strings.Trim(it.Text, "（）()") == "":
			if n > 0 && inLetters(items[i+1:]) && !out[n-1].Latin() && (out[n-1].Unknown() || isValue(out[n-1])) {
				out = out[:n-1] // "黑（Black）卡": the text itself comes after its translation
			}
		case it.Text == firstOf && i+2 < len(items) && items[i+1].Is("zh-classifier") && isName(items[i+2]): // "第一项资产"
			out = append(out, w.say("earliest"))
		case n > 0 && items[i-1].Text == firstOf && it.Is("zh-classifier") && out[n-1].Text == "earliest":
		case vacuous(it) && slices.Contains(together, it.Text) && w.money(items[i+1:]): // "总共卖了多少钱"
			out = append(out, w.say("total"))
		case vacuous(it):
		case leading(items, i), measure(items, i), pointer(items, i):
		case it.Is("zh-match"): // "位置对应的县"; before what is of nothing named it says nothing
			if n > 0 && isName(out[n-1]) {
				out = append(out, de)
			}
		case it.Is("zh-several"):
			out = append(append(out, w.say("more than")), w.index.Words("1")...)
		case it.Is("count") && isName(it) && quantity(items, i):
			c := *it
			c.Tags = nil
			out = append(out, &c)
		case it.Is("zh-only") && i+2 < len(items) && items[i+1].Number != "" && items[i+2].Is("zh-classifier"): // "只有1场比赛"
			out = append(out, w.say("equal to"))
		case it.Is("zh-only"):
			if i+1 == len(items) || items[i+1].Number == "" && !items[i+1].Is("zh-have") && !items[i+1].Is("cmp") {
				c := *it
				c.Tags = nil // leaves all others out: that is not read yet
				out = append(out, &c)
			}
		case it.Is("zh-shared"):
			if !counted(items[:i]) && (i+1 == len(items) || !items[i+1].Is("zh-howmany") && items[i+1].Number == "") {
				c := *it
				c.Tags = nil // of several things at once: that is not read yet
				out = append(out, &c)
			}
		default:
			out = append(out, w.canonical(it))
		}
	}
	return w.asides(w.directions(out))
}

const firstOf = "第一"

// together are words that ask for a sum where money is asked for.
var together = []string{"总共", "一共", "共", "共计"}

// money reports whether items ask how much money, after no more than a verb.
func (w *writer) money(items []*link.Item) bool {
	for _, it := range items[:min(len(items), maxUnit)] {
		if it.Text == howMuchMoney {
			return true
		}
		if isName(it) && !verb(it) {
			return false
		}
	}
	return false
}

const howMuchMoney = "多少钱"

// directions reads "从最贵到最便宜" as an order.
func (w *writer) directions(items part) part {
	var out part
	for i := 0; i < len(items); i++ {
		if i+3 < len(items) && items[i].Is("zh-in") && superlative(items[i+1]) && items[i+2].Is("zh-to") && superlative(items[i+3]) {
			if desc(items[i+1], w) {
				out = append(out, w.say("descending order"))
			} else {
				out = append(out, w.say("ascending order"))
			}
			i += 3
			continue
		}
		out = append(out, items[i])
	}
	return out
}

// foreign reports whether an item is in letters and nothing covers it: in a Chinese
// question that is a constant.
func foreign(it *link.Item) bool {
	return it.Tokens[0].Kind == token.Word && named(it) == 0 && len(it.Values) == 0 && onlyTags(it, "stop", "ask", "light", "of", "and", "or", "rel")
}

// inLetters reports whether items begin with a text in letters that ends a pair of
// brackets.
func inLetters(items []*link.Item) bool {
	for i, it := range items[:min(len(items), maxBracketed)] {
		if it.Is("mark") {
			return i > 0 && strings.Trim(it.Text, "）)") == ""
		}
		if !it.Latin() || !isValue(it) && !foreign(it) {
			return false
		}
	}
	return false
}

// maxBracketed bounds the words in brackets that are looked at.
const maxBracketed = 6

func constant(it *link.Item) bool { return it.Quoted }

func joined(a, b *link.Item) *link.Item {
	if a == nil {
		c := *b
		c.Quoted, c.Tags = true, nil // "A" is no article
		return &c
	}
	c := *a
	c.Text += " " + b.Text
	c.Tokens = append(append([]token.Token(nil), a.Tokens...), b.Tokens...)
	c.To += b.To - b.From
	return &c
}

// vacuous reports whether an item only fills the sentence.
func vacuous(it *link.Item) bool {
	return named(it) == 0 && len(it.Tags) > 0 && !strings.HasPrefix(it.Tags[0].Name, "zh-") && onlyTags(it, "stop")
}

func onlyTags(it *link.Item, names ...string) bool {
	for _, t := range it.Tags {
		found := false
		for _, n := range names {
			found = found || t.Name == n
		}
		if !found {
			return false
		}
	}
	return true
}

// leading reports whether a number is the 一 of "一个", which counts nothing unless
// something is compared with it.
func leading(items []*link.Item, i int) bool {
	it := items[i]
	if it.Number != "1" || it.Tokens[0].End-it.Tokens[0].Start == len(it.Number) || i+1 >= len(items) || !items[i+1].Is("zh-classifier") {
		return false
	}
	before := i
	for before > 0 && (verb(items[before-1]) || vacuous(items[before-1])) && !items[before-1].Is("cmp") { // "至少卖过一盏灯"
		before--
	}
	if before > 0 && (items[before-1].Is("cmp") || items[before-1].Is("zh-first") || items[before-1].Is("zh-only")) {
		return false
	}
	return i+2 >= len(items) || !items[i+2].Is("zh-atleast") && !items[i+2].Is("zh-atmost")
}

// measure reports whether an item is the classifier between a number and what is
// counted, though it may mean something by itself: 3名员工.
func measure(items []*link.Item, i int) bool {
	if i == 0 || i+1 >= len(items) || !items[i].Is("zh-classifier") {
		return false
	}
	if items[i-1].Number != "" && !items[i].Is("zh-unit") && (items[i+1].Is("zh-atleast") || items[i+1].Is("zh-atmost") || items[i+1].Is("zh-above") || items[i+1].Is("zh-below")) {
		return true // "两名以上的摔跤手"
	}
	if !isName(items[i+1]) || items[i+1].Is("zh-classifier") {
		return false
	}
	prev := items[i-1]
	return prev.Number != "" || prev.Is("zh-howmany") || prev.Is("zh-each") || prev.Is("zh-which")
}

// counted reports whether a number of things ends the items: "至少两个人".
func counted(items []*link.Item) bool {
	for i := len(items) - 1; i >= 0 && i >= len(items)-maxUnit; i-- {
		if items[i].Number != "" {
			return true
		}
	}
	return false
}

// quantity reports whether a word that counts is the column of an amount here:
// "数量为1".
func quantity(items []*link.Item, i int) bool {
	if i > 0 && (isName(items[i-1]) || items[i-1].Is("zh-de")) || i+1 >= len(items) {
		return false
	}
	return items[i+1].Is("zh-be") || items[i+1].Is("cmp")
}

// pointer reports whether an item is of "这门" or "那座", which only points.
func pointer(items []*link.Item, i int) bool {
	if items[i].Is("zh-this") {
		return true
	}
	return i > 0 && items[i-1].Is("zh-this") && items[i].Is("zh-classifier")
}

// canonical puts the English phrase in the place of a Chinese one, and English
// words in the place of the tokens of a name, which the grammar looks at.
func (w *writer) canonical(it *link.Item) *link.Item {
	c := *it
	if en, ok := w.lex.Chinese().English(it.Text); ok {
		said := w.say(en)
		c.Text, c.Tokens, c.Tags = en, said.Tokens, said.Tags
		c.From, c.To = 0, len(c.Tokens)
		if s := named(it); s < sureName || s < exactName && it.Is("count") {
			c.Tables, c.Columns, c.Values = nil, nil, nil
		}
		return &c
	}
	c.Tokens = nil
	for _, t := range it.Tokens {
		if t.Kind != token.Han || len(t.Glosses) == 0 {
			c.Tokens = append(c.Tokens, t)
			continue
		}
		for _, word := range strings.Fields(t.Glosses[0].Text) {
			c.Tokens = append(c.Tokens, token.Token{Kind: token.Word, Text: word, Lower: word, Stem: token.Stem(word), Start: t.Start, End: t.End})
		}
	}
	return &c
}

// sureName is the score from which a phrase is a name as well.
const (
	sureName  = 0.9
	exactName = 0.99 // of a column that counts: 数量 is a quantity as well
)

// named is how surely an item names a table or a column.
func named(it *link.Item) float64 {
	s := 0.0
	if len(it.Tables) > 0 {
		s = it.Tables[0].Score
	}
	if len(it.Columns) > 0 {
		s = max(s, it.Columns[0].Score)
	}
	return s
}

func isName(it *link.Item) bool { return named(it) > 0 }

func isColumn(it *link.Item) bool {
	return len(it.Columns) > 0 && (len(it.Tables) == 0 || it.Columns[0].Score > it.Tables[0].Score+0.05)
}

// isValue reports whether an item is a constant rather than a name.
func isValue(it *link.Item) bool {
	return it.Quoted || it.Period != nil || len(it.Values) > 0 && named(it) < 0.8
}

// verb reports whether an item only says how two things belong together.
func verb(it *link.Item) bool {
	return it.Is("light") || it.Is("zh-have") || it.Is("zh-in")
}

func drop(p part, which func(*link.Item) bool) part {
	var out part
	for _, it := range p {
		if !which(it) {
			out = append(out, it)
		}
	}
	return out
}
