// Package charset finds out in which encoding a file of text was written. UTF-8 proves
// itself. Everything else is judged by what a decoding gives: the characters that each
// standard calls the common ones, or the letters of one language, in words as people
// write them. "Müller" read as Cyrillic or Chinese is none of these.
package charset

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// UTF8 is the name of the encoding that is assumed.
const UTF8 = "utf-8"

const (
	maxSample   = 64 << 10 // bytes of the lines beyond ASCII that are judged
	maxExamples = 3        // words that are shown
	maxBroken   = 0.01     // share of characters that an encoding may not know
	minScore    = 0.5      // below it no encoding is believed
	mostlyUTF8  = 0.9      // share of sequences that are UTF-8 where the rest is damage
)

// Finding is the encoding of a text.
type Finding struct {
	// Encoding is its name as htmlindex has it; "" where none is plausible.
	Encoding string
	// Examples are words of the text beyond ASCII as this encoding reads them.
	Examples []string
}

// Find reads a text to its end and tells its encoding. Texts of ASCII are UTF-8, and
// so are those in which nearly all is: what is not is then damaged.
func Find(r io.Reader) (Finding, error) {
	s := newSample()
	buffer := make([]byte, 256<<10)
	for {
		n, err := r.Read(buffer)
		s.add(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Finding{}, err
		}
	}
	s.end()
	if s.faults == 0 || float64(s.whole) >= mostlyUTF8*float64(s.whole+s.faults) {
		return Finding{Encoding: UTF8}, nil
	}
	return judge(s.lines), nil
}

// sample counts what is UTF-8 and keeps lines that are not.
type sample struct {
	whole, faults int64  // sequences beyond ASCII
	line          []byte // the line at hand, up to maxSample
	lines         []byte
}

func newSample() *sample { return &sample{} }

func (s *sample) add(chunk []byte) {
	for len(chunk) > 0 {
		at := bytes.IndexByte(chunk, '\n')
		part := chunk
		if at >= 0 {
			part = chunk[:at]
		}
		s.line = append(s.line, part...)
		switch {
		case at >= 0:
			s.end()
		case len(s.line) > maxSample: // a character that is cut goes on with the next part
			whole := wholeRunes(s.line)
			rest := bytes.Clone(s.line[whole:])
			s.line = s.line[:whole]
			s.end()
			s.line = append(s.line, rest...)
		}
		chunk = chunk[min(len(part)+1, len(chunk)):]
		if at < 0 {
			return
		}
	}
}

// end judges the line at hand.
func (s *sample) end() {
	if !utf8.Valid(s.line) {
		for rest := s.line; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			switch {
			case r == utf8.RuneError && size == 1:
				s.faults++
			case size > 1:
				s.whole++
			}
			rest = rest[size:]
		}
		if len(s.lines)+len(s.line) < 2*maxSample {
			s.lines = append(append(s.lines, s.line...), '\n')
		}
	} else {
		s.whole += int64(len(s.line)-asciiBytes(s.line)) / 2
	}
	s.line = s.line[:0]
}

// wholeRunes is the length of the line without a character that has only begun.
func wholeRunes(line []byte) int {
	for at := len(line) - 1; at >= max(0, len(line)-utf8.UTFMax); at-- {
		if utf8.RuneStart(line[at]) {
			if utf8.FullRune(line[at:]) {
				return len(line)
			}
			return at
		}
	}
	return len(line)
}

func asciiBytes(line []byte) (n int) {
	for _, b := range line {
		if b < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// judge takes the encoding whose reading of the lines is the best text. Of readings
// that are alike the first counts.
func judge(lines []byte) Finding {
	best, score := "", minScore
	take := func(name string, rated float64) {
		if rated > score {
			best, score = name, rated
		}
	}
	for _, w := range wide() {
		if _, ok := decode(w.name, lines); ok {
			take(w.name, w.rate(lines))
		}
	}
	read := map[string]string{}
	for _, l := range languages() {
		text, known := read[l.encoding]
		if !known {
			text, _ = decode(l.encoding, lines)
			read[l.encoding] = text
		}
		take(l.encoding, l.rate(text))
	}
	if best == "" {
		return Finding{}
	}
	text, _ := decode(best, lines)
	return Finding{Encoding: best, Examples: examples(text)}
}

// decode returns the lines as the encoding reads them; "" and false where it knows too
// few of the characters.
func decode(name string, lines []byte) (string, bool) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return "", false
	}
	decoded, err := e.NewDecoder().Bytes(lines)
	if err != nil {
		return "", false
	}
	text := string(decoded)
	broken, beyond := strings.Count(text, "\uFFFD"), 0
	for _, r := range text {
		if r >= utf8.RuneSelf {
			beyond++
		}
		if r >= 0x80 && r < 0xA0 { // control characters, which nobody writes
			broken++
		}
	}
	if float64(broken) > maxBroken*float64(beyond) {
		return "", false
	}
	return text, true
}

// examples are the first different words beyond ASCII.
func examples(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|\"", r) }) {
		if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 || slices.Contains(out, word) {
			continue
		}
		if runes := []rune(word); len(runes) > 20 {
			word = string(runes[:20])
		}
		if out = append(out, word); len(out) == maxExamples {
			break
		}
	}
	return out
}
