package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// A row of PostgreSQL is in its table and in all tables above it: in that of which the
// table is a partition, and in those from which it inherits. A part that has the
// columns of its one parent and no more is how the parent is stored, so its rows are
// only there. One with columns of its own, or with several parents, stays a table, and
// its rows are in its parents too, as PostgreSQL shows them.

// fold finds the tables that are only parts of others, and gives these what all their
// parts declare.
func (d *dump) fold() {
	d.into = make(map[*ddl.Table]*ddl.Table)
	parts := make(map[*ddl.Table][]*ddl.Table)
	for _, t := range d.schema.Tables {
		if parent := d.partOf(t); parent != nil {
			d.into[t] = parent
			parts[parent] = append(parts[parent], t)
		}
	}
	for _, t := range slices.Backward(d.schema.Tables) { // parts of parts come last
		if len(parts[t]) > 0 {
			commonKeys(t, parts[t])
		}
	}
	d.tellParts()
	for _, t := range d.schema.Tables { // what points to a part points to its whole
		for i := range t.ForeignKeys {
			if ref, ok := d.schema.Table(t.ForeignKeys[i].Ref); ok {
				t.ForeignKeys[i].Ref = d.folded(ref).Name
			}
		}
	}
}

// tellParts says which tables are no tables of their own.
func (d *dump) tellParts() {
	const shown = 3
	whole := make(map[*ddl.Table][]string)
	for _, t := range d.schema.Tables {
		if root := d.folded(t); root != t {
			whole[root] = append(whole[root], t.Name.Table)
		}
	}
	for _, t := range d.schema.Tables {
		names := whole[t]
		if len(names) == 0 {
			continue
		}
		listed := strings.Join(names[:min(len(names), shown)], ", ")
		if len(names) > shown {
			listed += fmt.Sprintf(" and %d more", len(names)-shown)
		}
		d.b.problem(Problem{Kind: KindNote, File: d.path, Line: t.Line, Message: fmt.Sprintf("%q consists of %s: their rows are here, and they are no tables of their own", t.Name.Table, listed)})
	}
}

// partOf is the parent of which a table is only a part, or nil.
func (d *dump) partOf(t *ddl.Table) *ddl.Table {
	if len(t.Parents) != 1 {
		return nil
	}
	parent, ok := d.schema.Table(t.Parents[0])
	if !ok || parent == t || len(parent.Columns) == 0 {
		return nil
	}
	for _, c := range t.Columns {
		if parent.Column(c.Name) < 0 {
			return nil
		}
	}
	return parent
}

// folded is the table that has the rows of t: t itself where it is no part. Parts of
// each other, which no server writes, end the way.
func (d *dump) folded(t *ddl.Table) *ddl.Table {
	for range len(d.into) + 1 {
		parent := d.into[t]
		if parent == nil {
			break
		}
		t = parent
	}
	return t
}

// commonKeys gives a table the references that each of its parts declares. Keys are
// not given: they hold within a part only.
func commonKeys(t *ddl.Table, parts []*ddl.Table) {
	for _, key := range parts[0].ForeignKeys {
		same := func(other ddl.ForeignKey) bool {
			return other.Ref == key.Ref && slices.EqualFunc(other.Columns, key.Columns, strings.EqualFold)
		}
		if slices.ContainsFunc(t.ForeignKeys, same) || slices.ContainsFunc(parts, func(part *ddl.Table) bool { return !slices.ContainsFunc(part.ForeignKeys, same) }) {
			continue
		}
		t.ForeignKeys = append(t.ForeignKeys, key)
	}
}

// ancestors are the tables above a table that stays one, nearest first, each once.
func (d *dump) ancestors(declared *ddl.Table) []*dumpTable {
	self := d.table(declared.Name)
	var above []*dumpTable
	for next := []*ddl.Table{declared}; len(next) > 0; next = next[1:] {
		for _, name := range next[0].Parents {
			parent, ok := d.schema.Table(name)
			if !ok {
				continue
			}
			if t := d.table(parent.Name); t != self && !slices.Contains(above, t) {
				above = append(above, t)
				next = append(next, d.folded(parent))
			}
		}
	}
	return above
}

// seenBy are a row's cells as a table above shows them.
func (t *dumpTable) seenBy(parent *dumpTable, cells []cell) []cell {
	seen := make([]cell, len(parent.columns))
	for i, c := range parent.columns {
		seen[i] = cell{null: true}
		if at := t.position(c.name); at >= 0 {
			seen[i] = cells[at]
		}
	}
	return seen
}
