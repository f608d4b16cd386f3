package guard

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// An engine may compute the asker's conditions before the policy's, or between
// them: one that raises an error on a row then tells of a row that the policy
// leaves out. A barrier in a cover keeps the asker's expressions above the row
// filter. It stands only where a statement has an expression that can raise an
// error (fails.go), for what goes through it is not pushed down to the table. See
// docs/decisions/0015-row-filter-barrier.md.

// Barrier is the kind of barrier that holds on an engine.
type Barrier int

// Barriers.
const (
	// BarrierLimit is a LIMIT that no table reaches. No engine moves a condition
	// past a LIMIT, for it would change the result. All rows pass one place.
	BarrierLimit Barrier = iota
	// BarrierColumns makes those columns that can raise an error depend on a function
	// that is not deterministic: Trino moves no condition on such a column below
	// it, while conditions on others still reach the table, and all workers scan.
	BarrierColumns
)

// unreached is a LIMIT that no table reaches.
const unreached = math.MaxInt64

// failing is what of a statement can raise an error.
type failing struct {
	anything bool
	// everywhere: an expression that can fail on the values of no table at all, so
	// that engines may compute it next to any condition.
	everywhere bool
	columns    map[resolve.Origin]bool // that decide whether an expression fails
}

// fails looks for what can raise an error. An expression around one that can fail
// decides whether it is computed, so its columns count too.
func fails(r *resolve.Resolution) failing {
	f := &failing{columns: map[resolve.Origin]bool{}}
	if q := r.Statement().Query; q != nil && q.With != nil && q.With.Recursive {
		f.anything, f.everywhere = true, true // what goes round is not followed
	}
	f.look(r, r.Statement(), nil)
	return *f
}

// look walks down with the expressions around a node, outermost first.
func (f *failing) look(r *resolve.Resolution, n tree.Node, around []tree.Expr) {
	if x, ok := n.(tree.Expr); ok {
		if len(around) == 0 && aboveGroups(x) {
			// It is computed from whole groups; only what goes into them is not.
			for _, part := range grouped(x) {
				f.look(r, part, nil)
			}
			return
		}
		if len(around) > 0 || !splits(x) {
			around = append(around[:len(around):len(around)], x)
		}
	}
	if canFail(r, n) {
		f.note(r, n, around)
	}
	for _, child := range tree.Children(n) {
		if child != nil {
			f.look(r, child, around)
		}
	}
}

// note adds what decides whether a node fails.
func (f *failing) note(r *resolve.Resolution, n tree.Node, around []tree.Expr) {
	f.anything = true
	// An engine may cut a condition into its parts, and has the values of constant
	// columns: what fails has to depend on a table by itself.
	if len(originsIn(r, n)) == 0 {
		f.everywhere = true
	}
	if _, ok := n.(tree.Expr); !ok {
		f.everywhere = true // a relation of its own kind
	}
	for _, x := range around {
		for o := range originsIn(r, x) {
			f.columns[o] = true
		}
	}
}

// splits reports a condition that engines take for several.
func splits(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Paren:
		return splits(x.X)
	case *tree.Binary:
		return x.Op == tree.OpAnd
	}
	return false
}

func originsIn(r *resolve.Resolution, n tree.Node) map[resolve.Origin]bool {
	out := map[resolve.Origin]bool{}
	tree.Walk(n, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok {
			for _, o := range r.Origins(ref) {
				out[o] = true
			}
		}
		return true
	})
	return out
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

// raise puts barriers into the covers that leave rows out.
func (a *approval) raise(asked *resolve.Resolution, chosen covers) {
	f := fails(asked)
	if !f.anything {
		return
	}
	near := conditionsOn(asked)
	for t, c := range chosen {
		stored, ok := asked.Stored(t)
		if !ok || !c.Filtered {
			continue
		}
		columns := a.terms.Barrier == BarrierColumns && !f.everywhere
		q := barred(c.Query, stored, columns, f.columns, near[t])
		if q == nil {
			continue
		}
		behind := *c
		behind.Query = q
		chosen[t] = &behind
	}
}

// barred is a cover with a barrier: nil where no column of it needs one.
func barred(cover *tree.Query, t *catalog.Table, byColumn bool, columns map[resolve.Origin]bool, near []tree.Expr) *tree.Query {
	inner := &tree.Aliased{Relation: &tree.Derived{Query: cover}, Alias: ident(t.Name.Table)}
	s := &tree.Select{From: []tree.Relation{inner}, Where: tree.And(near...)}
	some := false
	for _, c := range t.Columns {
		ref := &tree.ColumnRef{Parts: []*tree.Ident{ident(c.Name)}}
		if byColumn && columns[resolve.Origin{Table: t.Name, Column: c.Name}] {
			some = true
			when := &tree.When{Cond: tree.Op(tree.OpGe, tree.Fn("random"), tree.Float(0)), Result: ref}
			s.Items = append(s.Items, tree.Item(&tree.Case{Whens: []*tree.When{when}}, c.Name))
			continue
		}
		s.Items = append(s.Items, tree.Item(ref, ""))
	}
	q := tree.QueryOf(s)
	if byColumn {
		if !some {
			return nil
		}
		return q
	}
	return q.WithLimit(tree.LimitTo(unreached))
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
	if !ok || len(s.From) != 1 || !bars(q, s) {
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

// bars reports the sign of a barrier: its LIMIT, or a column like those of it.
func bars(q *tree.Query, s *tree.Select) bool {
	if q.Limit != nil {
		n, ok := q.Limit.Count.(*tree.Number)
		return ok && n.Text == strconv.Itoa(unreached)
	}
	return slices.ContainsFunc(s.Items, func(item tree.SelectItem) bool {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			return false
		}
		c, ok := x.Expr.(*tree.Case)
		return ok && c.Operand == nil && len(c.Whens) == 1 && c.Else == nil
	})
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
		var want *policy.Cover
		if want = chosen[t]; want == nil || printer.Print(&tree.Derived{Query: want.Query}) != d.Span().Text() {
			return false
		}
	}
	return true
}
