package filter

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// Neighbours returns at most limit tables that the chosen ones are joined with
// and that are not among them: first those between two chosen tables, then those
// that the best ones point to, then those that point to the best ones, then those
// that people joined the best ones with.
func (f *Folder) Neighbours(chosen []Chosen, limit int) []Chosen {
	links := f.links(chosen)
	var out []Chosen
	take := func(l link) {
		known := func(c Chosen) bool { return c.Table == l.table }
		if len(out) < limit && !slices.ContainsFunc(out, known) && !slices.ContainsFunc(chosen, known) && f.Keep(l.table) {
			out = append(out, Chosen{Ranked: rank.Ranked{Table: l.table}, JoinedWith: l.with.Name, Key: l.key, JoinedBy: l.queries})
		}
	}
	reached := make(map[*catalog.Table]map[*catalog.Table]bool)
	for _, l := range links {
		if reached[l.table] == nil {
			reached[l.table] = make(map[*catalog.Table]bool)
		}
		reached[l.table][l.with] = true
	}
	for _, l := range links {
		if len(reached[l.table]) > 1 {
			take(l)
		}
	}
	for _, kind := range []func(link) bool{
		func(l link) bool { return l.outgoing },
		func(l link) bool { return !l.outgoing && l.queries == 0 },
		func(l link) bool { return l.queries > 0 },
	} {
		for _, l := range links {
			if kind(l) {
				take(l)
			}
		}
	}
	return out
}

// link is a foreign key, or joint use, between a chosen table and another one.
type link struct {
	table    *catalog.Table // the other one
	with     *catalog.Table // the chosen one
	key      string         // columns; empty: they are read together
	outgoing bool           // the chosen one points to the other
	queries  int64          // that joined them; 0: a key says so
}

// links finds with what the chosen tables are joined, in their order: their foreign
// keys, those that point to them, and what people joined them with.
func (f *Folder) links(chosen []Chosen) []link {
	var links []link
	for _, c := range chosen {
		for _, k := range f.Visible(c.Table).ForeignKeys {
			if t, ok := f.View.Lookup(k.RefTable); ok {
				links = append(links, link{table: t, with: c.Table, key: strings.Join(k.Columns, ", "), outgoing: true})
			}
		}
	}
	for _, c := range chosen {
		for _, t := range f.View.PointingTo(c.Table) {
			for _, k := range f.Visible(t).ForeignKeys {
				if k.RefTable.Key() == c.Table.Name.Key() {
					links = append(links, link{table: t, with: c.Table, key: strings.Join(k.Columns, ", ")})
				}
			}
		}
	}
	for _, c := range chosen {
		links = append(links, f.joins(c.Table)...)
	}
	return links
}

// joins are the tables that people joined a table with, on columns that the asker
// may know.
func (f *Folder) joins(of *catalog.Table) []link {
	var links []link
	shown := f.Visible(of)
	for _, j := range of.JoinsOf() {
		t, ok := f.View.Lookup(j.Table)
		if ok && t != of && hasAll(shown, j.Columns) && hasAll(f.Visible(t), j.RefColumns) {
			links = append(links, link{table: t, with: of, key: strings.Join(j.Columns, ", "), queries: j.Queries})
		}
	}
	return links
}

func hasAll(t *catalog.Table, columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool { _, known := t.Column(name); return !known })
}
