package team

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// exactMedian writes approx_percentile(x, 0.5) of a model's statement as the exact median
// where no table that it reads has more rows than the rules compute one of: the embedded
// engine has no approximate one over stored tables, and nobody asked for one that is about
// right.
func (b *Board) exactMedian(sql string, stmt *tree.Statement, tables []string) (string, bool) {
	if !approximates(stmt) || !b.fewRows(tables) {
		return "", false
	}
	own, err := parser.Parse(sql) // the statement that was validated has names and rights resolved
	if err != nil {
		return "", false
	}
	changed := false
	exact, err := tree.Rewrite(own, func(n tree.Node) tree.Node {
		if x := middleOf(n); x != nil {
			changed = true
			return sqlgen.ExactMedian(x)
		}
		return n
	})
	if err != nil || !changed {
		return "", false
	}
	return printer.Print(exact), true
}

// approximates reports a statement that has an approximate median.
func approximates(stmt *tree.Statement) (found bool) {
	if stmt == nil {
		return false
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		found = found || middleOf(n) != nil
		return !found
	})
	return found
}

// middleOf is what an approximate median is of; nil where a node is none, or one over a
// window or of some rows only.
func middleOf(n tree.Node) tree.Expr {
	call, ok := n.(*tree.Call)
	if !ok || call.Name.Key() != "approx_percentile" || len(call.Args) != 2 || call.Over != nil || call.Filter != nil || call.Quantifier != "" || len(call.OrderBy) > 0 {
		return nil
	}
	if q, ok := call.Args[1].(*tree.Number); !ok || strings.Trim(q.Text, "0") != ".5" {
		return nil
	}
	return call.Args[0]
}

// fewRows reports tables of which each is known to have few enough rows.
func (b *Board) fewRows(tables []string) bool {
	return len(tables) > 0 && !slices.ContainsFunc(tables, func(name string) bool {
		for i := range b.Task.Tables {
			if t := &b.Task.Tables[i]; strings.EqualFold(t.Name.String(), name) {
				return t.RowCount < 0 || t.RowCount > sqlgen.MaxExactMedian
			}
		}
		return true
	})
}
