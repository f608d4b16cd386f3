package parse

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// column takes a span that names a column.
func (r *reader) column() {
	it := r.cur()
	r.pos++
	if p := r.lastPred(); p != nil && r.pos >= 2 && len(p.Values) > 0 && p.Values[len(p.Values)-1].Item == r.items[r.pos-2] && sharesColumn(it, r.items[r.pos-2]) {
		return // "San Jose city": names the column of the value before
	}
	if r.flag(it) {
		return
	}
	e := &Expr{Item: it, Owner: r.owner, Near: r.table, Prep: r.prep, Distinct: r.takeDistinct()}
	if e.Owner == nil && r.rel == "whose" && r.filter {
		e.Owner = r.table
	}
	r.owner = nil
	prep := r.prep
	r.prep = ""
	if r.itsOwner() && e.Owner == nil {
		e.Owner = r.its
	}
	if n := len(r.aggs); n > 0 && r.filter && r.valueFollows() { // "with an average age above 20"
		e.Agg = r.aggs[n-1]
		r.aggs, r.subject = nil, e
		return
	}
	if r.valueFollows() {
		r.filter = r.filter || len(r.draft.Outputs) > 0 || len(r.aggs) > 0
		r.subject = e
		return
	}
	if r.lacks(it) {
		e.Prep = prep
		r.addPred(&Pred{Left: e, Op: intent.IsNull})
		return
	}
	if r.filter && len(r.aggs) == 0 {
		if r.subject != nil && r.subject.Item != it && prep == "" && r.operatorFollows() {
			r.subject = e
			return
		}
		r.subject = e
		if !r.operatorFollows() && prep != "" && r.rel == "" {
			r.draft.doubt(0.8, it.Text)
		}
		return
	}
	if r.filter { // "with an average age above 20"
		e.Agg = r.aggs[len(r.aggs)-1]
		r.aggs = nil
		r.subject = e
		return
	}
	if last := len(r.draft.Outputs) - 1; r.afterAnd && last >= 0 && len(r.aggs) == 0 && isNumber(it) {
		if a := r.draft.Outputs[last].Agg; a != "" && a != intent.AggCount && !r.draft.Outputs[last].Table {
			r.aggs = []intent.Agg{a} // "the average height and weight"
		}
	}
	if len(r.draft.Outputs) > 0 && r.datesAt(0, it) {
		r.filter, r.subject = true, e // "members joined in 2024"
		return
	}
	if w := lower(it); it.Is("light") && len(r.draft.Outputs) > 0 && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing")) {
		r.filter, r.subject = true, e // "managed by Emma"
		return
	}
	if n := len(r.draft.Outputs); n > 0 && prep == "of" && len(r.aggs) == 0 && it.Columns[0].Score >= 0.9 && isNameOf(r.draft.Outputs[n-1]) {
		r.draft.Outputs[n-1].Item = it // "the names of directors" are the directors
		return
	}
	if prep != "" && prep != "by" && len(r.draft.Outputs) > 0 && len(r.aggs) == 0 {
		// "the position of players": says whose, is not asked for.
		r.draft.doubt(0.9, it.Text)
		return
	}
	r.output(e)
}

// isNameOf reports whether an output asks for nothing but a name.
func isNameOf(e *Expr) bool {
	return e.Agg == "" && e.Item != nil && e.Owner == nil && !e.Table && e.Item.To-e.Item.From == 1 && e.Item.Tokens[0].Stem == "name"
}

func isNumber(it *link.Item) bool {
	return len(it.Columns) > 0 && semantic.IsNumber(it.Columns[0].Dim.Type)
}

// itsOwner reports whether "its" or "their" stands just before the column.
func (r *reader) itsOwner() bool {
	for i := r.pos - 2; i >= 0 && isFiller(r.items[i]); i-- {
		if w := lower(r.items[i]); w == "its" || w == "their" {
			return r.its != nil
		}
	}
	return false
}

// output adds a column to the select list, once for every aggregate waiting.
func (r *reader) output(e *Expr) {
	if len(r.aggs) == 0 {
		r.draft.Outputs = append(r.draft.Outputs, e)
		r.unowned = append(r.unowned, e)
		r.draft.Distinct = r.draft.Distinct || e.Distinct
		return
	}
	if n := len(r.aggs); n > 1 && r.aggs[n-1] == intent.AggCount {
		if e.Table { // "the average number of orders": an average of counts
			r.draft.doubt(0.2, "an aggregate of counts")
		}
		r.aggs = r.aggs[:n-1] // "the average number of points" is of points
	}
	for _, a := range r.aggs {
		o := *e
		o.Agg = a
		if a == intent.AggCount && !e.Table {
			o.Agg = intent.AggCountDistinct
			if !e.Distinct {
				o.Agg = intent.AggCount
			}
		}
		r.draft.Outputs = append(r.draft.Outputs, &o)
		r.unowned = append(r.unowned, &o)
	}
	// "average and maximum age": the aggregates are spent on the column.
	r.aggs = nil
}

func (r *reader) takeDistinct() bool {
	d := r.distinct
	r.distinct = false
	return d
}

