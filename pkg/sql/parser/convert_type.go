package parser

import (
	"strings"

	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) typeName(ctx grammar.ITypeContext) *tree.TypeName {
	return &tree.TypeName{Meta: c.at(ctx), Text: c.typeText(ctx)}
}

// typeText returns Presto's canonical text of a type.
func (c *converter) typeText(ctx grammar.ITypeContext) string {
	switch ctx := ctx.(type) {
	case *grammar.GenericTypeContext:
		return c.genericType(ctx)
	case *grammar.DateTimeTypeContext:
		text := strings.ToLower(ctx.GetBase_().GetText())
		if p := ctx.GetPrecision(); p != nil {
			text += "(" + c.typeParameter(p) + ")"
		}
		if ctx.WITH_() != nil {
			text += " with time zone"
		}
		return text
	case *grammar.DoublePrecisionTypeContext:
		return "double"
	case *grammar.RowTypeContext:
		return c.rowType(ctx)
	case *grammar.LegacyArrayTypeContext:
		return "array(" + c.typeText(ctx.Type_()) + ")"
	case *grammar.ArrayTypeContext:
		return "array(" + c.typeText(ctx.Type_()) + ")"
	case *grammar.LegacyMapTypeContext:
		return "map(" + c.typeText(ctx.GetKeyType()) + "," + c.typeText(ctx.GetValueType()) + ")"
	case *grammar.IntervalTypeContext:
		if strings.EqualFold(ctx.GetFrom().GetText(), "year") {
			return "interval year to month"
		}
		return "interval day to second"
	}
	c.unsupported(ctx, ruleName(ctx))
	return ""
}

func (c *converter) genericType(ctx *grammar.GenericTypeContext) string {
	text := strings.ToLower(c.identifier(ctx.Identifier()).Name)
	switch text {
	case "int":
		text = "integer"
	case "dec":
		text = "decimal"
	}
	var args []string
	for _, p := range ctx.AllTypeParameter() {
		args = append(args, c.typeParameter(p))
	}
	if len(args) == 0 {
		return text
	}
	return text + "(" + strings.Join(args, ",") + ")"
}

func (c *converter) typeParameter(ctx grammar.ITypeParameterContext) string {
	if t := ctx.Type_(); t != nil {
		return c.typeText(t)
	}
	return ctx.GetText()
}

func (c *converter) rowType(ctx *grammar.RowTypeContext) string {
	var fields []string
	for _, f := range ctx.AllRowField() {
		text := c.typeText(f.Type_())
		if id := f.Identifier(); id != nil {
			name := c.identifier(id)
			label := name.Name
			if name.Quoted {
				label = printer.Quote(label)
			}
			text = label + " " + text
		}
		fields = append(fields, text)
	}
	return "row(" + strings.Join(fields, ", ") + ")"
}
