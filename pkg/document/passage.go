package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Passage is a part of a section that is found and quoted as a whole.
type Passage struct {
	Section int // in the document
	Text    string
}

// Passages cuts the sections into passages of at most so many characters: at blocks
// where it can, then at sentences, then anywhere.
func (d Document) Passages(most int) []Passage {
	var out []Passage
	for n, s := range d.Sections {
		for _, text := range pack(s.Blocks, "\n\n", most, func(block string) []string {
			return pack(Sentences(block), " ", most, func(sentence string) []string { return cut(sentence, most) })
		}) {
			out = append(out, Passage{Section: n, Text: text})
		}
	}
	return out
}

// pack joins parts up to most characters; smaller cuts a part that is longer.
func pack(parts []string, between string, most int, smaller func(string) []string) []string {
	var out []string
	var open strings.Builder
	size := 0
	flush := func() {
		if size > 0 {
			out = append(out, open.String())
			open.Reset()
			size = 0
		}
	}
	for _, part := range parts {
		n := utf8.RuneCountInString(part)
		if n > most {
			flush()
			out = append(out, smaller(part)...)
			continue
		}
		if size > 0 && size+len(between)+n > most {
			flush()
		}
		if size > 0 {
			open.WriteString(between)
			size += len(between)
		}
		open.WriteString(part)
		size += n
	}
	flush()
	return out
}

func cut(text string, most int) []string {
	var out []string
	for runes := []rune(text); len(runes) > 0; runes = runes[min(most, len(runes)):] {
		out = append(out, string(runes[:min(most, len(runes))]))
	}
	return out
}

// Sentences cuts a text into sentences and lines; each stands in the text as it is
// returned, but for the blanks around it. Neither abbreviations, nor numbers, nor
// names with points in them end a sentence.
func Sentences(text string) []string {
	var out []string
	take := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch r {
		case '\n', '。', '！', '？', '；':
			take(text[start:end])
			start = end
		case '.', '!', '?':
			if endsSentence(text[start:i], text[end:]) {
				end += len(text[end:]) - len(strings.TrimLeft(text[end:], closing))
				take(text[start:end])
				start = end
			}
		}
	}
	take(text[start:])
	return out
}

// closing are marks that belong to the sentence that they follow.
const closing = ")\"'”’`*_"

// shortestWord is how many letters a word has at least that ends a sentence with a
// point: "e.g.", "No." and initials do not.
const shortestWord = 3

// endsSentence reports whether a mark between before and after ends a sentence: a
// blank follows and something that can begin one, and before it stands a whole word.
func endsSentence(before, after string) bool {
	trimmed := strings.TrimLeft(after, closing)
	if trimmed == "" {
		return true
	}
	if first, _ := utf8.DecodeRuneInString(trimmed); !unicode.IsSpace(first) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(trimmed, unicode.IsSpace))
	if unicode.IsLower(next) {
		return false
	}
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	return utf8.RuneCountInString(strings.TrimRight(word, ")\"'”’`")) >= shortestWord || hasDigit(word)
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }
