package repair

import (
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// aliasEdits give a relation the alias that columns use: nothing has that alias, one
// relation of the FROM clause is named by no column, and it has all those columns.
func (now *reading) aliasEdits() []edit {
	unknown := map[string][]*tree.ColumnRef{}
	for _, ref := range now.unknownColumns() {
		if len(ref.Parts) == 2 {
			q := ref.Parts[0].Key()
			unknown[q] = append(unknown[q], ref)
		}
	}
	used := map[string]bool{}
	tree.Walk(now.stmt, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && len(ref.Parts) > 1 {
			used[ref.Parts[len(ref.Parts)-2].Key()] = true
		}
		return true
	})
	var edits []edit
	for _, q := range slices.Sorted(maps.Keys(unknown)) {
		refs := unknown[q]
		sels := now.selectsAround(refs[0])
		if len(sels) == 0 {
			continue
		}
		relations := now.relations(sels[0])
		var idle []seen
		for _, s := range relations {
			if strings.EqualFold(s.name, q) || strings.EqualFold(s.table, q) {
				idle = nil // the alias is there: the column is not
				break
			}
			if s.alias != nil && !used[strings.ToLower(s.name)] {
				idle = append(idle, s)
			}
		}
		if len(idle) != 1 || slices.ContainsFunc(refs, func(r *tree.ColumnRef) bool { return !idle[0].has(r.Parts[1].Name) }) {
			continue
		}
		span := idle[0].alias.Span()
		edits = append(edits, edit{start: span.Start, end: span.End, text: refs[0].Parts[0].Span().Text(), class: "alias_name", certainty: 0.93})
	}
	return edits
}
