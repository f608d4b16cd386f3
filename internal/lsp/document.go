package lsp

import (
	"strings"
	"unicode/utf8"
)

// document is a text that an editor has open.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // where each line begins, in bytes
}

func newDocument(id documentID, text string) *document {
	d := &document{uri: id.URI, version: id.Version, text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// line is a line without its end.
func (d *document) line(n int) string {
	end := len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1] - 1
	}
	return strings.TrimSuffix(d.text[d.lines[n]:end], "\r")
}

// units is how long a text is in UTF-16.
func units(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// place is the place of a byte.
func (d *document) place(offset int) position {
	offset = min(max(offset, 0), len(d.text))
	n := 0
	for low, high := 0, len(d.lines); low < high; {
		mid := (low + high) / 2
		if d.lines[mid] <= offset {
			n, low = mid, mid+1
		} else {
			high = mid
		}
	}
	return position{Line: n, Character: units(d.text[d.lines[n]:offset])}
}

// offset is the byte of a place; one behind the end of its line is at its end.
func (d *document) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	line, at := d.line(p.Line), 0
	for n := 0; at < len(line) && n < p.Character; {
		r, size := utf8.DecodeRuneInString(line[at:])
		n += units(string(r))
		at += size
	}
	return d.lines[p.Line] + at
}

// runes is the byte of a line and column from 1, columns in characters.
func (d *document) runes(line, column int) int {
	n := min(max(line-1, 0), len(d.lines)-1)
	text, at := d.line(n), 0
	for i := 1; i < column && at < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return d.lines[n] + at
}

// span is the range of bytes.
func (d *document) span(start, end int) span { return span{d.place(start), d.place(end)} }

// change turns the bytes [start, end) into another text by the smallest edit of its middle.
func (d *document) change(start, end int, text string) textEdit {
	was := d.text[start:end]
	head := 0
	for head < min(len(was), len(text)) && was[head] == text[head] {
		head++
	}
	for head > 0 && (!utf8.RuneStart(at(was, head)) || !utf8.RuneStart(at(text, head))) {
		head--
	}
	tail := 0
	for tail < min(len(was), len(text))-head && was[len(was)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(was[len(was)-tail]) {
		tail--
	}
	return textEdit{Range: d.span(start+head, end-tail), NewText: text[head : len(text)-tail]}
}

// at is a byte of a text; a zero behind its end.
func at(text string, i int) byte {
	if i >= len(text) {
		return 0
	}
	return text[i]
}
