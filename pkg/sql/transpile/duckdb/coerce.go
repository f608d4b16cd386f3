package duckdb

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// coerced writes an expression as a value of type to, which Presto would make of
// it by itself.
func (e *emitter) coerced(x tree.Expr, to types.Type) string {
	return e.coercedText(x, e.expr(x), e.typeOf(x), to)
}

// coercedText is coerced for what is written already.
func (e *emitter) coercedText(at tree.Node, text string, from, to types.Type) string {
	if to.IsUnknown() || to.IsNull() || sameStorage(from, to) {
		return text
	}
	typ := duckType(to)
	switch {
	case typ == "":
		return e.no(at, "a value of type %s", to)
	case from.IsNull() || from.IsUnknown():
		return "CAST(" + text + " AS " + typ + ")"
	case len(from.Args) > 0:
		return e.castPart(at, text, from, to)
	case len(from.Args) == 0 && len(to.Args) == 0:
		return e.castValue(at, text, from, to)
	}
	return "CAST(" + text + " AS " + typ + ")"
}

// sameStorage reports types whose values DuckDB holds alike.
func sameStorage(a, b types.Type) bool {
	if a.IsUnknown() || b.IsUnknown() || len(a.Args) != len(b.Args) {
		return false
	}
	if len(a.Args) == 0 {
		switch {
		case a.Base != b.Base:
			return false
		case a.IsDecimal():
			return a.Precision == b.Precision && a.Scale == b.Scale
		case a.IsTime():
			return a.Precision == b.Precision || max(a.Precision, b.Precision) <= 6
		}
		return true
	}
	for i := range a.Args {
		if !sameStorage(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return a.Base == b.Base
}
