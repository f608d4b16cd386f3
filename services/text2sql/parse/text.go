package parse

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// String writes what a draft says on one line, for tests and traces. Two drafts
// of one question that mean the same are written the same.
func (d *Draft) String() string {
	var b strings.Builder
	b.WriteString("show")
	if d.Star {
		b.WriteString(" *")
	}
	if d.Distinct {
		b.WriteString(" distinct")
	}
	for _, e := range d.Outputs {
		b.WriteString(" " + e.String())
	}
	if len(d.Tables) > 0 {
		b.WriteString(" from")
		for _, t := range d.Tables {
			b.WriteString(" " + quote(lower(t)))
		}
	}
	for _, p := range d.Preds {
		b.WriteString(" where " + p.String())
	}
	for _, e := range d.Groups {
		b.WriteString(" per " + e.String())
	}
	for _, p := range d.Having {
		b.WriteString(" having " + p.String())
	}
	for _, o := range d.Orders {
		b.WriteString(" order")
		if o.By != nil {
			b.WriteString(" " + o.By.String())
		}
		if o.Desc {
			b.WriteString(" desc")
		}
		if o.Alpha {
			b.WriteString(" alpha")
		}
	}
	if d.Limit > 0 {
		fmt.Fprintf(&b, " limit %d", d.Limit)
	}
	if d.Superlative {
		b.WriteString(" picked")
	}
	for _, x := range d.Doubts {
		b.WriteString(" doubt " + quote(x.Why))
	}
	return b.String()
}

func quote(s string) string { return "[" + s + "]" }

// String writes an expression: its aggregate, its item, whose it is.
func (e *Expr) String() string {
	if e == nil {
		return "nothing"
	}
	var b strings.Builder
	if e.Agg != "" {
		b.WriteString(string(e.Agg) + " ")
	}
	if e.Distinct {
		b.WriteString("distinct ")
	}
	if e.Total {
		b.WriteString("total ")
	}
	switch {
	case e.Calc != nil:
		b.WriteString("(" + e.Calc.Left.String() + " " + string(e.Calc.Op) + " " + e.Calc.Right.String() + ")")
	case e.Rate != nil:
		b.WriteString("of " + e.Rate.String())
	case e.Grain != "" && e.Item != nil:
		b.WriteString(e.Grain + " of " + quote(lower(e.Item)))
	case e.Grain != "":
		b.WriteString(e.Grain)
	case e.Adj == BeginColumn:
		b.WriteString("begin")
	case e.Adj == EndColumn:
		b.WriteString("end")
	case e.Adj == TimeColumn:
		b.WriteString("time")
	case e.Adj == YearColumn:
		b.WriteString("year")
	case e.Adj != nil:
		b.WriteString("(" + strings.Join(e.Adj.Attributes, ", ") + ")")
	case e.Rows:
		b.WriteString("names")
	case e.Item == nil:
		b.WriteString("rows")
	case e.Table:
		b.WriteString("rows of " + quote(lower(e.Item)))
	default:
		b.WriteString(quote(lower(e.Item)))
	}
	if e.Owner != nil {
		b.WriteString(" of " + quote(lower(e.Owner)))
	}
	if e.When != nil {
		b.WriteString(" when " + e.When.String())
	}
	if e.Per != nil {
		b.WriteString(" of " + string(e.Inner) + " over " + e.Per.String())
	}
	if e.Percent {
		b.WriteString(" percent")
	}
	return b.String()
}

// String writes a condition.
func (p *Pred) String() string {
	var b strings.Builder
	if p.OrPrev {
		b.WriteString("or ")
	}
	if p.Both {
		b.WriteString("both ")
	}
	if p.Neg {
		b.WriteString("not ")
	}
	if p.Op == intent.NotExists {
		return b.String() + "no " + quote(lower(p.Related))
	}
	if p.Left != nil {
		b.WriteString(p.Left.String() + " ")
	}
	b.WriteString(string(p.Op))
	if p.SubAgg != "" {
		b.WriteString(" " + string(p.SubAgg) + " of " + p.SubOf.String())
	}
	if p.Right != nil {
		b.WriteString(" " + strings.TrimSpace(p.Times+" "+p.Right.String()))
	}
	for _, v := range p.Values {
		b.WriteString(" " + v.Text)
	}
	return b.String()
}
