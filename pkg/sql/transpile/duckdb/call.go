package duckdb

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) call(c *tree.Call) string {
	if len(c.Name.Parts) > 1 {
		return e.no(c, "the function %s", c.Name)
	}
	fn := c.Name.Key()
	if kind, _ := resolve.FunctionKind(fn); kind == resolve.KindScalar && fn != "typeof" && !isConditional(fn) {
		if with, ok := e.padded(c); ok {
			if e.typeOf(c).Base == "char" {
				return "rtrim(" + e.call(with) + ", ' ')"
			}
			return e.call(with)
		}
	}
	c = e.inOrder(fn, c)
	if text, done := e.specialCall(fn, c); done {
		return text
	}
	if text, done := e.nestedCall(fn, c); done {
		return text
	}
	if text, done := e.aggregateCall(fn, c); done {
		return text
	}
	args := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		args[i] = e.typeOf(a)
	}
	for _, m := range mappings()[fn] {
		if vars, ok := m.fits(args); ok {
			return e.mapped(fn, c, m, vars)
		}
	}
	if len(mappings()[fn]) > 0 {
		return e.no(c, "%s(%s)", c.Name, join(args, ", ", orUnknown))
	}
	return e.no(c, "the function %s", c.Name)
}

// mapped writes a call by its mapping.
func (e *emitter) mapped(fn string, c *tree.Call, m mapping, vars variables) string {
	if kind, _ := resolve.FunctionKind(fn); kind != resolve.KindScalar {
		return e.aggregate(c, m, vars)
	}
	if c.Quantifier != "" || len(c.OrderBy) > 0 || c.Filter != nil || c.Over != nil {
		return e.no(c, "DISTINCT, ORDER BY, FILTER or OVER with %s", c.Name)
	}
	if len(e.params) > 0 && slices.Contains(amplifiers(), fn) {
		return e.no(c, "%s inside a lambda", c.Name)
	}
	return e.nested(c, func() string {
		args := e.arguments(m, vars, c.Args)
		if !m.repeats() {
			return m.fill(args, e.suffix())
		}
		operands := make([]operand, len(args))
		for i, a := range args {
			operands[i].text = a.text
			if m.class(i).word != "" { // as it is written, without a cast
				operands[i].cheap, operands[i].literal = cheap(c.Args[i])
			}
		}
		return bind(operands, m.fillTexts)
	})
}

// padded returns a call whose arguments of type char are texts with their blanks,
// which ltrim takes away on both sides. What is char again loses them: blanks at the end of a char are not kept.
func (e *emitter) padded(c *tree.Call) (padded *tree.Call, any bool) {
	args := slices.Clone(c.Args)
	for i, a := range args {
		if e.typeOf(a).Base == "char" {
			text := e.expr(a) // without blanks at its end
			if c.Name.Key() != "ltrim" {
				text = e.coerced(a, types.Varchar())
			}
			args[i] = e.stand(text, types.Varchar())
			any = true
		}
	}
	if !any {
		return c, false
	}
	out := *c
	out.Args = args
	e.given[&out] = e.typeOf(c)
	if e.typeOf(c).Base == "char" {
		e.given[&out] = types.Varchar()
	}
	return &out, true
}

// amplifiers are the functions that make large arrays of small values: in a lambda
// they would do so for each element.
func amplifiers() []string { return []string{"sequence", "repeat", "combinations"} }
