package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/spelling"
)

// Catalog is what resolving needs of a catalog. What the asker may not see is
// unknown here: wrap it before.
type Catalog interface {
	// Lookup finds a table by its full name, compared without case.
	Lookup(name catalog.Name) (*catalog.Table, bool)
	// Near returns up to n names that resemble name, best first.
	Near(name catalog.Name, n int) []catalog.Name
}

// Schemas is what a Catalog implements that knows all its regions and schemas, so
// that one that is not there can be told from a table that is not.
type Schemas interface {
	// Holds reports whether there is a region and, where schema is not empty, that
	// schema in it. Names are compared without case.
	Holds(region, schema string) bool
}

// Tables is a Catalog of tables held in memory. It is safe for concurrent use.
type Tables struct {
	tables  []catalog.Table
	index   map[string]int     // by lower-case full name
	schemas map[[2]string]bool // by lower-case region and schema, and by region alone
}

// NewTables returns a catalog of tables, which are not to be changed any more.
func NewTables(tables []catalog.Table) *Tables {
	t := &Tables{tables: tables, index: make(map[string]int, len(tables)), schemas: map[[2]string]bool{}}
	for i := range tables {
		t.index[tables[i].Name.Key()] = i
		t.hold(tables[i].Name.Region, tables[i].Name.Schema)
	}
	return t
}

// WithSchemas returns the same tables in a catalog that has further schemas, given
// by region and schema.
func (t *Tables) WithSchemas(schemas ...[2]string) *Tables {
	out := &Tables{tables: t.tables, index: t.index, schemas: maps.Clone(t.schemas)}
	for _, s := range schemas {
		out.hold(s[0], s[1])
	}
	return out
}

func (t *Tables) hold(region, schema string) {
	region = strings.ToLower(region)
	t.schemas[[2]string{region, ""}] = true
	t.schemas[[2]string{region, strings.ToLower(schema)}] = true
}

// Holds implements Schemas.
func (t *Tables) Holds(region, schema string) bool {
	return t.schemas[[2]string{strings.ToLower(region), strings.ToLower(schema)}]
}

// Lookup implements Catalog.
func (t *Tables) Lookup(name catalog.Name) (*catalog.Table, bool) {
	i, ok := t.index[name.Key()]
	if !ok {
		return nil, false
	}
	return &t.tables[i], true
}

// Near implements Catalog: the nearest table names, those of the same schema and
// region before others.
func (t *Tables) Near(name catalog.Name, n int) []catalog.Name {
	type scored struct {
		name  catalog.Name
		score int
	}
	want := strings.ToLower(name.Table)
	length := utf8.RuneCountInString(want)
	limit := max(1, length/3)
	var near []scored
	for i := range t.tables {
		have := t.tables[i].Name
		low := strings.ToLower(have.Table)
		d := limit + 1
		switch {
		case low == want:
			d = 0
		case len(want) > 3 && (strings.Contains(low, want) || len(low) > 3 && strings.Contains(want, low)):
			d = 1
		default:
			if runes := utf8.RuneCountInString(low); runes >= length-limit && runes <= length+limit {
				d = spelling.Distance(want, low)
			}
		}
		if d > limit {
			continue
		}
		score := 3 * d
		if !strings.EqualFold(have.Schema, name.Schema) {
			score += 2
		}
		if !strings.EqualFold(have.Region, name.Region) {
			score++
		}
		near = append(near, scored{have, score})
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name.Key(), b.name.Key()))
	})
	var out []catalog.Name
	for _, s := range near[:min(n, len(near))] {
		out = append(out, s.name)
	}
	return out
}
