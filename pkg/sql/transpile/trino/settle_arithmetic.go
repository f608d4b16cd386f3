package trino

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// binary applies the rules of an operator between two values.
func (s *settler) binary(n *tree.Binary) {
	switch n.Op {
	case tree.OpDiv:
		s.division(n)
	case tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe, tree.OpDistinct, tree.OpNotDistinct:
		if _, truth := n.Right.(*tree.Bool); truth && (n.Op == tree.OpDistinct || n.Op == tree.OpNotDistinct) { // x IS TRUE
			s.condition(n.Left)
			return
		}
		s.comparable(n.Left, n.Right)
	case tree.OpConcat:
		if !isArray(s.typeOf(n.Left)) && !isArray(s.typeOf(n.Right)) {
			s.text(n.Left)
			s.text(n.Right)
		}
	case tree.OpAdd, tree.OpSub:
		if !s.dates(n) {
			s.number(n.Left, n.Right)
			s.number(n.Right, n.Left)
		}
	case tree.OpMul, tree.OpMod:
		s.number(n.Left, n.Right)
		s.number(n.Right, n.Left)
	case tree.OpAnd, tree.OpOr:
		s.condition(n.Left)
		s.condition(n.Right)
	}
}

func isArray(t types.Type) bool { return t.Base == "array" }

// division: where the dialect gives a fraction for two integers, or more digits
// for decimals than Presto keeps, the left side becomes a double.
func (s *settler) division(n *tree.Binary) {
	left, right := s.typeOf(n.Left), s.typeOf(n.Right)
	if s.dialect == DialectUnknown || left.IsFloat() || right.IsFloat() || left.IsInterval() || right.IsInterval() {
		s.zeroDivisor(n)
		return
	}
	unknown := left.IsUnknown() && right.IsUnknown()
	decimal := left.IsDecimal() || right.IsDecimal()
	if s.Division == "integer" && !decimal {
		if unknown {
			s.t.warnAt("division", n, "a division of integers is cut to an integer; of decimals it keeps few digits in Presto")
		}
		s.zeroDivisor(n)
		return
	}
	const message = "Presto cuts a division of integers, and rounds one of decimals"
	switch x := n.Right.(type) {
	case *tree.Number:
		s.replace(x, x.Text+"E0", "division", message)
	default:
		if lit, ok := n.Left.(*tree.Number); ok {
			s.replace(lit, lit.Text+"E0", "division", message)
		} else {
			s.wrap(n.Left, "CAST(", " AS double)", "division", message)
		}
	}
	s.zeroDivisor(n)
}

// zeroDivisor: a division by zero is NULL in some dialects.
func (s *settler) zeroDivisor(n *tree.Binary) {
	switch s.dialect {
	case DialectMySQL, DialectSQLite, DialectHive, DialectSpark:
	default:
		return
	}
	switch x := n.Right.(type) {
	case *tree.Number:
		if strings.Trim(x.Text, "0.eE") != "" {
			return
		}
	case *tree.Call:
		if x.Name.Key() == "nullif" {
			return
		}
	case *tree.Cast:
		if _, ok := x.X.(*tree.Number); ok {
			return
		}
	}
	s.wrap(n.Right, "nullif(", ", 0)", "division_by_zero", "a division by zero is NULL there, an error or infinite in Presto")
}

