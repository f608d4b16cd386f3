package parser

import (
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) query(ctx grammar.IQueryContext) *tree.Query {
	q := c.queryNoWith(ctx.QueryNoWith())
	if with := ctx.With(); with != nil {
		q.Meta = c.at(ctx)
		q.With = c.with(with)
	}
	return q
}

func (c *converter) with(ctx grammar.IWithContext) *tree.With {
	w := &tree.With{Meta: c.at(ctx), Recursive: ctx.RECURSIVE_() != nil}
	for _, n := range ctx.AllNamedQuery() {
		w.Queries = append(w.Queries, &tree.CommonTable{
			Meta: c.at(n), Name: c.identifier(n.GetName()), Columns: c.aliases(n.ColumnAliases()), Query: c.query(n.Query()),
		})
	}
	return w
}

func (c *converter) queryNoWith(ctx grammar.IQueryNoWithContext) *tree.Query {
	q := &tree.Query{Meta: c.at(ctx), Body: c.body(ctx.QueryTerm()), OrderBy: c.sortItems(ctx.AllSortItem())}
	if o := ctx.GetOffset(); o != nil {
		q.Offset = c.rowCount(o)
	}
	switch {
	case ctx.LIMIT_() != nil:
		q.Limit = &tree.Limit{Meta: tree.At(c.spanOf(ctx.LIMIT_().GetSymbol(), ctx.GetLimit().GetStop()))}
		if count := ctx.GetLimit().RowCount(); count != nil {
			q.Limit.Count = c.rowCount(count)
		}
	case ctx.FETCH_() != nil:
		q.Limit = &tree.Limit{
			Meta:  tree.At(c.spanOf(ctx.FETCH_().GetSymbol(), ctx.GetStop())),
			Fetch: true, WithTies: ctx.TIES_() != nil,
		}
		if count := ctx.GetFetchFirst(); count != nil {
			q.Limit.Count = c.rowCount(count)
		}
	}
	return q
}

func (c *converter) rowCount(ctx grammar.IRowCountContext) tree.Expr {
	if ctx.QUESTION_MARK_() != nil {
		return &tree.Param{Meta: c.at(ctx)}
	}
	return &tree.Number{Meta: c.at(ctx), Text: ctx.GetText()}
}

func (c *converter) sortItems(ctxs []grammar.ISortItemContext) []*tree.SortItem {
	var items []*tree.SortItem
	for _, ctx := range ctxs {
		item := &tree.SortItem{Meta: c.at(ctx), Expr: c.expr(ctx.Expression()), Desc: ctx.DESC_() != nil, Asc: ctx.ASC_() != nil}
		switch {
		case ctx.FIRST_() != nil:
			item.Nulls = "FIRST"
		case ctx.LAST_() != nil:
			item.Nulls = "LAST"
		}
		items = append(items, item)
	}
	return items
}

