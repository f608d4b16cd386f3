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
	if typ == "" {
		return e.no(at, "a value of type %s", to)
	}
	return "CAST(" + text + " AS " + typ + ")"
}

// sameStorage reports types whose values DuckDB holds alike.
func sameStorage(a, b types.Type) bool {
	if a.IsUnknown() || b.IsUnknown() || len(a.Args) != len(b.Args) {
		return false
	}
	if len(a.Args) == 0 {
		return a.Base == b.Base && (!a.IsDecimal() || a.Precision == b.Precision && a.Scale == b.Scale)
	}
	for i := range a.Args {
		if !sameStorage(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return a.Base == b.Base
}
