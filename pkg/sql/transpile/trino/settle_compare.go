package trino

import (
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

const compareMessage = "Presto compares values of one type only"

// comparable makes two sides of a comparison comparable.
func (s *settler) comparable(left, right tree.Expr) {
	l, r := s.typeOf(left), s.typeOf(right)
	if l.IsUnknown() || r.IsUnknown() || l.IsNull() || r.IsNull() {
		return
	}
	if _, ok := types.Common(l, r); ok {
		return
	}
	switch {
	case l.IsText():
		s.textBeside(left, right, r)
	case r.IsText():
		s.textBeside(right, left, l)
	case l.Base == "boolean":
		s.truthBeside(left, right, r)
	case r.Base == "boolean":
		s.truthBeside(right, left, l)
	case l.IsInterval() && r.IsNumeric():
		s.interval(left)
	case r.IsInterval() && l.IsNumeric():
		s.interval(right)
	}
}

// textBeside: a text beside something else. A literal becomes what it stands for;
// a column is read as what the other side is, and where that fails it is NULL.
func (s *settler) textBeside(text, other tree.Expr, t types.Type) {
	if lit, ok := text.(*tree.String); ok {
		s.literalAs(lit, other, t)
		return
	}
	if s.dialect == DialectSQLite && t.IsNumeric() { // the number is compared as a text
		if n, ok := other.(*tree.Number); ok {
			s.replace(n, printer.String(n.Text), "compare", compareMessage)
			return
		}
	}
	to := t.String()
	switch {
	case t.IsInteger():
		to = "bigint"
	case t.IsDecimal(), t.IsFloat():
		to = "double"
	case t.IsTime(), t.Base == "boolean":
	default:
		to = ""
	}
	if n, ok := other.(*tree.Number); ok && t.IsInteger() && s.dialect != DialectDuckDB && n.Text != "" {
		to = "double"
	}
	if to == "" {
		s.castTo(other, "varchar", compareMessage)
		return
	}
	s.wrap(text, "TRY_CAST(", " AS "+to+")", "compare", compareMessage)
}

// literalAs writes a text literal as a literal of another type.
func (s *settler) literalAs(lit *tree.String, other tree.Expr, t types.Type) {
	value := strings.TrimSpace(lit.Value)
	switch {
	case t.IsNumeric():
		if _, err := strconv.ParseFloat(value, 64); err == nil && !strings.ContainsAny(value, "xXnNiIpP_") {
			s.replace(lit, value, "compare", compareMessage)
			return
		}
	case t.Base == "boolean":
		if truth, ok := truthOf(value); ok {
			s.replace(lit, truth, "compare", compareMessage)
			return
		}
	case t.Base == "date" || strings.HasPrefix(t.Base, "timestamp"):
		if typ, padded, ok := timeLiteral(value); ok {
			s.replace(lit, typ+" "+printer.String(padded), "compare", compareMessage)
		}
		return // which day another text means is not known, and days are not compared by their letters
	case strings.HasPrefix(t.Base, "time"):
		s.replace(lit, "TIME "+printer.String(value), "compare", compareMessage)
		return
	}
	s.castTo(other, "varchar", compareMessage)
}

func truthOf(value string) (string, bool) {
	switch strings.ToLower(value) {
	case "true", "t", "yes", "y", "1", "on":
		return "true", true
	case "false", "f", "no", "n", "0", "off":
		return "false", true
	}
	return "", false
}

// timeLiteral tells a date from a timestamp in a text.
func timeLiteral(value string) (typ, padded string, ok bool) {
	padded = paddedDate(value)
	if _, err := time.Parse(time.DateOnly, padded); err == nil {
		return "DATE", padded, true
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05.999999999Z07:00"} {
		if _, err := time.Parse(layout, padded); err == nil {
			padded = strings.TrimSuffix(padded, "Z")
			if len(padded) < len(value) && strings.HasSuffix(value, "Z") {
				padded += " UTC"
			}
			return "TIMESTAMP", padded, true
		}
	}
	return "", "", false
}

// truthBeside: a truth value beside a number or a text.
func (s *settler) truthBeside(truth, other tree.Expr, t types.Type) {
	if !t.IsNumeric() {
		return
	}
	if n, ok := other.(*tree.Number); ok {
		if value, ok := truthOf(n.Text); ok {
			s.replace(n, value, "compare", compareMessage)
			return
		}
	}
	if b, ok := truth.(*tree.Bool); ok {
		s.replace(b, map[bool]string{true: "1", false: "0"}[b.Value], "compare", compareMessage)
		return
	}
	s.castTo(truth, "integer", compareMessage)
}

// interval makes days of the difference of two dates beside a number.
func (s *settler) interval(x tree.Expr) {
	for {
		p, ok := x.(*tree.Paren)
		if !ok {
			break
		}
		x = p.X
	}
	n, ok := x.(*tree.Binary)
	if !ok || n.Op != tree.OpSub {
		return
	}
	s.replace(n, "date_diff('day', "+n.Right.Span().Text()+", "+n.Left.Span().Text()+")", "date_arithmetic", "the difference of two dates is an interval in Presto")
}

// inQuery compares with the only column of a query.
func (s *settler) inQuery(n *tree.InQuery) { s.besideQuery(n.X, n.Query) }

func (s *settler) quantified(n *tree.Quantified) { s.besideQuery(n.X, n.Query) }

func (s *settler) besideQuery(x tree.Expr, q *tree.Query) {
	out := s.r.OutputOf(q)
	if len(out) != 1 {
		return
	}
	l, r := s.typeOf(x), out[0].Type
	if l.IsUnknown() || r.IsUnknown() || l.IsNull() || r.IsNull() {
		return
	}
	if _, ok := types.Common(l, r); ok {
		return
	}
	switch {
	case l.IsText() && r.IsNumeric():
		s.wrap(x, "TRY_CAST(", " AS double)", "compare", compareMessage)
	case r.IsText() && (l.IsNumeric() || l.IsTime()):
		to := "double"
		if l.IsTime() {
			to = l.String()
		}
		if item := onlyItem(q.Body); item != nil {
			s.wrap(item.Expr, "TRY_CAST(", " AS "+to+")", "compare", compareMessage)
		}
	}
}

func onlyItem(body tree.QueryBody) *tree.SelectExpr {
	sel, ok := body.(*tree.Select)
	if !ok || len(sel.Items) != 1 {
		return nil
	}
	item, _ := sel.Items[0].(*tree.SelectExpr)
	return item
}

// setOp makes the columns of both sides comparable: as texts, where one is a text.
func (s *settler) setOp(n *tree.SetOp) {
	left, right := itemsOf(n.Left), itemsOf(n.Right)
	if len(left) != len(right) {
		return
	}
	for i := range left {
		l, r := s.typeOf(left[i].Expr), s.typeOf(right[i].Expr)
		if l.IsUnknown() || r.IsUnknown() || l.IsNull() || r.IsNull() {
			continue
		}
		if _, ok := types.Common(l, r); ok {
			continue
		}
		for _, side := range []struct {
			x tree.Expr
			t types.Type
		}{{left[i].Expr, l}, {right[i].Expr, r}} {
			if !side.t.IsText() {
				s.castTo(side.x, "varchar", "both sides of "+n.Op+" have one type in Presto")
			}
		}
	}
}

// itemsOf are the columns of a SELECT without stars.
func itemsOf(body tree.QueryBody) []*tree.SelectExpr {
	switch b := body.(type) {
	case *tree.SetOp:
		return itemsOf(b.Left)
	case *tree.ParenQuery:
		return itemsOf(b.Query.Body)
	case *tree.Select:
		var out []*tree.SelectExpr
		for _, it := range b.Items {
			x, ok := it.(*tree.SelectExpr)
			if !ok {
				return nil
			}
			out = append(out, x)
		}
		return out
	}
	return nil
}

// caseResults makes the results of a CASE one type: texts, where one is a text.
func (s *settler) caseResults(n *tree.Case) {
	var xs []tree.Expr
	for _, w := range n.Whens {
		xs = append(xs, w.Result)
		if n.Operand != nil {
			s.comparable(n.Operand, w.Cond)
		} else {
			s.condition(w.Cond)
		}
	}
	if n.Else != nil {
		xs = append(xs, n.Else)
	}
	s.oneType(xs)
}

// oneType makes texts of all expressions where one is a text.
func (s *settler) oneType(xs []tree.Expr) {
	text, other := false, false
	for _, x := range xs {
		t := s.typeOf(x)
		text = text || t.IsText()
		other = other || !t.IsText() && !t.IsUnknown() && !t.IsNull()
	}
	if !text || !other {
		return
	}
	for _, x := range xs {
		s.text(x)
	}
}

// text makes a text of what is none.
func (s *settler) text(x tree.Expr) {
	t := s.typeOf(x)
	if x == nil || t.IsUnknown() || t.IsNull() || t.IsText() || t.Base == "varbinary" || t.Base == "array" || t.Base == "map" || t.Base == "row" || t.Base == "function" || t.Base == "json" {
		return
	}
	s.castTo(x, "varchar", "Presto makes no text of a "+t.String()+" by itself")
	if t.IsFloat() {
		s.warnLast("a double is written as 1.0E0 in Presto")
	}
}
