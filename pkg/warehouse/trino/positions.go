package trino

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// positions turns a place in the text that the server was sent into the place in
// the approved text. The zero value is for a text that is the same.
type positions struct {
	above   int    // lines of the product's own before the statement
	unknown bool   // the texts differ in a way that was not noted
	edits   []edit // in order
}

// edit is a name that was replaced, on one line.
type edit struct {
	line     int // from 1, in both texts
	from, to int // columns in the server's text, from 1, half-open
	shift    int // added to the columns behind to get to the approved text
	column   int // of the name in the approved text
}

// newPositions compares a statement of span with what was written for it.
func newPositions(span tree.Span, text string, changes map[*tree.Ident]*tree.Ident) positions {
	olds := make([]*tree.Ident, 0, len(changes))
	for old := range changes {
		olds = append(olds, old)
	}
	slices.SortFunc(olds, func(a, b *tree.Ident) int { return cmp.Compare(a.Span().Start, b.Span().Start) })
	var p positions
	var spliced strings.Builder
	at, line, shift := span.Start, 0, 0
	for _, old := range olds {
		s := old.Span()
		now := printer.Print(changes[old])
		spliced.WriteString(span.Source().Span(at, s.Start).Text() + now)
		at = s.End
		l, column := s.Position()
		if l != line {
			line, shift = l, 0
		}
		from := column - shift
		length := utf8.RuneCountInString(now)
		shift += utf8.RuneCountInString(s.Text()) - length
		p.edits = append(p.edits, edit{line: l, from: from, to: from + length, shift: shift, column: column})
	}
	spliced.WriteString(span.Source().Span(at, span.End).Text())
	p.unknown = spliced.String() != text
	return p
}

// below is for the same text behind one more line.
func (p positions) below() positions {
	p.above++
	return p
}

// of returns the place in the approved text; 0, 0 where it is not known.
func (p positions) of(line, column int) (int, int) {
	line -= p.above
	if line < 1 || column < 1 || p.unknown {
		return 0, 0
	}
	approved := column
	for _, e := range p.edits {
		switch {
		case e.line != line || column < e.from:
		case column < e.to:
			return line, e.column
		default:
			approved = column + e.shift
		}
	}
	return line, approved
}