// dates: date - date and date + 7 count days in PostgreSQL and DuckDB.
func (s *settler) dates(n *tree.Binary) bool {
	left, right := s.typeOf(n.Left), s.typeOf(n.Right)
	days := s.dialect == DialectPostgreSQL || s.dialect == DialectDuckDB
	text := func(x tree.Expr) string { return strings.TrimSpace(x.Span().Text()) }
	switch {
	case left.Base == "date" && right.Base == "date" && n.Op == tree.OpSub && days:
		s.replace(n, "date_diff('day', "+text(n.Right)+", "+text(n.Left)+")", "date_arithmetic", "the difference of two dates is an interval in Presto")
	case left.Base == "date" && right.IsInteger() && (days || s.dialect == DialectUnknown && !right.IsUnknown()):
		sign := ""
		if n.Op == tree.OpSub {
			sign = "-"
		}
		amount := text(n.Right)
		if _, plain := n.Right.(*tree.Number); !plain && sign != "" {
			amount = "(" + amount + ")"
		}
		s.replace(n, "date_add('day', "+sign+amount+", "+text(n.Left)+")", "date_arithmetic", "days are added with date_add in Presto")
	case left.IsInteger() && right.Base == "date" && n.Op == tree.OpAdd && days:
		s.replace(n, "date_add('day', "+text(n.Left)+", "+text(n.Right)+")", "date_arithmetic", "days are added with date_add in Presto")
	case left.IsText() && right.IsInterval():
		s.time(n.Left)
	case left.Base == "date" && shorterThanDay(n.Right):
		s.castTo(n.Left, "timestamp", "hours, minutes and seconds are added to timestamps only in Presto")
	case left.IsText() && (right.IsTime()):
		s.time(n.Left)
	case right.IsText() && left.IsTime():
		s.time(n.Right)
	case left.IsTime() || right.IsTime() || left.IsInterval() || right.IsInterval():
	default:
		return false
	}
	return true
}

// shorterThanDay reports an interval of hours, minutes or seconds.
func shorterThanDay(x tree.Expr) bool {
	i, ok := x.(*tree.Interval)
	return ok && slices.Contains([]string{"HOUR", "MINUTE", "SECOND"}, i.From)
}

// number makes a number of a text or a truth beside an arithmetic operator.
func (s *settler) number(x, other tree.Expr) {
	if !s.LooseTypes || s.typeOf(other).IsUnknown() {
		return
	}
	switch t := s.typeOf(x); {
	case t.IsText():
		s.castTo(x, "double", "Presto does not calculate with texts")
	case t.Base == "boolean":
		s.castTo(x, "integer", "Presto does not calculate with truth values")
	}
}

// condition: a number stands for true where it is not 0.
func (s *settler) condition(x tree.Expr) {
	if x == nil || !s.LooseTypes {
		return
	}
	switch t := s.typeOf(x); {
	case t.IsNumeric():
		s.wrap(x, "(", " <> 0)", "condition", "a condition is true or false in Presto, no number")
	case t.IsText() && s.dialect == DialectDuckDB:
		s.castTo(x, "boolean", "a condition is true or false in Presto, no text")
	}
}

// cast: dialects that cut off a fraction, and those whose failed casts are NULL.
func (s *settler) cast(n *tree.Cast) {
	from, to := s.typeOf(n.X), types.Parse(n.Type.Text)
	cuts := s.dialect == DialectHive || s.dialect == DialectSpark || s.dialect == DialectSQLite
	switch {
	case to.Base == "json" && from.IsText() && s.dialect != DialectUnknown:
		s.replace(n, "json_parse("+n.X.Span().Text()+")", "cast", "a cast to json makes a json text of a text in Presto")
	case cuts && to.IsInteger() && (from.IsFloat() || from.IsDecimal()):
		if c, ok := n.X.(*tree.Call); ok && (c.Name.Key() == "truncate" || c.Name.Key() == "floor" || c.Name.Key() == "ceil" || c.Name.Key() == "round") {
			return
		}
		s.wrap(n.X, "truncate(", ")", "cast", "a cast to an integer rounds in Presto")
	case (s.dialect == DialectHive || s.dialect == DialectSpark) && from.IsText() && !to.IsText() && !n.Try:
		span := n.Span()
		s.edits = append(s.edits, edit{start: span.Start, end: span.Start, before: "TRY_", rule: "cast", message: "a cast that fails is NULL there, an error in Presto"})
	}
}
