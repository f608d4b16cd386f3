package catalog

import (
	"slices"
	"strings"
)

// View is a catalog as one asker sees it: what is not visible does not exist, by
// name, by count or in a hint. It is what the SQL resolver takes as its catalog.
type View struct {
	index   *Index
	visible func(*Table) bool
}

// Visible reports whether the asker may see a table.
func (v *View) Visible(t *Table) bool { return v.visible == nil || v.visible(t) }

// Everything reports whether the view hides nothing.
func (v *View) Everything() bool { return v.visible == nil }

// Hides reports whether a word is the name of tables none of which the asker may
// see. For cleaning texts: a description may speak of another table.
func (v *View) Hides(word string) bool {
	if v.visible == nil {
		return false
	}
	tables := v.index.byTable[strings.ToLower(word)]
	return len(tables) > 0 && !slices.ContainsFunc(tables, v.visible)
}

// Lookup returns the table of a name whose missing parts are completed by the
// index's defaults.
func (v *View) Lookup(name Name) (*Table, bool) {
	t, ok := v.index.byKey[v.index.complete(name).Key()]
	if !ok || !v.Visible(t) {
		return nil, false
	}
	return t, true
}

// Find returns all tables that a name may mean: the parts that it has must be
// equal, those that it lacks may be anything. By name.
func (v *View) Find(name Name) []*Table {
	var found []*Table
	for _, t := range v.index.byTable[strings.ToLower(name.Table)] {
		if fits(name.Schema, t.Name.Schema) && fits(name.Region, t.Name.Region) && v.Visible(t) {
			found = append(found, t)
		}
	}
	return found
}

// FindFamily returns the families that a name may mean, without the country
// ("dws_gmv_1d" for "dws_gmv_1d__{cid}_s0_live") or with its placeholder.
func (v *View) FindFamily(name Name) []*Family {
	var found []*Family
	for _, f := range v.index.byStem[stemOf(strings.ToLower(name.Table))] {
		if !fits(name.Schema, f.Schema) {
			continue
		}
		if tables := v.visibleOf(f.Tables); len(tables) > 0 {
			found = append(found, &Family{Schema: f.Schema, Stem: f.Stem, Tables: tables})
		}
	}
	return found
}

// Near returns at most n visible names that look like name, nearest first, and
// of a family at most two: its variants are all equally near.
func (v *View) Near(name Name, n int) []Name {
	const ofFamily, tries = 2, 8
	if n <= 0 {
		return nil
	}
	var near []Name
	taken := make(map[*Family]int)
	for _, t := range v.index.near().nearest(name, n*tries, v.Visible) {
		f := v.index.familyOf[t]
		if taken[f]++; taken[f] <= ofFamily && len(near) < n {
			near = append(near, t.Name)
		}
	}
	return near
}

// FirstOf returns the first visible table, by name, of a schema; nil: there is none. Without
// a region it may be in any.
func (v *View) FirstOf(region, schema string) *Table {
	for _, tables := range v.index.bySchema[strings.ToLower(schema)] {
		if !fits(region, tables[0].Name.Region) {
			continue
		}
		if v.visible == nil {
			return tables[0]
		}
		if at := slices.IndexFunc(tables, v.visible); at >= 0 {
			return tables[at]
		}
	}
	return nil
}

// PointingTo returns the visible tables that have a foreign key to a table, by name.
func (v *View) PointingTo(t *Table) []*Table { return v.visibleOf(v.index.pointing[t]) }

// Tables returns the visible tables by name.
func (v *View) Tables() []*Table { return v.visibleOf(v.index.tables) }

// Count returns the number of visible tables.
func (v *View) Count() int {
	if v.visible == nil {
		return len(v.index.tables)
	}
	n := 0
	for _, t := range v.index.tables {
		if v.visible(t) {
			n++
		}
	}
	return n
}

// Family returns the visible tables of a table's family, itself included, by name.
func (v *View) Family(t *Table) []*Table {
	f, ok := v.index.familyOf[t]
	if !ok {
		return []*Table{t}
	}
	return v.visibleOf(f.Tables)
}

func (v *View) visibleOf(tables []*Table) []*Table {
	if v.visible == nil {
		return tables
	}
	out := make([]*Table, 0, len(tables))
	for _, t := range tables {
		if v.visible(t) {
			out = append(out, t)
		}
	}
	return out
}

// fits reports whether a part of a name that was asked for matches a stored one.
func fits(asked, stored string) bool { return asked == "" || strings.EqualFold(asked, stored) }
