package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"
)

// markdown reads Markdown with tables. Raw HTML in it is left out.
func (b *builder) markdown(raw []byte) error {
	raw = b.frontMatter(raw)
	root := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader(raw))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			title := inline(h, raw)
			b.heading(h.Level, title, b.anchor(title))
			continue
		}
		if err := b.block(blockText(n, raw, "")); err != nil {
			return err
		}
	}
	return nil
}

// frontMatter reads the YAML between two lines "---" that a file may begin with.
func (b *builder) frontMatter(raw []byte) []byte {
	rest, ok := bytes.CutPrefix(raw, []byte("---\n"))
	if !ok {
		return raw
	}
	head, body, ok := bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return raw
	}
	var matter struct {
		Title, Product, Date, Updated string
	}
	if yaml.Unmarshal(head, &matter) != nil {
		return raw // a line between two rules, not a head
	}
	b.doc.Title, b.doc.Product, b.doc.Changed = matter.Title, matter.Product, dateOf(matter.Updated)
	if b.doc.Changed.IsZero() {
		b.doc.Changed = dateOf(matter.Date)
	}
	return body
}

// anchor is the fragment that code hosts give a heading: lower case, blanks as
// hyphens, other marks left out, a number behind the second one of the same text.
func (b *builder) anchor(heading string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			out.WriteByte('-')
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			out.WriteRune(r)
		}
	}
	if b.anchors == nil {
		b.anchors = make(map[string]int)
	}
	name := out.String()
	n := b.anchors[name]
	b.anchors[name]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// blockText is the text of a block: paragraphs on one line, an item or a row a line,
// code as it stands.
func blockText(n ast.Node, raw []byte, indent string) string {
	switch v := n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		return indent + inline(n, raw)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		var code strings.Builder
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			code.Write(line.Value(raw))
		}
		return strings.TrimRight(code.String(), "\n")
	case *ast.HTMLBlock, *ast.ThematicBreak:
		return ""
	case *east.Table:
		return tableText(v, raw)
	case *ast.ListItem:
		return indent + "- " + strings.TrimSpace(childText(n, raw, indent+"  "))
	default:
		return childText(n, raw, indent)
	}
}

func childText(n ast.Node, raw []byte, indent string) string {
	var lines []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if line := blockText(c, raw, indent); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func tableText(t *east.Table, raw []byte) string {
	var rows []string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, inline(cell, raw))
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return strings.Join(rows, "\n")
}

// inline is the text of a node's inline children, with code in backticks; links and
// pictures leave their words.
func inline(n ast.Node, raw []byte) string {
	var out strings.Builder
	var walk func(ast.Node)
	walk = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch v := c.(type) {
			case *ast.Text:
				out.Write(v.Segment.Value(raw))
				if v.SoftLineBreak() || v.HardLineBreak() {
					out.WriteByte(' ')
				}
			case *ast.String:
				out.Write(v.Value)
			case *ast.CodeSpan:
				out.WriteByte('`')
				walk(c)
				out.WriteByte('`')
			case *ast.AutoLink:
				out.Write(v.URL(raw))
			case *ast.RawHTML:
			default:
				walk(c)
			}
		}
	}
	walk(n)
	return strings.TrimSpace(out.String())
}
