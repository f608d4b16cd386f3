package trino

import (
	"strings"
)

// groupBy reads the elements of GROUP BY, and WITH ROLLUP behind them.
func (r *reader) groupBy(n *node) {
	s := n.sel
	r.take("DISTINCT")
	for {
		x := r.expr(powerOr)
		if x == nil {
			if !r.take("ALL") {
				break
			}
			x = &node{lo: r.i - 1, hi: r.i}
		}
		if r.at(x.lo).is("GROUPING") && r.peek().is("SETS") {
			r.i++
		}
		if r.at(x.lo).is("GROUPING") && r.peek().is("(") { // GROUPING SETS (...)
			inner := r.paren()
			x = &node{lo: x.lo, hi: inner.hi, kids: []*node{inner}}
		}
		s.group = append(s.group, x)
		n.add(x)
		if !r.take(",") {
			break
		}
	}
	if lo := r.i; len(s.group) > 0 && r.words("GROUPING", "SETS", "(") {
		r.i += 2
		sets := r.paren()
		n.kids = n.kids[:len(n.kids)-len(s.group)]
		n.add(patch(s.group[0].lo, sets.hi, func(t *translator) {
			t.splice(&node{lo: lo, hi: sets.hi, kids: []*node{sets}})
			t.change("grouping_sets", lo, sets.hi, "GROUP BY x GROUPING SETS (...) is GROUP BY GROUPING SETS (...) in Presto")
		}))
		return
	}
	if lo := r.i; len(s.group) > 0 && (r.take("WITH", "ROLLUP") || r.take("WITH", "CUBE")) {
		word, hi := strings.ToUpper(r.at(r.i-1).text), r.i
		n.kids = n.kids[:len(n.kids)-len(s.group)]
		first, group := s.group[0].lo, s.group
		n.add(patch(first, hi, func(t *translator) {
			t.write(word+"(", first)
			t.list(group)
			t.write(")", lo)
			t.change("rollup", lo, hi, "GROUP BY x WITH "+word+" is GROUP BY "+word+"(x) in Presto")
		}))
	}
}
