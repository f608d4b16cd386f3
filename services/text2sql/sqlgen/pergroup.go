package sqlgen

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Names inside a query that keeps the first rows of each group.
const (
	placeName  = "place_no"
	placeAlias = "ranked"
)

// perGroup keeps the first rows of each of the intent's LimitPer: rows get their
// place among those of their group, and a second query cuts. Rows that share the
// last place all stay.
func (g *Generator) perGroup(in *intent.Intent) (*tree.Query, error) {
	if len(in.OrderBy) == 0 || in.Limit <= 0 || in.Set != nil || in.Distinct {
		return nil, fmt.Errorf("%w: first rows of each group without an order", ErrShape)
	}
	if in.Counted {
		return nil, fmt.Errorf("%w: a count of the first rows of each group", ErrShape)
	}
	w := &writer{g: g, in: in}
	inner, err := w.sel()
	if err != nil {
		return nil, err
	}
	window := &tree.Window{}
	for _, f := range in.LimitPer {
		x, err := w.field(f)
		if err != nil {
			return nil, err
		}
		window.PartitionBy = append(window.PartitionBy, x)
	}
	for _, o := range in.OrderBy {
		x, err := w.output(o.By)
		if err != nil {
			return nil, err
		}
		window.OrderBy = append(window.OrderBy, tree.By(x, o.Desc))
	}
	place := tree.Fn("rank")
	place.Over = &tree.Over{Spec: window}
	outer := &tree.Select{Where: tree.Op(tree.OpLe, tree.Col(placeName), tree.Int(in.Limit))}
	names := g.Columns(in)
	for i, item := range inner.Items {
		if x, ok := item.(*tree.SelectExpr); ok {
			inner.Items[i] = tree.Item(x.Expr, names[i])
		}
		outer.Items = append(outer.Items, tree.Item(tree.Col(names[i]), ""))
	}
	inner.Items = append(inner.Items, tree.Item(place, placeName))
	outer.From = []tree.Relation{tree.Alias(&tree.Derived{Query: tree.QueryOf(inner)}, placeAlias)}
	q := tree.QueryOf(outer)
	for _, f := range in.LimitPer {
		for i, o := range in.Select {
			if o.Field == f && o.Agg == intent.AggNone {
				q.OrderBy = append(q.OrderBy, tree.By(tree.Col(names[i]), false))
			}
		}
	}
	q.OrderBy = append(q.OrderBy, tree.By(tree.Col(placeName), false))
	return q, nil
}
