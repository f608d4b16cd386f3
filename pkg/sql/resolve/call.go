package resolve

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// mostArguments is Trino's bound of the arguments of a call.
const mostArguments = 127

// Function is what a call means.
type Function struct {
	Name   string // lower case; an operator such as || has the function's name
	Kind   Kind
	Args   []types.Type // what each argument is coerced to
	Result types.Type
	Random bool // may give different values for the same arguments
}

// Kind of a function.
type Kind = signature.Kind

// Kinds of functions.
const (
	KindScalar    = signature.KindScalar
	KindAggregate = signature.KindAggregate
	KindWindow    = signature.KindWindow
	KindTable     = signature.KindTable
)

// FunctionKind returns the kind of a function that Presto knows; ok is false for
// others. Special forms such as coalesce and if are scalar.
func FunctionKind(name string) (kind Kind, ok bool) {
	name = strings.ToLower(name)
	if isSpecialForm(name) {
		return KindScalar, true
	}
	if s := signature.Functions(name); len(s) > 0 {
		return s[0].Kind, true
	}
	return "", false
}

// FunctionIsRandom reports whether a function that Presto knows may give different values
// for the same arguments, as random() and uuid() do.
func FunctionIsRandom(name string) bool {
	s := signature.Functions(strings.ToLower(name))
	return len(s) > 0 && s[0].Random
}

// Aggregates reports whether an expression calls an aggregate function over the
// rows of its own SELECT: outside of its subqueries, and not as a window.
func Aggregates(x tree.Expr) bool {
	found := false
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok && c.Over == nil {
			kind, _ := FunctionKind(c.Name.Key())
			found = found || kind == KindAggregate
		}
		_, query := n.(*tree.Query)
		return !found && !query
	})
	return found
}

func isSpecialForm(name string) bool {
	switch name {
	case "coalesce", "nullif", "if", "try", "format":
		return true
	}
	return false
}

func (r *resolver) call(c *tree.Call, e env) (types.Type, []Origin) {
	name := functionName(c.Name)
	if len(c.Name.Parts) == 1 && isSpecialForm(name) {
		return r.specialForm(name, c, e)
	}
	kind := callKind(c)
	if e.pattern != nil {
		if t, origins, done := r.patternCall(c, kind, e); done {
			return t, origins
		}
	} else if c.Mode != "" {
		r.mistake(InvalidProcessingMode, c, nil, "%s is for row pattern recognition", c.Mode)
	}
	r.callWindow(c, e)
	if c.Over == nil && c.Quantifier == tree.QuantifierDistinct && kind != KindAggregate {
		r.mistake(FunctionNotAggregate, c, nil, "DISTINCT is for aggregates, and '%s' is none", c.Name)
	}
	if c.Filter != nil {
		r.boolean(c.Filter, e, "FILTER")
	}
	t, origins := r.function(c, name, c.Args, e)
	if c.Filter != nil {
		origins = union(origins, r.originsOf(c.Filter))
	}
	if len(c.Args) > mostArguments {
		r.mistake(TooManyArguments, c, nil, "a call has at most %d arguments", mostArguments)
	}
	for _, o := range c.OrderBy {
		if t := r.expr(o.Expr, e); !t.IsOrderable() {
			r.mistakeAt(TypeMismatch, startOf(c), o.Expr, nil, "ORDER BY needs an order, and %s has none", t)
		}
	}
	if i := r.info(c); i.call != nil && c.Quantifier == tree.QuantifierDistinct {
		for _, t := range i.call.Args {
			if !t.IsComparable() {
				r.mistake(TypeMismatch, c, nil, "DISTINCT compares, and %s does not", t)
			}
		}
	}
	return t, origins
}

// callWindow resolves the window of a call.
func (r *resolver) callWindow(c *tree.Call, e env) {
	if c.Over == nil {
		return
	}
	w, known := r.windows[c.Over]
	if !known && c.Over.Spec != nil { // where no window may be: its parts are looked at all the same
		w = &window{partition: c.Over.Spec.PartitionBy, order: c.Over.Spec.OrderBy, frame: c.Over.Spec.Frame, spec: c.Over.Spec, at: c.Over.Spec}
	}
	if w != nil {
		r.window(w, e)
	}
}

