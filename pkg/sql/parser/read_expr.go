package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// exprs reads expressions between commas.
func (p *reader) exprs() []tree.Expr {
	xs := []tree.Expr{p.expr()}
	for p.accept(tComma) {
		xs = append(xs, p.expr())
	}
	return xs
}

// expr reads an expression: OR of ANDs.
func (p *reader) expr() tree.Expr {
	from := p.begin()
	x := p.conjunction()
	for p.accept(tOr) {
		b := &tree.Binary{Op: tree.OpOr, Left: x, Right: p.conjunction()}
		b.Meta = p.since(from)
		x = b
	}
	return x
}

func (p *reader) conjunction() tree.Expr {
	from := p.begin()
	x := p.negation()
	for p.accept(tAnd) {
		b := &tree.Binary{Op: tree.OpAnd, Left: x, Right: p.negation()}
		b.Meta = p.since(from)
		x = b
	}
	return x
}

func (p *reader) negation() tree.Expr {
	from := p.begin()
	if p.given == nil && p.accept(tNot) {
		n := &tree.Not{X: p.negation()}
		n.Meta = p.since(from)
		return n
	}
	return p.predicate(from, p.value())
}

// predicate reads what may follow a value to make it a condition.
func (p *reader) predicate(from int, x tree.Expr) tree.Expr {
	switch p.peek() {
	case tEq, tNeq, tLt, tLte, tGt, tGte:
		return p.comparison(from, x)
	case tIs:
		return p.is(from, x)
	case tNot, tBetween, tIn, tLike:
	default:
		return x
	}
	not := p.accept(tNot)
	switch {
	case p.accept(tBetween):
		b := &tree.Between{X: x, Not: not, Low: p.value()}
		p.expect(tAnd)
		b.High = p.value()
		b.Meta = p.since(from)
		return b
	case p.accept(tLike):
		l := &tree.Like{X: x, Not: not, Pattern: p.value()}
		if p.accept(tEscape) {
			l.Escape = p.value()
		}
		l.Meta = p.since(from)
		return l
	case p.accept(tIn):
		return p.in(from, x, not)
	}
	p.fail()
	return x
}

func (p *reader) comparison(from int, x tree.Expr) tree.Expr {
	t := p.tokens[p.at]
	op := p.text[t.start:t.end]
	if op == "!=" {
		op = tree.OpNe
	}
	p.at++
	if k := p.peek(); (k == tAll || k == tAny || k == tSome) && p.ahead(1) == tLParen {
		if q := p.quantified(from, x, op); q != nil {
			return q
		}
	}
	b := &tree.Binary{Op: op, Left: x, Right: p.value()}
	b.Meta = p.since(from)
	return b
}

// quantified reads ALL (query), or ANY or SOME. These words are names too: what
// has no query in its parentheses is the call of a function, nil here.
func (p *reader) quantified(from int, x tree.Expr, op string) tree.Expr {
	at := p.at
	q := &tree.Quantified{X: x, Op: op, Quantifier: p.word()}
	p.expect(tLParen)
	switch {
	case p.startsQuery():
		q.Query = p.query()
	case p.peek() == tLParen && p.retry(func() {
		if q.Query = p.query(); p.peek() != tRParen {
			p.fail()
		}
	}):
	default:
		p.at = at
		return nil
	}
	p.expect(tRParen)
	q.Meta = p.since(from)
	return q
}

func (p *reader) is(from int, x tree.Expr) tree.Expr {
	p.expect(tIs)
	not := p.accept(tNot)
	if p.accept(tNull) {
		return &tree.IsNull{Meta: p.since(from), X: x, Not: not}
	}
	p.expect(tDistinct, tFrom)
	op := tree.OpDistinct
	if not {
		op = tree.OpNotDistinct
	}
	b := &tree.Binary{Op: op, Left: x, Right: p.value()}
	b.Meta = p.since(from)
	return b
}

// in reads the list or the query of IN.
func (p *reader) in(from int, x tree.Expr, not bool) tree.Expr {
	p.expect(tLParen)
	q, list := p.queryOrExprs()
	p.expect(tRParen)
	if q != nil {
		return &tree.InQuery{Meta: p.since(from), X: x, Query: q, Not: not}
	}
	return &tree.InList{Meta: p.since(from), X: x, List: list, Not: not}
}

