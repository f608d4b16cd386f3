// Package term draws for a terminal: tables that count Chinese characters as two
// cells, small charts, and run trees. Its functions are pure: values and a width
// in, text out.
package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/dibrain/dibrain/pkg/prose"
)

// Style paints pieces of text; the zero Style leaves them plain.
type Style struct{ Color bool }

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold paints headings and the answer.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim paints what is said in passing.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Warn paints warnings.
func (s Style) Warn(text string) string { return s.paint("33", text) }

// Bad paints errors.
func (s Style) Bad(text string) string { return s.paint("31", text) }

// Good paints what is well.
func (s Style) Good(text string) string { return s.paint("32", text) }

// cells is the number of terminal cells that a text takes. Ambiguous widths
// count as one, as terminals outside East Asia draw them.
var cells = (&runewidth.Condition{EastAsianWidth: false}).StringWidth

// Clean makes a stored text safe to print on one line: control characters, which could
// move the cursor or change colours, become spaces, and what cannot be seen goes.
func Clean(text string) string { return prose.Line(text) }

// Shorten cuts a text to at most width cells and marks the cut with "…".
func Shorten(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	if width <= 1 {
		return "…"
	}
	var b strings.Builder
	used := 0
	for _, r := range text {
		w := cells(string(r))
		if used+w > width-1 {
			break
		}
		b.WriteRune(r)
		used += w
	}
	return b.String() + "…"
}

func pad(text string, width int, right bool) string {
	gap := strings.Repeat(" ", max(0, width-cells(text)))
	if right {
		return gap + text
	}
	return text + gap
}

// Wrap breaks a text into lines of at most width cells, at spaces where there
// are any, between characters where there are none. A sign of a currency or a unit stays on
// the line of the number beside it: "12,400 $" is never "12,400" and "$ per month" below it.
func Wrap(text string, width int) []string {
	width = max(width, 2)
	var lines []string
	line := ""
	for _, word := range withSigns(strings.Fields(text)) {
		for longer(word, width) { // than a line: Chinese has no spaces
			head := cut(word, width-cells(line)-min(1, len(line)))
			if head == "" {
				lines, line = append(lines, line), ""
				continue
			}
			lines, line = append(lines, strings.TrimLeft(line+" "+head, " ")), ""
			word = word[len(head):]
		}
		if line != "" && cells(line)+1+cells(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// withSigns joins a sign that stands alone to the number before it, or else behind it.
func withSigns(words []string) []string {
	out := words[:0:0]
	open := false // the last of out is a sign without a number
	for _, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		switch last := len(out) - 1; {
		case last >= 0 && isSign(word) && !open && unicode.IsDigit(lastRune(out[last])), open && unicode.IsDigit(first):
			out[last] += " " + word
			open = false
		default:
			out, open = append(out, word), isSign(word)
		}
	}
	return out
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// isSign reports a word of nothing but signs that are written beside numbers.
func isSign(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.Is(unicode.Sc, r) && !strings.ContainsRune("%‰°℃℉", r) }) < 0
}

// longer reports whether a text takes more than width cells. It does not measure the
// whole of a very long one, which Wrap asks about again for each line.
func longer(text string, width int) bool {
	const bytesACell = 32 // more than any script takes
	return len(text)/bytesACell > width || cells(text) > width
}

// cut returns the longest head of a text that fits into width cells.
func cut(text string, width int) string {
	used := 0
	for i, r := range text {
		used += cells(string(r))
		if used > width {
			return text[:i]
		}
	}
	return text
}
