package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// relation reads an element of FROM with its joins.
func (p *reader) relation() tree.Relation {
	from := p.at
	return p.joins(from, p.sampled(from, nil))
}

// joins reads the joins after a first relation, which begins at the token from.
func (p *reader) joins(from int, left tree.Relation) tree.Relation {
	for {
		j := &tree.Join{Left: left}
		switch p.peek() {
		case tCross:
			p.at++
			p.expect(tJoin)
			j.Kind, j.Right = tree.JoinCross, p.sampled(p.at, nil)
		case tNatural:
			p.at++
			j.Natural, j.Kind = true, p.joinKind()
			j.Right = p.sampled(p.at, nil)
		case tJoin, tInner, tLeft, tRight, tFull:
			j.Kind = p.joinKind()
			j.Right = p.relation()
			p.joinCriteria(j)
		default:
			return left
		}
		j.Meta = p.since(from)
		left = j
	}
}

func (p *reader) joinKind() tree.JoinKind {
	kind := tree.JoinInner
	switch {
	case p.accept(tInner):
	case p.accept(tLeft):
		kind = tree.JoinLeft
	case p.accept(tRight):
		kind = tree.JoinRight
	case p.accept(tFull):
		kind = tree.JoinFull
	}
	if kind != tree.JoinInner {
		p.accept(tOuter)
	}
	p.expect(tJoin)
	return kind
}

func (p *reader) joinCriteria(j *tree.Join) {
	switch {
	case p.accept(tOn):
		j.On = p.expr()
	case p.accept(tUsing):
		if p.peek() != tLParen {
			p.fail()
		}
		j.Using = p.columnNames()
	default:
		p.fail()
	}
}

// sampled reads a relation with its alias, MATCH_RECOGNIZE and TABLESAMPLE. One
// that was read already is given, with the token that it begins at.
func (p *reader) sampled(from int, r tree.Relation) tree.Relation {
	if r == nil {
		r = p.primaryRelation()
	}
	r = p.aliased(from, r)
	if p.matchRecognizeFollows() {
		r = p.aliased(from, p.matchRecognize(from, r))
	}
	if p.sampleFollows() {
		p.at++
		s := &tree.Sampled{Relation: r, Method: p.oneOf(tBernoulli, tSystem)}
		p.expect(tLParen)
		s.Percentage = p.expr()
		p.expect(tRParen)
		s.Meta = p.since(from)
		return s
	}
	return r
}

func (p *reader) sampleFollows() bool {
	return p.peek() == tTablesample && (p.ahead(1) == tBernoulli || p.ahead(1) == tSystem) && p.ahead(2) == tLParen
}

// matchRecognizeFollows tells the clause from an alias of that name with columns.
func (p *reader) matchRecognizeFollows() bool {
	if !p.follows(tMatchRecognize, tLParen) {
		return false
	}
	return !(p.isName(2) && (p.ahead(3) == tComma || p.ahead(3) == tRParen))
}

// aliased reads an alias where there is one.
func (p *reader) aliased(from int, r tree.Relation) tree.Relation {
	if !p.accept(tAs) {
		if !p.isName(0) || p.matchRecognizeFollows() || p.sampleFollows() || p.offsetFollows() || p.limitFollows() || p.windowFollows() {
			return r
		}
	}
	a := &tree.Aliased{Relation: r, Alias: p.name(), Columns: p.columnNames()}
	a.Meta = p.since(from)
	return a
}

func (p *reader) primaryRelation() tree.Relation {
	from := p.at
	switch {
	case p.peek() == tLParen:
		return p.parenRelation()
	case p.accept(tUnnest):
		u := &tree.Unnest{}
		p.expect(tLParen)
		u.Exprs = p.exprs()
		p.expect(tRParen)
		if p.follows(tWith, tOrdinality) {
			p.at += 2
			u.Ordinality = true
		}
		u.Meta = p.since(from)
		return u
	case p.follows(tLateral, tLParen):
		p.at += 2
		l := &tree.Lateral{Query: p.query()}
		p.expect(tRParen)
		l.Meta = p.since(from)
		return l
	case p.accept(tTable):
		return p.tableFunction(from)
	case p.peek() == tJSONTable:
		return p.jsonTable()
	}
	t := &tree.Table{Name: p.qualified()}
	if p.peek() == tFor {
		t.Version = p.tableVersion()
	}
	t.Meta = p.since(from)
	return t
}

func (p *reader) tableVersion() *tree.TableVersion {
	from := p.at
	p.expect(tFor)
	v := &tree.TableVersion{Kind: p.oneOf(tTimestamp, tVersion)}
	p.expect(tAs, tOf)
	v.X = p.value()
	v.Meta = p.since(from)
	return v
}

// parenRelation reads a query or a relation in parentheses. Where it begins with
// several parentheses, only what comes after the inner ones tells which it is:
// ((select 1) union select 2) is a query, ((select 1) a join b on true) is none.
func (p *reader) parenRelation() tree.Relation {
	from := p.at
	p.expect(tLParen)
	inner := p.at
	if p.startsQuery() {
		d := &tree.Derived{Query: p.query()}
		p.expect(tRParen)
		d.Meta = p.since(from)
		return d
	}
	if p.peek() == tLParen {
		r := p.parenRelation()
		if d, ok := r.(*tree.Derived); ok && d.Query != nil && d.Query.With == nil && p.queryGoesOn() {
			body := p.setOperations(inner, &tree.ParenQuery{Meta: d.Meta, Query: d.Query})
			d := &tree.Derived{Query: p.queryAfter(inner, body)}
			p.expect(tRParen)
			d.Meta = p.since(from)
			return d
		}
		return p.closeRelation(from, p.joins(inner, p.sampled(inner, r)))
	}
	return p.closeRelation(from, p.relation())
}

