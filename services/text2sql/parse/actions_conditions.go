package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

func value(_ *builder, kids []fragment) fragment {
	it := items(kids)[0]
	return fragment{values: []Value{{Item: it, Text: it.Text}}}
}

func number(_ *builder, kids []fragment) fragment {
	it := items(kids)[0]
	f := fragment{values: []Value{numberOf(it)}}
	if _, arg := find(kids, "post"); arg != "" {
		f.op = intent.Op(arg)
	}
	return f
}

// operator is "more than", "after"; turned around by a negation before it.
func operator(_ *builder, kids []fragment) fragment {
	var f fragment
	for _, k := range kids {
		if k.item == nil {
			continue
		}
		if arg, ok := k.item.Tag("cmp"); ok {
			f.op = intent.Op(arg)
		} else if k.item.Is("after") {
			f.op = intent.Gt
		} else if k.item.Is("before") {
			f.op = intent.Lt
		}
	}
	if it, _ := find(kids, "not"); it != nil {
		f.op = f.op.Negated()
	}
	return f
}

// condition makes one condition of what was collected.
func (f *fragment) condition(p *Pred) {
	if p.Left != nil && (p.Left.Agg != "" || p.Left.Table) {
		f.Having = append(f.Having, p)
	} else {
		f.Preds = append(f.Preds, p)
	}
	f.exprs, f.values, f.op, f.aggs = nil, nil, "", nil
}

// holds is a stored value, with or without the column that has it.
func holds(_ *builder, kids []fragment) fragment {
	f := together(kids)
	p := &Pred{Op: intent.Eq, Values: f.values}
	if f.op != "" {
		p.Op = f.op
	}
	if len(f.exprs) > 0 {
		p.Left = f.exprs[0]
	}
	p.Neg, f.not = f.not, false
	f.condition(p)
	return f
}

// compare is a column, an operator and numbers.
func compare(_ *builder, kids []fragment) fragment {
	f := together(kids)
	p := &Pred{Op: f.op, Values: f.values}
	for _, k := range kids { // "20 or more" tells more than what stands before
		if len(k.values) > 0 && k.op != "" {
			p.Op = k.op
		}
	}
	if p.Op == "" {
		p.Op = intent.Eq
	}
	if len(f.exprs) > 0 {
		p.Left = f.exprs[0]
	} else {
		p.Left = &Expr{Adj: YearColumn}
	}
	f.condition(p)
	return f
}

func between(_ *builder, kids []fragment) fragment {
	f := together(kids)
	p := &Pred{Op: intent.Between, Values: f.values, Left: &Expr{Adj: YearColumn}}
	if len(f.exprs) > 0 {
		p.Left = f.exprs[0]
	}
	f.condition(p)
	return f
}

// counted compares how many rows there are: "at least two concerts".
func counted(_ *builder, kids []fragment) fragment {
	for i := range kids {
		for _, e := range kids[i].exprs {
			e.Agg = intent.AggCount
		}
	}
	return compare(nil, kids)
}

// aggCond compares an aggregate: "an average age above 20".
func aggCond(_ *builder, kids []fragment) fragment {
	aggs := together(kids).aggs
	for i := range kids {
		for _, e := range kids[i].exprs {
			e.Agg = aggs[0]
		}
	}
	return compare(nil, kids)
}

// nested compares with an aggregate over all rows: "above the average".
func nested(_ *builder, kids []fragment) fragment {
	f := together(kids)
	p := &Pred{Op: f.op, SubAgg: f.aggs[0]}
	p.Left = f.exprs[0]
	p.SubOf = f.exprs[len(f.exprs)-1]
	if p.Op == "" {
		p.Op = intent.Eq
	}
	f.condition(p)
	return f
}

// comparative is "older than 20": the adjective says the column.
func comparative(b *builder, kids []fragment) fragment {
	it, _ := find(kids, "adjective")
	adj, ok := b.lex.Adjective(lower(it))
	f := together(kids)
	if !ok {
		f.doubt(0.3, it.Text)
		return f
	}
	op := intent.Lt
	if adj.Desc {
		op = intent.Gt
	}
	if not, _ := find(kids, "not"); not != nil {
		op = op.Negated()
	}
	left := &Expr{Adj: adj}
	if len(f.aggs) > 0 {
		p := &Pred{Left: left, Op: op, SubAgg: f.aggs[0], SubOf: left}
		if len(f.exprs) > 0 {
			p.SubOf = f.exprs[0]
		}
		f.condition(p)
		return f
	}
	if len(f.exprs) > 0 {
		left = f.exprs[0]
	}
	f.condition(&Pred{Left: left, Op: op, Values: f.values})
	return f
}

func pattern(_ *builder, kids []fragment) fragment {
	f := together(kids)
	op := intent.Contains
	its := items(kids)
	if it, _ := find(kids, "starts"); it != nil {
		op = intent.StartsWith
	} else if it, _ := find(kids, "ends"); it != nil {
		op = intent.EndsWith
	}
	text := its[len(its)-1]
	p := &Pred{Op: op, Values: []Value{{Item: text, Text: text.Text}}}
	if len(f.exprs) > 0 {
		p.Left = f.exprs[0]
	}
	not, _ := find(kids, "not")
	p.Neg = not != nil
	f.condition(p)
	return f
}

