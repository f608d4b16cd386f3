// Package parser reads one Presto SQL statement into a tree. The grammar is
// Trino's, from bytebase/parser; its tree is turned into ours at once and goes no
// further. A query is read whole or refused: what our tree does not hold yet is
// an Error with CodeNotSupported, never dropped. Statements that are no queries
// are recognised by name, so that a guard can refuse them by name.
package parser

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of a statement. They keep the work for hostile text small.
const (
	// MaxBytes is the longest text that is read.
	MaxBytes = 1 << 20
	// MaxNesting bounds parentheses, brackets, CASE, prefix operators and
	// everything else that makes a parser recurse.
	MaxNesting = 500
	// MaxOperators bounds the operators of a statement: chains of them make trees
	// that are deep without a parenthesis.
	MaxOperators = 20_000
	// MaxTokens bounds the words and signs of a statement.
	MaxTokens = 100_000
)

// Parse reads one statement, with or without a semicolon at its end. The error
// is an *Error.
func Parse(text string) (*tree.Statement, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	source := tree.NewSource(text)
	tokens, end, err := scan(source)
	if err != nil {
		return nil, err
	}
	root, err := parse(source, tokens)
	if err != nil {
		return nil, err
	}
	c := newConverter(source)
	stmt := c.statement(root, end)
	if c.err != nil {
		return nil, c.err
	}
	return stmt, nil
}

func checkText(text string) *Error {
	if len(text) > MaxBytes {
		return &Error{Code: CodeTooLarge, Message: fmt.Sprintf("the statement has %d bytes; at most %d are read", len(text), MaxBytes)}
	}
	if !utf8.ValidString(text) {
		source := tree.NewSource(text)
		for i, r := range text {
			if r == utf8.RuneError {
				if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
					line, column := source.Position(i)
					return &Error{Code: CodeEncoding, Message: "the statement is not valid UTF-8", Line: line, Column: column}
				}
			}
		}
	}
	return nil
}

// parse tries the fast prediction first; only where that fails is the full one
// tried, which then also words the error.
func parse(source *tree.Source, tokens *antlr.CommonTokenStream) (grammar.IStatementContext, *Error) {
	p := grammar.NewTrinoParser(tokens)
	shared.give(p, tokens.Size())
	p.RemoveErrorListeners()
	p.GetInterpreter().SetPredictionMode(antlr.PredictionModeSLL)
	p.SetErrorHandler(newFirstMistake(false))
	if root := attempt(p); root != nil {
		return root, nil
	}

	tokens.Seek(0)
	p = grammar.NewTrinoParser(tokens)
	shared.give(p, tokens.Size())
	p.RemoveErrorListeners()
	listener := &errorListener{source: source}
	p.AddErrorListener(listener)
	p.SetErrorHandler(newFirstMistake(true))
	p.GetInterpreter().SetPredictionMode(antlr.PredictionModeLL)
	root := attempt(p)
	switch {
	case listener.first != nil:
		return nil, listener.first
	case root != nil:
		return root, nil
	}
	next := tokens.LT(1)
	listener.SyntaxError(p, next, next.GetLine(), next.GetColumn(), "", nil)
	return nil, listener.first
}

// attempt returns nil where the parser gave up, or stopped before the end.
func attempt(p *grammar.TrinoParser) (root grammar.IStatementContext) {
	defer func() {
		// The first mistake panics on purpose; after a fault of the grammar's
		// runtime the text counts as unreadable too.
		if r := recover(); r != nil {
			root = nil
		}
	}()
	single := p.SingleStatement()
	if p.HasError() || p.GetTokenStream().LA(1) != antlr.TokenEOF {
		return nil
	}
	return single.Statement()
}

// errorListener keeps the first mistake.
type errorListener struct {
	*antlr.DefaultErrorListener
	source *tree.Source
	first  *Error
}

// SyntaxError implements antlr.ErrorListener.
func (l *errorListener) SyntaxError(_ antlr.Recognizer, symbol any, line, column int, msg string, _ antlr.RecognitionException) {
	if l.first != nil {
		return
	}
	e := &Error{Code: CodeSyntax, Line: line, Column: column + 1}
	token, ok := symbol.(antlr.Token)
	switch {
	case ok && (token.GetTokenType() == antlr.TokenEOF || token.GetTokenType() == grammar.TrinoLexerSEMICOLON_):
		text := strings.TrimRightFunc(l.source.Text(), unicode.IsSpace)
		e.Line, e.Column = l.source.Position(len(text))
		e.Message = "the statement ends too early"
	case ok:
		e.Message = fmt.Sprintf("unexpected %q", lang.Shorten(token.GetText(), 60))
	default:
		e.Message = "the statement cannot be read here"
	}
	if words := expected(msg); words != "" {
		e.Message += "; expected " + words
	}
	l.first = e
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
	return strings.Join(words, " or ")
}

func position(line, column int) string { return strconv.Itoa(line) + ":" + strconv.Itoa(column) }

func positionMeta(line, column int) []string {
	if line == 0 {
		return nil
	}
	return []string{"line", strconv.Itoa(line), "column", strconv.Itoa(column)}
}
