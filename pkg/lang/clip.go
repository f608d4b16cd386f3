package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip cuts a text to at most so many bytes, at a character's edge, without a
// mark: for limits of fields and memory.
func Clip(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	bytes = max(bytes, 0)
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// OneLine puts a text on one line: blanks and line ends in a row become one blank,
// those around it go.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shorten cuts a text to at most so many characters, the last of them then an
// ellipsis: for what people read.
func Shorten(text string, characters int) string {
	if len(text) <= characters || utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:max(characters-1, 0)]) + "…"
}

// Capital makes the first character of a text a capital, whatever its script.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToTitle(first)) + text[size:]
}
