package correct

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/personal"
)

// applier corrects one catalog.
type applier struct {
	file     string
	snapshot *catalog.Snapshot
	problems []Problem
}

func (a *applier) problem(line int, format string, args ...any) {
	a.problems = append(a.problems, Problem{File: a.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// named reports whether a table is what a name means: the end of its full name.
func named(full catalog.Name, name string) bool {
	have, want := full.Key(), strings.ToLower(name)
	return have == want || strings.HasSuffix(have, "."+want)
}

// table returns the one table that a name means.
func (a *applier) table(line int, name string) *catalog.Table {
	var found []*catalog.Table
	for i := range a.snapshot.Tables {
		if name != "" && named(a.snapshot.Tables[i].Name, name) {
			found = append(found, &a.snapshot.Tables[i])
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case name == "":
		a.problem(line, "the table is not named")
	case len(found) == 0:
		a.problem(line, "there is no table %q", name)
	default:
		a.problem(line, "%q may be %s and %s: write schema.table", name, found[0].Name, found[1].Name)
	}
	return nil
}

// columns returns names as they are stored; nil where one is not there.
func (a *applier) columns(line int, t *catalog.Table, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		column, ok := t.Column(name)
		if !ok {
			a.problem(line, "%s has no column %q", t.Name, name)
			return nil
		}
		out[i] = column.Name
	}
	if len(out) == 0 {
		a.problem(line, "no column is named")
	}
	return out
}

func (a *applier) key(k Key) {
	t := a.table(k.line, k.Table)
	if t == nil {
		return
	}
	columns := a.columns(k.line, t, k.Columns)
	if len(columns) == 0 {
		return
	}
	if repeats(t, columns) {
		a.problem(k.line, "%s has several rows for a value of %s: that is no key", t.Name, columns[0])
		return
	}
	t.OwnColumns()
	for i := range t.Columns {
		t.Columns[i].PrimaryKey = slices.Contains(columns, t.Columns[i].Name)
	}
}

// repeats reports whether a column is known to hold a value in several rows. Numbers
// of different values may be estimates, off by a tenth.
func repeats(t *catalog.Table, columns []string) bool {
	if len(columns) != 1 {
		return false
	}
	c, ok := t.Column(columns[0])
	return ok && c.Distinct > 0 && c.Distinct < t.RowCount-t.RowCount/10
}

// ends returns the tables and columns of a join; ok is false where one is not there.
func (a *applier) ends(j Join) (from, to *catalog.Table, columns, toColumns []string, ok bool) {
	if from = a.table(j.line, j.From); from == nil {
		return
	}
	if to = a.table(j.line, j.To); to == nil {
		return
	}
	if columns = a.columns(j.line, from, j.Columns); len(columns) == 0 {
		return
	}
	if len(j.ToColumns) == 0 {
		toColumns = to.PrimaryKey()
	} else if toColumns = a.columns(j.line, to, j.ToColumns); len(toColumns) == 0 {
		return
	}
	return from, to, columns, toColumns, true
}

func (a *applier) join(j Join) {
	from, to, columns, toColumns, ok := a.ends(j)
	switch {
	case !ok:
		return
	case len(columns) != len(toColumns):
		a.problem(j.line, "%d columns point to %d: name as many to_columns", len(columns), len(toColumns))
		return
	case repeats(to, toColumns):
		a.problem(j.line, "%s has several rows for a value of %s: a join to it would count rows twice. Turn it round, or join to the table whose key it is", to.Name, toColumns[0])
		return
	}
	reason := fmt.Sprintf("a person says so in %s:%d", filepath.Base(a.file), j.line)
	fk := catalog.ForeignKey{Columns: columns, RefTable: to.Name, RefColumns: toColumns, Found: &catalog.Evidence{Reason: reason, Person: true}}
	from.ForeignKeys = append(slices.DeleteFunc(from.ForeignKeys, func(k catalog.ForeignKey) bool { return slices.Equal(k.Columns, columns) }), fk)
}

func (a *applier) notJoin(j Join) {
	from, to, columns, toColumns, ok := a.ends(j)
	if !ok {
		return
	}
	from.ForeignKeys = slices.DeleteFunc(from.ForeignKeys, func(k catalog.ForeignKey) bool {
		return k.RefTable.Key() == to.Name.Key() && slices.Equal(k.Columns, columns) && (len(j.ToColumns) == 0 || slices.Equal(k.RefColumns, toColumns))
	})
	from.OwnColumns()
	for _, name := range columns { // else names would propose it again
		for i := range from.Columns {
			from.Columns[i].NotJoined = from.Columns[i].NotJoined || from.Columns[i].Name == name
		}
	}
}

// column returns a column to be changed.
func (a *applier) column(m Mark) *catalog.Column {
	t := a.table(m.line, m.Table)
	if t == nil {
		return nil
	}
	t.OwnColumns()
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, m.Column) {
			return &t.Columns[i]
		}
	}
	a.problem(m.line, "%s has no column %q", t.Name, m.Column)
	return nil
}

func (a *applier) personal(m Mark) {
	kind := m.Kind
	if kind == "" {
		kind = personal.Other
	}
	if !personal.IsKind(kind) {
		a.problem(m.line, "kind %q is not known: there are %s", m.Kind, strings.Join(personal.Kinds(), ", "))
		kind = personal.Other // the mark itself stands
	}
	column := a.column(m)
	if column == nil {
		return
	}
	column.Personal = &catalog.Personal{Kind: kind, Reason: fmt.Sprintf("a person says so in %s:%d", filepath.Base(a.file), m.line)}
	if !personal.Asked(kind) {
		column.Samples, column.Low, column.High = nil, "", ""
	}
}
