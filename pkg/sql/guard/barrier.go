package guard

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// An engine may compute the asker's conditions before the policy's, or between
// them: one that raises an error on a row then tells of a row that the policy
// leaves out. A barrier around a cover keeps the asker's expressions above the row
// filter: a LIMIT that no table reaches, for no engine moves a condition past a LIMIT.
// It stands only where a statement has an expression that can raise an error
// (fails.go), since all rows pass one place there. See
// docs/decisions/0015-row-filter-barrier.md.

// unreached is a LIMIT that no table reaches.
const unreached = math.MaxInt64

// fails reports whether a statement has an expression that can raise an error on a
// row of a table.
func fails(r *resolve.Resolution) bool {
	if q := r.Statement().Query; q != nil && q.With != nil && q.With.Recursive {
		return true // what goes round is not followed
	}
	return failsIn(r, r.Statement())
}

func failsIn(r *resolve.Resolution, n tree.Node) bool {
	below := tree.Children(n)
	if x, ok := n.(tree.Expr); ok && aboveGroups(x) {
		// It is computed from whole groups; only what goes into them is not.
		below = grouped(x)
	} else if canFail(r, n) {
		return true
	}
	return slices.ContainsFunc(below, func(child tree.Node) bool { return child != nil && failsIn(r, child) })
}

// aboveGroups reports an expression that reads columns by way of aggregates only:
// conditions on it cannot be moved below the grouping, which sees what the policy
// lets through.
func aboveGroups(x tree.Expr) bool {
	found, bare := false, false
	tree.Walk(x, func(n tree.Node) bool {
		if aggregates(n) {
			found = true
			return false
		}
		switch n.(type) {
		case *tree.ColumnRef, *tree.Query:
			bare = true
		}
		return true
	})
	return found && !bare
}

// grouped are the arguments, orders and filters of the aggregates in an expression.
func grouped(x tree.Expr) (parts []tree.Node) {
	tree.Walk(x, func(n tree.Node) bool {
		if !aggregates(n) {
			return true
		}
		for _, child := range tree.Children(n) {
			if child != nil {
				parts = append(parts, child)
			}
		}
		return false
	})
	return parts
}

// raise puts barriers around the covers that leave rows out.
func (a *approval) raise(asked *resolve.Resolution, chosen covers) {
	if !fails(asked) {
		return
	}
	near := conditionsOn(asked)
	for t, c := range chosen {
		stored, ok := asked.Stored(t)
		if !ok || !c.Filtered {
			continue
		}
		behind := *c
		behind.Query = barred(c.Query, stored, near[t])
		chosen[t] = &behind
	}
}

// barred is a cover with a barrier around it, above the conditions near the table.
func barred(cover *tree.Query, t *catalog.Table, near []tree.Expr) *tree.Query {
	inner := &tree.Aliased{Relation: &tree.Derived{Query: cover}, Alias: ident(t.Name.Table)}
	s := &tree.Select{From: []tree.Relation{inner}, Where: tree.And(near...)}
	for _, c := range t.Columns {
		s.Items = append(s.Items, tree.Item(&tree.ColumnRef{Parts: []*tree.Ident{ident(c.Name)}}, ""))
	}
	return tree.QueryOf(s).WithLimit(tree.LimitTo(unreached))
}

func ident(name string) *tree.Ident {
	return &tree.Ident{Name: name, Quoted: printer.Ident(name) != name}
}

// conditionsOn are, for the tables of a statement, the conditions of the WHERE
// next to them that can stand below a barrier: on the table's columns alone, that
// cannot fail, and that drop a row for good. Engines skip partitions by them.
func conditionsOn(r *resolve.Resolution) map[*tree.Table][]tree.Expr {
	out := map[*tree.Table][]tree.Expr{}
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		s, ok := n.(*tree.Select)
		if !ok || s.Where == nil {
			return true
		}
		kept := map[tree.Relation]*tree.Table{}
		for _, from := range s.From {
			keepers(from, kept)
		}
		for _, x := range tree.Conjuncts(s.Where) {
			if t, moved := ofOne(r, x, kept); t != nil {
				out[t] = append(out[t], moved)
			}
		}
		return true
	})
	return out
}

