package schema

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Pointers are the columns of a table that each alone point to another.
func (v *View) Pointers(from, to *Table) []*Column {
	if from == to {
		return nil
	}
	var list []*Column
	for _, e := range v.Graph.Edges(from.Full()) {
		if e.Many || len(e.Columns) != 1 || e.To != to.Full() {
			continue
		}
		if c := from.Column(e.Columns[0]); c != nil && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// tells are words of the names of pointing columns that say no more than that they point.
var tells = []string{"id", "key", "code", "no", "number", "by", "fk", "ref", "name", "of"}

// Role are the stems of the words that a pointing column has beside those of the table to which it
// points and of its key: "lead" of a lead_tech_id. Empty: it is called as the things are.
func (v *View) Role(c *Column, to *Table) []string {
	var own []string
	for _, text := range append([]string{to.Names.EN, to.Names.ZH}, to.Synonyms...) {
		own = append(own, roleStems(text)...)
	}
	for _, k := range to.Key {
		own = append(own, roleStems(k.Expr)...)
	}
	return slices.DeleteFunc(roleStems(c.Expr), func(s string) bool { return slices.Contains(own, s) || slices.Contains(tells, s) })
}

// roleStems are the stems of the words of a name, Chinese ones without what says that they name.
func roleStems(name string) []string {
	var out []string
	for _, w := range SplitName(name) {
		for _, end := range namingHan {
			if whose, ok := strings.CutSuffix(w, end); ok && whose != "" {
				w = whose
				break
			}
		}
		out = append(out, token.Stem(strings.ToLower(w)))
	}
	return out
}

// ByID finds a table by the id of its entity; nil: there is none.
func (v *View) ByID(id string) *Table {
	for _, t := range v.Tables {
		if t.ID == id {
			return t
		}
	}
	return nil
}
