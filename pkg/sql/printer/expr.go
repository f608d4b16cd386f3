package printer

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Precedences, from the weakest: a child that binds weaker than its place needs
// parentheses.
const (
	precOr = iota + 1
	precAnd
	precNot
	precPredicate
	precConcat
	precAdd
	precMul
	precUnary
	precZone
	precPrimary
)

func precedence(x tree.Expr) int {
	switch x := x.(type) {
	case *tree.Binary:
		return binaryPrecedence(x.Op)
	case *tree.Not:
		return precNot
	case *tree.IsNull, *tree.Between, *tree.InList, *tree.InQuery, *tree.Like, *tree.Quantified:
		return precPredicate
	case *tree.Unary:
		return precUnary
	case *tree.AtTimeZone:
		return precZone
	case *tree.Lambda:
		return 0
	}
	return precPrimary
}

func binaryPrecedence(op string) int {
	switch op {
	case tree.OpOr:
		return precOr
	case tree.OpAnd:
		return precAnd
	case tree.OpConcat:
		return precConcat
	case tree.OpAdd, tree.OpSub:
		return precAdd
	case tree.OpMul, tree.OpDiv, tree.OpMod:
		return precMul
	}
	return precPredicate
}

// operand writes an expression where only those of at least a precedence fit.
func (p *printer) operand(x tree.Expr, least int) {
	if precedence(x) < least {
		p.write("(")
		p.node(x)
		p.write(")")
		return
	}
	p.node(x)
}

func (p *printer) binary(x *tree.Binary) {
	if p.layout != nil && (x.Op == tree.OpAnd || x.Op == tree.OpOr) {
		p.chain(x)
		return
	}
	prec := binaryPrecedence(x.Op)
	left, right := prec, prec+1
	switch prec {
	case precPredicate:
		left = prec + 1
	case precOr, precAnd:
		right = prec // associative: no parentheses for a chain on the right
	}
	p.operand(x.Left, left)
	p.write(" " + x.Op + " ")
	p.operand(x.Right, right)
}

func (p *printer) expr(x tree.Expr) {
	switch x := x.(type) {
	case *tree.ColumnRef:
		p.dotted(x.Parts)
	case *tree.Field:
		p.operand(x.Base, precPrimary)
		if _, ok := x.Base.(*tree.Number); ok { // 1.e2 is one number, 1 .e2 a field of one
			p.write(" ")
		}
		p.write(".")
		p.node(x.Name)
	case *tree.Unary:
		p.write(x.Op)
		p.operand(x.X, precUnary)
	case *tree.Binary:
		p.binary(x)
	case *tree.Not:
		p.write("NOT ")
		p.operand(x.X, precNot)
	case *tree.Case:
		p.caseExpr(x)
	case *tree.Call:
		p.call(x)
	case *tree.ListAgg:
		p.listAgg(x)
	case *tree.Paren:
		p.write("(")
		p.node(x.X)
		p.write(")")
	case *tree.ScalarQuery:
		p.inner(x.Query)
	case *tree.Exists:
		p.write("EXISTS ")
		p.inner(x.Query)
	case *tree.Array:
		p.write("ARRAY[")
		fill(p, x.Items)
		p.write("]")
	case *tree.Row:
		if x.Keyword || len(x.Items) < 2 {
			p.write("ROW")
		}
		p.write("(")
		p.exprs(x.Items)
		p.write(")")
	case *tree.Subscript:
		p.operand(x.X, precPrimary)
		p.write("[")
		p.operand(x.Index, precConcat)
		p.write("]")
	case *tree.Lambda:
		p.write("(")
		list(p, x.Params)
		p.write(") -> ")
		p.node(x.Body)
	case *tree.Grouping:
		p.write("GROUPING(")
		list(p, x.Columns)
		p.write(")")
	case *tree.IsNull, *tree.Between, *tree.InList, *tree.InQuery, *tree.Like, *tree.Quantified:
		p.predicate(x)
	case *tree.Cast, *tree.Special, *tree.Extract, *tree.AtTimeZone, *tree.Position, *tree.Trim, *tree.Substring, *tree.Normalize:
		p.special(x)
	case *tree.JSONExists, *tree.JSONValue, *tree.JSONQuery, *tree.JSONObject, *tree.JSONArray:
		p.json(x)
	case *tree.WindowMeasure:
		p.node(x.Name)
		p.write(" ")
		p.node(x.Over)
	default:
		p.literal(x)
	}
}

