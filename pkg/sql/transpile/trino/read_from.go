package trino

import "strings"

// from reads FROM with its joins.
func (r *reader) from(n *node) {
	s := n.sel
	s.fromLo = r.i
	r.i++
	for {
		before := r.i
		r.joined(n)
		if r.i == before || !r.take(",") {
			break
		}
	}
	s.fromHi = r.i
}

// joined reads one element of FROM and the joins behind it.
func (r *reader) joined(n *node) {
	chain := &node{kind: nodeOther, lo: r.i}
	r.tableInto(n, chain)
	var pending []*join
	for {
		j := r.joinWords()
		if j == nil {
			break
		}
		r.tableInto(n, chain)
		j.tableHi = r.i
		pending = append(pending, j)
		for len(pending) > 0 && (r.peek().is("ON") || r.peek().is("USING")) {
			last := pending[len(pending)-1]
			last.conditionLo = r.i
			if r.take("ON") {
				last.on = r.expr(powerOr)
				chain.add(last.on)
			} else {
				r.i++
				if r.peek().is("(") {
					r.skipTo("(", ")")
				}
			}
			last.conditionHi = r.i
			pending = pending[:len(pending)-1]
			r.joinRule(n, chain, last)
		}
		if len(pending) > 0 && !r.joinsFollow(len(pending)) {
			last := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			r.joinRule(n, chain, last)
		}
	}
	for _, j := range pending {
		r.joinRule(n, chain, j)
	}
	chain.hi = r.i
	chain.kids = inOrder(chain.kids)
	n.add(chain)
}

// join is one JOIN as it is written.
type join struct {
	lo, wordsHi, tableHi      int // words, table
	conditionLo, conditionHi  int // 0: none
	on                        *node
	side                      string // "", LEFT, RIGHT, FULL, CROSS
	semi, anti, natural, loud bool   // loud: STRAIGHT_JOIN
	apply                     bool
}

// joinWords reads [NATURAL] [LEFT] [OUTER|SEMI|ANTI] JOIN; nil where none comes.
func (r *reader) joinWords() *join {
	j := &join{lo: r.i}
	i := r.i
	for {
		t := r.at(i)
		word := strings.ToUpper(t.text)
		if t.kind != tokenWord || i >= len(r.tokens) {
			return nil
		}
		i++
		switch word {
		case "LEFT", "RIGHT", "FULL", "CROSS":
			j.side = word
		case "INNER", "OUTER", "GLOBAL", "ANY", "ALL":
		case "NATURAL":
			j.natural = true
		case "SEMI":
			j.semi = true
		case "ANTI":
			j.anti = true
		case "STRAIGHT_JOIN":
			j.loud = true
			r.i, j.wordsHi = i, i
			return j
		case "JOIN":
			r.i, j.wordsHi = i, i
			return j
		case "APPLY":
			j.apply = true
			r.i, j.wordsHi = i, i
			return j
		default:
			return nil
		}
	}
}

// maxJoinTokens bounds how far is looked for the condition of a join.
const maxJoinTokens = 2000

// joinsFollow looks whether as many conditions as are pending come after the
// joins that follow.
func (r *reader) joinsFollow(pending int) bool {
	joins, conditions, depth := pending, 0, 0
	for i := r.i; i < min(len(r.tokens), r.i+maxJoinTokens) && depth >= 0; i++ {
		switch t := r.tokens[i]; {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth > 0:
		case t.is("JOIN"), t.is("STRAIGHT_JOIN"):
			if !r.at(i - 1).is("CROSS") {
				joins++
			}
		case t.is("ON"), t.is("USING"):
			conditions++
		case t.is("WHERE"), t.is("GROUP"), t.is("ORDER"), t.is("LIMIT"), t.is(","), t.is("UNION"), t.is("HAVING"):
			return conditions == joins
		}
	}
	return conditions == joins
}

// tableInto reads an element of FROM into the chain.
func (r *reader) tableInto(n *node, chain *node) {
	x := r.tableRef()
	if x == nil {
		return
	}
	chain.add(x)
	n.sel.tables = append(n.sel.tables, x)
}

// tableRef reads a table, a query, or a table function, with its alias.
func (r *reader) tableRef() *node {
	tp := &tableParts{alias: -1}
	n := &node{kind: nodeTable, lo: r.i, table: tp}
	r.take("LATERAL")
	r.take("ONLY")
	t := r.peek()
	switch {
	case t.is("("):
		if r.startsQuery(r.i + 1) {
			tp.inner = r.paren()
		} else {
			tp.inner = r.nestedJoin()
		}
		n.add(tp.inner)
	case t.is("VALUES"):
		tp.inner = r.term()
		n.add(tp.inner)
	case t.kind == tokenString: // FROM 'file.csv'
		r.i++
	default:
		x := r.name()
		if x == nil {
			return nil
		}
		if x.kind == nodeCall {
			tp.call = x
		} else {
			tp.name = x
		}
		n.add(x)
	}
	r.tableTail(n)
	n.hi = r.i
	return n
}

// nestedJoin reads (a JOIN b ON ...).
func (r *reader) nestedJoin() *node {
	n := &node{lo: r.i, sel: &selectParts{}}
	r.i++
	r.joined(n)
	r.take(")")
	n.hi = r.i
	return n
}

