// Package policy says who may read what of a warehouse: which tables, which of
// their columns and rows, and what is put in the place of a value. A policy is a
// YAML file of rules (parse.go), tried in order; the first that fits the asker and
// the table decides, and where none fits the table may not be read. The same
// decisions hold for finding tables (findata) and for reading them (the guard).
package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Policy is the rules of one state of a file. It never changes and may be used
// concurrently. A nil *Policy is that of an installation without a policy: it
// lets everybody read everything.
type Policy struct {
	rules []rule

	mu     sync.Mutex
	grants map[grantsKey]*Grants
}

// maxGrants bounds the askers whose decisions are kept.
const maxGrants = 1000

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
	rules     []*rule

	mu     sync.RWMutex
	access map[string]*Access // by the table's key
}

// maxAccess bounds the decisions that are kept for an asker.
const maxAccess = 200_000

// For returns the rules for an asker on a source. A nil Policy gives nil Grants,
// which let everything be read.
func (p *Policy) For(principal run.Principal, source string) *Grants {
	if p == nil {
		return nil
	}
	key := grantsKey{principal.ID, strings.Join(principal.Groups, "\x00"), source}
	p.mu.Lock()
	defer p.mu.Unlock()
	if g, ok := p.grants[key]; ok {
		return g
	}
	g := &Grants{principal: principal, access: map[string]*Access{}}
	for i := range p.rules {
		r := &p.rules[i]
		if r.user.fits(principal.ID) && r.source.fits(source) && (r.group == nil || slices.ContainsFunc(principal.Groups, r.group.fits)) {
			g.rules = append(g.rules, r)
		}
	}
	if len(p.grants) >= maxGrants {
		clear(p.grants)
	}
	p.grants[key] = g
	return g
}

// Access is what an asker may do with one table.
type Access struct {
	// Read permits the table as a whole; the rest restricts it.
	Read bool
	// Rule is the name of the rule that decided; empty where none fits.
	Rule string
	// Views says that a view may be read whatever it reads itself.
	Views bool
	// Purpose is why rows are left out, in words for the asker; may be empty.
	Purpose string
	// Partitions are columns of which at least one has to be restricted.
	Partitions []string

	filter     tree.Expr // nil: all rows; placeholders are filled in
	filterLine int
	columns    []column
}

// column is what an Access says of one column.
type column struct {
	columnRule
	mask tree.Expr // with placeholders filled in; nil for a denied column
}

// open is the access where there is no policy.
func open() *Access { return &Access{Read: true, Views: true} }

// Access decides on a table, given its stored name.
func (g *Grants) Access(name catalog.Name) *Access {
	if g == nil {
		return open()
	}
	key := name.Key()
	g.mu.RLock()
	a, ok := g.access[key]
	g.mu.RUnlock()
	if ok {
		return a
	}
	a = g.decide(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.access) >= maxAccess {
		clear(g.access)
	}
	g.access[key] = a
	return a
}

func (g *Grants) decide(name catalog.Name) *Access {
	for _, r := range g.rules {
		if r.region.fits(name.Region) && r.schema.fits(name.Schema) && r.table.fits(name.Table) {
			return r.bind(g.principal)
		}
	}
	return &Access{}
}

// bind makes the access of a rule for one asker.
func (r *rule) bind(principal run.Principal) *Access {
	a := &Access{Read: !r.deny, Rule: r.name, Views: r.views, Purpose: r.purpose, Partitions: r.partitions}
	if r.filter != nil {
		a.filter, a.filterLine = r.filter.bind(principal), r.filter.line
	}
	for _, c := range r.columns {
		bound := column{columnRule: c}
		if c.mask != nil {
			bound.mask = c.mask.bind(principal)
		}
		a.columns = append(a.columns, bound)
	}
	return a
}

// Whole reports that rows and columns are read as they are stored.
func (a *Access) Whole() bool { return a.Read && a.filter == nil && len(a.columns) == 0 }

// Filtered reports that some rows may be left out.
func (a *Access) Filtered() bool { return a.filter != nil }

// Denies reports that a column does not exist for the asker.
func (a *Access) Denies(name string) bool {
	c, ok := a.column(name)
	return ok && c.deny
}

// Masks reports that a column's values are replaced for the asker.
func (a *Access) Masks(name string) bool {
	c, ok := a.column(name)
	return ok && c.mask != nil
}

func (a *Access) column(name string) (column, bool) {
	for _, c := range a.columns {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	return column{}, false
}

// Visible returns a table as the asker may know it: without the columns that are
// denied, and without what gives stored values or figures of them away where they
// are masked, or where rows are left out. The table itself stays as it is.
func (a *Access) Visible(t *catalog.Table) *catalog.Table {
	if a.Whole() {
		return t
	}
	out := *t
	// A rule about a column that is no more: which one it is now, nobody knows.
	closed := a.Filtered() || a.checkColumns(t) != nil
	out.Columns = make([]catalog.Column, 0, len(t.Columns))
	for _, c := range t.Columns {
		if a.Denies(c.Name) {
			continue
		}
		if closed || a.Masks(c.Name) {
			c.Samples, c.Distinct = nil, 0
		}
		out.Columns = append(out.Columns, c)
	}
	if closed {
		out.RowCount = -1
	}
	out.ForeignKeys = slices.DeleteFunc(slices.Clone(t.ForeignKeys), func(k catalog.ForeignKey) bool {
		return slices.ContainsFunc(k.Columns, a.Denies)
	})
	return &out
}

// Permits reports that a table may be read at all. A view reads tables under its
// owner's rights, so a rule has to allow views by itself.
func (a *Access) Permits(t *catalog.Table) bool {
	return a.Read && (t.Kind != catalog.KindView || a.Views)
}
