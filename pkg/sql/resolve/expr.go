package resolve

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// expr resolves an expression, notes its type and origins, and returns its type.
func (r *resolver) expr(x tree.Expr, here *level) types.Type {
	t, origins := r.infer(x, here)
	r.out.types[x] = t
	if len(origins) > 0 {
		r.out.origins[x] = origins
	}
	return t
}

// parts resolves expressions and returns their origins together.
func (r *resolver) parts(here *level, xs ...tree.Expr) []Origin {
	var origins []Origin
	for _, x := range xs {
		if x != nil {
			r.expr(x, here)
			origins = union(origins, r.out.origins[x])
		}
	}
	return origins
}

func (r *resolver) infer(x tree.Expr, here *level) (types.Type, []Origin) {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return r.column(x, here)
	case *tree.Paren:
		t := r.expr(x.X, here)
		return t, r.out.origins[x.X]
	case *tree.Field:
		t := r.expr(x.Base, here)
		return rowField(t, x.Name), r.out.origins[x.Base]
	case *tree.Unary:
		t := r.expr(x.X, here)
		return t, r.out.origins[x.X]
	case *tree.Binary:
		return r.binary(x, here)
	case *tree.Not:
		return types.Boolean(), r.parts(here, x.X)
	case *tree.IsNull:
		return types.Boolean(), r.parts(here, x.X)
	case *tree.Between:
		origins := r.parts(here, x.X, x.Low, x.High)
		r.comparable(x, x.X, x.Low)
		r.comparable(x, x.X, x.High)
		return types.Boolean(), origins
	case *tree.InList:
		origins := r.parts(here, append([]tree.Expr{x.X}, x.List...)...)
		for _, item := range x.List {
			r.comparable(item, x.X, item)
		}
		return types.Boolean(), origins
	case *tree.Like:
		return types.Boolean(), r.parts(here, x.X, x.Pattern, x.Escape)
	case *tree.InQuery:
		origins := r.parts(here, x.X)
		return types.Boolean(), union(origins, r.subquery(x.Query, here))
	case *tree.Quantified:
		origins := r.parts(here, x.X)
		return types.Boolean(), union(origins, r.subquery(x.Query, here))
	case *tree.Exists:
		return types.Boolean(), r.subquery(x.Query, here)
	case *tree.ScalarQuery:
		columns := r.query(x.Query, here)
		if len(columns) == 1 {
			return columns[0].typ, columns[0].origins
		}
		return types.Unknown(), nil
	case *tree.Case:
		return r.caseExpr(x, here)
	case *tree.Cast:
		origins := r.parts(here, x.X)
		return types.Parse(x.Type.Text), origins
	case *tree.Call:
		return r.call(x, here)
	case *tree.ListAgg:
		origins := r.parts(here, x.X, x.Separator, x.Filter)
		r.sortItems(x.OrderBy, here)
		return types.Varchar(), origins
	}
	return r.special(x, here)
}

func (r *resolver) special(x tree.Expr, here *level) (types.Type, []Origin) {
	switch x := x.(type) {
	case *tree.Special:
		return specialType(x), nil
	case *tree.Extract:
		return types.Bigint(), r.parts(here, x.X)
	case *tree.AtTimeZone:
		origins := r.parts(here, x.X, x.Zone)
		t := r.out.types[x.X]
		if t.Base == "timestamp" || t.Base == "time" {
			t.Base += " with time zone"
		}
		return t, origins
	case *tree.Position:
		return types.Bigint(), r.parts(here, x.Sub, x.X)
	case *tree.Trim:
		return types.Varchar(), r.parts(here, x.Chars, x.X)
	case *tree.Substring:
		return types.Varchar(), r.parts(here, x.X, x.From, x.For)
	case *tree.Normalize:
		return types.Varchar(), r.parts(here, x.X)
	case *tree.Array:
		origins := r.parts(here, x.Items...)
		return types.Array(r.commonOf(x.Items)), origins
	case *tree.Row:
		origins := r.parts(here, x.Items...)
		fields := make([]types.Type, len(x.Items))
		for i, item := range x.Items {
			fields[i] = r.out.types[item]
		}
		return types.Row(fields), origins
	case *tree.Subscript:
		origins := r.parts(here, x.X, x.Index)
		switch t := r.out.types[x.X]; t.Base {
		case "array":
			return t.Args[0], origins
		case "map":
			return t.Args[1], origins
		}
		return types.Unknown(), origins
	case *tree.Lambda: // outside of a call nothing is known of its parameters
		return r.lambda(x, make([]types.Type, len(x.Params)), here)
	case *tree.Grouping:
		var origins []Origin
		for _, c := range x.Columns {
			origins = union(origins, r.parts(here, c))
		}
		return types.Integer(), origins
	}
	return literalType(x), nil
}

func literalType(x tree.Expr) types.Type {
	switch x := x.(type) {
	case *tree.Null:
		return types.Null()
	case *tree.Bool:
		return types.Boolean()
	case *tree.Number:
		return numberType(x.Text)
	case *tree.String:
		return types.Varchar()
	case *tree.Bytes:
		return types.Varbinary()
	case *tree.Interval:
		if x.From == "YEAR" || x.From == "MONTH" {
			return types.MonthInterval()
		}
		return types.DayInterval()
	case *tree.Typed:
		return typedLiteral(x)
	}
	return types.Unknown()
}