// queryOrExprs reads what stands in parentheses where both a query and a list of
// expressions may stand. A query in parentheses of its own is an expression,
// unless a larger query goes on after it.
func (p *reader) queryOrExprs() (*tree.Query, []tree.Expr) {
	if p.startsQuery() {
		return p.query(), nil
	}
	if p.peek() == tLParen {
		from := p.at
		x := p.paren()
		if q := p.largerQuery(from, x); q != nil {
			return q, nil
		}
		p.given, p.givenAt = x, from
	}
	return nil, p.exprs()
}

// largerQuery reads on where x, which begins at the token from, is a query in
// parentheses that is the first part of a larger one; else it returns nil.
func (p *reader) largerQuery(from int, x tree.Expr) *tree.Query {
	s, ok := x.(*tree.ScalarQuery)
	if !ok || s.Query == nil || s.Query.With != nil || p.peek() == tRParen || !p.queryGoesOn() {
		return nil
	}
	body := p.setOperations(from, &tree.ParenQuery{Meta: s.Meta, Query: s.Query})
	return p.queryAfter(from, body)
}

// value reads an expression without conditions: || binds weakest.
func (p *reader) value() tree.Expr {
	from := p.begin()
	x := p.sum()
	for p.accept(tConcat) {
		b := &tree.Binary{Op: tree.OpConcat, Left: x, Right: p.sum()}
		b.Meta = p.since(from)
		x = b
	}
	return x
}

func (p *reader) sum() tree.Expr {
	from := p.begin()
	x := p.product()
	for p.peek() == tPlus || p.peek() == tMinus {
		b := &tree.Binary{Op: p.operator(), Left: x}
		b.Right = p.product()
		b.Meta = p.since(from)
		x = b
	}
	return x
}

func (p *reader) product() tree.Expr {
	from := p.begin()
	x := p.signed()
	for p.peek() == tAsterisk || p.peek() == tSlash || p.peek() == tPercent {
		b := &tree.Binary{Op: p.operator(), Left: x}
		b.Right = p.signed()
		b.Meta = p.since(from)
		x = b
	}
	return x
}

func (p *reader) operator() string {
	t := p.tokens[p.at]
	p.at++
	return p.text[t.start:t.end]
}

// signed reads signs. A minus right before a number belongs to the literal.
func (p *reader) signed() tree.Expr {
	from := p.begin()
	if p.given == nil && (p.peek() == tPlus || p.peek() == tMinus && !p.isNumber(1)) {
		u := &tree.Unary{Op: p.operator()}
		u.X = p.signed()
		u.Meta = p.since(from)
		return u
	}
	x := p.primary()
	for p.follows(tAt, tTime, tZone) {
		p.at += 3
		z := &tree.AtTimeZone{X: x}
		if p.peek() == tInterval {
			z.Zone = p.interval()
		} else {
			z.Zone = p.str()
		}
		z.Meta = p.since(from)
		x = z
	}
	return x
}

func (p *reader) isNumber(n int) bool {
	switch p.ahead(n) {
	case tIntegerValue, tDecimalValue, tDoubleValue:
		return true
	}
	return false
}

// primary reads an operand with its subscripts and fields.
func (p *reader) primary() tree.Expr {
	from := p.begin()
	x := p.given
	if p.given = nil; x == nil {
		x = p.operand()
	}
	for {
		switch {
		case p.peek() == tLSquare:
			p.at++
			s := &tree.Subscript{X: x, Index: p.value()}
			p.expect(tRSquare)
			s.Meta = p.since(from)
			x = s
		case p.peek() == tDot && p.isName(1):
			p.at++
			field := p.name()
			if ref, ok := x.(*tree.ColumnRef); ok {
				x = &tree.ColumnRef{Meta: p.since(from), Parts: append(ref.Parts, field)}
			} else {
				x = &tree.Field{Meta: p.since(from), Base: x, Name: field}
			}
		default:
			return x
		}
	}
}

