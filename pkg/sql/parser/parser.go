// Package parser reads one Presto SQL statement into a tree. A query is read
// whole or refused, at the place and under the name that Trino gives; statements
// that are no queries are recognised by name, so that a guard can refuse them by
// name.
//
// Two things read: a reader of our own (read*.go), which makes the tree in some
// microseconds, and Trino's grammar as bytebase/parser has it (grammar.go), which
// gets what the reader cannot read and says where the mistake is, or what other
// kind of statement it is. A fuzz test holds that both read the same queries.
package parser

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	// maxJudged is the most words and signs for which the grammar is asked where
	// a mistake is, and maxJudgedNesting the deepest parentheses; of longer and
	// deeper texts the reader says it, less exactly.
	maxJudged        = 5_000
	maxJudgedNesting = 60
)

// Parse reads one statement, with or without a semicolon at its end. The error
// is an *Error.
func Parse(text string) (*tree.Statement, error) { return parse(text, &work{}) }

// work counts what reading a text takes beyond passing over it once. A test holds
// that it stays in proportion to the text, whatever the machine has to do besides.
type work struct {
	searched int // bytes that were searched for the end of a quote or comment
	reread   int // words and signs that were read again in another way
	judged   int // times that the grammar looked at a word or sign
}

func parse(text string, w *work) (*tree.Statement, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	source := tree.NewSource(text)
	tokens, err := oneStatement(source, lex(text, w))
	if err != nil {
		return nil, err
	}
	deepest, err := checkBounds(source, tokens)
	if err != nil {
		return nil, err
	}
	r := newReader(source, tokens, w)
	s := r.statement()
	if r.peek() != kEnd {
		r.fail()
	}
	if r.failed {
		if s, err = r.otherwise(deepest); err != nil {
			return nil, err
		}
	} else if err := cmp.Or(r.badName, r.misread); err != nil {
		return nil, err
	}
	whole := strings.TrimRightFunc(text[:tokens[len(tokens)-1].start], unicode.IsSpace)
	s.Meta = tree.At(source.Span(0, len(whole)))
	return s, nil
}

// otherwise asks the grammar about what the reader did not read.
func (p *reader) otherwise(deepest int) (*tree.Statement, *Error) {
	if len(p.tokens) > maxJudged || deepest > maxJudgedNesting {
		return nil, p.unexpected(p.furthest, "")
	}
	v := judge(p.text, p.tokens, p.work)
	if v.statement != nil {
		if s := p.otherKind(v.statement, 0); s != nil {
			return s, p.firstBadName(len(p.tokens))
		}
		v = verdict{at: p.furthest, consumed: p.furthest}
	}
	if p.beyond { // the grammar stumbles over what it does not know
		v = verdict{at: p.furthest, consumed: p.furthest}
	}
	if err := p.firstBadName(v.consumed); err != nil {
		return nil, err
	}
	return nil, p.unexpected(v.at, v.expected)
}

// firstBadName looks through the first so many tokens, all of which read well.
func (p *reader) firstBadName(tokens int) *Error {
	for _, t := range p.tokens[:tokens] {
		if err := checkName(p.source, t); err != nil {
			return err
		}
	}
	return nil
}

// unexpected is the error that a token does not fit where it stands.
func (p *reader) unexpected(at int, expected string) *Error {
	t := p.tokens[at]
	e := &Error{Code: CodeSyntax}
	e.Line, e.Column = p.source.Position(t.start)
	text := p.text[t.start:t.end]
	switch {
	case t.kind == kEnd:
		e.Message = "the statement ends too early"
	case t.kind == tUnrecognized && text == "'":
		e.Message = "the quote ' is not closed"
	case t.kind == tUnrecognized && text == `"`:
		e.Message = `the quote " is not closed`
	case t.kind == tUnrecognized:
		e.Message = fmt.Sprintf("unexpected character %q; names with other characters than letters, digits and _ need double quotes", text)
	default:
		e.Message = fmt.Sprintf("unexpected %q", lang.Shorten(text, 60))
	}
	if expected != "" {
		e.Message += "; expected " + expected
	}
	return e
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

func position(line, column int) string { return strconv.Itoa(line) + ":" + strconv.Itoa(column) }

func positionMeta(line, column int) []string {
	if line == 0 {
		return nil
	}
	return []string{"line", strconv.Itoa(line), "column", strconv.Itoa(column)}
}
