package trino

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// columnsOf are the names of the columns of a star over the FROM of a SELECT; ok
// is false where the tables are not known.
func (t *translator) columnsOf(n *node, star string) (columns []string, ok bool) {
	if t.opt.Scope.Catalog == nil || n.sel.fromLo == 0 {
		return nil, false
	}
	text := t.aside(func() {
		t.enclosingWith()
		t.write("SELECT ", n.lo)
		t.write(t.starText(star), n.lo)
		t.write(" ", n.lo)
		t.splice(&node{lo: n.sel.fromLo, hi: n.sel.fromHi, kids: from(before(n.kids, n.sel.fromHi), n.sel.fromLo)})
	})
	stmt, err := parser.Parse(text)
	if err != nil || stmt.Query == nil {
		return nil, false
	}
	r, mistakes := resolve.Resolve(stmt, t.opt.Scope)
	if len(mistakes) > 0 {
		return nil, false
	}
	for _, o := range r.Output() {
		columns = append(columns, o.Name)
	}
	return columns, len(columns) > 0
}

func (t *translator) starText(star string) string { return strings.ReplaceAll(star, "`", `"`) }

// enclosingWith writes the WITH clauses around what is written.
func (t *translator) enclosingWith() {
	first := true
	for _, q := range t.stack {
		if !t.tok(q.lo).is("WITH") || q.query.body == nil {
			continue
		}
		lo := q.lo + 1
		if first {
			t.write("WITH ", q.lo)
		} else {
			t.write(", ", q.lo)
		}
		first = false
		t.splice(&node{lo: lo, hi: q.query.body.lo, kids: before(from(q.kids, lo), q.query.body.lo)})
	}
	if !first {
		t.write(" ", 0)
	}
}

// aside returns what write writes, and leaves all else as it was.
func (t *translator) aside(write func()) string {
	out, origins, mark, changes, warnings, err, stack := t.out, t.from, t.mark, len(t.changes), len(t.warnings), t.err, t.stack
	t.out, t.from, t.mark, t.stack = nil, nil, 0, nil
	saved := stack
	t.stack = saved
	write()
	text := string(t.out)
	t.out, t.from, t.mark, t.err, t.stack = out, origins, mark, err, stack
	t.changes, t.warnings = t.changes[:changes], t.warnings[:warnings]
	return text
}

// starRules writes * EXCEPT (a) REPLACE (x AS b) as the columns that are left.
func (t *translator) starRules(n *node) {
	for _, it := range n.sel.items {
		if len(it.starMods) == 0 {
			continue
		}
		columns, ok := t.starColumns(n, t.textOf(it.expr))
		if !ok {
			t.no(it.lo, "* "+it.starMods[0].word+" where the tables are not known")
			return
		}
		n.kids = append([]*node{patch(it.lo, it.hi, func(t *translator) {
			t.writeStar(it, columns)
			t.change("star", it.lo, it.hi, "Presto has no * EXCEPT: the columns are listed")
		})}, n.kids...)
	}
}

// column of a star: its name, and the text that names it.
type column struct{ name, ref string }

// starColumns are the columns of a star, with their table where there are several.
func (t *translator) starColumns(n *node, star string) ([]column, bool) {
	var out []column
	qualifier := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(star), "*"), ".")
	joined := false
	for i := n.sel.fromLo; i < n.sel.fromHi; i++ {
		joined = joined || t.tok(i).is("USING") || t.tok(i).is("NATURAL")
	}
	if qualifier == "" && len(n.sel.tables) > 1 && !joined {
		for _, table := range n.sel.tables {
			alias := t.tableName(table)
			columns, ok := t.columnsOf(n, printer.Ident(alias)+".*")
			if !ok {
				return nil, false
			}
			for _, c := range columns {
				out = append(out, column{c, printer.Ident(alias) + "." + printer.Ident(c)})
			}
		}
		return out, true
	}
	columns, ok := t.columnsOf(n, star)
	for _, c := range columns {
		ref := printer.Ident(c)
		if qualifier != "" {
			ref = t.starText(qualifier) + "." + ref
		}
		out = append(out, column{c, ref})
	}
	return out, ok
}

