package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) call(c *tree.Call) string {
	if len(c.Name.Parts) > 1 {
		return e.no(c, "the function %s", c.Name)
	}
	fn := c.Name.Key()
	kind, _ := resolve.FunctionKind(fn)
	if text, done := e.specialCall(fn, c); done {
		return text
	}
	if fn == "count" && c.Star {
		return e.modified("count(*)", c)
	}
	args := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		args[i] = e.typeOf(a)
	}
	for _, m := range mappings()[fn] {
		if !m.fits(args) {
			continue
		}
		if fn == "try" {
			e.trying++
			defer func() { e.trying-- }()
		}
		if fn == "sequence" && e.lambda > 0 {
			return e.no(c, "sequence inside a lambda")
		}
		var text string
		if m.repeats() {
			text = e.once(c, c.Args, m.fill)
		} else {
			text = m.fill(e.exprs(c.Args))
		}
		if kind == resolve.KindScalar {
			if c.Quantifier != "" || len(c.OrderBy) > 0 || c.Filter != nil || c.Over != nil {
				return e.no(c, "DISTINCT, ORDER BY, FILTER or OVER with %s", c.Name)
			}
			return text
		}
		return e.narrowed(fn, e.modified(text, c), args)
	}
	if len(mappings()[fn]) > 0 {
		return e.no(c, "%s(%s)", c.Name, join(args, ", ", orUnknown))
	}
	return e.no(c, "the function %s", c.Name)
}

// narrowed gives sums the type that Presto gives them.
func (e *emitter) narrowed(fn, text string, args []types.Type) string {
	if fn == "sum" && args[0].IsInteger() {
		return "CAST(" + text + " AS BIGINT)"
	}
	if fn == "sum" && args[0].Base == "real" {
		return "CAST(" + text + " AS REAL)"
	}
	switch fn {
	case "corr", "regr_slope", "regr_intercept": // Presto gives null where there is no number
		return onceText(text, func(x string) string { return "CASE WHEN isfinite(" + x + ") THEN " + x + " END" })
	}
	return text
}

// modified adds DISTINCT, ORDER BY, FILTER and OVER to a call.
func (e *emitter) modified(text string, c *tree.Call) string {
	inside := strings.TrimSuffix(text, ")")
	if c.Quantifier == tree.QuantifierDistinct {
		function, args, _ := strings.Cut(inside, "(")
		if strings.HasPrefix(args, "DISTINCT ") {
			return e.no(c, "DISTINCT with %s", c.Name)
		}
		inside = function + "(DISTINCT " + args
	}
	if len(c.OrderBy) > 0 {
		inside += " ORDER BY " + join(c.OrderBy, ", ", e.sortItem)
	}
	if c.Nulls == "IGNORE" {
		inside += " IGNORE NULLS"
	}
	text = inside + ")"
	if c.Filter != nil {
		text += " FILTER (WHERE " + e.expr(c.Filter) + ")"
	}
	if c.Over != nil {
		text += " OVER " + e.over(c.Over)
	}
	return text
}

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
		parts = append(parts, "PARTITION BY "+join(w.PartitionBy, ", ", e.expr))
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

func (e *emitter) listAgg(l *tree.ListAgg) string {
	if l.Overflow != "" && !strings.EqualFold(l.Overflow, "error") {
		return e.no(l, "ON OVERFLOW %s", l.Overflow)
	}
	separator := "''"
	if l.Separator != nil {
		separator = e.expr(l.Separator)
	}
	distinct := ""
	if l.Quantifier == tree.QuantifierDistinct {
		distinct = "DISTINCT "
	}
	text := "string_agg(" + distinct + e.expr(l.X) + ", " + separator + " ORDER BY " + join(l.OrderBy, ", ", e.sortItem) + ")"
	if l.Filter != nil {
		text += " FILTER (WHERE " + e.expr(l.Filter) + ")"
	}
	return text
}
