package guard

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// partitions refuses a query that does not restrict a partition column where the
// policy demands it. It looks for a comparison that names the column; proofs come
// from the cost model.
func (g *Guard) partitions(r *resolve.Resolution) *Refusal {
	policy, ok := g.config.Policy.(PartitionPolicy)
	if !ok {
		return nil
	}
	restricted := map[resolve.Origin]bool{}
	var refusal *Refusal
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			restrict(r, n.Where, restricted)
		case *tree.Join:
			restrict(r, n.On, restricted)
		}
		return true
	})
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok || refusal != nil {
			return refusal == nil
		}
		if table, ok := r.Stored(t); ok {
			if missing := unrestricted(table, policy.RequiredPartitions(table), restricted); missing != nil {
				line, column := t.Span().Position()
				refusal = &Refusal{
					Rule: "partitions", Code: CodePartitionRequired, Line: line, Column: column,
					Message: fmt.Sprintf("%s is read whole: add a condition on %s", table.Name, strings.Join(missing, " or ")),
				}
			}
		}
		return true
	})
	return refusal
}

// restrict notes the columns that conditions joined by AND compare.
func restrict(r *resolve.Resolution, cond tree.Expr, into map[resolve.Origin]bool) {
	note := func(x tree.Expr) {
		for _, o := range r.Origins(x) {
			into[o] = true
		}
	}
	switch c := cond.(type) {
	case *tree.Paren:
		restrict(r, c.X, into)
	case *tree.Binary:
		switch c.Op {
		case tree.OpAnd:
			restrict(r, c.Left, into)
			restrict(r, c.Right, into)
		case tree.OpEq, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe:
			note(c.Left)
			note(c.Right)
		}
	case *tree.Between:
		if !c.Not {
			note(c.X)
		}
	case *tree.InList:
		if !c.Not {
			note(c.X)
		}
	case *tree.InQuery:
		if !c.Not {
			note(c.X)
		}
	}
}

func unrestricted(table *catalog.Table, required []string, restricted map[resolve.Origin]bool) []string {
	for _, column := range required {
		if c, ok := table.Column(column); ok && restricted[resolve.Origin{Table: table.Name, Column: c.Name}] {
			return nil
		}
	}
	return required
}
