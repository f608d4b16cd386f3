package parse

import (
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// calc is arithmetic of two values: "difference between A and B", "A minus B".
func calc(_ *builder, kids []fragment) fragment {
	f := together(kids)
	op := intent.Days // "from A to B"
	for _, tag := range []string{"calc", "infix", "span"} {
		if _, arg := find(kids, tag); arg != "" {
			op = intent.CalcOp(arg)
		}
	}
	if len(f.exprs) != 2 {
		f.doubt(0.3, "arithmetic of one value")
		return f
	}
	f.exprs = []*Expr{{Calc: &Calc{Op: op, Left: f.exprs[0], Right: f.exprs[1]}}}
	return f
}

// term is a value of a group in arithmetic: "the average price".
func term(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs[0].Agg = f.aggs[0]
	f.aggs = nil
	return f
}

// calcFns is "difference between the highest and the lowest price".
func calcFns(b *builder, kids []fragment) fragment {
	f := together(kids)
	left, right := *f.exprs[0], *f.exprs[0]
	left.Agg, right.Agg = f.aggs[0], f.aggs[1]
	f.exprs, f.aggs = []*Expr{&left, &right}, nil
	return calc(b, []fragment{kids[0], f})
}

// calcAdjectives is "difference between the cheapest and the most expensive ticket":
// the column that is named, from the one end of its order to the other.
func calcAdjectives(b *builder, kids []fragment) fragment {
	f := together(kids)
	for _, it := range items(kids) {
		if !it.Is("adjective") {
			continue
		}
		adj, ok := b.lex.Adjective(lower(it))
		if !ok {
			f.doubt(0.3, it.Text)
			return f
		}
		f.aggs = append(f.aggs, extreme(adj.Desc))
	}
	return calcFns(b, []fragment{kids[0], f})
}

// countTerm is a count in arithmetic, of the rows that fulfil what was said of them.
func countTerm(_ *builder, kids []fragment) fragment {
	f := together(kids)
	e := f.exprs[0]
	e.Agg = intent.AggCount
	switch len(f.Preds) {
	case 0:
	case 1:
		e.When, f.Preds = f.Preds[0], nil
	default:
		f.doubt(0.3, "several conditions on what is counted")
	}
	return f
}

// compareCols compares two columns of a row.
func compareCols(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.condition(&Pred{Left: f.exprs[0], Op: f.op, Right: f.exprs[1]})
	return f
}

// compareTimes is "a price more than twice the cost".
func compareTimes(b *builder, kids []fragment) fragment {
	f := compareCols(b, kids)
	for _, it := range items(kids) {
		times := it.Number
		if m := multiples[lower(it)]; m != "" {
			times = m
		}
		if times != "" && len(f.Preds) > 0 {
			f.Preds[len(f.Preds)-1].Times = times
		}
	}
	return f
}

// perGroup is "average number of X per Y": the aggregate of an aggregate.
func perGroup(_ *builder, kids []fragment) fragment {
	f := together(kids)
	per := f.exprs[len(f.exprs)-1]
	if len(f.Groups) > 0 { // of time
		per, f.Groups = f.Groups[0], nil
	}
	out := *f.exprs[0]
	out.Agg, out.Per, out.Inner = f.aggs[0], per, intent.AggCount
	if len(f.aggs) > 1 {
		out.Inner = f.aggs[1]
	}
	f.Outputs, f.exprs, f.aggs = append(f.Outputs, &out), nil, nil
	f.Tables = dropped(f.Tables, per)
	return f
}

// dropped takes the table that only names groups out of those that are joined.
func dropped(tables []*link.Item, per *Expr) []*link.Item {
	var out []*link.Item
	for _, t := range tables {
		if t != per.Item {
			out = append(out, t)
		}
	}
	return out
}

// ofCalc is "the difference between A and B of the bridges".
func ofCalc(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs = kids[0].exprs
	for _, e := range []*Expr{f.exprs[0].Calc.Left, f.exprs[0].Calc.Right} {
		if e.Owner == nil && !e.Table && len(kids[2].exprs) > 0 {
			e.Near = kids[2].exprs[0].Item
		}
	}
	return f
}

// extremeCol is "the most recent sale date": of many days the last.
func extremeCol(b *builder, kids []fragment) fragment {
	f := together(kids)
	it, _ := find(kids, "adjective")
	if adj, ok := b.lex.Adjective(lower(it)); ok {
		out := *f.exprs[0]
		out.Agg = extreme(adj.Desc)
		f.Outputs, f.exprs = append(f.Outputs, &out), nil
		return f
	}
	f.doubt(0.3, it.Text)
	return f
}

// extremeTime is "when was the first visit": the first of its days.
func extremeTime(b *builder, kids []fragment) fragment {
	table := kids[len(kids)-1].exprs
	f := together(kids)
	f.exprs = []*Expr{{Adj: TimeColumn}}
	if len(table) > 0 {
		f.exprs[0].Owner = table[0].Item
	}
	kids[len(kids)-1] = f
	for i := range kids[:len(kids)-1] {
		kids[i] = fragment{item: kids[i].item}
	}
	return extremeCol(b, kids)
}
