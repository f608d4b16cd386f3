package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// jsonFunction reads JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT and
// JSON_ARRAY.
func (p *reader) jsonFunction() tree.Expr {
	from := p.at
	switch p.peek() {
	case tJSONExists:
		p.at++
		p.expect(tLParen)
		e := &tree.JSONExists{Path: p.jsonPath()}
		if p.peek() != tRParen {
			e.OnError = p.oneOf(tTrue, tFalse, tUnknown, tError)
			p.expect(tOn, tError)
		}
		p.expect(tRParen)
		e.Meta = p.since(from)
		return e
	case tJSONValue:
		p.at++
		p.expect(tLParen)
		v := &tree.JSONValue{Path: p.jsonPath()}
		if p.accept(tReturning) {
			v.Returning = p.typeName()
		}
		v.OnEmpty, v.OnError = p.jsonBehaviors(false)
		p.expect(tRParen)
		v.Meta = p.since(from)
		return v
	case tJSONQuery:
		p.at++
		p.expect(tLParen)
		q := &tree.JSONQuery{Path: p.jsonPath()}
		q.Returning, q.Format = p.jsonReturning()
		q.Wrapper, q.Quotes = p.jsonWrapper(), p.jsonQuotes()
		q.OnEmpty, q.OnError = p.jsonBehaviors(true)
		p.expect(tRParen)
		q.Meta = p.since(from)
		return q
	case tJSONObject:
		return p.jsonObject()
	case tJSONArray:
		return p.jsonArray()
	}
	p.fail()
	return nil
}

func (p *reader) jsonPath() *tree.JSONPath {
	from := p.at
	j := &tree.JSONPath{Input: p.jsonInput()}
	p.expect(tComma)
	j.Path = p.str()
	if p.accept(tAs) {
		p.beyond = true
		j.Name = p.name()
	}
	if p.accept(tPassing) {
		j.Passing = append(j.Passing, p.jsonArgument())
		for p.accept(tComma) {
			j.Passing = append(j.Passing, p.jsonArgument())
		}
	}
	j.Meta = p.since(from)
	return j
}

func (p *reader) jsonArgument() *tree.JSONArgument {
	from := p.at
	a := &tree.JSONArgument{Value: p.jsonInput()}
	p.expect(tAs)
	a.Name = p.name()
	a.Meta = p.since(from)
	return a
}

func (p *reader) jsonInput() *tree.JSONInput {
	from := p.begin()
	i := &tree.JSONInput{X: p.expr()}
	i.Format = p.jsonFormat()
	i.Meta = p.since(from)
	return i
}

// jsonFormat reads FORMAT JSON [ENCODING ...], where it is there.
func (p *reader) jsonFormat() string {
	if !p.accept(tFormat) {
		return ""
	}
	p.expect(tJSON)
	if p.accept(tEncoding) {
		return "JSON ENCODING " + p.oneOf(tUTF8, tUTF16, tUTF32)
	}
	return "JSON"
}

func (p *reader) jsonReturning() (*tree.TypeName, string) {
	if !p.accept(tReturning) {
		return nil, ""
	}
	return p.typeName(), p.jsonFormat()
}

func (p *reader) jsonWrapper() string {
	var words string
	switch {
	case p.accept(tWithout):
		words = "WITHOUT"
	case p.accept(tWith):
		words = "WITH"
		if p.peek() == tConditional || p.peek() == tUnconditional {
			words += " " + p.word()
		}
	default:
		return ""
	}
	if p.accept(tArray) {
		words += " ARRAY"
	}
	p.expect(tWrapper)
	return words
}

func (p *reader) jsonQuotes() string {
	if p.peek() != tKeep && p.peek() != tOmit {
		return ""
	}
	words := p.word()
	p.expect(tQuotes)
	if p.accept(tOn) {
		p.expect(tScalar, tTextString)
		words += " ON SCALAR STRING"
	}
	return words
}

// jsonBehaviors reads [... ON EMPTY] [... ON ERROR]; empty says that an empty
// array or object may be asked for, and not a default.
func (p *reader) jsonBehaviors(empty bool) (onEmpty, onError *tree.JSONBehavior) {
	for onError == nil {
		from := p.at
		b := &tree.JSONBehavior{}
		switch k := p.peek(); {
		case k == tError || k == tNull:
			b.Kind = p.word()
		case k == tDefault && !empty:
			b.Kind = p.word()
			b.Default = p.expr()
		case k == tEmpty && empty:
			p.at++
			b.Kind = "EMPTY " + p.oneOf(tArray, tObject)
		default:
			return onEmpty, onError
		}
		b.Meta = p.since(from)
		p.expect(tOn)
		if onEmpty == nil && p.accept(tEmpty) {
			onEmpty = b
			continue
		}
		p.expect(tError)
		onError = b
	}
	return onEmpty, onError
}

func (p *reader) jsonObject() tree.Expr {
	from := p.at
	p.expect(tJSONObject, tLParen)
	o := &tree.JSONObject{}
	if p.peek() != tRParen && !p.jsonReturningFollows() {
		o.Members = append(o.Members, p.jsonMember())
		for p.accept(tComma) {
			o.Members = append(o.Members, p.jsonMember())
		}
		o.Nulls = p.jsonNulls()
		if p.peek() == tWith || p.peek() == tWithout {
			o.Unique = p.word()
			p.expect(tUnique)
			p.accept(tKeys)
		}
	}
	o.Returning, o.Format = p.jsonReturning()
	p.expect(tRParen)
	o.Meta = p.since(from)
	return o
}

