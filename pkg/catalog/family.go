package catalog

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// Placeholder stands for the country's code in a manifest name.
const Placeholder = mark.Placeholder

// Family is a set of near-identical tables: one a country, a snapshot or a shard,
// and their copies. Tables of one family may live in different regions.
type Family struct {
	Schema string
	Stem   string   // what their names have in common: "dws_seller_gmv_1d"
	Tables []*Table // by name
}

// Key identifies a family within a snapshot.
func (f *Family) Key() string { return strings.ToLower(f.Schema + "." + f.Stem) }

// indexFamilies reads the marks of all names and groups the tables by what is left.
func (x *Index) indexFamilies() {
	names := make([]mark.Name, len(x.tables))
	for i, t := range x.tables {
		names[i] = mark.Name{Schema: t.Name.Schema, Table: t.Name.Table, Country: t.Country, Layer: t.Layer, Manifest: t.Manifest}
	}
	marks := mark.Read(names)
	x.families = make(map[string]*Family, len(x.tables))
	x.familyOf = make(map[*Table]*Family, len(x.tables))
	x.marksOf = make(map[*Table]*mark.Marks, len(x.tables))
	x.byStem = make(map[string][]*Family)
	for i, t := range x.tables {
		f := &Family{Schema: t.Name.Schema, Stem: marks[i].Stem}
		if known, ok := x.families[f.Key()]; ok {
			f = known
		} else {
			x.families[f.Key()] = f
			x.byStem[f.Stem] = append(x.byStem[f.Stem], f)
		}
		f.Tables = append(f.Tables, t)
		x.familyOf[t] = f
		x.marksOf[t] = &marks[i]
	}
}

// Marks returns what the name of a table of this index tells, or of a copy of one
// that shows less. Nobody may change it.
func (x *Index) Marks(t *Table) *mark.Marks {
	if m, ok := x.marksOf[t]; ok {
		return m
	}
	if m, ok := x.marksOf[x.byKey[t.Name.Key()]]; ok {
		return m
	}
	return &mark.Marks{Base: strings.ToLower(t.Name.Table), Stem: strings.ToLower(t.Name.Table), Text: t.Name.Table}
}

// stemOf cuts a name that somebody wrote at the country's placeholder or at the
// double underscore that sets off where a table is kept.
func stemOf(written string) string {
	head, _, _ := strings.Cut(written, Placeholder)
	if i := strings.Index(head, "__"); i > 0 {
		head = head[:i]
	}
	return strings.TrimRight(head, "_")
}