// valueFollows reports whether a constant follows the column at once, with
// nothing but "is" or "=" between.
func (r *reader) valueFollows() bool {
	n := r.skip(0)
	it := r.peek(n)
	if it == nil || it.Is("mark") && !it.Is("cmp") {
		return false
	}
	if it.Quoted {
		return true
	}
	if arg, ok := it.Tag("cmp"); ok {
		return arg != ""
	}
	if it.Is("contains") || it.Is("starts") || it.Is("ends") || it.Is("between") || it.Is("isnull") || it.Is("notnull") {
		return true
	}
	if it.Number != "" {
		return n == 0 || r.filter
	}
	if len(it.Values) > 0 && r.asValue(it) {
		current := r.items[r.pos-1]
		for _, v := range it.Values {
			for _, c := range current.Columns {
				if v.Dim == c.Dim {
					return true
				}
			}
		}
	}
	return false
}

func (r *reader) operatorFollows() bool {
	n := r.skip(0)
	it := r.peek(n)
	if it != nil && it.Is("not") {
		it = r.peek(r.skip(n + 1))
	}
	if it == nil {
		return false
	}
	if it.Period != nil {
		return it.Period.Grain == ""
	}
	return it.Is("cmp") || it.Is("contains") || it.Is("starts") || it.Is("ends") || it.Is("between") || it.Quoted ||
		it.Number != "" || len(it.Values) > 0 || it.Is("after") || it.Is("before") || it.Is("isnull") || it.Is("notnull") || it.Is("adjective")
}

// tableName takes a span that names a table.
func (r *reader) tableName() {
	it := r.cur()
	r.pos++
	prep := r.prep
	r.prep = ""
	if next := r.peek(0); it.Possessive() || next != nil && len(next.Columns) > 0 && !r.asTableAt(next) && !next.Is("group") && r.rel == "" && !r.dates(next) {
		// "singer's name", "song name": the table of the column that follows.
		if it.Possessive() || len(r.aggs) == 0 || r.aggs[len(r.aggs)-1] != intent.AggCount || next.Columns[0].Score >= 0.9 && !r.operatorAt(1) {
			r.owner = it
			r.mention(it)
			return
		}
	}
	counted := len(r.aggs) > 0 && r.aggs[len(r.aggs)-1] == intent.AggCount
	afterAnd := r.afterAnd
	switch {
	case counted && !r.filter:
		e := &Expr{Item: it, Table: true, Distinct: r.takeDistinct()}
		r.mention(it)
		r.output(e)
	case counted:
		r.aggs = nil
		r.mention(it)
		r.subject = &Expr{Item: it, Table: true, Agg: intent.AggCount}
	case r.filter && r.openNegation():
		r.lastPred().Related = it // "do not take part in any activity"
		r.table = it
	case afterAnd && prep == "" && !r.filter && len(r.aggs) == 0 && len(r.draft.Outputs) > 0:
		r.mention(it)
		r.draft.Outputs = append(r.draft.Outputs, &Expr{Item: it, Table: true, Distinct: r.takeDistinct()})
	case r.filter && r.neg:
		r.neg = false
		r.draft.Preds = append(r.draft.Preds, &Pred{Op: intent.NotExists, Related: it})
		r.table = it
	case !r.filter && len(r.draft.Outputs) == 0 && len(r.aggs) == 0 && r.table == nil && prep == "":
		r.mention(it)
		r.draft.Outputs = append(r.draft.Outputs, &Expr{Item: it, Table: true, Distinct: r.takeDistinct()})
	default:
		if r.takeDistinct() && len(r.draft.Outputs) > 0 && r.draft.Outputs[0].Agg == "" {
			r.draft.Distinct = true
		}
		r.mention(it)
		r.giveOwner(it)
	}
}

// openNegation reports whether the last condition is a not-exists that the
// clause is still about.
func (r *reader) openNegation() bool {
	p := r.lastPred()
	return p != nil && p.Op == intent.NotExists && !r.afterAnd
}

// operatorAt reports whether an operator stands n items on.
func (r *reader) operatorAt(n int) bool {
	it := r.peek(n)
	return it != nil && (it.Is("cmp") || it.Number != "" || it.Quoted)
}

func (r *reader) asTableAt(it *link.Item) bool {
	return len(it.Tables) > 0 && (len(it.Columns) == 0 || it.Tables[0].Score >= it.Columns[0].Score-0.05)
}

func (r *reader) mention(it *link.Item) {
	r.draft.Tables = append(r.draft.Tables, it)
	r.table = it
}

// giveOwner tells the outputs before "of the singers" whose they are.
func (r *reader) giveOwner(it *link.Item) {
	for _, e := range r.unowned {
		if e.Owner == nil && !e.Table {
			e.Owner = it
		}
	}
	r.unowned = nil
}

// dates reports whether the next item is a participle that dates what was named:
// "joined in 2024".
func (r *reader) dates(it *link.Item) bool { return r.datesAt(1, it) }

func (r *reader) datesAt(n int, it *link.Item) bool {
	if it == nil || len(it.Columns) == 0 || !daytext.Holds(it.Columns[0].Dim) || !strings.HasSuffix(lower(it), "ed") {
		return false
	}
	after := r.peek(n)
	if after != nil && after.Is("of") {
		after = r.peek(r.skip(n + 1))
	}
	return after != nil && (after.Period != nil || after.Is("after") || after.Is("before") || after.Is("between") || isYear(after.Number))
}
