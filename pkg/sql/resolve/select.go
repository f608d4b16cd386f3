package resolve

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// selection is a SELECT while it is resolved.
type selection struct {
	node    *tree.Select
	query   *tree.Query // the query around it, whose ORDER BY sees FROM too; nil: none
	from    *level      // the columns of FROM
	sorted  *level      // what ORDER BY sees: the result's columns, then those of FROM
	results []result    // what the SELECT list gives
	order   []*tree.SortItem
	windows map[string]*window // of the WINDOW clause, by lower-case name
	groups  grouping
	having  survey // what HAVING holds
	listed  survey // what the SELECT list holds
	ordered survey // what ORDER BY holds
}

// result is a column of the SELECT list: an expression, or one of the columns
// that a star stands for.
type result struct {
	expr tree.Expr // nil: of a star
	star *field    // of a star
	name string    // what ORDER BY can call it
}

// selectBody resolves a SELECT, and ORDER BY and LIMIT of the query around it.
func (r *resolver) selectBody(s *tree.Select, q *tree.Query, outer *level) []*field {
	sel := &selection{node: s, query: q, from: &level{parent: outer}}
	if q != nil {
		sel.order = q.OrderBy
	}
	sel.from.fields = r.from(s.From, outer)
	r.namedWindows(sel)
	r.callWindows(sel)
	if s.Where != nil {
		r.noAggregates(s.Where, "WHERE")
		r.condition(s.Where, seeing(sel.from), "WHERE")
	}
	var columns []*field
	for _, item := range s.Items {
		columns = append(columns, r.item(sel, item)...)
	}
	r.groupBy(sel)
	r.having(sel)
	if q != nil {
		sel.sorted = &level{parent: sel.from, fields: columns}
		r.orderBy(s, q.OrderBy, sel.sorted)
		r.limits(q, sel.sorted)
	}
	r.checkGrouping(sel)
	r.checkAggregates(sel)
	r.checkWindows(sel)
	r.checkDistinct(sel)
	r.pass(s, columns)
	return columns
}

// condition resolves an expression that has to be true or false.
func (r *resolver) condition(x tree.Expr, e env, clause string) {
	t := r.expr(x, e)
	if !t.IsUnknown() && !t.IsNull() && t.Base != "boolean" {
		r.mistake(TypeMismatch, x, nil, "%s needs a condition, this is %s", clause, t)
	}
}

func (r *resolver) having(sel *selection) {
	x := sel.node.Having
	if x == nil {
		return
	}
	var found survey
	r.survey(&found, x)
	if w := found.firstWindow(); w != nil {
		r.mistake(NestedWindow, w, nil, "HAVING cannot hold a window function: use a subquery")
	}
	sel.having = found
	r.condition(x, seeing(sel.from), "HAVING")
}

// item resolves an element of the SELECT list and returns its columns.
func (r *resolver) item(sel *selection, item tree.SelectItem) []*field {
	switch item := item.(type) {
	case *tree.SelectExpr:
		return []*field{r.single(sel, item)}
	case *tree.Star:
		return r.star(sel, item)
	}
	return nil
}

func (r *resolver) single(sel *selection, item *tree.SelectExpr) *field {
	t := r.expr(item.Expr, seeing(sel.from))
	r.distinctItem(sel, t)
	name := impliedName(item.Expr)
	if item.Alias != nil {
		name = item.Alias.Name
	}
	f := newField(name, t, r.originsOf(item.Expr))
	f.from = r.out.Places(item.Expr)
	sel.results = append(sel.results, result{expr: item.Expr, name: f.key})
	return f
}

// impliedName is the name that Presto gives a column without alias.
func impliedName(x tree.Expr) string {
	switch x := tree.Unparen(x).(type) {
	case *tree.ColumnRef:
		return x.Parts[len(x.Parts)-1].Name
	case *tree.Field:
		if impliedName(x.Base) != "" {
			return x.Name.Name
		}
	}
	return ""
}

func (r *resolver) distinctItem(sel *selection, t types.Type) {
	if sel.node.Quantifier == tree.QuantifierDistinct && !t.IsComparable() {
		r.mistake(TypeMismatch, sel.node, nil, "DISTINCT compares, and %s does not", t)
	}
}

