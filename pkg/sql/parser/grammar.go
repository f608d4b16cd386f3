package parser

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// verdict is what the grammar says of a text that the reader did not read: a
// statement of another kind, or a mistake at a token.
type verdict struct {
	statement grammar.IStatementContext // nil: a mistake
	at        int                       // index of the token
	consumed  int                       // how many tokens were read for good before the mistake was met
	expected  string                    // what would fit there, where that is short
}

// judge reads tokens by the grammar, in the way that Trino does: its mistakes are
// found where Trino finds them. It takes a hundred times as long as the reader.
func judge(text string, tokens []token, w *work) (v verdict) {
	source := &tokenSource{TrinoLexer: grammar.NewTrinoLexer(antlr.NewInputStream("")), text: text, tokens: tokens}
	stream := &tokenStream{CommonTokenStream: antlr.NewCommonTokenStream(source, antlr.TokenDefaultChannel), work: w}
	p := grammar.NewTrinoParser(stream)
	shared.give(p, len(tokens))
	p.RemoveErrorListeners()
	listener := &mistakeListener{stream: stream}
	p.AddErrorListener(listener)
	p.SetErrorHandler(firstMistake{antlr.NewDefaultErrorStrategy()})
	p.GetInterpreter().SetPredictionMode(antlr.PredictionModeLL)
	defer func() {
		// The first mistake panics on purpose; after a fault of the grammar's
		// runtime the text counts as unreadable too.
		if r := recover(); r != nil {
			v = verdict{at: stream.LT(1).GetTokenIndex()}
			if r == any(stop{}) {
				v = verdict{at: listener.at, expected: listener.expected}
			}
			v.at, v.consumed = min(v.at, len(tokens)-1), min(stream.Index(), len(tokens)-1)
		}
	}()
	single := p.SingleStatement()
	if next := stream.LT(1); next.GetTokenType() != antlr.TokenEOF {
		at := min(next.GetTokenIndex(), len(tokens)-1)
		return verdict{at: at, consumed: at}
	}
	return verdict{statement: single.Statement()}
}

// tokenSource hands our tokens to the grammar, which wants a semicolon at the
// end: a start rule that may end anywhere predicts wrongly.
type tokenSource struct {
	*grammar.TrinoLexer
	text   string
	tokens []token
	next   int
}

// NextToken implements antlr.TokenSource.
func (s *tokenSource) NextToken() antlr.Token {
	number, text := antlr.TokenEOF, "<EOF>"
	switch t := s.tokens[min(s.next, len(s.tokens)-1)]; {
	case t.kind != kEnd:
		number, text = grammarKind(t.kind), s.text[t.start:t.end]
		if t.kind == tExecute && (s.tokens[0].kind == tSelect || s.tokens[0].kind == tWith) { // a name to Trino
			number = int(tIdentifier)
		}
	case s.next < len(s.tokens):
		number, text = int(tSemicolon), ";"
	}
	t := antlr.NewCommonToken(&antlr.TokenSourceCharStreamPair{}, number, antlr.TokenDefaultChannel, s.next, s.next)
	t.SetText(text)
	s.next++
	return t
}

// tokenStream remembers how far the last prediction looked ahead.
type tokenStream struct {
	*antlr.CommonTokenStream
	reached int // index of the token that it came back from
	work    *work
}

// LA implements antlr.IntStream.
func (s *tokenStream) LA(i int) int {
	s.work.judged++
	return s.CommonTokenStream.LA(i)
}

// Seek implements antlr.IntStream.
func (s *tokenStream) Seek(index int) {
	if s.Index() > index {
		s.reached = s.Index()
	}
	s.CommonTokenStream.Seek(index)
}

// firstMistake ends a parse at its first mistake, by a panic that judge catches.
// The runtime's own strategy goes on after it: it prints to standard output, and
// some texts make it loop without end.
type firstMistake struct {
	*antlr.DefaultErrorStrategy
}

// stop is what firstMistake panics with.
type stop struct{}

// ReportError implements antlr.ErrorStrategy.
func (s firstMistake) ReportError(p antlr.Parser, e antlr.RecognitionException) {
	switch e.(type) {
	case *antlr.NoViableAltException, *antlr.InputMisMatchException, *antlr.FailedPredicateException:
		s.DefaultErrorStrategy.ReportError(p, e)
	default:
		p.NotifyErrorListeners("", p.GetCurrentToken(), e)
	}
	panic(stop{})
}

// Sync implements antlr.ErrorStrategy.
func (s firstMistake) Sync(p antlr.Parser) {
	if s.DefaultErrorStrategy.Sync(p); p.HasError() {
		s.ReportError(p, antlr.NewInputMisMatchException(p))
	}
}

// Recover implements antlr.ErrorStrategy.
func (firstMistake) Recover(antlr.Parser, antlr.RecognitionException) { panic(stop{}) }

// RecoverInline implements antlr.ErrorStrategy.
func (s firstMistake) RecoverInline(p antlr.Parser) antlr.Token {
	s.ReportError(p, antlr.NewInputMisMatchException(p))
	return nil
}

// mistakeListener keeps the first mistake and ends the parse.
type mistakeListener struct {
	*antlr.DefaultErrorListener
	stream   *tokenStream
	at       int
	expected string
}

// SyntaxError implements antlr.ErrorListener.
func (l *mistakeListener) SyntaxError(_ antlr.Recognizer, symbol any, _, _ int, msg string, e antlr.RecognitionException) {
	if t, ok := symbol.(antlr.Token); ok {
		l.at = t.GetTokenIndex()
	}
	// The mistake is where the prediction ended. This runtime loses the place where
	// the prediction looked at the whole context.
	if _, ok := e.(*antlr.NoViableAltException); ok && l.at == l.stream.Index() {
		l.at = max(l.at, l.stream.reached)
	}
	l.expected = expected(msg)
	panic(stop{})
}

// expected reads what the grammar's runtime says it expected, where that is
// short enough to help.
func expected(msg string) string {
	_, after, ok := strings.Cut(msg, "expecting ")
	if !ok {
		return ""
	}
	words := strings.Split(strings.Trim(after, "{}"), ", ")
	if len(words) > 6 {
		return ""
	}
	for i, w := range words {
		words[i] = strings.TrimSuffix(strings.Trim(w, "'"), "_")
		if words[i] == ";" {
			words[i] = "the end of the statement"
		}
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " or ")
}

// kindOf names a statement after the grammar's rule: *trino.InsertIntoContext is
// "INSERT INTO".
func kindOf(ctx grammar.IStatementContext) tree.StatementKind {
	if q, ok := ctx.(*grammar.StatementDefaultContext); ok {
		if q.RootQuery().WithFunction() != nil {
			return tree.KindWithFunction
		}
		return tree.KindQuery
	}
	name := fmt.Sprintf("%T", ctx)
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "Context")
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return tree.StatementKind(b.String())
}
