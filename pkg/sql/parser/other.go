package parser

import (
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// otherKind returns the statement that the grammar read, which begins at the token
// at: its kind, and of an EXPLAIN what is explained. It is nil for a kind that the
// reader reads: the grammar knows a little more of those than Trino.
func (p *reader) otherKind(ctx grammar.IStatementContext, at int) *tree.Statement {
	kind := kindOf(ctx)
	if readsKind(kind) {
		return nil
	}
	s := &tree.Statement{Meta: p.from(at), Kind: kind}
	var inner grammar.IStatementContext
	e := &tree.Explain{Meta: s.Meta}
	switch ctx := ctx.(type) {
	case *grammar.ExplainContext:
		inner = ctx.Statement()
		for _, o := range ctx.AllExplainOption() {
			i := o.GetStart().GetTokenIndex()
			name, value := p.tokenText(i), p.tokenText(i+1)
			e.Options = append(e.Options, &tree.ExplainOption{Meta: p.upTo(i, i+1), Name: name, Value: value})
		}
	case *grammar.ExplainAnalyzeContext:
		inner, e.Analyze, e.Verbose = ctx.Statement(), true, ctx.VERBOSE_() != nil
	default:
		return s
	}
	s.Explain = e
	if e.Statement = p.otherKind(inner, inner.GetStart().GetTokenIndex()); e.Statement == nil {
		return nil
	}
	return s
}

// readsKind reports whether the reader reads all statements of a kind.
func readsKind(kind tree.StatementKind) bool {
	switch kind {
	case tree.KindQuery, tree.KindShowCatalogs, tree.KindShowSchemas, tree.KindShowTables, tree.KindShowColumns, tree.KindShowFunctions,
		tree.KindShowSession, tree.KindShowStats, tree.KindShowStatsForQuery, tree.KindShowCreateTable, tree.KindShowCreateSchema,
		tree.KindShowCreateView, tree.KindShowCreateMaterializedView:
		return true
	}
	return false
}

// from returns the Meta of what begins at a token and goes on to the end.
func (p *reader) from(at int) tree.Meta { return p.upTo(at, len(p.tokens)-2) }

// upTo returns the Meta of the tokens from first to last.
func (p *reader) upTo(first, last int) tree.Meta {
	return tree.At(p.source.Span(p.tokens[first].start, p.tokens[last].end))
}

func (p *reader) tokenText(at int) string {
	p.at = at
	return p.word()
}
