package signature

import (
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// rounds bounds how often the constraints of a signature are gone through.
const rounds = 4

// Arg is an argument of a call: of a type, or a lambda.
type Arg struct {
	Type types.Type
	// Lambda returns the type of a lambda's body for the types of its parameters;
	// nil for other arguments. ok is false where it has another number of them.
	Lambda func(params []types.Type) (result types.Type, ok bool)
}

// status is what a round through the constraints came to.
type status int

const (
	satisfied   status = iota // nothing changed, all holds
	unsatisfied               // nothing changed, something does not hold yet
	changed                   // a variable got another value
	impossible
)

// binder finds what the variables of a signature stand for in a call.
type binder struct {
	signature *Signature
	coerce    bool
	types     []types.Type // by type variable; Unknown: not bound
	bound     []bool
	numbers   []int // by number variable
	set       []bool
}

// bind fills in the variables of a signature; ok is false where the arguments do
// not fit. Without coerce they have to fit as they are.
func (s *Signature) bind(args []Arg, coerce bool) (call Call, ok bool) {
	if !s.takes(len(args)) {
		return Call{}, false
	}
	if !coerce && len(s.vars) == 0 && s.numbers == 0 {
		return s.bindFixed(args)
	}
	b := binder{signature: s, coerce: coerce}
	if n := len(s.vars); n > 0 {
		b.types, b.bound = make([]types.Type, n), make([]bool, n)
	}
	if n := s.numbers; n > 0 {
		b.numbers, b.set = make([]int, n), make([]bool, n)
	}
	if !b.solve(args) {
		return Call{}, false
	}
	for _, c := range s.calc {
		b.numbers[c.target], b.set[c.target] = c.value.eval(b.numbers), true
	}
	call = Call{Signature: s, Args: make([]types.Type, len(args)), Result: b.apply(&s.result)}
	for i := range args {
		call.Args[i] = b.apply(s.param(i))
	}
	return call, true
}

// bindFixed is bind for a signature without variables, and no coercion.
func (s *Signature) bindFixed(args []Arg) (call Call, ok bool) {
	for i, a := range args {
		if a.Lambda != nil || !s.param(i).fixed.Identical(a.Type) {
			return Call{}, false
		}
	}
	call = Call{Signature: s, Args: make([]types.Type, len(args)), Result: *s.result.fixed}
	for i, a := range args {
		call.Args[i] = a.Type
	}
	return call, true
}

func (b *binder) solve(args []Arg) bool {
	for range rounds {
		switch b.round(args) {
		case satisfied:
			for _, bound := range b.bound {
				if !bound {
					return false
				}
			}
			return true
		case unsatisfied, impossible:
			return false
		}
	}
	return false
}

// round goes through all constraints once: first whether each argument stands in
// the right relation to its parameter, then what that says about variables.
func (b *binder) round(args []Arg) status {
	worst := satisfied
	for i, a := range args {
		p := b.signature.param(i)
		if a.Lambda != nil {
			if !p.isFunction() {
				return impossible
			}
			continue
		}
		if p.isFunction() {
			return impossible
		}
		worst = max(worst, b.related(p, a.Type))
	}
	for i, a := range args {
		p := b.signature.param(i)
		var s status
		if a.Lambda != nil {
			s = b.lambda(p, a)
		} else {
			s = b.infer(p, a.Type, b.coerce)
		}
		if s == impossible {
			return impossible
		}
		worst = max(worst, s)
	}
	return worst
}

// related checks that an argument is of the parameter's type, or can be coerced.
func (b *binder) related(p *pattern, arg types.Type) status {
	if !b.known(p) {
		return unsatisfied
	}
	want := p.fixed
	if want == nil {
		t := b.apply(p)
		want = &t
	}
	if b.coerce && types.Coercible(arg, *want) || !b.coerce && (arg.IsPartlyUnknown() || arg.Identical(*want)) {
		return satisfied
	}
	return unsatisfied
}

// known reports whether all variables of a pattern have values.
func (b *binder) known(p *pattern) bool {
	if p.fixed != nil {
		return true
	}
	if p.variable >= 0 {
		return b.bound[p.variable]
	}
	for _, n := range p.params {
		if n.variable >= 0 && !b.set[n.variable] {
			return false
		}
	}
	for i := range p.args {
		if !b.known(&p.args[i]) {
			return false
		}
	}
	return true
}

// infer learns from an argument what the variables of its parameter stand for.
func (b *binder) infer(p *pattern, arg types.Type, coerce bool) status {
	switch {
	case p.variable >= 0:
		return b.inferVariable(p.variable, arg)
	case len(p.params) > 0:
		return b.inferNumbers(p, arg)
	case len(p.args) == 0 || arg.IsUnknown():
		return satisfied
	case arg.IsNull():
	case len(arg.Args) != len(p.args):
		return impossible
	}
	worst := satisfied
	for i := range p.args {
		part := types.Null()
		if !arg.IsNull() {
			part = arg.Args[i]
		}
		s := b.infer(&p.args[i], part, coerce && (p.base == "array" || p.base == "map"))
		if s == impossible {
			return impossible
		}
		worst = max(worst, s)
	}
	return worst
}

func (b *binder) inferVariable(i int, arg types.Type) status {
	if b.bound[i] && arg.IsPartlyUnknown() {
		return satisfied // a mistake further down; what is known stays
	}
	v := b.signature.vars[i]
	t := arg
	if b.bound[i] {
		common, ok := types.Common(b.types[i], arg)
		if !ok {
			return impossible
		}
		t = common
	}
	if v.comparable && !t.IsComparable() || v.orderable && !t.IsOrderable() {
		return impossible
	}
	if b.bound[i] && b.types[i].Identical(t) {
		return satisfied
	}
	b.types[i], b.bound[i] = t, true
	return changed
}

// inferNumbers learns lengths, precisions and scales.
func (b *binder) inferNumbers(p *pattern, arg types.Type) status {
	if arg.IsUnknown() {
		return b.numbersUnknown(p)
	}
	wide, ok := types.Widen(arg, p.base)
	if !ok {
		return impossible
	}
	have := wide
	for i, n := range p.params {
		switch {
		case n.variable < 0:
			setNumber(&have, i, n.number)
		case b.set[n.variable]:
			setNumber(&have, i, b.numbers[n.variable])
		}
	}
	common, ok := types.Common(have, arg)
	if !ok || common.Base != p.base {
		return impossible
	}
	result := satisfied
	for i, n := range p.params {
		value := numberOf(common, i)
		switch {
		case n.variable < 0:
			if value != n.number {
				return impossible
			}
		case !b.set[n.variable] || b.numbers[n.variable] != value:
			b.numbers[n.variable], b.set[n.variable] = value, true
			result = changed
		}
	}
	return result
}

// numbersUnknown gives the numbers of an argument of which nothing is known the
// widest values, so that nothing else is refused for it.
func (b *binder) numbersUnknown(p *pattern) status {
	result := satisfied
	for i, n := range p.params {
		if n.variable >= 0 && !b.set[n.variable] {
			value := 3
			switch {
			case p.base == "varchar" || p.base == "char":
				value = unbounded
			case p.base == "decimal" && i == 0:
				value = types.MaxDecimal
			}
			b.numbers[n.variable], b.set[n.variable] = value, true
			result = changed
		}
	}
	return result
}

func numberOf(t types.Type, i int) int {
	switch {
	case i == 1:
		return t.Scale
	case t.Precision < 0:
		return unbounded
	}
	return t.Precision
}

func setNumber(t *types.Type, i, value int) {
	switch {
	case i == 1:
		t.Scale = value
	case t.Base == "varchar" && value >= unbounded:
		t.Precision = -1
	default:
		t.Precision = value
	}
}

// lambda learns from a lambda's result, once its parameters are known.
func (b *binder) lambda(p *pattern, arg Arg) status {
	n := len(p.args) - 1
	params := make([]types.Type, n)
	for i := range params {
		if !b.known(&p.args[i]) {
			return unsatisfied
		}
		params[i] = b.apply(&p.args[i])
	}
	result, ok := arg.Lambda(params)
	if !ok {
		return impossible
	}
	formal := &p.args[n]
	s := b.infer(formal, result, b.coerce)
	if s == impossible || s == changed {
		return s
	}
	if !result.IsPartlyUnknown() && !b.apply(formal).Identical(result) {
		return unsatisfied
	}
	return s
}

// apply puts values for the variables of a pattern.
func (b *binder) apply(p *pattern) types.Type {
	if p.fixed != nil {
		return *p.fixed
	}
	if p.variable >= 0 {
		return b.types[p.variable]
	}
	t := types.Type{Base: p.base, Precision: -1}
	for i, n := range p.params {
		value := n.number
		if n.variable >= 0 {
			value = b.numbers[n.variable]
		}
		setNumber(&t, i, value)
	}
	if len(p.args) > 0 {
		t.Args = make([]types.Type, len(p.args))
		for i := range p.args {
			t.Args[i] = b.apply(&p.args[i])
		}
		if p.base == "row" {
			t.Names = p.names
		}
	}
	return t
}
