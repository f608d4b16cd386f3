package tree

import (
	"strconv"
	"strings"
	"time"
)

// The constructors here are for trees made by hand. The printer quotes names and
// adds parentheses where they are needed, so none of that is a caller's business.

// ID returns a name.
func ID(name string) *Ident { return &Ident{Name: name} }

// NameOf returns a dotted name; empty parts are left out.
func NameOf(parts ...string) *Name {
	n := &Name{}
	for _, p := range parts {
		if p != "" {
			n.Parts = append(n.Parts, ID(p))
		}
	}
	return n
}

// TableOf returns a table by its name's parts, outermost first.
func TableOf(parts ...string) *Table { return &Table{Name: NameOf(parts...)} }

// Alias gives a relation a name.
func Alias(r Relation, alias string, columns ...string) *Aliased {
	a := &Aliased{Relation: r, Alias: ID(alias)}
	for _, c := range columns {
		a.Columns = append(a.Columns, ID(c))
	}
	return a
}

// Col returns a column, qualified by all parts but the last; empty parts are
// left out.
func Col(parts ...string) *ColumnRef { return &ColumnRef{Parts: NameOf(parts...).Parts} }

// Int returns an integer literal.
func Int(n int64) Expr {
	if n < 0 { // the sign is an operator; MinInt64 has no positive twin but prints rightly
		return &Unary{Op: "-", X: &Number{Text: strings.TrimPrefix(strconv.FormatInt(n, 10), "-")}}
	}
	return &Number{Text: strconv.FormatInt(n, 10)}
}

// Float returns a double literal.
func Float(f float64) Expr {
	text := strconv.FormatFloat(f, 'e', -1, 64)
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return &Unary{Op: "-", X: &Number{Text: rest}}
	}
	return &Number{Text: text}
}

// Str returns a varchar literal.
func Str(s string) *String { return &String{Value: s} }

// Date returns DATE 'yyyy-mm-dd' for the day of t in t's own location.
func Date(t time.Time) *Typed { return &Typed{Type: "date", Value: t.Format(time.DateOnly)} }

// TypedLit returns a literal with a type's name, such as TIMESTAMP '...'.
func TypedLit(typ, value string) *Typed { return &Typed{Type: strings.ToLower(typ), Value: value} }

// Fn returns a function call.
func Fn(name string, args ...Expr) *Call { return &Call{Name: NameOf(name), Args: args} }

// CountStar returns count(*).
func CountStar() *Call { return &Call{Name: NameOf("count"), Star: true} }

// FnDistinct returns a call with DISTINCT.
func FnDistinct(name string, args ...Expr) *Call {
	return &Call{Name: NameOf(name), Quantifier: QuantifierDistinct, Args: args}
}

// Op returns left op right; op is one of the Op constants.
func Op(op string, left, right Expr) *Binary { return &Binary{Op: op, Left: left, Right: right} }

// And joins conditions by AND; nil conditions are left out, and no condition
// gives nil.
func And(conds ...Expr) Expr { return chain(OpAnd, conds) }

// Or joins conditions by OR; nil conditions are left out, and none gives nil.
func Or(conds ...Expr) Expr { return chain(OpOr, conds) }

func chain(op string, conds []Expr) Expr {
	var out Expr
	for _, c := range conds {
		switch {
		case c == nil:
		case out == nil:
			out = c
		default:
			out = Op(op, out, c)
		}
	}
	return out
}

// CastTo returns CAST(x AS typ).
func CastTo(x Expr, typ string) *Cast {
	return &Cast{X: x, Type: &TypeName{Text: strings.ToLower(typ)}}
}

// Item returns an element of the SELECT list; an empty alias is none.
func Item(x Expr, alias string) *SelectExpr {
	item := &SelectExpr{Expr: x}
	if alias != "" {
		item.Alias = ID(alias)
	}
	return item
}

// By returns an element of ORDER BY.
func By(x Expr, desc bool) *SortItem { return &SortItem{Expr: x, Desc: desc} }

// GroupOn returns GROUP BY x, y; nil where there is no expression.
func GroupOn(exprs ...Expr) *GroupBy {
	if len(exprs) == 0 {
		return nil
	}
	g := &GroupBy{}
	for _, x := range exprs {
		g.Elements = append(g.Elements, &GroupingElement{Sets: []*GroupingSet{{Exprs: []Expr{x}}}})
	}
	return g
}

// LimitTo returns LIMIT n.
func LimitTo(n int64) *Limit { return &Limit{Count: Int(n)} }

// QueryOf returns a query of a body alone.
func QueryOf(body QueryBody) *Query { return &Query{Body: body} }

// StatementOf returns the statement of a query.
func StatementOf(q *Query) *Statement { return &Statement{Kind: KindQuery, Query: q} }
