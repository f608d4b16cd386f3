package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// startsQuery reports whether a query, and nothing else, begins with the next
// token; a query can also begin with a parenthesis.
func (p *reader) startsQuery() bool {
	switch p.peek() {
	case tSelect, tWith, tValues, tTable:
		return true
	}
	return false
}

// query reads a query with all that surrounds it.
func (p *reader) query() *tree.Query {
	from := p.at
	var with *tree.With
	if p.peek() == tWith {
		with = p.with()
	}
	q := p.queryWithoutWith()
	if with != nil {
		q.With, q.Meta = with, p.since(from)
	}
	return q
}

func (p *reader) with() *tree.With {
	from := p.at
	p.expect(tWith)
	w := &tree.With{Recursive: p.accept(tRecursive)}
	for {
		from := p.at
		t := &tree.CommonTable{Name: p.name(), Columns: p.columnNames()}
		p.expect(tAs, tLParen)
		t.Query = p.query()
		p.expect(tRParen)
		t.Meta = p.since(from)
		w.Queries = append(w.Queries, t)
		if !p.accept(tComma) {
			break
		}
	}
	w.Meta = p.since(from)
	return w
}

func (p *reader) queryWithoutWith() *tree.Query {
	from := p.at
	return p.queryAfter(from, p.queryTerm())
}

// queryAfter reads what follows the body of a query: ORDER BY, OFFSET and LIMIT.
func (p *reader) queryAfter(from int, body tree.QueryBody) *tree.Query {
	q := &tree.Query{Body: body}
	if p.accept(tOrder) {
		p.expect(tBy)
		q.OrderBy = p.sortItems()
	}
	if p.offsetFollows() {
		p.at++
		q.Offset = p.rowCount()
		if !p.accept(tRow) {
			p.accept(tRows)
		}
	}
	if p.limitFollows() {
		q.Limit = p.limit()
	}
	q.Meta = p.since(from)
	return q
}

// LIMIT, OFFSET, FETCH and WINDOW are names too. They are clauses where what
// belongs to the clause follows.

func (p *reader) offsetFollows() bool {
	return p.peek() == tOffset && (p.ahead(1) == tIntegerValue || p.ahead(1) == tQuestionMark)
}

func (p *reader) limitFollows() bool {
	switch p.peek() {
	case tLimit:
		return p.ahead(1) == tIntegerValue || p.ahead(1) == tQuestionMark || p.ahead(1) == tAll
	case tFetch:
		return p.ahead(1) == tFirst || p.ahead(1) == tNext
	}
	return false
}

func (p *reader) windowFollows() bool {
	return p.peek() == tWindow && p.isName(1) && p.ahead(2) == tAs
}

func (p *reader) limit() *tree.Limit {
	from := p.at
	l := &tree.Limit{}
	if p.accept(tLimit) {
		if !p.accept(tAll) {
			l.Count = p.rowCount()
		}
		l.Meta = p.since(from)
		return l
	}
	l.Fetch = true
	p.expect(tFetch)
	p.oneOf(tFirst, tNext)
	if p.peek() == tIntegerValue || p.peek() == tQuestionMark {
		l.Count = p.rowCount()
	}
	p.oneOf(tRow, tRows)
	if !p.accept(tOnly) {
		p.expect(tWith, tTies)
		l.WithTies = true
	}
	l.Meta = p.since(from)
	return l
}

func (p *reader) rowCount() tree.Expr {
	from := p.at
	if p.accept(tQuestionMark) {
		return &tree.Param{Meta: p.since(from)}
	}
	if p.peek() != tIntegerValue {
		p.fail()
		return nil
	}
	return p.number()
}

func (p *reader) sortItems() []*tree.SortItem {
	items := []*tree.SortItem{p.sortItem()}
	for p.accept(tComma) {
		items = append(items, p.sortItem())
	}
	return items
}

