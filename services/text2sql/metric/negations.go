package metric

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// excludes reads what a named exclusion leaves out where its name comes apart:
// "excluding cancelled and returned orders".
func (r *reader) excludes(u *unit) bool {
	for _, not := range r.names.nots {
		for _, m := range r.names.byKey[keyOf(slices.Concat(not, u.tokens))] {
			if m.kind == kindExclusion {
				r.out.Intent.Filters = append(r.out.Intent.Filters, intent.Cond{Op: intent.Named, ID: m.id})
				r.span(u, "filter", "exclusion "+m.id)
				r.negated = r.listed()
				return true
			}
		}
	}
	return false
}

// headsValue passes over what a value is said of: "excluding orders that were
// returned".
func (r *reader) headsValue(u *unit) bool {
	if !u.has(kindMetric) || u.leavesOut() {
		return false
	}
	for i := r.pos + 1; i < len(r.units); i++ {
		switch o := &r.units[i]; {
		case o.has(kindValue), o.has(kindFilter):
			return i > r.pos+1
		case o.is("rel"), o.is("which"), o.idle(), o.is("light"):
		default:
			return false
		}
	}
	return false
}

// leavesOut reports whether a name may be what a negation leaves out, or say of
// what the next one is a value.
func (u *unit) leavesOut() bool {
	return u.has(kindCountry) || u.has(kindValue) || u.has(kindFilter) || u.has(kindExclusion) || u.has(kindDimension)
}
