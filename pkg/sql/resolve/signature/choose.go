package signature

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Outcome of a choice.
type Outcome int

// Outcomes.
const (
	Chosen    Outcome = iota
	None              // no signature takes these arguments
	Ambiguous         // more than one does, and none is more specific
	Open              // too little is known of the arguments to say
)

// Choose finds the signature that a call with these arguments means.
func Choose(candidates []*Signature, args []Arg) (Call, Outcome) {
	for _, a := range args {
		if a.Lambda == nil && a.Type.IsPartlyUnknown() {
			return guess(candidates, args)
		}
	}
	for _, generic := range []bool{false, true} {
		var exact []Call
		for _, s := range candidates {
			if (len(s.vars) > 0) != generic {
				continue
			}
			if call, ok := s.bind(args, false); ok {
				exact = append(exact, call)
			}
		}
		switch {
		case len(exact) == 1:
			return exact[0], Chosen
		case len(exact) > 1:
			return Call{}, Ambiguous
		}
	}
	var fitting []Call
	for _, s := range candidates {
		if call, ok := s.bind(args, true); ok {
			fitting = append(fitting, call)
		}
	}
	if len(fitting) == 0 {
		return Call{}, None
	}
	best := mostSpecific(fitting, args)
	if len(best) > 1 {
		return Call{}, Ambiguous
	}
	return best[0], Chosen
}

// guess is Choose where a mistake further down left a type unknown: no mistake
// follows from that, and the result is known only where all signatures agree.
func guess(candidates []*Signature, args []Arg) (Call, Outcome) {
	var calls []Call
	for _, s := range candidates {
		if call, ok := s.bind(args, true); ok {
			calls = append(calls, call)
		}
	}
	if len(calls) == 0 {
		return Call{}, Open
	}
	for _, c := range calls[1:] {
		if !c.Result.Identical(calls[0].Result) {
			return Call{}, Open
		}
	}
	return calls[0], Chosen
}

func mostSpecific(calls []Call, args []Arg) []Call {
	best := representatives(calls)
	if len(best) <= 1 || !slices.ContainsFunc(args, func(a Arg) bool { return a.Lambda == nil && a.Type.IsNull() }) {
		return best
	}
	// A NULL fits anywhere: signatures that coerce nothing else come first.
	var nullsOnly []Call
	for _, c := range calls {
		if coercesOnlyNulls(c, args) {
			nullsOnly = append(nullsOnly, c)
		}
	}
	if len(nullsOnly) > 0 {
		best = nullsOnly
	}
	if len(best) == 1 || !sameResult(best) {
		return best
	}
	// All give the same type, and NULL for NULL: any will do.
	return best[len(best)-1:]
}

// representatives drops the calls that others are more specific than.
func representatives(calls []Call) []Call {
	var out []Call
	for _, c := range calls {
		found := false
		for i := range out {
			if moreSpecific(c, out[i]) {
				out[i] = c
			}
			if moreSpecific(c, out[i]) || moreSpecific(out[i], c) {
				found = true
				break
			}
		}
		if !found {
			out = append(out, c)
		}
	}
	return out
}

// moreSpecific reports whether b could be called with what a is called with.
func moreSpecific(a, b Call) bool {
	args := make([]Arg, len(a.Args))
	for i, t := range a.Args {
		args[i].Type = t
		if t.Base == "function" {
			n := len(t.Args) - 1
			args[i].Lambda = func(params []types.Type) (types.Type, bool) {
				return t.Args[n], slices.EqualFunc(params, t.Args[:n], types.Type.Identical)
			}
		}
	}
	_, ok := b.Signature.bind(args, true)
	return ok
}

func coercesOnlyNulls(c Call, args []Arg) bool {
	for i, a := range args {
		if a.Lambda == nil && !a.Type.IsNull() && !a.Type.Identical(c.Args[i]) {
			return false
		}
	}
	return true
}

func sameResult(calls []Call) bool {
	for _, c := range calls[1:] {
		if !c.Result.Identical(calls[0].Result) {
			return false
		}
	}
	return true
}

// Expected lists the signatures of a function as Trino's messages do.
func Expected(candidates []*Signature) string {
	texts := make([]string, len(candidates))
	for i, s := range candidates {
		texts[i] = s.text
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}
