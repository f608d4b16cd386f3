// Package prose makes text that a model, a catalog, a file or another team's agent
// wrote fit to be shown to people: in a terminal it moves no cursor and hides nothing,
// and where it is drawn as Markdown or HTML it fetches nothing, runs nothing and leads
// nowhere that is not written out.
//
// Visible is for text that is shown as it is: names, values, SQL. Safe is for
// sentences and Markdown. Both leave ordinary text as it was, and text that went
// through them once.
package prose

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// escape is a terminal's control sequence: ESC [ … letter, ESC ] … BEL or ESC \, ESC
// and one character, and the same with the one-byte forms. A string sequence that does
// not end is left to the control characters' rule, so that it takes no text with it.
var escape = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c\n]*(?:\x07|\x1b\\\\|\u009c)|\x1b[ -/]*[0-~]")

// Visible returns a text without what can be seen only by what it does: terminal
// escapes, characters that turn the direction of writing, and characters without a
// width go; other control characters, but for the line feed and the tab, become
// spaces. Bytes that are no character become U+FFFD.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = escape.ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case isControl(r):
			return ' '
		case isHidden(r):
			return -1
		}
		return r
	}, text)
}

// Line is Visible on one line: line feeds and tabs become spaces too.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Visible(text))
}

// plain reports a text of printable ASCII: most are.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029
}

// isHidden reports characters that show nothing themselves: marks, embeddings,
// overrides and isolates of direction (TR9), zero-width spaces, invisible operators,
// and tags. Joiners stay: Indic scripts, Persian and emoji need them.
func isHidden(r rune) bool {
	switch {
	case r == 0x00ad, r == 0x061c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff,
		r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// IsUnseen reports a character that Visible takes away or replaces.
func IsUnseen(r rune) bool {
	return r != '\n' && r != '\t' && (isControl(r) || isHidden(r))
}

var (
	// link is an inline link or image of Markdown with its text, address and title.
	link = regexp.MustCompile(`!?\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`)
	// autolink is an address in angle brackets.
	autolink = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>`)
	// markup is where HTML can begin; "a < b" and "a <3" are none.
	markup = regexp.MustCompile(`<([A-Za-z/!?])`)
	// reference is what makes brackets a link of any kind, or its definition.
	reference = regexp.MustCompile(`\]([(\[:])`)
)

// nested is how deep links may stand in each other's texts to be rewritten; deeper
// ones only come apart.
const nested = 3

// Safe returns a text for people that may be drawn as Markdown: what Visible takes
// away is gone, links and images are written as their text and whole address, and
// HTML is text. Emphasis, lists, headings, tables and code stay.
func Safe(text string) string {
	text = Visible(text)
	if !strings.ContainsAny(text, "<]") {
		return text
	}
	for range nested {
		next := link.ReplaceAllStringFunc(text, spellOut)
		if next == text {
			break
		}
		text = next
	}
	text = autolink.ReplaceAllString(text, "$1")
	text = markup.ReplaceAllString(text, "‹$1")
	return reference.ReplaceAllString(text, "] $1")
}

// SafeAll returns the texts, each as Safe has it.
func SafeAll(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, Safe(t))
	}
	return out
}

// spellOut writes a link as its text and address.
func spellOut(written string) string {
	parts := link.FindStringSubmatch(written)
	text, address := strings.TrimSpace(parts[1]), parts[2]
	switch {
	case text == "" || text == address:
		return address
	case address == "":
		return text
	}
	return text + " (" + address + ")"
}
