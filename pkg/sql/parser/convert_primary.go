package parser

import (
	"slices"
	"strings"

	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) primary(ctx grammar.IPrimaryExpressionContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.ColumnReferenceContext:
		return &tree.ColumnRef{Meta: c.at(ctx), Parts: []*tree.Ident{c.identifier(ctx.Identifier())}}
	case *grammar.DereferenceContext:
		return c.dereference(ctx)
	case *grammar.FunctionCallContext:
		return c.call(ctx)
	case *grammar.ParenthesizedExpressionContext:
		return &tree.Paren{Meta: c.at(ctx), X: c.expr(ctx.Expression())}
	case *grammar.RowConstructorContext:
		return &tree.Row{Meta: c.at(ctx), Items: c.exprs(ctx.AllExpression()), Keyword: ctx.ROW_() != nil}
	case *grammar.ArrayConstructorContext:
		return &tree.Array{Meta: c.at(ctx), Items: c.exprs(ctx.AllExpression())}
	case *grammar.SubscriptContext:
		return &tree.Subscript{Meta: c.at(ctx), X: c.primary(ctx.GetValue()), Index: c.value(ctx.GetIndex())}
	case *grammar.LambdaContext:
		return &tree.Lambda{Meta: c.at(ctx), Params: c.identifiers(ctx.AllIdentifier()), Body: c.expr(ctx.Expression())}
	case *grammar.SubqueryExpressionContext:
		return &tree.ScalarQuery{Meta: c.at(ctx), Query: c.query(ctx.Query())}
	case *grammar.ExistsContext:
		return &tree.Exists{Meta: c.at(ctx), Query: c.query(ctx.Query())}
	case *grammar.SimpleCaseContext:
		k := &tree.Case{Meta: c.at(ctx), Operand: c.expr(ctx.GetOperand()), Whens: c.caseWhens(ctx.AllWhenClause())}
		if e := ctx.GetElseExpression(); e != nil {
			k.Else = c.expr(e)
		}
		return k
	case *grammar.SearchedCaseContext:
		k := &tree.Case{Meta: c.at(ctx), Whens: c.caseWhens(ctx.AllWhenClause())}
		if e := ctx.GetElseExpression(); e != nil {
			k.Else = c.expr(e)
		}
		return k
	case *grammar.CastContext:
		return &tree.Cast{Meta: c.at(ctx), X: c.expr(ctx.Expression()), Type: c.typeName(ctx.Type_()), Try: ctx.TRY_CAST_() != nil}
	case *grammar.ListaggContext:
		return c.listAgg(ctx)
	}
	return c.special(ctx)
}

// dereference joins a chain of plain names into one reference.
func (c *converter) dereference(ctx *grammar.DereferenceContext) tree.Expr {
	base, field := c.primary(ctx.GetBase_()), c.identifier(ctx.GetFieldName())
	if ref, ok := base.(*tree.ColumnRef); ok {
		return &tree.ColumnRef{Meta: c.at(ctx), Parts: append(ref.Parts[:len(ref.Parts):len(ref.Parts)], field)}
	}
	return &tree.Field{Meta: c.at(ctx), Base: base, Name: field}
}

// special reads the functions that have a syntax of their own.
func (c *converter) special(ctx grammar.IPrimaryExpressionContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.SpecialDateTimeFunctionContext:
		s := &tree.Special{Meta: c.at(ctx), Name: strings.ToUpper(ctx.GetName().GetText())}
		if p := ctx.GetPrecision(); p != nil {
			s.Precision = &tree.Number{Meta: tree.At(c.spanOf(p, p)), Text: p.GetText()}
		}
		return s
	case *grammar.CurrentUserContext, *grammar.CurrentCatalogContext, *grammar.CurrentSchemaContext, *grammar.CurrentPathContext:
		return &tree.Special{Meta: c.at(ctx), Name: strings.ToUpper(ctx.GetText())}
	case *grammar.ExtractContext:
		field := strings.ToUpper(ctx.Identifier().GetText())
		if !slices.Contains(extractFields(), field) {
			c.fail(ctx, CodeSyntax, "EXTRACT has no field "+field+": use one of "+strings.Join(extractFields(), ", "))
		}
		return &tree.Extract{Meta: c.at(ctx), Field: field, X: c.value(ctx.ValueExpression())}
	case *grammar.PositionContext:
		return &tree.Position{Meta: c.at(ctx), Sub: c.value(ctx.ValueExpression(0)), X: c.value(ctx.ValueExpression(1))}
	case *grammar.TrimContext:
		return c.trim(ctx)
	case *grammar.SubstringContext:
		s := &tree.Substring{Meta: c.at(ctx), X: c.value(ctx.ValueExpression(0)), From: c.value(ctx.ValueExpression(1))}
		if ctx.FOR_() != nil {
			s.For = c.value(ctx.ValueExpression(2))
		}
		return s
	case *grammar.NormalizeContext:
		n := &tree.Normalize{Meta: c.at(ctx), X: c.value(ctx.ValueExpression()), Form: "NFC"}
		if f := ctx.NormalForm(); f != nil {
			n.Form = strings.ToUpper(f.GetText())
		}
		return n
	case *grammar.GroupingOperationContext:
		g := &tree.Grouping{Meta: c.at(ctx)}
		for _, q := range ctx.AllQualifiedName() {
			g.Columns = append(g.Columns, &tree.ColumnRef{Meta: c.at(q), Parts: c.name(q).Parts})
		}
		return g
	case *grammar.JsonExistsContext, *grammar.JsonValueContext, *grammar.JsonQueryContext, *grammar.JsonObjectContext, *grammar.JsonArrayContext:
		c.unsupported(ctx, strings.ReplaceAll(ruleName(ctx), " ", "_"))
		return &tree.Null{}
	}
	return c.literal(ctx)
}

func (c *converter) trim(ctx *grammar.TrimContext) tree.Expr {
	t := &tree.Trim{Meta: c.at(ctx), X: c.value(ctx.GetTrimSource())}
	if s := ctx.TrimsSpecification(); s != nil {
		t.Side = strings.ToUpper(s.GetText())
	}
	if chars := ctx.GetTrimChar(); chars != nil {
		t.Chars = c.value(chars)
	}
	return t
}

func extractFields() []string {
	return []string{
		"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAY_OF_MONTH", "DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY",
		"YEAR_OF_WEEK", "YOW", "HOUR", "MINUTE", "SECOND", "TIMEZONE_MINUTE", "TIMEZONE_HOUR",
	}
}
