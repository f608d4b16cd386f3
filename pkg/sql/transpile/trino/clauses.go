package trino

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// queryRules writes a query whose clauses Presto has elsewhere, or not at all. It
// adds to the kids of the node where the rest stays as it is, and reports false.
func (t *translator) queryRules(n *node) bool {
	q := n.query
	t.limitRule(n)
	if q.body == nil || len(q.body.kids) != 1 || q.body.kids[0].kind != nodeSelect {
		return false
	}
	sel := q.body.kids[0]
	if top := sel.sel.top; top != nil && q.limitLo == 0 {
		n.kids = append(n.kids, patch(n.hi, n.hi, func(t *translator) {
			t.write(" LIMIT ", top.lo)
			t.emit(top)
		}))
	}
	t.orderByAll(n, sel)
	if len(sel.sel.distinctOn) > 0 {
		return t.distinctOn(n, sel)
	}
	return false
}

// orderByAll: DuckDB's ORDER BY ALL sorts by every column, from left to right.
func (t *translator) orderByAll(n, sel *node) {
	q := n.query
	if t.dialect != DialectDuckDB || len(q.orderBy) != 1 || !t.tok(q.orderBy[0].lo).is("ALL") || q.orderBy[0].sort.expr.hi != q.orderBy[0].lo+1 {
		return
	}
	by := q.orderBy[0]
	if slices.ContainsFunc(sel.sel.items, func(it *item) bool { return it.star }) {
		t.no(by.lo, "ORDER BY ALL with *")
		return
	}
	by.write = func(t *translator) {
		for i := range sel.sel.items {
			t.write([]string{"", ", "}[min(i, 1)]+strconv.Itoa(i+1), by.lo)
			t.copyTail(by)
		}
		t.change("order_by_all", by.lo, by.hi, "Presto has no ORDER BY ALL")
	}
}

// limitRule: LIMIT x, y is OFFSET x LIMIT y, and OFFSET stands before LIMIT.
func (t *translator) limitRule(n *node) {
	q := n.query
	if q.limitLo == 0 || q.fetch {
		return
	}
	unlimited := q.limit != nil && t.textOf(q.limit) == "-1"
	if !unlimited && (q.offset == nil || t.tok(q.limitLo).is("OFFSET")) {
		return
	}
	n.kids = append(n.kids, patch(q.limitLo, q.limitHi, func(t *translator) {
		if q.offset != nil {
			t.write("OFFSET ", q.limitLo)
			t.emit(q.offset)
		}
		if q.limit != nil && !unlimited {
			if q.offset != nil {
				t.write(" ", q.limitLo)
			}
			t.write("LIMIT ", q.limitLo)
			t.emit(q.limit)
		}
		t.change("limit_offset", q.limitLo, q.limitHi, "Presto writes OFFSET before LIMIT")
	}))
}

// selectRules prepares the rules of a SELECT, all of which replace parts of it.
func (t *translator) selectRules(n *node) bool {
	s := n.sel
	if s.qualify != nil && !t.qualified[n] {
		return t.qualify(n)
	}
	t.starRules(n)
	t.unnestItems(n)
	t.groupByAll(n)
	t.arrayTables(n)
	if len(s.tables) == 1 && s.tables[0].table.name != nil && t.tok(s.tables[0].lo).is("DUAL") && t.dialect != DialectPostgreSQL {
		n.kids = append(n.kids, drop(s.fromLo, s.fromHi, "dual", "a query needs no table in Presto"))
	}
	if len(s.extra) > 0 {
		t.extraConditions(n)
	}
	return false
}

// extraConditions adds the conditions that rules made to WHERE.
func (t *translator) extraConditions(n *node) {
	s := n.sel
	write := func(t *translator) {
		for i, x := range s.extra {
			if i > 0 {
				t.write(" AND ", x.lo)
			}
			t.emit(x)
		}
	}
	if s.where == nil {
		n.kids = append(n.kids, patch(s.fromHi, s.fromHi, func(t *translator) {
			t.write(" WHERE ", s.fromHi)
			write(t)
		}))
		return
	}
	where := s.where
	n.kids = append([]*node{patch(where.lo, where.hi, func(t *translator) {
		write(t)
		t.write(" AND (", where.lo)
		t.emit(where)
		t.write(")", where.lo)
	})}, n.kids...)
}