func (p *reader) sortItem() *tree.SortItem {
	from := p.begin()
	item := &tree.SortItem{Expr: p.expr()}
	switch {
	case p.accept(tAsc):
		item.Asc = true
	case p.accept(tDesc):
		item.Desc = true
	}
	if p.accept(tNulls) {
		item.Nulls = p.oneOf(tFirst, tLast)
	}
	item.Meta = p.since(from)
	return item
}

// queryTerm reads set operations: UNION and EXCEPT bind weaker than INTERSECT.
func (p *reader) queryTerm() tree.QueryBody {
	from := p.at
	return p.setOperations(from, p.queryPrimary())
}

// setOperations reads on after a first body, which begins at the token from.
func (p *reader) setOperations(from int, left tree.QueryBody) tree.QueryBody {
	left = p.intersections(from, left)
	for p.peek() == tUnion || p.peek() == tExcept {
		op := p.setOp(left)
		right := p.at
		op.Right = p.intersections(right, p.queryPrimary())
		op.Meta = p.since(from)
		left = op
	}
	return left
}

func (p *reader) intersections(from int, left tree.QueryBody) tree.QueryBody {
	for p.peek() == tIntersect {
		op := p.setOp(left)
		op.Right = p.queryPrimary()
		op.Meta = p.since(from)
		left = op
	}
	return left
}

// setOp reads the operator of a set operation.
func (p *reader) setOp(left tree.QueryBody) *tree.SetOp {
	op := &tree.SetOp{Op: p.word(), Left: left}
	switch {
	case p.accept(tDistinct):
		op.Quantifier = tree.QuantifierDistinct
	case p.accept(tAll):
		op.Quantifier = tree.QuantifierAll
	}
	if p.accept(kCorresponding) {
		p.beyond, op.Corresponding = true, true
		if p.accept(tBy) {
			if p.peek() != tLParen {
				p.fail()
			}
			op.CorrespondingBy = p.columnNames()
		}
	}
	return op
}

func (p *reader) queryPrimary() tree.QueryBody {
	from := p.at
	switch p.peek() {
	case tSelect:
		return p.selectQuery()
	case tTable:
		p.at++
		t := &tree.Table{Name: p.qualified()}
		t.Meta = t.Name.Meta
		return &tree.TableQuery{Meta: p.since(from), Table: t}
	case tValues:
		p.at++
		v := &tree.Values{Rows: p.exprs()}
		v.Meta = p.since(from)
		return v
	case tLParen:
		p.at++
		q := &tree.ParenQuery{Query: p.queryWithoutWith()}
		p.expect(tRParen)
		q.Meta = p.since(from)
		return q
	}
	p.fail()
	return nil
}

func (p *reader) selectQuery() tree.QueryBody {
	from := p.at
	p.expect(tSelect)
	s := &tree.Select{Quantifier: p.selectQuantifier()}
	s.Items = append(s.Items, p.selectItem())
	for p.accept(tComma) {
		s.Items = append(s.Items, p.selectItem())
	}
	if p.accept(tFrom) {
		s.From = append(s.From, p.relation())
		for p.accept(tComma) {
			s.From = append(s.From, p.relation())
		}
	}
	if p.accept(tWhere) {
		s.Where = p.expr()
	}
	if p.accept(tGroup) {
		p.expect(tBy)
		s.GroupBy = p.groupBy()
	}
	if p.accept(tHaving) {
		s.Having = p.expr()
	}
	if p.windowFollows() {
		p.at++
		s.Windows = append(s.Windows, p.namedWindow())
		for p.accept(tComma) {
			s.Windows = append(s.Windows, p.namedWindow())
		}
	}
	s.Meta = p.since(from)
	return s
}

// selectQuantifier reads DISTINCT or ALL; in SELECT ALL * the star is all columns
// unless a second factor follows.
func (p *reader) selectQuantifier() tree.Quantifier {
	if p.follows(tAll, tAsterisk) && !p.startsExpr(2) {
		p.at++
		return tree.QuantifierAll
	}
	return p.quantifier()
}

