package parser

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

func (p *reader) namedWindow() *tree.NamedWindow {
	from := p.at
	w := &tree.NamedWindow{Name: p.name()}
	p.expect(tAs, tLParen)
	w.Spec = p.window()
	p.expect(tRParen)
	w.Meta = p.since(from)
	return w
}

// window reads a window specification, up to its parenthesis.
func (p *reader) window() *tree.Window {
	from := p.at
	w := &tree.Window{}
	if p.isName(0) && !p.windowClauseFollows() {
		w.Base = p.name()
	}
	if p.follows(tPartition, tBy) {
		p.at += 2
		w.PartitionBy = p.exprs()
	}
	if p.accept(tOrder) {
		p.expect(tBy)
		w.OrderBy = p.sortItems()
	}
	if p.peek() != tRParen {
		w.Frame = p.frame()
	}
	w.Meta = p.since(from)
	return w
}

// windowClauseFollows tells a clause from the name of a window: the clauses' words
// are names too, and a name is followed by a clause or by the parenthesis.
func (p *reader) windowClauseFollows() bool {
	next := p.ahead(1)
	switch p.peek() {
	case tPartition:
		return next == tBy
	case tMeasures, tRange, tRows, tGroups:
		return next != tRParen && next != tOrder && !(next == tPartition && p.ahead(2) == tBy) &&
			!((next == tRange || next == tRows || next == tGroups) && (p.ahead(2) == tBetween || p.ahead(2) == tUnbounded || p.ahead(2) == tCurrent))
	}
	return false
}

func (p *reader) frame() *tree.Frame {
	from := p.at
	f := &tree.Frame{Measures: p.measures()}
	f.Unit = p.oneOf(tRange, tRows, tGroups)
	if p.peek() == tBetween {
		p.at++
		f.Start = p.bound()
		p.expect(tAnd)
		f.End = p.bound()
	} else {
		f.Start = p.bound()
	}
	f.Skip, f.Search = p.skip(), p.search()
	if p.accept(tPattern) {
		p.expect(tLParen)
		f.Pattern = p.rowPattern()
		p.expect(tRParen)
	}
	f.Subsets = p.subsets()
	if p.accept(tDefine) {
		f.Define = p.definitions()
	}
	f.Meta = p.since(from)
	return f
}

func (p *reader) bound() *tree.Bound {
	from := p.at
	b := &tree.Bound{}
	switch {
	case p.peek() == tUnbounded && (p.ahead(1) == tPreceding || p.ahead(1) == tFollowing):
		p.at++
		b.Kind = "UNBOUNDED " + p.word()
	case p.follows(tCurrent, tRow):
		p.at += 2
		b.Kind = "CURRENT ROW"
	default:
		b.X = p.expr()
		b.Kind = p.oneOf(tPreceding, tFollowing)
	}
	b.Meta = p.since(from)
	return b
}

// matchRecognize reads on after the relation that patterns are recognised in.
func (p *reader) matchRecognize(from int, r tree.Relation) tree.Relation {
	p.expect(tMatchRecognize, tLParen)
	m := &tree.MatchRecognize{Relation: r}
	if p.accept(tPartition) {
		p.expect(tBy)
		m.PartitionBy = p.exprs()
	}
	if p.accept(tOrder) {
		p.expect(tBy)
		m.OrderBy = p.sortItems()
	}
	m.Measures, m.RowsPerMatch = p.measures(), p.rowsPerMatch()
	m.Skip, m.Search = p.skip(), p.search()
	p.expect(tPattern, tLParen)
	m.Pattern = p.rowPattern()
	p.expect(tRParen)
	m.Subsets = p.subsets()
	p.expect(tDefine)
	m.Define = p.definitions()
	p.expect(tRParen)
	m.Meta = p.since(from)
	return m
}

func (p *reader) measures() []*tree.Measure {
	if !p.accept(tMeasures) {
		return nil
	}
	var measures []*tree.Measure
	for first := true; first || p.accept(tComma); first = false {
		from := p.at
		m := &tree.Measure{X: p.expr()}
		p.expect(tAs)
		m.Name = p.name()
		m.Meta = p.since(from)
		measures = append(measures, m)
	}
	return measures
}