// star resolves * and x.*.
func (r *resolver) star(sel *selection, s *tree.Star) []*field {
	if s.Qualifier == nil {
		if len(s.Aliases) > 0 {
			r.mistake(NotSupported, s, nil, "names for the columns of * are not supported: write t.* AS (...)")
		}
		if len(sel.from.fields) == 0 {
			r.mistake(ColumnNotFound, s, nil, "SELECT * needs a FROM clause with columns")
		}
		return r.starFields(sel, s, sel.from.fields)
	}
	if ref, ok := tree.Unparen(s.Qualifier).(*tree.ColumnRef); ok {
		fields, isTable, found := r.starOf(sel.from, s, ref.Parts)
		switch {
		case isTable:
			return r.starFields(sel, s, fields)
		case !found:
			name := (&tree.Name{Parts: ref.Parts}).String()
			r.mistake(TableNotFound, s, nil, "there is no table '%s' in FROM", name)
			return []*field{{any: true}}
		}
	}
	t := r.expr(s.Qualifier, seeing(sel.from))
	if t.Base != "row" {
		if !t.IsUnknown() {
			r.mistakeAt(TypeMismatch, startOf(sel.node), s, nil, ".* needs a row, this is %s", t)
		}
		return []*field{{any: true}}
	}
	return r.starFields(sel, s, rowFields(t, r.originsOf(s.Qualifier)))
}

// starOf finds what x.* means: the columns of a table, or of a column that is a
// row.
func (r *resolver) starOf(l *level, s *tree.Star, parts []*tree.Ident) (fields []*field, isTable, found bool) {
	for ; l != nil; l = l.parent {
		for _, f := range l.fields {
			if len(parts) <= 3 && len(f.qualifier) > 0 && qualifies(f.qualifier, parts) {
				fields = append(fields, f)
			}
		}
		row := false
		if len(parts) > 1 {
			for _, f := range l.fields {
				row = row || len(f.qualifier) > 0 && qualifies(f.qualifier, parts[:1]) && f.name == parts[1].Key() && f.typ.Base == "row"
			}
		}
		if row && fields != nil {
			r.mistake(AmbiguousName, s, nil, "'%s' is a table and a column", (&tree.Name{Parts: parts}).String())
		}
		if fields != nil || row {
			return fields, fields != nil, true
		}
		if _, count := l.match(parts); count > 0 && len(parts) == 1 && unknownTable(l.fields) {
			return l.fields, true, true
		}
	}
	return nil, false, false
}

// maxColumns bounds the columns of a SELECT that come from stars.
const maxColumns = 10_000

// starFields are the columns that a star gives.
func (r *resolver) starFields(sel *selection, s *tree.Star, fields []*field) []*field {
	if len(s.Aliases) > 0 {
		r.aliasCount(s.Aliases, fields)
	}
	if room := maxColumns - len(sel.results); len(fields) > room {
		if !r.tooWide { // stars over stars double the columns: once is enough
			r.tooWide = true
			r.mistake(NotSupported, s, nil, "a SELECT of more than %d columns", maxColumns)
		}
		fields = fields[:max(room, 0)]
	}
	out := renamed(fields, s.Aliases, nil)
	for i, f := range out {
		if i < len(s.Aliases) {
			f.name = label(s.Aliases[i])
		}
		r.distinctItem(sel, f.typ)
		sel.results = append(sel.results, result{star: fields[i], name: f.key})
	}
	return out
}

// checkDistinct refuses ORDER BY of what SELECT DISTINCT does not give.
func (r *resolver) checkDistinct(sel *selection) {
	if sel.node.Quantifier != tree.QuantifierDistinct || len(sel.order) == 0 || unknownTable(sel.sorted.fields) {
		return
	}
	keys := keyer{r: r}
	for _, item := range sel.order {
		x := tree.Unparen(item.Expr)
		if _, ok := integerLiteral(x); ok || r.isResult(sel, x, &keys) {
			continue
		}
		r.mistakeAt(ExpressionNotInDistinct, startOf(sel.node), item.Expr, nil, "SELECT DISTINCT can be ordered by what it gives only")
		return
	}
	for _, item := range sel.order {
		if call := r.randomCall(item.Expr); call != nil {
			r.mistake(ExpressionNotInDistinct, item.Expr, nil, "SELECT DISTINCT cannot be ordered by what changes from call to call")
		}
	}
}

// isResult reports whether an expression of ORDER BY is a column of the result.
func (r *resolver) isResult(sel *selection, x tree.Expr, keys *keyer) bool {
	ref, isRef := x.(*tree.ColumnRef)
	key := keys.of(x)
	for _, res := range sel.results {
		switch {
		case isRef && len(ref.Parts) == 1 && res.name == ref.Parts[0].Key():
			return true
		case res.expr != nil && keys.of(res.expr) == key:
			return true
		case res.star != nil && isRef && r.info(ref).field == res.star:
			return true
		}
	}
	return false
}

// randomCall returns a call that gives another value each time.
func (r *resolver) randomCall(x tree.Expr) tree.Node {
	var call tree.Node
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok {
			if i := r.out.exprs[c]; i != nil && i.call != nil && i.call.Random {
				call = c
			}
		}
		return call == nil
	})
	return call
}
