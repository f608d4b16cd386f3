// Package lineage tells what a resolved query reads, how it uses each column,
// what it filters, joins and groups by, and what a row of its result stands for:
// for query history, certificates and explanations.
package lineage

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Lineage of a query.
type Lineage struct {
	Tables  []catalog.Name
	Columns []Column // of the result, in order
	Uses    []Use    // of stored columns, in order of the text
	Filters []Filter // of all SELECTs, in order of the text
	Joins   []Join   // of all SELECTs, in order of the text
	// GroupBy are the SQL texts of the grouping expressions of the outermost SELECT.
	GroupBy []string
	Grain   Grain
}

// Making says how a result column is made.
type Making string

// Ways to make a column.
const (
	MakingCopy      Making = "copy"      // a stored column as it is
	MakingAggregate Making = "aggregate" // needs an aggregate function
	MakingWindow    Making = "window"    // needs a window function
	MakingComputed  Making = "computed"  // any other expression over columns
	MakingConstant  Making = "constant"  // reads no column
)

// Column of the result, and what it is made from.
type Column struct {
	Name    string
	Type    string // Presto type; empty: unknown
	Making  Making
	Sources []resolve.Origin
}

// Of returns the lineage of a resolved query.
func Of(r *resolve.Resolution) Lineage {
	l := Lineage{Tables: r.Tables()}
	q := r.Statement().Query
	if q == nil {
		return l
	}
	made := makings(r, q)
	for i, o := range r.Output() {
		c := Column{Name: o.Name, Type: o.Type.String(), Sources: o.Sources, Making: MakingComputed}
		switch {
		case i < len(made) && made[i] != "":
			c.Making = made[i]
		case len(o.Sources) == 0:
			c.Making = MakingConstant
		}
		l.Columns = append(l.Columns, c)
	}
	reader := &reader{resolution: r, uses: map[resolve.Origin]int{}, within: map[*tree.Select]bool{}}
	tree.Walk(q, func(n tree.Node) bool {
		if s, ok := n.(*tree.Select); ok {
			reader.selectBody(s)
		}
		return true
	})
	l.Uses, l.Filters, l.Joins = reader.list, reader.filters, reader.joins
	for _, x := range q.Outermost().Groups() {
		l.GroupBy = append(l.GroupBy, printer.Print(x))
	}
	l.Grain = grainOf(r, q)
	return l
}

// makings tells how each result column is made; empty where nothing special is
// known.
func makings(r *resolve.Resolution, q *tree.Query) []Making {
	s := q.Outermost()
	if s == nil {
		return nil
	}
	passed := r.Passed(s)
	out := make([]Making, len(passed))
	for i, places := range passed {
		if len(places) > 0 && isStored(r, places[0]) {
			out[i] = MakingCopy
		}
	}
	for i, item := range s.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok { // a star: the numbers of items and columns part
			return out
		}
		if i >= len(out) || out[i] != "" {
			continue
		}
		switch window, aggregate := calls(x.Expr); {
		case window:
			out[i] = MakingWindow
		case aggregate:
			out[i] = MakingAggregate
		}
	}
	return out
}

func isStored(r *resolve.Resolution, p resolve.Place) bool {
	t, ok := p.Relation.(*tree.Table)
	if !ok {
		return false
	}
	_, ok = r.Stored(t)
	return ok
}

// calls reports whether an expression needs window functions or aggregates of its
// own SELECT.
func calls(x tree.Node) (window, aggregate bool) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.ListAgg:
			aggregate = true
		case *tree.Call:
			kind, _ := resolve.FunctionKind(n.Name.Key())
			window = window || n.Over != nil
			aggregate = aggregate || n.Over == nil && kind == resolve.KindAggregate
		}
		return true
	})
	return window, aggregate
}
