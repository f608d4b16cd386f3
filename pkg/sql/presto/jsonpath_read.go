package presto

import (
	"slices"
	"strconv"
	"strings"
)

// A path of SQL/JSON is a tree of nodes; pathNode.op tells what a node does.
type pathOp int

const (
	pathInput      pathOp = iota // $
	pathCurrent                  // @
	pathLast                     // last
	pathLiteral                  // value
	pathVariable                 // $key, which is passed
	pathMember                   // left.key
	pathMembers                  // left.*
	pathDescendant               // left..key
	pathItems                    // left[*], left[subscripts]
	pathFilter                   // left ? (right)
	pathMethod                   // left.key()
	pathSign                     // key is "+" or "-", of left
	pathArithmetic               // left key right
	// Conditions, which are true, false or unknown.
	pathCompare   // left key right
	pathStarts    // left starts with right
	pathExists    // exists(left)
	pathNot       // !left
	pathAnd       // left && right
	pathOr        // left || right
	pathIsUnknown // (left) is unknown
)

type pathNode struct {
	op          pathOp
	key         string
	left, right *pathNode
	value       pathItem
	subscripts  [][2]*pathNode // from and to, which is nil for one item
}

// sqlPath is a path that was read.
type sqlPath struct {
	lax  bool
	root *pathNode
}

// pathMethods are the methods that are evaluated here.
var pathMethods = []string{"abs", "ceiling", "double", "floor", "keyvalue", "size", "type"}

const (
	maxPathDepth = 100    // of nodes in each other
	maxPathReads = 10_000 // of nodes that are tried
)

// pathReader reads a path from its beginning. A mistake stops it: err.
type pathReader struct {
	tokens       []string
	at           int
	depth, reads int
	err          error
	ended        bool // the mistake is that the path ends
	method       int  // the token behind a method that no Trino knows; 0: none
}

func unreadable(format string, args ...any) error {
	return &Error{"NOT_SUPPORTED", "the JSON path: " + sprintf(format, args...)}
}

// CheckJSONPath tells what is wrong with a path of SQL/JSON: an *Error with the
// name NOT_SUPPORTED, also where Trino finds a mistake when it reads the path.
func CheckJSONPath(path string) error {
	_, err := readSQLPath(path)
	return err
}

// JSONPathMistake returns the place, in bytes, at which Trino finds that a path is
// none; false where there is no such place, or where it is not certain.
func JSONPathMistake(path string) (at int, found bool) {
	tokens, err := pathTokens(path)
	if err != nil || slices.Contains(tokens, "like_regex") {
		return 0, false
	}
	r := &pathReader{tokens: tokens}
	if first := r.peek(); !r.take("lax") && !r.take("strict") {
		return 0, !strings.EqualFold(first, "lax") && !strings.EqualFold(first, "strict") && !strings.HasPrefix(path, " ")
	}
	r.path(0)
	switch {
	case r.ended:
		return len(path), true
	case r.method == 0:
		return 0, false
	}
	for i, token := range tokens {
		at += strings.Index(path[at:], token)
		if i == r.method {
			break
		}
		at += len(token)
	}
	return at, true
}

// JSONPathVariables are the names of the variables of a path, without $.
func JSONPathVariables(path string) []string {
	var names []string
	tokens, _ := pathTokens(path)
	for _, t := range tokens {
		if len(t) > 1 && t[0] == '$' {
			names = append(names, t[1:])
		}
	}
	return names
}

// NeverText reports a path that can be read and gives numbers or booleans whatever
// the input is.
func NeverText(path string) bool {
	p, err := readSQLPath(path)
	if err != nil {
		return false
	}
	kind, err := staticKind(p.root)
	return err == nil && kind >= 0 && kind != pathText
}

func readSQLPath(text string) (sqlPath, error) {
	tokens, err := pathTokens(text)
	if err != nil {
		return sqlPath{}, err
	}
	r := &pathReader{tokens: tokens}
	p := sqlPath{lax: r.take("lax")}
	if !p.lax && !r.take("strict") {
		return p, unreadable("it begins with lax or strict")
	}
	p.root = r.path(0)
	if r.err == nil && r.at < len(r.tokens) {
		r.fail()
	}
	if r.err == nil {
		_, r.err = staticKind(p.root)
	}
	return p, r.err
}

func (r *pathReader) peek() string {
	if r.at < len(r.tokens) {
		return r.tokens[r.at]
	}
	return ""
}

func (r *pathReader) take(tokens ...string) bool {
	for i, t := range tokens {
		if r.at+i >= len(r.tokens) || r.tokens[r.at+i] != t {
			return false
		}
	}
	r.at += len(tokens)
	return true
}

func (r *pathReader) expect(token string) {
	if r.err == nil && !r.take(token) {
		r.fail()
	}
}

func (r *pathReader) fail() {
	if r.err == nil {
		r.ended = r.at >= len(r.tokens)
		r.err = unreadable("it is not understood at '%s'", Short(r.peek()))
	}
}

// deeper counts what is read; false where it is too much.
func (r *pathReader) deeper() bool {
	r.depth++
	r.reads++
	if r.depth > maxPathDepth || r.reads > maxPathReads {
		r.err = unreadable("it is too long")
	}
	return r.err == nil
}

