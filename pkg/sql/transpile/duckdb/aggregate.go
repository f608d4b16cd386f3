package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Templates of aggregates mark what DISTINCT, ORDER BY, FILTER and OVER belong to
// by «...»; without marks it is the whole.
const (
	openMark  = "«"
	closeMark = "»"
)

// aggregate writes an aggregate or window function by its mapping.
func (e *emitter) aggregate(c *tree.Call, m mapping, vars variables) string {
	args, suffix := e.arguments(m, vars, c.Args), e.suffix()
	if m.repeats() {
		return e.no(c, "the function %s", c.Name)
	}
	write := func(template string) string {
		return mapping{classes: m.classes, variadic: m.variadic, template: template}.fill(args, suffix)
	}
	if !strings.Contains(m.template, openMark) {
		return e.modified(write(m.template), c)
	}
	var b strings.Builder
	rest := m.template
	for {
		before, after, found := strings.Cut(rest, openMark)
		b.WriteString(write(before))
		if !found {
			return b.String()
		}
		marked, behind, _ := strings.Cut(after, closeMark)
		b.WriteString(e.modified(write(marked), c))
		rest = behind
	}
}

// aggregateCall writes the aggregates whose form depends on their arguments.
func (e *emitter) aggregateCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	switch {
	case fn == "count" && c.Star:
		return e.modified("count(*)", c), true
	case fn == "count" && n == 1 && c.Quantifier == tree.QuantifierDistinct && e.isNested(c.Args[0]):
		return e.modified("count("+e.grouped(e.expr(c.Args[0]), e.typeOf(c.Args[0]))+")", c), true
	case (fn == "max" || fn == "min") && n == 1:
		return e.extremum(fn, c)
	case (fn == "max_by" || fn == "min_by") && n >= 2:
		return e.extremumBy(fn, c)
	case fn == "approx_distinct" && (n == 1 || n == 2):
		return e.approxDistinct(c), true
	case fn == "approx_percentile" && (n == 2 || n == 3):
		return e.approxPercentile(c), true
	case fn == "cardinality" && n == 1:
		return e.sketchSize(c)
	case fn == "value_at_quantile" && n == 2:
		return e.digestValue(c)
	case fn == "checksum" && n == 1:
		return e.checksum(c), true
	case fn == "reduce_agg" && n == 4:
		return e.reduceAgg(c), true
	}
	return "", false
}

// extremum writes max and min of one value. NaN counts only where there is
// nothing else.
func (e *emitter) extremum(fn string, c *tree.Call) (text string, done bool) {
	t := e.typeOf(c.Args[0])
	switch {
	case t.Base == "map" || t.IsUnknown():
		return e.no(c, "%s of %s", fn, orUnknown(t)), true
	case len(t.Args) > 0:
		return e.modified(fn+"("+e.orderable(c, e.expr(c.Args[0]), t)+")", c), true
	case t.IsFloat():
		x := e.expr(c.Args[0])
		if isCheap, _ := cheap(c.Args[0]); isCheap {
			numbers := e.modified(fn+"(CASE WHEN isnan("+x+") THEN NULL ELSE "+x+" END)", c)
			return "coalesce(" + numbers + ", " + e.modified(fn+"("+x+")", c) + ")", true
		}
		rank := "NOT isnan"
		if fn == "min" {
			rank = "isnan"
		}
		ranked := bind([]operand{{text: x}}, func(a []string) string {
			return "CASE WHEN " + a[0] + " IS NULL THEN NULL ELSE {'n': " + rank + "(" + a[0] + "), 'x': " + a[0] + "} END"
		})
		return "struct_extract(" + e.modified(fn+"("+ranked+")", c) + ", 'x')", true
	}
	return "", false
}

// extremumBy writes max_by and min_by. What is returned may be null; what is
// compared may not.
func (e *emitter) extremumBy(fn string, c *tree.Call) (text string, done bool) {
	key := e.typeOf(c.Args[1])
	if key.IsUnknown() || key.Base == "map" {
		return e.no(c, "%s by %s", fn, orUnknown(key)), true
	}
	by := e.expr(c.Args[1])
	switch {
	case key.IsFloat():
		by = "presto_number(" + by + ")"
	case len(key.Args) > 0:
		by = e.orderable(c, by, key)
	}
	function := map[string]string{"max_by": "arg_max", "min_by": "arg_min"}[fn]
	if len(c.Args) == 2 {
		return e.modified(function+"_null("+e.expr(c.Args[0])+", "+by+")", c), true
	}
	text = e.modified(function+"({'x': "+e.expr(c.Args[0])+"}, "+by+", "+e.count(c, c.Args[2])+")", c)
	return "list_transform(" + text + ", lambda presto_l: presto_l.x)", true
}

// count writes how many values max, min, max_by and min_by are to return.
func (e *emitter) count(c *tree.Call, x tree.Expr) string {
	n, ok := tree.Unparen(x).(*tree.Number)
	if !ok {
		return e.no(c, "%s with a count that is no literal", c.Name)
	}
	return n.Text
}

// reduceAgg makes an array of the values and reduces it.
func (e *emitter) reduceAgg(c *tree.Call) string {
	input, ok := lambdaOf(c.Args[2])
	if !ok {
		return e.no(c, "reduce_agg without lambda")
	}
	t := e.typeOf(c.Args[0])
	x := e.expr(c.Args[0])
	only := *c
	only.OrderBy, only.Filter = c.OrderBy, tree.And(c.Filter, e.notNull(c.Args[0]))
	list := e.modified("list("+x+")", &only)
	return e.reduced(c, list, t, c.Args[1], input, nil)
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

func (e *emitter) listAgg(l *tree.ListAgg) string {
	if l.Overflow != "" && !strings.EqualFold(l.Overflow, "error") && !strings.HasPrefix(strings.ToLower(l.Overflow), "truncate") {
		return e.no(l, "ON OVERFLOW %s", l.Overflow)
	}
	separator := "''"
	if l.Separator != nil {
		s, ok := l.Separator.(*tree.String)
		if !ok {
			return e.no(l, "listagg with a separator that is no literal")
		}
		separator = printer.String(s.Value)
	}
	distinct := ""
	if l.Quantifier == tree.QuantifierDistinct {
		distinct = "DISTINCT "
	}
	text := "string_agg(" + distinct + e.expr(l.X) + ", " + separator + " ORDER BY " + join(l.OrderBy, ", ", e.sortItem) + ")"
	if l.Filter != nil {
		text += " FILTER (WHERE " + e.expr(l.Filter) + ")"
	}
	return "presto_listagg(" + text + ")"
}