// operand reads what needs no parentheses.
func (p *reader) operand() tree.Expr {
	from := p.at
	switch p.peek() {
	case tNull:
		p.at++
		return &tree.Null{Meta: p.since(from)}
	case tTrue, tFalse:
		p.at++
		return &tree.Bool{Meta: p.since(from), Value: p.tokens[from].kind == tTrue}
	case tIntegerValue, tDecimalValue, tDoubleValue, tMinus:
		return p.number()
	case tString, tUnicodeString:
		return p.str()
	case tBinaryLiteral:
		return p.binary()
	case tQuestionMark:
		p.at++
		return &tree.Param{Meta: p.since(from)}
	case tLParen:
		return p.paren()
	case tLSquare:
		p.beyond = true
		return p.array(from)
	case tCase:
		return p.caseExpr()
	case tCast:
		return p.cast()
	case tExists:
		p.at++
		p.expect(tLParen)
		e := &tree.Exists{Query: p.query()}
		p.expect(tRParen)
		e.Meta = p.since(from)
		return e
	}
	if p.isName(0) {
		return p.named()
	}
	return p.special()
}

// paren reads what stands in parentheses: an expression, a row, a query, or the
// parameters of a lambda.
func (p *reader) paren() tree.Expr {
	from := p.at
	if p.lambdaFollows() {
		return p.lambda()
	}
	p.expect(tLParen)
	q, list := p.parenContent()
	p.expect(tRParen)
	switch {
	case q != nil:
		return &tree.ScalarQuery{Meta: p.since(from), Query: q}
	case len(list) == 1:
		return &tree.Paren{Meta: p.since(from), X: list[0]}
	}
	return &tree.Row{Meta: p.since(from), Items: list}
}

// parenContent is queryOrExprs, but for ((query)): there the query is all that
// the parentheses hold.
func (p *reader) parenContent() (*tree.Query, []tree.Expr) {
	if p.peek() != tLParen {
		return p.queryOrExprs()
	}
	from := p.at
	x := p.paren()
	if s, ok := x.(*tree.ScalarQuery); ok && s.Query != nil && s.Query.With == nil && p.peek() == tRParen {
		return p.queryAfter(from, &tree.ParenQuery{Meta: s.Meta, Query: s.Query}), nil
	}
	if q := p.largerQuery(from, x); q != nil {
		return q, nil
	}
	p.given, p.givenAt = x, from
	return nil, p.exprs()
}

// lambdaFollows reports whether the parenthesis holds the parameters of a lambda.
func (p *reader) lambdaFollows() bool {
	if p.follows(tLParen, tRParen) {
		return p.ahead(2) == tArrow
	}
	for n := 1; p.isName(n); n += 2 {
		switch p.ahead(n + 1) {
		case tComma:
		case tRParen:
			return p.ahead(n+2) == tArrow
		default:
			return false
		}
	}
	return false
}

func (p *reader) lambda() tree.Expr {
	from := p.at
	l := &tree.Lambda{}
	if p.accept(tLParen) {
		if p.peek() != tRParen {
			l.Params = p.nameList()
		}
		p.expect(tRParen)
	} else {
		l.Params = []*tree.Ident{p.name()}
	}
	p.expect(tArrow)
	l.Body = p.expr()
	l.Meta = p.since(from)
	return l
}

// array reads the items of an array, after ARRAY if there is that word.
func (p *reader) array(from int) tree.Expr {
	p.expect(tLSquare)
	a := &tree.Array{}
	if p.peek() != tRSquare {
		a.Items = p.exprs()
	}
	p.expect(tRSquare)
	a.Meta = p.since(from)
	return a
}

func (p *reader) caseExpr() tree.Expr {
	from := p.at
	p.expect(tCase)
	c := &tree.Case{}
	if p.peek() != tWhen {
		c.Operand = p.expr()
	}
	for first := true; first || p.peek() == tWhen; first = false {
		from := p.at
		p.expect(tWhen)
		w := &tree.When{Cond: p.expr()}
		p.expect(tThen)
		w.Result = p.expr()
		w.Meta = p.since(from)
		c.Whens = append(c.Whens, w)
	}
	if p.accept(tElse) {
		c.Else = p.expr()
	}
	p.expect(tEnd)
	c.Meta = p.since(from)
	return c
}

func (p *reader) cast() tree.Expr {
	from := p.at
	p.expect(tCast, tLParen)
	c := &tree.Cast{X: p.expr()}
	p.expect(tAs)
	c.Type = p.typeName()
	p.expect(tRParen)
	c.Meta = p.since(from)
	return c
}
