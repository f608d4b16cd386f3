package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

// Defaults complete names with fewer than three parts.
type Defaults struct {
	Region string
	Schema string
}

// Index answers questions about one Snapshot from memory. It never changes after
// NewIndex and may be used concurrently. Names are compared without case.
type Index struct {
	defaults Defaults
	snapshot *Snapshot
	tables   []*Table              // by name
	byKey    map[string]*Table     // region.schema.table
	byTable  map[string][]*Table   // last part alone
	bySchema map[string][][]*Table // of each region, by name; parts of tables
	families map[string]*Family
	familyOf map[*Table]*Family
	marksOf  map[*Table]*mark.Marks
	byStem   map[string][]*Family // what the family's names have in common
	columns  map[string]struct{}
	pointing map[*Table][]*Table // tables with a foreign key to one, by name
	near     func() *nameGrams   // built at the first unknown name
}

// NewIndex indexes a snapshot, which the caller must not change afterwards. Of
// two tables of one name the first is kept.
func NewIndex(s *Snapshot, d Defaults) *Index {
	x := &Index{
		defaults: d,
		snapshot: s,
		byKey:    make(map[string]*Table, len(s.Tables)),
		byTable:  make(map[string][]*Table, len(s.Tables)),
		columns:  make(map[string]struct{}),
	}
	keys := make(map[*Table]string, len(s.Tables))
	spelled := make(map[string]struct{}) // most tables share most names of columns
	for i := range s.Tables {
		t := &s.Tables[i]
		key := t.Name.Key()
		if _, twice := x.byKey[key]; twice {
			continue
		}
		x.byKey[key], keys[t] = t, key
		x.tables = append(x.tables, t)
		for j := range t.Columns {
			name := t.Columns[j].Name
			if _, known := spelled[name]; !known {
				spelled[name] = struct{}{}
				x.columns[strings.ToLower(name)] = struct{}{}
			}
		}
	}
	slices.SortFunc(x.tables, func(a, b *Table) int { return cmp.Compare(keys[a], keys[b]) })
	for _, t := range x.tables {
		last := strings.ToLower(t.Name.Table)
		x.byTable[last] = append(x.byTable[last], t)
	}
	x.indexSchemas()
	x.indexPointing()
	x.indexFamilies()
	x.near = sync.OnceValue(func() *nameGrams { return gramsOf(x.tables) })
	return x
}

func (x *Index) indexSchemas() {
	x.bySchema = make(map[string][][]*Table)
	place := func(t *Table) (region, schema string) {
		return strings.ToLower(t.Name.Region), strings.ToLower(t.Name.Schema)
	}
	for from := 0; from < len(x.tables); {
		region, schema := place(x.tables[from])
		to := from + 1
		for to < len(x.tables) {
			if r, s := place(x.tables[to]); r != region || s != schema {
				break
			}
			to++
		}
		x.bySchema[schema] = append(x.bySchema[schema], x.tables[from:to:to])
		from = to
	}
}

func (x *Index) indexPointing() {
	x.pointing = make(map[*Table][]*Table)
	for _, t := range x.tables {
		for _, k := range t.ForeignKeys {
			to, known := x.byKey[k.RefTable.Key()]
			if from := x.pointing[to]; known && (len(from) == 0 || from[len(from)-1] != t) {
				x.pointing[to] = append(from, t)
			}
		}
	}
}

// ReadyForNames makes what looks for names like one that no table has, which is made at the
// first such name otherwise: the one who asks would wait for it.
func (x *Index) ReadyForNames() { x.near() }

// Snapshot returns what was indexed. Nobody may change it.
func (x *Index) Snapshot() *Snapshot { return x.snapshot }

// Defaults returns what completes short names.
func (x *Index) Defaults() Defaults { return x.defaults }

// Len returns the number of tables.
func (x *Index) Len() int { return len(x.tables) }

// All returns the view of somebody who may see everything.
func (x *Index) All() *View { return &View{index: x} }

// Restrict returns the view of somebody who may see only the tables for which
// visible answers true; nil means all of them.
func (x *Index) Restrict(visible func(*Table) bool) *View {
	return &View{index: x, visible: visible}
}

// Lookup is All().Lookup.
func (x *Index) Lookup(name Name) (*Table, bool) { return x.All().Lookup(name) }

// Near is All().Near.
func (x *Index) Near(name Name, n int) []Name { return x.All().Near(name, n) }

// HasColumn reports whether any table has a column of that name. It is for
// telling words of a question apart and says nothing that a user is shown.
func (x *Index) HasColumn(name string) bool {
	_, ok := x.columns[strings.ToLower(name)]
	return ok
}

// complete fills the missing parts of a name.
func (x *Index) complete(n Name) Name {
	if n.Schema == "" {
		n.Schema = x.defaults.Schema
	}
	if n.Region == "" {
		n.Region = x.defaults.Region
	}
	return n
}
