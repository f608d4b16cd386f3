package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// expr resolves an expression, notes its type and origins, and returns its type.
func (r *resolver) expr(x tree.Expr, e env) types.Type {
	r.out.steps++
	t, origins := r.infer(x, e)
	i := r.info(x)
	i.typ, i.origins = t, origins
	return t
}

// parts resolves expressions and returns their origins together.
func (r *resolver) parts(e env, xs ...tree.Expr) []Origin {
	var origins []Origin
	for _, x := range xs {
		if x != nil {
			r.expr(x, e)
			origins = union(origins, r.originsOf(x))
		}
	}
	return origins
}

// infer finds the type and the origins of an expression.
func (r *resolver) infer(x tree.Expr, e env) (types.Type, []Origin) {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return r.column(x, e)
	case *tree.Paren:
		t := r.expr(x.X, e)
		return t, r.originsOf(x.X)
	case *tree.Binary:
		return r.binary(x, e)
	case *tree.Call:
		return r.call(x, e)
	case *tree.Unary:
		return r.unary(x, e)
	case *tree.Not:
		r.boolean(x.X, e, "NOT")
		return types.Boolean(), r.originsOf(x.X)
	case *tree.IsNull:
		return types.Boolean(), r.parts(e, x.X)
	case *tree.Between:
		return r.between(x, e)
	case *tree.InList:
		return r.inList(x, e)
	case *tree.Like:
		return r.like(x, e)
	case *tree.InQuery:
		return r.inQuery(x, e)
	case *tree.Quantified:
		return r.quantified(x, e)
	case *tree.Exists:
		return types.Boolean(), originsOfAll(r.query(x.Query, e.here.inside()))
	case *tree.ScalarQuery:
		return r.scalarQuery(x, e)
	case *tree.Case:
		return r.caseExpr(x, e)
	case *tree.Cast:
		return r.cast(x, e)
	case *tree.Lambda:
		r.mistake(TypeMismatch, x, nil, "a lambda stands as an argument of a function only")
		return r.lambda(x, make([]types.Type, len(x.Params)), e)
	}
	return r.inferRare(x, e)
}

func (r *resolver) inferRare(x tree.Expr, e env) (types.Type, []Origin) {
	switch x := x.(type) {
	case *tree.Field:
		return r.field(x, e)
	case *tree.ListAgg:
		return r.listAgg(x, e)
	case *tree.Special:
		return specialType(x), nil
	case *tree.Extract:
		return r.extract(x, e)
	case *tree.AtTimeZone:
		return r.atTimeZone(x, e)
	case *tree.Position:
		return r.function(x, "strpos", []tree.Expr{x.X, x.Sub}, e)
	case *tree.Trim:
		return r.trim(x, e)
	case *tree.Substring:
		return r.substring(x, e)
	case *tree.Normalize:
		return r.normalize(x, e)
	case *tree.Array:
		r.parts(e, x.Items...)
		return types.Array(r.commonOf(x.Items, "ARRAY")), r.origins(x.Items)
	case *tree.Row:
		return r.row(x, e)
	case *tree.Subscript:
		return r.subscript(x, e)
	case *tree.Grouping:
		return r.groupingCall(x, e)
	case *tree.WindowMeasure:
		return r.windowMeasure(x, e)
	case *tree.Param: // noted for the statement
		return types.Unknown(), nil
	case *tree.JSONExists, *tree.JSONValue, *tree.JSONQuery, *tree.JSONObject, *tree.JSONArray:
		return r.json(x, e)
	}
	return r.literal(x), nil
}

// origins are those of expressions together.
func (r *resolver) origins(xs []tree.Expr) []Origin {
	var origins []Origin
	for _, x := range xs {
		origins = union(origins, r.originsOf(x))
	}
	return origins
}