// keepers are the tables of a FROM clause that no join fills with NULLs: a row of
// theirs that fails a condition of WHERE is in no result.
func keepers(from tree.Relation, into map[tree.Relation]*tree.Table) {
	switch r := from.(type) {
	case *tree.Table:
		into[r] = r
	case *tree.Aliased:
		keepers(r.Relation, into)
	case *tree.ParenRelation:
		keepers(r.Relation, into)
	case *tree.Join:
		if r.Kind == tree.JoinInner || r.Kind == tree.JoinCross || r.Kind == tree.JoinLeft {
			keepers(r.Left, into)
		}
		if r.Kind == tree.JoinInner || r.Kind == tree.JoinCross || r.Kind == tree.JoinRight {
			keepers(r.Right, into)
		}
	}
}

// ofOne returns the one table that a condition is about, and the condition with
// the table's columns by their own names; nil for another condition.
func ofOne(r *resolve.Resolution, x tree.Expr, kept map[tree.Relation]*tree.Table) (*tree.Table, tree.Expr) {
	var table *tree.Table
	good, names := true, map[*tree.ColumnRef]string{}
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query, *tree.Lambda:
			good = false
		case *tree.Call:
			if slices.Contains([]string{"rand", "random", "uuid"}, n.Name.Key()) {
				good = false
			}
		case *tree.ColumnRef:
			places := r.Places(n)
			if len(places) != 1 || kept[places[0].Relation] == nil || table != nil && table != kept[places[0].Relation] {
				good = false
				return false
			}
			table = kept[places[0].Relation]
			stored, ok := r.Stored(table)
			if !ok || places[0].Index >= len(stored.Columns) {
				good = false
				return false
			}
			names[n] = stored.Columns[places[0].Index].Name
		}
		good = good && !canFail(r, n)
		return good
	})
	if !good || table == nil {
		return nil, nil
	}
	moved, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		if ref, ok := n.(*tree.ColumnRef); ok && names[ref] != "" {
			return &tree.ColumnRef{Parts: []*tree.Ident{ident(names[ref])}}
		}
		return n
	})
	if err != nil {
		return nil, nil
	}
	return table, moved
}

// behindBarrier returns the cover in a query that puts a barrier before one: the
// only query in its FROM. nil for another query.
func behindBarrier(q *tree.Query) *tree.Derived {
	s, ok := q.Body.(*tree.Select)
	if !ok || len(s.From) != 1 || !bars(q) {
		return nil
	}
	inner, ok := s.From[0].(*tree.Aliased)
	if !ok {
		return nil
	}
	d, ok := inner.Relation.(*tree.Derived)
	if !ok || !strings.EqualFold(inner.Alias.Name, lastName(d)) {
		return nil
	}
	return d
}

// bars reports the sign of a barrier: its LIMIT.
func bars(q *tree.Query) bool {
	if q.Limit == nil {
		return false
	}
	n, ok := q.Limit.Count.(*tree.Number)
	return ok && n.Text == strconv.Itoa(unreached)
}

// lastName is the name of the one table that a query reads; empty for another.
func lastName(d *tree.Derived) string {
	s, ok := d.Query.Body.(*tree.Select)
	if !ok || len(s.From) != 1 {
		return ""
	}
	t, ok := s.From[0].(*tree.Table)
	if !ok {
		return ""
	}
	return t.Name.Parts[len(t.Name.Parts)-1].Name
}

// asCovered reports that the covers which a text has already are those that it
// would get: with a barrier where it needs one, and the same conditions below it.
func asCovered(chosen covers, were map[*tree.Table]*tree.Derived) bool {
	for t, d := range were {
		if want := chosen[t]; want == nil || !isWritten(d, &tree.Derived{Query: want.Query}) {
			return false
		}
	}
	return true
}
