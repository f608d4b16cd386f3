package eval

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// constructsOf names what a statement is made of, for figures by construct:
// "expression" where it is nothing but a SELECT of values, "unread" where the
// parser does not read it.
func constructsOf(text string) []string {
	statement, err := parser.Parse(text)
	if err != nil {
		return []string{"unread"}
	}
	if statement.Query == nil {
		return []string{"not_a_query"}
	}
	var found []string
	tree.Walk(statement.Query, func(n tree.Node) bool {
		if c := constructOf(n); c != "" {
			found = append(found, c)
		}
		return true
	})
	if len(found) == 0 {
		return []string{"expression"}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func constructOf(n tree.Node) string {
	switch n := n.(type) {
	case *tree.With:
		if n.Recursive {
			return "recursive"
		}
		return "with"
	case *tree.Over:
		return "window"
	case *tree.GroupBy:
		return "group_by"
	case *tree.GroupingElement:
		if n.Kind != tree.GroupingSimple {
			return "grouping_sets"
		}
	case *tree.SetOp:
		return "set_operation"
	case *tree.Join:
		return "join"
	case *tree.Unnest:
		return "unnest"
	case *tree.Lateral:
		return "lateral"
	case *tree.Values:
		return "values"
	case *tree.Derived, *tree.ScalarQuery, *tree.Exists, *tree.InQuery, *tree.Quantified:
		return "subquery"
	case *tree.Lambda:
		return "lambda"
	case *tree.Array, *tree.Row, *tree.Subscript:
		return "nested_value"
	case *tree.Cast:
		return "cast"
	case *tree.Interval:
		return "interval"
	case *tree.Limit:
		return "limit"
	}
	return ""
}