func (c *converter) body(ctx grammar.IQueryTermContext) tree.QueryBody {
	switch ctx := ctx.(type) {
	case *grammar.QueryTermDefaultContext:
		return c.primaryQuery(ctx.QueryPrimary())
	case *grammar.SetOperationContext:
		op := "UNION"
		switch {
		case ctx.INTERSECT_() != nil:
			op = "INTERSECT"
		case ctx.EXCEPT_() != nil:
			op = "EXCEPT"
		}
		return &tree.SetOp{
			Meta: c.at(ctx), Op: op, Quantifier: quantifier(ctx.SetQuantifier()),
			Left: c.body(ctx.GetLeft()), Right: c.body(ctx.GetRight()),
		}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Select{}
}

func (c *converter) primaryQuery(ctx grammar.IQueryPrimaryContext) tree.QueryBody {
	switch ctx := ctx.(type) {
	case *grammar.QueryPrimaryDefaultContext:
		return c.selectQuery(ctx.QuerySpecification())
	case *grammar.TableContext:
		return &tree.TableQuery{Meta: c.at(ctx), Table: &tree.Table{Meta: c.at(ctx.QualifiedName()), Name: c.name(ctx.QualifiedName())}}
	case *grammar.InlineTableContext:
		return &tree.Values{Meta: c.at(ctx), Rows: c.exprs(ctx.AllExpression())}
	case *grammar.SubqueryContext:
		return &tree.ParenQuery{Meta: c.at(ctx), Query: c.queryNoWith(ctx.QueryNoWith())}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Select{}
}

func (c *converter) selectQuery(ctx grammar.IQuerySpecificationContext) tree.QueryBody {
	s := &tree.Select{Meta: c.at(ctx), Quantifier: quantifier(ctx.SetQuantifier())}
	for _, item := range ctx.AllSelectItem() {
		s.Items = append(s.Items, c.selectItem(item))
	}
	for _, r := range ctx.AllRelation() {
		s.From = append(s.From, c.relation(r))
	}
	if w := ctx.GetWhere(); w != nil {
		s.Where = c.boolean(w)
	}
	if g := ctx.GroupBy(); g != nil {
		s.GroupBy = c.groupBy(g)
	}
	if h := ctx.GetHaving(); h != nil {
		s.Having = c.boolean(h)
	}
	for _, w := range ctx.AllWindowDefinition() {
		s.Windows = append(s.Windows, &tree.NamedWindow{Meta: c.at(w), Name: c.identifier(w.GetName()), Spec: c.window(w.WindowSpecification())})
	}
	return s
}

func (c *converter) selectItem(ctx grammar.ISelectItemContext) tree.SelectItem {
	switch ctx := ctx.(type) {
	case *grammar.SelectSingleContext:
		item := &tree.SelectExpr{Meta: c.at(ctx), Expr: c.expr(ctx.Expression())}
		if a := ctx.As_column_alias(); a != nil {
			item.Alias = c.identifier(a.Column_alias().Identifier())
		}
		return item
	case *grammar.SelectAllContext:
		star := &tree.Star{Meta: c.at(ctx), Aliases: c.aliases(ctx.ColumnAliases())}
		if p := ctx.PrimaryExpression(); p != nil {
			star.Qualifier = c.primary(p)
		}
		return star
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Star{}
}

func (c *converter) groupBy(ctx grammar.IGroupByContext) *tree.GroupBy {
	g := &tree.GroupBy{Meta: c.at(ctx), Quantifier: quantifier(ctx.SetQuantifier())}
	for _, e := range ctx.AllGroupingElement() {
		g.Elements = append(g.Elements, c.groupingElement(e))
	}
	return g
}

func (c *converter) groupingElement(ctx grammar.IGroupingElementContext) *tree.GroupingElement {
	e := &tree.GroupingElement{Meta: c.at(ctx)}
	switch ctx := ctx.(type) {
	case *grammar.SingleGroupingSetContext:
		e.Sets = []*tree.GroupingSet{c.groupingSet(ctx.GroupingSet())}
	case *grammar.RollupContext:
		e.Kind, e.Sets = tree.GroupingRollup, c.singleSets(ctx.AllExpression())
	case *grammar.CubeContext:
		e.Kind, e.Sets = tree.GroupingCube, c.singleSets(ctx.AllExpression())
	case *grammar.MultipleGroupingSetsContext:
		e.Kind = tree.GroupingSets
		for _, s := range ctx.AllGroupingSet() {
			e.Sets = append(e.Sets, c.groupingSet(s))
		}
	default:
		c.unsupported(ctx, ruleName(ctx))
	}
	return e
}

func (c *converter) singleSets(ctxs []grammar.IExpressionContext) []*tree.GroupingSet {
	var sets []*tree.GroupingSet
	for _, ctx := range ctxs {
		sets = append(sets, &tree.GroupingSet{Meta: c.at(ctx), Exprs: []tree.Expr{c.expr(ctx)}})
	}
	return sets
}

func (c *converter) groupingSet(ctx grammar.IGroupingSetContext) *tree.GroupingSet {
	return &tree.GroupingSet{Meta: c.at(ctx), Exprs: c.exprs(ctx.AllExpression()), Parens: ctx.LPAREN_() != nil}
}
