package duckdb

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// nestedCall writes the functions of arrays, maps and rows whose form depends on
// the types of their arguments.
func (e *emitter) nestedCall(fn string, c *tree.Call) (text string, done bool) {
	n := len(c.Args)
	if n == 0 {
		return "", false
	}
	first := e.typeOf(c.Args[0])
	switch {
	case fn == "nullif" && n == 2 && e.isNested(c.Args...):
		return e.nullIfNested(c), true
	case fn == "zip" && n > 1:
		return e.zip(c), true
	case fn == "sequence" && n == 3 && first.IsTime():
		return e.sequenceOfTimes(c, first), true
	case nestedKeys(e.typeOf(c)):
		return e.no(c, "a map with keys of type %s", e.typeOf(c).Args[0]), true // the driver cannot read it
	case first.Base == "map" && fn == "element_at" && n == 2:
		if t, ok := types.Common(first.Args[0], e.typeOf(c.Args[1])); ok && !sameStorage(t, first.Args[0]) {
			return e.no(c, "element_at(%s, %s)", first, e.typeOf(c.Args[1])), true
		}
		return "(" + e.expr(c.Args[0]) + ")[" + e.coerced(c.Args[1], first.Args[0]) + "]", true
	case first.Base != "array":
		return "", false
	}
	return e.arrayCall(fn, c, first)
}

// nestedKeys reports a map whose keys are arrays, maps or rows.
func nestedKeys(t types.Type) bool {
	return t.Base == "map" && len(t.Args) > 0 && len(t.Args[0].Args) > 0
}

func (e *emitter) arrayCall(fn string, c *tree.Call, first types.Type) (text string, done bool) {
	n := len(c.Args)
	switch {
	case (fn == "contains" || fn == "array_position" || fn == "array_remove") && n == 2:
		return e.search(fn, c, first), true
	case (fn == "array_max" || fn == "array_min") && n == 1:
		return e.arrayExtremum(fn, c, first.Args[0]), true
	case fn == "array_sort" && n == 1:
		list := "list_transform([" + e.expr(c.Args[0]) + "], lambda presto_l: list_sort(presto_l, 'ASC', 'NULLS LAST'))[1]"
		if len(first.Args[0].Args) > 0 {
			v := "presto_v" + e.suffix()
			list = "list_sort(list_transform(" + e.expr(c.Args[0]) + ", lambda " + v + ": " + e.orderable(c, v, first.Args[0]) + "), 'ASC', 'NULLS LAST')"
		}
		return list, true
	case fn == "array_histogram" && n == 1 && first.Args[0].IsFloat():
		return "presto_float_array_histogram(" + e.expr(c.Args[0]) + ")", true
	case fn == "arrays_overlap" && n == 2:
		t := e.common(c, c.Args...)
		if len(t.Args) > 0 && len(t.Args[0].Args) > 0 {
			return e.no(c, "arrays_overlap of %s", t), true
		}
		return "presto_arrays_overlap(" + e.coerced(c.Args[0], t) + ", " + e.coerced(c.Args[1], t) + ")", true
	case fn == "concat" && n > 1:
		t := e.common(c, c.Args...)
		texts := make([]string, n)
		for i, a := range c.Args {
			texts[i] = e.coerced(a, t)
		}
		return e.joinArrays(c, texts), true
	case fn == "array_join" && (n == 2 || n == 3):
		return e.arrayJoin(c, first), true
	case fn == "combinations" && n == 2:
		if len(e.params) > 0 {
			return e.no(c, "combinations inside a lambda"), true
		}
		return "presto_combinations(" + e.expr(c.Args[0]) + ", " + e.coerced(c.Args[1], types.Bigint()) + ")", true
	case fn == "reduce" && n == 4:
		input, okIn := lambdaOf(c.Args[2])
		output, okOut := lambdaOf(c.Args[3])
		if !okIn || !okOut {
			return e.no(c, "reduce without lambdas"), true
		}
		return e.reduced(c, e.expr(c.Args[0]), first.Args[0], c.Args[1], input, output), true
	}
	return "", false
}