// jsonReturningFollows tells the clause RETURNING from a column of that name.
func (p *reader) jsonReturningFollows() bool {
	return p.peek() == tReturning && p.isName(1) && p.ahead(1) != tValue && p.ahead(1) != tFormat
}

// jsonNulls reads NULL ON NULL or ABSENT ON NULL, where it is there.
func (p *reader) jsonNulls() string {
	if p.peek() != tNull && p.peek() != tAbsent {
		return ""
	}
	word := p.word()
	p.expect(tOn, tNull)
	return word
}

// jsonMember reads [KEY] key VALUE value or key : value. KEY and VALUE are names
// too.
func (p *reader) jsonMember() *tree.JSONMember {
	from := p.at
	m := &tree.JSONMember{}
	if p.peek() == tKey && p.startsExpr(1) && p.retry(func() {
		p.at++
		m.Key = p.expr()
		p.expect(tValue)
		m.Value = p.jsonInput()
	}) {
		m.Meta = p.since(from)
		return m
	}
	m.Key = p.expr()
	if !p.accept(tColon) {
		p.expect(tValue)
	}
	m.Value = p.jsonInput()
	m.Meta = p.since(from)
	return m
}

func (p *reader) jsonArray() tree.Expr {
	from := p.at
	p.expect(tJSONArray, tLParen)
	a := &tree.JSONArray{}
	if p.peek() != tRParen && !p.jsonReturningFollows() {
		a.Items = append(a.Items, p.jsonInput())
		for p.accept(tComma) {
			a.Items = append(a.Items, p.jsonInput())
		}
		a.Nulls = p.jsonNulls()
	}
	a.Returning, a.Format = p.jsonReturning()
	p.expect(tRParen)
	a.Meta = p.since(from)
	return a
}

func (p *reader) jsonTable() tree.Relation {
	from := p.at
	p.beyond = true
	p.expect(tJSONTable, tLParen)
	t := &tree.JSONTable{Path: p.jsonPath()}
	t.Columns = p.jsonColumns()
	if p.peek() == tPlan {
		plan := p.at
		p.jsonPlan()
		t.Plan = p.textSince(plan)
	}
	if p.peek() == tError || p.peek() == tEmpty {
		t.OnError = p.word()
		p.expect(tOn, tError)
	}
	p.expect(tRParen)
	t.Meta = p.since(from)
	return t
}

func (p *reader) jsonColumns() []*tree.JSONColumn {
	p.expect(tColumns, tLParen)
	columns := []*tree.JSONColumn{p.jsonColumn()}
	for p.accept(tComma) {
		columns = append(columns, p.jsonColumn())
	}
	p.expect(tRParen)
	return columns
}

func (p *reader) jsonColumn() *tree.JSONColumn {
	from := p.at
	c := &tree.JSONColumn{}
	switch {
	case p.peek() == tNested && (p.ahead(1) == tPath || p.ahead(1) == tString || p.ahead(1) == tUnicodeString):
		p.at++
		p.accept(tPath)
		c.Kind, c.Path = tree.JSONColumnNested, p.str()
		if p.accept(tAs) {
			c.Name = p.name()
		}
		c.Columns = p.jsonColumns()
	case p.isName(0) && p.ahead(1) == tFor:
		c.Kind, c.Name = tree.JSONColumnOrdinality, p.name()
		p.expect(tFor, tOrdinality)
	default:
		p.jsonValueColumn(c)
	}
	c.Meta = p.since(from)
	return c
}

func (p *reader) jsonValueColumn(c *tree.JSONColumn) {
	c.Kind, c.Name, c.Type = tree.JSONColumnValue, p.name(), p.typeName()
	if c.Format = p.jsonFormat(); c.Format != "" {
		c.Kind = tree.JSONColumnQuery
	}
	if p.accept(tPath) {
		c.Path = p.str()
	}
	if c.Kind == tree.JSONColumnQuery {
		c.Wrapper, c.Quotes = p.jsonWrapper(), p.jsonQuotes()
	}
	c.OnEmpty, c.OnError = p.jsonBehaviors(c.Kind == tree.JSONColumnQuery)
}

// jsonPlan reads PLAN (...) or PLAN DEFAULT (...).
func (p *reader) jsonPlan() {
	p.expect(tPlan)
	if p.accept(tDefault) {
		p.expect(tLParen)
		first := p.oneOf(tOuter, tInner, tUnion, tCross)
		if p.accept(tComma) {
			if first == "OUTER" || first == "INNER" {
				p.oneOf(tUnion, tCross)
			} else {
				p.oneOf(tOuter, tInner)
			}
		}
		p.expect(tRParen)
		return
	}
	p.expect(tLParen)
	p.jsonSpecificPlan()
	p.expect(tRParen)
}

func (p *reader) jsonSpecificPlan() {
	named := p.isName(0)
	p.jsonPlanPrimary()
	switch k := p.peek(); {
	case named && (k == tOuter || k == tInner):
		p.at++
		p.jsonPlanPrimary()
	case k == tUnion || k == tCross:
		for p.accept(k) {
			p.jsonPlanPrimary()
		}
	case !named:
		p.fail()
	}
}

func (p *reader) jsonPlanPrimary() {
	if p.accept(tLParen) {
		p.jsonSpecificPlan()
		p.expect(tRParen)
		return
	}
	p.name()
}
