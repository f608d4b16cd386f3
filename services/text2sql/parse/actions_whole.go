package parse

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// BeginColumn and EndColumn stand for the days or times on which rows begin and
// end: binding finds the pair of a table.
var (
	BeginColumn = &lexicon.Adjective{Attributes: []string{"start"}}
	EndColumn   = &lexicon.Adjective{Attributes: []string{"end"}}
)

// lasts is "time to settle", "length": how long rows last. A column that is named is
// the day on which they end.
func lasts(_ *builder, kids []fragment) fragment {
	f := together(kids)
	op := intent.Days
	if _, arg := find(kids, "unit"); arg != "" {
		op = intent.CalcOp(arg)
	}
	end := &Expr{Adj: EndColumn}
	if len(f.exprs) > 0 {
		end = f.exprs[0]
	}
	out := &Expr{Calc: &Calc{Op: op, Left: &Expr{Adj: BeginColumn}, Right: end}}
	if mean, _ := find(kids, "mean"); mean != nil {
		out.Agg = intent.AggAvg
	}
	f.exprs, f.aggs = []*Expr{out}, nil
	return f
}

// lastsOf is "the length of leaves": the days are theirs.
func lastsOf(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs = kids[0].exprs
	own := kids[len(kids)-1].exprs
	for _, e := range []*Expr{f.exprs[0].Calc.Left, f.exprs[0].Calc.Right} {
		if e.Owner == nil && len(own) > 0 && own[0].Table {
			e.Owner = own[0].Item
		}
	}
	return f
}

// pickLasts is "the longest stay": the first rows by how long they last.
func pickLasts(b *builder, kids []fragment) fragment {
	f := together(kids)
	it, _ := find(kids, "adjective")
	adj, ok := b.lex.Adjective(lower(it))
	if !ok {
		f.doubt(0.3, it.Text)
		return f
	}
	f.picked(f.exprs[0], adj.Desc, nil)
	return f
}

// onAverage is a mean said of the whole question: "how many visits did each vet have
// on average" is one number.
func onAverage(_ *builder, kids []fragment) fragment {
	f := together(kids)
	if len(f.Outputs) == 0 || f.Superlative {
		f.doubt(0.3, "on average")
		return f
	}
	out := *f.Outputs[len(f.Outputs)-1]
	switch {
	case out.Agg == intent.AggAvg:
	case out.Agg == "" && !out.Table && (out.Calc != nil || out.Item != nil):
		out.Agg = intent.AggAvg
	case out.Agg == intent.AggCount && len(f.Groups) == 1 && len(f.Outputs) == 1 && out.Table && !out.Distinct:
		out.Agg, out.Per, out.Inner = intent.AggAvg, f.Groups[0], intent.AggCount
		f.Tables, f.Groups = dropped(f.Tables, f.Groups[0]), nil
	case out.Agg == intent.AggCount && len(f.Groups) == 0 && len(f.Outputs) == 1 && out.Table && !out.Distinct && other(f.Tables, out.Item) != nil:
		per := other(f.Tables, out.Item) // "how many visits does a vet have on average"
		out.Agg, out.Per, out.Inner = intent.AggAvg, &Expr{Item: per, Table: true, Prep: "per"}, intent.AggCount
		f.Tables = dropped(f.Tables, out.Per)
	default:
		f.doubt(0.3, "on average")
		return f
	}
	f.Outputs = append(slices.Clone(f.Outputs[:len(f.Outputs)-1]), &out)
	return f
}

// other is the only table beside one; nil where there is none or are several.
func other(tables []*link.Item, than *link.Item) *link.Item {
	var found *link.Item
	for _, t := range tables {
		switch {
		case t == than:
		case found != nil && found != t:
			return nil
		default:
			found = t
		}
	}
	return found
}

// inTotal is "overall": what is picked by, or the only amount that is shown, is
// summed.
func inTotal(_ *builder, kids []fragment) fragment {
	f := together(kids)
	switch {
	case f.Superlative && len(f.Orders) > 0 && f.Orders[0].By != nil && f.Orders[0].By.Agg == "" && f.Orders[0].By.Item != nil:
		by := *f.Orders[0].By
		by.Total = true
		f.Orders = append([]Order{{By: &by, Desc: f.Orders[0].Desc}}, f.Orders[1:]...)
	case len(f.Outputs) == 1 && f.Outputs[0].Agg == "" && f.Outputs[0].Item != nil && isMeasureItem(f.Outputs[0].Item):
		out := *f.Outputs[0]
		out.Agg = intent.AggSum
		f.Outputs = []*Expr{&out}
	}
	return f
}

// inUnit is "in hours": how a duration is told.
func inUnit(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "unit")
	for i, e := range f.Outputs {
		if e.Calc != nil && isDuration(e.Calc.Op) {
			out, c := *e, *e.Calc
			c.Op, out.Calc = intent.CalcOp(arg), &c
			f.Outputs = slices.Clone(f.Outputs)
			f.Outputs[i] = &out
			return f
		}
	}
	f.doubt(0.3, "a unit of no duration")
	return f
}

func isDuration(op intent.CalcOp) bool {
	return op == intent.Days || op == intent.Hours || op == intent.Minutes
}

// inPercent is "as a percentage": shares and ratios of a hundred.
func inPercent(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.percent = true
	f.Outputs = slices.Clone(f.Outputs)
	for i, e := range f.Outputs {
		out := *e
		switch {
		case e.Agg == intent.AggShare:
			out.Percent = true
		case e.Calc != nil && e.Calc.Op == intent.Over:
			c := *e.Calc
			c.Op, out.Calc = intent.Percent, &c
		}
		f.Outputs[i] = &out
	}
	return f
}

// versus compares two values of a column: each is a group.
func versus(b *builder, kids []fragment) fragment {
	f := together(kids)
	values := f.values
	for _, p := range f.Preds {
		values = append(values, p.Values...)
	}
	var columns []link.ColumnMatch
	if len(values) == 2 && len(f.Preds) != 1 {
		columns = sharedColumns(values[0].Item, values[1].Item)
	}
	if len(columns) == 0 {
		f.doubt(0.2, "a comparison of what")
		return f
	}
	if len(f.exprs) > 1 {
		f.exprs, f.Tables = f.exprs[:1], f.Tables[:1]
	}
	by := &link.Item{From: values[0].Item.From, To: values[0].Item.To, Text: values[0].Item.Text, Tokens: values[0].Item.Tokens, Columns: columns}
	f.Preds, f.values = []*Pred{{Left: &Expr{Item: by}, Op: intent.Eq, Values: values}}, nil
	f.Groups = append(f.Groups, &Expr{Item: by, Prep: "by"})
	return f
}

// sharedColumns are the columns that hold two values.
func sharedColumns(a, b *link.Item) []link.ColumnMatch {
	var out []link.ColumnMatch
	for _, v := range a.Values {
		if slices.ContainsFunc(b.Values, func(w link.ValueMatch) bool { return w.Dim == v.Dim && w.Value != v.Value }) {
			out = append(out, link.ColumnMatch{Dim: v.Dim, Score: v.Score})
		}
	}
	return out
}