func (e *emitter) nullIfNested(c *tree.Call) string {
	t := e.common(c, c.Args...)
	return e.nested(c, func() string {
		operands := []operand{{text: e.expr(c.Args[0])}, {text: e.coerced(c.Args[1], t)}}
		return bind(operands, func(args []string) string {
			left := e.coercedText(c, args[0], e.typeOf(c.Args[0]), t)
			return "CASE WHEN " + e.equal(c, left, args[1], t) + " THEN NULL ELSE " + args[0] + " END"
		})
	})
}

// search writes the functions that look for a value in an array.
func (e *emitter) search(fn string, c *tree.Call, array types.Type) string {
	value := e.typeOf(c.Args[1])
	t, ok := types.Common(array.Args[0], value)
	if !ok || t.IsUnknown() {
		return e.no(c, "%s of %s and %s", fn, array, orUnknown(value))
	}
	return e.nested(c, func() string {
		v := "presto_v" + e.suffix()
		operands := []operand{{text: e.coerced(c.Args[0], types.Array(t))}, {text: e.coerced(c.Args[1], t)}}
		return bind(operands, func(args []string) string {
			equal := e.equal(c, v, args[1], t)
			var text string
			switch fn {
			case "contains":
				text = "presto_any(list_transform(" + args[0] + ", lambda " + v + ": " + equal + "))"
			case "array_position":
				text = "CAST(coalesce(list_position(list_transform(" + args[0] + ", lambda " + v + ": " + equal + "), true), 0) AS BIGINT)"
			case "array_remove":
				text = "list_filter(" + args[0] + ", lambda " + v + ": coalesce(NOT " + equal + ", true))"
			}
			return "CASE WHEN " + args[0] + " IS NULL OR " + args[1] + " IS NULL THEN NULL ELSE " + text + " END"
		})
	})
}

// arrayExtremum is null where an element is null; NaN counts only where there is
// nothing else.
func (e *emitter) arrayExtremum(fn string, c *tree.Call, element types.Type) string {
	macro := "presto_" + fn
	switch {
	case element.IsFloat():
		macro += "_float"
	case element.Base == "map":
		return e.no(c, "%s of maps", fn)
	case len(element.Args) > 0:
		v := "presto_v" + e.suffix()
		return macro + "(list_transform(" + e.expr(c.Args[0]) + ", lambda " + v + ": " + e.orderable(c, v, element) + "))"
	}
	return macro + "(" + e.expr(c.Args[0]) + ")"
}

func (e *emitter) arrayJoin(c *tree.Call, array types.Type) string {
	element := array.Args[0]
	list := e.expr(c.Args[0])
	if !element.IsText() {
		list = e.castNested(c, list, array, types.Array(types.Varchar()), false)
	}
	separator := e.coerced(c.Args[1], types.Varchar())
	if len(c.Args) == 3 {
		list = "presto_replace_null(" + list + ", " + e.expr(c.Args[2]) + ")"
	}
	if e.amplified {
		e.grows(c, MaxText)
	}
	if _, literal := tree.Unparen(c.Args[1]).(*tree.String); literal {
		return "array_to_string(presto_joined_size(" + list + ", " + separator + "), " + separator + ")"
	}
	return "presto_array_join(" + list + ", " + separator + ")"
}

func (e *emitter) zip(c *tree.Call) string {
	operands := make([]operand, len(c.Args))
	for i, a := range c.Args {
		if e.typeOf(a).Base != "array" {
			return e.no(c, "zip of %s", orUnknown(e.typeOf(a)))
		}
		operands[i].text = e.expr(a)
	}
	return e.nested(c, func() string {
		i := "presto_v" + e.suffix()
		return bind(operands, func(args []string) string {
			fields, lengths := make([]string, len(args)), make([]string, len(args))
			for n, a := range args {
				fields[n] = "'" + fieldName(n) + "': " + a + "[" + i + "]"
				lengths[n] = "len(" + a + ")"
			}
			return "CASE WHEN " + strings.Join(args, " IS NULL OR ") + " IS NULL THEN NULL ELSE list_transform(range(1, greatest(" +
				strings.Join(lengths, ", ") + ") + 1), lambda " + i + ": {" + strings.Join(fields, ", ") + "}) END"
		})
	})
}

