package semantic

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// CIDPlaceholder stands for the country in table names.
const CIDPlaceholder = "{cid}"

// Matches reports whether a table is what a layer's table name means: the full
// name or a part of it from the right, or its manifest where the name has {cid}.
// The idc_region is free.
func Matches(name string, t *catalog.Table) bool {
	if strings.Contains(name, CIDPlaceholder) {
		if t.Manifest == "" {
			return false
		}
		manifest := t.Manifest
		if !strings.Contains(manifest, ".") {
			manifest = t.Name.Schema + "." + manifest
		}
		return hasNameSuffix(manifest, name)
	}
	return hasNameSuffix(t.Name.String(), name)
}

func hasNameSuffix(full, name string) bool {
	full, name = strings.ToLower(full), strings.ToLower(name)
	return full == name || strings.HasSuffix(full, "."+name) || strings.HasSuffix(name, "."+full)
}

// Tables returns the tables that a layer's table name means, in the order given.
func Tables(name string, tables []catalog.Table) []*catalog.Table {
	var found []*catalog.Table
	for i := range tables {
		if Matches(name, &tables[i]) {
			found = append(found, &tables[i])
		}
	}
	return found
}

// Country returns the country of that code.
func (l *Layer) Country(code string) (Country, bool) {
	for _, c := range l.Countries {
		if strings.EqualFold(c.Code, code) {
			return c, true
		}
	}
	return Country{}, false
}
