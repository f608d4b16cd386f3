package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/daytext"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// TimeColumn stands for the column that dates the rows asked for.
var TimeColumn = &lexicon.Adjective{Attributes: []string{"date", "time", "day", "datetime", "timestamp"}}

// period takes "in March 2025", "last month", "by month".
func (r *reader) period() {
	it := r.cur()
	r.pos++
	if g := it.Period.Grain; g != "" {
		r.draft.Groups = append(r.draft.Groups, &Expr{Adj: TimeColumn, Grain: g, Near: r.table, Prep: "by"})
		r.lastGroup, r.prep = true, ""
		return
	}
	r.filter = r.filter || len(r.draft.Outputs) > 0 || len(r.draft.Tables) > 0 || len(r.aggs) > 0
	p := &Pred{Left: r.timeSubject(), Op: intent.Between, Values: []Value{dayOf(it, it.Period.First), dayOf(it, it.Period.Last)}}
	switch {
	case it.Period.Last == "":
		p.Op, p.Values = intent.Ge, p.Values[:1]
	case it.Period.First == "":
		p.Op, p.Values = intent.Le, p.Values[1:]
	}
	r.addPred(p)
}

// periodOperand takes the period that "after" or "before" compares with.
func (r *reader) periodOperand(op intent.Op, it *link.Item) {
	v := dayOf(it, it.Period.First)
	switch {
	case op == intent.Gt || op == intent.Le:
		v = dayOf(it, it.Period.Last)
	case op != intent.Ge && op != intent.Lt:
		r.draft.doubt(0.4, it.Text)
	}
	if v.Text == "" {
		r.draft.doubt(0.3, it.Text)
	}
	r.filter = true
	r.addPred(&Pred{Left: r.timeSubject(), Op: op, Values: []Value{v}})
}

func dayOf(it *link.Item, day string) Value { return Value{Item: it, Text: day, Date: true} }

// timeSubject is the column of days just named, else the one that dates the rows.
func (r *reader) timeSubject() *Expr {
	s := r.subject
	if s != nil && s.Item != nil && s.Agg == "" && len(s.Item.Columns) > 0 && daytext.Holds(s.Item.Columns[0].Dim) {
		r.subject = nil
		return s
	}
	return &Expr{Adj: TimeColumn, Near: r.table}
}
