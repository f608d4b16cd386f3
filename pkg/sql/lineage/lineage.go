// Package lineage tells what a resolved query reads, filters, groups by and
// returns: for query history, certificates and explanations.
package lineage

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Lineage of a query.
type Lineage struct {
	Tables  []catalog.Name
	Columns []Column // of the result, in order
	Filters []Filter // of all SELECTs, in order of the text
	Joins   []Filter // conditions of joins
	// GroupBy are the SQL texts of the grouping expressions of the outermost SELECT.
	GroupBy []string
	// Grain says in words what one row of the result stands for.
	Grain string
}

// Column of the result, and what it is made from.
type Column struct {
	Name    string
	Type    string // Presto type; empty: unknown
	Sources []resolve.Origin
}

// Filter is one condition.
type Filter struct {
	SQL  string // as written
	Text string // in words, English
}

// Of returns the lineage of a resolved query.
func Of(r *resolve.Resolution) Lineage {
	l := Lineage{Tables: r.Tables()}
	for _, o := range r.Output() {
		l.Columns = append(l.Columns, Column{Name: o.Name, Type: o.Type.String(), Sources: o.Sources})
	}
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			l.Filters = append(l.Filters, conditions(n.Where)...)
			l.Filters = append(l.Filters, conditions(n.Having)...)
		case *tree.Join:
			l.Joins = append(l.Joins, joinConditions(n)...)
		}
		return true
	})
	if q := r.Statement().Query; q != nil {
		l.GroupBy, l.Grain = grain(q)
	}
	return l
}

// conditions splits a condition at its ANDs.
func conditions(x tree.Expr) []Filter {
	switch x := x.(type) {
	case nil:
		return nil
	case *tree.Paren:
		if b, ok := x.X.(*tree.Binary); ok && b.Op == tree.OpAnd {
			return conditions(b)
		}
	case *tree.Binary:
		if x.Op == tree.OpAnd {
			return append(conditions(x.Left), conditions(x.Right)...)
		}
	}
	return []Filter{{SQL: printer.Print(x), Text: words(x)}}
}

func joinConditions(j *tree.Join) []Filter {
	var out []Filter
	for _, id := range j.Using {
		out = append(out, Filter{SQL: "USING (" + printer.Print(id) + ")", Text: id.Name + " is the same on both sides"})
	}
	return append(out, conditions(j.On)...)
}

// words says a condition in English; what has no words is its SQL.
func words(x tree.Expr) string {
	not := func(negated bool, yes, no string) string {
		if negated {
			return no
		}
		return yes
	}
	text := func(x tree.Expr) string { return strings.Join(strings.Fields(printer.Format(x)), " ") }
	switch x := x.(type) {
	case *tree.Binary:
		if phrase, ok := comparisons()[x.Op]; ok {
			return text(x.Left) + " " + phrase + " " + text(x.Right)
		}
	case *tree.Between:
		return text(x.X) + not(x.Not, " is between ", " is not between ") + text(x.Low) + " and " + text(x.High)
	case *tree.InList:
		items := make([]string, len(x.List))
		for i, item := range x.List {
			items[i] = text(item)
		}
		return text(x.X) + not(x.Not, " is one of ", " is none of ") + strings.Join(items, ", ")
	case *tree.IsNull:
		return text(x.X) + not(x.Not, " is missing", " is not missing")
	case *tree.Like:
		return text(x.X) + not(x.Not, " matches ", " does not match ") + text(x.Pattern)
	case *tree.InQuery:
		return text(x.X) + not(x.Not, " is among the values of a subquery", " is not among the values of a subquery")
	case *tree.Exists:
		return "a subquery finds a row"
	case *tree.Not:
		return "not: " + words(x.X)
	case *tree.Paren:
		return words(x.X)
	}
	return text(x)
}

func comparisons() map[string]string {
	return map[string]string{
		tree.OpEq: "is", tree.OpNe: "is not", tree.OpLt: "is less than", tree.OpLe: "is at most",
		tree.OpGt: "is more than", tree.OpGe: "is at least",
	}
}

// grain says what a row of the result stands for.
func grain(q *tree.Query) (groupBy []string, text string) {
	s, ok := q.Body.(*tree.Select)
	if !ok {
		return nil, "one row of a combined result"
	}
	if s.GroupBy == nil {
		switch {
		case s.Quantifier == tree.QuantifierDistinct:
			return nil, "one distinct combination of the columns"
		case onlyAggregates(s):
			return nil, "one row for everything"
		}
		return nil, "one row of the tables read"
	}
	for _, e := range s.GroupBy.Elements {
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				groupBy = append(groupBy, printer.Print(ordinal(s, x)))
			}
		}
	}
	return groupBy, "one row for each " + strings.Join(groupBy, ", ")
}

// ordinal returns the item that a number in GROUP BY means.
func ordinal(s *tree.Select, x tree.Expr) tree.Expr {
	n, ok := x.(*tree.Number)
	if !ok {
		return x
	}
	for i, item := range s.Items {
		if e, ok := item.(*tree.SelectExpr); ok && n.Text == printer.Print(tree.Int(int64(i+1))) {
			return e.Expr
		}
	}
	return x
}

func onlyAggregates(s *tree.Select) bool {
	for _, item := range s.Items {
		e, ok := item.(*tree.SelectExpr)
		if !ok {
			return false
		}
		found := false
		tree.Walk(e.Expr, func(n tree.Node) bool {
			if c, ok := n.(*tree.Call); ok && c.Over == nil {
				kind, known := resolve.FunctionKind(c.Name.Key())
				found = found || known && kind == resolve.KindAggregate
			}
			return !found
		})
		if !found {
			return false
		}
	}
	return len(s.Items) > 0
}
