package repair

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// recursiveEdits write the names of the columns of a recursive query, which Presto wants
// and other dialects take from its first part.
func recursiveEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		t, ok := d.Node.(*tree.CommonTable)
		if !ok || d.Code != resolve.MissingColumnAliases {
			continue
		}
		first := firstSelect(t.Query.Body)
		if first == nil {
			continue
		}
		var names []string
		for _, c := range now.selectColumns(first) {
			if c.name == "" || containsFold(names, printer.Ident(c.name)) {
				names = nil
				break
			}
			names = append(names, printer.Ident(c.name))
		}
		if len(names) > 0 {
			at := t.Name.Span().End
			edits = append(edits, edit{start: at, end: at, text: "(" + strings.Join(names, ", ") + ")", class: "recursive_names", certainty: 0.95})
		}
	}
	return edits
}

// firstSelect is the leftmost SELECT of a query; nil where VALUES or a table stands there.
func firstSelect(b tree.QueryBody) *tree.Select {
	for {
		switch at := b.(type) {
		case *tree.Select:
			return at
		case *tree.SetOp:
			b = at.Left
		case *tree.ParenQuery:
			b = at.Query.Body
		default:
			return nil
		}
	}
}
