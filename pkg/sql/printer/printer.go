// Package printer turns a tree into Presto SQL. Print keeps text that nobody
// changed byte for byte, comments too; Format and
// Layout lay a tree out anew.
package printer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Print returns the SQL of a node. What came from text and was not rewritten is
// that text; what was made by hand is in one line, with quotes and parentheses
// where Presto needs them.
func Print(n tree.Node) string {
	p := &printer{}
	p.node(n)
	return p.b.String()
}

// Format returns the SQL of a node with clauses on lines of their own. Comments
// are lost.
func Format(n tree.Node) string {
	p := &printer{multiline: true}
	p.node(n)
	return p.b.String()
}

type printer struct {
	b         bytes.Buffer
	multiline bool // lay out anew, ignoring source text
	indent    int
	layout    *layout // for people; nil: not
}

func (p *printer) write(s string) {
	if s == "" {
		return
	}
	if l := p.layout; l != nil && l.flat > 0 {
		if l.failed = l.failed || p.column() > lineWidth; l.failed {
			return
		}
	}
	// Two minus signs in a row would begin a comment, two words become one.
	if last := p.last(); last == '-' && s[0] == '-' || isWord(last) && isWord(s[0]) {
		p.b.WriteByte(' ')
	}
	p.b.WriteString(s)
}

func (p *printer) last() byte {
	if b := p.b.Bytes(); len(b) > 0 {
		return b[len(b)-1]
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// clause begins a clause: on a line of its own when laying out.
func (p *printer) clause(words string) {
	if p.multiline {
		p.newline()
	} else {
		p.write(" ")
	}
	p.write(words)
}

// newline begins a line, after the comments that belong to the last one. What is
// tried in one line gets a blank.
func (p *printer) newline() {
	if p.layout != nil && p.layout.flat > 0 {
		p.blank()
		return
	}
	p.trailingComments()
	p.newlineOnly()
}

func (p *printer) newlineOnly() { p.write("\n" + strings.Repeat("  ", p.indent)) }

func (p *printer) node(n tree.Node) {
	switch {
	case p.layout != nil:
		p.leadingComments(n)
		if text := asWritten(n); text != "" {
			p.write(text)
		} else {
			p.fresh(n)
		}
		p.layout.read = max(p.layout.read, n.Span().End)
	case p.multiline:
		p.fresh(n)
	case n.Original() != nil:
		if !p.splice(n, n.Original()) {
			p.fresh(n)
		}
	case !n.Span().IsZero():
		p.write(n.Span().Text())
	default:
		p.fresh(n)
	}
}

// splice writes the text of original with the children of n in the place of its
// own. It reports false, having written nothing, where they do not fit.
func (p *printer) splice(n, original tree.Node) bool {
	span := original.Span()
	olds, news := tree.Children(original), tree.Children(n)
	var limit tree.Node
	if _, ok := n.(*tree.Query); ok && len(news) > 0 && len(olds) == len(news) {
		if last := len(news) - 1; olds[last] == nil && news[last] != nil { // a limit where none was
			limit, olds, news = news[last], olds[:last], news[:last]
		}
	}
	if span.IsZero() || len(olds) != len(news) {
		return false
	}
	type change struct{ old, new tree.Node }
	var changes []change
	for i := range olds {
		if (olds[i] == nil) != (news[i] == nil) {
			return false
		}
		if olds[i] == news[i] {
			continue
		}
		if s := olds[i].Span(); s.Source() != span.Source() || s.Start < span.Start || s.End > span.End {
			return false
		}
		changes = append(changes, change{olds[i], news[i]})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.old.Span().Start, b.old.Span().Start) })
	at := span.Start
	for _, c := range changes {
		s := c.old.Span()
		p.write(span.Source().Span(at, s.Start).Text())
		p.instead(c.old, c.new)
		at = s.End
	}
	p.write(span.Source().Span(at, span.End).Text())
	if limit != nil {
		p.clause("")
		p.node(limit)
	}
	return true
}

// instead writes a child in the place of an old one, in parentheses where it
// binds weaker.
func (p *printer) instead(old, now tree.Node) {
	was, isExpr := old.(tree.Expr)
	is, ok := now.(tree.Expr)
	if isExpr && ok && precedence(is) < precedence(was) {
		p.write("(")
		p.node(now)
		p.write(")")
		return
	}
	p.node(now)
}

// list writes nodes with commas between them.
func list[T tree.Node](p *printer, nodes []T) {
	for i, n := range nodes {
		if i > 0 {
			p.write(", ")
		}
		p.node(n)
	}
}

// exprs writes expressions with commas between them.
func (p *printer) exprs(xs []tree.Expr) { list(p, xs) }

// inner writes a query in parentheses.
func (p *printer) inner(q *tree.Query) {
	p.write("(")
	if p.multiline {
		p.indent++
		p.newline()
	}
	p.node(q)
	if p.multiline {
		p.indent--
		if p.layout == nil || p.layout.flat == 0 {
			p.newline()
		}
	}
	p.write(")")
}
