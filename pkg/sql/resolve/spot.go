package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// spot is where a mistake is reported: an offset in a source text.
type spot struct {
	source *tree.Source // nil: a node made by hand
	offset int
}

// position returns line and column, from 1; 0, 0 where there is no source.
func (s spot) position() (line, column int) {
	if s.source == nil {
		return 0, 0
	}
	return s.source.Position(s.offset)
}

// spotOf is where Trino reports a mistake of a node. That is its start for most;
// comparisons and arithmetic are reported at the operator, predicates at the word
// behind their first operand, set operations at their own word, and parentheses
// around an expression do not count.
func spotOf(n tree.Node) spot {
	switch n := n.(type) {
	case *tree.Paren:
		return spotOf(n.X)
	case *tree.Binary:
		if n.Op != tree.OpAnd && n.Op != tree.OpOr {
			return behind(n.Left, n)
		}
	case *tree.Between:
		return behind(n.X, n)
	case *tree.InList:
		return behind(n.X, n)
	case *tree.InQuery:
		return behind(n.X, n)
	case *tree.Like:
		return behind(n.X, n)
	case *tree.IsNull:
		return behind(n.X, n)
	case *tree.Quantified:
		return behind(n.X, n)
	case *tree.AtTimeZone:
		return behind(n.X, n)
	case *tree.SetOp:
		return behind(n.Left, n)
	}
	return startOf(n)
}

func startOf(n tree.Node) spot {
	span := n.Span()
	return spot{source: span.Source(), offset: span.Start}
}

// behind is the place of the first word after a part of whole.
func behind(part, whole tree.Node) spot {
	span := part.Span()
	if span.IsZero() || span.Source() != whole.Span().Source() {
		return startOf(whole)
	}
	return spot{source: span.Source(), offset: skipBlanks(span.Source().Text(), span.End)}
}

// skipBlanks returns the offset of the first character from offset on that is
// neither white space nor in a comment.
func skipBlanks(text string, offset int) int {
	for offset < len(text) {
		rest := text[offset:]
		switch {
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexAny(rest, "\r\n")
			if end < 0 {
				return len(text)
			}
			offset += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return len(text)
			}
			offset += end + len("*/")
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			offset++
		default:
			return offset
		}
	}
	return offset
}
