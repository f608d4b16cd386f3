package repair

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// unionEdits give both sides of a set operation the same columns: those of the shorter
// side, where the longer one has all of their names. It leaves columns out, so that it is
// never certain; the candidate fills the shorter side up with NULL.
func unionEdits(e *engine, now *reading) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		op, ok := n.(*tree.SetOp)
		if !ok {
			return true
		}
		left, okLeft := op.Left.(*tree.Select)
		right, okRight := op.Right.(*tree.Select)
		wrong := slices.ContainsFunc(now.diagnostics, func(d resolve.Diagnostic) bool {
			return d.Code == resolve.TypeMismatch && (d.Node == tree.Node(op) || d.Node == tree.Node(op.Right) || d.Node == tree.Node(op.Left))
		})
		if !wrong || !okLeft || !okRight {
			return true
		}
		l, r := now.selectColumns(left), now.selectColumns(right)
		if len(l) == 0 || len(r) == 0 || len(l) == len(r) {
			return true
		}
		long, short, longer, shorter := left, right, l, r
		if len(l) < len(r) {
			long, short, longer, shorter = right, left, r, l
		}
		texts, filled := make([]string, 0, len(shorter)), make([]string, 0, len(longer))
		for _, c := range shorter {
			i := slices.IndexFunc(longer, func(o outColumn) bool { return strings.EqualFold(o.name, c.name) })
			if i < 0 {
				return true
			}
			texts = append(texts, longer[i].text)
		}
		for _, c := range longer {
			text := "NULL"
			if i := slices.IndexFunc(shorter, func(o outColumn) bool { return strings.EqualFold(o.name, c.name) }); i >= 0 {
				text = shorter[i].text
			}
			filled = append(filled, text)
		}
		edits = append(edits, listEdit(long, texts, 0.75))
		if short == right && len(e.candidates) < e.MaxCandidates {
			d := e.draft.clone()
			d.apply([]edit{listEdit(short, filled, 0.5)})
			e.candidates = append(e.candidates, Candidate{Text: d.text, Changes: d.sorted()})
		}
		return true
	})
	return edits
}

func listEdit(sel *tree.Select, items []string, certainty float64) edit {
	start, end := sel.Items[0].Span().Start, sel.Items[len(sel.Items)-1].Span().End
	return edit{start: start, end: end, text: strings.Join(items, ", "), class: "union_columns", certainty: certainty}
}

// outColumn is a column that a SELECT shows, and its text; a star has many.
type outColumn struct{ name, text string }

// selectColumns are the columns of a SELECT; none where a star cannot be told apart.
func (now *reading) selectColumns(sel *tree.Select) []outColumn {
	var out []outColumn
	for _, item := range sel.Items {
		switch item := item.(type) {
		case *tree.SelectExpr:
			c := outColumn{text: item.Span().Text()}
			if ref, ok := item.Expr.(*tree.ColumnRef); ok {
				c.name = ref.Parts[len(ref.Parts)-1].Name
			}
			if item.Alias != nil {
				c.name = item.Alias.Name
			}
			out = append(out, c)
		case *tree.Star:
			relations := now.relations(sel)
			if len(relations) != 1 || item.Qualifier != nil || len(relations[0].columns) == 0 {
				return nil
			}
			for _, name := range relations[0].columns {
				out = append(out, outColumn{name: name, text: printer.Ident(name)})
			}
		}
	}
	return out
}
