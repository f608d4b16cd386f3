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
	if fn == "try" {
		e.trying++
		defer func() { e.trying-- }()
	}
	if len(e.params) > 0 && slices.Contains(amplifiers(), fn) {
		return e.no(c, "%s inside a lambda", c.Name)
	}
	if m.repeats() {
		return e.once(c, c.Args, m.fillTexts)
	}
	return e.nested(c, func() string { return m.fill(e.arguments(m, vars, c.Args), e.suffix()) })
}

// amplifiers are the functions that make large arrays of small values: in a lambda
// they would do so for each element.
func amplifiers() []string { return []string{"sequence", "repeat", "combinations"} }
