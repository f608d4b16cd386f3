package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// spaceBetween is the gap of a text line, in thousandths of the font's size, from
// which on it is a blank: printed PDFs have few blanks of their own.
const spaceBetween = -200

// pdf reads the text layer of a PDF, a section a page. The library panics on files
// that are not as they should be; that, and what goes on beyond ctx and the limits,
// ends the reading of the file with an error.
func (b *builder) pdf(ctx context.Context, raw []byte) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			err = p.err
		default:
			err = fmt.Errorf("%w: %v", ErrBroken, p)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(raw), int64(len(raw)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword), err != nil && strings.Contains(err.Error(), "encrypt"):
		return ErrEncrypted
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	pages := r.NumPage()
	if pages > b.limits.MaxPages {
		return fmt.Errorf("%w: it has %d pages, and at most %d are read", ErrTooLarge, pages, b.limits.MaxPages)
	}
	b.doc.Title = strings.TrimSpace(r.Trailer().Key("Info").Key("Title").Text())
	all, err := b.pages(ctx, r)
	if err != nil {
		return err
	}
	for i, page := range all {
		n := i + 1
		lines := &pdfText{ctx: ctx, left: b.limits.MaxText - b.bytes}
		lines.read(page)
		text := lines.out.String()
		if strings.TrimSpace(text) == "" {
			continue
		}
		b.begin(Section{Path: []string{fmt.Sprintf("page %d", n)}, Anchor: fmt.Sprintf("page=%d", n)})
		for _, paragraph := range strings.Split(text, "\n\n") {
			if err := b.block(paragraph); err != nil {
				return err
			}
		}
	}
	return nil
}

// pages lists the pages in their order. The tree that they hang in may be broken: one that
// leads back to itself has no end, and the library's own search goes round in it.
func (b *builder) pages(ctx context.Context, r *pdf.Reader) (all []pdf.Page, err error) {
	rest := []pdf.Value{r.Trailer().Key("Root").Key("Pages")}
	for seen := 0; len(rest) > 0; seen++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if seen > 2*b.limits.MaxPages { // a tree has no more inner nodes than pages, or is of no use
			return nil, fmt.Errorf("%w: its tree of pages goes in circles, or has parts without a page", ErrBroken)
		}
		node := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		switch node.Key("Type").Name() {
		case "Page":
			if all = append(all, pdf.Page{V: node}); len(all) > b.limits.MaxPages {
				return nil, fmt.Errorf("%w: it has more than %d pages", ErrTooLarge, b.limits.MaxPages)
			}
		case "Pages":
			kids := node.Key("Kids")
			if kids.Len() > 2*b.limits.MaxPages-len(rest) {
				return nil, fmt.Errorf("%w: it has more than %d pages", ErrTooLarge, b.limits.MaxPages)
			}
			for i := kids.Len() - 1; i >= 0; i-- {
				rest = append(rest, kids.Index(i))
			}
		}
	}
	return all, nil
}

// stopped ends the interpreter of a page, which knows no other end.
type stopped struct{ err error }

// pdfText writes the text that a page's operators show (PDF 32000-1:2008, 9.4).
type pdfText struct {
	ctx   context.Context
	left  int // bytes that may be written yet
	out   strings.Builder
	font  pdf.TextEncoding
	y     float64
	moved bool // the next text stands on another line
}

func (t *pdfText) read(p pdf.Page) {
	contents := p.V.Key("Contents")
	if p.V.IsNull() || contents.Kind() == pdf.Null {
		return
	}
	pdf.Interpret(contents, func(stack *pdf.Stack, operator string) {
		if err := t.ctx.Err(); err != nil {
			panic(stopped{err})
		}
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		t.operator(p, operator, args)
	})
}

func (t *pdfText) operator(p pdf.Page, operator string, args []pdf.Value) {
	number := func(i int) float64 {
		if i >= len(args) {
			return 0
		}
		return args[i].Float64()
	}
	switch operator {
	case "BT", "T*":
		t.moved = true
	case "Td", "TD":
		t.moved = t.moved || number(1) != 0
	case "Tm":
		t.moved = t.moved || number(5) != t.y
		t.y = number(5)
	case "Tf":
		if len(args) == 2 {
			t.font = p.Font(args[0].Name()).Encoder()
		}
	case "'", "\"":
		t.moved = true
		if len(args) > 0 {
			t.show(args[len(args)-1].RawString())
		}
	case "Tj":
		if len(args) == 1 {
			t.show(args[0].RawString())
		}
	case "TJ":
		if len(args) == 1 {
			t.pieces(args[0])
		}
	}
}

// pieces shows a line whose pieces have gaps of their own between them.
func (t *pdfText) pieces(list pdf.Value) {
	for i := range list.Len() {
		switch piece := list.Index(i); piece.Kind() {
		case pdf.String:
			t.show(piece.RawString())
		case pdf.Integer, pdf.Real:
			if piece.Float64() < spaceBetween {
				t.write(" ")
			}
		}
	}
}

func (t *pdfText) show(raw string) {
	if t.moved && t.out.Len() > 0 {
		t.write("\n")
	}
	t.moved = false
	if t.font != nil {
		raw = t.font.Decode(raw)
	}
	t.write(strings.ToValidUTF8(raw, ""))
}

func (t *pdfText) write(text string) {
	if t.left -= len(text); t.left < 0 {
		panic(stopped{fmt.Errorf("%w: it has more text than is read of one file", ErrTooLarge)})
	}
	t.out.WriteString(text)
}
