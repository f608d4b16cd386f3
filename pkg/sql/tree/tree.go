// Package tree holds the typed, immutable tree of a Presto SQL statement. The
// parser makes it from text; the SQL generator makes it by hand with the
// constructors of build.go; nobody changes a node in place. A changed tree is
// made with Rewrite, or by filling a new node, and shares all that did not change.
//
// Every node that came from text knows its place in that text, so that printing
// a rewritten tree leaves untouched parts as they were, comments too, and so that
// errors have a line and a column. A node made by hand has the zero Span.
package tree

//go:generate go run ./gen

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Node is any node of the tree.
type Node interface {
	// Span is the node's place in the source text; zero for a node made by hand.
	Span() Span
	// Original is the node of the source text that this one was rewritten from
	// by replacing children only; nil for others. The printer splices by it.
	Original() Node

	mapChildren(m *mapper) Node
	eachChild(visit func(Node))
}

// Expr is a value expression.
type Expr interface {
	Node
	expr()
}

// Relation is what a FROM clause can hold.
type Relation interface {
	Node
	relation()
}

// QueryBody is a query without WITH, ORDER BY and LIMIT.
type QueryBody interface {
	Node
	queryBody()
}

// SelectItem is an element of the SELECT list: *SelectExpr or *Star.
type SelectItem interface {
	Node
	selectItem()
}

// Meta is embedded in every node.
type Meta struct {
	span     Span
	original Node
}

// At returns the Meta of a node that was read from span.
func At(span Span) Meta { return Meta{span: span} }

// Span implements Node.
func (m Meta) Span() Span { return m.span }

// Original implements Node.
func (m Meta) Original() Node { return m.original }

// Source is the text that a tree was read from.
type Source struct {
	text  string
	lines []int // byte offset of each line's start
}

// NewSource returns the source of text.
func NewSource(text string) *Source {
	lines := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	return &Source{text: text, lines: lines}
}

// Text returns the whole text.
func (s *Source) Text() string { return s.text }

// Span returns the part from byte offset start to end, exclusive.
func (s *Source) Span(start, end int) Span { return Span{source: s, Start: start, End: end} }

// Position returns line and column of a byte offset, both from 1; the column
// counts characters, not bytes.
func (s *Source) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.text))
	i := sort.SearchInts(s.lines, offset+1) - 1
	return i + 1, utf8.RuneCountInString(s.text[s.lines[i]:offset]) + 1
}

// Span is a half-open range of bytes in a source text.
type Span struct {
	source     *Source
	Start, End int
}

// IsZero reports whether the node was made by hand.
func (s Span) IsZero() bool { return s.source == nil }

// Source returns the text's source, nil for the zero Span.
func (s Span) Source() *Source { return s.source }

// Text returns the text of the span, empty for the zero Span.
func (s Span) Text() string {
	if s.source == nil {
		return ""
	}
	return s.source.text[s.Start:s.End]
}

// Position returns line and column of the start, from 1; 0, 0 for the zero Span.
func (s Span) Position() (line, column int) {
	if s.source == nil {
		return 0, 0
	}
	return s.source.Position(s.Start)
}

// Ident is a name as written. Presto compares names without case, quoted or not.
type Ident struct {
	Meta
	Name   string // without quotes, doubled quotes undone
	Quoted bool   // was, or has to be, written in quotes
}

// Key returns the form in which names are compared.
func (i *Ident) Key() string { return strings.ToLower(i.Name) }

// Name is a dotted name, such as region.schema.table or a function's name.
type Name struct {
	Meta
	Parts []*Ident
}

// String returns the parts joined by dots, without quotes: for messages.
func (n *Name) String() string {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Name
	}
	return strings.Join(parts, ".")
}

// Key returns the lower-case dotted name.
func (n *Name) Key() string { return strings.ToLower(n.String()) }

// Quantifier is ALL, DISTINCT, or nothing.
type Quantifier string

// Quantifiers.
const (
	QuantifierNone     Quantifier = ""
	QuantifierAll      Quantifier = "ALL"
	QuantifierDistinct Quantifier = "DISTINCT"
)
