package trino

import (
	"slices"
	"strings"
)

// stops are words that end an expression, an alias or a list.
var stops = strings.Fields(`SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT MINUS
	LATERAL SORT DISTRIBUTE CLUSTER ON USING JOIN LEFT RIGHT INNER FULL CROSS NATURAL STRAIGHT_JOIN SEMI ANTI ASOF
	AS TABLESAMPLE WITH THEN WHEN ELSE END AND OR NOT IN IS LIKE ILIKE RLIKE BETWEEN CASE BY SET INTO VALUES DISTINCT ASC DESC NULLS FOR`)

func isStop(t token) bool {
	return t.kind == tokenWord && slices.Contains(stops, strings.ToUpper(t.text))
}

// hints are words behind SELECT that tell the server how to work.
var hints = strings.Fields(`STRAIGHT_JOIN SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_CACHE SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT HIGH_PRIORITY DISTINCTROW`)

// statement reads the whole text: a query, or tokens that stay as they are.
func (r *reader) statement() *node {
	root := &node{hi: len(r.tokens)}
	for !r.done() {
		if r.startsQuery(r.i) && (r.i == 0 || !r.peek().is("FROM")) || r.peek().is("VALUES") && r.i == 0 {
			root.add(r.query())
			if !r.done() {
				r.i++
			}
			continue
		}
		r.i++
	}
	return root
}

// query reads [WITH] body [ORDER BY] [LIMIT].
func (r *reader) query() *node {
	n := &node{kind: nodeQuery, lo: r.i, query: &queryParts{}}
	if r.depth++; r.depth > maxDepth {
		r.deep = true
	}
	defer func() { r.depth-- }()
	if r.deep {
		r.i = len(r.tokens)
		n.hi = r.i
		return n
	}
	if r.peek().is("WITH") {
		r.with(n)
	}
	n.query.body = r.body()
	n.add(n.query.body)
	r.tail(n)
	n.hi = r.i
	return n
}

func (r *reader) with(n *node) {
	r.i++
	r.take("RECURSIVE")
	for r.peek().name() {
		r.i++
		if r.peek().is("(") {
			r.skipTo("(", ")")
		}
		r.take("AS")
		if r.words("NOT", "MATERIALIZED") || r.peek().is("MATERIALIZED") {
			lo := r.i
			r.take("NOT")
			r.i++
			n.add(patch(lo, r.i, func(*translator) {}))
		}
		if r.peek().is("(") {
			n.add(r.paren())
		}
		if !r.take(",") {
			return
		}
	}
}

// body reads SELECTs joined by set operators.
func (r *reader) body() *node {
	n := &node{lo: r.i}
	n.add(r.term())
	for r.wordIn([]string{"UNION", "INTERSECT", "EXCEPT", "MINUS"}) {
		if r.peek().is("MINUS") {
			at := r.i
			n.add(patch(at, at+1, func(t *translator) {
				t.write("EXCEPT", at)
				t.change("minus", at, at+1, "MINUS is EXCEPT in Presto")
			}))
		}
		r.i++
		if !r.take("ALL") {
			r.take("DISTINCT")
		}
		if at := r.i; r.take("BY", "NAME") {
			n.add(patch(at, r.i, func(t *translator) { t.no(at, "UNION BY NAME") }))
		}
		before := r.i
		n.add(r.term())
		if r.i == before {
			break
		}
	}
	n.hi = r.i
	return n
}

func (r *reader) term() *node {
	switch {
	case r.peek().is("("):
		return r.paren()
	case r.peek().is("SELECT"):
		return r.selectTerm()
	case r.peek().is("FROM"):
		return r.fromFirst()
	case r.peek().is("VALUES"):
		n := &node{lo: r.i}
		r.i++
		for r.peek().is("(") || r.peek().is("ROW") || !isStop(r.peek()) && !r.peek().is(")") && !r.done() {
			before := r.i
			n.add(r.expr(powerOr))
			if r.i == before || !r.take(",") {
				break
			}
		}
		n.hi = r.i
		return n
	case r.peek().is("TABLE"):
		r.i += 2
		return &node{lo: r.i - 2, hi: r.i}
	}
	return nil
}

