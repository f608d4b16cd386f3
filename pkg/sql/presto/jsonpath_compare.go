package presto

import (
	"cmp"
	"slices"
	"strings"
)

// truth is the value of a condition.
type truth int

const (
	isUnknown truth = iota
	isFalse
	isTrue
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// test evaluates a condition. A path in it that fails makes it unknown.
func (p *pathRun) test(n *pathNode, in pathScope) (result truth, err error) {
	if err := p.spend(1); err != nil {
		return isUnknown, err
	}
	switch n.op {
	case pathAnd, pathOr:
		return p.connect(n, in)
	case pathNot:
		result, err = p.test(n.left, in)
		return map[truth]truth{isTrue: isFalse, isFalse: isTrue}[result], err
	case pathIsUnknown:
		result, err = p.test(n.left, in)
		return truthOf(result == isUnknown), err
	case pathStarts:
		result, err = p.startsWith(n, in)
	case pathCompare:
		result, err = p.compare(n, in)
	case pathExists:
		var items []pathItem
		items, err = p.eval(n.left, in)
		result = truthOf(len(items) > 0)
	}
	if isPathFailure(err) {
		return isUnknown, nil
	}
	return result, err
}

// connect evaluates && and ||: the right side only where the left one leaves it open.
func (p *pathRun) connect(n *pathNode, in pathScope) (truth, error) {
	decides, otherwise := isFalse, isTrue
	if n.op == pathOr {
		decides, otherwise = isTrue, isFalse
	}
	unknown := false
	for _, side := range []*pathNode{n.left, n.right} {
		switch result, err := p.test(side, in); {
		case err != nil:
			return isUnknown, err
		case result == decides:
			return decides, nil
		case result == isUnknown:
			unknown = true
		}
	}
	if unknown {
		return isUnknown, nil
	}
	return otherwise, nil
}

// sides tells what the items of one side of a comparison are.
type sides struct {
	null, nested bool
	scalars      []pathItem
	broken       bool // a number that no type holds
}

func sidesOf(items []pathItem) sides {
	var s sides
	for _, i := range items {
		scalar, ok := i.scalar()
		switch {
		case ok:
			s.scalars = append(s.scalars, scalar)
		case i.json.kind == jsonNull:
			s.null = true
		case i.json.kind == jsonNumber:
			s.scalars, s.broken = append(s.scalars, i), true
		default:
			s.nested = true
		}
	}
	return s
}

// compare compares each item with each: one pair for which it holds is enough. Null
// equals null and nothing else; what has no order makes the result unknown.
func (p *pathRun) compare(n *pathNode, in pathScope) (truth, error) {
	var both [2]sides
	var empty bool
	var raw [2][]pathItem
	for i, side := range []*pathNode{n.left, n.right} {
		items, err := p.eval(side, in)
		if err != nil {
			return isUnknown, err
		}
		raw[i] = items
	}
	for i := range raw {
		items, err := p.unwrapped(raw[i])
		if err != nil {
			return isUnknown, err
		}
		empty = empty || len(items) == 0
		both[i] = sidesOf(items)
	}
	left, right := both[0], both[1]
	switch {
	case empty:
		return isFalse, nil
	case left.nested && (right.nested || len(right.scalars) > 0), len(left.scalars) > 0 && right.nested:
		return isUnknown, nil
	}
	found := n.key == "==" && left.null && right.null
	if n.key == "<>" || n.key == "!=" {
		found = left.null && (right.nested || len(right.scalars) > 0) || right.null && (left.nested || len(left.scalars) > 0)
	}
	switch {
	case found && p.lax:
		return isTrue, nil
	case len(left.scalars) == 0 || len(right.scalars) == 0:
		return truthOf(found), nil
	case left.broken || right.broken:
		return isUnknown, nil
	}
	for _, l := range left.scalars {
		if err := p.spend(len(right.scalars)); err != nil {
			return isUnknown, err
		}
		for _, r := range right.scalars {
			holds, ok := compareScalars(n.key, l, r)
			if !ok {
				return isUnknown, nil
			}
			if found = found || holds; found && p.lax {
				return isTrue, nil
			}
		}
	}
	return truthOf(found), nil
}

// compareScalars is not ok for types that are not compared.
func compareScalars(op string, l, r pathItem) (holds, ok bool) {
	switch {
	case l.kind.isNumber() && r.kind.isNumber():
		if max(l.kind, r.kind) == pathDouble {
			return ordered(op, l.asDouble(), r.asDouble()), true
		}
		a, b := l.asDecimal().decimal, r.asDecimal().decimal
		common := max(a.scale, b.scale)
		return orderHolds(op, a.rescaled(common, false).units.Cmp(b.rescaled(common, false).units)), true
	case l.kind != r.kind:
		return false, false
	case l.kind == pathText:
		return orderHolds(op, strings.Compare(l.text, r.text)), true
	}
	number := map[bool]int{true: 1}
	return orderHolds(op, cmp.Compare(number[l.truth], number[r.truth])), true
}

func orderHolds(op string, order int) bool {
	return ordered(op, float64(order), 0)
}

// ordered compares as Java does: nothing is in order with NaN.
func ordered(op string, x, y float64) bool {
	switch op {
	case "==":
		return x == y
	case "<":
		return x < y
	case ">":
		return x > y
	case "<=":
		return x <= y
	case ">=":
		return x >= y
	}
	return x != y
}

// staticKind is the type that a part of a path has whatever the input is, -1 where
// it depends; what Trino refuses for such a type is refused.
func staticKind(n *pathNode) (pathKind, error) {
	if n == nil {
		return -1, nil
	}
	left, err := staticKind(n.left)
	if err != nil {
		return -1, err
	}
	right, err := staticKind(n.right)
	if err != nil {
		return -1, err
	}
	for _, s := range n.subscripts {
		for _, side := range s {
			if _, err := staticKind(side); err != nil {
				return -1, err
			}
		}
	}
	needsNumber := n.op == pathSign || n.op == pathArithmetic && left >= 0 && right >= 0 ||
		n.op == pathMethod && slices.Contains([]string{"abs", "ceiling", "floor"}, n.key)
	switch {
	case needsNumber && (left > pathDouble || n.op == pathArithmetic && right > pathDouble),
		n.op == pathMethod && n.key == "double" && left == pathBoolean:
		return -1, unreadable("an operator of numbers with something else")
	case n.op == pathLiteral && n.value.kind != pathJSON:
		return n.value.kind, nil
	case n.op == pathLast, n.op == pathMethod && n.key == "size":
		return pathInteger, nil
	case n.op == pathMethod && n.key == "type":
		return pathText, nil
	case n.op == pathMethod && n.key == "double":
		return pathDouble, nil
	case needsNumber && left >= 0:
		return max(left, right), nil
	case n.op == pathFilter:
		return left, nil
	}
	return -1, nil
}
