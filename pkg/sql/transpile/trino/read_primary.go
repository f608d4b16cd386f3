package trino

import "strings"

// primary reads one operand; nil where there is none.
func (r *reader) primary() *node {
	t := r.peek()
	if r.done() {
		return nil
	}
	switch t.kind {
	case tokenString:
		n := r.leaf(nodeLiteral)
		for r.peek().kind == tokenString && r.DoubleQuotes == "string" { // 'a' 'b' is 'ab'
			r.i++
			n.hi++
		}
		return n
	case tokenBytes, tokenNumber:
		return r.leaf(nodeLiteral)
	case tokenMark:
		return r.markPrimary(t)
	case tokenWord:
		if n, ok := r.wordPrimary(t); ok {
			return n
		}
	}
	return r.name()
}

func (r *reader) markPrimary(t token) *node {
	switch {
	case t.is("("), t.is("（"):
		return r.paren()
	case t.is("["):
		n := &node{kind: nodeArray, lo: r.i}
		r.i++
		r.list(n, "]")
		return n
	case t.is("{"):
		n := &node{lo: r.i}
		r.i++
		r.list(n, "}")
		n.write = func(t *translator) { t.no(n.lo, "a literal in braces") }
		return n
	case t.is("?"), t.is("*"):
		return r.leaf(nodeOther)
	case t.is(":") && r.at(r.i+1).kind == tokenWord, t.is("$") && r.at(r.i+1).kind == tokenNumber:
		r.i += 2
		return &node{lo: r.i - 2, hi: r.i}
	}
	return nil
}

// list reads expressions up to a closing mark, into the kids of n.
func (r *reader) list(n *node, closing string) {
	for !r.done() && !r.peek().is(closing) {
		before := r.i
		n.add(r.expr(powerOr))
		if r.i == before {
			if r.peek().is(")") || r.peek().is("]") || r.peek().is("}") {
				break
			}
			r.i++
		}
	}
	r.take(closing)
	n.hi = r.i
}

// paren reads (query), (expr) or (expr, expr).
func (r *reader) paren() *node {
	n := &node{kind: nodeParen, lo: r.i}
	r.i++
	if r.startsQuery(r.i) {
		n.add(r.query())
	}
	r.list(n, ")")
	return n
}

// startsQuery looks behind opening parentheses for the beginning of a query.
func (r *reader) startsQuery(i int) bool {
	i = r.behind[min(i, len(r.tokens))]
	t := r.at(i)
	return t.is("SELECT") || t.is("WITH") || t.is("VALUES") && i < len(r.tokens) && r.at(i+1).is("(") || t.is("FROM")
}

// wordPrimary reads what begins with a word of its own.
func (r *reader) wordPrimary(t token) (*node, bool) {
	lo := r.i
	next := r.at(r.i + 1)
	switch strings.ToUpper(t.text) {
	case "CASE":
		return r.caseExpr(), true
	case "INTERVAL":
		if n := r.interval(); n != nil {
			return n, true
		}
	case "CAST", "TRY_CAST", "SAFE_CAST", "CONVERT", "TRY_CONVERT":
		if next.is("(") {
			return r.castCall(), true
		}
	case "EXTRACT":
		if next.is("(") {
			return r.extract(), true
		}
	case "EXISTS":
		r.i++
		n := &node{lo: lo}
		n.add(r.primary())
		n.hi = r.i
		return n, true
	case "LAMBDA":
		if next.name() && (r.at(r.i+2).is(":") || r.at(r.i+2).is(",")) {
			return r.lambda(), true
		}
	case "ARRAY":
		if next.is("[") || next.is("<") {
			return r.arrayLiteral(), true
		}
	case "DATE", "TIMESTAMP", "TIME", "DATETIME", "TIMESTAMPTZ", "DECIMAL", "NUMERIC", "BIGNUMERIC", "JSON":
		if next.kind == tokenString || next.kind == tokenDouble && r.DoubleQuotes == "string" {
			r.i += 2
			return &node{kind: nodeLiteral, lo: lo, hi: r.i, op: strings.ToUpper(t.text)}, true
		}
	case "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "CURRENT_USER", "LOCALTIMESTAMP", "LOCALTIME", "SESSION_USER", "CURRENT_DATETIME":
		if !next.is("(") {
			return r.leaf(nodeLiteral), true
		}
	}
	if isStop(t) && !next.is("(") {
		return nil, true
	}
	return nil, false
}

// name reads a dotted name, or the call of one.
func (r *reader) name() *node {
	if !r.peek().name() {
		return nil
	}
	n := &node{kind: nodeName, lo: r.i}
	r.i++
	for r.peek().is(".") && (r.at(r.i+1).name() || r.at(r.i+1).is("*")) {
		r.i += 2
		if r.at(r.i - 1).is("*") {
			break
		}
	}
	n.hi = r.i
	if !r.peek().is("(") {
		if r.peek().is("->") && r.isLambda() {
			r.i++
			out := &node{lo: n.lo}
			out.add(r.expr(powerOr))
			out.hi = r.i
			return out
		}
		return n
	}
	return r.call(n)
}

// isLambda tells x -> x + 1 from x -> 'path'.
func (r *reader) isLambda() bool {
	after := r.at(r.i + 1)
	return after.kind != tokenString && after.kind != tokenNumber && after.kind != tokenDouble
}

