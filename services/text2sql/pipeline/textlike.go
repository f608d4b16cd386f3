package pipeline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// maxTextLike is how many columns of text that look like numbers or days a refusal names.
const maxTextLike = 2

// withTexts adds to a refusal which columns are text though they look like numbers or
// days, and why: who asks for an amount sees numbers in them, and cannot know what is in
// the way. Those that the question names are told, or all where there are few.
func (p *Pipeline) withTexts(in Input, res Result) Result {
	if in.Schema == nil {
		return res
	}
	var named, all []string
	question := words(in.Question)
	for i := range in.Schema.tables {
		t := &in.Schema.tables[i]
		for _, c := range t.Columns {
			if c.Resembles == "" {
				continue
			}
			text := p.textLike(in, t, c)
			all = append(all, text)
			if strings.Contains(question, words(semantic.Fold(c.Name))) || besideHan(in.Question, c.Name) {
				named = append(named, text)
			}
		}
	}
	if len(named) == 0 && len(all) <= maxTextLike {
		named = all
	}
	for _, text := range named[:min(len(named), maxTextLike)] {
		res.Reason += in.Language.Pick(" ", "") + text
	}
	return res
}

// byValue keeps an answer from being made of the letters of texts that look like numbers, days or times:
// adding them up, comparing them, the first of them in their order and the largest of them mean what
// they stand for, which nobody has read. It is refused with what is in the way.
func (p *Pipeline) byValue(in Input, res Result) Result {
	if res.Outcome != Answered || res.Intent == nil || in.Schema == nil {
		return res
	}
	c := in.Schema.byLetters(res.Intent)
	if c == nil {
		return res
	}
	res.Outcome, res.Statement, res.SQL = Abstained, nil, ""
	res.Reason = p.messages.text(in.Language, "unsure", p.textLike(in, c.table, c.column))
	return res
}

// textLikeColumn is a column of texts that look like something else.
type textLikeColumn struct {
	table  *catalog.Table
	column catalog.Column
}

// byLetters finds the first such column that an intent takes for amounts or times, as it can only do by
// its letters; nil: there is none.
func (s *Schema) byLetters(x *intent.Intent) *textLikeColumn {
	for _, id := range valued(x) {
		if c := s.resembling(id); c != nil && (c.column.Resembles != catalog.ResemblesTime || !oneLength(c.column.Samples)) {
			return c
		}
	}
	return nil
}

// valued are the ids of what an intent takes for amounts or times, in whatever part of it.
func valued(x *intent.Intent) []string {
	var ids []string
	add := func(o intent.Output) {
		for _, leaf := range o.Leaves() {
			ids = append(ids, leaf.ID)
		}
	}
	var cond func(intent.Cond)
	figure := func(o intent.Output) {
		switch o.Agg {
		case intent.AggSum, intent.AggAvg, intent.AggMin, intent.AggMax, intent.AggMedian:
			add(o)
		}
		if o.Calc != nil {
			add(o)
		}
		if o.When != nil {
			cond(*o.When)
		}
	}
	cond = func(c intent.Cond) {
		switch c.Op {
		case intent.Lt, intent.Le, intent.Gt, intent.Ge, intent.Between:
			if c.Left != nil && c.Left.Agg == intent.AggNone {
				add(*c.Left)
			}
			if c.Right != nil && c.Right.Agg == intent.AggNone {
				add(*c.Right)
			}
		}
		for _, o := range []*intent.Output{c.Left, c.Right} {
			if o != nil {
				figure(*o)
			}
		}
		if c.Sub != nil {
			ids = append(ids, valued(c.Sub)...)
		}
		for _, arg := range c.Args {
			cond(arg)
		}
	}
	for _, o := range x.Select {
		figure(o)
	}
	for i, o := range x.OrderBy {
		if figure(o.By); i == 0 && x.Limit > 0 && o.By.Agg == intent.AggNone {
			add(o.By)
		}
	}
	for _, list := range [][]intent.Cond{x.Filters, x.Segments, x.Having} {
		for _, c := range list {
			cond(c)
		}
	}
	if x.Set != nil {
		ids = append(ids, valued(&x.Set.Right)...)
	}
	return ids
}

// resembling finds the column of a dimension, if it is a text that looks like something else; nil: it is not.
func (s *Schema) resembling(id string) *textLikeColumn {
	d := s.dim(id)
	if d == nil {
		return nil
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.Name.String() != d.Table {
			continue
		}
		if c, ok := t.Column(d.Expr); ok && c.Resembles != "" {
			return &textLikeColumn{table: t, column: c}
		}
	}
	return nil
}

// oneLength reports texts of one length, as "07:30", whose order is that of their letters.
func oneLength(values []string) bool {
	for _, v := range values {
		if len(v) != len(values[0]) {
			return false
		}
	}
	return len(values) > 0
}

// besideHan reports a name of letters that stands in a text without blanks around it, as in 每种method的amount.
func besideHan(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if (unicode.Is(unicode.Han, before) || unicode.Is(unicode.Han, after)) && !isASCIILetter(before) && !isASCIILetter(after) {
			return true
		}
		from = at + len(name)
	}
	return false
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

func (p *Pipeline) textLike(in Input, t *catalog.Table, c catalog.Column) string {
	name := t.Name.Table + "." + c.Name
	if c.Written == "" || in.Language == lang.Chinese { // what was seen at the ingest is noted in English
		return p.messages.text(in.Language, "text_like_"+c.Resembles, name)
	}
	return p.messages.text(in.Language, "text_like_"+c.Resembles+"_why", name, c.Written)
}
