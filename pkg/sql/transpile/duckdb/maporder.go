package duckdb

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Trino keeps the entries of some maps in the order of a hash table, which depends
// on how the rows came to its workers. Nobody sees that order while the map is
// looked up, compared or put out; what turns the map into an array shows it, unless
// the array goes where its order does not matter.

// hashOrdered are the functions that make such maps.
func hashOrdered() []string {
	return []string{"map_agg", "multimap_agg", "histogram", "map_union", "array_histogram", "split_to_map", "split_to_multimap"}
}

// unorderedUse reports what gives the same whatever the order of its first argument.
func unorderedUse(c *tree.Call) bool {
	switch c.Name.Key() {
	case "cardinality", "contains", "array_max", "array_min", "any_match", "all_match", "none_match", "arrays_overlap":
		return true
	case "array_sort":
		return len(c.Args) == 1 // with a comparison, what it takes for equal keeps its order
	case "reduce":
		return len(c.Args) == 4 && sums(c.Args[2])
	}
	return false
}

// keepsOrder reports what hands the order of its first argument on.
func keepsOrder(c *tree.Call) bool {
	switch c.Name.Key() {
	case "transform", "filter", "array_distinct", "array_remove", "flatten":
		return true
	}
	return false
}

// sums reports a lambda (s, x) -> s + y where s is not in y.
func sums(x tree.Expr) bool {
	l, ok := lambdaOf(x)
	if !ok || len(l.Params) != 2 {
		return false
	}
	sum, ok := tree.Unparen(l.Body).(*tree.Binary)
	if !ok || sum.Op != "+" {
		return false
	}
	state := l.Params[0].Key()
	return namesOnly(sum.Left, state) && !namesColumn(sum.Right, state) || namesOnly(sum.Right, state) && !namesColumn(sum.Left, state)
}

func namesOnly(x tree.Expr, key string) bool {
	ref, ok := tree.Unparen(x).(*tree.ColumnRef)
	return ok && len(ref.Parts) == 1 && ref.Parts[0].Key() == key
}

func namesColumn(x tree.Expr, key string) bool {
	return anyNode(x, func(n tree.Node) bool {
		ref, ok := n.(*tree.ColumnRef)
		return ok && ref.Parts[0].Key() == key
	})
}

func anyNode(root tree.Node, is func(tree.Node) bool) bool {
	found := false
	tree.Walk(root, func(n tree.Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// orderless notes an expression whose order nobody sees.
func (e *emitter) orderless(x tree.Expr) {
	if c, ok := tree.Unparen(x).(*tree.Call); ok {
		e.anyOrder[c] = true
	}
}

// inOrder returns the call of a function that makes an array of a map, with a check
// that the map has one order: where nobody knows it, one entry at most.
func (e *emitter) inOrder(fn string, c *tree.Call) *tree.Call {
	if unorderedUse(c) || e.anyOrder[c] && keepsOrder(c) {
		e.orderless(c.Args[0])
	}
	if fn != "map_keys" && fn != "map_values" && fn != "map_entries" || len(c.Args) != 1 || e.anyOrder[c] || !e.inHashOrder(c.Args[0]) {
		return c
	}
	out := *c
	t := e.typeOf(c.Args[0])
	out.Args = []tree.Expr{e.stand("presto_one_entry("+e.expr(c.Args[0])+")", t)}
	e.given[&out] = e.typeOf(c)
	return &out
}

// inHashOrder reports whether a map's entries may be in the order of a hash table: it
// is made by such a function, or a column where the statement calls one.
func (e *emitter) inHashOrder(x tree.Expr) bool {
	makes := func(n tree.Node) bool {
		c, ok := n.(*tree.Call)
		return ok && len(c.Name.Parts) == 1 && slices.Contains(hashOrdered(), c.Name.Key())
	}
	if anyNode(x, makes) {
		return true
	}
	isColumn := func(n tree.Node) bool {
		_, ok := n.(*tree.ColumnRef)
		return ok
	}
	return anyNode(x, isColumn) && anyNode(e.r.Statement().Query, makes)
}