var pathPrecedence = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}

// path reads operators that bind more tightly than a level. A sign binds more
// tightly than any operator.
func (r *pathReader) path(level int) *pathNode {
	defer func() { r.depth-- }()
	if !r.deeper() {
		return nil
	}
	var left *pathNode
	sign := r.peek()
	switch next := r.at + 1; {
	case sign == "-" && next < len(r.tokens) && isPathNumber(r.tokens[next]):
		r.at++
		left = r.accessors(r.number("-"))
	case sign == "+" || sign == "-":
		r.at++
		left = &pathNode{op: pathSign, key: sign, left: r.path(2)}
	default:
		left = r.accessors(r.primary())
	}
	for r.err == nil {
		op := r.peek()
		power := pathPrecedence[op]
		if power <= level {
			break
		}
		r.at++
		left = &pathNode{op: pathArithmetic, key: op, left: left, right: r.path(power)}
	}
	return left
}

func (r *pathReader) primary() *pathNode {
	t := r.peek()
	if isPathNumber(t) {
		return r.number("")
	}
	literal := func(v pathItem) *pathNode { return &pathNode{op: pathLiteral, value: v} }
	r.at++
	switch {
	case t == "$":
		return &pathNode{op: pathInput}
	case len(t) > 1 && t[0] == '$':
		return &pathNode{op: pathVariable, key: t[1:]}
	case t == "@":
		return &pathNode{op: pathCurrent}
	case t == "last":
		return &pathNode{op: pathLast}
	case t == "null":
		return literal(pathItem{kind: pathJSON})
	case t == "true" || t == "false":
		return literal(pathItem{kind: pathBoolean, truth: t == "true"})
	case strings.HasPrefix(t, `"`):
		return literal(pathItem{kind: pathText, text: unquotePath(t)})
	case t == "(":
		inner := r.path(0)
		r.expect(")")
		return inner
	}
	r.at--
	r.fail()
	return nil
}

func (r *pathReader) number(sign string) *pathNode {
	v, ok := literalNumber(sign + r.peek())
	if !ok {
		r.err = unreadable("the number %s is too large", Short(r.peek()))
	}
	r.at++
	return &pathNode{op: pathLiteral, value: v}
}

// literalNumber gives a number the type that a literal of SQL has.
func literalNumber(text string) (pathItem, bool) {
	if strings.ContainsAny(text, "eE") {
		x, err := strconv.ParseFloat(text, 64)
		return pathItem{kind: pathDouble, double: x}, err == nil
	}
	if !strings.Contains(text, ".") {
		n, err := strconv.ParseInt(text, 10, 64)
		return wholeItem(n), err == nil
	}
	d, err := parseFixed(text)
	if err != nil {
		return pathItem{}, false
	}
	whole, _, _ := strings.Cut(strings.TrimLeft(text, "-0"), ".")
	precision := max(int64(len(whole))+d.scale, 1)
	return pathItem{kind: pathDecimal, decimal: d, precision: precision}, precision <= 38
}

func unquotePath(quoted string) string {
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `""`, `"`)
}

func (r *pathReader) accessors(base *pathNode) *pathNode {
	for r.err == nil {
		switch {
		case r.take(".", "*"):
			base = &pathNode{op: pathMembers, left: base}
		case r.take("."):
			base = r.member(pathMember, base)
		case r.take(".."):
			base = r.member(pathDescendant, base)
		case r.take("[", "*", "]"):
			base = &pathNode{op: pathItems, left: base}
		case r.take("["):
			base = r.subscript(base)
		case r.take("?"):
			r.expect("(")
			base = &pathNode{op: pathFilter, left: base, right: r.condition()}
			r.expect(")")
		default:
			return base
		}
		if r.reads++; r.reads > maxPathReads {
			r.err = unreadable("it is too long")
		}
	}
	return base
}

// member reads a key or a method.
func (r *pathReader) member(op pathOp, base *pathNode) *pathNode {
	t := r.peek()
	switch {
	case strings.HasPrefix(t, `"`):
		r.at++
		return &pathNode{op: op, key: unquotePath(t), left: base}
	case !isPathName(t):
		r.fail()
		return nil
	}
	r.at++
	if op != pathMember || r.peek() != "(" {
		return &pathNode{op: op, key: t, left: base}
	}
	r.at++
	for _, known := range pathMethods {
		if t == known {
			r.expect(")")
			return &pathNode{op: pathMethod, key: t, left: base}
		}
	}
	if r.err == nil && t != "datetime" {
		r.method = r.at - 1
	}
	r.err = unreadable("the method %s()", Short(t))
	return nil
}

func (r *pathReader) subscript(base *pathNode) *pathNode {
	n := &pathNode{op: pathItems, left: base}
	for r.err == nil {
		s := [2]*pathNode{r.path(0)}
		if r.take("to") {
			s[1] = r.path(0)
		}
		n.subscripts = append(n.subscripts, s)
		if !r.take(",") {
			break
		}
	}
	r.expect("]")
	return n
}
