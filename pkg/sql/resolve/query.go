package resolve

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// query resolves a query and returns its columns.
func (r *resolver) query(q *tree.Query, outer *level) []*field {
	here := &level{parent: outer}
	if q.With != nil {
		here.tables = map[string]*common{}
		for _, t := range q.With.Queries {
			r.commonTable(t, here, q.With.Recursive)
		}
	}
	var columns []*field
	if sel, ok := q.Body.(*tree.Select); ok {
		columns = r.selectBody(sel, q.OrderBy, here)
	} else {
		columns = r.body(q.Body, here)
		r.orderBy(q.OrderBy, &level{parent: outer, fields: columns}, columns)
	}
	if q.Offset != nil {
		r.expr(q.Offset, here)
	}
	if q.Limit != nil && q.Limit.Count != nil {
		r.expr(q.Limit.Count, here)
	}
	out := make([]Output, len(columns))
	for i, f := range columns {
		out[i] = Output{Name: f.name, Type: f.typ, Sources: f.origins}
	}
	r.out.outputs[q] = out
	return columns
}

func (r *resolver) commonTable(t *tree.CommonTable, here *level, recursive bool) {
	key := t.Name.Key()
	if _, again := here.tables[key]; again {
		r.mistake(DuplicateNamedQuery, t.Name, nil, "the query name '%s' is used twice in WITH", t.Name.Name)
	}
	if set, ok := t.Query.Body.(*tree.SetOp); recursive && ok {
		// The columns of a recursive query are those of its first part.
		r.quiet++
		columns := r.body(set.Left, here)
		r.quiet--
		here.tables[key] = &common{name: t.Name.Name, fields: renamed(columns, t.Columns, nil)}
	}
	columns := r.query(t.Query, here)
	if len(t.Columns) > 0 && len(t.Columns) != len(columns) && !unknownTable(columns) {
		r.mistake(MismatchedColumns, t.Name, nil, "'%s' has %d column names for %d columns", t.Name.Name, len(t.Columns), len(columns))
	}
	here.tables[key] = &common{name: t.Name.Name, fields: renamed(columns, t.Columns, nil)}
}

// renamed returns the columns under other names, where there are any, and
// another qualifier.
func renamed(columns []*field, names []*tree.Ident, qualifier []string) []*field {
	out := make([]*field, len(columns))
	for i, c := range columns {
		f := *c
		f.qualifier = qualifier
		if i < len(names) {
			f.name = names[i].Name
		}
		out[i] = &f
	}
	return out
}

func (r *resolver) body(b tree.QueryBody, here *level) []*field {
	switch b := b.(type) {
	case *tree.Select:
		return r.selectBody(b, nil, here)
	case *tree.ParenQuery:
		return r.query(b.Query, here)
	case *tree.TableQuery:
		return r.relation(b.Table, here, nil)
	case *tree.Values:
		return r.values(b, here)
	case *tree.SetOp:
		return r.setOp(b, here)
	}
	return nil
}

func (r *resolver) values(v *tree.Values, here *level) []*field {
	var columns []*field
	for i, row := range v.Rows {
		cells := []tree.Expr{row}
		if tuple, ok := row.(*tree.Row); ok {
			cells = tuple.Items
		}
		if i > 0 && len(cells) != len(columns) {
			r.mistake(TypeMismatch, row, nil, "this row has %d values, the first has %d", len(cells), len(columns))
			continue
		}
		for j, cell := range cells {
			t := r.expr(cell, here)
			if i == 0 {
				columns = append(columns, &field{typ: t})
				continue
			}
			common, ok := types.Common(columns[j].typ, t)
			if !ok {
				r.mistake(TypeMismatch, cell, nil, "column %d is %s here and %s above", j+1, t, columns[j].typ)
			}
			columns[j].typ = common
		}
	}
	return columns
}

func (r *resolver) setOp(s *tree.SetOp, here *level) []*field {
	left, right := r.body(s.Left, here), r.body(s.Right, here)
	if unknownTable(left) || unknownTable(right) {
		return append(left[:len(left):len(left)], right...)
	}
	if len(left) != len(right) {
		r.mistake(TypeMismatch, s, nil, "the two sides of %s have %d and %d columns", s.Op, len(left), len(right))
		return left
	}
	out := make([]*field, len(left))
	for i := range left {
		f := *left[i]
		f.qualifier = nil
		common, ok := types.Common(left[i].typ, right[i].typ)
		if !ok {
			r.mistake(TypeMismatch, s, nil, "column %d of %s is %s on the left and %s on the right", i+1, s.Op, left[i].typ, right[i].typ)
		}
		f.typ = common
		f.origins = union(left[i].origins, right[i].origins)
		out[i] = &f
	}
	return out
}

