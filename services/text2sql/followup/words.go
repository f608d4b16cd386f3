package followup

import (
	_ "embed" // words.yaml
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

//go:embed words.yaml
var wordsYAML []byte

// cue is a phrase that says what to do.
type cue struct {
	text     string // lower case
	tag, arg string
}

// Words are the phrases of changes; read-only after LoadWords.
type Words struct{ cues []cue } // longest first

// LoadWords reads the embedded phrases.
func LoadWords() (*Words, error) {
	var data map[string][][]string
	if err := yaml.Unmarshal(wordsYAML, &data); err != nil {
		return nil, fmt.Errorf("words of follow-ups: %w", err)
	}
	w := &Words{}
	for key, lists := range data {
		tag, arg, _ := strings.Cut(key, ":")
		for _, phrase := range slices.Concat(lists...) {
			w.cues = append(w.cues, cue{text: strings.ToLower(phrase), tag: tag, arg: arg})
		}
	}
	slices.SortFunc(w.cues, func(a, b cue) int {
		if len(a.text) != len(b.text) {
			return len(b.text) - len(a.text)
		}
		return strings.Compare(a.text+a.tag, b.text+b.tag)
	})
	return w, nil
}

// part is a cue, a piece or a number of what was said; none of them is unknown.
type part struct {
	start, end int
	tag, arg   string
	piece      *Piece
	number     int64
}

func (p *part) is(tag string) bool { return p.tag == tag }

var digits = regexp.MustCompile(`^\d{1,9}`)

// parts cuts a text: names and dates first, then the longest phrase at each place.
func (w *Words) parts(text string, pieces []Piece) []part {
	lower := lowered(text)
	var out []part
	for at := 0; at < len(text); {
		if i := slices.IndexFunc(pieces, func(p Piece) bool { return p.Start == at && p.End > at }); i >= 0 {
			out = append(out, part{start: at, end: pieces[i].End, piece: &pieces[i]})
			at = pieces[i].End
			continue
		}
		if d := digits.FindString(lower[at:]); d != "" {
			n, _ := strconv.ParseInt(d, 10, 64) // nine digits fit
			out = append(out, part{start: at, end: at + len(d), tag: "number", number: n})
			at += len(d)
			continue
		}
		if c, ok := w.cueAt(lower, at, limitOf(pieces, at, len(text))); ok {
			p := part{start: at, end: at + len(c.text), tag: c.tag, arg: c.arg}
			if c.tag == "number" {
				p.number, _ = strconv.ParseInt(c.arg, 10, 64) // data of this package
			}
			out = append(out, p)
			at = p.end
			continue
		}
		end := at + wordAt(text[at:])
		if strings.ContainsFunc(text[at:end], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			if n := len(out); n > 0 && out[n-1].tag == "" && out[n-1].piece == nil && out[n-1].end == at {
				out[n-1].end = end // Chinese: characters in a row
			} else {
				out = append(out, part{start: at, end: end})
			}
		}
		at = end
	}
	return out
}

// lowered is the text in lower case with every byte in its place.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, text)
}

// limitOf is where the next piece begins.
func limitOf(pieces []Piece, at, end int) int {
	for _, p := range pieces {
		if p.Start > at && p.Start < end {
			end = p.Start
		}
	}
	return end
}

func (w *Words) cueAt(lower string, at, limit int) (cue, bool) {
	for _, c := range w.cues {
		if at+len(c.text) <= limit && strings.HasPrefix(lower[at:], c.text) && bounded(lower, at, at+len(c.text)) {
			return c, true
		}
	}
	return cue{}, false
}

// partOfPhrase reports whether a time is only a part of a phrase about another
// period: the "last year" of "the same period last year".
func (w *Words) partOfPhrase(lower string, p Piece) bool {
	for _, c := range w.cues {
		if (c.tag == "before" || c.tag == "back") && len(c.text) > p.End-p.Start {
			if at := strings.Index(lower, c.text); at >= 0 && at <= p.Start && p.End <= at+len(c.text) {
				return true
			}
		}
	}
	return false
}

// bounded reports whether a span of Latin letters ends and begins where words do; a
// number may follow at once, as in "top3".
func bounded(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (!latin(first) || !latin(before)) && (!latin(last) || !latin(after))
}

func latin(r rune) bool {
	return r != utf8.RuneError && unicode.IsLetter(r) && !unicode.Is(unicode.Han, r)
}

// wordAt is the length of the word, Chinese character or sign that a text begins with.
func wordAt(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	if !latin(first) {
		return size
	}
	if n := strings.IndexFunc(text, func(r rune) bool { return !latin(r) && r != '\'' && r != '-' && !unicode.IsDigit(r) }); n > 0 {
		return n
	}
	return len(text)
}
