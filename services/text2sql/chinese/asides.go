package chinese

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// asides reads the small words that stand with a name and add nothing to it, or
// say what is done with it, before the sentence is taken apart.
func (w *writer) asides(items part) part {
	items = w.howMuch(items)
	items = w.containing(items)
	items = w.several(items)
	items = nothing(items)
	items = dropAt(items, func(i int) bool { return items[i].Is("zh-de") && i+1 < len(items) && w.nameOf(items, i+1) })
	items = dropAt(items, func(i int) bool { return w.nameOf(items, i) || bareAmount(items, i) })
	return dropAt(items, func(i int) bool { return theirs(items, i) || i > 0 && theirs(items, i-1) })
}

// howMuch leaves a word that asks for an amount out where the amount is named, 年龄
// 多大, and puts an aggregate before it over its verb: 平均卖多少钱.
func (w *writer) howMuch(items part) part {
	var out part
	for _, it := range items {
		if !w.lex.Chinese().HowMuch(it.Text) {
			out = append(out, it)
			continue
		}
		at := len(out)
		for at > 0 && (out[at-1].Is("zh-be") || verb(out[at-1]) && named(out[at-1]) < sureName) {
			at--
		}
		switch {
		case at > 0 && isColumn(out[at-1]) && !isValue(out[at-1]):
			out = out[:at]
		case at > 0 && out[at-1].Is("agg"):
			out = append(out[:at], it)
		case at > 0 && at < len(out) && isTable(out[at-1:at]): // "灯卖多少钱"
			out = append(out[:at], de, it)
		default:
			out = append(out, it)
		}
	}
	return out
}

// containing reads "名字里有“Moulin”": a text that no row of the column is.
func (w *writer) containing(items part) part {
	out := slices.Clone(items)
	for i := 1; i+1 < len(out); i++ {
		denied := out[i].Is("not") && out[i].Text == noneOf
		if !out[i].Is("zh-have") && !denied || named(out[i]) >= sureName {
			continue
		}
		at := i - 1
		if out[at].Is("zh-among") && at > 0 {
			at--
		}
		text := i + 1
		for text+1 < len(out) && !out[text].Quoted && (out[text].Is("zh-word") || named(out[text])+float64(len(out[text].Tags)) == 0) {
			text++
		}
		if !isColumn(out[at]) || isValue(out[at]) || !out[text].Quoted || len(out[text].Values) > 0 {
			continue
		}
		said := part{w.say("contains")}
		if denied {
			said = part{w.say("not"), said[0]}
		}
		out = append(append(slices.Clone(out[:at+1]), said...), out[i+1:]...)
	}
	return out
}

const noneOf = "without"

// several reads "多" before a classifier as more than one: 多所学校.
func (w *writer) several(items part) part {
	var out part
	for i := 0; i < len(items); i++ {
		if items[i].Text == many && i+2 < len(items) && items[i+1].Is("zh-classifier") && isName(items[i+2]) && (i == 0 || items[i-1].Number == "" && !items[i-1].Is("zh-than")) {
			out = append(append(out, w.say("more than")), w.index.Words("1")...)
			i++
			continue
		}
		out = append(out, items[i])
	}
	return out
}

// nothing reads "一盏灯都没有": none at all.
func nothing(items part) part {
	for i := 2; i < len(items); i++ {
		if !items[i].Is("not") || i+1 < len(items) && !items[i+1].Is("mark") {
			continue
		}
		at := i - 1
		if items[at].Is("zh-all") {
			at--
		}
		if at < 1 || !isTable(items[at:at+1]) || items[at-1].Is("and") {
			continue
		}
		return append(append(slices.Clone(items[:at]), items[i], items[at]), items[i+1:]...)
	}
	return items
}

const many = "多"

// theirs reports whether 他们所在 stands before a column.
func theirs(items part, i int) bool {
	return items[i].Is("zh-pronoun") && i+2 < len(items) && items[i+1].Is("zh-in") && isColumn(items[i+2]) && !isValue(items[i+2])
}

// nameOf reports whether an item asks for the name of what the column before it
// holds the name of: 州名 and 州的名称, where states are a column.
func (w *writer) nameOf(items part, i int) bool {
	if i == 0 || !w.lex.Chinese().Naming(items[i].Text) {
		return false
	}
	name := items[i]
	if i > 1 && items[i-1].Is("zh-de") {
		i--
	}
	before := items[i-1]
	if !isColumn(before) || isValue(before) || w.lex.Chinese().Naming(before.Text) {
		return false
	}
	d := before.Columns[0].Dim
	return d.Role != semantic.RoleKey && semantic.IsText(d.Type) && !sharesColumn(name, before)
}

// bareAmount reports whether an item says no more than that the column before it is
// an amount: 预算金额.
func bareAmount(items part, i int) bool {
	if i == 0 || !slices.Contains(amountWords, items[i].Text) || len(items[i-1].Columns) == 0 || isValue(items[i-1]) {
		return false
	}
	before := items[i-1].Columns[0]
	return before.Score >= sureName && before.Dim.Role == semantic.RoleMeasure &&
		!slices.ContainsFunc(items[i].Columns, func(c link.ColumnMatch) bool { return c.Dim.Table == before.Dim.Table })
}

var amountWords = []string{"金额", "数额", "数值", "款额", "款项"}
