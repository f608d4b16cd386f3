package parser

import (
	"strings"

	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) relation(ctx grammar.IRelationContext) tree.Relation {
	switch ctx := ctx.(type) {
	case *grammar.RelationDefaultContext:
		return c.sampled(ctx.SampledRelation())
	case *grammar.JoinRelationContext:
		return c.join(ctx)
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Table{}
}

func (c *converter) join(ctx *grammar.JoinRelationContext) tree.Relation {
	j := &tree.Join{Meta: c.at(ctx), Left: c.relation(ctx.GetLeft()), Natural: ctx.NATURAL_() != nil}
	if right := ctx.GetRight(); right != nil {
		j.Right = c.sampled(right)
	} else {
		j.Right = c.relation(ctx.GetRightRelation())
	}
	if ctx.CROSS_() != nil {
		j.Kind = tree.JoinCross
		return j
	}
	j.Kind = tree.JoinInner
	switch kind := ctx.JoinType(); {
	case kind.LEFT_() != nil:
		j.Kind = tree.JoinLeft
	case kind.RIGHT_() != nil:
		j.Kind = tree.JoinRight
	case kind.FULL_() != nil:
		j.Kind = tree.JoinFull
	}
	if on := ctx.JoinCriteria(); on != nil {
		if on.ON_() != nil {
			j.On = c.boolean(on.BooleanExpression())
		} else {
			j.Using = c.identifiers(on.AllIdentifier())
		}
	}
	return j
}

func (c *converter) sampled(ctx grammar.ISampledRelationContext) tree.Relation {
	pattern := ctx.PatternRecognition()
	if pattern.MATCH_RECOGNIZE_() != nil {
		c.unsupported(pattern, "MATCH_RECOGNIZE")
		return &tree.Table{}
	}
	r := c.aliased(pattern.AliasedRelation())
	if ctx.TABLESAMPLE_() == nil {
		return r
	}
	return &tree.Sampled{
		Meta: c.at(ctx), Relation: r, Method: strings.ToUpper(ctx.SampleType().GetText()), Percentage: c.expr(ctx.GetPercentage()),
	}
}

func (c *converter) aliased(ctx grammar.IAliasedRelationContext) tree.Relation {
	r := c.primaryRelation(ctx.RelationPrimary())
	if ctx.Identifier() == nil {
		return r
	}
	return &tree.Aliased{Meta: c.at(ctx), Relation: r, Alias: c.identifier(ctx.Identifier()), Columns: c.aliases(ctx.ColumnAliases())}
}

func (c *converter) primaryRelation(ctx grammar.IRelationPrimaryContext) tree.Relation {
	switch ctx := ctx.(type) {
	case *grammar.TableNameContext:
		if p := ctx.QueryPeriod(); p != nil {
			c.unsupported(p, "FOR TIMESTAMP AS OF and FOR VERSION AS OF")
		}
		return &tree.Table{Meta: c.at(ctx), Name: c.name(ctx.QualifiedName())}
	case *grammar.SubqueryRelationContext:
		return &tree.Derived{Meta: c.at(ctx), Query: c.query(ctx.Query())}
	case *grammar.UnnestContext:
		return &tree.Unnest{Meta: c.at(ctx), Exprs: c.exprs(ctx.AllExpression()), Ordinality: ctx.ORDINALITY_() != nil}
	case *grammar.LateralContext:
		return &tree.Lateral{Meta: c.at(ctx), Query: c.query(ctx.Query())}
	case *grammar.TableFunctionInvocationContext:
		return &tree.TableFunction{Meta: c.at(ctx), Name: c.name(ctx.TableFunctionCall().QualifiedName())}
	case *grammar.ParenthesizedRelationContext:
		return &tree.ParenRelation{Meta: c.at(ctx), Relation: c.relation(ctx.Relation())}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Table{}
}

func (c *converter) over(ctx grammar.IOverContext) *tree.Over {
	if ctx == nil {
		return nil
	}
	if name := ctx.GetWindowName(); name != nil {
		return &tree.Over{Meta: c.at(ctx), Name: c.identifier(name)}
	}
	return &tree.Over{Meta: c.at(ctx), Spec: c.window(ctx.WindowSpecification())}
}

func (c *converter) window(ctx grammar.IWindowSpecificationContext) *tree.Window {
	w := &tree.Window{Meta: c.at(ctx), PartitionBy: c.exprs(ctx.GetPartition()), OrderBy: c.sortItems(ctx.AllSortItem())}
	if base := ctx.GetExistingWindowName(); base != nil {
		w.Base = c.identifier(base)
	}
	if f := ctx.WindowFrame(); f != nil {
		if f.PATTERN_() != nil || f.MEASURES_() != nil || f.DEFINE_() != nil || f.SUBSET_() != nil || f.AFTER_() != nil ||
			f.INITIAL_() != nil || f.SEEK_() != nil {
			c.unsupported(f, "row pattern recognition in a window")
		}
		w.Frame = c.frame(f.FrameExtent())
	}
	return w
}

func (c *converter) frame(ctx grammar.IFrameExtentContext) *tree.Frame {
	f := &tree.Frame{Meta: c.at(ctx), Unit: strings.ToUpper(ctx.GetFrameType().GetText()), Start: c.bound(ctx.GetStart_())}
	if end := ctx.GetEnd_(); end != nil {
		f.End = c.bound(end)
	}
	return f
}

func (c *converter) bound(ctx grammar.IFrameBoundContext) *tree.Bound {
	b := &tree.Bound{Meta: c.at(ctx)}
	switch ctx := ctx.(type) {
	case *grammar.UnboundedFrameContext:
		b.Kind = "UNBOUNDED " + strings.ToUpper(ctx.GetBoundType().GetText())
	case *grammar.CurrentRowBoundContext:
		b.Kind = "CURRENT ROW"
	case *grammar.BoundedFrameContext:
		b.Kind, b.X = strings.ToUpper(ctx.GetBoundType().GetText()), c.expr(ctx.Expression())
	default:
		c.unsupported(ctx, ruleName(ctx))
	}
	return b
}
