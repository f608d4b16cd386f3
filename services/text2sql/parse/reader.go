package parse

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// fromLeft reads the items of a question from left to right, each word by what
// stands before it.
func fromLeft(items []*link.Item, lex *lexicon.Lexicon) *Draft {
	r := &reader{items: items, lex: lex, draft: &Draft{}}
	r.settle()
	for r.pos < len(r.items) {
		r.step()
	}
	r.finish()
	return r.draft
}

// reader walks over the items from left to right. What has been read so far
// decides what a column or a table at the current place is for.
type reader struct {
	items []*link.Item
	lex   *lexicon.Lexicon
	pos   int
	draft *Draft

	filter    bool         // past the select list
	aggs      []intent.Agg // read, waiting for what they aggregate
	distinct  bool         // waiting for a column or a table
	neg       bool         // waiting for a condition
	both      bool
	or        bool            // between two conditions
	prep      string          // preposition just before
	rel       string          // relative word that opened the clause
	owner     *link.Item      // possessive or compound table
	subject   *Expr           // last column in the filter part, waiting for an operator
	table     *link.Item      // last table named
	unowned   []*Expr         // outputs whose table is still to be named
	definite  map[string]bool // tables that the question surely names
	lastGroup bool
	afterAnd  bool       // just after "and"
	lead      string     // order said before anything else
	its       *link.Item // table that "its" and "their" of a later sentence mean
	has       bool       // the subject is something that rows have or lack
	rate      bool       // a share of rows was asked for
}

func (r *reader) cur() *link.Item { return r.peek(0) }

// peek returns the item n places on, nil past the end.
func (r *reader) peek(n int) *link.Item {
	if i := r.pos + n; i >= 0 && i < len(r.items) {
		return r.items[i]
	}
	return nil
}

// next returns the item n content items on, skipping articles and other words
// that carry nothing.
func (r *reader) skip(n int) int {
	for it := r.peek(n); it != nil && isFiller(it); it = r.peek(n) {
		n++
	}
	return n
}

func isFiller(it *link.Item) bool {
	if len(it.Columns)+len(it.Tables)+len(it.Values) > 0 || it.Number != "" {
		return false
	}
	for _, t := range it.Tags {
		if t.Name != "stop" && t.Name != "ask" && t.Name != "light" {
			return false
		}
	}
	return len(it.Tags) > 0
}

func (r *reader) step() {
	it := r.cur()
	if mark, ok := it.Tag("mark"); ok && !it.Is("cmp") {
		r.mark(mark)
		r.pos++
		return
	}
	switch {
	case r.aggregate(it), r.rateWord(it), it.Is("of") && r.by():
	case it.Period != nil:
		r.period()
	case it.Is("star"):
		r.draft.Star = true
		r.pos++
	case it.Is("distinct"):
		r.distinct = true
		r.pos++
	case it.Is("common"):
		r.common()
	case it.Is("adjective"):
		r.adjective()
	case it.Is("super"):
		r.superlative()
	case it.Is("between"):
		r.between()
	case it.Is("cmp"), it.Is("after"), it.Is("before"):
		r.comparison()
	case it.Is("contains"), it.Is("starts"), it.Is("ends"):
		r.like()
	case it.Is("isnull"), it.Is("notnull"):
		r.null()
	case it.Is("group"):
		r.group()
	case it.Is("order") && len(r.draft.Outputs)+len(r.draft.Tables) == 0 && !r.lastGroup:
		arg, _ := it.Tag("order") // "Sort all singers by age": the order follows
		r.lead = arg
		r.pos++
	case it.Is("order"):
		r.order()
	case it.Is("not"):
		r.neg = true
		r.filter = r.filter || len(r.draft.Outputs) > 0
		r.pos++
	case it.Is("both"):
		r.both = true
		r.pos++
	case it.Is("or"):
		r.or = true
		r.pos++
	case it.Is("and"), it.Is("but"):
		r.conjunction(it)
	case it.Is("rel"):
		r.relative()
	case it.Is("which"):
		r.which()
	case it.Is("of"):
		r.prep = strings.ToLower(it.Text)
		r.pos++
	default:
		r.content(it)
	}
}

func (r *reader) mark(mark string) {
	switch mark {
	case "?", ".", ";", "？", "。":
		if r.peek(1) != nil && len(r.draft.Outputs) > 0 {
			r.newSentence()
		}
	case "*":
		r.draft.Star = true
	}
	if mark == "." || mark == "?" || mark == ";" {
		r.dropSubject()
		r.prep = ""
		if len(r.aggs) > 0 && len(r.draft.Outputs) > 0 && r.peek(1) != nil {
			r.aggs = nil
			r.draft.doubt(0.5, "an aggregate of nothing")
		}
	}
}

// newSentence starts another sentence of the question: "Which city is largest?
// Give its name and area." What it asks for replaces what the first one only
// named.
func (r *reader) newSentence() {
	for i := 1; r.peek(i) != nil; i++ {
		if r.peek(i).Is("order") {
			return // only says how to sort
		}
		if r.peek(i).Is("ask") || len(r.peek(i).Columns) > 0 {
			break
		}
	}
	asks := r.peek(1).Is("ask") || r.peek(1).Is("which")
	if o := r.draft.Outputs[0]; o.Table {
		r.its = o.Item
	} else {
		r.its = o.Owner
	}
	if asks || len(r.draft.Outputs) == 1 && r.draft.Outputs[0].Agg == "" {
		r.draft.Outputs = nil
	}
	r.filter = false
}