// tail reads ORDER BY, LIMIT, OFFSET, FETCH and what locks rows.
func (r *reader) tail(n *node) {
	q := n.query
	for {
		lo := r.i
		switch {
		case r.take("ORDER", "BY"), r.take("SORT", "BY"), r.take("CLUSTER", "BY"):
			q.orderLo, q.orderBy = lo, r.sortItems()
			q.orderHi = r.i
			word := lo
			if !r.at(lo).is("ORDER") {
				n.add(patch(lo, lo+1, func(t *translator) {
					t.write("ORDER", word)
					t.change("sort_by", word, word+2, "SORT BY and CLUSTER BY are ORDER BY in Presto")
				}))
			}
			n.kids = append(n.kids, q.orderBy...)
		case r.take("DISTRIBUTE", "BY"):
			r.sortItems()
			n.add(drop(lo, r.i, "distribute_by", "DISTRIBUTE BY has no effect on the rows"))
		case r.peek().is("LIMIT"), r.peek().is("OFFSET"), r.peek().is("FETCH"):
			if !r.limit(n) {
				return
			}
		case r.words("FOR", "UPDATE"), r.words("FOR", "SHARE"), r.words("LOCK", "IN", "SHARE", "MODE"), r.words("FOR", "NO", "KEY"):
			for !r.done() && !r.peek().is(")") && !r.peek().is(";") {
				r.i++
			}
			n.add(drop(lo, r.i, "lock", "Presto does not lock rows"))
		default:
			return
		}
	}
}

func (r *reader) limit(n *node) bool {
	q, lo := n.query, r.i
	if q.limitLo == 0 {
		q.limitLo = lo
	}
	switch {
	case r.take("FETCH"):
		q.fetch = true
		for r.i < len(r.tokens) && !r.peek().is("ONLY") && !r.peek().is("TIES") && !r.peek().is(")") {
			r.i++
		}
		if !r.peek().is(")") {
			r.i++
		}
	case r.take("LIMIT"):
		q.limit = r.expr(powerOr)
		if q.limit == nil {
			r.take("ALL")
		}
		if r.take(",") {
			q.offset, q.limit = q.limit, r.expr(powerOr)
		}
		if r.take("BY") {
			return false
		}
	case r.take("OFFSET"):
		q.offset = r.expr(powerOr)
		_ = r.take("ROWS") || r.take("ROW")
	}
	q.limitHi = r.i
	return r.i > lo
}

// drop is a patch that leaves out tokens.
func drop(lo, hi int, rule, message string) *node {
	return patch(lo, hi, func(t *translator) { t.change(rule, lo, hi, message) })
}

// selectTerm reads a SELECT up to its set operator, ORDER BY or LIMIT.
func (r *reader) selectTerm() *node {
	s := &selectParts{}
	n := &node{kind: nodeSelect, lo: r.i, sel: s}
	r.i++
	r.modifiers(n)
	s.itemsLo = r.i
	s.items = r.items(n)
	s.itemsHi = r.i
	r.selectClauses(n)
	n.hi = r.i
	return n
}

// modifiers reads DISTINCT ON, TOP and hints.
func (r *reader) modifiers(n *node) {
	for {
		lo := r.i
		switch {
		case r.words("DISTINCT", "ON", "("):
			r.i += 2
			p := r.paren()
			n.sel.distinctOn, n.sel.distinct = p.kids, [2]int{lo, r.i}
		case r.take("DISTINCT"), r.take("ALL"):
		case r.peek().is("TOP") && (r.at(r.i+1).kind == tokenNumber || r.at(r.i+1).is("(")):
			r.i++
			n.sel.top = r.primary()
			r.take("PERCENT")
			n.add(drop(lo, r.i, "top", "TOP n is LIMIT n in Presto"))
		case r.wordIn(hints) && !r.at(r.i+1).is(",") && !r.at(r.i+1).is("FROM"):
			if r.peek().is("DISTINCTROW") {
				n.add(patch(lo, lo+1, func(t *translator) {
					t.write("DISTINCT", lo)
					t.change("hint", lo, lo+1, "DISTINCTROW is DISTINCT")
				}))
			} else {
				n.add(drop(lo, lo+1, "hint", "hints for a server of another kind have no meaning in Presto"))
			}
			r.i++
		default:
			return
		}
	}
}