// tableTail reads alias, columns, hints and samples behind a table.
func (r *reader) tableTail(n *node) {
	tp := n.table
	for {
		lo := r.i
		t := r.peek()
		switch {
		case r.done():
			return
		case t.is("POSITIONAL"), r.words("USING", "SAMPLE"):
			what := t.text
			r.i++
			n.add(patch(lo, r.i, func(tr *translator) { tr.no(lo, what+" "+tr.tok(lo+1).text) }))
		case t.is("TABLESAMPLE"):
			r.i++
			if r.peek().is("(") {
				r.sample(n)
				continue
			}
			for !r.done() && (r.peek().kind == tokenWord && !isStop(r.peek()) || r.peek().is("(") || r.peek().kind == tokenNumber) {
				if r.peek().is("(") {
					r.skipTo("(", ")")
					break
				}
				r.i++
			}
		case (t.is("USE") || t.is("FORCE") || t.is("IGNORE")) && (r.at(r.i+1).is("INDEX") || r.at(r.i+1).is("KEY")):
			for !r.peek().is("(") && !r.done() {
				r.i++
			}
			r.skipTo("(", ")")
			n.add(drop(lo, r.i, "hint", "hints for an index have no meaning in Presto"))
		case r.take("WITH", "ORDINALITY"):
		case r.take("WITH", "OFFSET"):
			tp.offset = true
			r.take("AS")
			if r.peek().name() && !isStop(r.peek()) {
				r.i++
			}
		case t.is("AS") && (r.at(r.i+1).name() || r.at(r.i+1).kind == tokenString):
			r.i++
			r.tableAlias(n)
		case tp.alias < 0 && t.name() && !isStop(t) && !r.wordIn([]string{"LOCK", "PIVOT", "UNPIVOT", "POSITIONAL", "GLOBAL", "MATCH_RECOGNIZE"}) && !(t.is("OUTER") && r.at(r.i+1).is("APPLY")):
			r.tableAlias(n)
		default:
			return
		}
	}
}

// sample reads TABLESAMPLE (10 PERCENT), whose method Presto wants to know.
func (r *reader) sample(n *node) {
	lo := r.i
	r.skipTo("(", ")")
	amount, unit, hi := r.at(lo+1), r.at(lo+2), r.i
	n.add(patch(lo, hi, func(t *translator) {
		if !unit.is("PERCENT") || amount.kind != tokenNumber {
			t.no(lo-1, "TABLESAMPLE by anything but a percentage")
			return
		}
		t.write("BERNOULLI ("+amount.value+")", lo)
		t.change("sample", lo, hi, "Presto wants a method of sampling")
	}))
}

func (r *reader) tableAlias(n *node) {
	tp := n.table
	tp.alias = r.i
	n.add(aliasNode(r.i))
	r.i++
	if r.peek().is("(") && r.at(r.i+1).name() {
		for r.i++; !r.done() && !r.peek().is(")"); r.i++ {
			if r.peek().name() && (r.at(r.i-1).is("(") || r.at(r.i-1).is(",")) {
				tp.columns = append(tp.columns, r.i)
			}
		}
		r.take(")")
	}
}

// fromFirst reads DuckDB's FROM t [SELECT ...] and Hive's FROM t SELECT ....
func (r *reader) fromFirst() *node {
	s := &selectParts{}
	n := &node{kind: nodeSelect, lo: r.i, sel: s}
	r.from(n)
	from := n.kids
	n.kids = nil
	fromLo, fromHi := s.fromLo, r.i
	selectLo := r.i
	if r.take("SELECT") {
		r.modifiers(n)
		s.itemsLo = r.i
		s.items = r.items(n)
		s.itemsHi = r.i
	}
	hi := r.i
	head := n.kids
	n.kids = []*node{patch(n.lo, hi, func(t *translator) {
		if hi > fromHi {
			t.splice(&node{lo: selectLo, hi: hi, kids: head})
		} else {
			t.write("SELECT *", fromLo)
		}
		t.write(" ", fromLo)
		t.splice(&node{lo: fromLo, hi: fromHi, kids: from})
		t.change("from_first", fromLo, fromHi, "Presto writes SELECT before FROM")
	})}
	s.fromLo = 0
	r.selectClauses(n)
	n.hi = r.i
	return n
}

// lateralView reads LATERAL VIEW [OUTER] explode(x) t AS c.
func (r *reader) lateralView(n *node) {
	v := &view{lo: r.i}
	r.i += 2
	v.outer = r.take("OUTER")
	x := r.name()
	if x == nil || x.kind != nodeCall {
		return
	}
	v.call = x
	if r.peek().name() && !r.peek().is("AS") {
		v.alias = r.i
		r.i++
	}
	if r.take("AS") {
		for r.peek().name() {
			v.columns = append(v.columns, r.i)
			r.i++
			if !r.take(",") {
				break
			}
		}
	}
	v.hi = r.i
	n.add(patch(v.lo, v.hi, func(t *translator) { t.lateralView(v) }))
}

// view is a LATERAL VIEW.
type view struct {
	lo, hi  int
	outer   bool
	call    *node
	alias   int // token; 0: none
	columns []int
}