func typedLiteral(x *tree.Typed) types.Type {
	switch x.Type {
	case "decimal":
		return types.DecimalLiteral(x.Value)
	case "timestamp", "time":
		t := types.Type{Base: x.Type}
		value := x.Value
		if _, fraction, ok := strings.Cut(value, "."); ok {
			for t.Precision < len(fraction) && fraction[t.Precision] >= '0' && fraction[t.Precision] <= '9' {
				t.Precision++
			}
		}
		if hasZone(value) {
			t.Base += " with time zone"
		}
		return t
	}
	return types.Parse(x.Type)
}

// hasZone reports whether a timestamp's text ends in a zone.
func hasZone(value string) bool {
	_, clock, ok := strings.Cut(strings.TrimSpace(value), ":")
	return ok && strings.ContainsFunc(clock, func(c rune) bool { return c == '+' || c == '-' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' })
}

func numberType(text string) types.Type {
	switch {
	case strings.ContainsAny(text, "eE"):
		return types.Double()
	case strings.Contains(text, "."):
		return types.DecimalLiteral(text)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n <= 1<<31-1 {
		return types.Integer()
	}
	return types.Bigint()
}

func specialType(s *tree.Special) types.Type {
	precision := 3
	if n, ok := s.Precision.(*tree.Number); ok {
		if p, err := strconv.Atoi(n.Text); err == nil {
			precision = p
		}
	}
	switch s.Name {
	case "CURRENT_DATE":
		return types.Date()
	case "CURRENT_TIMESTAMP":
		return types.Type{Base: "timestamp with time zone", Precision: precision}
	case "LOCALTIMESTAMP":
		return types.Timestamp(precision)
	case "CURRENT_TIME":
		return types.Type{Base: "time with time zone", Precision: precision}
	case "LOCALTIME":
		return types.Type{Base: "time", Precision: precision}
	}
	return types.Varchar()
}

func (r *resolver) column(x *tree.ColumnRef, here *level) (types.Type, []Origin) {
	f, rest, count := here.find(x.Parts)
	name := (&tree.Name{Parts: x.Parts}).String()
	switch {
	case count == 0:
		r.mistake(ColumnNotFound, x, nearest(x.Parts[len(x.Parts)-1].Name, here.names()), "there is no column '%s'", name)
		return types.Unknown(), nil
	case count > 1:
		r.mistake(AmbiguousName, x, nil, "the column '%s' is in more than one table: write which", name)
	}
	r.out.fields[x] = f
	t := f.typ
	for _, part := range rest {
		if !t.IsUnknown() && t.Base != "row" {
			r.mistake(TypeMismatch, x, nil, "'%s' is %s and has no field '%s'", f.name, t, part.Name)
			return types.Unknown(), f.origins
		}
		t = rowField(t, part)
	}
	return t, f.origins
}

func rowField(t types.Type, name *tree.Ident) types.Type {
	if t.Base == "row" {
		for i, n := range t.Names {
			if strings.EqualFold(n, name.Name) {
				return t.Args[i]
			}
		}
	}
	return types.Unknown()
}

func (r *resolver) binary(x *tree.Binary, here *level) (types.Type, []Origin) {
	origins := r.parts(here, x.Left, x.Right)
	left, right := r.out.types[x.Left], r.out.types[x.Right]
	switch x.Op {
	case tree.OpAnd, tree.OpOr:
		for _, side := range []tree.Expr{x.Left, x.Right} {
			if t := r.out.types[side]; !t.IsUnknown() && !t.IsNull() && t.Base != "boolean" {
				r.mistake(TypeMismatch, side, nil, "%s needs conditions on both sides, this is %s", x.Op, t)
			}
		}
		return types.Boolean(), origins
	case tree.OpConcat:
		if left.Base == "array" || right.Base != "array" {
			if left.IsNull() {
				return right, origins
			}
			if left.IsText() {
				left = types.Varchar()
			}
			return left, origins
		}
		return right, origins
	case tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv, tree.OpMod:
		t, ok := types.Arithmetic(x.Op, left, right)
		if !ok {
			r.mistake(TypeMismatch, x, nil, "cannot apply operator: %s %s %s", left, x.Op, right)
		}
		return t, origins
	}
	r.comparable(x, x.Left, x.Right)
	return types.Boolean(), origins
}

// comparable notes a comparison of types that do not compare.
func (r *resolver) comparable(at tree.Node, a, b tree.Expr) {
	left, right := r.out.types[a], r.out.types[b]
	if _, ok := types.Common(left, right); !ok {
		r.mistake(TypeMismatch, at, nil, "cannot compare %s with %s", left, right)
	}
}

func (r *resolver) commonOf(xs []tree.Expr) types.Type {
	out := types.Null()
	for _, x := range xs {
		t, ok := types.Common(out, r.out.types[x])
		if !ok || r.out.types[x].IsUnknown() {
			return types.Unknown()
		}
		out = t
	}
	return out
}

func (r *resolver) caseExpr(c *tree.Case, here *level) (types.Type, []Origin) {
	origins := r.parts(here, c.Operand)
	var results []tree.Expr
	for _, w := range c.Whens {
		origins = union(origins, r.parts(here, w.Cond, w.Result))
		results = append(results, w.Result)
		if c.Operand != nil {
			r.comparable(w.Cond, c.Operand, w.Cond)
		}
	}
	if c.Else != nil {
		origins = union(origins, r.parts(here, c.Else))
		results = append(results, c.Else)
	}
	return r.commonOf(results), origins
}

func (r *resolver) subquery(q *tree.Query, here *level) []Origin {
	var origins []Origin
	for _, f := range r.query(q, here) {
		origins = union(origins, f.origins)
	}
	return origins
}

func (r *resolver) sortItems(items []*tree.SortItem, here *level) {
	for _, item := range items {
		r.expr(item.Expr, here)
	}
}
