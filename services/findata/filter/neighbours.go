package filter

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// Neighbours returns at most limit tables that the chosen ones are joined with
// and that are not among them: first those between two chosen tables, then those
// that the best ones point to, then those that point to the best ones.
func (f *Folder) Neighbours(chosen []Chosen, limit int) []Chosen {
	links := f.links(chosen)
	var out []Chosen
	take := func(l link) {
		known := func(c Chosen) bool { return c.Table == l.table }
		if len(out) < limit && !slices.ContainsFunc(out, known) && !slices.ContainsFunc(chosen, known) && f.Keep(l.table) {
			out = append(out, Chosen{Ranked: rank.Ranked{Table: l.table}, JoinedWith: l.with.Name, Key: l.key})
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
	for _, outgoing := range []bool{true, false} {
		for _, l := range links {
			if l.outgoing == outgoing {
				take(l)
			}
		}
	}
	return out
}

// link is a foreign key between a chosen table and another one.
type link struct {
	table    *catalog.Table // the other one
	with     *catalog.Table // the chosen one
	key      string         // columns
	outgoing bool           // the chosen one points to the other
}

// links finds the foreign keys of the chosen tables, both ways, in their order.
func (f *Folder) links(chosen []Chosen) []link {
	var links []link
	place := make(map[string]int, len(chosen))
	for i, c := range chosen {
		place[c.Table.Name.Key()] = i
		for _, k := range f.Visible(c.Table).ForeignKeys {
			if t, ok := f.View.Lookup(k.RefTable); ok {
				links = append(links, link{t, c.Table, strings.Join(k.Columns, ", "), true})
			}
		}
	}
	for _, t := range f.View.Tables() {
		for _, k := range f.Visible(t).ForeignKeys {
			if i, ok := place[k.RefTable.Key()]; ok {
				links = append(links, link{t, chosen[i].Table, strings.Join(k.Columns, ", "), false})
			}
		}
	}
	return links
}