func (p *reader) selectItem() tree.SelectItem {
	from := p.at
	if p.accept(tAsterisk) {
		return &tree.Star{Meta: p.since(from)}
	}
	x := p.expr()
	if p.follows(tDot, tAsterisk) && isPrimary(x) {
		p.at += 2
		star := &tree.Star{Qualifier: x}
		if p.accept(tAs) {
			if p.peek() != tLParen {
				p.fail()
			}
			star.Aliases = p.columnNames()
		}
		star.Meta = p.since(from)
		return star
	}
	item := &tree.SelectExpr{Expr: x}
	if p.accept(tAs) || p.isName(0) && !p.offsetFollows() && !p.limitFollows() && !p.windowFollows() {
		item.Alias = p.name()
	}
	item.Meta = p.since(from)
	return item
}

// isPrimary reports whether an expression needs no parentheses before a dot.
func isPrimary(x tree.Expr) bool {
	switch x.(type) {
	case *tree.Binary, *tree.Unary, *tree.Not, *tree.AtTimeZone, *tree.IsNull, *tree.Between, *tree.InList, *tree.InQuery, *tree.Like,
		*tree.Quantified, *tree.Lambda, nil:
		return false
	}
	return true
}

func (p *reader) groupBy() *tree.GroupBy {
	from := p.at
	g := &tree.GroupBy{}
	switch {
	case p.accept(tDistinct):
		g.Quantifier = tree.QuantifierDistinct
	case p.peek() == tAll && (p.startsExpr(1) || p.ahead(1) == tRollup || p.ahead(1) == tCube || p.ahead(1) == kAuto):
		p.at++
		g.Quantifier = tree.QuantifierAll
	}
	g.Elements = append(g.Elements, p.groupingElement())
	for p.accept(tComma) {
		g.Elements = append(g.Elements, p.groupingElement())
	}
	g.Meta = p.since(from)
	return g
}

func (p *reader) groupingElement() *tree.GroupingElement {
	from := p.at
	e := &tree.GroupingElement{}
	switch {
	case p.accept(kAuto):
		e.Kind, p.beyond = tree.GroupingAuto, true
	case p.accept(tRollup):
		e.Kind, e.Sets = tree.GroupingRollup, p.groupingSets(true)
	case p.accept(tCube):
		e.Kind, e.Sets = tree.GroupingCube, p.groupingSets(true)
	case p.follows(tGrouping, tSets):
		p.at += 2
		e.Kind, e.Sets = tree.GroupingSets, p.groupingSets(false)
	default:
		e.Sets = []*tree.GroupingSet{p.groupingSet()}
	}
	e.Meta = p.since(from)
	return e
}

// groupingSets reads sets in parentheses; there may be none in a ROLLUP or CUBE.
func (p *reader) groupingSets(mayBeEmpty bool) []*tree.GroupingSet {
	p.expect(tLParen)
	if mayBeEmpty && p.accept(tRParen) {
		p.wrong(p.at-1, "ROLLUP and CUBE need an expression")
		return nil
	}
	sets := []*tree.GroupingSet{p.groupingSet()}
	for p.accept(tComma) {
		sets = append(sets, p.groupingSet())
	}
	p.expect(tRParen)
	return sets
}

// groupingSet reads (a, b) or a. An expression may begin with a parenthesis too:
// only one that ends with the same parenthesis is a set.
func (p *reader) groupingSet() *tree.GroupingSet {
	from := p.at
	s := &tree.GroupingSet{}
	if p.follows(tLParen, tRParen) && p.ahead(2) != tArrow {
		p.at += 2
		s.Parens = true
		s.Meta = p.since(from)
		return s
	}
	x := p.expr()
	s.Exprs = []tree.Expr{x}
	switch x := x.(type) {
	case *tree.Paren:
		s.Exprs, s.Parens = []tree.Expr{x.X}, true
	case *tree.Row:
		if !x.Keyword {
			s.Exprs, s.Parens = x.Items, true
		}
	}
	s.Meta = p.since(from)
	return s
}
