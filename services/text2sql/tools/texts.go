package tools

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// TextUse is a stored text column that a statement uses as something else: in the order
// of its letters, or cast.
type TextUse struct {
	Table  string `json:"table"` // idc_region.schema.table
	Column string `json:"column"`
	// To is the type that it is cast to, as Presto writes it; empty: it is ordered as
	// text.
	To string `json:"to,omitempty"`
	// Against are the texts that it is compared with by size.
	Against []string `json:"against,omitempty"`
}

// textUses are those of a resolved statement, each once.
func textUses(res *resolve.Resolution) []TextUse {
	var out []TextUse
	add := func(x tree.Expr, to string, against ...tree.Expr) {
		x = tree.Unparen(x)
		if _, plain := x.(*tree.ColumnRef); !plain || !res.TypeOf(x).IsText() {
			return
		}
		from := res.Origins(x)
		if len(from) != 1 {
			return
		}
		use := TextUse{Table: from[0].Table.String(), Column: from[0].Column, To: to}
		for _, a := range against {
			if s, ok := tree.Unparen(a).(*tree.String); ok {
				use.Against = append(use.Against, s.Value)
			}
		}
		if !slices.ContainsFunc(out, func(have TextUse) bool {
			return have.Table == use.Table && have.Column == use.Column && have.To == use.To && slices.Equal(have.Against, use.Against)
		}) {
			out = append(out, use)
		}
	}
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		switch x := n.(type) {
		case *tree.Binary:
			if slices.Contains([]string{tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe}, x.Op) {
				add(x.Left, "", x.Right)
				add(x.Right, "", x.Left)
			}
		case *tree.Between:
			add(x.X, "", x.Low, x.High)
		case *tree.SortItem:
			add(x.Expr, "")
		case *tree.Call:
			if name := x.Name.Key(); (name == "min" || name == "max") && len(x.Args) > 0 {
				add(x.Args[0], "")
			}
		case *tree.Cast:
			to := types.Parse(x.Type.Text)
			if to.IsNumeric() || to.IsTime() || to.Base == types.Date().Base {
				add(x.X, strings.ToLower(x.Type.Text))
			}
		}
		return true
	})
	return out
}
