package trino

// window reads OVER, FILTER and WITHIN GROUP into the call.
func (r *reader) window(n *node) {
	word := r.peek()
	r.i++
	switch {
	case word.is("IGNORE"), word.is("RESPECT"):
		r.take("NULLS")
	case word.is("WITHIN"):
		r.take("GROUP")
	}
	if r.peek().is("(") {
		n.add(r.clauses())
	} else if word.is("OVER") {
		r.i++
	}
	n.hi = r.i
}

// clauses reads a list in parentheses that holds PARTITION BY, ORDER BY, WHERE
// and a frame beside expressions.
func (r *reader) clauses() *node {
	n := &node{lo: r.i}
	r.i++
	for !r.done() && !r.peek().is(")") {
		if !r.clausePart(n) {
			r.i++
		}
	}
	r.take(")")
	n.hi = r.i
	return n
}

// clausePart reads one part of a list and reports false where there is none.
func (r *reader) clausePart(n *node) bool {
	switch {
	case r.take("ORDER", "BY"), r.take("SORT", "BY"):
		n.kids = append(n.kids, r.sortItems()...)
		return true
	case r.take("PARTITION", "BY"), r.take("DISTRIBUTE", "BY"), r.take("WHERE"), r.take("DISTINCT"), r.take("SEPARATOR"), r.take(","):
		return true
	case r.wordIn([]string{"ROWS", "RANGE", "GROUPS", "BETWEEN", "UNBOUNDED", "PRECEDING", "FOLLOWING", "AND", "CURRENT", "ROW", "EXCLUDE", "LIMIT"}):
		return false
	}
	before := r.i
	n.add(r.expr(powerOr))
	return r.i > before
}

// sortItems reads the elements of ORDER BY.
func (r *reader) sortItems() []*node {
	var out []*node
	for {
		n := &node{kind: nodeSort, lo: r.i, sort: &sortParts{}}
		n.sort.expr = r.expr(powerOr)
		if n.sort.expr == nil {
			return out
		}
		n.add(n.sort.expr)
		if r.take("DESC") {
			n.sort.desc = true
		} else {
			r.take("ASC")
		}
		if r.words("NULLS", "FIRST") || r.words("NULLS", "LAST") {
			n.sort.nulls = true
			r.i += 2
		}
		n.hi = r.i
		out = append(out, n)
		if !r.take(",") {
			return out
		}
	}
}
