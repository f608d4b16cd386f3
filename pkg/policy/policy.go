// Package policy says who may read what of a warehouse: which tables, which of
// their columns and rows, and what is put in the place of a value. A policy is a
// YAML file of rules (parse.go), tried in order; the first that fits the asker and
// the table decides, and where none fits the table may not be read. The same
// decisions hold for finding tables (findata) and for reading them (the guard).
package policy

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
)

// Policy is the rules of one state of a file. It never changes and may be used
// concurrently. A nil *Policy is that of an installation without a policy: it
// lets everybody read everything.
type Policy struct {
	rules  []rule
	digest string // of the file's text
	moment moment

	mu       sync.Mutex
	grants   map[grantsKey]*Grants
	deciders map[string]*decider // by the numbers of their rules
}

// Bounds of what is kept ready. Askers are many and small; what they share, the
// rules that are about them, is little in number and remembers its tables.
const (
	maxGrants   = 1_000
	maxDeciders = 50
	maxDecided  = 150_000 // tables of one decider
)

type grantsKey struct{ principal, groups, source string }

// rule is one rule as written. A nil pattern fits everything.
type rule struct {
	name                          string
	line                          int
	user, group                   *pattern
	source, region, schema, table *pattern
	deny                          bool
	views                         bool
	purpose                       string
	filter                        *expression
	columns                       []columnRule
	partitions                    []string
}

// columnRule is what a rule says of one column.
type columnRule struct {
	name      string
	line      int
	deny      bool
	mask      *expression
	purpose   string
	ifPresent bool
}

// Grants are the rules for one asker on one source.
type Grants struct {
	principal run.Principal
	decider   *decider
	moment    moment

	mu     sync.Mutex
	access map[*rule]*Access
}

// decider finds the rule for a table among those that are about an asker.
type decider struct {
	rules  []*rule
	rights string // names the rules: equal for equal rules of equal files

	mu      sync.RWMutex
	decided map[string]*rule // by the table's key; nil: no rule fits
}

// For returns the rules for an asker on a source. A nil Policy gives nil Grants,
// which let everything be read.
func (p *Policy) For(principal run.Principal, source string) *Grants {
	if p == nil {
		return nil
	}
	key := grantsKey{principal.ID, fmt.Sprintf("%q", principal.Groups), source}
	p.mu.Lock()
	defer p.mu.Unlock()
	if g, ok := p.grants[key]; ok {
		return g
	}
	if len(p.grants) >= maxGrants {
		clear(p.grants)
	}
	g := &Grants{principal: principal, decider: p.decider(principal, source), moment: p.moment, access: map[*rule]*Access{}}
	p.grants[key] = g
	return g
}

// decider returns the one for the rules that are about an asker. Called with mu held.
func (p *Policy) decider(principal run.Principal, source string) *decider {
	d := &decider{decided: map[string]*rule{}}
	var numbers []byte
	for i := range p.rules {
		r := &p.rules[i]
		if r.user.fits(principal.ID) && r.source.fits(source) && (r.group == nil || slices.ContainsFunc(principal.Groups, r.group.fits)) {
			d.rules = append(d.rules, r)
			numbers = strconv.AppendInt(append(numbers, ','), int64(i), 10)
		}
	}
	d.rights = p.digest + string(numbers)
	if have, ok := p.deciders[string(numbers)]; ok {
		return have
	}
	if len(p.deciders) >= maxDeciders {
		clear(p.deciders)
	}
	p.deciders[string(numbers)] = d
	return d
}

// Fingerprint names what an asker may know of tables and columns: askers with equal
// ones may know the same. It says nothing of the rows that they may read, which can
// depend on who asks.
func (g *Grants) Fingerprint() string { return g.decider.rights }

// rule returns the first rule that fits a table; nil: none does.
func (d *decider) rule(name catalog.Name) *rule {
	key := name.Key()
	d.mu.RLock()
	found, ok := d.decided[key]
	d.mu.RUnlock()
	if ok {
		return found
	}
	for _, r := range d.rules {
		if r.region.fits(name.Region) && r.schema.fits(name.Schema) && r.table.fits(name.Table) {
			found = r
			break
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.decided) >= maxDecided {
		clear(d.decided)
	}
	d.decided[key] = found
	return found
}

// Access decides on a table, given its stored name.
func (g *Grants) Access(name catalog.Name) *Access {
	if g == nil {
		return open()
	}
	r := g.decider.rule(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	a, ok := g.access[r]
	if !ok {
		a = r.bind(g.principal, g.moment)
		g.access[r] = a
	}
	return a
}
