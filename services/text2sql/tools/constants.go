package tools

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Constant is a text that a statement compares with a stored column.
type Constant struct {
	Table  string `json:"table"` // idc_region.schema.table
	Column string `json:"column"`
	Value  string `json:"value"`
	// Not tells that rows with the value are left out.
	Not bool `json:"not,omitempty"`
	// Span is where it stands in the statement's text, quotes included.
	Span tree.Span `json:"-"`
}

// constants are the texts that a resolved statement compares with columns for
// equality. res belongs to another tree than stmt where the guard changed it: the
// tree of res is looked at.
func constants(res *resolve.Resolution) []Constant {
	var out []Constant
	add := func(column, literal tree.Expr, not bool) {
		text, ok := unwrapped(literal).(*tree.String)
		if !ok {
			return
		}
		if _, plain := unwrapped(column).(*tree.ColumnRef); !plain {
			return
		}
		if from := res.Origins(unwrapped(column)); len(from) == 1 {
			out = append(out, Constant{Table: from[0].Table.String(), Column: from[0].Column, Value: text.Value, Not: not, Span: text.Span()})
		}
	}
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Binary:
			if slices.Contains([]string{tree.OpEq, tree.OpNe}, x.Op) {
				add(x.Left, x.Right, x.Op == tree.OpNe)
				add(x.Right, x.Left, x.Op == tree.OpNe)
			}
		case *tree.InList:
			for _, item := range x.List {
				add(x.X, item, x.Not)
			}
		}
		return true
	})
	return out
}

func unwrapped(x tree.Expr) tree.Expr {
	for {
		p, ok := x.(*tree.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}