// tableName is the name by which a table's columns are qualified.
func (t *translator) tableName(n *node) string {
	tp := n.table
	switch {
	case tp.alias >= 0:
		return t.tok(tp.alias).value
	case tp.name != nil:
		return t.tok(tp.name.hi - 1).value
	}
	return ""
}

func (t *translator) writeStar(it *item, columns []column) {
	excluded, replaced, renamed := map[string]bool{}, map[string]*node{}, map[string]string{}
	for _, m := range it.starMods {
		for _, x := range m.items {
			name := strings.ToLower(t.itemName(x))
			switch m.word {
			case "REPLACE":
				replaced[name] = x.expr
			case "RENAME":
				renamed[strings.ToLower(t.tok(x.expr.hi-1).value)] = t.itemName(x)
			default:
				excluded[name] = true
			}
		}
	}
	first := true
	for _, c := range columns {
		key := strings.ToLower(c.name)
		if excluded[key] {
			continue
		}
		if !first {
			t.write(", ", it.lo)
		}
		first = false
		switch {
		case replaced[key] != nil:
			t.emit(replaced[key])
			t.write(" AS "+printer.Ident(c.name), it.lo)
		case renamed[key] != "":
			t.write(c.ref+" AS "+printer.Ident(renamed[key]), it.lo)
		default:
			t.write(c.ref, it.lo)
		}
	}
}

// tableRule writes table functions.
func (t *translator) tableRule(n *node) bool {
	tp := n.table
	if tp.offset {
		t.no(n.lo, "UNNEST ... WITH OFFSET")
		return true
	}
	if tp.inner != nil && t.tok(n.lo).is("VALUES") && !(t.tok(n.lo-1).is("(") && t.tok(tp.inner.hi).is(")")) {
		t.write("(", n.lo)
		t.emit(tp.inner)
		t.write(")", n.lo)
		t.change("values", n.lo, tp.inner.hi, "VALUES in FROM stands in parentheses in Presto")
		if tp.inner.hi < n.hi {
			t.gap(tp.inner.hi)
			t.splice(&node{lo: tp.inner.hi, hi: n.hi, kids: from(n.kids, tp.inner.hi)})
		}
		return true
	}
	if tp.call == nil || t.tok(n.lo).is("TABLE") {
		return false
	}
	switch tp.call.op {
	case "generate_series", "generate_array", "generate_date_array", "range", "sequence", "explode", "unnest", "posexplode":
	default:
		return false
	}
	if tp.call.op == "unnest" && (len(tp.columns) > 0 || t.dialect == DialectUnknown || tp.alias < 0) {
		return false
	}
	t.write("UNNEST(", n.lo)
	if tp.call.op == "unnest" || tp.call.op == "explode" {
		t.list(tp.call.args)
	} else {
		t.emit(tp.call)
	}
	t.write(")", n.lo)
	name := tp.call.op
	if tp.alias >= 0 {
		name = t.tok(tp.alias).value
	}
	switch {
	case len(tp.columns) > 0 || t.qualifies(name) && tp.alias >= 0:
		t.gap(tp.call.hi)
		t.splice(&node{lo: tp.call.hi, hi: n.hi, kids: from(n.kids, tp.call.hi)})
	default:
		t.write(" AS "+printer.Ident(name)+" ("+printer.Ident(name)+")", n.lo)
	}
	t.change("table_function", n.lo, n.hi, "Presto makes rows of an array with UNNEST")
	return true
}

// qualifies reports whether a name stands before a point in the text.
func (t *translator) qualifies(name string) bool {
	for i, tok := range t.tokens {
		if tok.name() && strings.EqualFold(tok.value, name) && t.tok(i+1).is(".") {
			return true
		}
	}
	return false
}

