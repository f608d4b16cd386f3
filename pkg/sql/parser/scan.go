package parser

import (
	"fmt"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// scan reads the tokens, checks all bounds on them, and makes sure that there is
// one statement. end is the byte offset where the statement proper ends: before
// its semicolon, or at the end of the text.
func scan(source *tree.Source) (tokens *antlr.CommonTokenStream, end int, err *Error) {
	text := source.Text()
	lexer := grammar.NewTrinoLexer(antlr.NewInputStream(text))
	lexer.RemoveErrorListeners()
	tokens = antlr.NewCommonTokenStream(&terminated{TrinoLexer: lexer}, antlr.TokenDefaultChannel)
	tokens.Fill()

	s := scanner{source: source, offsets: runeOffsets(text)}
	end = len(text)
	visible, ended := 0, false
	for _, t := range tokens.GetAllTokens() {
		if t.GetChannel() != antlr.TokenDefaultChannel || t.GetTokenType() == antlr.TokenEOF {
			continue
		}
		switch {
		case ended:
			return nil, 0, s.fail(CodeMultiple, t, "one statement at a time: leave out what follows the semicolon")
		case t.GetTokenType() == grammar.TrinoLexerSEMICOLON_:
			ended = true
			end = min(s.offsets.byte(t.GetStart()), len(text))
			continue
		}
		if err := s.check(t); err != nil {
			return nil, 0, err
		}
		if visible++; visible > MaxTokens {
			return nil, 0, s.fail(CodeTooLarge, t, fmt.Sprintf("the statement has more than %d words and signs", MaxTokens))
		}
	}
	if visible == 0 {
		return nil, 0, &Error{Code: CodeEmpty, Message: "there is no statement: write a query"}
	}
	return tokens, end, nil
}

// scanner counts what makes a parser recurse.
type scanner struct {
	source  *tree.Source
	offsets offsets

	depth     int // open parentheses, brackets and CASEs
	prefixes  int // NOT, + and - in a row
	joins     int // joins whose ON has not come yet
	wrappers  int // EXPLAIN, PREPARE, lambdas and nested types, in all
	operators int // binary operators, in all
	crossJoin bool
}

func (s *scanner) check(t antlr.Token) *Error {
	kind := t.GetTokenType()
	prefix := false
	switch kind {
	case grammar.TrinoLexerUNRECOGNIZED_:
		return s.unrecognized(t)
	case grammar.TrinoLexerBACKQUOTED_IDENTIFIER_:
		return s.fail(CodeSyntax, t, "Presto does not know backquotes: quote names with double quotes")
	case grammar.TrinoLexerDIGIT_IDENTIFIER_:
		return s.fail(CodeSyntax, t, fmt.Sprintf("a name cannot begin with a digit: write %q in double quotes", t.GetText()))
	case grammar.TrinoLexerLPAREN_, grammar.TrinoLexerLSQUARE_, grammar.TrinoLexerLCURLY_, grammar.TrinoLexerCASE_:
		s.depth++
		if kind == grammar.TrinoLexerLSQUARE_ {
			s.operators++
		}
	case grammar.TrinoLexerRPAREN_, grammar.TrinoLexerRSQUARE_, grammar.TrinoLexerRCURLY_, grammar.TrinoLexerEND_:
		s.depth = max(s.depth-1, 0)
	case grammar.TrinoLexerNOT_:
		prefix = true
	case grammar.TrinoLexerMINUS_, grammar.TrinoLexerPLUS_:
		prefix = true
		s.operators++
	case grammar.TrinoLexerAND_, grammar.TrinoLexerOR_, grammar.TrinoLexerASTERISK_, grammar.TrinoLexerSLASH_,
		grammar.TrinoLexerPERCENT_, grammar.TrinoLexerCONCAT_, grammar.TrinoLexerUNION_, grammar.TrinoLexerINTERSECT_,
		grammar.TrinoLexerEXCEPT_, grammar.TrinoLexerAT_, grammar.TrinoLexerARRAY_, grammar.TrinoLexerOVER_:
		s.operators++
	case grammar.TrinoLexerCROSS_, grammar.TrinoLexerNATURAL_:
		s.crossJoin = true
	case grammar.TrinoLexerJOIN_:
		s.operators++
		if !s.crossJoin {
			s.joins++
		}
		s.crossJoin = false
	case grammar.TrinoLexerON_, grammar.TrinoLexerUSING_:
		s.joins = max(s.joins-1, 0)
	case grammar.TrinoLexerEXPLAIN_, grammar.TrinoLexerPREPARE_, grammar.TrinoLexerRARROW_, grammar.TrinoLexerVBAR_:
		s.wrappers++
	case grammar.TrinoLexerLT_: // array<array<...
		s.operators++
	}
	if prefix {
		s.prefixes++
	} else {
		s.prefixes = 0
	}
	if s.prefixes+s.depth+s.joins+s.wrappers > MaxNesting || s.operators > MaxOperators {
		return s.fail(CodeTooDeep, t, fmt.Sprintf("the statement is nested deeper than %d levels or has more than %d operators", MaxNesting, MaxOperators))
	}
	return nil
}

func (s *scanner) unrecognized(t antlr.Token) *Error {
	switch t.GetText() {
	case "'":
		return s.fail(CodeSyntax, t, "the quote ' is not closed")
	case `"`:
		return s.fail(CodeSyntax, t, `the quote " is not closed`)
	case "`":
		return s.fail(CodeSyntax, t, "Presto does not know backquotes: quote names with double quotes")
	case ":":
		return s.fail(CodeNotSupported, t, "a colon, as in json_object('key': value), is not supported: write json_object('key' VALUE value)")
	}
	return s.fail(CodeSyntax, t, fmt.Sprintf("unexpected character %q; names with other characters than letters, digits and _ need double quotes", t.GetText()))
}

func (s *scanner) fail(code Code, t antlr.Token, message string) *Error {
	line, column := s.source.Position(s.offsets.byte(t.GetStart()))
	return &Error{Code: code, Message: message, Line: line, Column: column}
}

// offsets turns the grammar's character offsets into byte offsets. It is nil for
// a text of one-byte characters, where both are the same.
type offsets []int

func runeOffsets(text string) offsets {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < 0x80
	}
	if ascii {
		return nil
	}
	table := make(offsets, 0, len(text)+1)
	for i := range text {
		table = append(table, i)
	}
	return append(table, len(text))
}

// byte returns the byte offset of a character; beyond the text it goes on one a
// character.
func (o offsets) byte(character int) int {
	switch {
	case o == nil:
		return character
	case character < len(o):
		return o[character]
	}
	return o[len(o)-1] + character - len(o) + 1
}
