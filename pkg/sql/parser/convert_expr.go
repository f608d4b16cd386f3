package parser

import (
	"strings"

	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) exprs(ctxs []grammar.IExpressionContext) []tree.Expr {
	var out []tree.Expr
	for _, ctx := range ctxs {
		out = append(out, c.expr(ctx))
	}
	return out
}

func (c *converter) expr(ctx grammar.IExpressionContext) tree.Expr {
	return c.boolean(ctx.BooleanExpression())
}

func (c *converter) boolean(ctx grammar.IBooleanExpressionContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.PredicatedContext:
		x := c.value(ctx.ValueExpression())
		if p := ctx.Predicate_(); p != nil {
			return c.predicate(c.at(ctx), x, p)
		}
		return x
	case *grammar.LogicalNotContext:
		return &tree.Not{Meta: c.at(ctx), X: c.boolean(ctx.BooleanExpression())}
	case *grammar.AndContext:
		return &tree.Binary{Meta: c.at(ctx), Op: tree.OpAnd, Left: c.boolean(ctx.BooleanExpression(0)), Right: c.boolean(ctx.BooleanExpression(1))}
	case *grammar.OrContext:
		return &tree.Binary{Meta: c.at(ctx), Op: tree.OpOr, Left: c.boolean(ctx.BooleanExpression(0)), Right: c.boolean(ctx.BooleanExpression(1))}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Null{}
}

func (c *converter) predicate(at tree.Meta, x tree.Expr, ctx grammar.IPredicate_Context) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.ComparisonContext:
		return &tree.Binary{Meta: at, Op: comparison(ctx.ComparisonOperator()), Left: x, Right: c.value(ctx.GetRight())}
	case *grammar.QuantifiedComparisonContext:
		return &tree.Quantified{
			Meta: at, X: x, Op: comparison(ctx.ComparisonOperator()),
			Quantifier: strings.ToUpper(ctx.ComparisonQuantifier().GetText()), Query: c.query(ctx.Query()),
		}
	case *grammar.BetweenContext:
		return &tree.Between{Meta: at, X: x, Low: c.value(ctx.GetLower()), High: c.value(ctx.GetUpper()), Not: ctx.NOT_() != nil}
	case *grammar.InListContext:
		return &tree.InList{Meta: at, X: x, List: c.exprs(ctx.AllExpression()), Not: ctx.NOT_() != nil}
	case *grammar.InSubqueryContext:
		return &tree.InQuery{Meta: at, X: x, Query: c.query(ctx.Query()), Not: ctx.NOT_() != nil}
	case *grammar.LikeContext:
		l := &tree.Like{Meta: at, X: x, Pattern: c.value(ctx.GetPattern()), Not: ctx.NOT_() != nil}
		if e := ctx.GetEscape(); e != nil {
			l.Escape = c.value(e)
		}
		return l
	case *grammar.NullPredicateContext:
		return &tree.IsNull{Meta: at, X: x, Not: ctx.NOT_() != nil}
	case *grammar.DistinctFromContext:
		op := tree.OpDistinct
		if ctx.NOT_() != nil {
			op = tree.OpNotDistinct
		}
		return &tree.Binary{Meta: at, Op: op, Left: x, Right: c.value(ctx.GetRight())}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Null{}
}

func comparison(ctx grammar.IComparisonOperatorContext) string {
	if op := ctx.GetText(); op != "!=" {
		return op
	}
	return tree.OpNe
}

func (c *converter) value(ctx grammar.IValueExpressionContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.ValueExpressionDefaultContext:
		return c.primary(ctx.PrimaryExpression())
	case *grammar.AtTimeZoneContext:
		return &tree.AtTimeZone{Meta: c.at(ctx), X: c.value(ctx.ValueExpression()), Zone: c.zone(ctx.TimeZoneSpecifier())}
	case *grammar.ArithmeticUnaryContext:
		return &tree.Unary{Meta: c.at(ctx), Op: ctx.GetOperator().GetText(), X: c.value(ctx.ValueExpression())}
	case *grammar.ArithmeticBinaryContext:
		return &tree.Binary{Meta: c.at(ctx), Op: ctx.GetOperator().GetText(), Left: c.value(ctx.GetLeft()), Right: c.value(ctx.GetRight())}
	case *grammar.ConcatenationContext:
		return &tree.Binary{Meta: c.at(ctx), Op: tree.OpConcat, Left: c.value(ctx.GetLeft()), Right: c.value(ctx.GetRight())}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Null{}
}

func (c *converter) zone(ctx grammar.ITimeZoneSpecifierContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.TimeZoneIntervalContext:
		return c.interval(ctx.Interval())
	case *grammar.TimeZoneStringContext:
		return c.str(ctx.String_())
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Null{}
}

func (c *converter) caseWhens(ctxs []grammar.IWhenClauseContext) []*tree.When {
	var whens []*tree.When
	for _, w := range ctxs {
		whens = append(whens, &tree.When{Meta: c.at(w), Cond: c.expr(w.GetCondition()), Result: c.expr(w.GetResult())})
	}
	return whens
}

func (c *converter) call(ctx *grammar.FunctionCallContext) tree.Expr {
	if m := ctx.ProcessingMode(); m != nil {
		c.unsupported(m, strings.ToUpper(m.GetText())+" semantics of row pattern recognition")
	}
	call := &tree.Call{
		Meta: c.at(ctx), Name: c.name(ctx.QualifiedName()), Quantifier: quantifier(ctx.SetQuantifier()),
		Args: c.exprs(ctx.AllExpression()), OrderBy: c.sortItems(ctx.AllSortItem()),
		Star: ctx.ASTERISK_() != nil, Over: c.over(ctx.Over()),
	}
	if ctx.GetLabel() != nil {
		c.unsupported(ctx, "a row pattern's label in a call")
	}
	if f := ctx.Filter(); f != nil {
		call.Filter = c.boolean(f.BooleanExpression())
	}
	if n := ctx.NullTreatment(); n != nil {
		call.Nulls = "RESPECT"
		if n.IGNORE_() != nil {
			call.Nulls = "IGNORE"
		}
	}
	return call
}

func (c *converter) listAgg(ctx *grammar.ListaggContext) tree.Expr {
	l := &tree.ListAgg{
		Meta: c.at(ctx), Quantifier: quantifier(ctx.SetQuantifier()), X: c.expr(ctx.Expression()), OrderBy: c.sortItems(ctx.AllSortItem()),
	}
	if s := ctx.String_(); s != nil {
		l.Separator = c.str(s)
	}
	if o := ctx.ListAggOverflowBehavior(); o != nil {
		l.Overflow = c.span(o).Text()
	}
	if f := ctx.Filter(); f != nil {
		l.Filter = c.boolean(f.BooleanExpression())
	}
	return l
}
