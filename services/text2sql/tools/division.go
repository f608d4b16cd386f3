package tools

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Insertion is a text to put into a statement at a byte of it.
type Insertion struct {
	At   int
	Text string
}

// Insert puts texts into a statement; those of one place in their order.
func Insert(sql string, list []Insertion) string {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Insertion) int { return a.At - b.At })
	var b strings.Builder
	from := 0
	for _, i := range sorted {
		if i.At < from || i.At > len(sql) {
			continue
		}
		b.WriteString(sql[from:i.At])
		b.WriteString(i.Text)
		from = i.At
	}
	b.WriteString(sql[from:])
	return b.String()
}

// exactDivisions make divisions that Presto rounds ones of double: integers divide to
// integers (1/2 is 0), decimals keep the digits of their operands (3*1.0/7 is 0.4), and so
// does their average. An integer that is divided by a written number is left, as 1987/10
// may be meant so.
func exactDivisions(res *resolve.Resolution) []Insertion {
	var opens, closes []Insertion
	tree.Walk(res.Statement(), func(n tree.Node) bool {
		if call, ok := n.(*tree.Call); ok && call.Name.Key() == "avg" && len(call.Args) == 1 && res.TypeOf(call).IsDecimal() {
			at := call.Args[0].Span()
			opens = append(opens, Insertion{at.Start, "CAST("})
			closes = append(closes, Insertion{at.End, " AS double)"})
			return true
		}
		x, ok := n.(*tree.Binary)
		if !ok || x.Op != tree.OpDiv {
			return true
		}
		_, written := tree.Unparen(x.Right).(*tree.Number)
		switch t := res.TypeOf(x); {
		case t.IsDecimal():
		case t.IsInteger() && !written:
		default:
			return true
		}
		left, right := x.Left.Span(), x.Right.Span()
		opens = append(opens, Insertion{left.Start, "CAST("})
		closes = append(closes, Insertion{left.End, " AS double)"})
		if !written && !isNullif(x.Right) { // a double divided by 0 is Infinity
			opens = append(opens, Insertion{right.Start, "nullif("})
			closes = append(closes, Insertion{right.End, ", 0)"})
		}
		return true
	})
	slices.Reverse(closes) // what was opened last is closed first
	return append(opens, closes...)
}

func isNullif(x tree.Expr) bool {
	call, ok := tree.Unparen(x).(*tree.Call)
	return ok && call.Name.Key() == "nullif"
}
