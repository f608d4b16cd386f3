package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// statement reads a statement that has a tree. All others fail here, and are
// named by the grammar.
func (p *reader) statement() *tree.Statement {
	from := p.at
	s := &tree.Statement{Kind: tree.KindQuery}
	switch p.peek() {
	case tWith:
		switch {
		case p.ahead(1) == tSession && p.isName(2):
			s.Kind = tree.KindWithSession
			p.withSession()
		case p.ahead(1) == tFunction && p.isName(2):
			p.fail()
		default:
			s.Query = p.query()
		}
	case tSelect, tValues, tTable, tLParen:
		s.Query = p.query()
	case tExplain:
		s.Kind, s.Explain = p.explain()
	case tShow:
		s.Show = p.show()
		s.Kind = s.Show.Kind
	case tDescribe, tDesc:
		s.Show = p.describe()
		s.Kind = s.Show.Kind
	default:
		p.fail()
	}
	s.Meta = p.since(from)
	return s
}

// withSession reads WITH SESSION name = value, ... and the query after it, of
// which nothing is kept.
func (p *reader) withSession() {
	p.beyond = true
	p.expect(tWith, tSession)
	for first := true; first || p.accept(tComma); first = false {
		p.qualified()
		p.expect(tEq)
		p.expr()
	}
	p.query()
}

func (p *reader) explain() (tree.StatementKind, *tree.Explain) {
	from := p.at
	p.expect(tExplain)
	e := &tree.Explain{}
	kind := tree.KindExplain
	switch {
	case p.accept(tAnalyze):
		kind = tree.KindExplainAnalyze
		e.Analyze, e.Verbose = true, p.accept(tVerbose)
	case p.peek() == tLParen && (p.ahead(1) == tType || p.ahead(1) == tFormat):
		p.at++
		e.Options = append(e.Options, p.explainOption())
		for p.accept(tComma) {
			e.Options = append(e.Options, p.explainOption())
		}
		p.expect(tRParen)
	}
	e.Statement = p.statement()
	e.Meta = p.since(from)
	return kind, e
}

func (p *reader) explainOption() *tree.ExplainOption {
	from := p.at
	o := &tree.ExplainOption{Name: p.oneOf(tType, tFormat)}
	if o.Name == "TYPE" {
		o.Value = p.oneOf(tLogical, tDistributed, tValidate, tIO)
	} else {
		o.Value = p.oneOf(tText, tGraphviz, tJSON)
	}
	o.Meta = p.since(from)
	return o
}

func (p *reader) show() *tree.Show {
	from := p.at
	p.expect(tShow)
	s := &tree.Show{}
	switch p.peek() {
	case tCreate:
		p.showCreate(s)
	case tStats:
		p.showStats(s)
	default:
		p.showList(s)
	}
	s.Meta = p.since(from)
	return s
}

// showList reads the kinds that list things and can be narrowed by LIKE.
func (p *reader) showList(s *tree.Show) {
	switch p.peek() {
	case tCatalogs, tSession:
		s.Kind = p.showKind()
	case tSchemas:
		s.Kind = p.showKind()
		if p.accept(tFrom) || p.accept(tIn) {
			from := p.at
			s.Name = &tree.Name{Parts: []*tree.Ident{p.name()}}
			s.Name.Meta = p.since(from)
		}
	case tTables, tFunctions:
		s.Kind = p.showKind()
		if p.accept(tFrom) || p.accept(tIn) {
			s.Name = p.qualified()
		}
	case tColumns:
		p.beyond = true // to the grammar the table may be missing
		s.Kind = p.showKind()
		p.oneOf(tFrom, tIn)
		s.Name = p.qualified()
	default:
		p.fail()
	}
	if p.accept(tLike) {
		s.Like = p.str()
		if p.accept(tEscape) {
			s.Escape = p.str()
		}
	}
}

func (p *reader) showKind() tree.StatementKind { return tree.StatementKind("SHOW " + p.word()) }

func (p *reader) showCreate(s *tree.Show) {
	p.expect(tCreate)
	kind := "SHOW CREATE "
	if p.accept(tMaterialized) {
		kind += "MATERIALIZED " + p.oneOf(tView)
	} else {
		p.beyond = p.beyond || p.peek() == tFunction
		kind += p.oneOf(tTable, tSchema, tView, tFunction)
	}
	s.Kind, s.Name = tree.StatementKind(kind), p.qualified()
}

func (p *reader) showStats(s *tree.Show) {
	p.expect(tStats, tFor)
	if !p.accept(tLParen) {
		s.Kind, s.Name = tree.KindShowStats, p.qualified()
		return
	}
	s.Kind, s.Query = tree.KindShowStatsForQuery, p.query()
	p.expect(tRParen)
}

// describe reads DESCRIBE table, which is SHOW COLUMNS by another name.
func (p *reader) describe() *tree.Show {
	from := p.at
	p.advance()
	if k := p.peek(); (k == tInput || k == tOutput) && p.isName(1) {
		p.fail() // of a prepared statement
	}
	s := &tree.Show{Kind: tree.KindShowColumns, Name: p.qualified()}
	s.Meta = p.since(from)
	return s
}
