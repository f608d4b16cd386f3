package duckdb

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// lambdaOf returns the lambda behind parentheses, if it is one.
func lambdaOf(x tree.Expr) (*tree.Lambda, bool) {
	for {
		switch y := x.(type) {
		case *tree.Paren:
			x = y.X
			continue
		case *tree.Lambda:
			return y, true
		}
		return nil, false
	}
}

// apply writes the body of a lambda with texts for its parameters. DuckDB's own
// lambdas take one parameter in most functions; and what they call a parameter
// hides columns of that name, which this way cannot be.
func (e *emitter) apply(l *tree.Lambda, params []string) string {
	scope := make(map[string]string, len(l.Params))
	for i, p := range l.Params {
		if i < len(params) {
			scope[p.Key()] = params[i]
		}
	}
	e.params = append(e.params, scope)
	defer func() { e.params = e.params[:len(e.params)-1] }()
	return e.expr(l.Body)
}

// param returns what stands for a lambda's parameter.
func (e *emitter) param(name *tree.Ident) (string, bool) {
	for i := len(e.params) - 1; i >= 0; i-- {
		if text, ok := e.params[i][name.Key()]; ok {
			return text, true
		}
	}
	return "", false
}

// suffix returns what makes a name unlike all others of the statement.
func (e *emitter) suffix() string {
	e.names++
	return fmt.Sprint(e.names)
}

// arguments writes what a template can take of a call, each of the type that the
// mapping asks for.
func (e *emitter) arguments(m mapping, vars variables, xs []tree.Expr) []argument {
	out := make([]argument, len(xs))
	for i, x := range xs {
		if l, ok := lambdaOf(x); ok {
			out[i].lambda = func(params []string) string { return e.apply(l, params) }
			continue
		}
		if c := m.class(i); c.word == "" {
			out[i].text = e.coerced(x, vars.put(c.pattern))
		} else {
			out[i].text = e.expr(x)
		}
	}
	return out
}
