package history

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
)

// names finds the tables of a source by the names that they have in Trino.
type names struct {
	index   *catalog.Index
	regions map[string][]region // by Trino catalog
	region  string              // of sources that do not map catalogs
}

type region struct{ name, prefix string }

func newNames(m source.Manifest, s *catalog.Snapshot) *names {
	n := &names{
		index:   catalog.NewIndex(s, catalog.Defaults{Region: m.DefaultRegion, Schema: m.DefaultSchema}),
		regions: make(map[string][]region), region: m.DefaultRegion,
	}
	if m.Trino != nil {
		for name, place := range m.Trino.Regions {
			key := strings.ToLower(place.Catalog)
			n.regions[key] = append(n.regions[key], region{name, strings.ToLower(place.SchemaPrefix)})
		}
	}
	return n
}

// Lookup implements resolve.Catalog for names as Trino has them.
func (n *names) Lookup(name catalog.Name) (*catalog.Table, bool) {
	for _, r := range n.regions[strings.ToLower(name.Region)] {
		if schema, ours := strings.CutPrefix(strings.ToLower(name.Schema), r.prefix); ours {
			if t, ok := n.index.Lookup(catalog.Name{Region: r.name, Schema: schema, Table: name.Table}); ok {
				return t, true
			}
		}
	}
	if len(n.regions) > 0 {
		return nil, false
	}
	// The source was described by something else: its names may leave the catalog
	// out, or have it as a part of the schema.
	for _, as := range []catalog.Name{
		name, {Region: n.region, Schema: name.Schema, Table: name.Table}, {Region: n.region, Schema: name.Region + "." + name.Schema, Table: name.Table},
	} {
		if t, ok := n.index.Lookup(as); ok {
			return t, true
		}
	}
	return nil, false
}

// Near implements resolve.Catalog: nobody is told of mistakes in old queries.
func (n *names) Near(catalog.Name, int) []catalog.Name { return nil }

// used is a table that a query named, with the columns that it read.
type used struct {
	table   *catalog.Table
	columns []usedColumn
}

// usedColumn is a column that a query read, and what for.
type usedColumn struct {
	name          string
	filter, group bool
}

// told reports whether an event says which tables its query read.
func (e *event) told() bool { return len(e.Metadata.Tables)+len(e.IO.Inputs) > 0 }

// used returns the tables of the source that a query names itself, each once, in
// the order of the event.
func (n *names) used(e *event) []used {
	var out []used
	add := func(name catalog.Name, columns []usedColumn) {
		t, ok := n.Lookup(name)
		if !ok {
			return
		}
		for i := range out {
			if out[i].table == t {
				out[i].columns = append(out[i].columns, columns...)
				return
			}
		}
		out = append(out, used{t, columns})
	}
	for _, t := range e.Metadata.Tables {
		if t.Directly != nil && !*t.Directly {
			continue
		}
		columns := make([]usedColumn, len(t.Columns))
		for i, c := range t.Columns {
			columns[i].name = c.Column
		}
		add(catalog.Name{Region: t.Catalog, Schema: t.Schema, Table: t.Table}, columns)
	}
	if len(e.Metadata.Tables) > 0 {
		return out
	}
	for _, t := range e.IO.Inputs { // older servers, and listeners that leave the tables out
		columns := make([]usedColumn, len(t.Columns))
		for i, c := range t.Columns {
			columns[i].name = c.Name
		}
		add(catalog.Name{Region: t.Catalog, Schema: t.Schema, Table: t.Table}, columns)
	}
	return out
}
