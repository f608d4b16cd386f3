package semantic

import (
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

var errNotOne = errors.New("it is not exactly one expression")

// ParseExpr reads an expression of a layer: one Presto expression, no query.
func ParseExpr(text string) (tree.Expr, error) {
	stmt, err := parser.Parse("SELECT " + text)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	if stmt.Query == nil {
		return nil, fmt.Errorf("expression %q: %w", text, errNotOne)
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || len(sel.Items) != 1 || len(sel.From) > 0 || sel.Where != nil || len(stmt.Query.OrderBy) > 0 || stmt.Query.Limit != nil {
		return nil, fmt.Errorf("expression %q: %w", text, errNotOne)
	}
	item, ok := sel.Items[0].(*tree.SelectExpr)
	if !ok || item.Alias != nil {
		return nil, fmt.Errorf("expression %q: %w", text, errNotOne)
	}
	return item.Expr, nil
}