// call reads the arguments of a call.
func (r *reader) call(name *node) *node {
	n := &node{kind: nodeCall, lo: name.lo, open: r.i}
	for i := name.lo; i < name.hi; i++ {
		n.op += strings.ToLower(r.at(i).text)
	}
	r.i++
	if r.startsQuery(r.i) && !r.at(r.i).is("FROM") {
		q := r.query()
		n.add(q)
		n.args = append(n.args, q)
	}
	for !r.done() && !r.peek().is(")") {
		before := r.i
		switch {
		case r.take("DISTINCT"):
			n.distinct = true
			continue
		case r.take("ORDER", "BY"):
			n.kids = append(n.kids, r.sortItems()...)
			continue
		case r.peek().is("SEPARATOR") && (r.at(r.i+1).kind == tokenString || r.at(r.i+1).kind == tokenDouble):
			r.i++
			n.add(r.expr(powerOr))
			n.unit = [2]int{r.i - 1, r.i}
			continue
		}
		least := powerOr
		if n.op == "position" { // position(x IN y)
			least = powerOther
		}
		if n.op == "position" && r.take("IN") || n.op == "trim" && r.take("FROM") { // words between the arguments
			n.op += " of"
		}
		arg := r.expr(least)
		if arg != nil {
			n.add(arg)
			n.args = append(n.args, arg)
		}
		if r.i == before {
			r.i++
		}
	}
	r.take(")")
	n.hi = r.i
	return n
}

func (r *reader) caseExpr() *node {
	n := &node{kind: nodeCase, lo: r.i}
	r.i++
	for !r.done() && !r.peek().is("END") && !r.peek().is(")") {
		before := r.i
		if !r.take("WHEN") && !r.take("THEN") && !r.take("ELSE") {
			n.add(r.expr(powerOr))
		}
		if r.i == before {
			break
		}
	}
	r.take("END")
	n.hi = r.i
	return n
}

func (r *reader) extract() *node {
	n := &node{kind: nodeCall, lo: r.i, op: "extract", open: r.i + 1}
	r.i += 2
	n.args = append(n.args, r.leaf(nodeLiteral))
	n.kids = append(n.kids, n.args[0])
	r.take("FROM")
	if x := r.expr(powerOr); x != nil {
		n.add(x)
		n.args = append(n.args, x)
	}
	r.list(n, ")")
	return n
}

// castCall reads CAST(x AS type) and CONVERT(x, type).
func (r *reader) castCall() *node {
	n := &node{kind: nodeCall, lo: r.i, op: strings.ToLower(r.peek().text), open: r.i + 1}
	r.i += 2
	if x := r.expr(powerOr); x != nil {
		n.add(x)
		n.args = append(n.args, x)
	}
	if r.take("AS") || r.take(",") {
		if t := r.typeName(); t != nil {
			n.add(t)
			n.args = append(n.args, t)
		}
	}
	r.list(n, ")")
	return n
}

// arrayLiteral reads ARRAY[...] and BigQuery's ARRAY<type>[...].
func (r *reader) arrayLiteral() *node {
	lo := r.i
	r.i++
	if r.peek().is("<") {
		r.i--
		r.typeName()
	}
	n := &node{kind: nodeArray, lo: lo, op: "ARRAY"}
	if !r.take("[") {
		n.hi = r.i
		return n
	}
	r.list(n, "]")
	return n
}

// typeName reads a type: decimal(10, 2), double precision, int[], ARRAY<STRING>,
// timestamp with time zone.
func (r *reader) typeName() *node {
	if !r.peek().name() {
		return nil
	}
	n := &node{kind: nodeType, lo: r.i}
	r.i++
	for _, second := range [][]string{{"PRECISION"}, {"VARYING"}, {"UNSIGNED"}, {"SIGNED"}, {"INTEGER"}, {"INT"}} {
		r.take(second...)
	}
	switch {
	case r.peek().is("("):
		r.skipTo("(", ")")
	case r.peek().is("<"):
		r.skipTo("<", ">")
	}
	if r.take("WITH", "TIME", "ZONE") || r.take("WITHOUT", "TIME", "ZONE") || r.take("WITH", "LOCAL", "TIME", "ZONE") {
		n.op = "zone"
	}
	for _, last := range []string{"UNSIGNED", "SIGNED"} {
		r.take(last)
	}
	for r.words("[", "]") {
		r.i += 2
	}
	n.hi = r.i
	return n
}

// skipTo skips from an opening mark to behind the one that closes it.
func (r *reader) skipTo(opening, closing string) {
	depth := 0
	for ; !r.done(); r.i++ {
		switch t := r.peek(); {
		case t.is(opening):
			depth++
		case t.is(closing):
			depth--
		case t.is(">>") && closing == ">":
			depth -= 2
		}
		if depth <= 0 {
			r.i++
			return
		}
	}
}

// lambda reads DuckDB's lambda x, i: x + i.
func (r *reader) lambda() *node {
	n := &node{lo: r.i}
	r.i++
	names := r.i
	for !r.done() && !r.peek().is(":") {
		r.i++
	}
	colon := r.i
	r.take(":")
	body := r.expr(powerOr)
	n.hi = r.i
	n.write = func(t *translator) {
		t.write("(", n.lo)
		t.copy(names, colon, names)
		t.write(") -> ", n.lo)
		t.emit(body)
		t.change("lambda", n.lo, n.hi, "Presto writes lambdas as x -> x + 1")
	}
	return n
}
