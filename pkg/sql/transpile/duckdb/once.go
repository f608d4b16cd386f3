package duckdb

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// bound is the name under which a form finds the values that were evaluated
// before it. A statement that uses the name itself is refused.
const bound = "presto_bound"

// maxNesting bounds forms inside the arguments of forms that need their arguments
// more than once: the engine's binder needs more than linear time for them.
const maxNesting = 100

// operand is an argument of a form.
type operand struct {
	text string
	// cheap: a name or a literal, which may be written again and again.
	// literal: it may also be written where columns are not in reach.
	cheap, literal bool
}

// once writes a form that names its arguments more than once, in such a way that
// each is written and evaluated once. The text would otherwise grow with a power
// of the nesting. Arguments that are no names or literals become the one row of a
// list that a lambda goes over: unlike a subquery, that works in aggregates and
// windows, and around them.
func (e *emitter) once(at tree.Node, args []tree.Expr, form func(args []string) string) string {
	return e.nested(at, func() string {
		operands := make([]operand, len(args))
		for i, a := range args {
			operands[i] = operand{text: e.expr(a)}
			operands[i].cheap, operands[i].literal = cheap(a)
		}
		return bind(operands, form)
	})
}

// nested bounds how deep forms may be in each other.
func (e *emitter) nested(at tree.Node, write func() string) string {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxNesting {
		return e.no(at, "nesting of more than %d such calls", maxNesting)
	}
	return write()
}

// onceText is once for one argument that is written already.
func onceText(text string, form func(text string) string) string {
	return bind([]operand{{text: text}}, func(args []string) string { return form(args[0]) })
}

func bind(operands []operand, form func(args []string) string) string {
	args := make([]string, len(operands))
	if !slices.ContainsFunc(operands, func(o operand) bool { return !o.cheap }) {
		for i, o := range operands {
			args[i] = o.text
		}
		return form(args)
	}
	var fields []string
	for i, o := range operands {
		if o.literal {
			args[i] = o.text
			continue
		}
		field := fmt.Sprintf("a%d", i)
		fields = append(fields, "'"+field+"': "+o.text)
		args[i] = "struct_extract(" + bound + ", '" + field + "')"
	}
	if len(fields) > 1 {
		return "list_transform([{" + strings.Join(fields, ", ") + "}], lambda " + bound + ": " + form(args) + ")[1]"
	}
	value := ""
	for i, o := range operands {
		if !o.literal {
			value, args[i] = o.text, bound
		}
	}
	return "list_transform([" + value + "], lambda " + bound + ": " + form(args) + ")[1]"
}

// maxLiteral is the longest literal, in bytes, that is written more than once.
const maxLiteral = 256

func cheap(x tree.Expr) (isCheap, isLiteral bool) {
	switch x := x.(type) {
	case *tree.Paren:
		return cheap(x.X)
	case *tree.ColumnRef:
		return len(x.Parts) <= 4, false
	case *tree.Number:
		return len(x.Text) <= maxLiteral, len(x.Text) <= maxLiteral
	case *tree.String:
		return len(x.Value) <= maxLiteral, len(x.Value) <= maxLiteral
	case *tree.Typed:
		return len(x.Value) <= maxLiteral, len(x.Value) <= maxLiteral
	case *tree.Unary:
		n, ok := x.X.(*tree.Number)
		return ok && len(n.Text) <= maxLiteral, ok && len(n.Text) <= maxLiteral
	case *tree.Null, *tree.Bool, *tree.Interval:
		return true, true
	}
	return false, false
}

// macro writes a call of a macro.
func (e *emitter) macro(at tree.Node, name string, args ...tree.Expr) string {
	write := func(args []string) string { return name + "(" + strings.Join(args, ", ") + ")" }
	if !repeating()[name] {
		return write(e.exprs(args))
	}
	return e.once(at, args, write)
}

var (
	macroName = regexp.MustCompile(`[a-z0-9_]+\(`)
	word      = regexp.MustCompile(`\w+`)
	quoted    = regexp.MustCompile(`'[^']*'`)
)

// repeating names the macros that use a parameter more than once, and nullif,
// which is such a macro of DuckDB's own. The engine writes out macros before it
// evaluates them.
var repeating = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{"nullif": true}
	var follow func(name string) bool
	follow = func(name string) bool {
		m, ok := macros()[name]
		if _, known := out[name]; known || !ok {
			return out[name]
		}
		out[name] = m.repeats() || slices.ContainsFunc(macroName.FindAllString(m.body, -1), func(call string) bool {
			return follow(strings.TrimSuffix(call, "("))
		})
		return out[name]
	}
	for name := range macros() {
		follow(name)
	}
	return out
})

// repeats reports a body that names a parameter more than once.
func (m macro) repeats() bool {
	uses := map[string]int{}
	for _, w := range word.FindAllString(quoted.ReplaceAllString(m.body, ""), -1) {
		uses[w]++
	}
	return slices.ContainsFunc(m.parameters, func(p string) bool { return uses[p] > 1 })
}

// repeats reports a template that needs its arguments more than once.
func (m mapping) repeats() bool {
	for i := range len(m.classes) {
		if strings.Count(m.template, "$"+strconv.Itoa(i+1)) > 1 {
			return true
		}
	}
	for _, call := range macroName.FindAllString(m.template, -1) {
		if repeating()[strings.TrimSuffix(call, "(")] {
			return true
		}
	}
	return false
}
