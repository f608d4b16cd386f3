package parser

import "github.com/antlr4-go/antlr/v4"

// firstMistake ends a parse at its first mistake, by a panic that attempt
// catches. The runtime's own strategies go on after it: they print to standard
// output, and some texts make them loop without end.
type firstMistake struct {
	*antlr.BailErrorStrategy
	// tell is where mistakes are reported; nil in the pass that may fail.
	tell *antlr.DefaultErrorStrategy
}

// stop is what firstMistake panics with.
type stop struct{}

func newFirstMistake(report bool) antlr.ErrorStrategy {
	s := firstMistake{BailErrorStrategy: antlr.NewBailErrorStrategy()}
	if report {
		s.tell = antlr.NewDefaultErrorStrategy()
	}
	return s
}

// ReportError implements antlr.ErrorStrategy.
func (s firstMistake) ReportError(p antlr.Parser, e antlr.RecognitionException) {
	if s.tell == nil {
		return
	}
	switch e.(type) {
	case *antlr.NoViableAltException, *antlr.InputMisMatchException, *antlr.FailedPredicateException:
		s.tell.ReportError(p, e)
	default:
		p.NotifyErrorListeners("", p.GetCurrentToken(), e)
	}
}

// Recover implements antlr.ErrorStrategy.
func (firstMistake) Recover(antlr.Parser, antlr.RecognitionException) { panic(stop{}) }

// RecoverInline implements antlr.ErrorStrategy.
func (s firstMistake) RecoverInline(p antlr.Parser) antlr.Token {
	s.ReportError(p, antlr.NewInputMisMatchException(p))
	panic(stop{})
}