// itemName is the name of a column of the SELECT list; empty where it has none.
func (t *translator) itemName(it *item) string {
	switch {
	case it.alias >= 0:
		if tok := t.tok(it.alias); tok.value != "" {
			return tok.value
		}
		return t.tok(it.alias).text
	case it.expr != nil && it.expr.kind == nodeName:
		return t.tok(it.expr.hi - 1).value
	}
	return ""
}

// name returns a name that is not in the text.
func (t *translator) name(prefix string) string {
	for {
		t.fresh++
		name := prefix + "_" + strconv.Itoa(t.fresh)
		if !t.used(name) {
			return name
		}
	}
}

// used reports whether the text has a name, whatever its quotes.
func (t *translator) used(name string) bool {
	if t.names == nil {
		t.names = map[string]bool{}
		for _, tok := range t.tokens {
			t.names[strings.ToLower(tok.value)] = true
		}
	}
	return t.names[name]
}

// wrapped is a SELECT inside another one.
type wrapped struct {
	names []string // of the columns of the outer SELECT
	inner []string // of the same columns inside
}

// wrap finds names for the columns of a SELECT; without a catalog a star has none.
func (t *translator) wrap(n *node, what string) (*wrapped, bool) {
	w := &wrapped{}
	for _, it := range n.sel.items {
		if it.star {
			columns, ok := t.columnsOf(n, t.textOf(it.expr))
			if !ok {
				t.no(it.lo, what+" with * where the tables are not known")
				return nil, false
			}
			w.names, w.inner = append(w.names, columns...), append(w.inner, columns...)
			continue
		}
		name := t.itemName(it)
		w.names = append(w.names, name)
		if name == "" {
			name = t.name("column")
			n.kids = append(n.kids, patch(it.hi, it.hi, func(t *translator) { t.write(" AS "+name, it.lo) }))
		}
		w.inner = append(w.inner, name)
	}
	return w, true
}

func (w *wrapped) list() string {
	parts := make([]string, len(w.inner))
	for i, name := range w.inner {
		parts[i] = printer.Ident(name)
	}
	return strings.Join(parts, ", ")
}

// qualify writes SELECT ... QUALIFY condition as a SELECT around it.
func (t *translator) qualify(n *node) bool {
	s := n.sel
	w, ok := t.wrap(n, "QUALIFY")
	if !ok {
		return true
	}
	flag := t.name("qualify")
	t.write("SELECT "+w.list()+" FROM (", n.lo)
	condition := s.qualify
	add := patch(s.itemsHi, s.itemsHi, func(t *translator) {
		t.write(", ", condition.lo)
		t.withAliases(s, func() { t.emit(condition) })
		t.write(" AS "+flag, condition.lo)
	})
	t.qualified[n] = true
	inner := *n
	inner.kids = append([]*node{patch(s.qualifyLo, condition.hi, func(*translator) {})}, n.kids...)
	inner.kids = append(inner.kids, add)
	innerSelect := *s
	innerSelect.qualify = nil
	inner.sel = &innerSelect
	t.emit(&inner)
	t.write(") WHERE "+flag, n.lo)
	t.change("qualify", s.qualifyLo, condition.hi, "Presto has no QUALIFY: the condition is on a query around")
	return true
}

// withAliases writes names of the SELECT list as what they stand for.
func (t *translator) withAliases(s *selectParts, write func()) {
	saved := t.aliases
	t.aliases = map[string]*node{}
	for _, it := range s.items {
		if it.alias >= 0 && it.expr != nil && !it.star {
			t.aliases[strings.ToLower(t.itemName(it))] = it.expr
		}
	}
	write()
	t.aliases = saved
}

