package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// seen is a relation of a FROM clause as columns refer to it.
type seen struct {
	name     string // alias, or the table's own name
	table    string // the table's own name; empty for a query
	columns  []string
	stored   *catalog.Table // nil for a query
	alias    *tree.Ident    // nil: none
	relation tree.Relation
}

func (s seen) has(column string) bool {
	return slices.ContainsFunc(s.columns, func(c string) bool { return strings.EqualFold(c, column) })
}

// column is a reference to a column of it.
func (s seen) column(name string) string { return printer.Ident(s.name) + "." + printer.Ident(name) }

// selectAround are the SELECTs whose relations a node sees, the innermost first.
func (now *reading) selectsAround(n tree.Node) []*tree.Select {
	type scope struct {
		sel  *tree.Select
		size int
	}
	inside := func(outer tree.Node) (int, bool) {
		o, i := outer.Span(), n.Span()
		return o.End - o.Start, o.Start <= i.Start && i.End <= o.End
	}
	var found []scope
	wall := -1 // the size of the innermost query that sees nothing around it
	tree.Walk(now.stmt, func(at tree.Node) bool {
		size, in := inside(at)
		switch at := at.(type) {
		case *tree.Query:
			if sel, ok := at.Body.(*tree.Select); ok && in {
				found = append(found, scope{sel, size})
			}
		case *tree.Select:
			if in && !slices.ContainsFunc(found, func(s scope) bool { return s.sel == at }) {
				found = append(found, scope{at, size})
			}
		case *tree.Derived, *tree.CommonTable:
			if in && (wall < 0 || size < wall) {
				wall = size
			}
		}
		return true
	})
	slices.SortStableFunc(found, func(a, b scope) int { return a.size - b.size })
	var out []*tree.Select
	for _, s := range found {
		if wall < 0 || s.size <= wall || len(out) == 0 {
			out = append(out, s.sel)
		}
	}
	return out
}

// relations are those of a FROM clause.
func (now *reading) relations(sel *tree.Select) []seen {
	var out []seen
	var add func(r tree.Relation, alias *tree.Aliased)
	add = func(r tree.Relation, alias *tree.Aliased) {
		switch r := r.(type) {
		case *tree.Join:
			add(r.Left, nil)
			add(r.Right, nil)
			return
		case *tree.ParenRelation:
			add(r.Relation, alias)
			return
		case *tree.Sampled:
			add(r.Relation, alias)
			return
		case *tree.Aliased:
			add(r.Relation, r)
			return
		}
		s := seen{relation: r}
		switch r := r.(type) {
		case *tree.Table:
			s.table = r.Name.Parts[len(r.Name.Parts)-1].Name
			s.name = s.table
			if stored, ok := now.resolution.Stored(r); ok {
				s.stored = stored
				for _, c := range stored.Columns {
					s.columns = append(s.columns, c.Name)
				}
			} else {
				s.columns = now.commonColumns(s.table)
			}
		case *tree.Derived:
			s.columns = now.outputNames(r.Query)
		}
		if alias != nil {
			s.name, s.alias = alias.Alias.Name, alias.Alias
			if len(alias.Columns) > 0 {
				s.columns = nil
				for _, c := range alias.Columns {
					s.columns = append(s.columns, c.Name)
				}
			}
		}
		if s.name != "" {
			out = append(out, s)
		}
	}
	for _, from := range sel.From {
		add(from, nil)
	}
	return out
}

func (now *reading) outputNames(q *tree.Query) []string {
	var names []string
	for _, o := range now.resolution.OutputOf(q) {
		if o.Name != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

func (now *reading) commonColumns(name string) []string {
	var columns []string
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.CommonTable); ok && strings.EqualFold(c.Name.Name, name) {
			columns = now.outputNames(c.Query)
			for i, id := range c.Columns[:min(len(c.Columns), len(columns))] {
				columns[i] = id.Name
			}
		}
		return true
	})
	return columns
}

// inSight are the relations that a node sees, the innermost FROM clause first.
func (now *reading) inSight(n tree.Node) []seen {
	var out []seen
	for _, sel := range now.selectsAround(n) {
		out = append(out, now.relations(sel)...)
	}
	return out
}
