package parser

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// reader turns tokens into a tree by recursive descent. It is for speed: what it
// cannot read goes to the grammar, which words the mistake (see grammar.go).
//
// After a mistake it stands at the end of the text, where nothing fits any more,
// so that all that was begun ends by itself; what it returns then is no tree.
type reader struct {
	source   *tree.Source
	text     string
	tokens   []token
	names    []bool // by kind: may be a name without quotes
	at       int    // index of the next token
	failed   bool
	furthest int // index of the token that the reader got stuck at
	retries  int // how often a second reading of the same words was tried
	// badName is the first name that Presto does not take, misread the first thing
	// that reads well and yet is wrong, such as a number that is too large.
	badName, misread *Error
	// beyond says that the text has what the grammar does not know.
	beyond bool
	// given is an expression that was read already and is the next operand; it
	// begins at the token givenAt.
	given   tree.Expr
	givenAt int
	work    *work

	idents  slab[tree.Ident]
	columns slab[tree.ColumnRef]
	parts   slab[*tree.Ident]
}

// slab hands out values from a block: trees hold many small nodes, and live and
// die as a whole.
type slab[T any] struct{ free []T }

// take returns a slice of one value, without room to grow.
func (s *slab[T]) take() []T {
	if len(s.free) == 0 {
		s.free = make([]T, slabSize)
	}
	one := s.free[:1:1]
	s.free = s.free[1:]
	return one
}

const slabSize = 16

// maxRetries bounds the second readings of a statement: each can be as long as
// the rest of it.
const maxRetries = 100

func newReader(source *tree.Source, tokens []token, w *work) *reader {
	return &reader{source: source, text: source.Text(), tokens: tokens, names: vocabulary().names, work: w}
}

func (p *reader) peek() kind { return p.tokens[p.at].kind }

// ahead returns the kind of the token n after the next one.
func (p *reader) ahead(n int) kind {
	if i := p.at + n; i < len(p.tokens) {
		return p.tokens[i].kind
	}
	return kEnd
}

// follows reports whether the next tokens are of these kinds.
func (p *reader) follows(kinds ...kind) bool {
	for i, k := range kinds {
		if p.ahead(i) != k {
			return false
		}
	}
	return true
}

// accept reads the next token if it is of this kind.
func (p *reader) accept(k kind) bool {
	if p.peek() != k || k == kEnd {
		return false
	}
	p.at++
	return true
}

// expect reads tokens that have to be there.
func (p *reader) expect(kinds ...kind) {
	for _, k := range kinds {
		if !p.accept(k) {
			p.fail()
			return
		}
	}
}

// oneOf reads a token of one of the kinds, which has to be there, and returns it
// in upper case.
func (p *reader) oneOf(kinds ...kind) string {
	for _, k := range kinds {
		if p.peek() == k {
			return p.word()
		}
	}
	p.fail()
	return ""
}

// word reads the next token, whatever it is, and returns it in upper case.
func (p *reader) word() string {
	t := p.tokens[p.at]
	p.advance()
	return strings.ToUpper(p.text[t.start:t.end])
}

func (p *reader) advance() {
	if p.peek() != kEnd {
		p.at++
	}
}

// fail notes that the next token does not fit.
func (p *reader) fail() {
	if !p.failed {
		p.failed = true
		p.furthest = max(p.furthest, p.at)
	}
	p.at = len(p.tokens) - 1
}

// wrong notes a mistake at a token that reads well.
func (p *reader) wrong(at int, message string) {
	if p.misread == nil {
		p.misread = fail(p.source, CodeSyntax, p.tokens[at], message)
	}
}

// begin returns the index of the token that the next node begins with.
func (p *reader) begin() int {
	if p.given != nil {
		return p.givenAt
	}
	return p.at
}

// since returns the Meta of what was read from the token at index from.
func (p *reader) since(from int) tree.Meta { return tree.At(p.spanSince(from)) }

func (p *reader) spanSince(from int) tree.Span {
	start := p.tokens[from].start
	if p.at <= from {
		return p.source.Span(start, start)
	}
	return p.source.Span(start, p.tokens[p.at-1].end)
}

// textSince returns the text from a token to the last one read.
func (p *reader) textSince(from int) string { return p.spanSince(from).Text() }

