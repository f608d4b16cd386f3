package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func isSpecialForm(name string) bool {
	switch name {
	case "coalesce", "nullif", "if", "try":
		return true
	}
	return false
}

func (r *resolver) call(c *tree.Call, here *level) (types.Type, []Origin) {
	var origins []Origin
	for _, a := range c.Args {
		if _, isLambda := a.(*tree.Lambda); !isLambda {
			r.expr(a, here)
			origins = union(origins, r.out.origins[a])
		}
	}
	r.sortItems(c.OrderBy, here)
	if c.Filter != nil {
		r.condition(c.Filter, here, "FILTER")
		origins = union(origins, r.out.origins[c.Filter])
	}
	if c.Over != nil && c.Over.Spec != nil {
		r.window(c.Over.Spec, here)
	}
	name := c.Name.Key()
	if isSpecialForm(name) {
		return r.specialForm(name, c), origins
	}
	signatures := functions()[name]
	if len(signatures) == 0 {
		for _, a := range c.Args {
			if l, ok := a.(*tree.Lambda); ok {
				r.expr(l, here)
			}
		}
		r.mistake(FunctionNotFound, c, nearest(name, functionNames()), "there is no function '%s'", c.Name)
		return types.Unknown(), origins
	}
	t, lambdaOrigins := r.choose(c, signatures, here)
	return precise(name, t, r.argTypes(c)), union(origins, lambdaOrigins)
}

func functionNames() []string {
	names := make([]string, 0, len(functions())+4)
	for n := range functions() {
		names = append(names, n)
	}
	return append(names, "coalesce", "nullif", "if", "try")
}

func (r *resolver) specialForm(name string, c *tree.Call) types.Type {
	switch {
	case name == "coalesce":
		return r.commonOf(c.Args)
	case name == "if" && len(c.Args) > 1:
		return r.commonOf(c.Args[1:])
	case len(c.Args) > 0:
		return r.out.types[c.Args[0]]
	}
	return types.Unknown()
}

func (r *resolver) argTypes(c *tree.Call) []types.Type {
	out := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		out[i] = r.out.types[a]
	}
	return out
}

// choose finds the signature that fits best, resolves the lambdas of the call by
// it, and returns the type of the result.
func (r *resolver) choose(c *tree.Call, signatures []signature, here *level) (types.Type, []Origin) {
	best, bestDistance := -1, 0
	for i, s := range signatures {
		if d, ok := r.fits(c, s, binding{}); ok && (best < 0 || d < bestDistance) {
			best, bestDistance = i, d
		}
	}
	if best < 0 {
		for _, a := range c.Args {
			if l, ok := a.(*tree.Lambda); ok {
				r.expr(l, here)
			}
		}
		return types.Unknown(), nil
	}
	s, b := signatures[best], binding{}
	r.fits(c, s, b)
	var origins []Origin
	for i, a := range c.Args {
		l, ok := a.(*tree.Lambda)
		if !ok {
			continue
		}
		f := s.param(i)
		params := make([]types.Type, len(l.Params))
		for j := range params {
			if j < len(f.Args)-1 {
				params[j] = b.put(f.Args[j])
			}
		}
		result, from := r.lambda(l, params, here)
		r.out.types[l] = types.Type{Base: "function", Precision: -1}
		origins = union(origins, from)
		b.fit(f.Args[len(f.Args)-1], result)
	}
	return b.put(s.result), origins
}

func (s signature) param(i int) types.Type {
	return s.args[min(i, len(s.args)-1)]
}

func (r *resolver) fits(c *tree.Call, s signature, b binding) (distance int, ok bool) {
	n := len(c.Args)
	if n != len(s.args) && (!s.variadic || n < len(s.args)-1 || len(s.args) == 0) {
		return 0, false
	}
	for i, a := range c.Args {
		param := s.param(i)
		if l, isLambda := a.(*tree.Lambda); isLambda {
			if param.Base != "function" || len(param.Args) != len(l.Params)+1 {
				return 0, false
			}
			continue
		}
		d, ok := b.fit(param, r.out.types[a])
		if !ok {
			return 0, false
		}
		distance += d
	}
	return distance, true
}

func (r *resolver) lambda(l *tree.Lambda, params []types.Type, here *level) (types.Type, []Origin) {
	inner := &level{parent: here}
	for i, p := range l.Params {
		inner.fields = append(inner.fields, &field{name: p.Name, typ: params[i]})
	}
	t := r.expr(l.Body, inner)
	return t, r.out.origins[l.Body]
}

func (r *resolver) window(w *tree.Window, here *level) {
	for _, x := range w.PartitionBy {
		r.expr(x, here)
	}
	r.sortItems(w.OrderBy, here)
	if w.Frame != nil {
		for _, b := range []*tree.Bound{w.Frame.Start, w.Frame.End} {
			if b != nil && b.X != nil {
				r.expr(b.X, here)
			}
		}
	}
}

// precise fills in precision and scale of a result, which signatures leave open.
func precise(name string, t types.Type, args []types.Type) types.Type {
	switch {
	case t.Base == "decimal" && t.Scale == 0 && t.Precision == 38:
		return preciseDecimal(name, len(args), firstOf(args, "decimal"))
	case strings.HasPrefix(t.Base, "time"):
		if a := firstOf(args, t.Base); a.Base == t.Base {
			t.Precision = a.Precision
		} else if a := firstOf(args, strings.TrimSuffix(t.Base, " with time zone")); !a.IsUnknown() {
			t.Precision = a.Precision
		}
	case t.IsText():
		t = types.Varchar()
	}
	return t
}

func firstOf(args []types.Type, base string) types.Type {
	for _, a := range args {
		if a.Base == base {
			return a
		}
	}
	return types.Unknown()
}

func preciseDecimal(name string, args int, d types.Type) types.Type {
	if d.IsUnknown() {
		return types.Unknown()
	}
	whole := types.Decimal(min(38, d.Precision-d.Scale+min(d.Scale, 1)), 0)
	switch {
	case name == "sum":
		return types.Decimal(38, d.Scale)
	case name == "ceil" || name == "ceiling" || name == "floor" || name == "round" && args == 1:
		return whole
	case name == "round":
		return types.Decimal(min(38, d.Precision+1), d.Scale)
	case name == "truncate" && args == 1:
		return types.Decimal(max(d.Precision-d.Scale, 1), 0)
	}
	return d
}