// aggregate takes "how many", "average" and their like.
func (r *reader) aggregate(it *link.Item) bool {
	if it.Is("count") {
		if len(it.Columns) > 0 && it.Columns[0].Score > 0.95 && it.To-it.From > 1 {
			return false // a column of that very name: "number of pages"
		}
		if r.filter && r.subject == nil && !r.draft.Superlative && r.lastGroup {
			r.filter = false // "for each X, the number of Y"
		}
		if n := len(r.aggs); n == 0 || r.aggs[n-1] != intent.AggCount {
			r.aggs = append(r.aggs, intent.AggCount)
		}
		r.pos++
		return true
	}
	arg, ok := it.Tag("agg")
	if !ok {
		return false
	}
	if len(it.Columns) > 0 && it.Columns[0].Score >= 0.95 && it.To-it.From > 1 {
		return false
	}
	if len(it.Columns) > 0 && it.Columns[0].Score >= 0.95 && !r.namesFollow() {
		return false
	}
	if n := len(r.aggs); arg == "sum" && n > 0 && r.aggs[n-1] == intent.AggCount {
		r.pos++ // "the number of total orders"
		return true
	}
	if n := r.peek(r.skip(1)); n != nil && n.Is("count") && arg == "sum" {
		r.pos++ // "the total number of"
		return true
	}
	r.aggs = append(r.aggs, intent.Agg(arg))
	r.pos++
	return true
}

// namesFollow reports whether a column follows before the clause ends.
func (r *reader) namesFollow() bool {
	for i := 1; ; i++ {
		it := r.peek(i)
		switch {
		case it == nil || it.Is("mark"):
			return false
		case len(it.Columns) > 0:
			return true
		case it.Is("stop") || it.Is("agg") || it.Is("of") || it.Is("and") || it.Is("count"):
		default:
			return false
		}
	}
}

func (r *reader) conjunction(it *link.Item) {
	r.pos++
	r.prep = ""
	if it.Is("but") {
		r.filter = r.filter || len(r.draft.Outputs) > 0
	}
	// "and return their names": the select list goes on.
	n := r.skip(0)
	if next := r.peek(n); next != nil && n > 0 && r.filter {
		for k := 0; k < n; k++ {
			if p := r.peek(k); p.Is("ask") && !p.Is("stop") {
				r.filter = false
				return
			}
		}
	}
	r.afterAnd = true
	if next := r.peek(n); r.filter && next != nil && next.Is("count") && (r.lastGroup || n > 0 && r.subject == nil) {
		r.filter = false
	}
	if next := r.peek(n); next != nil && next.Is("count") {
		if end := r.peek(r.skip(n + 1)); end == nil || end.Is("mark") {
			r.filter = false // "and how many are there"
		}
	}
	if r.filter && r.possessed(n) && r.subject == nil {
		r.filter = false // "... and their names": the select list goes on
	}
}

// possessed reports whether the words skipped are "its" or "their" before a
// column that no condition follows.
func (r *reader) possessed(n int) bool {
	its := false
	for k := 0; k < n; k++ {
		w := strings.ToLower(r.peek(k).Text)
		its = its || w == "its" || w == "their"
	}
	next := r.peek(n)
	if !its || next == nil || len(next.Columns) == 0 {
		return false
	}
	after := r.peek(n + 1)
	return after == nil || after.Is("mark") || after.Is("and") || after.Is("order")
}

// relative takes "whose", "that", "with": what follows are conditions.
func (r *reader) relative() {
	it := r.cur()
	r.rel = strings.ToLower(it.Text)
	r.pos++
	if len(r.draft.Outputs) > 0 || len(r.aggs) > 0 || r.table != nil {
		if len(r.draft.Outputs) == 0 && len(r.aggs) > 0 && r.aggs[len(r.aggs)-1] == intent.AggCount && r.table == nil {
			return
		}
		r.filter = true
		r.prep = r.rel
		r.dropSubject()
	}
}

func (r *reader) which() {
	if len(r.draft.Outputs) > 0 || r.table != nil {
		r.relative()
		return
	}
	r.pos++
}

func (r *reader) content(it *link.Item) {
	if !isFiller(it) {
		defer func() { r.afterAnd = false }()
	}
	switch {
	case it.Number != "":
		r.number()
	case it.Quoted:
		r.quoted()
	case isFiller(it):
		r.pos++
	case r.asValue(it):
		r.value()
	case r.asTable(it):
		r.tableName()
	case len(it.Columns) > 0:
		r.column()
	case len(it.Values) > 0:
		r.value()
	default:
		if len(it.Tags) == 0 || it.Is("rate") {
			r.draft.Unread = append(r.draft.Unread, it)
		}
		r.pos++
	}
}

func (r *reader) number() {
	it := r.cur()
	r.pos++
	value := Value{Item: it, Text: it.Number, Number: true}
	next := r.peek(r.skip(0))
	switch {
	case r.subject != nil:
		r.compare(intent.Eq, value)
	case next != nil && (next.Is("super") || next.Is("adjective") || next.Is("common")) && r.draft.Limit == 0:
		r.draft.Limit = parseLimit(it.Number)
	case r.filter || r.prep != "":
		if isYear(it.Number) {
			r.addPred(&Pred{Left: &Expr{Adj: YearColumn}, Op: intent.Eq, Values: []Value{value}})
			return
		}
		if next != nil && len(next.Tables) > 0 && r.filter { // "that have 2 concerts"
			r.compareAt(intent.Eq, value)
			return
		}
		r.draft.Unread = append(r.draft.Unread, it)
	default:
		r.draft.Unread = append(r.draft.Unread, it)
	}
}

// YearColumn stands for the column that says in which year rows are.
var YearColumn = &lexicon.Adjective{Attributes: []string{"year", "date", "time", "datetime", "start date", "season"}}

func parseLimit(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1500 && n <= 2100
}
