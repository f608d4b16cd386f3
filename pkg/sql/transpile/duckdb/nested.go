package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Rows are structs whose fields are called f1, f2, ...: Presto's fields may have
// no name, or the same one.

// fieldName returns what DuckDB calls a row's field; i counts from 0.
func fieldName(i int) string { return "f" + strconv.Itoa(i+1) }

// duckStruct returns the DuckDB type of a row.
func duckStruct(t types.Type) string {
	fields := make([]string, len(t.Args))
	for i, a := range t.Args {
		typ := duckType(a)
		if typ == "" {
			return ""
		}
		fields[i] = fieldName(i) + " " + typ
	}
	if len(fields) == 0 {
		return ""
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}

func (e *emitter) array(x *tree.Array) string {
	t := e.typeOf(x)
	if t.Base != "array" || len(x.Items) == 0 {
		return "[" + join(x.Items, ", ", e.expr) + "]"
	}
	return "[" + join(x.Items, ", ", func(item tree.Expr) string { return e.coerced(item, t.Args[0]) }) + "]"
}

func (e *emitter) row(x *tree.Row) string {
	fields := make([]string, len(x.Items))
	for i, item := range x.Items {
		fields[i] = "'" + fieldName(i) + "': " + e.expr(item)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// path writes fields of a row's value.
func (e *emitter) path(at tree.Node, text string, t types.Type, fields []*tree.Ident) string {
	for _, f := range fields {
		i := fieldIndex(t, f)
		if i < 0 {
			return e.no(at, "the field %s of a %s", f.Name, orUnknown(t))
		}
		text, t = fieldOf(text, i), t.Args[i]
	}
	return text
}

func fieldIndex(t types.Type, field *tree.Ident) int {
	found := -1
	if t.Base == "row" {
		for i, n := range t.Names {
			if strings.EqualFold(n, field.Name) {
				if found >= 0 {
					return -1
				}
				found = i
			}
		}
	}
	return found
}

func fieldOf(text string, i int) string {
	return "struct_extract(" + text + ", '" + fieldName(i) + "')"
}

// keyOf and valueOf write the parts of an entry of a map.
func keyOf(entry string) string   { return "struct_extract(" + entry + ", 'key')" }
func valueOf(entry string) string { return "struct_extract(" + entry + ", 'value')" }

func (e *emitter) subscript(x *tree.Subscript) string {
	t := e.typeOf(x.X)
	switch t.Base {
	case "array":
		return "presto_subscript(" + e.expr(x.X) + ", " + e.coerced(x.Index, types.Bigint()) + ")"
	case "map":
		if len(t.Args[0].Args) > 0 {
			return e.no(x, "a subscript of a %s", t)
		}
		return "presto_map_value(" + e.expr(x.X) + ", " + e.coerced(x.Index, t.Args[0]) + ")"
	case "row":
		if n, ok := x.Index.(*tree.Number); ok {
			if i, err := strconv.Atoi(n.Text); err == nil && i >= 1 && i <= len(t.Args) {
				return fieldOf(e.expr(x.X), i-1)
			}
		}
	}
	return e.no(x, "a subscript of a %s", orUnknown(t))
}

// concatArrays writes || of arrays and of elements.
func (e *emitter) concatArrays(x *tree.Binary) string {
	t := e.typeOf(x)
	element := func(t types.Type) types.Type {
		if t.Base == "array" {
			return t.Args[0]
		}
		return t
	}
	left, right := e.typeOf(x.Left), e.typeOf(x.Right)
	if common, ok := types.Common(element(left), element(right)); ok && left.Base == right.Base && !canBe(types.Array(common), t) {
		t = types.Unknown()
	} else if left.Base != right.Base && !canBe(element(left), element(right)) && !canBe(element(right), element(left)) && !canBe(right, element(left)) && !canBe(left, element(right)) {
		t = types.Unknown()
	}
	if t.Base != "array" {
		return e.no(x, "|| of %s and %s", orUnknown(e.typeOf(x.Left)), orUnknown(e.typeOf(x.Right)))
	}
	parts := operandsOfArray(e, x)
	texts := make([]string, len(parts))
	for i, p := range parts {
		pt := e.typeOf(p)
		if pt.Base == "array" && canBe(pt, t) {
			texts[i] = e.coerced(p, t)
		} else {
			texts[i] = "presto_one(" + e.coerced(p, t.Args[0]) + ")" // null for null
		}
	}
	return e.joinArrays(x, texts)
}

// joinArrays joins arrays of one type; null where one is null, an error where the
// result is too long.
func (e *emitter) joinArrays(at tree.Node, texts []string) string {
	return e.nested(at, func() string {
		if e.amplified {
			e.grows(at, MaxText)
		}
		return "presto_array_concat([" + strings.Join(texts, ", ") + "])"
	})
}

// operandsOfArray returns what a chain of || joins, as far as it is of arrays of
// one type.
func operandsOfArray(e *emitter, x tree.Expr) []tree.Expr {
	switch y := x.(type) {
	case *tree.Paren:
		return operandsOfArray(e, y.X)
	case *tree.Binary:
		if y.Op == tree.OpConcat && e.typeOf(y).Base == "array" {
			t := e.typeOf(y)
			var out []tree.Expr
			for _, side := range []tree.Expr{y.Left, y.Right} {
				if st := e.typeOf(side); st.Base == "array" && canBe(st, t) {
					out = append(out, operandsOfArray(e, side)...)
				} else {
					out = append(out, side)
				}
			}
			return out
		}
	}
	return []tree.Expr{x}
}

// canBe reports whether Presto makes a value of type to of one of type from.
func canBe(from, to types.Type) bool {
	common, ok := types.Common(from, to)
	return ok && (common.IsUnknown() || sameStorage(common, to))
}

// castNested writes a cast of arrays, maps and rows: of each of their parts.
func (e *emitter) castNested(at tree.Expr, text string, from, to types.Type, try bool) string {
	if from.Base != to.Base || len(from.Args) != len(to.Args) {
		return e.no(at, "a cast from %s to %s", orUnknown(from), to)
	}
	trying := e.trying
	e.trying = 0 // a part that cannot be cast makes the whole null
	out := e.castPart(at, text, from, to)
	e.trying = trying
	if try || trying > 0 {
		return "TRY(" + out + ")"
	}
	return out
}

func (e *emitter) castPart(at tree.Node, text string, from, to types.Type) string {
	if sameStorage(from, to) && !hasLength(to) {
		return text
	}
	if from.IsNull() {
		return e.coercedText(at, text, from, to)
	}
	if len(to.Args) == 0 {
		c := &tree.Cast{Meta: tree.At(at.Span()), X: e.stand(text, from), Type: &tree.TypeName{Text: to.String()}}
		e.given[c] = to
		return e.expr(c)
	}
	if from.Base != to.Base || len(from.Args) != len(to.Args) {
		return e.no(at, "a cast from %s to %s", orUnknown(from), to)
	}
	v := "presto_v" + e.suffix()
	switch to.Base {
	case "array":
		return "list_transform(" + text + ", lambda " + v + ": " + e.castPart(at, v, from.Args[0], to.Args[0]) + ")"
	case "map":
		return "presto_map_of(list_transform(map_entries(" + text + "), lambda " + v + ": {'k': " +
			e.castPart(at, keyOf(v), from.Args[0], to.Args[0]) + ", 'v': " + e.castPart(at, valueOf(v), from.Args[1], to.Args[1]) + "}))"
	case "row":
		fields := make([]string, len(to.Args))
		for i := range to.Args {
			fields[i] = "'" + fieldName(i) + "': " + e.castPart(at, fieldOf(v, i), from.Args[i], to.Args[i])
		}
		return fmt.Sprintf("list_transform([%s], lambda %s: CASE WHEN %s IS NULL THEN NULL ELSE {%s} END)[1]", text, v, v, strings.Join(fields, ", "))
	}
	return e.no(at, "a cast to %s", to)
}

// hasLength reports texts of a bounded length and times of so many digits, which a
// cast cuts and rounds.
func hasLength(t types.Type) bool {
	if (t.IsText() || t.IsTime()) && t.Precision >= 0 {
		return true
	}
	for _, a := range t.Args {
		if hasLength(a) {
			return true
		}
	}
	return false
}

// canonical returns the expression that gives a stored value the form that rows
// have here; "" where it has it already.
func (e *emitter) canonical(text string, t types.Type) string {
	v := "presto_v" + e.suffix()
	switch t.Base {
	case "timestamp with time zone": // stored as an instant alone
		return "presto_tz(make_timestamp(epoch_us(" + text + ")), 'UTC')"
	case "array":
		if inner := e.canonical(v, t.Args[0]); inner != "" {
			return "list_transform(" + text + ", lambda " + v + ": " + inner + ")"
		}
	case "map":
		key, value := e.canonical(keyOf(v), t.Args[0]), e.canonical(valueOf(v), t.Args[1])
		if key == "" && value == "" {
			return ""
		}
		return "map_from_entries(list_transform(map_entries(" + text + "), lambda " + v + ": {'k': " + or(key, keyOf(v)) + ", 'v': " + or(value, valueOf(v)) + "}))"
	case "row":
		fields := make([]string, len(t.Args))
		for i := range t.Args {
			part := "struct_extract_at(" + v + ", " + strconv.Itoa(i+1) + ")"
			fields[i] = "'" + fieldName(i) + "': " + or(e.canonical(part, t.Args[i]), part)
		}
		return fmt.Sprintf("list_transform([%s], lambda %s: CASE WHEN %s IS NULL THEN NULL ELSE {%s} END)[1]", text, v, v, strings.Join(fields, ", "))
	}
	return ""
}

func or(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}