// arrayTables writes BigQuery's FROM t, t.items AS i with UNNEST.
func (t *translator) arrayTables(n *node) {
	if t.dialect != DialectBigQuery {
		return
	}
	var seen []string
	for _, table := range n.sel.tables {
		name := table.table.name
		if name != nil && name.hi-name.lo >= 3 && slices.Contains(seen, strings.ToLower(t.tok(name.lo).value)) {
			alias := t.tableName(table)
			table.write = func(t *translator) {
				t.write("UNNEST(", name.lo)
				t.emit(name)
				t.write(") AS "+printer.Ident(alias), name.lo)
				if !t.qualifies(alias) {
					t.write(" ("+printer.Ident(alias)+")", name.lo)
				}
				t.change("table_function", table.lo, table.hi, "Presto makes rows of an array with UNNEST")
			}
		}
		seen = append(seen, strings.ToLower(t.tableName(table)))
	}
}

// lateralView writes Hive's LATERAL VIEW explode(x) t AS c.
func (t *translator) lateralView(v *view) {
	ordinal := false
	switch v.call.op {
	case "explode", "inline":
	case "explode_outer", "inline_outer":
		v.outer = true
	case "posexplode":
		ordinal = true
	default:
		t.no(v.lo, "LATERAL VIEW "+v.call.op)
		return
	}
	join, on := "CROSS JOIN", ""
	if v.outer {
		join, on = "LEFT JOIN", " ON TRUE"
	}
	t.write(join+" UNNEST(", v.lo)
	t.list(v.call.args)
	t.write(")", v.lo)
	columns := make([]string, len(v.columns))
	for i, c := range v.columns {
		columns[i] = printer.Ident(t.tok(c).value)
	}
	if ordinal {
		t.write(" WITH ORDINALITY", v.lo)
		if len(columns) == 2 {
			columns[0], columns[1] = columns[1], columns[0]
			t.warn("lateral_view", v.lo, "posexplode counts from 0 in Hive, WITH ORDINALITY from 1 in Presto")
		}
	}
	alias := t.name("view")
	if v.alias > 0 {
		alias = t.tok(v.alias).value
	}
	t.write(" AS "+printer.Ident(alias), v.lo)
	if len(columns) > 0 {
		t.write(" ("+strings.Join(columns, ", ")+")", v.lo)
	}
	t.write(on, v.lo)
	t.change("lateral_view", v.lo, v.hi, "LATERAL VIEW explode is CROSS JOIN UNNEST in Presto")
}

// unnestItems writes SELECT explode(x) with the array in FROM.
func (t *translator) unnestItems(n *node) {
	var found *item
	for _, it := range n.sel.items {
		if it.expr == nil || it.expr.kind != nodeCall || it.expr.hi != t.callEnd(it.expr) {
			continue
		}
		switch it.expr.op {
		case "explode", "unnest", "generate_series":
			if found != nil {
				t.no(it.lo, it.expr.op+" twice in a SELECT")
				return
			}
			found = it
		}
	}
	if found == nil || found.expr.op == "generate_series" && t.dialect != DialectPostgreSQL {
		return
	}
	call := found.expr
	name := t.itemName(found)
	if name == "" {
		name = map[string]string{"explode": "col"}[call.op] + map[string]string{"unnest": "unnest", "generate_series": "generate_series"}[call.op]
	}
	source := t.name("unnested")
	call.write = func(t *translator) {
		t.write(source+"."+printer.Ident(name), call.lo)
		t.change("unnest", call.lo, call.hi, "Presto makes rows of an array in FROM")
	}
	at, join := n.sel.fromHi, " CROSS JOIN "
	if n.sel.fromLo == 0 {
		at, join = n.sel.itemsHi, " FROM "
	}
	n.kids = append(n.kids, patch(at, at, func(t *translator) {
		t.write(join+"UNNEST(", call.lo)
		if call.op == "generate_series" {
			again := *call
			again.write = nil
			t.emit(&again)
		} else {
			t.list(call.args)
		}
		t.write(") AS "+source+" ("+printer.Ident(name)+")", call.lo)
	}))
}