// function resolves a call of a function with arguments, at a node: a call, or
// what Trino makes one of.
func (r *resolver) function(at tree.Expr, name string, xs []tree.Expr, e env) (types.Type, []Origin) {
	args := make([]signature.Arg, len(xs))
	var origins []Origin
	lambdas := lambdaTrial{at: -1}
	for i, x := range xs {
		if l, ok := tree.Unparen(x).(*tree.Lambda); ok {
			args[i].Lambda = r.trial(l, i, e, &lambdas)
			continue
		}
		args[i].Type = r.expr(x, e)
		origins = union(origins, r.originsOf(x))
	}
	candidates := signature.Functions(name)
	call, outcome := signature.Call{}, signature.None
	if len(candidates) > 0 && candidates[0].Kind != KindTable {
		call, outcome = signature.Choose(candidates, args)
	}
	if name == "concat_ws" && len(args) == 2 && args[0].Type.IsText() && args[1].Type.IsNull() {
		outcome = signature.Ambiguous // an array, or a text
	}
	switch outcome {
	case signature.None:
		r.noFunction(at, name, candidates, args, xs, &lambdas)
	case signature.Ambiguous:
		r.mistake(AmbiguousFunctionCall, at, nil, "more than one '%s' takes (%s): write casts", name, argsText(args))
	case signature.Chosen:
		s := call.Signature
		r.info(at).call = &Function{Name: s.Name, Kind: s.Kind, Args: call.Args, Result: call.Result, Random: s.Random}
	}
	for i, x := range xs {
		l, ok := tree.Unparen(x).(*tree.Lambda)
		if !ok {
			continue
		}
		params := make([]types.Type, len(l.Params))
		if outcome == signature.Chosen && len(call.Args[i].Args) == len(params)+1 {
			copy(params, call.Args[i].Args)
		}
		t, from := r.lambda(l, params, e)
		r.note(x, types.Function(params, t), from)
		origins = union(origins, from)
	}
	return call.Result, origins
}

// note keeps the type and origins of an expression and of what is in its
// parentheses.
func (r *resolver) note(x tree.Expr, t types.Type, origins []Origin) {
	for {
		i := r.info(x)
		i.typ, i.origins = t, origins
		p, ok := x.(*tree.Paren)
		if !ok {
			return
		}
		x = p.X
	}
}

// noFunction notes a call that means nothing.
func (r *resolver) noFunction(at tree.Expr, name string, candidates []*signature.Signature, args []signature.Arg, xs []tree.Expr, lambdas *lambdaTrial) {
	switch {
	case len(candidates) == 0 || candidates[0].Kind == KindTable:
		r.mistake(FunctionNotFound, at, nearest(name, functionNames()), "there is no function '%s'", name)
	case lambdas.at >= 0:
		r.mistake(InvalidParameterUsage, xs[lambdas.at], nil, "the lambda has %d parameters, '%s' wants %d", lambdas.have, name, lambdas.want)
	default:
		r.mistake(FunctionNotFound, at, nil, "'%s' does not take (%s); it takes %s", name, argsText(args), signature.Expected(candidates))
	}
}

func functionNames() []string {
	return append(signature.Names()[:len(signature.Names()):len(signature.Names())], "coalesce", "nullif", "if", "try", "format")
}

func argsText(args []signature.Arg) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.Type.String()
		if a.Lambda != nil {
			texts[i] = "a lambda"
		}
	}
	return strings.Join(texts, ", ")
}

// lambdaTrial is a lambda with another number of parameters than a signature has.
type lambdaTrial struct {
	at         int // index of the argument; -1: none
	have, want int
}

// trial returns what finds out the type of a lambda's body for types of its
// parameters. Mistakes in it are noted later, when the signature is chosen.
func (r *resolver) trial(l *tree.Lambda, index int, e env, failed *lambdaTrial) func([]types.Type) (types.Type, bool) {
	return func(params []types.Type) (types.Type, bool) {
		if len(params) != len(l.Params) {
			if failed.at < 0 {
				*failed = lambdaTrial{at: index, have: len(l.Params), want: len(params)}
			}
			return types.Unknown(), false
		}
		inner := e
		inner.trial = fmt.Sprintf("%s|%p(", e.trial, l)
		for _, t := range params {
			inner.trial += t.String() + ";"
		}
		if t, ok := r.trials[inner.trial]; ok {
			return t, true
		}
		r.quiet++
		failedBefore := r.failed
		r.failed = false
		t, _ := r.lambdaBody(l, params, inner)
		if r.failed {
			t = types.Unknown()
		}
		r.failed = failedBefore
		r.quiet--
		if r.trials == nil {
			r.trials = map[string]types.Type{}
		}
		r.trials[inner.trial] = t
		return t, true
	}
}

// lambda resolves a lambda for types of its parameters.
func (r *resolver) lambda(l *tree.Lambda, params []types.Type, e env) (types.Type, []Origin) {
	if r.quiet > 0 && e.trial != "" {
		return types.Unknown(), nil // the trial said what is to know
	}
	r.noAggregates(l.Body, "a lambda")
	for i, p := range l.Params {
		for _, q := range l.Params[i+1:] {
			if p.Key() == q.Key() {
				r.mistake(AmbiguousName, p, nil, "the lambda has two parameters '%s'", p.Name)
			}
		}
	}
	e.trial = fmt.Sprintf("%s|%p!", e.trial, l)
	return r.lambdaBody(l, params, e)
}

func (r *resolver) lambdaBody(l *tree.Lambda, params []types.Type, e env) (types.Type, []Origin) {
	inner := &level{parent: e.here}
	for i, p := range l.Params {
		inner.fields = append(inner.fields, newField(p.Name, params[i], nil))
	}
	e.here, e.inLambda = inner, true
	t := r.expr(l.Body, e)
	return t, r.originsOf(l.Body)
}