// column resolves a reference: a column, or a field of a column that is a row.
func (r *resolver) column(x *tree.ColumnRef, e env) (types.Type, []Origin) {
	if e.pattern != nil {
		if t, origins, ok := r.labelled(x, e); ok {
			return t, origins
		}
	}
	i := r.info(x)
	for n := len(x.Parts); n > 0; n-- {
		parts := x.Parts[:n]
		found := e.here.find(parts)
		if found.count == 0 {
			if n == 1 || !e.here.isColumn(parts) {
				r.noColumn(x, parts, e.here)
				return types.Unknown(), nil
			}
			continue
		}
		if found.count > 1 {
			r.mistake(AmbiguousName, x, nil, "the column '%s' is in more than one table: write which", (&tree.Name{Parts: parts}).String())
		}
		if !found.local && e.noOuter {
			r.mistake(NotSupported, x, nil, "'%s' is of a query around this one, which cannot be referred to here", (&tree.Name{Parts: parts}).String())
		}
		i.field, i.level, i.parts = found.field, found.level, n
		return r.fieldsOf(x, found.field, x.Parts[n:]), found.field.origins
	}
	return types.Unknown(), nil
}

// fieldsOf follows the fields of a row that are named behind a column.
func (r *resolver) fieldsOf(x *tree.ColumnRef, f *field, names []*tree.Ident) types.Type {
	t := f.typ
	for _, name := range names {
		t = r.rowField(t, x, x, name)
	}
	return t
}

// rowField is the field of a row: base is what gives the row, at the whole.
func (r *resolver) rowField(t types.Type, base, at tree.Expr, name *tree.Ident) types.Type {
	if t.IsUnknown() {
		return t
	}
	if t.Base != "row" {
		r.mistake(TypeMismatch, base, nil, "%s has no field '%s': it is no row", t, name.Name)
		return types.Unknown()
	}
	result, count := types.Unknown(), 0
	for i, n := range t.Names {
		if n != "" && strings.EqualFold(n, name.Name) {
			result = t.Args[i]
			count++
		}
	}
	switch {
	case count == 0:
		r.mistake(InvalidColumnReference, at, nearest(name.Name, t.Names), "the row has no field '%s'", name.Name)
	case count > 1:
		r.mistake(AmbiguousName, name, nil, "the row has more than one field '%s'", name.Name)
	}
	return result
}

func (r *resolver) field(x *tree.Field, e env) (types.Type, []Origin) {
	t := r.expr(x.Base, e)
	return r.rowField(t, x.Base, x, x.Name), r.originsOf(x.Base)
}

// noColumn notes a column that is not there.
func (r *resolver) noColumn(x *tree.ColumnRef, parts []*tree.Ident, here *level) {
	last := parts[len(parts)-1].Name
	qualifier := parts[:len(parts)-1]
	candidates := here.names()
	if len(qualifier) > 0 && here.qualified(qualifier) {
		candidates = here.qualifiedNames(qualifier) // the table is right: its columns come first
	}
	near := nearest(last, candidates)
	if len(near) == 0 && len(qualifier) > 0 {
		near = nearest(last, here.names())
	}
	r.mistake(ColumnNotFound, x, near, "there is no column '%s'", (&tree.Name{Parts: parts}).String())
}

// commonOf returns the type that all expressions, which are resolved, can be
// coerced to. The first one that has none in common with those before is noted.
func (r *resolver) commonOf(xs []tree.Expr, what string) types.Type {
	out := types.Null()
	for _, x := range xs {
		t := r.typeOf(x)
		common, ok := types.Common(out, t)
		if !ok {
			r.mistake(TypeMismatch, r.firstOfType(xs, t), nil, "the values of %s have no type in common: %s and %s", what, out, t)
			return types.Unknown()
		}
		out = common
	}
	for _, x := range xs {
		if t := r.typeOf(x); !types.Coercible(t, out) {
			r.mistake(TypeMismatch, r.firstOfType(xs, t), nil, "the values of %s have no type in common: %s and %s", what, out, t)
			return types.Unknown()
		}
	}
	return out
}

func (r *resolver) firstOfType(xs []tree.Expr, t types.Type) tree.Expr {
	for _, x := range xs {
		if r.typeOf(x).Identical(t) {
			return x
		}
	}
	return xs[0]
}

// boolean resolves an operand that has to be a condition.
func (r *resolver) boolean(x tree.Expr, e env, of string) {
	if t := r.expr(x, e); !types.Coercible(t, types.Boolean()) {
		r.mistake(TypeMismatch, x, nil, "%s needs a condition, this is %s", of, t)
	}
}

func originsOfAll(fields []*field) []Origin {
	var origins []Origin
	for _, f := range fields {
		origins = union(origins, f.origins)
	}
	return origins
}
