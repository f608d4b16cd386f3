package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// joinEdits add the table of a column that no table of FROM has, where keys lead there.
// A join may repeat rows, and another table may be meant: it is never certain.
func joinEdits(e *engine, now *reading) []edit {
	if len(now.aliasEdits()) > 0 {
		return nil // the columns that are missing are those of a misspelt alias
	}
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.ColumnNotFound && d.Code != resolve.TypeMismatch {
			continue
		}
		ways := now.missingJoins(e.Known, ref)
		if d.Code == resolve.TypeMismatch { // of a key that is no row
			ways = slices.DeleteFunc(ways, func(w way) bool { return !w.row })
		} else if _, named := now.columnEdit(ref); named && !now.betterJoined(e.Known, ref) {
			continue
		}
		if len(ways) == 0 {
			continue
		}
		made := now.joinAlong(ways[0], ref)
		if len(ways) > 1 {
			for i := range made {
				made[i].certainty = min(made[i].certainty, unsureJoin)
			}
			e.offer(now, ways[1:], ref)
		}
		return made // the others may be solved by it: they are looked at in the next round
	}
	return nil
}

// Confidences of a join along keys.
const (
	sureJoin   = 0.7
	unsureJoin = 0.5 // another table is as near
)

// offer notes the other tables that are as near as candidates.
func (e *engine) offer(now *reading, ways []way, ref *tree.ColumnRef) {
	for _, w := range ways {
		if len(e.candidates) >= e.MaxCandidates {
			return
		}
		d := e.draft.clone()
		d.apply(now.joinAlong(w, ref))
		e.candidates = append(e.candidates, Candidate{Text: d.text, Changes: d.sorted()})
	}
}

// betterJoined reports whether a table that a key leads to has the very name of a column
// of which a table in sight has only a name that is near.
func (now *reading) betterJoined(known []catalog.Table, ref *tree.ColumnRef) bool {
	found, ok := now.columnEdit(ref)
	return ok && found.certainty < Certain && len(now.missingJoins(known, ref)) > 0
}

// way leads by keys from a relation of FROM to the table of a column.
type way struct {
	sel    *tree.Select
	steps  []step
	column string // of the last table
	name   string // that the last table gets; empty: its own
	row    bool   // a key was written like a row
}

// step joins one table.
type step struct {
	table *catalog.Table
	on    [2]string // the column before, qualified or of the table before, and that of the table
	from  string    // what the column before is of
}

// mostSteps bounds how many tables are joined for one column: two that a table of pairs
// lies between are two steps.
const mostSteps = 3

// missingJoins are the nearest tables, by the number of keys to follow, that have a column
// which is not in sight: the table that a foreign key points to, where the key is written
// like a row (o.buyer_id.name); the one that the qualifier names; any that has all the
// columns of the qualifier, which then is the alias that was forgotten; any that has the
// column.
func (now *reading) missingJoins(known []catalog.Table, ref *tree.ColumnRef) []way {
	if found, ok := now.columnEdit(ref); ok && found.certainty == ownNoun {
		return nil // it is here, under another form of its name
	}
	sels := now.selectsAround(ref)
	if len(sels) == 0 || len(sels[0].From) == 0 {
		return nil
	}
	from := now.relations(sels[0])
	if w, ok := now.keyAsRow(known, from, sels[0], ref); ok {
		return []way{w}
	}
	if len(ref.Parts) > 2 {
		return nil
	}
	columns, name := []string{ref.Parts[len(ref.Parts)-1].Name}, ""
	accepts := func(*catalog.Table) bool { return true }
	if len(ref.Parts) == 2 {
		qualifier := ref.Parts[0].Name
		switch {
		case slices.ContainsFunc(from, func(s seen) bool { return strings.EqualFold(s.name, qualifier) }):
		case slices.ContainsFunc(known, func(t catalog.Table) bool { return strings.EqualFold(t.Name.Table, qualifier) }):
			accepts = func(t *catalog.Table) bool { return strings.EqualFold(t.Name.Table, qualifier) }
		default:
			name, columns = qualifier, now.columnsOf(qualifier)
			if slices.ContainsFunc(from, func(s seen) bool { return !slices.ContainsFunc(columns, func(c string) bool { return !s.has(c) }) }) {
				return nil // the qualifier is more likely misspelt than its table forgotten
			}
		}
	}
	return waysTo(known, from, sels[0], func(t *catalog.Table) bool {
		return accepts(t) && !slices.ContainsFunc(columns, func(c string) bool { _, has := t.Column(c); return !has })
	}, columns[0], name)
}