// distinctOn writes SELECT DISTINCT ON (a) ... ORDER BY a, b as the first row of
// each group.
func (t *translator) distinctOn(n, sel *node) bool {
	s, q := sel.sel, n.query
	w, ok := t.wrap(sel, "DISTINCT ON")
	if !ok {
		return true
	}
	rank := t.name("row")
	t.splice(&node{lo: n.lo, hi: q.body.lo, kids: before(n.kids, q.body.lo)})
	if q.body.lo > n.lo {
		t.gap(q.body.lo)
	}
	t.write("SELECT "+w.list()+" FROM (", sel.lo)
	keys := make([]string, len(q.orderBy))
	add := patch(s.itemsHi, s.itemsHi, func(t *translator) {
		t.withAliases(s, func() {
			t.write(", row_number() OVER (PARTITION BY ", s.itemsHi)
			t.list(s.distinctOn)
			if len(q.orderBy) > 0 {
				t.write(" ORDER BY ", s.itemsHi)
				t.list(q.orderBy)
			}
			t.write(") AS "+rank, s.itemsHi)
			for i, o := range q.orderBy {
				keys[i] = t.name("key")
				t.write(", ", o.lo)
				t.emit(o.sort.expr)
				t.write(" AS "+keys[i], o.lo)
			}
		})
	})
	inner := *sel
	inner.kids = append([]*node{patch(s.distinct[0], s.distinct[1], func(*translator) {})}, sel.kids...)
	inner.kids = append(inner.kids, add)
	t.emit(&inner)
	t.write(") WHERE "+rank+" = 1", sel.lo)
	for i, o := range q.orderBy {
		t.write([]string{" ORDER BY ", ", "}[min(i, 1)]+keys[i], o.lo)
		t.copyTail(o)
	}
	t.change("distinct_on", s.distinct[0], s.distinct[1], "Presto has no DISTINCT ON: the first row of each group is numbered 1")
	lo := q.body.hi
	if q.orderHi > lo {
		lo = q.orderHi
	}
	if lo < n.hi {
		t.gap(lo)
		t.splice(&node{lo: lo, hi: n.hi, kids: from(n.kids, lo)})
	}
	return true
}

// copyTail writes what follows the expression of an element of ORDER BY.
func (t *translator) copyTail(o *node) {
	if o.sort.expr.hi < o.hi {
		t.gap(o.sort.expr.hi)
		t.copy(o.sort.expr.hi, o.hi, o.sort.expr.hi)
	}
}

func before(kids []*node, at int) []*node {
	var out []*node
	for _, k := range kids {
		if k.hi <= at {
			out = append(out, k)
		}
	}
	return out
}

func from(kids []*node, at int) []*node {
	var out []*node
	for _, k := range kids {
		if k.lo >= at {
			out = append(out, k)
		}
	}
	return out
}

// groupByAll: GROUP BY ALL groups by all that is selected without an aggregate.
func (t *translator) groupByAll(n *node) {
	s := n.sel
	if len(s.group) != 1 || !t.tok(s.group[0].lo).is("ALL") || s.group[0].hi != s.group[0].lo+1 {
		return
	}
	var keys []string
	for i, it := range s.items {
		if it.star {
			t.no(s.groupLo, "GROUP BY ALL with *")
			return
		}
		if it.expr != nil && !t.aggregates(it.expr) {
			keys = append(keys, strconv.Itoa(i+1))
		}
	}
	lo, hi := s.groupLo, s.groupHi
	n.kids = append([]*node{patch(lo, hi, func(t *translator) {
		if len(keys) > 0 {
			t.write("GROUP BY "+strings.Join(keys, ", "), lo)
		}
		t.change("group_by_all", lo, hi, "Presto has no GROUP BY ALL")
	})}, n.kids...)
}

// otherAggregates are aggregates that Presto has under another name.
var otherAggregates = map[string]bool{
	"group_concat": true, "string_agg": true, "countif": true, "collect_list": true, "collect_set": true, "list": true, "median": true,
	"std": true, "logical_and": true, "logical_or": true, "approx_count_distinct": true, "percentile": true, "percentile_approx": true,
	"percentile_cont": true, "percentile_disc": true, "quantile_cont": true, "quantile_disc": true, "quantile": true, "arg_max": true,
	"arg_min": true, "first": true, "last": true, "total": true, "bit_and": true, "bit_or": true, "count_star": true, "mode": true, "product": true,
}

// aggregates reports whether an expression has an aggregate of its own.
func (t *translator) aggregates(x *node) bool {
	found := false
	x.walk(func(n *node) bool {
		if n.kind == nodeCall && !t.windowed(n) {
			kind, ok := resolve.FunctionKind(n.op)
			found = found || ok && kind == resolve.KindAggregate || otherAggregates[n.op]
		}
		return !found && n.kind != nodeQuery
	})
	return found
}

// windowed reports a call with OVER.
func (t *translator) windowed(n *node) bool {
	for i := t.callEnd(n); i < n.hi; i++ {
		if t.tok(i).is("OVER") {
			return true
		}
	}
	return false
}