func null(_ *builder, kids []fragment) fragment {
	f := together(kids)
	op := intent.IsNull
	if it, _ := find(kids, "notnull"); it != nil {
		op = intent.NotNull
	}
	f.condition(&Pred{Left: f.exprs[0], Op: op})
	return f
}

// lack is a column that rows do not have: "without a phone".
func lack(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.condition(&Pred{Left: f.exprs[0], Op: intent.IsNull})
	return f
}

// has is a column that rows have: "who have a phone".
func has(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.condition(&Pred{Left: f.exprs[0], Op: intent.NotNull})
	return f
}

func flagCond(_ *builder, kids []fragment) fragment {
	its := items(kids)
	f := together(kids)
	p := truth(&Expr{Item: its[len(its)-1]})
	not, _ := find(kids, "not")
	switch {
	case not == nil:
	case p.Op == intent.IsNull:
		p.Op = intent.NotNull
	default:
		p.Neg = true
	}
	f.condition(p)
	return f
}

// notValues are values that rows do not have.
func notValues(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.not = true
	return f
}

func period(_ *builder, kids []fragment) fragment {
	return onDays(together(kids), items(kids)[0])
}

// periodOf is a period with an operator or the column that it is said of.
func periodOf(_ *builder, kids []fragment) fragment {
	f := together(kids)
	return onDays(f, f.times[0])
}

func onDays(f fragment, it *link.Item) fragment {
	p := &Pred{Left: &Expr{Adj: TimeColumn}}
	if len(f.exprs) > 0 {
		p.Left = f.exprs[0]
	}
	first, last := dayOf(it, it.Period.First), dayOf(it, it.Period.Last)
	switch op := f.op; {
	case op == intent.Gt || op == intent.Le:
		p.Op, p.Values = op, []Value{last}
	case op != "" && op != intent.Eq:
		p.Op, p.Values = op, []Value{first}
	case last.Text == "":
		p.Op, p.Values = intent.Ge, []Value{first}
	case first.Text == "":
		p.Op, p.Values = intent.Le, []Value{last}
	default:
		p.Op, p.Values = intent.Between, []Value{first, last}
	}
	if p.Values[0].Text == "" {
		f.doubt(0.3, it.Text)
	}
	f.condition(p)
	return f
}

// inYear is a year with no column: that of what dates the rows.
func inYear(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs = nil
	return compare(nil, []fragment{f})
}

// mention joins a table and asks nothing of it.
func mention(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs = nil
	return f
}

func notExists(_ *builder, kids []fragment) fragment {
	f := together(kids)
	e := f.exprs[0]
	f.Tables = nil
	f.exprs = nil
	f.Preds = append([]*Pred{{Op: intent.NotExists, Related: e.Item}}, f.Preds...)
	return f
}

// orCond joins the last condition of the one side to the first of the other.
func orCond(_ *builder, kids []fragment) fragment {
	if last := kids[len(kids)-1]; len(last.Preds) > 0 {
		last.Preds[0].OrPrev = true
	} else if len(last.Having) > 0 {
		last.Having[0].OrPrev = true
	}
	return together(kids)
}

// both are two values of one column that must hold over different rows.
func both(_ *builder, kids []fragment) fragment {
	f := together(kids)
	var left *Expr
	if len(f.exprs) > 0 {
		left = f.exprs[0]
	}
	for _, v := range f.values {
		f.Preds = append(f.Preds, &Pred{Left: left, Op: intent.Eq, Values: []Value{v}, Both: true})
	}
	f.exprs, f.values = nil, nil
	return f
}

// again is a second comparison of the column before: "above 20 or below 10".
func again(_ *builder, kids []fragment) fragment {
	f := together(kids)
	if len(f.Preds) == 0 || f.Preds[len(f.Preds)-1].Left == nil {
		f.doubt(0.3, "a comparison without a column")
		return f
	}
	p := &Pred{Left: f.Preds[len(f.Preds)-1].Left, Op: f.op, Values: f.values}
	or, _ := find(kids, "or")
	p.OrPrev = or != nil
	f.condition(p)
	return f
}

// bothConds are two conditions that must hold over different rows; more than one
// on a side cannot be kept apart.
func bothConds(_ *builder, kids []fragment) fragment {
	f := together(kids)
	if len(f.Preds) != 2 || len(f.Having) > 0 {
		f.doubt(0.5, "both")
		return f
	}
	f.Preds[0].Both, f.Preds[1].Both = true, true
	return f
}

// compareNot is "whose age is not 20".
func compareNot(_ *builder, kids []fragment) fragment {
	f := compare(nil, kids)
	for _, p := range f.Preds {
		p.Neg = !p.Neg
	}
	return f
}

// texts is a column and words that no sample of it holds.
func texts(_ *builder, kids []fragment) fragment {
	f := together(kids)
	its := items(kids)
	it := its[len(its)-1]
	p := &Pred{Left: f.exprs[0], Op: intent.Eq, Values: []Value{{Item: it, Text: it.Text}}}
	if op, ok := its[0].Tag("cmp"); ok && op == string(intent.Ne) {
		p.Op = intent.Ne
	}
	f.condition(p)
	return f
}
