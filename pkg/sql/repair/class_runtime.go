package repair

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Error classes of what only an engine finds.
const (
	classDivision = "DIVISION_BY_ZERO"
	classCast     = "INVALID_CAST_ARGUMENT"
	classRange    = "NUMERIC_VALUE_OUT_OF_RANGE"
	classManyRows = "SUBQUERY_MULTIPLE_ROWS"
)

// runtimeEdits repair what only the engine finds, in a statement that is valid as
// it is: they are made only when the error text names the class.
func runtimeEdits(now *reading, class string) []edit {
	var edits []edit
	tree.Walk(now.stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if e, ok := now.widened(n); ok && class == classRange {
				edits = append(edits, e)
				return false
			}
			if q, ok := n.Right.(*tree.ScalarQuery); ok && class == classManyRows && n.Op == tree.OpEq {
				start, end := n.Left.Span().End, q.Span().Start
				edits = append(edits, edit{start: start, end: end, text: " IN ", class: "in_subquery", certainty: 0.8})
				return true
			}
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

// widened gives arithmetic of integers the next wider type, which holds the same values:
// what overflowed is what was written.
func (now *reading) widened(n *tree.Binary) (edit, bool) {
	switch n.Op {
	case tree.OpAdd, tree.OpSub, tree.OpMul:
	default:
		return edit{}, false
	}
	left, right := now.resolution.TypeOf(n.Left), now.resolution.TypeOf(n.Right)
	if !left.IsInteger() || !right.IsInteger() {
		return edit{}, false
	}
	wider := "bigint"
	if left.Base == "bigint" || right.Base == "bigint" {
		wider = "decimal(38, 0)"
	}
	s := n.Left.Span()
	return edit{start: s.Start, end: s.End, text: "CAST(" + s.Text() + " AS " + wider + ")", class: "widen", certainty: 0.93}, true
}

// bigNumberEdits write whole numbers that no integer type holds as decimals.
func bigNumberEdits(text string) []edit {
	const mostDigits = 38 // of a decimal
	var edits []edit
	for _, w := range parser.Words(text) {
		word := text[w.Start:w.End]
		if len(word) < 19 || len(word) > mostDigits || strings.Trim(word, "0123456789") != "" {
			continue
		}
		if _, err := strconv.ParseInt(word, 10, 64); err != nil {
			edits = append(edits, edit{start: w.Start, end: w.End, text: "DECIMAL '" + word + "'", class: "big_number", certainty: 0.95})
		}
	}
	return edits
}
