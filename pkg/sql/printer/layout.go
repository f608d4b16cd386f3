package printer

import (
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// lineWidth is the longest line that Layout writes where it can be helped.
const lineWidth = 100

// Layout returns a statement laid out for people: clauses and conditions on lines
// of their own, what is short in one line, key words in upper case, comments
// kept. What was laid out is laid out the same way again.
func Layout(s *tree.Statement) string {
	p := &printer{multiline: true, layout: &layout{comments: comments(s)}}
	p.node(s)
	p.remainingComments()
	return p.b.String()
}

// layout is what a printer that lays out for people keeps in mind.
type layout struct {
	comments []comment // that were not written yet, in order
	read     int       // byte offset up to which the source was written
	flat     int       // over 0: all in one line, as a trial
	failed   bool      // the trial does not fit
}

// group writes something in one line if that fits, else broken into lines.
func (p *printer) group(write func(broken bool)) {
	l := p.layout
	if l == nil || l.flat > 0 {
		write(false)
		return
	}
	saved, size := *l, p.b.Len()
	l.flat, l.failed = 1, false
	write(false)
	if !l.failed && p.column() <= lineWidth {
		l.flat = 0
		return
	}
	p.b.Truncate(size)
	*l = saved
	write(true)
}

// column returns how many characters the last line has.
func (p *printer) column() int {
	text := p.b.Bytes()
	n := 0
	for i := len(text) - 1; i >= 0 && text[i] != '\n'; i-- {
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	return n
}

// lines writes nodes with commas between them: in one line if that fits, else one
// a line, indented.
func lines[T tree.Node](p *printer, nodes []T) {
	if p.layout == nil || len(nodes) == 0 {
		list(p, nodes)
		return
	}
	p.group(func(broken bool) {
		if !broken {
			list(p, nodes)
			return
		}
		p.indent++
		for i, n := range nodes {
			if i > 0 {
				p.write(",")
			}
			p.newline()
			p.node(n)
		}
		p.indent--
	})
}

// enclosed writes nodes between parentheses; broken, the closing one is on a line
// of its own.
func enclosed[T tree.Node](p *printer, open string, nodes []T, closing string) {
	p.write(open)
	if p.layout == nil {
		list(p, nodes)
		p.write(closing)
		return
	}
	p.group(func(broken bool) {
		if !broken {
			list(p, nodes)
			p.write(closing)
			return
		}
		p.indent++
		for i, n := range nodes {
			if i > 0 {
				p.write(",")
			}
			p.newline()
			p.node(n)
		}
		p.indent--
		p.newline()
		p.write(closing)
	})
}

// chain writes conditions joined by AND or OR: in one line if that fits and there
// are two, else one a line.
func (p *printer) chain(x *tree.Binary) {
	var operands []tree.Expr
	var split func(tree.Expr)
	split = func(y tree.Expr) {
		if b, ok := y.(*tree.Binary); ok && b.Op == x.Op {
			split(b.Left)
			split(b.Right)
			return
		}
		operands = append(operands, y)
	}
	split(x)
	least := binaryPrecedence(x.Op)
	write := func(broken bool) {
		for i, y := range operands {
			switch {
			case i == 0:
			case broken:
				p.newline()
				p.write(x.Op + " ")
			default:
				p.write(" " + x.Op + " ")
			}
			p.operand(y, least)
		}
	}
	p.indent++
	if len(operands) > 2 && p.layout.flat == 0 {
		write(true)
	} else {
		p.group(write)
	}
	p.indent--
}

// comment is a comment of the source text.
type comment struct {
	start    int
	text     string
	toEnd    bool // of the line: --
	trailing bool // something stands before it in its line
	// after is where the last word or quote before it ends: the comment can be
	// about that.
	after int
}

// comments finds the comments of a statement's text. Quotes are skipped as the
// parser does, which has read the text already.
func comments(s *tree.Statement) []comment {
	span := s.Span()
	if span.IsZero() {
		return nil
	}
	text := span.Text()
	var found []comment
	fresh, after := true, 0
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == '\n':
			fresh = true
		case c == ' ' || c == '\t' || c == '\r':
		case c == '\'' || c == '"' || c == '`':
			n, fresh = quotedLength(text[i:], c), false
			after = i + n
		case strings.HasPrefix(text[i:], "--"):
			n = endOfLine(text[i:])
			found = append(found, comment{start: span.Start + i, text: strings.TrimRight(text[i:i+n], " \t"), toEnd: true, trailing: !fresh, after: span.Start + after})
		case strings.HasPrefix(text[i:], "/*") && strings.Contains(text[i+2:], "*/"):
			n = strings.Index(text[i+2:], "*/") + 4
			found = append(found, comment{start: span.Start + i, text: text[i : i+n], trailing: !fresh, after: span.Start + after})
		case c == ',' || c == '(' || c == ')':
			fresh = false
		default:
			fresh, after = false, i+1
		}
		i += n
	}
	return found
}

