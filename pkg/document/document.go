// Package document reads documents that people wrote (Markdown, HTML, plain text,
// PDF with a text layer, pairs of questions and answers) into sections under their
// headings, and cuts sections into passages that can be found and quoted. What is
// read is text: scripts, styles and what a page hides are left out, and nothing in a
// document is ever carried out.
package document

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Document is what was read of one file.
type Document struct {
	// Name is the path of the file in its collection, with slashes.
	Name string
	// Title as the document says it, else made of its name.
	Title string
	// Product that the document says it is about; empty: it says none.
	Product string
	// Changed is when the document says it was changed last; zero: it does not say.
	Changed  time.Time
	Sections []Section
}

// Section is the text under one heading, without the sections below it.
type Section struct {
	// Path are the headings from the document's title down to the section's own.
	Path []string
	// Question is what the section answers: that of a pair of question and answer, or a
	// heading that asks. It is the last of Path too.
	Question string
	// Anchor is the fragment of a link to the section, without "#"; empty: none.
	Anchor string
	// URL is a link of the section's own; empty: the document's with Anchor.
	URL string
	// Product and Changed are the section's own, where it says them.
	Product string
	Changed time.Time
	// Blocks are paragraphs, lists, tables and code, each a text of its own.
	Blocks []string
}

// Limits bound what is read of one document. All are needed.
type Limits struct {
	MaxBytes    int64 // of the file
	MaxText     int   // bytes of text taken out of it
	MaxSections int
	MaxPages    int // of a PDF
	// MaxPassage is how many characters a passage has at most.
	MaxPassage int
}

// Errors of a document that cannot be read. They are told to people.
var (
	ErrKind      = errors.New("files of this kind are not read: use Markdown (.md), HTML (.html), text (.txt), PDF (.pdf) or questions and answers (.jsonl)")
	ErrTooLarge  = errors.New("the file is too large")
	ErrEncrypted = errors.New("the PDF is encrypted: save it without a password")
	ErrNoText    = errors.New("there is no text in it: a scanned PDF needs its text layer first")
	ErrNoUTF8    = errors.New("the text is not UTF-8: save it as UTF-8")
	ErrBroken    = errors.New("the file is damaged")
)

// Kinds are the endings of the files that Read reads.
func Kinds() []string {
	return []string{".md", ".markdown", ".html", ".htm", ".txt", ".text", ".pdf", ".jsonl"}
}

// IsKind reports whether Read reads files of that name.
func IsKind(name string) bool { return slices.Contains(Kinds(), strings.ToLower(path.Ext(name))) }

// Read reads the contents of the file called name. Errors wrap one of this package,
// or are ctx's. Text beyond the limits is an error and never left out in silence.
func Read(ctx context.Context, name string, raw []byte, l Limits) (Document, error) {
	if int64(len(raw)) > l.MaxBytes {
		return Document{}, TooLarge(int64(len(raw)), l.MaxBytes)
	}
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	b := &builder{limits: l, doc: Document{Name: name}}
	var err error
	ext := strings.ToLower(path.Ext(name))
	if ext != ".pdf" && slices.Contains(Kinds(), ext) && !utf8.Valid(raw) {
		return Document{}, ErrNoUTF8
	}
	raw = trimMark(raw)
	switch ext {
	case ".md", ".markdown":
		err = b.markdown(raw)
	case ".html", ".htm":
		err = b.html(raw)
	case ".txt", ".text":
		err = b.plain(string(raw))
	case ".pdf":
		err = b.pdf(ctx, raw)
	case ".jsonl":
		err = b.pairs(raw)
	default:
		return Document{}, ErrKind
	}
	if err != nil {
		return Document{}, err
	}
	return b.document()
}

// TooLarge says by how much a file is too large.
func TooLarge(bytes, most int64) error {
	return fmt.Errorf("%w: it has %d bytes, and at most %d are read", ErrTooLarge, bytes, most)
}

// trimMark leaves out the byte order mark that some editors begin a file with.
func trimMark(raw []byte) []byte {
	return []byte(strings.TrimPrefix(string(raw), "\ufeff"))
}

// builder puts a document together, heading by heading.
type builder struct {
	limits  Limits
	doc     Document
	levels  []int    // of the headings that are open
	open    []string // headings that are open
	current *Section
	bytes   int
	anchors map[string]int
}

// heading begins a section below the headings of lower levels.
func (b *builder) heading(level int, text, anchor string) {
	text = lang.OneLine(text)
	for len(b.levels) > 0 && b.levels[len(b.levels)-1] >= level {
		b.levels, b.open = b.levels[:len(b.levels)-1], b.open[:len(b.open)-1]
	}
	if text == "" {
		return
	}
	b.levels, b.open = append(b.levels, level), append(b.open, text)
	if b.doc.Title == "" {
		b.doc.Title = text
	}
	s := Section{Path: slices.Clone(b.open), Anchor: anchor}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		s.Question = text
	}
	b.begin(s)
}

func (b *builder) begin(s Section) {
	b.doc.Sections = append(b.doc.Sections, s)
	b.current = &b.doc.Sections[len(b.doc.Sections)-1]
}

// block adds a text to the open section.
func (b *builder) block(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if b.current == nil {
		b.begin(Section{})
	}
	b.bytes += len(text)
	if b.bytes > b.limits.MaxText {
		return fmt.Errorf("%w: it has more than %d bytes of text", ErrTooLarge, b.limits.MaxText)
	}
	if len(b.doc.Sections) > b.limits.MaxSections {
		return fmt.Errorf("%w: it has more than %d sections", ErrTooLarge, b.limits.MaxSections)
	}
	b.current.Blocks = append(b.current.Blocks, text)
	return nil
}

// document closes what was read: every path begins with the title, and headings
// without a text of their own are left out.
func (b *builder) document() (Document, error) {
	d := b.doc
	if d.Title == "" {
		d.Title = titleOf(d.Name)
	}
	d.Sections = slices.DeleteFunc(d.Sections, func(s Section) bool { return len(s.Blocks) == 0 })
	if len(d.Sections) == 0 {
		return Document{}, ErrNoText
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if len(s.Path) == 0 || s.Path[0] != d.Title {
			s.Path = append([]string{d.Title}, s.Path...)
		}
	}
	return d, nil
}

// titleOf makes a title of a file's name.
func titleOf(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return lang.Capital(strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(base)))
}

// dateOf reads a date as documents write it in their head; zero where it is none.
func dateOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "2006/01/02", "2 January 2006", "January 2, 2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
