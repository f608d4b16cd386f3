package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (e *emitter) over(o *tree.Over) string {
	if o.Name != nil {
		return name(o.Name)
	}
	return "(" + e.window(o.Spec) + ")"
}

func (e *emitter) window(w *tree.Window) string {
	var parts []string
	if w.Base != nil {
		parts = append(parts, name(w.Base))
	}
	if len(w.PartitionBy) > 0 {
		parts = append(parts, "PARTITION BY "+join(w.PartitionBy, ", ", func(x tree.Expr) string { return e.grouped(e.expr(x), e.typeOf(x)) }))
	}
	if len(w.OrderBy) > 0 {
		parts = append(parts, "ORDER BY "+join(w.OrderBy, ", ", e.sortItem))
	}
	if f := w.Frame; f != nil {
		if f.End == nil {
			parts = append(parts, f.Unit+" "+e.bound(f.Start))
		} else {
			parts = append(parts, f.Unit+" BETWEEN "+e.bound(f.Start)+" AND "+e.bound(f.End))
		}
	}
	return strings.Join(parts, " ")
}

func (e *emitter) bound(b *tree.Bound) string {
	if b.X == nil {
		return b.Kind
	}
	return e.expr(b.X) + " " + b.Kind
}
