// Package keys looks for the keys of tables and for what points to them, where
// nobody declared any: names propose, and the data have to agree.
//
// A key is a column of another value in each row. A column points to a key when
// its name speaks of the key or of its table (words.yaml), both are of one kind of
// type, and each of its values is there. Values alone propose texts only: small
// numbers are found in every key that counts from one. Of several tables that a
// column may point to the one that its name fits best is taken; of equals the only
// one that holds its values; else none, and the report names them.
//
// Then columns that point to other tables and together tell rows apart are the key
// of a bridge between these, and columns called like a key of several columns point
// to it.
//
// The work is bounded by Limits: the statements that are run, the rows that one
// reads.
package keys

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Limits of the work. Zero values mean the defaults named in the comments.
type Limits struct {
	MaxTests      int // statements that compare values; 2,000
	MaxExactRows  int // rows of a table up to which all values are compared; 5,000,000
	MaxSampleRows int // rows that are looked at of a larger one; 1,000,000
	MaxByValues   int // tables up to which values alone propose references; 60
}

func (l Limits) complete() Limits {
	for _, f := range []struct {
		value *int
		byDef int
	}{{&l.MaxTests, 2_000}, {&l.MaxExactRows, 5_000_000}, {&l.MaxSampleRows, 1_000_000}, {&l.MaxByValues, 60}} {
		if *f.value <= 0 {
			*f.value = f.byDef
		}
	}
	return l
}

// Find marks keys and references in tables, whose data conn holds and whose columns
// are counted (Distinct, NotNull). It returns what people should know, a sentence
// each. Tables whose keys are declared keep them; where any reference is declared,
// none is looked for. A reference that the shape of a file told (Found) is none of these.
func Find(ctx context.Context, conn *sql.Conn, tables []*catalog.Table, limits Limits) ([]string, error) {
	compared := data{conn: conn, limits: limits.complete()}
	if err := compared.extracts(ctx, tables); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(tables, func(t *catalog.Table) bool {
		return slices.ContainsFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool { return k.Found == nil })
	}) {
		return nil, nil
	}
	w, err := readWords()
	if err != nil {
		return nil, err
	}
	f := &finder{data: compared, words: w}
	for _, t := range tables {
		known, err := f.describe(ctx, t)
		if err != nil {
			return nil, err
		}
		f.tables = append(f.tables, known)
	}
	f.index()
	for _, step := range []func(context.Context) error{f.references, f.bridges, f.composites} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if f.tests >= f.limits.MaxTests {
		f.note("the search for keys ended after %d comparisons (MaxTests): declare further ones in a schema.sql, or in the corrections of the source", f.tests)
	}
	return f.notes, nil
}

type finder struct {
	data
	words  words
	tables []*table
	notes  []string

	byKey   map[string][]*table // by the words of a key's name
	byTable map[string][]*table // by the words of a table's name, in the singular
	byNoun  map[string][]*table // by the last of them
	byHead  map[string][]*table // by the first letters of the name
	persons []*table
}

// table is a table with what was found out of it.
type table struct {
	*catalog.Table
	name   []string // its name's words without what says nothing, in the singular
	unique []int    // columns of another value in each row, the key first
}

func (t *table) key() *catalog.Column { return &t.Columns[t.unique[0]] }

func (f *finder) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// describe finds the columns of a table that tell its rows apart.
func (f *finder) describe(ctx context.Context, t *catalog.Table) (*table, error) {
	known := &table{Table: t, name: f.words.tableName(t.Name.Table)}
	if t.RowCount < 2 || t.Kind == catalog.KindView { // what a view shows is no thing of its own
		return known, nil
	}
	declared := t.PrimaryKey()
	for i := range t.Columns {
		c := &t.Columns[i]
		if kindOf(c.Type) == other {
			continue
		}
		switch {
		case len(declared) == 1 && c.PrimaryKey:
		case !c.NotNull:
			continue
		case f.exact(t):
			if c.Distinct != t.RowCount {
				continue
			}
		case c.Distinct < t.RowCount-t.RowCount/10 || !f.words.isKeyName(c.Name, known.name):
			continue
		default: // its values were only estimated
			yes, err := f.isUnique(ctx, t, []string{c.Name})
			if err != nil {
				return nil, err
			}
			if !yes {
				continue
			}
		}
		known.unique = append(known.unique, i)
	}
	slices.SortStableFunc(known.unique, func(a, b int) int { return f.keyRank(known, b) - f.keyRank(known, a) })
	return known, nil
}

// exactRows is up to which the distinct values of tables were counted, not estimated.
const exactRows = 1_000_000

func (f *finder) exact(t *catalog.Table) bool { return t.RowCount <= exactRows }

// keyRank says how much a column that tells rows apart looks like the key.
func (f *finder) keyRank(t *table, i int) int {
	c, rank := &t.Columns[i], 0
	switch {
	case c.PrimaryKey:
		rank = 100
	case f.words.isKeyName(c.Name, t.name):
		rank = 30
	case f.words.endsAsKey(c.Name):
		rank = 10
	}
	if kindOf(c.Type) == number {
		rank += 2
	}
	if name := split(c.Name); i == 0 && (len(name) == 0 || !f.words.labels[name[len(name)-1]]) {
		rank += 11
	}
	return rank
}

// index lists the tables that names may speak of.
func (f *finder) index() {
	f.byKey, f.byTable, f.byNoun, f.byHead = map[string][]*table{}, map[string][]*table{}, map[string][]*table{}, map[string][]*table{}
	for _, t := range f.tables {
		if len(t.unique) == 0 {
			continue
		}
		for _, i := range t.unique {
			if name := split(t.Columns[i].Name); !f.words.isBare(name) {
				add(f.byKey, phrase(name), t)
			}
		}
		if len(t.name) == 0 {
			continue
		}
		add(f.byTable, phrase(t.name), t)
		add(f.byNoun, t.name[len(t.name)-1], t)
		if joined := strings.Join(t.name, ""); len(joined) >= minStem {
			add(f.byHead, joined[:minStem], t)
		}
		if f.words.persons[t.name[len(t.name)-1]] {
			f.persons = append(f.persons, t)
		}
	}
	if len(f.persons) == 0 { // jobs are reviewed by linguists
		for _, t := range f.tables {
			if len(t.unique) > 0 && namesPersons(t) {
				f.persons = append(f.persons, t)
			}
		}
	}
}

func add(to map[string][]*table, name string, t *table) {
	if name != "" && !slices.Contains(to[name], t) {
		to[name] = append(to[name], t)
	}
}
