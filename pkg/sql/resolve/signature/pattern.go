package signature

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/types"
)

// unbounded is the length of a varchar that has none, in calculations.
const unbounded = 2147483647

// pattern is a type in a signature, which may hold variables.
type pattern struct {
	variable int         // index of a type variable; -1: none
	fixed    *types.Type // a type without any variable; nil: there are some
	base     string
	args     []pattern
	names    []string // of a row's fields
	params   []param  // of a base with numbers in parentheses
}

// param is a number in a type's parentheses, or a variable for one.
type param struct {
	variable int // index; -1: a number
	number   int
}

func (p *pattern) isFunction() bool { return p.base == "function" }

type patternParser struct {
	signature *Signature
	numbers   map[string]int // indexes of number variables
}

func (p *patternParser) number(id string) int {
	i, ok := p.numbers[id]
	if !ok {
		i = len(p.numbers)
		p.numbers[id] = i
	}
	return i
}

// list reads patterns separated by commas.
func (p *patternParser) list(text string) []pattern {
	var out []pattern
	for _, part := range split(text) {
		out = append(out, p.one(part))
	}
	return out
}

// split cuts at the commas that are in no parentheses.
func split(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

func (p *patternParser) one(text string) pattern {
	text = strings.ToLower(text)
	for i, v := range p.signature.vars {
		if v.name == text {
			return pattern{variable: i, base: text}
		}
	}
	out := pattern{variable: -1, base: text}
	open := strings.IndexByte(text, '(')
	if open < 0 {
		fixed := types.Parse(text)
		if text == "varchar" || text == "char" || text == "timestamp" || text == "time" || text == "decimal" {
			fixed = types.Type{Base: text, Precision: -1}
		}
		out.fixed = &fixed
		return out
	}
	end := strings.LastIndexByte(text, ')')
	inside := text[open+1 : end]
	out.base = text[:open] + text[end+1:]
	switch out.base {
	case "array", "map", "row", "function", "qdigest", "classifier":
		parts := split(inside)
		out.names = make([]string, len(parts))
		for i, part := range parts {
			if name, rest, ok := strings.Cut(part, " "); ok && out.base == "row" && !strings.HasPrefix(rest, "with") {
				out.names[i], part = name, rest
			}
			out.args = append(out.args, p.one(part))
		}
		out.fixed = fixedOf(out)
		return out
	}
	for _, id := range split(inside) {
		if n, err := strconv.Atoi(id); err == nil {
			out.params = append(out.params, param{variable: -1, number: n})
		} else {
			out.params = append(out.params, param{variable: p.number(id)})
		}
	}
	if fixed := types.Parse(text); !fixed.IsUnknown() && !out.hasVariables() {
		out.fixed = &fixed
	}
	return out
}

func (p *pattern) hasVariables() bool {
	for _, n := range p.params {
		if n.variable >= 0 {
			return true
		}
	}
	return false
}

// fixedOf is the type that a pattern of fixed arguments stands for; nil where they
// hold variables.
func fixedOf(p pattern) *types.Type {
	t := types.Type{Base: p.base, Precision: -1}
	for _, a := range p.args {
		if a.fixed == nil {
			return nil
		}
		t.Args = append(t.Args, *a.fixed)
	}
	if p.base == "row" {
		t.Names = p.names
	}
	return &t
}

// calculation gives a number variable its value.
type calculation struct {
	target int
	value  formula
}

// formula is a number, a variable, or an operation on two formulas.
type formula struct {
	op          byte // 'n' a number, 'v' a variable, 'm' min, 'M' max, + - * /
	n           int
	left, right *formula
}

func (f *formula) eval(numbers []int) int {
	switch f.op {
	case 'n':
		return f.n
	case 'v':
		return numbers[f.n]
	}
	a, b := f.left.eval(numbers), f.right.eval(numbers)
	switch f.op {
	case 'm':
		return min(a, b)
	case 'M':
		return max(a, b)
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	if b == 0 {
		return 0
	}
	return a / b
}

// formula reads "min(38, p - s + 1)": numbers, variables, min, max, + - * / and
// parentheses.
func (p *patternParser) formula(text string) formula {
	r := formulaParser{rest: text, patterns: p}
	return r.sum()
}

type formulaParser struct {
	rest     string
	patterns *patternParser
}

func (r *formulaParser) next() byte {
	r.rest = strings.TrimLeft(r.rest, " ")
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

func (r *formulaParser) take() byte {
	c := r.next()
	r.rest = r.rest[1:]
	return c
}

func (r *formulaParser) sum() formula {
	left := r.product()
	for r.next() == '+' || r.next() == '-' {
		op, l := r.take(), left
		right := r.product()
		left = formula{op: op, left: &l, right: &right}
	}
	return left
}

func (r *formulaParser) product() formula {
	left := r.atom()
	for r.next() == '*' || r.next() == '/' {
		op, l := r.take(), left
		right := r.atom()
		left = formula{op: op, left: &l, right: &right}
	}
	return left
}

func (r *formulaParser) atom() formula {
	if r.next() == '(' {
		r.take()
		inner := r.sum()
		r.take()
		return inner
	}
	r.next()
	end := strings.IndexFunc(r.rest, func(c rune) bool { return strings.ContainsRune(" +-*/(),", c) })
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	if n, err := strconv.Atoi(word); err == nil {
		return formula{op: 'n', n: n}
	}
	if r.next() != '(' {
		return formula{op: 'v', n: r.patterns.number(word)}
	}
	r.take() // of min or max
	left := r.sum()
	r.take()
	right := r.sum()
	r.take()
	if word == "min" {
		return formula{op: 'm', left: &left, right: &right}
	}
	return formula{op: 'M', left: &left, right: &right}
}
