package trino

import (
	"slices"
	"strings"
)

// reader reads tokens into nodes. It never fails: what it does not understand
// stays as it is, for the Presto parser to judge.
type reader struct {
	tokens []token
	traits
	behind []int // for each token, the first one from there that is no parenthesis
	i      int
	depth  int
	deep   bool // nested deeper than is read
}

func newReader(tokens []token, tr traits) *reader {
	r := &reader{tokens: tokens, traits: tr, behind: make([]int, len(tokens)+1)}
	r.behind[len(tokens)] = len(tokens)
	for i := len(tokens) - 1; i >= 0; i-- {
		r.behind[i] = i
		if tokens[i].is("(") {
			r.behind[i] = r.behind[i+1]
		}
	}
	return r
}

// maxDepth bounds the nesting that is read.
const maxDepth = 500

var end = token{kind: tokenMark}

func (r *reader) at(i int) token {
	if i < 0 || i >= len(r.tokens) {
		return end
	}
	return r.tokens[i]
}

func (r *reader) peek() token { return r.at(r.i) }

func (r *reader) done() bool { return r.i >= len(r.tokens) }

// words reports whether the next tokens are these words.
func (r *reader) words(words ...string) bool {
	for k, w := range words {
		if !r.at(r.i + k).is(w) {
			return false
		}
	}
	return true
}

// take skips the words where they come next.
func (r *reader) take(words ...string) bool {
	if !r.words(words...) {
		return false
	}
	r.i += len(words)
	return true
}

func (r *reader) wordIn(list []string) bool {
	return r.peek().kind == tokenWord && slices.Contains(list, strings.ToUpper(r.peek().text))
}

// binding powers; a higher one binds tighter.
const (
	powerOr = iota + 1
	powerXor
	powerAnd
	powerNot
	powerCompare
	powerOther
	powerBitOr
	powerBitAnd
	powerShift
	powerAdd
	powerMultiply
	powerCaret
	powerSign
)

var powers = map[string]int{
	"OR": powerOr, "XOR": powerXor, "AND": powerAnd, "&&": powerAnd,
	"=": powerCompare, "==": powerCompare, "<>": powerCompare, "!=": powerCompare, "<": powerCompare, ">": powerCompare,
	"<=": powerCompare, ">=": powerCompare, "<=>": powerCompare, "IS": powerCompare, "ISNULL": powerCompare, "NOTNULL": powerCompare, "LIKE": powerCompare, "ILIKE": powerCompare,
	"RLIKE": powerCompare, "REGEXP": powerCompare, "GLOB": powerCompare, "SIMILAR TO": powerCompare, "IN": powerCompare, "BETWEEN": powerCompare,
	"~": powerCompare, "~*": powerCompare, "!~": powerCompare, "!~*": powerCompare, "~~": powerCompare, "~~*": powerCompare, "!~~": powerCompare, "!~~*": powerCompare,
	"@>": powerCompare, "<@": powerCompare, "^@": powerCompare,
	"||": powerOther, "|": powerBitOr, "&": powerBitAnd, "<<": powerShift, ">>": powerShift,
	"+": powerAdd, "-": powerAdd, "*": powerMultiply, "/": powerMultiply, "%": powerMultiply, "//": powerMultiply, "DIV": powerMultiply, "MOD": powerMultiply,
	"^": powerCaret, "**": powerCaret,
}

// operator returns the binary operator that comes next, with the number of its
// tokens; NOT LIKE and its like are "NOT LIKE".
func (r *reader) operator() (op string, count int) {
	t := r.peek()
	if t.kind != tokenWord && t.kind != tokenMark || r.done() {
		return "", 0
	}
	op = strings.ToUpper(t.text)
	switch op {
	case "NOT":
		next := strings.ToUpper(r.at(r.i + 1).text)
		if next == "SIMILAR" {
			return "NOT SIMILAR TO", 3
		}
		if powers[next] == powerCompare && r.at(r.i+1).kind == tokenWord {
			return "NOT " + next, 2
		}
		return "", 0
	case "SIMILAR":
		return "SIMILAR TO", 2
	case "||":
		if !r.OrConcat {
			return "||", 1
		}
	}
	if powers[op] == 0 {
		return "", 0
	}
	return op, 1
}

func (r *reader) power(op string) int {
	op = strings.TrimPrefix(op, "NOT ")
	if op == "||" && !r.OrConcat {
		return powerOr
	}
	return powers[op]
}

// expr reads an expression; nil where there is none.
func (r *reader) expr(least int) *node {
	if r.depth++; r.depth > maxDepth {
		r.deep = true
		r.depth--
		return nil
	}
	defer func() { r.depth-- }()
	left := r.prefix()
	for left != nil {
		op, count := r.operator()
		power := r.power(op)
		if count == 0 || power < least {
			return left
		}
		r.i += count
		left = r.infix(left, op, power)
	}
	return left
}

