package resolve

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// query resolves a query and returns its columns. outer is what the query sees
// from outside.
func (r *resolver) query(q *tree.Query, outer *level) []*field {
	here := &level{parent: outer}
	if q.With != nil {
		here.tables = make(map[string]*common, len(q.With.Queries))
		for _, t := range q.With.Queries {
			r.commonTable(t, here, q.With)
		}
	}
	var columns []*field
	if sel, ok := q.Body.(*tree.Select); ok {
		columns = r.selectBody(sel, q, here)
	} else {
		columns = r.body(q.Body, here)
		sorted := &level{parent: here, fields: columns}
		r.orderBy(q, q.OrderBy, sorted)
		r.limits(q, sorted)
	}
	r.output(q, columns)
	return columns
}

func (r *resolver) output(q *tree.Query, columns []*field) {
	out := make([]Output, len(columns))
	for i, f := range columns {
		out[i] = Output{Name: f.name, Type: f.typ, Sources: f.origins}
	}
	r.out.outputs[q] = out
}

// limits resolves OFFSET and LIMIT.
func (r *resolver) limits(q *tree.Query, here *level) {
	if q.Offset != nil {
		r.expr(q.Offset, seeing(here))
	}
	if q.Limit == nil {
		return
	}
	if q.Limit.Count != nil {
		r.expr(q.Limit.Count, seeing(here))
		if n, ok := integerLiteral(q.Limit.Count); ok && n <= 0 && q.Limit.Fetch {
			r.mistake(NumericOutOfRange, q.Limit, nil, "FETCH FIRST needs at least one row, not %d", n)
		}
	}
	if q.Limit.WithTies && len(q.OrderBy) == 0 {
		r.mistake(MissingOrderBy, q.Limit, nil, "WITH TIES needs ORDER BY")
	}
}

func (r *resolver) commonTable(t *tree.CommonTable, here *level, with *tree.With) {
	key := t.Name.Key()
	if _, again := here.tables[key]; again {
		r.mistake(DuplicateNamedQuery, t, nil, "the query name '%s' is used twice in WITH", t.Name.Name)
	}
	if with.Recursive {
		if r.recursive(t, here) {
			return
		}
		for _, ref := range references(t.Query, t.Name) {
			r.mistake(InvalidRecursive, ref, nil, "'%s' may not refer to itself here", t.Name.Name)
		}
	}
	columns := r.query(t.Query, here)
	r.columnAliases(t.Columns, columns)
	here.tables[key] = &common{name: t.Name.Name, fields: renamed(columns, t.Columns, nil)}
}

// columnAliases checks names that are given to columns.
func (r *resolver) columnAliases(names []*tree.Ident, columns []*field) {
	if len(names) == 0 || !r.aliasCount(names, columns) {
		return
	}
	seen := make(map[string]bool, len(names))
	for _, id := range names {
		if seen[id.Key()] {
			r.mistake(DuplicateColumnName, id, nil, "the column name '%s' is given twice", id.Name)
		}
		seen[id.Key()] = true
	}
}

func (r *resolver) aliasCount(names []*tree.Ident, columns []*field) bool {
	if len(names) == len(columns) || unknownTable(columns) {
		return true
	}
	r.mistake(MismatchedColumns, names[0], nil, "%d column names are given for %d columns", len(names), len(columns))
	return false
}

// renamed returns the columns under other names, where there are any, and
// another qualifier.
func renamed(columns []*field, names []*tree.Ident, qualifier []string) []*field {
	out := make([]*field, len(columns))
	copies := make([]field, len(columns))
	for i, c := range columns {
		copies[i] = *c
		copies[i].qualifier = qualifier
		if i < len(names) {
			copies[i].name, copies[i].key = names[i].Name, names[i].Key()
		}
		out[i] = &copies[i]
	}
	return out
}

func (r *resolver) body(b tree.QueryBody, here *level) []*field {
	switch b := b.(type) {
	case *tree.Select:
		return r.selectBody(b, nil, here)
	case *tree.ParenQuery:
		return unqualified(r.query(b.Query, here.inside()))
	case *tree.TableQuery:
		return placed(b.Table, r.table(b.Table, b, here))
	case *tree.Values:
		return r.values(b, here)
	case *tree.SetOp:
		return r.setOp(b, here)
	}
	return nil
}

func (r *resolver) values(v *tree.Values, here *level) []*field {
	rows := make([]types.Type, len(v.Rows))
	for i, row := range v.Rows {
		rows[i] = r.expr(row, seeing(here))
		if rows[i].Base != "row" && !rows[i].IsUnknown() {
			rows[i] = types.Row([]types.Type{rows[i]})
		}
	}
	common := rows[0]
	for i, t := range rows {
		if t.IsUnknown() || common.IsUnknown() {
			continue
		}
		if len(t.Args) != len(rows[0].Args) {
			r.mistakeAt(TypeMismatch, startOf(v), v.Rows[i], nil, "this row has %d values, the first has %d", len(t.Args), len(rows[0].Args))
			continue
		}
		both, ok := types.Common(t, common)
		if !ok {
			r.mistakeAt(TypeMismatch, startOf(v), v.Rows[i], nil, "the rows have different types: %s and %s", rows[0], t)
			continue
		}
		common = both
	}
	columns := make([]*field, len(common.Args))
	for i, t := range common.Args {
		columns[i] = newField("", t, r.cellOrigins(v, i))
	}
	return columns
}

