package guard

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// visible is a catalog as the asker sees it: what may not be read is unknown.
type visible struct {
	catalog resolve.Catalog
	stored  resolve.Catalog // the whole catalog
	grants  *policy.Grants
	system  bool // information_schema can be read
}

// Lookup implements resolve.Catalog.
func (v *visible) Lookup(name catalog.Name) (*catalog.Table, bool) {
	if v.system && strings.EqualFold(name.Schema, informationSchema) {
		return virtualTable(name)
	}
	table, ok := v.catalog.Lookup(name)
	if !ok || !named(name, table.Name) {
		return nil, false
	}
	access, ok := v.access(table)
	if !ok {
		return nil, false
	}
	return access.Visible(table), true
}

// access decides on a table of the catalog. That what the asker is shown of it says
// less than what is stored, such as that it is a view, makes nothing readable.
func (v *visible) access(table *catalog.Table) (*policy.Access, bool) {
	access := v.grants.Access(table.Name)
	if v.grants == nil {
		return access, true
	}
	whole, ok := v.stored.Lookup(table.Name)
	return access, ok && named(table.Name, whole.Name) && access.Permits(whole) && access.Permits(table)
}

// named reports whether a table is called what it was looked up by: a catalog that
// compares joined names takes "a.b" for a schema and a table.
func named(asked, stored catalog.Name) bool {
	same := func(asked, stored string) bool {
		return asked == "" || strings.EqualFold(asked, stored)
	}
	return same(asked.Region, stored.Region) && same(asked.Schema, stored.Schema) && same(asked.Table, stored.Table)
}

// Near implements resolve.Catalog.
func (v *visible) Near(name catalog.Name, n int) []catalog.Name {
	const spare = 20 // looked at in the place of those that may not be read
	var out []catalog.Name
	for _, near := range v.catalog.Near(name, n+spare) {
		if len(out) == n {
			break
		}
		if v.grants != nil {
			whole, ok := v.stored.Lookup(near)
			if !ok || !v.grants.Access(whole.Name).Permits(whole) {
				continue
			}
		}
		out = append(out, near)
	}
	return out
}
