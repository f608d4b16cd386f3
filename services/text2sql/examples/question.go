package examples

import (
	_ "embed" // words.yaml
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
)

//go:embed words.yaml
var wordsYAML []byte

// kind of a word.
type kind int

const (
	kindWord   kind = iota // letters
	kindHan                // one character
	kindNumber             // digits with a point, no separators
	kindDate               // 2006-01-02
	kindSign               // < > = % and the like: they change what is asked
)

type word struct {
	text string
	kind kind
}

// Question is a question cut for comparison.
type Question struct {
	// Key is equal for questions that differ in case, width, punctuation and the
	// way a number is written, and in nothing else.
	Key     string
	content []word // without fillers
}

// Parser cuts questions; read-only after NewParser.
type Parser struct {
	fillers [][]word // longest first
	numbers map[string]string
}

// NewParser reads the embedded words.
func NewParser() (*Parser, error) {
	var data struct {
		Fillers [][]string        `yaml:"fillers"`
		Numbers map[string]string `yaml:"numbers"`
	}
	if err := yaml.Unmarshal(wordsYAML, &data); err != nil {
		return nil, fmt.Errorf("words of verified queries: %w", err)
	}
	p := &Parser{numbers: data.Numbers}
	for _, list := range data.Fillers {
		for _, phrase := range list {
			p.fillers = append(p.fillers, p.cut(phrase))
		}
	}
	slices.SortStableFunc(p.fillers, func(a, b []word) int { return len(b) - len(a) })
	return p, nil
}

// Parse cuts a question.
func (p *Parser) Parse(question string) Question {
	words := p.cut(question)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return Question{Key: strings.Join(texts, " "), content: p.withoutFillers(words)}
}

func (p *Parser) withoutFillers(words []word) []word {
	var out []word
	for len(words) > 0 {
		i := slices.IndexFunc(p.fillers, func(f []word) bool { return len(f) <= len(words) && slices.Equal(f, words[:len(f)]) })
		if i >= 0 {
			words = words[len(p.fillers[i]):]
			continue
		}
		out = append(out, words[0])
		words = words[1:]
	}
	return out
}

// piece is a date, a number, a run of letters and digits, or a sign.
var piece = regexp.MustCompile(`\d{4}-\d{1,2}-\d{1,2}|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[\p{L}\p{M}_]+[\p{L}\p{M}\p{N}_]*(?:'[\p{L}]+)?|!=|[<>=%+$€£¥]+`)

// cut folds width, case and the ways to write a number, and leaves out punctuation.
func (p *Parser) cut(text string) []word {
	var out []word
	for _, s := range piece.FindAllString(strings.ToLower(norm.NFKC.String(text)), -1) {
		first := []rune(s)[0]
		switch {
		case unicode.IsDigit(first) && strings.Count(s, "-") == 2:
			out = append(out, word{paddedDate(s), kindDate})
		case unicode.IsDigit(first):
			out = append(out, word{plainNumber(s), kindNumber})
		case unicode.IsLetter(first) || first == '_':
			out = append(out, p.letters(s)...)
		default:
			out = append(out, word{s, kindSign})
		}
	}
	return out
}

// letters cuts a run of letters: Chinese by character, the rest as one word.
func (p *Parser) letters(run string) []word {
	var out []word
	rest := []rune(run)
	for len(rest) > 0 {
		if unicode.Is(unicode.Han, rest[0]) {
			out = append(out, word{string(rest[0]), kindHan})
			rest = rest[1:]
			continue
		}
		n := slices.IndexFunc(rest, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		if n < 0 {
			n = len(rest)
		}
		out = append(out, p.latin(string(rest[:n]))...)
		rest = rest[n:]
	}
	return out
}

func (p *Parser) latin(w string) []word {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	if digits, ok := p.numbers[w]; ok {
		return []word{{digits, kindNumber}}
	}
	if digits := strings.TrimLeft(w, "abcdefghijklmnopqrstuvwxyz"); w == "top"+digits && digits != "" { // top10
		return []word{{"top", kindWord}, {plainNumber(digits), kindNumber}}
	}
	return []word{{w, kindWord}}
}

func plainNumber(s string) string {
	s = strings.ReplaceAll(s, ",", "")
	whole, part, _ := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if part = strings.TrimRight(part, "0"); part != "" {
		return whole + "." + part
	}
	return whole
}

func paddedDate(s string) string {
	parts := strings.Split(s, "-")
	for i := 1; i < 3; i++ {
		if len(parts[i]) == 1 {
			parts[i] = "0" + parts[i]
		}
	}
	return strings.Join(parts, "-")
}
