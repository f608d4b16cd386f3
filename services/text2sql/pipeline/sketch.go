package pipeline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// sketch is what a statement asks for, apart from how it is written: statements of two readings
// that agree give the same rows, but for doubled ones and for empty values.
type sketch struct {
	shown  []string // expressions of the outermost SELECT
	groups []string // keys of GROUP BY
	order  []string // most important first
	bound  string   // number of rows; empty: all
	rest   string   // tables and conditions
}

// sketchOf makes the sketch of a statement.
func sketchOf(stmt *tree.Statement) sketch { return sketchOfQuery(stmt.Query, nil) }

// agrees reports whether two statements ask for the same: one may have further columns, keys of
// groups beside those of the other, and an order where all rows are shown.
func (k sketch) agrees(other sketch) bool {
	inOrder := slices.Equal(k.order, other.order)
	if k.bound == "" {
		n := min(len(k.order), len(other.order))
		inOrder = slices.Equal(k.order[:n], other.order[:n])
	}
	return k.rest == other.rest && k.bound == other.bound && inOrder && (len(k.groups) == 0) == (len(other.groups) == 0) &&
		(within(k.shown, other.shown) || within(other.shown, k.shown)) && (within(k.groups, other.groups) || within(other.groups, k.groups))
}

// narrower reports whether a statement shows some of the columns that another shows, and all that
// this one computes.
func (k sketch) narrower(other sketch) bool {
	return len(k.shown) < len(other.shown) && within(k.shown, other.shown) && !slices.ContainsFunc(other.shown, func(x string) bool {
		return strings.Contains(x, "(") && !slices.Contains(k.shown, x)
	})
}

// within reports whether all of some texts are among others.
func within(some, others []string) bool {
	return !slices.ContainsFunc(some, func(x string) bool { return !slices.Contains(others, x) })
}

// text is the whole sketch, of a query inside another.
func (k sketch) text() string {
	return fmt.Sprint(k.shown, k.rest, k.groups, k.order, k.bound)
}

// sketchOfQuery makes the sketch of a query inside others; outer are their names by alias.
func sketchOfQuery(q *tree.Query, outer map[string]string) sketch {
	s, ok := q.Body.(*tree.Select)
	if !ok { // a set: its sides have aliases of their own
		return sketch{rest: printer.Print(q)}
	}
	w := wording{names: maps.Clone(outer), same: map[string]string{}}
	if w.names == nil {
		w.names = map[string]string{}
	}
	var tables []string
	var conds []tree.Expr
	for _, r := range s.From {
		tables, conds = w.from(r, tables, conds)
	}
	slices.Sort(tables)
	var joins []string
	for _, x := range conds {
		joins = append(joins, w.equal(x))
	}
	slices.Sort(joins)
	if s.Where != nil {
		conds = tree.Conjuncts(s.Where)
	} else {
		conds = nil
	}
	out := sketch{rest: fmt.Sprint(tables, joins, w.all(conds))}
	called := map[string]string{} // columns of the result
	for _, item := range s.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			out.shown = append(out.shown, printer.Print(item))
			continue
		}
		text := w.of(x.Expr)
		out.shown = append(out.shown, text)
		if x.Alias != nil {
			called[x.Alias.Name] = text
		}
	}
	slices.Sort(out.shown)
	if s.GroupBy != nil {
		for _, x := range tree.Children(s.GroupBy) {
			if x != nil {
				out.groups = append(out.groups, w.of(x))
			}
		}
		slices.Sort(out.groups)
	}
	if s.Having != nil {
		out.rest += w.all(tree.Conjuncts(s.Having))
	}
	for _, o := range q.OrderBy {
		text := w.of(o.Expr)
		if x, ok := called[text]; ok {
			text = x
		}
		out.order = append(out.order, fmt.Sprint(text, o.Desc))
	}
	if q.Limit != nil {
		out.bound = printer.Print(q.Limit)
	}
	return out
}

// wording writes the expressions of one SELECT in one way.
type wording struct {
	names map[string]string // of tables, by alias
	same  map[string]string // columns that a join makes equal, by the name that they are given
}

// from collects the tables of a relation and the conditions of its joins.
func (w *wording) from(r tree.Relation, tables []string, conds []tree.Expr) ([]string, []tree.Expr) {
	switch r := r.(type) {
	case *tree.Join:
		tables, conds = w.from(r.Left, tables, conds)
		tables, conds = w.from(r.Right, tables, conds)
		if r.Kind != tree.JoinInner {
			tables = append(tables, string(r.Kind))
		}
		if r.On != nil {
			conds = append(conds, tree.Conjuncts(r.On)...)
		}
	case *tree.Aliased:
		text := printer.Print(r.Relation)
		if d, ok := r.Relation.(*tree.Derived); ok {
			text = sketchOfQuery(d.Query, nil).text()
		}
		for slices.Contains(tables, text) { // the same table once more
			text += "'"
		}
		w.names[r.Alias.Name], tables = text, append(tables, text)
	default:
		tables = append(tables, printer.Print(r))
	}
	return tables, conds
}

// equal is the text of the condition of a join; columns that it makes equal are one from then on.
func (w *wording) equal(x tree.Expr) string {
	b, ok := x.(*tree.Binary)
	if !ok || b.Op != tree.OpEq {
		return w.of(x)
	}
	sides := []string{w.of(b.Left), w.of(b.Right)}
	slices.Sort(sides)
	if sides[0] != sides[1] {
		w.same[sides[1]] = sides[0]
	}
	return strings.Join(sides, " = ")
}

// all is the text of conditions that all hold, in an order of their own. That a value is there
// goes without saying.
func (w *wording) all(conds []tree.Expr) string {
	var out []string
	for _, x := range conds {
		if n, ok := x.(*tree.IsNull); ok && n.Not {
			continue
		}
		out = append(out, w.of(x))
	}
	slices.Sort(out)
	return fmt.Sprint(slices.Compact(out))
}

// column is where a column stands with an alias before it.
var column = regexp.MustCompile(`\b\w+\.(\w+|"[^"]+")`)

// counted is a count of a column, which is that of its rows but for empty ones.
var counted = regexp.MustCompile(`\bcount\(([\w.]+|[\w.]*"[^"]+")\)`)

// of is the text of an expression with the names of tables in the place of aliases.
func (w *wording) of(x tree.Node) string {
	text := printer.Print(x)
	var inner []string
	tree.Walk(x, func(n tree.Node) bool {
		q, ok := n.(*tree.Query)
		if ok {
			text = strings.Replace(text, printer.Print(q), fmt.Sprintf("{%d}", len(inner)), 1)
			inner = append(inner, sketchOfQuery(q, w.names).text())
		}
		return !ok
	})
	text = column.ReplaceAllStringFunc(text, func(ref string) string {
		alias, name, _ := strings.Cut(ref, ".")
		table, ok := w.names[alias]
		if !ok {
			return ref
		}
		ref = table + "." + name
		for w.same[ref] != "" {
			ref = w.same[ref]
		}
		return ref
	})
	text = counted.ReplaceAllString(text, "count(*)")
	for i, k := range inner {
		text = strings.Replace(text, fmt.Sprintf("{%d}", i), k, 1)
	}
	return text
}
