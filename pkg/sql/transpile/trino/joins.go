package trino

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// joinRule adds to the chain what writes a join that Presto has in another form.
func (r *reader) joinRule(n, chain *node, j *join) {
	table := n.sel.tables[len(n.sel.tables)-1]
	unnest := table.table.call != nil && (table.table.call.op == "unnest" || table.table.call.op == "explode")
	words := func(to, rule, message string) {
		chain.add(patch(j.lo, j.wordsHi, func(t *translator) {
			t.write(to, j.lo)
			t.change(rule, j.lo, j.wordsHi, message)
		}))
	}
	switch {
	case j.apply:
		words(strings.TrimSpace(map[string]string{"CROSS": "CROSS JOIN LATERAL"}[j.side]), "apply", "APPLY is JOIN LATERAL in Presto")
	case j.semi || j.anti:
		r.semiJoin(n, chain, j)
	case j.natural:
		tables := slices.Clone(n.sel.tables)
		chain.add(patch(j.lo, j.tableHi, func(t *translator) { t.naturalJoin(n, tables, j) }))
	case j.conditionLo == 0 && j.side == "" && j.loud:
		words("CROSS JOIN", "cross_join", "a join without a condition is a CROSS JOIN in Presto")
	case j.loud:
		words("JOIN", "hint", "STRAIGHT_JOIN is JOIN in Presto")
	case j.conditionLo == 0 && j.side == "":
		words("CROSS JOIN", "cross_join", "a join without a condition is a CROSS JOIN in Presto")
	case j.conditionLo == 0 && j.side != "CROSS" && unnest:
		chain.add(patch(j.tableHi, j.tableHi, func(t *translator) {
			t.write(" ON TRUE", j.lo)
			t.change("cross_join", j.lo, j.tableHi, "an outer join needs a condition in Presto")
		}))
	case j.conditionLo > 0 && j.side == "CROSS" && j.on != nil:
		words("JOIN", "cross_join", "a CROSS JOIN has no condition in Presto")
	}
}

// semiJoin writes LEFT SEMI JOIN as EXISTS, ANTI JOIN as NOT EXISTS.
func (r *reader) semiJoin(n, chain *node, j *join) {
	table := n.sel.tables[len(n.sel.tables)-1]
	n.sel.tables = n.sel.tables[:len(n.sel.tables)-1]
	hi := max(j.tableHi, j.conditionHi)
	chain.kids = append([]*node{drop(j.lo, hi, "semi_join", "Presto has no SEMI JOIN: EXISTS does the same")}, chain.kids...)
	using := j.on == nil && j.conditionLo > 0
	tables := slices.Clone(n.sel.tables)
	n.sel.extra = append(n.sel.extra, patch(j.lo, hi, func(t *translator) {
		if j.anti {
			t.write("NOT ", j.lo)
		}
		t.write("EXISTS (SELECT 1 FROM ", j.lo)
		t.emit(table)
		if j.on != nil || using {
			t.write(" WHERE ", j.lo)
		}
		if using {
			t.usingCondition(tables, table, j)
		} else {
			t.emit(j.on)
		}
		t.write(")", j.lo)
	}))
}

// usingCondition writes USING (a, b) as an equality of the last two tables.
func (t *translator) usingCondition(tables []*node, table *node, j *join) {
	if len(tables) == 0 {
		return
	}
	left, right := printer.Ident(t.tableName(tables[0])), printer.Ident(t.tableName(table))
	first := true
	for i := j.conditionLo + 1; i < j.conditionHi; i++ {
		if !t.tok(i).name() {
			continue
		}
		if !first {
			t.write(" AND ", i)
		}
		first = false
		name := printer.Ident(t.tok(i).value)
		t.write(left+"."+name+" = "+right+"."+name, i)
	}
}

// naturalJoin writes NATURAL JOIN with the columns that both sides have.
func (t *translator) naturalJoin(n *node, tables []*node, j *join) {
	last := tables[len(tables)-1]
	right, ok := t.tableColumns(last)
	var common []string
	for _, table := range tables[:len(tables)-1] {
		left, known := t.tableColumns(table)
		ok = ok && known
		for _, c := range left {
			if slices.ContainsFunc(right, func(o string) bool { return strings.EqualFold(o, c) }) && !slices.Contains(common, printer.Ident(c)) {
				common = append(common, printer.Ident(c))
			}
		}
	}
	if !ok {
		t.no(j.lo, "NATURAL JOIN where the tables are not known")
		return
	}
	side := j.side
	if side != "" {
		side += " "
	}
	if len(common) == 0 {
		side = "CROSS "
	}
	t.write(side+"JOIN ", j.lo)
	t.emit(last)
	if len(common) > 0 {
		t.write(" USING ("+strings.Join(common, ", ")+")", j.lo)
	}
	t.change("natural_join", j.lo, j.tableHi, "Presto has no NATURAL JOIN: the columns of both sides are named")
}

// tableColumns are the columns of one element of FROM.
func (t *translator) tableColumns(table *node) ([]string, bool) {
	return t.columnsOf(&node{lo: table.lo, kids: []*node{patch(table.lo, table.hi, func(t *translator) {
		t.write("FROM ", table.lo)
		t.emit(table)
	})}, sel: &selectParts{fromLo: table.lo, fromHi: table.hi}}, "*")
}
