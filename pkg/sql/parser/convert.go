package parser

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// converter turns the grammar's tree into ours. The first mistake ends up in err,
// and a placeholder in the tree, which then is thrown away.
type converter struct {
	source  *tree.Source
	offsets offsets
	err     *Error
}

func newConverter(source *tree.Source) *converter {
	return &converter{source: source, offsets: runeOffsets(source.Text())}
}

// at returns the Meta of what a rule read.
func (c *converter) at(ctx antlr.ParserRuleContext) tree.Meta { return tree.At(c.span(ctx)) }

func (c *converter) span(ctx antlr.ParserRuleContext) tree.Span {
	return c.spanOf(ctx.GetStart(), ctx.GetStop())
}

func (c *converter) spanOf(start, stop antlr.Token) tree.Span {
	from := c.offsets.byte(start.GetStart())
	if stop == nil || stop.GetStop() < start.GetStart() {
		return c.source.Span(from, from)
	}
	return c.source.Span(from, min(c.offsets.byte(stop.GetStop()+1), len(c.source.Text())))
}

// unsupported notes a construct that our tree does not hold.
func (c *converter) unsupported(ctx antlr.ParserRuleContext, construct string) {
	c.fail(ctx, CodeNotSupported, construct+" is not supported yet")
}

func (c *converter) fail(ctx antlr.ParserRuleContext, code Code, message string) {
	if c.err != nil {
		return
	}
	line, column := c.span(ctx).Position()
	c.err = &Error{Code: code, Message: message, Line: line, Column: column}
}

func (c *converter) statement(ctx grammar.IStatementContext, end int) *tree.Statement {
	text := strings.TrimRightFunc(c.source.Text()[:end], unicode.IsSpace)
	stmt := &tree.Statement{Meta: tree.At(c.source.Span(0, len(text)))}
	query, ok := ctx.(*grammar.StatementDefaultContext)
	if !ok {
		stmt.Kind = tree.StatementKind(ruleName(ctx))
		return stmt
	}
	stmt.Kind = tree.KindQuery
	root := query.RootQuery()
	if f := root.WithFunction(); f != nil {
		c.unsupported(f, "WITH FUNCTION")
		return stmt
	}
	stmt.Query = c.query(root.Query())
	return stmt
}

// ruleName returns the name of a rule's alternative in words:
// *trino.ExplainAnalyzeContext is "EXPLAIN ANALYZE".
func ruleName(ctx antlr.ParserRuleContext) string {
	name := fmt.Sprintf("%T", ctx)
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "Context")
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

func (c *converter) identifier(ctx grammar.IIdentifierContext) *tree.Ident {
	id := &tree.Ident{Meta: c.at(ctx), Name: ctx.GetText()}
	if q, ok := ctx.(*grammar.QuotedIdentifierContext); ok {
		text := q.GetText()
		id.Name, id.Quoted = strings.ReplaceAll(text[1:len(text)-1], `""`, `"`), true
		if id.Name == "" {
			c.fail(ctx, CodeSyntax, "a name cannot be empty")
		}
	}
	return id
}

func (c *converter) identifiers(ctxs []grammar.IIdentifierContext) []*tree.Ident {
	ids := make([]*tree.Ident, len(ctxs))
	for i, ctx := range ctxs {
		ids[i] = c.identifier(ctx)
	}
	return ids
}

func (c *converter) aliases(ctx grammar.IColumnAliasesContext) []*tree.Ident {
	if ctx == nil {
		return nil
	}
	return c.identifiers(ctx.AllIdentifier())
}

func (c *converter) name(ctx grammar.IQualifiedNameContext) *tree.Name {
	return &tree.Name{Meta: c.at(ctx), Parts: c.identifiers(ctx.AllIdentifier())}
}

func quantifier(ctx grammar.ISetQuantifierContext) tree.Quantifier {
	switch {
	case ctx == nil:
		return tree.QuantifierNone
	case ctx.DISTINCT_() != nil:
		return tree.QuantifierDistinct
	}
	return tree.QuantifierAll
}