// selectBody resolves a SELECT, and the ORDER BY of the query around it, which
// sees both its columns and its FROM.
func (r *resolver) selectBody(s *tree.Select, order []*tree.SortItem, outer *level) []*field {
	from := &level{parent: outer}
	for _, rel := range s.From {
		from.fields = append(from.fields, r.relation(rel, outer, from.fields)...)
	}
	if s.Where != nil {
		r.condition(s.Where, from, "WHERE")
		r.noAggregate(s.Where, "WHERE")
	}
	var columns []*field
	for _, item := range s.Items {
		columns = append(columns, r.item(item, from)...)
	}
	groups := r.groupBy(s, from)
	if s.Having != nil {
		r.condition(s.Having, from, "HAVING")
	}
	for _, w := range s.Windows {
		r.window(w.Spec, from)
	}
	sorted := &level{parent: from, fields: namedFields(columns)}
	r.orderBy(order, sorted, columns)
	r.checkAggregates(s, order, groups)
	r.pass(s, columns)
	return columns
}

func namedFields(columns []*field) []*field {
	var out []*field
	seen := map[string]bool{}
	for _, c := range columns {
		key := strings.ToLower(c.name)
		if c.name == "" && !c.any || seen[key] && !c.any {
			continue
		}
		seen[key] = true
		f := *c
		f.qualifier = nil
		out = append(out, &f)
	}
	return out
}

func (r *resolver) condition(x tree.Expr, here *level, clause string) {
	if t := r.expr(x, here); !t.IsUnknown() && !t.IsNull() && t.Base != "boolean" {
		r.mistake(TypeMismatch, x, nil, "%s needs a condition, this is %s", clause, t)
	}
}

func (r *resolver) item(item tree.SelectItem, from *level) []*field {
	switch item := item.(type) {
	case *tree.SelectExpr:
		f := &field{typ: r.expr(item.Expr, from), origins: r.out.origins[item.Expr], from: r.out.Places(item.Expr)}
		switch {
		case item.Alias != nil:
			f.name = item.Alias.Name
		default:
			f.name = impliedName(item.Expr)
		}
		if known := r.out.fields[unparen(item.Expr)]; known != nil && item.Alias == nil {
			f.qualifier = known.qualifier
		}
		return []*field{f}
	case *tree.Star:
		return r.star(item, from)
	}
	return nil
}

// impliedName is the name that Presto gives a column without alias.
func impliedName(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return x.Parts[len(x.Parts)-1].Name
	case *tree.Field: // only where all before it is a name too
		if impliedName(x.Base) != "" {
			return x.Name.Name
		}
	case *tree.Paren:
		return impliedName(x.X)
	}
	return ""
}

func unparen(x tree.Expr) tree.Expr {
	for {
		p, ok := x.(*tree.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

func (r *resolver) star(s *tree.Star, from *level) []*field {
	fields := from.fields
	if s.Qualifier != nil {
		ref, ok := s.Qualifier.(*tree.ColumnRef)
		if !ok {
			t := r.expr(s.Qualifier, from)
			return rowFields(t, r.out.origins[s.Qualifier])
		}
		fields = nil
		for l := from; l != nil && fields == nil; l = l.parent {
			for _, f := range l.fields {
				if len(f.qualifier) > 0 && qualifies(f.qualifier, ref.Parts) {
					fields = append(fields, f)
				}
			}
		}
		if fields == nil {
			if f, rest, n := from.find(ref.Parts); n == 1 && len(rest) == 0 && f.typ.Base == "row" {
				return rowFields(f.typ, f.origins)
			}
			name := (&tree.Name{Parts: ref.Parts}).String()
			r.mistake(TableNotFound, s, nil, "there is no table '%s' in FROM", name)
			return nil
		}
	} else if len(fields) == 0 {
		r.mistake(InvalidColumnReference, s, nil, "SELECT * needs a FROM clause")
	}
	return renamedKeepingQualifier(fields, s.Aliases)
}

func renamedKeepingQualifier(fields []*field, names []*tree.Ident) []*field {
	out := renamed(fields, names, nil)
	for i := range out {
		out[i].qualifier = fields[i].qualifier
	}
	return out
}

func rowFields(t types.Type, origins []Origin) []*field {
	var out []*field
	if t.Base == "row" {
		for i, a := range t.Args {
			out = append(out, &field{name: t.Names[i], typ: a, origins: origins})
		}
	}
	return out
}

func (r *resolver) orderBy(items []*tree.SortItem, here *level, columns []*field) {
	for _, item := range items {
		r.ordinal(item.Expr, columns, "ORDER BY")
		r.expr(item.Expr, here)
	}
}

// ordinal returns which column a bare number means; -1 for other expressions.
func (r *resolver) ordinal(x tree.Expr, columns []*field, clause string) int {
	n, ok := x.(*tree.Number)
	if !ok {
		return -1
	}
	position, err := strconv.Atoi(n.Text)
	if err != nil || position < 1 || position > len(columns) {
		if unknownTable(columns) {
			return -1
		}
		r.mistake(InvalidColumnReference, x, nil, "%s %s: there are %d columns", clause, n.Text, len(columns))
		return -1
	}
	return position - 1
}