// columnsOf are the columns that a statement takes from a qualifier.
func (now *reading) columnsOf(qualifier string) []string {
	var out []string
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) == 2 && strings.EqualFold(ref.Parts[0].Name, qualifier) && !containsFold(out, ref.Parts[1].Name) {
			out = append(out, ref.Parts[1].Name)
		}
		return true
	})
	return out
}

// keyAsRow reads o.buyer_id.name, or buyer_id.name: the column of the table that a key
// points to.
func (now *reading) keyAsRow(known []catalog.Table, from []seen, sel *tree.Select, ref *tree.ColumnRef) (way, bool) {
	n := len(ref.Parts)
	if n < 2 || n > 3 {
		return way{}, false
	}
	key, column := ref.Parts[n-2].Name, ref.Parts[n-1].Name
	for _, s := range from {
		if s.stored == nil || n == 3 && !strings.EqualFold(s.name, ref.Parts[0].Name) {
			continue
		}
		for i := range known {
			t := &known[i]
			if _, has := t.Column(column); !has {
				continue
			}
			for _, pair := range references(s.stored, t) {
				if strings.EqualFold(pair[0], key) {
					return way{sel: sel, steps: []step{{table: t, from: s.name, on: pair}}, column: column, row: true}, true
				}
			}
		}
	}
	return way{}, false
}

// waysTo are the shortest ways by keys from the relations of FROM to tables that are
// wanted: more than one where they are as long.
func waysTo(known []catalog.Table, from []seen, sel *tree.Select, wanted func(*catalog.Table) bool, column, name string) []way {
	reached := map[catalog.Name]bool{}
	var front []way
	for _, s := range from {
		if s.stored != nil {
			reached[s.stored.Name] = true
		}
	}
	extend := func(w way, at *catalog.Table, called string) []way {
		var out []way
		for i := range known {
			t := &known[i]
			if reached[t.Name] {
				continue
			}
			if keys := keysBetween(at, t); len(keys) == 1 {
				next := way{sel: sel, steps: append(slices.Clone(w.steps), step{table: t, from: called, on: keys[0]}), column: column, name: name}
				out = append(out, next)
			}
		}
		return out
	}
	for _, s := range from {
		if s.stored != nil {
			front = append(front, extend(way{}, s.stored, s.name)...)
		}
	}
	for range mostSteps {
		var there []way
		seenTables := map[catalog.Name]bool{}
		for _, w := range front {
			last := w.steps[len(w.steps)-1].table
			if wanted(last) && !seenTables[last.Name] {
				seenTables[last.Name] = true
				there = append(there, w)
			}
		}
		if len(there) > 0 {
			return there
		}
		var next []way
		for _, w := range front {
			reached[w.steps[len(w.steps)-1].table.Name] = true
		}
		for _, w := range front {
			last := w.steps[len(w.steps)-1].table
			next = append(next, extend(w, last, last.Name.Table)...)
		}
		front = next[:min(len(next), maxWays)]
	}
	return nil
}

// maxWays bounds the ways that are followed at once.
const maxWays = 200

// keysBetween are the pairs of columns by which two tables are joined: a foreign key of
// either, else a column that is the whole key of one of them and has the same name in the
// other.
func keysBetween(a, b *catalog.Table) [][2]string {
	keys := append(references(a, b), flipped(references(b, a))...)
	if len(keys) == 0 {
		keys = sharedKey(a, b)
	}
	return keys
}