// retry reads something that may turn out to be something else; where it fails,
// nothing was read.
func (p *reader) retry(read func()) bool {
	if p.failed {
		return false
	}
	at, badName, misread := p.at, p.badName, p.misread
	read()
	if !p.failed {
		return true
	}
	if p.retries++; p.retries > maxRetries {
		return false
	}
	p.work.reread += p.furthest - at
	p.at, p.failed, p.badName, p.misread = at, false, badName, misread
	return false
}

// isName reports whether a token n ahead can be a name.
func (p *reader) isName(n int) bool {
	k := p.ahead(n)
	return int(k) < len(p.names) && p.names[k]
}

// name reads a name.
func (p *reader) name() *tree.Ident {
	at := p.at
	if !p.isName(0) {
		p.fail()
		return nil
	}
	t := p.tokens[at]
	p.at++
	id := &p.idents.take()[0]
	id.Meta, id.Name = tree.At(p.source.Span(t.start, t.end)), p.text[t.start:t.end]
	if t.kind == tQuotedIdentifier {
		id.Name, id.Quoted = unquote(id.Name, `"`), true
	}
	if p.badName == nil {
		p.badName = checkName(p.source, t)
	}
	return id
}

// checkName refuses the names that read well and that Presto does not take.
func checkName(source *tree.Source, t token) *Error {
	switch {
	case t.kind == tBackquotedIdentifier:
		return fail(source, CodeSyntax, t, "Presto does not know backquotes: quote names with double quotes")
	case t.kind == tDigitIdentifier:
		return fail(source, CodeSyntax, t, fmt.Sprintf("a name cannot begin with a digit: write %q in double quotes", source.Text()[t.start:t.end]))
	case t.kind == tQuotedIdentifier && t.end-t.start == 2:
		return fail(source, CodeSyntax, t, "a name cannot be empty")
	}
	return nil
}

// nameList reads names between commas.
func (p *reader) nameList() []*tree.Ident {
	ids := []*tree.Ident{p.name()}
	for p.accept(tComma) {
		ids = append(ids, p.name())
	}
	return ids
}

// columns reads names in parentheses, where there are any.
func (p *reader) columnNames() []*tree.Ident {
	if !p.accept(tLParen) {
		return nil
	}
	ids := p.nameList()
	p.expect(tRParen)
	return ids
}

// qualified reads a dotted name.
func (p *reader) qualified() *tree.Name {
	from := p.at
	n := &tree.Name{Parts: p.onePart()}
	for p.accept(tDot) {
		n.Parts = append(n.Parts, p.name())
	}
	n.Meta = p.since(from)
	return n
}

// onePart reads a name as the first part of a dotted one.
func (p *reader) onePart() []*tree.Ident {
	parts := p.parts.take()
	parts[0] = p.name()
	return parts
}

// quantifier reads DISTINCT or ALL. ALL is a name too: it is a quantifier where
// an expression follows.
func (p *reader) quantifier() tree.Quantifier {
	switch {
	case p.accept(tDistinct):
		return tree.QuantifierDistinct
	case p.peek() == tAll && p.startsExpr(1):
		p.at++
		return tree.QuantifierAll
	}
	return tree.QuantifierNone
}

// startsExpr reports whether an expression can begin with the token n ahead.
func (p *reader) startsExpr(n int) bool {
	switch p.ahead(n) {
	case tNull, tTrue, tFalse, tIntegerValue, tDecimalValue, tDoubleValue, tString, tUnicodeString, tBinaryLiteral, tQuestionMark,
		tLParen, tLSquare, tPlus, tMinus, tNot, tCase, tCast, tExists, tExtract, tTrim, tNormalize, tGrouping, tListagg,
		tJSONExists, tJSONValue, tJSONQuery, tJSONObject, tJSONArray, tCurrentDate, tCurrentTime, tCurrentTimestamp,
		tLocaltime, tLocaltimestamp, tCurrentUser, tCurrentCatalog, tCurrentSchema, tCurrentPath:
		return true
	}
	return p.isName(n)
}

func unquote(quoted, quote string) string {
	inner := quoted[1 : len(quoted)-1]
	if !strings.Contains(inner, quote) {
		return inner
	}
	return strings.ReplaceAll(inner, quote+quote, quote)
}
