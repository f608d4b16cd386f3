package repair

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Error classes of what only an engine finds.
const (
	classDivision = "DIVISION_BY_ZERO"
	classCast     = "INVALID_CAST_ARGUMENT"
)

// runtimeEdits repair what only the engine finds, in a statement that is valid as
// it is: they are made only when the error text names the class.
func runtimeEdits(stmt *tree.Statement, class string) []edit {
	var edits []edit
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if class == classDivision && (n.Op == tree.OpDiv || n.Op == tree.OpMod) && !safeDivisor(n.Right) {
				s := n.Right.Span()
				edits = append(edits, edit{start: s.Start, end: s.End, text: "nullif(" + s.Text() + ", 0)", class: "nullif", certainty: 0.85})
				return true
			}
		case *tree.Cast:
			if class == classCast && !n.Try {
				s := n.Span()
				edits = append(edits, edit{start: s.Start, end: s.Start + len("CAST"), text: "TRY_CAST", class: "try_cast", certainty: 0.8})
			}
		}
		return true
	})
	return edits
}

// safeDivisor reports a literal, or what nullif already guards.
func safeDivisor(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.Number:
		return true
	case *tree.Paren:
		return safeDivisor(x.X)
	case *tree.Call:
		return x.Name.Key() == "nullif"
	}
	return false
}
