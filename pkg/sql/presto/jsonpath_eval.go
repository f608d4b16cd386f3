package presto

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// maxPathSteps bounds the items that evaluating a path goes over.
const maxPathSteps = 1_000_000

// pathRun evaluates a path over one input.
type pathRun struct {
	lax     bool
	input   pathItem
	passed  []jsonMember // the variables
	steps   int
	objects int64 // of which keyvalue() told
}

// pathScope is what @ and last stand for.
type pathScope struct {
	current *pathItem
	last    int // -1: no array
}

// errPathSteps is no mistake of the path: ON ERROR does not handle it.
var errPathSteps = &Error{"NOT_SUPPORTED", "a JSON path that goes over so many items is not supported on the embedded engine"}

func isPathFailure(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Name == "PATH_EVALUATION_ERROR"
}

func (p *pathRun) spend(n int) error {
	if p.steps += n; p.steps > maxPathSteps {
		return errPathSteps
	}
	return nil
}

// eval gives the items of a node.
func (p *pathRun) eval(n *pathNode, in pathScope) ([]pathItem, error) {
	if err := p.spend(1); err != nil {
		return nil, err
	}
	switch n.op {
	case pathInput:
		return []pathItem{p.input}, nil
	case pathCurrent:
		if in.current == nil {
			return nil, failure("@ outside a filter")
		}
		return []pathItem{*in.current}, nil
	case pathLast:
		if in.last < 0 {
			return nil, failure("last outside an array")
		}
		return []pathItem{{kind: pathInteger, whole: int64(in.last)}}, nil
	case pathLiteral:
		return []pathItem{n.value}, nil
	case pathVariable:
		return p.variable(n.key)
	case pathArithmetic:
		return p.binary(n, in)
	}
	base, err := p.eval(n.left, in)
	if err != nil {
		return nil, err
	}
	if err := p.spend(len(base)); err != nil {
		return nil, err
	}
	switch n.op {
	case pathItems:
		return p.items(n, base, in)
	case pathDescendant:
		return p.descendants(n.key, base)
	case pathMethod:
		if n.key == "size" || n.key == "type" {
			return p.each(base, func(i pathItem) (pathItem, error) { return p.measure(n.key, i) })
		}
	}
	if base, err = p.unwrapped(base); err != nil {
		return nil, err
	}
	switch n.op {
	case pathMember, pathMembers:
		return p.members(n, base)
	case pathFilter:
		return p.filter(n, base, in)
	case pathSign:
		return p.each(base, func(i pathItem) (pathItem, error) {
			i, err := i.number()
			if err != nil || n.key == "+" {
				return i, err
			}
			return negated(i)
		})
	}
	if n.key == "keyvalue" {
		return p.keyValue(base)
	}
	return p.each(base, func(i pathItem) (pathItem, error) { return numberMethod(n.key, i) })
}

func (p *pathRun) variable(name string) ([]pathItem, error) {
	for _, m := range p.passed {
		if m.key == name {
			item := pathItem{json: m.value}
			if scalar, ok := item.scalar(); ok {
				item = scalar
			}
			return []pathItem{item}, nil
		}
	}
	return nil, &Error{"NOT_SUPPORTED", "the JSON path: no value is passed for $" + Short(name)}
}

// unwrapped goes into arrays where the path is lax.
func (p *pathRun) unwrapped(items []pathItem) ([]pathItem, error) {
	isArray := func(i pathItem) bool { return i.kind == pathJSON && i.json.kind == jsonArray }
	if !p.lax || !slices.ContainsFunc(items, isArray) {
		return items, nil
	}
	var out []pathItem
	for _, i := range items {
		if !isArray(i) {
			out = append(out, i)
			continue
		}
		if err := p.spend(len(i.json.items)); err != nil {
			return nil, err
		}
		out = append(out, jsonItems(i.json.items)...)
	}
	return out, nil
}

func jsonItems(values []jsonValue) []pathItem {
	out := make([]pathItem, len(values))
	for i, v := range values {
		out[i].json = v
	}
	return out
}

