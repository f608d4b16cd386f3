package policy

import (
	"errors"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
)

// Check applies every rule to every table of a source that it is about, and
// returns what cannot be applied: those tables are refused to whom the rule is
// for. It is for whoever keeps the policy; the guard finds the same by itself.
func (p *Policy) Check(source string, tables []catalog.Table) []*Broken {
	if p == nil {
		return nil
	}
	asker := run.Principal{ID: "somebody", Groups: []string{"a group"}}
	var found []*Broken
	for i := range p.rules {
		r := &p.rules[i]
		if r.deny || !r.source.fits(source) {
			continue
		}
		access := r.bind(asker, p.moment)
		for j := range tables {
			t := &tables[j]
			if !r.region.fits(t.Name.Region) || !r.schema.fits(t.Name.Schema) || !r.table.fits(t.Name.Table) {
				continue
			}
			var broken *Broken
			if _, err := access.Cover(t); errors.As(err, &broken) {
				found = append(found, broken)
			}
		}
	}
	return found
}
