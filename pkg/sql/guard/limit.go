package guard

import (
	"fmt"
	"strconv"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// limit bounds the rows of the outermost query. It returns the statement, what
// was changed (nil: nothing), and the number at which its rows are cut.
func (g *Guard) limit(stmt *tree.Statement) (*tree.Statement, *Change, int64) {
	q := stmt.Query
	if q.Limit == nil {
		if oneRow(q) {
			return stmt, nil, 1
		}
		return stmt.WithQuery(q.WithLimit(tree.LimitTo(g.config.DefaultLimit))),
			&Change{Rule: RuleLimit, Message: fmt.Sprintf("added LIMIT %d", g.config.DefaultLimit)}, g.config.DefaultLimit
	}
	written := "ALL"
	if n, ok := q.Limit.Count.(*tree.Number); ok {
		written = n.Text
		if count, err := strconv.ParseInt(n.Text, 10, 64); err == nil && count <= g.config.MaxLimit {
			return stmt, nil, count
		}
	} else if q.Limit.Fetch {
		return stmt, nil, 1
	}
	lowered := tree.LimitTo(g.config.MaxLimit)
	lowered.Fetch, lowered.WithTies = q.Limit.Fetch, q.Limit.WithTies
	return stmt.WithQuery(q.WithLimit(lowered)),
		&Change{Rule: RuleLimit, Message: fmt.Sprintf("lowered LIMIT %s to %d", written, g.config.MaxLimit)}, g.config.MaxLimit
}

// oneRow reports a query that cannot return more than one row: a SELECT of
// aggregates without GROUP BY, or without FROM.
func oneRow(q *tree.Query) bool {
	s, ok := q.Body.(*tree.Select)
	if !ok || s.GroupBy != nil {
		return false
	}
	if len(s.From) == 0 {
		return true
	}
	for _, item := range s.Items {
		e, ok := item.(*tree.SelectExpr)
		if !ok {
			return false
		}
		if c, ok := e.Expr.(*tree.Call); ok && c.Over == nil {
			if kind, ok := resolve.FunctionKind(c.Name.Key()); ok && kind == resolve.KindAggregate {
				return true // one aggregate makes all of the SELECT one row
			}
		}
	}
	return false
}