// sequenceOfTimes counts in days, months or microseconds from the start.
func (e *emitter) sequenceOfTimes(c *tree.Call, t types.Type) string {
	step := e.typeOf(c.Args[2])
	if t.Base != "date" && t.Base != "timestamp" || !sameStorage(t, e.typeOf(c.Args[1])) || !step.IsInterval() || len(e.params) > 0 {
		return e.no(c, "sequence of %s by %s", orUnknown(t), orUnknown(step))
	}
	return e.nested(c, func() string {
		operands := []operand{{text: e.expr(c.Args[0])}, {text: e.expr(c.Args[1])}, {text: e.expr(c.Args[2])}}
		return bind(operands, func(a []string) string {
			switch {
			case step.Base == "interval year to month":
				text := fmt.Sprintf("presto_sequence_step(0, presto_months(%s, %s), presto_months_of(%s))", a[0], a[1], a[2])
				return "list_transform(" + text + ", lambda presto_i: CAST(" + a[0] + " + to_months(CAST(presto_i AS INTEGER)) AS " + duckType(t) + "))"
			case t.Base == "date":
				return fmt.Sprintf("presto_dates(%s, %s, presto_days_of(%s))", a[0], a[1], a[2])
			}
			text := fmt.Sprintf("presto_sequence_step(0, epoch_us(%s) - epoch_us(%s), presto_micros(%s))", a[1], a[0], a[2])
			return "list_transform(" + text + ", lambda presto_i: " + a[0] + " + to_microseconds(presto_i))"
		})
	})
}

// reduced writes reduce: the state goes along in a row beside the elements,
// because DuckDB wants both of one type.
func (e *emitter) reduced(c *tree.Call, list string, element types.Type, start tree.Expr, input, output *tree.Lambda) string {
	state, ok := types.Common(e.typeOf(start), e.typeOf(input.Body))
	stateType, elementType := duckType(state), duckType(element)
	if !ok || stateType == "" || elementType == "" {
		return e.no(c, "%s with a state of %s and %s", c.Name, orUnknown(e.typeOf(start)), orUnknown(e.typeOf(input.Body)))
	}
	return e.nested(c, func() string {
		s := e.suffix()
		p, q, r, x := "presto_p"+s, "presto_q"+s, "presto_r"+s, "presto_x"+s
		none := "CAST(NULL AS " + elementType + ")"
		body := e.coercedText(c, e.apply(input, []string{"struct_extract(" + p + ", 's')", "struct_extract(" + q + ", 'x')"}), e.typeOf(input.Body), state)
		text := "list_reduce(list_transform(" + list + ", lambda " + x + ": {'s': CAST(NULL AS " + stateType + "), 'x': " + x + "}), lambda " +
			p + ", " + q + ": {'s': " + body + ", 'x': " + none + "}, {'s': CAST(" + e.expr(start) + " AS " + stateType + "), 'x': " + none + "})"
		if output == nil {
			return "struct_extract(" + text + ", 's')"
		}
		return "list_transform([" + text + "], lambda " + r + ": CASE WHEN " + r + " IS NULL THEN NULL ELSE " + e.apply(output, []string{"struct_extract(" + r + ", 's')"}) + " END)[1]"
	})
}

// orderable makes a null inside of a value an error: Presto finds no order then.
func (e *emitter) orderable(at tree.Node, text string, t types.Type) string {
	if t.Base == "map" {
		return e.no(at, "an order of maps")
	}
	v := "presto_v" + e.suffix()
	return "list_transform([" + text + "], lambda " + v + ": CASE WHEN " + e.holdsNull(v, t) +
		" THEN presto_error('PRESTO NOT_SUPPORTED: values with nulls inside have no order') ELSE " + v + " END)[1]"
}

// holdsNull writes the condition that there is a null inside of a value.
func (e *emitter) holdsNull(text string, t types.Type) string {
	switch t.Base {
	case "array":
		v := "presto_v" + e.suffix()
		return "coalesce(list_bool_or(list_transform(" + text + ", lambda " + v + ": " + v + " IS NULL OR " + e.holdsNull(v, t.Args[0]) + ")), false)"
	case "row":
		parts := make([]string, len(t.Args))
		for i, f := range t.Args {
			parts[i] = fieldOf(text, i) + " IS NULL OR " + e.holdsNull(fieldOf(text, i), f)
		}
		return "(" + text + " IS NOT NULL AND (" + strings.Join(parts, " OR ") + "))"
	}
	return "false"
}