// joinAlong are the edits that join the tables of a way, name the column by it, and
// qualify the columns of FROM that the new tables have too.
func (now *reading) joinAlong(w way, ref *tree.ColumnRef) []edit {
	join, called := now.joinText(w)
	edits := []edit{join}
	if span := ref.Span(); len(ref.Parts) > 1 && !strings.EqualFold(ref.Parts[len(ref.Parts)-2].Name, called) {
		edits = append(edits, edit{start: span.Start, end: span.End, text: printer.Ident(called) + "." + printer.Ident(w.column), class: "qualifier", certainty: sureJoin})
	}
	return append(edits, now.qualified(w, ref)...)
}

// joinText is the edit that joins the tables of a way, and what the last one is called.
func (now *reading) joinText(w way) (join edit, called string) {
	last := w.sel.From[len(w.sel.From)-1].Span().End
	var text strings.Builder
	for i, s := range w.steps {
		called = s.table.Name.Table
		text.WriteString(" JOIN " + now.tableText(s.table))
		if i == len(w.steps)-1 && w.name != "" {
			called = w.name
			text.WriteString(" " + printer.Ident(called))
		}
		text.WriteString(" ON " + printer.Ident(s.from) + "." + printer.Ident(s.on[0]) + " = " + printer.Ident(called) + "." + printer.Ident(s.on[1]))
	}
	return edit{
		start: last, end: last, text: text.String(), class: "missing_join", certainty: sureJoin,
		args: map[string]string{"name": w.steps[len(w.steps)-1].table.Name.Table},
	}, called
}

// qualified names the tables of columns that would have two after a join.
func (now *reading) qualified(w way, but *tree.ColumnRef) []edit {
	byRelation := map[tree.Relation]seen{}
	for _, s := range now.relations(w.sel) {
		byRelation[s.relation] = s
	}
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		ref, ok := n.(*tree.ColumnRef)
		if !ok || ref == but || len(ref.Parts) != 1 {
			return true
		}
		places := now.resolution.Places(ref)
		if len(places) != 1 {
			return true
		}
		s, mine := byRelation[places[0].Relation]
		if !mine || !slices.ContainsFunc(w.steps, func(st step) bool { _, has := st.table.Column(ref.Parts[0].Name); return has }) {
			return true
		}
		span := ref.Span()
		edits = append(edits, edit{start: span.Start, end: span.End, text: printer.Ident(s.name) + "." + ref.Parts[0].Span().Text(), class: "qualifier", certainty: Certain})
		return true
	})
	return edits
}

// tableText is how a statement names a table: without what the defaults say.
func (now *reading) tableText(t *catalog.Table) string {
	parts := []string{t.Name.Region, t.Name.Schema, t.Name.Table}
	if strings.EqualFold(t.Name.Region, now.scope.DefaultRegion) {
		parts = parts[1:]
		if strings.EqualFold(t.Name.Schema, now.scope.DefaultSchema) {
			parts = parts[1:]
		}
	}
	for i := range parts {
		parts[i] = printer.Ident(parts[i])
	}
	return strings.Join(parts, ".")
}

// references are the pairs of columns of foreign keys of one column.
func references(t, to *catalog.Table) [][2]string {
	var out [][2]string
	for _, key := range t.ForeignKeys {
		if key.RefTable == to.Name && len(key.Columns) == 1 && len(key.RefColumns) == 1 {
			out = append(out, [2]string{key.Columns[0], key.RefColumns[0]})
		}
	}
	return out
}

func flipped(pairs [][2]string) [][2]string {
	for i, p := range pairs {
		pairs[i] = [2]string{p[1], p[0]}
	}
	return pairs
}

func sharedKey(a, b *catalog.Table) [][2]string {
	for _, key := range [][]string{b.PrimaryKey(), a.PrimaryKey()} {
		if len(key) != 1 || len(key[0]) < 3 {
			continue
		}
		ca, inA := a.Column(key[0])
		cb, inB := b.Column(key[0])
		if inA && inB && ca.Type == cb.Type {
			return [][2]string{{ca.Name, cb.Name}}
		}
	}
	return nil
}

