package decide

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/parser"
)

// continues are the words that a clause of a statement begins with where another one is
// complete before it.
var continues = []string{
	"where", "group", "having", "order", "limit", "offset", "fetch", "window", "union", "except", "intersect", "join", "inner", "left", "right",
	"full", "cross", "natural", "on", "using", "and", "or", "as", "tablesample", "qualify",
}

// mostEnds bounds the ends of lines that are tried: those right before the word that the
// grammar cannot take, which may have taken a word of prose for an alias before.
const mostEnds = 3

// endOfStatement divides a text that begins with a statement where the grammar ends it and
// what follows on another line, or behind a semicolon, is prose. What is complete as it
// stands, or is complete nowhere, stays whole: words behind a statement with mistakes
// cannot be told from it, and so does what is longer than the grammar reads.
func endOfStatement(text string) (sql, words string) {
	if parts := parser.Split(text); len(parts) > 1 {
		first, rest := text[parts[0].Start:parts[0].End], strings.TrimSpace(text[parts[1].Start:])
		if complete(first) && findStatement(rest) < 0 && !goesOn(rest) {
			return strings.TrimSpace(first), rest
		}
		return text, ""
	}
	left, ok := parser.Probe(text)
	all := parser.Words(text)
	if ok || left <= 0 || left > len(all) {
		return text, ""
	}
	stuck := all[len(all)-left].Start
	for range mostEnds {
		at := strings.LastIndexByte(text[:stuck], '\n')
		if at < 0 {
			break
		}
		if rest := strings.TrimSpace(text[at:]); complete(text[:at]) && !goesOn(rest) {
			return strings.TrimSpace(text[:at]), rest
		}
		stuck = at
	}
	return text, ""
}

// complete reports a query that reads something: what has no FROM yet may get it behind.
func complete(text string) bool {
	_, ok := parser.Probe(text)
	return ok && fromWord.MatchString(text)
}

// goesOn reports whether a text behind a complete query is meant as a part of it: it begins
// with a word of a clause, with a slip or without, or with a sign, or compares something.
func goesOn(rest string) bool {
	words := parser.Words(rest)
	if len(words) == 0 {
		return true
	}
	if strings.ContainsAny(rest, "=<>*") || !hasHan(rest) && strings.ContainsAny(rest, "()") {
		return true
	}
	first := strings.ToLower(rest[words[0].Start:words[0].End])
	return words[0].Kind == parser.WordSign && !hasHan(first) || words[0].Kind == parser.WordLiteral ||
		slices.ContainsFunc(continues, func(w string) bool { return first == w || len(w) > 3 && oneSlip(first, w) })
}