// infix reads what follows an operator.
func (r *reader) infix(left *node, op string, power int) *node {
	n := &node{kind: nodeBinary, lo: left.lo, kids: []*node{left}, op: op}
	switch strings.TrimPrefix(op, "NOT ") {
	case "IS":
		n.kind = nodeOther
		r.take("NOT")
		if r.take("DISTINCT", "FROM") {
			n.add(r.expr(powerCompare + 1))
		} else if !r.done() && r.peek().kind != tokenMark && !r.wordIn([]string{"NULL", "TRUE", "FALSE", "UNKNOWN", "JSON", "NORMALIZED", "NFC", "NFD"}) {
			n.kind = nodeBinary // SQLite's x IS 3
			n.add(r.expr(powerCompare + 1))
		} else if !r.done() && r.peek().kind == tokenWord {
			n.kind = nodeBinary
			n.add(r.leaf(nodeLiteral))
		}
	case "ISNULL", "NOTNULL":
		at := r.i - 1
		n.kind = nodeOther
		n.add(patch(at, r.i, func(t *translator) {
			t.write(map[string]string{"ISNULL": "IS NULL", "NOTNULL": "IS NOT NULL"}[op], at)
			t.change("is_null", at, at+1, op+" is written in two words in Presto")
		}))
	case "IN":
		n.kind = nodeOther
		if r.peek().is("(") || r.peek().is("[") {
			n.add(r.prefix())
		} else { // IN UNNEST(x), IN array
			n.kind = nodeBinary
			n.add(r.prefix())
		}
	case "BETWEEN":
		n.kind = nodeOther
		r.take("SYMMETRIC")
		n.add(r.expr(powerCompare + 1))
		if r.take("AND") {
			n.add(r.expr(powerCompare + 1))
		}
	default:
		if left.lo < left.hi && (r.wordIn([]string{"ANY", "ALL", "SOME"})) && r.at(r.i+1).is("(") {
			n.kind = nodeOther
			if r.at(r.i+2).is("SELECT") || r.at(r.i+2).is("WITH") {
				r.i++
			} else {
				n.kind = nodeBinary
			}
		}
		n.add(r.expr(power + 1))
		if power == powerCompare && r.take("ESCAPE") {
			n.kind = nodeOther
			if strings.HasSuffix(op, "ILIKE") {
				n.kind = nodeBinary
			}
			n.add(r.expr(powerCompare + 1))
		}
	}
	n.hi = r.i
	return n
}

func (n *node) add(kid *node) {
	if kid != nil {
		n.kids = append(n.kids, kid)
	}
}

func (r *reader) leaf(kind nodeKind) *node {
	r.i++
	return &node{kind: kind, lo: r.i - 1, hi: r.i}
}

// prefix reads an operand with the signs before it and what is attached to it.
func (r *reader) prefix() *node {
	t := r.peek()
	lo := r.i
	switch {
	case r.done():
		return nil
	case t.is("NOT"), t.is("!"):
		r.i++
		n := &node{kind: nodePrefix, lo: lo, op: strings.ToUpper(t.text)}
		power := powerNot
		if t.is("!") {
			power = powerSign
		}
		n.add(r.expr(power))
		n.hi = r.i
		return n
	case t.is("-"), t.is("+"), t.is("~"), t.is("BINARY") && r.startsOperand(r.i+1):
		r.i++
		n := &node{kind: nodePrefix, lo: lo, op: strings.ToUpper(t.text)}
		n.add(r.expr(powerSign))
		n.hi = r.i
		return n
	}
	n := r.primary()
	if n == nil {
		return nil
	}
	return r.postfix(n)
}

// startsOperand reports whether the token can begin an operand.
func (r *reader) startsOperand(i int) bool {
	t := r.at(i)
	return i < len(r.tokens) && (t.kind != tokenMark || t.is("(")) && !isStop(t)
}

// postfix reads casts, subscripts, paths, zones and windows behind an operand.
func (r *reader) postfix(n *node) *node {
	for {
		t := r.peek()
		switch {
		case t.is("::"):
			r.i++
			n = &node{kind: nodeCast, lo: n.lo, kids: []*node{n}}
			n.add(r.typeName())
		case t.is("["):
			n = r.subscript(n)
		case t.is("->"), t.is("->>"), t.is("#>"), t.is("#>>"):
			r.i++
			n = &node{kind: nodeBinary, lo: n.lo, kids: []*node{n}, op: t.text}
			right := r.primary()
			n.add(right)
		case t.is("."):
			if !r.at(r.i+1).name() && !r.at(r.i+1).is("*") {
				return n
			}
			r.i += 2
			n = &node{lo: n.lo, kids: []*node{n}}
		case r.words("AT", "TIME", "ZONE"):
			r.i += 3
			n = &node{lo: n.lo, kids: []*node{n}}
			n.add(r.expr(powerSign))
		case t.is("COLLATE") && r.at(r.i+1).kind != tokenMark:
			r.i++
			n = &node{lo: n.lo, kids: []*node{n, patch(r.i-1, r.i+1, func(t *translator) {
				t.change("collate", r.i-1, r.i, "Presto has no collations: texts are compared as they are")
			})}}
			r.i++
		case n.kind == nodeCall && r.wordIn([]string{"OVER", "FILTER", "WITHIN", "IGNORE", "RESPECT"}):
			r.window(n)
			continue
		default:
			return n
		}
		n.hi = r.i
	}
}

// subscript reads x[i] and x[from:to].
func (r *reader) subscript(n *node) *node {
	out := &node{kind: nodeSubscript, lo: n.lo, kids: []*node{n}}
	r.i++
	if !r.peek().is(":") {
		out.add(r.expr(powerOr))
	}
	if r.take(":") {
		out.op = ":"
		if !r.peek().is("]") {
			out.add(r.expr(powerOr))
		}
	}
	r.take("]")
	out.hi = r.i
	return out
}
