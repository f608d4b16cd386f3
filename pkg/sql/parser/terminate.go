package parser

import (
	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"
)

// terminated is a lexer that ends every statement with a semicolon. The grammar
// needs one: a start rule that may end anywhere predicts wrongly.
type terminated struct {
	*grammar.TrinoLexer
	last int         // type of the last visible token
	end  antlr.Token // the end of the text, once it was seen
}

// NextToken implements antlr.TokenSource.
func (l *terminated) NextToken() antlr.Token {
	if l.end != nil {
		return l.end
	}
	t := l.TrinoLexer.NextToken()
	switch {
	case t.GetTokenType() == antlr.TokenEOF:
		l.end = t
		if l.last == grammar.TrinoLexerSEMICOLON_ {
			return t
		}
		return antlr.CommonTokenFactoryDEFAULT.Create(t.GetSource(), grammar.TrinoLexerSEMICOLON_, ";",
			antlr.TokenDefaultChannel, t.GetStart(), t.GetStop(), t.GetLine(), t.GetColumn())
	case t.GetChannel() == antlr.TokenDefaultChannel:
		l.last = t.GetTokenType()
	}
	return t
}
