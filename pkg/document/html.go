package document

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/dibrain/dibrain/pkg/lang"
)

// maxDepth bounds how deep elements are followed: pages of people have some dozen.
const maxDepth = 512

// html reads a page: headings with their ids, and the text that a browser shows.
func (b *builder) html(raw []byte) error {
	root, err := html.Parse(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	p := &page{b: b}
	if err := p.walk(root, 0); err != nil {
		return err
	}
	return p.flush()
}

// page collects inline text until a block ends.
type page struct {
	b    *builder
	text strings.Builder
	pre  int // elements <pre> that are open
}

func (p *page) flush() error {
	text := p.text.String()
	p.text.Reset()
	if p.pre > 0 {
		return p.b.block(strings.Trim(text, "\n"))
	}
	return p.b.block(lang.OneLine(text))
}

func (p *page) walk(n *html.Node, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: its elements are nested more than %d deep", ErrBroken, maxDepth)
	}
	switch n.Type {
	case html.TextNode:
		p.text.WriteString(n.Data)
		return nil
	case html.CommentNode, html.DoctypeNode:
		return nil
	case html.ElementNode:
		if isUnseen(n) {
			return nil
		}
		return p.element(n, depth)
	}
	return p.children(n, depth)
}

func (p *page) children(n *html.Node, depth int) error {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if err := p.walk(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) element(n *html.Node, depth int) error {
	switch n.DataAtom {
	case atom.Head:
		return p.head(n)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if err := p.flush(); err != nil {
			return err
		}
		p.b.heading(int(n.Data[1]-'0'), textOf(n, depth), attribute(n, "id"))
		return nil
	case atom.Br:
		p.text.WriteByte(' ')
		return nil
	case atom.Td, atom.Th:
		if strings.TrimSpace(p.text.String()) != "" {
			p.text.WriteString(" | ")
		}
		return p.children(n, depth)
	}
	if !isBlock(n.DataAtom) {
		return p.children(n, depth)
	}
	if err := p.flush(); err != nil {
		return err
	}
	if n.DataAtom == atom.Pre {
		p.pre++
		defer func() { p.pre-- }()
	}
	if n.DataAtom == atom.Li {
		p.text.WriteString("- ")
	}
	if err := p.children(n, depth); err != nil {
		return err
	}
	return p.flush()
}

// head reads the title and the date of a page.
func (p *page) head(n *html.Node) error {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Title:
			p.b.doc.Title = lang.OneLine(textOf(c, 0))
		case atom.Meta:
			switch strings.ToLower(attribute(c, "name") + attribute(c, "property")) {
			case "date", "last-modified", "article:modified_time", "dcterms.modified":
				p.b.doc.Changed = dateOf(attribute(c, "content"))
			case "product":
				p.b.doc.Product = lang.OneLine(attribute(c, "content"))
			}
		}
	}
	return nil
}

// isUnseen reports elements that a browser does not show as text of the page, or that
// are the same on every page.
func isUnseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Svg, atom.Nav, atom.Form, atom.Select, atom.Textarea:
		return true
	}
	for _, a := range n.Attr {
		style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
		switch {
		case a.Key == "hidden", a.Key == "aria-hidden" && style == "true":
			return true
		case a.Key == "style" && (strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") || strings.Contains(style, "font-size:0")):
			return true
		}
	}
	return false
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Aside, atom.Ul, atom.Ol, atom.Li,
		atom.Table, atom.Tr, atom.Thead, atom.Tbody, atom.Pre, atom.Blockquote, atom.Dl, atom.Dt, atom.Dd, atom.Figure, atom.Figcaption,
		atom.Details, atom.Summary, atom.Hr, atom.Address, atom.Body:
		return true
	}
	return false
}

// textOf is the text that is seen of an element.
func textOf(n *html.Node, depth int) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	if depth > maxDepth || n.Type == html.ElementNode && isUnseen(n) {
		return ""
	}
	var out strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out.WriteString(textOf(c, depth+1))
	}
	return out.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
