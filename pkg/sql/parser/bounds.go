package parser

import (
	"fmt"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// oneStatement cuts the tokens at the semicolon that ends the statement, and makes
// sure that nothing follows it. The body of a function has semicolons of its own:
// there only the last one counts.
func oneStatement(source *tree.Source, tokens []token) ([]token, *Error) {
	end := len(tokens) - 1
	if end == 0 {
		return nil, fail(source, CodeEmpty, tokens[end], "there is no statement: write a query")
	}
	first := 0
	for first < end && tokens[first].kind != tSemicolon {
		first++
	}
	if first == end {
		return tokens, nil
	}
	if bringsFunction(tokens) {
		first = end
		for first > 0 && tokens[first-1].kind == tSemicolon {
			first--
		}
	}
	for _, t := range tokens[first:end] {
		if t.kind != tSemicolon {
			return nil, fail(source, CodeMultiple, tokens[first], "one statement at a time: leave out what follows the semicolon")
		}
	}
	if first == 0 {
		return nil, fail(source, CodeEmpty, tokens[0], "there is no statement: write a query")
	}
	at := tokens[first].start
	return append(tokens[:first:first], token{kEnd, at, at}), nil
}

// bringsFunction reports whether a statement begins with WITH FUNCTION or CREATE
// FUNCTION.
func bringsFunction(tokens []token) bool {
	at := func(i int) kind { return tokens[min(i, len(tokens)-1)].kind }
	switch at(0) {
	case tWith:
		return at(1) == tFunction
	case tCreate:
		return at(1) == tFunction || at(1) == tOr && at(2) == tReplace && at(3) == tFunction
	}
	return false
}

// checkBounds refuses what would make a parser work or recurse too much. It
// returns how deep the parentheses go.
func checkBounds(source *tree.Source, tokens []token) (deepest int, err *Error) {
	if len(tokens) > MaxTokens {
		return 0, fail(source, CodeTooLarge, tokens[MaxTokens], fmt.Sprintf("the statement has more than %d words and signs", MaxTokens))
	}
	var b bounds
	for _, t := range tokens {
		if !b.count(t.kind) {
			return 0, fail(source, CodeTooDeep, t, fmt.Sprintf("the statement is nested deeper than %d levels or has more than %d operators", MaxNesting, MaxOperators))
		}
	}
	return b.deepest, nil
}

func fail(source *tree.Source, code Code, t token, message string) *Error {
	line, column := source.Position(t.start)
	return &Error{Code: code, Message: message, Line: line, Column: column}
}

// bounds counts what makes a parser recurse.
type bounds struct {
	depth     int // open parentheses, brackets and CASEs
	prefixes  int // NOT, + and - in a row
	joins     int // joins whose ON has not come yet
	wrappers  int // EXPLAIN, PREPARE, lambdas and array<...> types, in all
	operators int // binary operators, in all
	deepest   int // the largest that depth has been
	crossJoin bool
	previous  kind
}

// count counts a token and reports whether all is within bounds.
func (b *bounds) count(k kind) bool {
	prefix := false
	switch k {
	case tLParen, tLSquare, tLCurly, tLCurlyHyphen, tCase:
		b.depth++
		if k == tLSquare {
			b.operators++
		}
	case tRParen, tRSquare, tRCurly, tRCurlyHyphen, tEnd:
		b.depth = max(b.depth-1, 0)
	case tNot:
		prefix = true
	case tMinus, tPlus:
		prefix = true
		b.operators++
	case tAnd, tOr, tAsterisk, tSlash, tPercent, tConcat, tUnion, tIntersect, tExcept, tAt, tArray, tOver:
		b.operators++
	case tLt:
		if b.previous == tArray || b.previous == tMap {
			b.wrappers++
		}
	case tCross, tNatural:
		b.crossJoin = true
	case tJoin:
		b.operators++
		if !b.crossJoin {
			b.joins++
		}
		b.crossJoin = false
	case tOn, tUsing:
		b.joins = max(b.joins-1, 0)
	case tExplain, tPrepare, tArrow, tVBar:
		b.wrappers++
	}
	if prefix {
		b.prefixes++
	} else {
		b.prefixes = 0
	}
	b.previous, b.deepest = k, max(b.deepest, b.depth)
	return b.prefixes+b.depth+b.joins+b.wrappers <= MaxNesting && b.operators <= MaxOperators
}
