package parser

import "strings"

// Part is one statement of a script: a range of bytes, without the semicolon. It
// begins right after the semicolon before it, so that comments in front of a
// statement belong to it.
type Part struct{ Start, End int }

// Split cuts a script at its semicolons. What holds no words is left out, such as
// the blanks or comments after the last semicolon. The semicolons in the body of
// a function cut too: such statements are not for scripts of queries.
func Split(text string) []Part {
	if len(text) > MaxBytes {
		return []Part{{0, len(text)}} // Parse refuses it
	}
	var parts []Part
	start, words := 0, false
	for _, t := range lex(text, &work{}) {
		switch t.kind {
		case tSemicolon, kEnd:
			if words {
				parts = append(parts, Part{start, t.start})
			}
			start, words = t.end, false
		default:
			words = true
		}
	}
	return parts
}

// LineOf returns line and column of a byte offset, from 1; the column counts
// characters.
func LineOf(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}
