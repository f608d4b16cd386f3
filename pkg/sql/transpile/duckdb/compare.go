package duckdb

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Comparisons of arrays, maps and rows. DuckDB takes two nulls inside of them for
// equal; in Presto they make the answer null, or an error where there is an order
// to find.

func (e *emitter) isNested(xs ...tree.Expr) bool {
	for _, x := range xs {
		if len(e.typeOf(x).Args) > 0 {
			return true
		}
	}
	return false
}

// common returns the type that all have in common.
func (e *emitter) common(at tree.Expr, xs ...tree.Expr) types.Type {
	out := types.Null()
	for _, x := range xs {
		t, ok := types.Common(out, e.typeOf(x))
		if !ok || t.IsUnknown() {
			e.no(at, "a comparison of %s and %s", orUnknown(out), orUnknown(e.typeOf(x)))
			return types.Unknown()
		}
		out = t
	}
	return out
}

func (e *emitter) compareNested(x *tree.Binary) string {
	t := e.common(x, x.Left, x.Right)
	return e.nested(x, func() string {
		operands := []operand{{text: e.coerced(x.Left, t)}, {text: e.coerced(x.Right, t)}}
		return bind(operands, func(args []string) string {
			switch x.Op {
			case tree.OpEq:
				return e.equal(x, args[0], args[1], t)
			case tree.OpNe:
				return "(NOT " + e.equal(x, args[0], args[1], t) + ")"
			case tree.OpDistinct, tree.OpNotDistinct:
				return "(" + e.grouped(args[0], t) + " " + x.Op + " " + e.grouped(args[1], t) + ")"
			}
			return "(" + e.order(x, args[0], args[1], t) + " " + x.Op + " 0)"
		})
	})
}

// equal writes =, with nulls inside as Presto takes them. The texts are names or
// paths from names: they are written more than once.
func (e *emitter) equal(at tree.Expr, a, b string, t types.Type) string {
	switch t.Base {
	case "array":
		i := "presto_v" + e.suffix()
		parts := e.equal(at, a+"["+i+"]", b+"["+i+"]", t.Args[0])
		return fmt.Sprintf("CASE WHEN len(%s) <> len(%s) THEN false WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE presto_all(list_transform(range(1, len(%s) + 1), lambda %s: %s)) END",
			a, b, a, b, a, i, parts)
	case "row":
		parts := make([]string, len(t.Args))
		for i, f := range t.Args {
			parts[i] = e.equal(at, fieldOf(a, i), fieldOf(b, i), f)
		}
		return fmt.Sprintf("CASE WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE %s END", a, b, strings.Join(parts, " AND "))
	case "map":
		if len(t.Args[0].Args) > 0 {
			return e.no(at, "a comparison of %s values", t)
		}
		k := "presto_v" + e.suffix()
		parts := e.equal(at, a+"["+k+"]", b+"["+k+"]", t.Args[1])
		return fmt.Sprintf("CASE WHEN cardinality(%s) <> cardinality(%s) THEN false WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE presto_all(list_transform(map_keys(%s), lambda %s: CASE WHEN map_contains(%s, %s) THEN %s ELSE false END)) END",
			a, b, a, b, a, k, b, k, parts)
	case "unknown":
		return "CAST(NULL AS BOOLEAN)"
	case "":
		return e.no(at, "a comparison of values of unknown type")
	}
	return e.expr(e.made(&tree.Binary{Meta: tree.At(at.Span()), Op: tree.OpEq, Left: e.stand(a, t), Right: e.stand(b, t)}, types.Boolean()))
}

// made notes the type of an expression that was made here.
func (e *emitter) made(x tree.Expr, t types.Type) tree.Expr {
	e.given[x] = t
	return x
}

