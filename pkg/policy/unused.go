package policy

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Unused returns the rules that are about no table of the given sources, each in
// words: a misspelt name in a rule protects nothing. Like Check it is for whoever
// keeps the policy.
func (p *Policy) Unused(sources map[string][]catalog.Table) []string {
	if p == nil {
		return nil
	}
	var unused []string
	for i := range p.rules {
		if r := &p.rules[i]; !r.isAbout(sources) {
			unused = append(unused, fmt.Sprintf("rule %s (line %d)", r.name, r.line))
		}
	}
	return unused
}

func (r *rule) isAbout(sources map[string][]catalog.Table) bool {
	for source, tables := range sources {
		if !r.source.fits(source) {
			continue
		}
		for j := range tables {
			name := tables[j].Name
			if r.region.fits(name.Region) && r.schema.fits(name.Schema) && r.table.fits(name.Table) {
				return true
			}
		}
	}
	return false
}