func (p *reader) closeRelation(from int, r tree.Relation) tree.Relation {
	p.expect(tRParen)
	return &tree.ParenRelation{Meta: p.since(from), Relation: r}
}

// queryGoesOn reports whether, after a query in parentheses, the next token makes
// it part of a larger query, the end of parentheses around it included.
func (p *reader) queryGoesOn() bool {
	switch p.peek() {
	case tUnion, tIntersect, tExcept, tOrder, tRParen:
		return true
	}
	return p.offsetFollows() || p.limitFollows()
}

// tableFunction reads on after TABLE.
func (p *reader) tableFunction(from int) tree.Relation {
	p.expect(tLParen)
	f := &tree.TableFunction{Name: p.qualified()}
	p.expect(tLParen)
	if p.peek() != tRParen && !p.follows(tCopartition, tLParen) {
		f.Args = append(f.Args, p.tableArgument())
		for p.accept(tComma) {
			f.Args = append(f.Args, p.tableArgument())
		}
	}
	if p.accept(tCopartition) {
		f.Copartition = append(f.Copartition, p.copartition())
		for p.accept(tComma) {
			f.Copartition = append(f.Copartition, p.copartition())
		}
	}
	p.expect(tRParen, tRParen)
	f.Meta = p.since(from)
	return f
}

func (p *reader) copartition() *tree.Copartition {
	from := p.at
	p.expect(tLParen)
	c := &tree.Copartition{Tables: []*tree.Name{p.qualified()}}
	p.expect(tComma)
	c.Tables = append(c.Tables, p.qualified())
	for p.accept(tComma) {
		c.Tables = append(c.Tables, p.qualified())
	}
	p.expect(tRParen)
	c.Meta = p.since(from)
	return c
}

func (p *reader) tableArgument() *tree.TableArgument {
	from := p.at
	a := &tree.TableArgument{}
	if p.isName(0) && p.ahead(1) == tDoubleArrow {
		a.Name = p.name()
		p.at++
	}
	switch {
	case p.follows(tTable, tLParen):
		p.tableArgumentRelation(a)
	case p.follows(tDescriptor, tLParen):
		p.at += 2
		a.Descriptor = append(a.Descriptor, p.descriptorField())
		for p.accept(tComma) {
			a.Descriptor = append(a.Descriptor, p.descriptorField())
		}
		p.expect(tRParen)
	case p.follows(tCast, tLParen, tNull, tAs, tDescriptor, tRParen):
		p.at += 6
		a.NoColumns = true
	default:
		a.Value = p.expr()
	}
	a.Meta = p.since(from)
	return a
}

func (p *reader) descriptorField() *tree.DescriptorField {
	from := p.at
	f := &tree.DescriptorField{Name: p.name()}
	if p.peek() != tComma && p.peek() != tRParen {
		f.Type = p.typeName()
	}
	f.Meta = p.since(from)
	return f
}

func (p *reader) tableArgumentRelation(a *tree.TableArgument) {
	from := p.at
	p.expect(tTable, tLParen)
	if p.startsQuery() || p.peek() == tLParen {
		d := &tree.Derived{Query: p.query()}
		p.expect(tRParen)
		d.Meta = p.since(from)
		a.Relation = d
	} else {
		begin := p.at
		t := &tree.Table{Name: p.qualified()}
		t.Meta = p.since(begin)
		p.expect(tRParen)
		a.Relation = t
	}
	if p.accept(tAs) || p.isName(0) && !p.tableArgumentGoesOn() {
		aliased := &tree.Aliased{Relation: a.Relation, Alias: p.name(), Columns: p.columnNames()}
		aliased.Meta = p.since(from)
		a.Relation = aliased
	}
	if p.follows(tPartition, tBy) {
		p.at += 2
		a.Partitioned = true
		a.PartitionBy = p.maybeParens()
	}
	if (p.peek() == tPrune || p.peek() == tKeep) && p.ahead(1) == tWhen {
		a.Empty = p.word()
		p.expect(tWhen, tEmpty)
	}
	if p.accept(tOrder) {
		p.expect(tBy)
		a.OrderBy = p.argumentOrder()
	}
}

func (p *reader) tableArgumentGoesOn() bool {
	return p.follows(tPartition, tBy) || p.follows(tPrune, tWhen) || p.follows(tKeep, tWhen) || p.follows(tCopartition, tLParen)
}

// maybeParens reads one expression, or any number in parentheses.
func (p *reader) maybeParens() []tree.Expr {
	if p.follows(tLParen, tRParen) {
		p.at += 2
		return nil
	}
	switch x := p.expr().(type) {
	case *tree.Paren:
		return []tree.Expr{x.X}
	case *tree.Row:
		if !x.Keyword {
			return x.Items
		}
		return []tree.Expr{x}
	default:
		return []tree.Expr{x}
	}
}

// argumentOrder reads ORDER BY x or ORDER BY (x, y).
func (p *reader) argumentOrder() []*tree.SortItem {
	var items []*tree.SortItem
	if p.peek() == tLParen && p.retry(func() {
		p.expect(tLParen)
		items = p.sortItems()
		p.expect(tRParen)
		if p.peek() != tComma && p.peek() != tRParen && p.peek() != tCopartition {
			p.fail()
		}
	}) {
		return items
	}
	return []*tree.SortItem{p.sortItem()}
}