// items reads the SELECT list.
func (r *reader) items(n *node) []*item {
	var out []*item
	for !r.done() && !r.peek().is(")") && !(isStop(r.peek()) && !r.startsCase()) {
		before := r.i
		out = append(out, r.item(n))
		if r.i == before {
			r.i++
		}
		if !r.peek().is(",") {
			break
		}
		// A comma before FROM is a slip: the list ends.
		if next := r.at(r.i + 1); next.is("FROM") {
			n.add(drop(r.i, r.i+1, "comma", "a comma stood before the end of a list"))
		}
		r.i++
	}
	return out
}

// startsCase reports whether a stop word begins an expression after all.
func (r *reader) startsCase() bool {
	next := r.at(r.i + 1)
	return r.peek().is("CASE") || r.peek().is("NOT") || next.is("(") && !r.peek().is("FROM")
}

func (r *reader) item(n *node) *item {
	it := &item{lo: r.i, alias: -1}
	it.expr = r.expr(powerOr)
	if it.expr != nil && r.at(r.i-1).is("*") {
		it.star = true
		n.add(it.expr)
		r.starMods(n, it)
		it.hi = r.i
		return it
	}
	n.add(it.expr)
	r.alias(n, it)
	it.hi = r.i
	return it
}

func (r *reader) alias(n *node, it *item) {
	t := r.peek()
	switch {
	case t.is("AS") && (r.at(r.i+1).name() || r.at(r.i+1).kind == tokenString):
		it.alias = r.i + 1
		r.i += 2
	case t.kind == tokenName, t.kind == tokenDouble, t.kind == tokenWord && !isStop(t) && !r.wordIn([]string{"LOCK"}):
		it.alias = r.i
		r.i++
	default:
		return
	}
	n.add(aliasNode(it.alias))
}

// aliasNode writes a token as a name, whatever its quotes.
func aliasNode(at int) *node {
	return patch(at, at+1, func(t *translator) { t.nameToken(at) })
}

// starMods reads EXCEPT, EXCLUDE, REPLACE and RENAME behind a star.
func (r *reader) starMods(n *node, it *item) {
	for r.wordIn([]string{"EXCEPT", "EXCLUDE", "REPLACE", "RENAME"}) {
		if r.peek().is("EXCEPT") && (r.at(r.i+1).is("SELECT") || r.at(r.i+1).is("(") && (r.at(r.i+2).is("SELECT") || r.at(r.i+2).is("("))) {
			return
		}
		m := starMod{word: strings.ToUpper(r.peek().text), lo: r.i}
		r.i++
		inner := &node{}
		if r.take("(") {
			m.items = r.items(inner)
			r.take(")")
		} else {
			m.items = append(m.items, r.item(inner))
		}
		m.hi = r.i
		it.starMods = append(it.starMods, m)
	}
}

// selectClauses reads FROM and what follows it.
func (r *reader) selectClauses(n *node) {
	s := n.sel
	for {
		lo := r.i
		switch {
		case r.peek().is("FROM"):
			r.from(n)
		case r.take("WHERE"):
			s.where = r.expr(powerOr)
			n.add(s.where)
		case r.take("GROUP", "BY"):
			s.groupLo = lo
			r.groupBy(n)
			s.groupHi = r.i
		case r.take("HAVING"):
			n.add(r.expr(powerOr))
		case r.take("QUALIFY"):
			s.qualifyLo = lo
			s.qualify = r.expr(powerOr)
			n.add(s.qualify)
		case r.take("WINDOW"):
			for r.peek().name() && r.at(r.i+1).is("AS") {
				r.i += 2
				n.add(r.clauses())
				r.take(",")
			}
		case r.words("LATERAL", "VIEW"):
			r.lateralView(n)
			s.fromHi = r.i
		default:
			return
		}
	}
}