func (p *pathRun) each(items []pathItem, of func(pathItem) (pathItem, error)) ([]pathItem, error) {
	out := make([]pathItem, len(items))
	for i, item := range items {
		var err error
		if out[i], err = of(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *pathRun) binary(n *pathNode, in pathScope) ([]pathItem, error) {
	var operands [2][]pathItem
	for i, side := range []*pathNode{n.left, n.right} {
		items, err := p.eval(side, in)
		if err != nil {
			return nil, err
		}
		operands[i] = items
	}
	var numbers [2]pathItem
	for i, items := range operands {
		items, err := p.unwrapped(items)
		if err != nil {
			return nil, err
		}
		operands[i] = items
	}
	if len(operands[0]) != 1 || len(operands[1]) != 1 {
		return nil, failure("an operator needs one item on each side")
	}
	for i, items := range operands {
		number, err := items[0].number()
		if err != nil {
			return nil, err
		}
		numbers[i] = number
	}
	result, err := arithmetic(n.key, numbers[0], numbers[1])
	return []pathItem{result}, err
}

func (p *pathRun) members(n *pathNode, base []pathItem) ([]pathItem, error) {
	var out []pathItem
	for _, i := range base {
		if i.kind != pathJSON || i.json.kind != jsonObject {
			if !p.lax {
				return nil, failure("an item is no object")
			}
			continue
		}
		if err := p.spend(len(i.json.members)); err != nil {
			return nil, err
		}
		found := false
		for _, m := range i.json.members {
			if n.op == pathMembers || m.key == n.key {
				out, found = append(out, pathItem{json: m.value}), true
			}
		}
		if !found && !p.lax && n.op == pathMember {
			return nil, failure("an object has no member '%s'", Short(n.key))
		}
	}
	return out, nil
}

// descendants gives the members of a key, those of an object before those deeper
// in it.
func (p *pathRun) descendants(key string, base []pathItem) (out []pathItem, err error) {
	var visit func(v jsonValue) error
	visit = func(v jsonValue) error {
		if err := p.spend(1 + len(v.members)); err != nil {
			return err
		}
		for _, m := range v.members {
			if m.key == key {
				out = append(out, pathItem{json: m.value})
			}
		}
		for _, m := range v.members {
			if err := visit(m.value); err != nil {
				return err
			}
		}
		for _, item := range v.items {
			if err := visit(item); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range base {
		if err := visit(i.json); err != nil { // of a value of SQL it is null, which has nothing
			return nil, err
		}
	}
	return out, nil
}

func (p *pathRun) items(n *pathNode, base []pathItem, in pathScope) ([]pathItem, error) {
	var out []pathItem
	for _, i := range base {
		elements := []pathItem{i}
		switch {
		case i.kind == pathJSON && i.json.kind == jsonArray:
			if err := p.spend(len(i.json.items)); err != nil {
				return nil, err
			}
			elements = jsonItems(i.json.items)
		case !p.lax:
			return nil, failure("an item is no array")
		}
		switch {
		case len(n.subscripts) == 0:
			out = append(out, elements...)
			continue
		case len(elements) == 0 && !p.lax:
			return nil, failure("a subscript of an empty array")
		case len(elements) == 0:
			continue
		}
		scope := pathScope{in.current, len(elements) - 1}
		for _, s := range n.subscripts {
			from, to, err := p.bounds(s, scope)
			if err != nil {
				return nil, err
			}
			if !p.lax && (from < 0 || to > int64(scope.last) || from > to) {
				return nil, failure("a subscript is outside the array")
			}
			from, to = max(from, 0), min(to, int64(scope.last))
			if from > to {
				continue
			}
			if err := p.spend(int(to - from + 1)); err != nil {
				return nil, err
			}
			out = append(out, elements[from:to+1]...)
		}
	}
	return out, nil
}

func (p *pathRun) bounds(s [2]*pathNode, in pathScope) (from, to int64, err error) {
	var at [2][]pathItem
	for i, side := range s {
		if side == nil {
			continue
		}
		if at[i], err = p.eval(side, in); err != nil {
			return 0, 0, err
		}
	}
	for i, side := range s {
		if side != nil && len(at[i]) != 1 {
			return 0, 0, failure("a subscript is no single number")
		}
	}
	if from, err = index(at[0][0]); err != nil || s[1] == nil {
		return from, from, err
	}
	to, err = index(at[1][0])
	return from, to, err
}

// index makes a subscript of an item: numbers of JSON are cut, those of SQL rounded.
func index(i pathItem) (int64, error) {
	n, err := i.number()
	switch {
	case err != nil:
		return 0, err
	case n.kind == pathDecimal:
		return pathCast(decimalInteger(n.decimal.String(), 64, 0))
	case n.kind == pathDouble && i.kind == pathJSON:
		if math.Abs(n.double) >= 1<<62 {
			return 0, failure("a subscript is too large")
		}
		return int64(n.double), nil
	case n.kind == pathDouble:
		return pathCast(doubleInteger(n.double, 64, 1))
	}
	return n.whole, nil
}

func pathCast[T any](v T, err error) (T, error) {
	if err != nil {
		return v, failure("%s", err)
	}
	return v, nil
}

func (p *pathRun) filter(n *pathNode, base []pathItem, in pathScope) ([]pathItem, error) {
	var out []pathItem
	for _, i := range base {
		holds, err := p.test(n.right, pathScope{&i, in.last})
		if err != nil {
			return nil, err
		}
		if holds == isTrue {
			out = append(out, i)
		}
	}
	return out, nil
}

// startsWith compares bytes.
func (p *pathRun) startsWith(n *pathNode, in pathScope) (truth, error) {
	values, err := p.eval(n.left, in)
	if err != nil {
		return isUnknown, err
	}
	prefix := n.right.value.text
	if values, err = p.unwrapped(values); err != nil {
		return isUnknown, err
	}
	result := isFalse
	for _, v := range values {
		text, ok := v.scalar()
		if !ok || text.kind != pathText {
			return isUnknown, nil
		}
		if strings.HasPrefix(text.text, prefix) {
			if result = isTrue; p.lax {
				break
			}
		}
	}
	return result, nil
}