// endOfLine returns the length of s up to the end of its line.
func endOfLine(s string) int {
	if n := strings.IndexAny(s, "\r\n"); n >= 0 {
		return n
	}
	return len(s)
}

// quotedLength returns the length of what stands in quotes at the start of s; a
// doubled quote ends one part and begins the next.
func quotedLength(s string, quote byte) int {
	if n := strings.IndexByte(s[1:], quote); n >= 0 {
		return n + 2
	}
	return 1
}

// leadingComments writes the comments that stand before a node.
func (p *printer) leadingComments(n tree.Node) {
	l := p.layout
	if l == nil || n.Span().IsZero() {
		return
	}
	if _, ok := n.(*tree.Statement); ok { // its text begins with its comments
		return
	}
	start := n.Span().Start
	for len(l.comments) > 0 && l.comments[0].start < start {
		c := l.comments[0]
		if l.flat > 0 && (c.toEnd || strings.Contains(c.text, "\n")) {
			l.failed = true
			return
		}
		l.comments = l.comments[1:]
		switch {
		case c.toEnd || !c.trailing && l.flat == 0:
			within := p.ownLine()
			p.indent += within
			p.write(c.text)
			p.newlineOnly()
			p.indent -= within
		default:
			p.write(c.text)
			p.write(" ")
		}
	}
}

// ownLine begins a new line, indented, unless nothing stands in this one. It
// returns by how much it was indented.
func (p *printer) ownLine() int {
	text := p.b.Bytes()
	i := len(text)
	for i > 0 && text[i-1] == ' ' {
		i--
	}
	if i == 0 || text[i-1] == '\n' {
		return 0
	}
	p.b.Truncate(i)
	p.indent++
	p.newlineOnly()
	p.indent--
	return 1
}

// trailingComments writes, at the end of a line, the comments that stood at the
// end of the source's line.
func (p *printer) trailingComments() {
	l := p.layout
	if l == nil || l.flat > 0 || len(l.comments) == 0 {
		return
	}
	for len(l.comments) > 0 {
		c := l.comments[0]
		if !c.trailing || l.read < c.after {
			return
		}
		l.comments = l.comments[1:]
		p.write(" " + c.text)
	}
}

// remainingComments writes what stood after the last node.
func (p *printer) remainingComments() {
	p.trailingComments()
	for _, c := range p.layout.comments {
		if p.b.Len() > 0 {
			p.newlineOnly()
		}
		p.write(c.text)
	}
}

// asWritten returns the text of literals and types, which Layout leaves alone;
// empty for other nodes, and for those with a comment or a line break inside.
func asWritten(n tree.Node) string {
	switch n.(type) {
	case *tree.Number, *tree.String, *tree.Bytes, *tree.TypeName:
	default:
		return ""
	}
	text := n.Span().Text()
	if _, isString := n.(*tree.String); !isString && (strings.ContainsAny(text, "\r\n") || strings.Contains(text, "--") || strings.Contains(text, "/*")) {
		return ""
	}
	if s, ok := n.(*tree.String); ok && text != String(s.Value) && strings.ContainsAny(text, "\r\n-/") {
		return "" // U&'...' UESCAPE '...' may have comments between its parts
	}
	return text
}

// fill writes nodes with commas between them, as many a line as fit.
func fill[T tree.Node](p *printer, nodes []T) {
	if p.layout == nil {
		list(p, nodes)
		return
	}
	p.group(func(broken bool) {
		if !broken {
			list(p, nodes)
			return
		}
		p.indent++
		for i, n := range nodes {
			if i > 0 {
				p.write(",")
			}
			// The trial is flat: one that broke lines itself would double the work at
			// each level of nesting.
			size, saved := p.b.Len(), *p.layout
			p.layout.flat, p.layout.failed = 1, false
			if i > 0 {
				p.write(" ")
			}
			p.node(n)
			if !p.layout.failed && p.column() < lineWidth {
				p.layout.flat, p.layout.failed = 0, saved.failed
				continue
			}
			p.b.Truncate(size)
			*p.layout = saved
			p.newline()
			p.node(n)
		}
		p.indent--
	})
}
