package intent

import (
	"math/big"
	"slices"
)

// Impossible finds a column on which conditions that all must hold exclude each other
// for every row: one that is and is not one value, is two values, or lies above one
// number and below a smaller one. It is nil where there is none.
func Impossible(conds []Cond) *Output {
	conds = flat(conds)
	for i := range conds {
		for k := range conds[:i] {
			if sameLeft(conds[i], conds[k]) && (exclude(conds[i], conds[k]) || exclude(conds[k], conds[i])) {
				return conds[i].Left
			}
		}
	}
	for _, c := range conds {
		if c.Sub == nil {
			continue
		}
		if left := Impossible(c.Sub.Filters); left != nil {
			return left
		}
	}
	return nil
}

// flat takes the conditions out of conjunctions.
func flat(conds []Cond) []Cond {
	var out []Cond
	for _, c := range conds {
		if c.Op == And {
			out = append(out, flat(c.Args)...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// sameLeft reports whether two conditions are on one column as it is stored.
func sameLeft(a, b Cond) bool {
	return a.Left != nil && b.Left != nil && a.Left.Calc == nil && a.Left.When == nil && *a.Left == *b.Left &&
		a.Sub == nil && b.Sub == nil && a.Right == nil && b.Right == nil
}

// exclude reports whether no value fulfils both, as far as one of them says which
// values it takes.
func exclude(a, b Cond) bool {
	if a.Op == IsNull {
		return b.Op != IsNull && b.Op != Or && b.Op != Not
	}
	if a.Op == Eq || a.Op == In {
		return len(a.Values) > 0 && !slices.ContainsFunc(a.Values, func(v Literal) bool { return admits(b, v) })
	}
	low, hasLow := bound(a, Gt, Ge)
	high, hasHigh := bound(b, Lt, Le)
	if !hasLow || !hasHigh {
		return false
	}
	order := low.Cmp(high)
	return order > 0 || order == 0 && (a.Op == Gt || b.Op == Lt)
}

// admits reports whether a value may fulfil a condition; true where that is not known.
func admits(c Cond, v Literal) bool {
	has := slices.ContainsFunc(c.Values, func(o Literal) bool { return o.Text == v.Text })
	switch c.Op {
	case Eq, In:
		return has
	case Ne, NotIn:
		return !has
	case Gt, Ge, Lt, Le:
		x, ok := new(big.Rat).SetString(v.Text)
		y, known := bound(c, c.Op, c.Op)
		if !ok || !known {
			return true
		}
		order := x.Cmp(y)
		return order > 0 && (c.Op == Gt || c.Op == Ge) || order < 0 && (c.Op == Lt || c.Op == Le) || order == 0 && (c.Op == Ge || c.Op == Le)
	}
	return true
}

// bound is the number that a condition compares with, where it has one of two
// operators.
func bound(c Cond, one, other Op) (*big.Rat, bool) {
	if c.Op != one && c.Op != other || len(c.Values) != 1 || !c.Values[0].Number {
		return nil, false
	}
	return new(big.Rat).SetString(c.Values[0].Text)
}