// ambiguousEdits say which table a column is of that several have: the left one, where
// the join makes them equal. Where it does not, a person has to say.
func ambiguousEdits(e *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.AmbiguousName || len(ref.Parts) != 1 {
			continue
		}
		sels := now.selectsAround(ref)
		if len(sels) == 0 {
			continue
		}
		name := ref.Parts[0].Name
		var holders []seen
		for _, s := range now.relations(sels[0]) {
			if s.has(name) {
				holders = append(holders, s)
			}
		}
		if len(holders) < 2 {
			continue
		}
		span := ref.Span()
		if other, ok := now.otherSide(ref, holders); ok {
			edits = append(edits, edit{start: span.Start, end: span.End, text: other.column(name), class: "ambiguous", certainty: 0.93})
			continue
		}
		qualify := func(s seen, certainty float64) edit {
			return edit{start: span.Start, end: span.End, text: s.column(name), class: "ambiguous", certainty: certainty}
		}
		if equalled(sels[0], holders, name) {
			edits = append(edits, qualify(holders[0], 0.95))
			continue
		}
		for _, s := range holders {
			if len(e.candidates) < e.MaxCandidates {
				d := e.draft.clone()
				d.apply([]edit{qualify(s, 0.5)})
				e.candidates = append(e.candidates, Candidate{Text: d.text, Changes: d.sorted()})
			}
		}
	}
	return edits
}

// otherSide is the relation of a column without its table in the condition of a join whose
// other side is of the one of two relations that have it: the condition joins the other one.
func (now *reading) otherSide(ref *tree.ColumnRef, holders []seen) (other seen, ok bool) {
	if len(holders) != 2 {
		return seen{}, false
	}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		j, is := n.(*tree.Join)
		if !is || j.On == nil {
			return true
		}
		for _, c := range tree.Conjuncts(j.On) {
			b, is := c.(*tree.Binary)
			if !is || b.Op != tree.OpEq {
				continue
			}
			side, against := tree.Unparen(b.Left), tree.Unparen(b.Right)
			if against == tree.Expr(ref) {
				side, against = against, side
			}
			column, is := against.(*tree.ColumnRef)
			if side != tree.Expr(ref) || !is {
				continue
			}
			for _, p := range now.resolution.Places(column) {
				for i := range holders {
					if holders[i].relation == p.Relation {
						other, ok = holders[1-i], true
					}
				}
			}
		}
		return !ok
	})
	return other, ok
}

// equalled reports whether every holder but the first is joined to it by an inner join,
// or a left join, on equality of the column.
func equalled(sel *tree.Select, holders []seen, name string) bool {
	equal := map[string]bool{strings.ToLower(holders[0].name): true}
	var conditions []tree.Expr
	for _, from := range sel.From {
		tree.Walk(from, func(n tree.Node) bool {
			if j, ok := n.(*tree.Join); ok && (j.Kind == tree.JoinInner || j.Kind == tree.JoinLeft) {
				conditions = append(conditions, tree.Conjuncts(j.On)...)
			}
			_, query := n.(*tree.Query)
			return !query
		})
	}
	conditions = append(conditions, tree.Conjuncts(sel.Where)...)
	for range holders {
		for _, c := range conditions {
			left, right, ok := equality(c, name)
			if ok && (equal[left] || equal[right]) {
				equal[left], equal[right] = true, true
			}
		}
	}
	return !slices.ContainsFunc(holders, func(s seen) bool { return !equal[strings.ToLower(s.name)] })
}

// equality returns the qualifiers, in lower case, of a.name = b.name.
func equality(x tree.Expr, name string) (left, right string, ok bool) {
	b, is := tree.Unparen(x).(*tree.Binary)
	if !is || b.Op != tree.OpEq {
		return "", "", false
	}
	var qualifiers []string
	for _, side := range []tree.Expr{b.Left, b.Right} {
		ref, is := tree.Unparen(side).(*tree.ColumnRef)
		if !is || len(ref.Parts) != 2 || !strings.EqualFold(ref.Parts[1].Name, name) {
			return "", "", false
		}
		qualifiers = append(qualifiers, strings.ToLower(ref.Parts[0].Name))
	}
	return qualifiers[0], qualifiers[1], true
}