// order writes -1, 0 or 1; a null that is met before the order is decided is an
// error, as in Presto.
func (e *emitter) order(at tree.Expr, a, b string, t types.Type) string {
	switch t.Base {
	case "array":
		i := "presto_v" + e.suffix()
		return fmt.Sprintf("CASE WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE presto_decide(list_transform(range(1, least(len(%s), len(%s)) + 1), lambda %s: %s), len(%s), len(%s)) END",
			a, b, a, b, i, e.orderPart(at, a+"["+i+"]", b+"["+i+"]", t.Args[0]), a, b)
	case "row":
		parts := make([]string, len(t.Args))
		for i, f := range t.Args {
			parts[i] = e.orderPart(at, fieldOf(a, i), fieldOf(b, i), f)
		}
		return fmt.Sprintf("CASE WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE presto_decide([%s], 0, 0) END", a, b, strings.Join(parts, ", "))
	case "map", "", "unknown":
		return e.no(at, "an order of %s values", orUnknown(t))
	}
	less := e.made(&tree.Binary{Meta: tree.At(at.Span()), Op: tree.OpLt, Left: e.stand(a, t), Right: e.stand(b, t)}, types.Boolean())
	more := e.made(&tree.Binary{Meta: tree.At(at.Span()), Op: tree.OpGt, Left: e.stand(a, t), Right: e.stand(b, t)}, types.Boolean())
	return fmt.Sprintf("CASE WHEN %s THEN -1 WHEN %s THEN 1 ELSE 0 END", e.expr(less), e.expr(more))
}

// orderPart is order of parts of a value: null for one that is null.
func (e *emitter) orderPart(at tree.Expr, a, b string, t types.Type) string {
	return fmt.Sprintf("CASE WHEN %s IS NULL OR %s IS NULL THEN NULL ELSE %s END", a, b, e.order(at, a, b, t))
}

func (e *emitter) betweenNested(x *tree.Between) string {
	t := e.common(x, x.X, x.Low, x.High)
	return e.nested(x, func() string {
		operands := []operand{{text: e.coerced(x.X, t)}, {text: e.coerced(x.Low, t)}, {text: e.coerced(x.High, t)}}
		return bind(operands, func(args []string) string {
			text := "(" + e.order(x, args[0], args[1], t) + " >= 0 AND " + e.order(x, args[0], args[2], t) + " <= 0)"
			if x.Not {
				return "(NOT " + text + ")"
			}
			return text
		})
	})
}

func (e *emitter) inNested(x *tree.InList) string {
	t := e.common(x, append([]tree.Expr{x.X}, x.List...)...)
	return e.nested(x, func() string {
		v := "presto_v" + e.suffix()
		list := "[" + join(x.List, ", ", func(item tree.Expr) string { return e.coerced(item, t) }) + "]"
		text := bind([]operand{{text: e.coerced(x.X, t)}, {text: list}}, func(args []string) string {
			return "presto_any(list_transform(" + args[1] + ", lambda " + v + ": " + e.equal(x, args[0], v, t) + "))"
		})
		if x.Not {
			return "(NOT " + text + ")"
		}
		return text
	})
}

// grouped writes a value in the form in which equal ones are the same to DuckDB:
// the entries of maps have no order in Presto.
func (e *emitter) grouped(text string, t types.Type) string {
	if t.Base == "map" {
		return "presto_sorted_map(" + text + ")"
	}
	return text
}

// inQuery writes IN (query); a row on the left is compared with the columns.
func (e *emitter) inQuery(x *tree.InQuery) string {
	t := e.typeOf(x.X)
	if len(t.Args) == 0 {
		return "(" + e.expr(x.X) + not(x.Not) + " IN (" + e.query(x.Query) + "))"
	}
	out := e.r.OutputOf(x.Query)
	row, isRow := tree.Unparen(x.X).(*tree.Row)
	if !isRow || len(out) != len(row.Items) {
		return e.no(x, "IN (query) of a %s", t.Base)
	}
	for _, item := range row.Items {
		if e.isNested(item) {
			return e.no(x, "IN (query) of nested rows")
		}
	}
	return "((" + join(row.Items, ", ", e.expr) + ")" + not(x.Not) + " IN (" + e.query(x.Query) + "))"
}
