package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

// fresh writes a node anew; its children may still be text.
func (p *printer) fresh(n tree.Node) {
	switch n := n.(type) {
	case *tree.Statement:
		p.statement(n)
	case *tree.Show:
		p.show(n)
	case *tree.Explain:
		p.explain(n)
	case *tree.ExplainOption:
		p.write(n.Name + " " + n.Value)
	case *tree.Query:
		p.query(n)
	case *tree.With:
		p.with(n)
	case *tree.CommonTable:
		p.node(n.Name)
		p.columns(n.Columns)
		p.write(" AS ")
		p.inner(n.Query)
	case *tree.Limit:
		p.limit(n)
	case *tree.SortItem:
		p.sortItem(n)
	case *tree.Select:
		p.selectBody(n)
	case *tree.SelectExpr:
		p.node(n.Expr)
		if n.Alias != nil {
			p.write(" AS ")
			p.node(n.Alias)
		}
	case *tree.Star:
		if n.Qualifier != nil {
			p.operand(n.Qualifier, precPrimary)
			p.write(".")
		}
		p.write("*")
		if len(n.Aliases) > 0 {
			p.write(" AS")
			p.columns(n.Aliases)
		}
	case *tree.SetOp:
		p.setOp(n)
	case *tree.Values:
		p.write("VALUES ")
		lines(p, n.Rows)
	case *tree.TableQuery:
		p.write("TABLE ")
		p.node(n.Table)
	case *tree.ParenQuery:
		p.inner(n.Query)
	case *tree.GroupBy:
		p.quantifier(n.Quantifier)
		lines(p, n.Elements)
	case *tree.GroupingElement:
		p.groupingElement(n)
	case *tree.GroupingSet:
		p.groupingSet(n)
	case *tree.Ident:
		p.ident(n)
	case *tree.Name:
		p.dotted(n.Parts)
	case tree.Relation:
		p.relation(n)
	case tree.Expr:
		p.expr(n)
	default:
		p.part(n)
	}
}

func (p *printer) query(q *tree.Query) {
	if q.With != nil {
		p.node(q.With)
		if p.multiline {
			p.newline()
		} else {
			p.write(" ")
		}
	}
	p.node(q.Body)
	if len(q.OrderBy) > 0 {
		p.clause("ORDER BY ")
		lines(p, q.OrderBy)
	}
	if q.Offset != nil {
		p.clause("OFFSET ")
		p.node(q.Offset)
	}
	if q.Limit != nil {
		p.clause("")
		p.node(q.Limit)
	}
}

func (p *printer) with(w *tree.With) {
	p.write("WITH ")
	if w.Recursive {
		p.write("RECURSIVE ")
	}
	for i, t := range w.Queries {
		if i > 0 {
			p.write(",")
			if p.multiline {
				p.newline()
			} else {
				p.write(" ")
			}
		}
		p.node(t)
	}
}

func (p *printer) limit(l *tree.Limit) {
	switch {
	case l.Fetch && l.Count == nil:
		p.write("FETCH FIRST ROW ")
	case l.Fetch:
		p.write("FETCH FIRST ")
		p.node(l.Count)
		p.write(" ROWS ")
	case l.Count == nil:
		p.write("LIMIT ALL")
		return
	default:
		p.write("LIMIT ")
		p.node(l.Count)
		return
	}
	if l.WithTies {
		p.write("WITH TIES")
	} else {
		p.write("ONLY")
	}
}

func (p *printer) sortItem(s *tree.SortItem) {
	p.node(s.Expr)
	switch {
	case s.Desc:
		p.write(" DESC")
	case s.Asc:
		p.write(" ASC")
	}
	if s.Nulls != "" {
		p.write(" NULLS " + s.Nulls)
	}
}

func (p *printer) quantifier(q tree.Quantifier) {
	if q != tree.QuantifierNone {
		p.write(string(q) + " ")
	}
}

func (p *printer) selectBody(s *tree.Select) {
	p.write("SELECT")
	if s.Quantifier != tree.QuantifierNone {
		p.write(" " + string(s.Quantifier))
	}
	for i, item := range s.Items {
		switch {
		case i > 0:
			p.write(",")
			p.itemBreak()
		case len(s.Items) > 1:
			p.itemBreak()
		default:
			p.write(" ")
		}
		if p.layout != nil && len(s.Items) > 1 {
			p.indent++
			p.node(item)
			p.indent--
		} else {
			p.node(item)
		}
	}
	if len(s.From) > 0 {
		p.clause("FROM ")
		list(p, s.From)
	}
	if s.Where != nil {
		p.clause("WHERE ")
		p.node(s.Where)
	}
	if s.GroupBy != nil {
		p.clause("GROUP BY ")
		p.node(s.GroupBy)
	}
	if s.Having != nil {
		p.clause("HAVING ")
		p.node(s.Having)
	}
	if len(s.Windows) > 0 {
		p.clause("WINDOW ")
		list(p, s.Windows)
	}
}

func (p *printer) itemBreak() {
	if !p.multiline {
		p.write(" ")
		return
	}
	p.indent++
	p.newline()
	p.indent--
}

// setOp writes a set operation. A right side that is one itself needs
// parentheses, and so does a weaker one on the left of INTERSECT.
func (p *printer) setOp(s *tree.SetOp) {
	left, isOp := s.Left.(*tree.SetOp)
	p.setSide(s.Left, isOp && s.Op == "INTERSECT" && left.Op != "INTERSECT")
	p.clause(s.Op)
	if s.Quantifier != tree.QuantifierNone {
		p.write(" " + string(s.Quantifier))
	}
	if s.Corresponding {
		p.write(" CORRESPONDING")
		if len(s.CorrespondingBy) > 0 {
			p.write(" BY")
			p.columns(s.CorrespondingBy)
		}
	}
	p.clause("")
	right, isOp := s.Right.(*tree.SetOp)
	p.setSide(s.Right, isOp && !(s.Op != "INTERSECT" && right.Op == "INTERSECT"))
}

func (p *printer) setSide(body tree.QueryBody, parens bool) {
	if parens {
		p.write("(")
		p.node(body)
		p.write(")")
		return
	}
	p.node(body)
}

func (p *printer) groupingElement(e *tree.GroupingElement) {
	if e.Kind == tree.GroupingSimple {
		list(p, e.Sets)
		return
	}
	p.write(string(e.Kind))
	if e.Kind == tree.GroupingAuto {
		return
	}
	p.write(" (")
	list(p, e.Sets)
	p.write(")")
}

func (p *printer) groupingSet(s *tree.GroupingSet) {
	if s.Parens || len(s.Exprs) != 1 {
		p.write("(")
		p.exprs(s.Exprs)
		p.write(")")
		return
	}
	p.node(s.Exprs[0])
}
