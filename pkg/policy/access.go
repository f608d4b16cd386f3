package policy

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

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

	filter     tree.Expr // nil: all rows; the asker is filled in, the time is not
	filterLine int
	columns    []column
	moment     moment
}

// column is what an Access says of one column.
type column struct {
	columnRule
	mask tree.Expr // with the asker filled in; nil for a denied column
}

// open is the access where there is no policy.
func open() *Access { return &Access{Read: true, Views: true} }

// bind makes the access of a rule for one asker; no rule gives none.
func (r *rule) bind(principal run.Principal, m moment) *Access {
	if r == nil {
		return &Access{}
	}
	a := &Access{Read: !r.deny, Rule: r.name, Views: r.views, Purpose: r.purpose, Partitions: r.partitions, moment: m}
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

// Withholds reports that the stored values of a column are not the asker's to know:
// it is denied or masked, or a rule is about a column that is no more, so that nobody
// knows which one it is now.
func (a *Access) Withholds(t *catalog.Table, name string) bool {
	return a.Denies(name) || a.Masks(name) || a.checkColumns(t) != nil
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
			c.Samples, c.Distinct, c.Low, c.High = nil, 0, "", ""
		}
		out.Columns = append(out.Columns, c)
	}
	// What is known of columns by all rows is of no one who may not see them all.
	hides := func(name string) bool { return closed || a.Denies(name) || a.Masks(name) }
	if slices.ContainsFunc(t.RowKey, hides) {
		out.RowKey = nil
	}
	out.Dependencies = nil
	for _, d := range t.Dependencies {
		if d.Determines = slices.DeleteFunc(slices.Clone(d.Determines), hides); !hides(d.Column) && len(d.Determines) > 0 {
			out.Dependencies = append(out.Dependencies, d)
		}
	}
	if closed {
		out.RowCount = -1
	}
	out.ForeignKeys = slices.DeleteFunc(slices.Clone(t.ForeignKeys), func(k catalog.ForeignKey) bool {
		return slices.ContainsFunc(k.Columns, a.Denies)
	})
	for i, k := range out.ForeignKeys {
		if k.Found != nil && (closed || slices.ContainsFunc(k.Columns, a.Masks)) {
			told := *k.Found
			told.Values = 0
			out.ForeignKeys[i].Found = &told
		}
	}
	return &out
}

// Permits reports that a table may be read at all. A view reads tables under its
// owner's rights, so a rule has to allow views by itself.
func (a *Access) Permits(t *catalog.Table) bool {
	return a.Read && (t.Kind != catalog.KindView || a.Views)
}