// cellOrigins are the origins of a column of VALUES.
func (r *resolver) cellOrigins(v *tree.Values, column int) []Origin {
	var origins []Origin
	for _, row := range v.Rows {
		cell := row
		if tuple, ok := row.(*tree.Row); ok {
			if column >= len(tuple.Items) {
				continue
			}
			cell = tuple.Items[column]
		}
		origins = union(origins, r.originsOf(cell))
	}
	return origins
}

func (r *resolver) setOp(s *tree.SetOp, here *level) []*field {
	left, right := r.body(s.Left, here), r.body(s.Right, here)
	if s.Corresponding {
		var ok bool
		if left, right, ok = r.corresponding(s, left, right); !ok {
			return left
		}
		for _, f := range left {
			r.out.corresponding[s] = append(r.out.corresponding[s], f.name)
		}
	}
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
		f.from = nil
		common, ok := types.Common(left[i].typ, right[i].typ)
		if !ok {
			r.mistake(TypeMismatch, s, nil, "column %d of %s is %s on the left and %s on the right", i+1, s.Op, left[i].typ, right[i].typ)
		}
		f.typ = common
		f.origins = union(left[i].origins, right[i].origins)
		out[i] = &f
	}
	if s.Op != "UNION" || s.Quantifier != tree.QuantifierAll {
		for _, f := range out {
			if !f.typ.IsComparable() {
				r.mistake(TypeMismatch, s, nil, "%s removes duplicates, and %s does not compare", s.Op, f.typ)
			}
		}
	}
	return out
}

// corresponding matches the columns of two sides by name.
func (r *resolver) corresponding(s *tree.SetOp, left, right []*field) (l, rt []*field, ok bool) {
	if len(s.CorrespondingBy) > 0 {
		r.mistake(NotSupported, s, nil, "CORRESPONDING with column names is not supported")
		return left, right, false
	}
	for _, side := range [][]*field{left, right} {
		seen := map[string]bool{}
		for _, f := range side {
			switch {
			case f.any:
				return left, right, true
			case f.name == "":
				r.mistake(MissingColumnName, s, nil, "CORRESPONDING needs names for all columns")
				return left, right, false
			case seen[f.key]:
				r.mistake(AmbiguousName, s, nil, "CORRESPONDING: the column '%s' is there twice", f.name)
				return left, right, false
			}
			seen[f.key] = true
		}
	}
	for _, a := range left {
		for _, b := range right {
			if a.key == b.key {
				l, rt = append(l, a), append(rt, b)
			}
		}
	}
	if len(l) == 0 {
		r.mistake(MismatchedColumns, s, nil, "the two sides have no column in common")
		return left, right, false
	}
	return l, rt, true
}

// orderBy resolves ORDER BY of node, which sees the columns of here.
func (r *resolver) orderBy(node tree.Node, items []*tree.SortItem, here *level) {
	for _, item := range items {
		t := r.expr(item.Expr, seeing(here))
		if n, ok := integerLiteral(item.Expr); ok {
			f := r.ordinal(item.Expr, n, here.fields, "ORDER BY")
			if f == nil {
				continue
			}
			t = f.typ
		}
		if !t.IsOrderable() {
			r.mistakeAt(TypeMismatch, startOf(node), item.Expr, nil, "ORDER BY needs an order, and %s has none", t)
		}
	}
}

// ordinal returns the column that a bare number means; nil where there is none.
func (r *resolver) ordinal(x tree.Expr, n int64, columns []*field, clause string) *field {
	if n < 1 || n > int64(len(columns)) {
		if !unknownTable(columns) {
			r.mistake(InvalidColumnReference, x, nil, "%s %d: there are %d columns", clause, n, len(columns))
		}
		return nil
	}
	return columns[n-1]
}

// integerLiteral returns the value of an integer literal, which may have a sign.
func integerLiteral(x tree.Expr) (n int64, ok bool) {
	var text string
	switch x := tree.Unparen(x).(type) {
	case *tree.Number:
		text = x.Text
	case *tree.Unary:
		number, ok := x.X.(*tree.Number)
		if !ok || x.Op != "-" {
			return 0, false
		}
		text = "-" + number.Text
	default:
		return 0, false
	}
	if strings.ContainsAny(text, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func union(a, b []Origin) []Origin {
	if len(b) == 0 {
		return a
	}
	out := a[:len(a):len(a)]
	for _, o := range b {
		known := false
		for _, have := range out {
			known = known || have == o
		}
		if !known {
			out = append(out, o)
		}
	}
	return out
}