func (p *reader) rowsPerMatch() string {
	switch {
	case p.accept(tOne):
		p.expect(tRow, tPer, tMatch)
		return "ONE ROW PER MATCH"
	case p.accept(tAll):
		p.expect(tRows, tPer, tMatch)
	default:
		return ""
	}
	words := "ALL ROWS PER MATCH"
	switch k := p.peek(); {
	case k == tShow || k == tOmit:
		words += " " + p.word() + " EMPTY MATCHES"
		p.expect(tEmpty, tMatches)
	case p.accept(tWith):
		words += " WITH UNMATCHED ROWS"
		p.expect(tUnmatched, tRows)
	}
	return words
}

// skip reads AFTER MATCH and returns the text that follows it.
func (p *reader) skip() string {
	if !p.accept(tAfter) {
		return ""
	}
	p.expect(tMatch)
	from := p.at
	p.expect(tSkip)
	switch {
	case p.accept(tPast):
		p.expect(tLast, tRow)
	case p.accept(tTo):
		if p.follows(tNext, tRow) {
			p.at += 2
			break
		}
		if (p.peek() == tFirst || p.peek() == tLast) && p.isName(1) && !p.skipEnds(1) {
			p.at++
		}
		p.name()
	default:
		p.fail()
	}
	return p.textSince(from)
}

// skipEnds reports whether the word n ahead goes on after SKIP TO name.
func (p *reader) skipEnds(n int) bool {
	switch p.ahead(n) {
	case tInitial, tSeek:
		return p.ahead(n+1) == tPattern
	case tPattern:
		return p.ahead(n+1) == tLParen
	}
	return false
}

func (p *reader) search() string {
	if p.peek() == tInitial || p.peek() == tSeek {
		return p.word()
	}
	return ""
}

func (p *reader) subsets() []*tree.Subset {
	if !p.accept(tSubset) {
		return nil
	}
	var subsets []*tree.Subset
	for first := true; first || p.accept(tComma); first = false {
		from := p.at
		s := &tree.Subset{Name: p.name()}
		p.expect(tEq)
		if p.peek() != tLParen {
			p.fail()
		}
		s.Variables = p.columnNames()
		s.Meta = p.since(from)
		subsets = append(subsets, s)
	}
	return subsets
}

func (p *reader) definitions() []*tree.Definition {
	var definitions []*tree.Definition
	for first := true; first || p.accept(tComma); first = false {
		from := p.at
		d := &tree.Definition{Name: p.name()}
		p.expect(tAs)
		d.Cond = p.expr()
		d.Meta = p.since(from)
		definitions = append(definitions, d)
	}
	return definitions
}

// rowPattern reads a pattern, up to its parenthesis, and keeps its text.
func (p *reader) rowPattern() *tree.RowPattern {
	from := p.at
	p.patternAlternatives()
	return &tree.RowPattern{Meta: p.since(from), Text: p.textSince(from)}
}

func (p *reader) patternAlternatives() {
	p.patternSequence()
	for p.accept(tVBar) {
		p.patternSequence()
	}
}

func (p *reader) patternSequence() {
	for first := true; first || p.patternStarts(); first = false {
		p.patternPrimary()
		p.patternQuantifier()
	}
}

func (p *reader) patternStarts() bool {
	switch p.peek() {
	case tLParen, tCaret, tDollar, tLCurlyHyphen:
		return true
	}
	return p.isName(0)
}

func (p *reader) patternPrimary() {
	switch {
	case p.follows(tLParen, tRParen):
		p.at += 2
	case p.accept(tLParen):
		p.patternAlternatives()
		p.expect(tRParen)
	case p.follows(tPermute, tLParen):
		p.at += 2
		p.patternAlternatives()
		for p.accept(tComma) {
			p.patternAlternatives()
		}
		p.expect(tRParen)
	case p.accept(tCaret) || p.accept(tDollar):
	case p.accept(tLCurlyHyphen):
		p.patternAlternatives()
		p.expect(tRCurlyHyphen)
	default:
		p.name()
	}
}

func (p *reader) patternQuantifier() {
	switch {
	case p.accept(tAsterisk), p.accept(tPlus), p.accept(tQuestionMark):
	case p.accept(tLCurly):
		least := p.accept(tIntegerValue)
		if p.accept(tComma) {
			p.accept(tIntegerValue)
		} else if !least {
			p.fail()
		}
		p.expect(tRCurly)
	default:
		return
	}
	p.accept(tQuestionMark)
}
