package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

func (p *printer) relation(r tree.Relation) {
	switch r := r.(type) {
	case *tree.Table:
		p.node(r.Name)
		if r.Version != nil {
			p.write(" ")
			p.node(r.Version)
		}
	case *tree.Aliased:
		p.primaryRelation(r.Relation)
		p.write(" AS ")
		p.node(r.Alias)
		p.columns(r.Columns)
	case *tree.Derived:
		p.inner(r.Query)
	case *tree.Lateral:
		p.write("LATERAL ")
		p.inner(r.Query)
	case *tree.Unnest:
		p.write("UNNEST(")
		p.exprs(r.Exprs)
		p.write(")")
		if r.Ordinality {
			p.write(" WITH ORDINALITY")
		}
	case *tree.Join:
		p.join(r)
	case *tree.ParenRelation:
		p.write("(")
		p.node(r.Relation)
		p.write(")")
	case *tree.Sampled:
		p.primaryRelation(r.Relation)
		p.write(" TABLESAMPLE " + r.Method + " (")
		p.node(r.Percentage)
		p.write(")")
	case *tree.TableFunction:
		p.tableFunction(r)
	case *tree.JSONTable:
		p.jsonTable(r)
	case *tree.MatchRecognize:
		p.matchRecognize(r)
	}
}

// primaryRelation writes what stands before an alias: a join needs parentheses
// there.
func (p *printer) primaryRelation(r tree.Relation) {
	switch r.(type) {
	case *tree.Join, *tree.Sampled:
		p.write("(")
		p.node(r)
		p.write(")")
	default:
		p.node(r)
	}
}

func (p *printer) join(j *tree.Join) {
	p.node(j.Left)
	words := string(j.Kind) + " JOIN "
	if j.Kind == tree.JoinInner {
		words = "JOIN "
	}
	if j.Natural {
		words = "NATURAL " + words
	}
	p.clause(words)
	if _, nested := j.Right.(*tree.Join); nested {
		p.write("(")
		p.node(j.Right)
		p.write(")")
	} else {
		p.node(j.Right)
	}
	if j.On != nil {
		p.write(" ON ")
		p.node(j.On)
	}
	if len(j.Using) > 0 {
		p.write(" USING")
		p.columns(j.Using)
	}
}

// part writes nodes that are no query, relation or expression.
func (p *printer) part(n tree.Node) {
	switch n := n.(type) {
	case *tree.When:
		p.write("WHEN ")
		p.node(n.Cond)
		p.write(" THEN ")
		p.node(n.Result)
	case *tree.TypeName:
		p.write(n.Text)
	case *tree.Over:
		p.write("OVER ")
		if n.Name != nil {
			p.node(n.Name)
			return
		}
		p.write("(")
		p.node(n.Spec)
		p.write(")")
	case *tree.NamedWindow:
		p.node(n.Name)
		p.write(" AS (")
		p.node(n.Spec)
		p.write(")")
	case *tree.Window:
		p.window(n)
	case *tree.Bound:
		if n.X != nil {
			p.node(n.X)
			p.write(" ")
		}
		p.write(n.Kind)
	case *tree.TableVersion:
		p.write("FOR " + n.Kind + " AS OF ")
		p.operand(n.X, precConcat)
	case *tree.TableArgument:
		p.tableArgument(n)
	case *tree.DescriptorField:
		p.node(n.Name)
		if n.Type != nil {
			p.write(" ")
			p.node(n.Type)
		}
	case *tree.Copartition:
		p.write("(")
		list(p, n.Tables)
		p.write(")")
	default:
		if !p.jsonPart(n) {
			p.patternPart(n)
		}
	}
}

func (p *printer) window(w *tree.Window) {
	blank := ""
	if w.Base != nil {
		p.node(w.Base)
		blank = " "
	}
	if len(w.PartitionBy) > 0 {
		p.write(blank + "PARTITION BY ")
		p.exprs(w.PartitionBy)
		blank = " "
	}
	if len(w.OrderBy) > 0 {
		p.write(blank + "ORDER BY ")
		list(p, w.OrderBy)
		blank = " "
	}
	if w.Frame != nil {
		p.write(blank)
		p.node(w.Frame)
	}
}