func (p *printer) predicate(x tree.Expr) {
	not := func(subject tree.Expr, negated bool, words string) {
		p.operand(subject, precConcat)
		if negated {
			p.write(" NOT")
		}
		p.write(" " + words + " ")
	}
	switch x := x.(type) {
	case *tree.IsNull:
		p.operand(x.X, precConcat)
		if x.Not {
			p.write(" IS NOT NULL")
		} else {
			p.write(" IS NULL")
		}
	case *tree.Between:
		not(x.X, x.Not, "BETWEEN")
		p.operand(x.Low, precConcat)
		p.write(" AND ")
		p.operand(x.High, precConcat)
	case *tree.InList:
		not(x.X, x.Not, "IN")
		p.write("(")
		fill(p, x.List)
		p.write(")")
	case *tree.InQuery:
		not(x.X, x.Not, "IN")
		p.inner(x.Query)
	case *tree.Like:
		not(x.X, x.Not, "LIKE")
		p.operand(x.Pattern, precConcat)
		if x.Escape != nil {
			p.write(" ESCAPE ")
			p.operand(x.Escape, precConcat)
		}
	case *tree.Quantified:
		p.operand(x.X, precConcat)
		p.write(" " + x.Op + " " + x.Quantifier + " ")
		p.inner(x.Query)
	}
}

func (p *printer) special(x tree.Expr) {
	switch x := x.(type) {
	case *tree.Cast:
		if x.Try {
			p.write("TRY_CAST(")
		} else {
			p.write("CAST(")
		}
		p.node(x.X)
		p.write(" AS ")
		p.node(x.Type)
		p.write(")")
	case *tree.Special:
		p.write(x.Name)
		if x.Precision != nil {
			p.write("(")
			p.node(x.Precision)
			p.write(")")
		}
	case *tree.Extract:
		p.write("EXTRACT(" + x.Field + " FROM ")
		p.operand(x.X, precConcat)
		p.write(")")
	case *tree.AtTimeZone:
		p.operand(x.X, precZone)
		p.write(" AT TIME ZONE ")
		p.node(x.Zone)
	case *tree.Position:
		p.write("POSITION(")
		p.operand(x.Sub, precConcat)
		p.write(" IN ")
		p.operand(x.X, precConcat)
		p.write(")")
	case *tree.Trim:
		p.write("TRIM(" + x.Side)
		if x.Chars != nil {
			if x.Side != "" {
				p.write(" ")
			}
			p.operand(x.Chars, precConcat)
		}
		if x.Side != "" || x.Chars != nil {
			p.write(" FROM ")
		}
		p.operand(x.X, precConcat)
		p.write(")")
	case *tree.Substring:
		p.write("SUBSTRING(")
		p.operand(x.X, precConcat)
		p.write(" FROM ")
		p.operand(x.From, precConcat)
		if x.For != nil {
			p.write(" FOR ")
			p.operand(x.For, precConcat)
		}
		p.write(")")
	case *tree.Normalize:
		p.write("NORMALIZE(")
		p.operand(x.X, precConcat)
		p.write(", " + x.Form + ")")
	}
}

func (p *printer) literal(x tree.Expr) {
	switch x := x.(type) {
	case *tree.Null:
		p.write("NULL")
	case *tree.Bool:
		p.write(strings.ToUpper(boolText(x.Value)))
	case *tree.Number:
		p.write(x.Text)
	case *tree.String:
		p.write(String(x.Value))
	case *tree.Bytes:
		p.write("X'" + x.Hex + "'")
	case *tree.Typed:
		p.write(typeName(x.Type) + " " + String(x.Value))
	case *tree.Interval:
		p.write("INTERVAL ")
		if x.Negative {
			p.write("-")
		}
		p.write(String(x.Value) + " " + x.From)
		if x.To != "" {
			p.write(" TO " + x.To)
		}
	case *tree.Param:
		p.write("?")
	}
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// typeName returns the name of a literal's type, in quotes where it is none of
// Presto's own and reads as something else.
func typeName(name string) string {
	switch {
	case name == "x": // a bare X before a quote begins a binary literal
		return Quote(name)
	case name == "double precision", name == "double", name == "json", plain(name) && !words()[name]:
		return strings.ToUpper(name)
	default:
		return Quote(name)
	}
}
