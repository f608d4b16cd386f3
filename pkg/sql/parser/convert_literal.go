package parser

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (c *converter) literal(ctx grammar.IPrimaryExpressionContext) tree.Expr {
	switch ctx := ctx.(type) {
	case *grammar.NullLiteralContext:
		return &tree.Null{Meta: c.at(ctx)}
	case *grammar.BooleanLiteralContext:
		return &tree.Bool{Meta: c.at(ctx), Value: strings.EqualFold(ctx.GetText(), "true")}
	case *grammar.NumericLiteralContext:
		return c.number(ctx)
	case *grammar.StringLiteralContext:
		return c.str(ctx.String_())
	case *grammar.BinaryLiteralContext:
		return c.binary(ctx)
	case *grammar.IntervalLiteralContext:
		return c.interval(ctx.Interval())
	case *grammar.TypeConstructorContext:
		typ := "double precision"
		if id := ctx.Identifier(); id != nil {
			typ = strings.ToLower(c.identifier(id).Name)
		}
		return &tree.Typed{Meta: c.at(ctx), Type: typ, Value: c.str(ctx.String_()).Value}
	case *grammar.ParameterContext:
		return &tree.Param{Meta: c.at(ctx)}
	}
	c.unsupported(ctx, ruleName(ctx))
	return &tree.Null{}
}

// number reads a numeric literal; a sign in front of it is an operator.
func (c *converter) number(ctx *grammar.NumericLiteralContext) tree.Expr {
	digits := ctx.GetStop()
	n := &tree.Number{Meta: tree.At(c.spanOf(digits, digits)), Text: digits.GetText()}
	negative := ctx.GetStart() != digits
	if digits.GetTokenType() == grammar.TrinoParserINTEGER_VALUE_ {
		// The smallest bigint has no positive twin.
		if _, err := strconv.ParseUint(n.Text, 10, 63); err != nil && !(negative && strings.TrimLeft(n.Text, "0") == "9223372036854775808") {
			c.fail(ctx, CodeSyntax, "the number "+n.Text+" is larger than a bigint: write it as DECIMAL '"+n.Text+"'")
		}
	}
	if negative {
		return &tree.Unary{Meta: c.at(ctx), Op: "-", X: n}
	}
	return n
}

func (c *converter) str(ctx grammar.IString_Context) *tree.String {
	s := &tree.String{Meta: c.at(ctx)}
	switch ctx := ctx.(type) {
	case *grammar.BasicStringLiteralContext:
		s.Value = unquote(ctx.STRING_().GetText())
	case *grammar.UnicodeStringLiteralContext:
		escape := `\`
		if e := ctx.STRING_(); e != nil {
			escape = unquote(e.GetText())
		}
		value, ok := unescape(unquote(ctx.UNICODE_STRING_().GetText()[2:]), escape)
		if !ok {
			c.fail(ctx, CodeSyntax, "the unicode literal has a wrong escape: write \\XXXX or \\+XXXXXX")
		}
		s.Value = value
	default:
		c.unsupported(ctx, ruleName(ctx))
	}
	return s
}

func unquote(quoted string) string {
	return strings.ReplaceAll(quoted[1:len(quoted)-1], "''", "'")
}

// unescape reads the escapes of U&'...': \XXXX, \+XXXXXX and \\.
func unescape(s, escape string) (string, bool) {
	esc, size := utf8.DecodeRuneInString(escape)
	if size != len(escape) || size == 0 || strings.ContainsRune("+'\" ", esc) || unicode.Is(unicode.ASCII_Hex_Digit, esc) {
		return "", false
	}
	var b strings.Builder
	for s != "" {
		i := strings.Index(s, escape)
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i+size:]
		digits := 4
		switch {
		case strings.HasPrefix(s, escape):
			b.WriteString(escape)
			s = s[size:]
			continue
		case strings.HasPrefix(s, "+"):
			digits, s = 6, s[1:]
		}
		if len(s) < digits {
			return "", false
		}
		code, err := strconv.ParseUint(s[:digits], 16, 32)
		if err != nil || code > unicode.MaxRune || !utf8.ValidRune(rune(code)) {
			return "", false
		}
		b.WriteRune(rune(code))
		s = s[digits:]
	}
	b.WriteString(s)
	return b.String(), true
}

func (c *converter) binary(ctx antlr.ParserRuleContext) tree.Expr {
	text := ctx.GetText()
	hex := strings.ToUpper(strings.Join(strings.Fields(text[2:len(text)-1]), ""))
	if len(hex)%2 != 0 || strings.Trim(hex, "0123456789ABCDEF") != "" {
		c.fail(ctx, CodeSyntax, "a binary literal holds pairs of hexadecimal digits")
	}
	return &tree.Bytes{Meta: c.at(ctx), Hex: hex}
}

func (c *converter) interval(ctx grammar.IIntervalContext) tree.Expr {
	i := &tree.Interval{
		Meta: c.at(ctx), Negative: ctx.MINUS_() != nil, Value: c.str(ctx.String_()).Value, From: strings.ToUpper(ctx.GetFrom().GetText()),
	}
	if to := ctx.GetTo(); to != nil {
		i.To = strings.ToUpper(to.GetText())
	}
	return i
}
