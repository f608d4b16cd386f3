package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

func (p *printer) call(c *tree.Call) {
	if c.Mode != "" {
		p.write(c.Mode + " ")
	}
	p.function(c.Name)
	p.write("(")
	if c.Label != nil {
		p.node(c.Label)
		p.write(".")
	}
	switch {
	case c.Star:
		p.write("*)")
	case c.Quantifier == tree.QuantifierNone && len(c.OrderBy) == 0:
		enclosed(p, "", c.Args, ")")
	default:
		p.quantifier(c.Quantifier)
		p.exprs(c.Args)
		if len(c.OrderBy) > 0 {
			p.blank()
			p.write("ORDER BY ")
			list(p, c.OrderBy)
		}
		p.write(")")
	}
	p.filter(c.Filter)
	if c.Nulls != "" {
		p.write(" " + c.Nulls + " NULLS")
	}
	if c.Over != nil {
		p.write(" ")
		p.node(c.Over)
	}
}

func (p *printer) filter(cond tree.Expr) {
	if cond != nil {
		p.write(" FILTER (WHERE ")
		p.node(cond)
		p.write(")")
	}
}

func (p *printer) listAgg(l *tree.ListAgg) {
	p.write("LISTAGG(")
	p.quantifier(l.Quantifier)
	p.node(l.X)
	if l.Separator != nil {
		p.write(", ")
		p.node(l.Separator)
	}
	if l.Overflow != "" {
		p.write(" ON OVERFLOW " + l.Overflow)
	}
	p.write(") WITHIN GROUP (ORDER BY ")
	list(p, l.OrderBy)
	p.write(")")
	p.filter(l.Filter)
	if l.Over != nil {
		p.write(" ")
		p.node(l.Over)
	}
}

func (p *printer) caseExpr(c *tree.Case) {
	p.group(func(broken bool) {
		p.write("CASE")
		if c.Operand != nil {
			p.write(" ")
			p.node(c.Operand)
		}
		next := func() {
			if broken {
				p.newline()
			} else {
				p.write(" ")
			}
		}
		p.indent++
		for _, w := range c.Whens {
			next()
			p.node(w)
		}
		if c.Else != nil {
			next()
			p.write("ELSE ")
			p.node(c.Else)
		}
		p.indent--
		next()
		p.write("END")
	})
}
