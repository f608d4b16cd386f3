package parser

import "github.com/antlr4-go/antlr/v4"

// giveUp ends the first, fast pass at the first mistake and remembers that there
// was one. The runtime's own strategy for that reports its own cancellation, to
// standard output.
type giveUp struct {
	*antlr.BailErrorStrategy
	failed bool
}

// ReportError implements antlr.ErrorStrategy.
func (g *giveUp) ReportError(antlr.Parser, antlr.RecognitionException) { g.failed = true }

// Recover implements antlr.ErrorStrategy.
func (g *giveUp) Recover(p antlr.Parser, e antlr.RecognitionException) {
	g.failed = true
	g.BailErrorStrategy.Recover(p, e)
}

// RecoverInline implements antlr.ErrorStrategy.
func (g *giveUp) RecoverInline(p antlr.Parser) antlr.Token {
	g.failed = true
	return g.BailErrorStrategy.RecoverInline(p)
}

// report tells listeners of the mistakes of the second pass, also of those that
// the runtime's own strategy would print.
type report struct{ *antlr.DefaultErrorStrategy }

func newReport() antlr.ErrorStrategy { return report{antlr.NewDefaultErrorStrategy()} }

// ReportError implements antlr.ErrorStrategy.
func (r report) ReportError(p antlr.Parser, e antlr.RecognitionException) {
	switch e.(type) {
	case *antlr.NoViableAltException, *antlr.InputMisMatchException, *antlr.FailedPredicateException:
		r.DefaultErrorStrategy.ReportError(p, e)
	default:
		p.NotifyErrorListeners("", p.GetCurrentToken(), e)
	}
}
