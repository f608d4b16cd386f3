package advise

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/prefilter"
)

// frames are patterns of how the wish for a chart stands in a question.
type frames struct {
	Any  phrases  `yaml:"any"` // names of charts of no kind
	En   []string `yaml:"en"`
	Zh   []string `yaml:"zh"`
	Left string   `yaml:"left"`

	patterns []*prefilter.Pattern
	left     *regexp.Regexp
}

// Cut is a question without the wish for a chart.
type Cut struct {
	Rest string // what is asked for
	Wish string // the words of the wish; "": there is none, and Rest is the question
	Name string // of the chart, as it was said
}

// minRest is how many letters are left at least: less is the wish alone.
const minRest = 2

// prepositions begin names of charts that are a wish by themselves: "as bars".
var prepositions = []string{"as ", "in ", "by ", "with "}

// compile makes the patterns ready.
func (f *frames) compile(names []phrases) error {
	en, zh := slices.Clone(f.Any.En), slices.Clone(f.Any.Zh)
	var whole, own []string
	for _, called := range names {
		for _, p := range called.En {
			if slices.ContainsFunc(prepositions, func(start string) bool { return strings.HasPrefix(p, start) }) {
				whole = append(whole, p)
				continue
			}
			en = append(en, p)
		}
		zh, own = append(zh, called.Zh...), append(own, called.Zh...)
	}
	english, chinese, alone := oneOf(en), oneOf(zh), oneOf(whole)
	for i, p := range slices.Concat(f.En, []string{`[,;]? ?KIND(?: please)?`}, f.Zh) {
		name := english
		switch {
		case i == len(f.En):
			name = alone
		case i > len(f.En):
			name = chinese
		}
		p = strings.ReplaceAll(p, "OWN", "("+oneOf(own)+")")
		text := strings.ReplaceAll(p, "KIND", "("+name+")")
		if i <= len(f.En) {
			text = strings.ReplaceAll(text, " ", `\s+`)
			text = strings.ReplaceAll(text, `\s+?`, `\s*`)
			if !strings.HasPrefix(p, "^") {
				text = `(?:^|\b|\s+)` + text
			}
			if !strings.HasSuffix(p, "$") && !strings.HasSuffix(p, " ") {
				text += `\b`
			}
		}
		r, err := prefilter.Compile("(?i)" + text)
		if err != nil {
			return fmt.Errorf("words of charts: frame %q: %w", p, err)
		}
		f.patterns = append(f.patterns, r)
	}
	left, err := regexp.Compile(f.Left)
	if err != nil {
		return fmt.Errorf("words of charts: what is left: %w", err)
	}
	f.left = left
	return nil
}

// oneOf is a pattern of phrases, the longest first.
func oneOf(list []string) string {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for i, p := range out {
		out[i] = strings.ReplaceAll(regexp.QuoteMeta(p), " ", `\s+`)
	}
	return strings.Join(out, "|")
}

// Cut takes the wish for a chart out of a question: what is drawn is decided apart from
// what is asked for. A question that is nothing but a wish stays as it is.
func (a *Adviser) Cut(question string) Cut {
	f := &a.words.Frames
	none := Cut{Rest: question}
	if len(question) > maxQuestion {
		return none
	}
	text := prefilter.Of(question)
	for _, p := range f.patterns {
		at := p.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		c := Cut{Wish: strings.TrimFunc(question[at[0]:at[1]], unicode.IsSpace), Name: question[at[2]:at[3]]}
		before, after := question[:at[0]], question[at[1]:]
		if before != "" && after != "" && needsBlank(before, after) {
			before += " "
		}
		c.Rest = strings.TrimSpace(f.left.ReplaceAllString(strings.TrimSpace(before+after), ""))
		if letters(c.Rest) < minRest {
			return none
		}
		return c
	}
	return none
}

// needsBlank reports whether two texts would be one word without a blank between them.
func needsBlank(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return last < unicode.MaxLatin1 && unicode.IsLetter(last) && first < unicode.MaxLatin1 && unicode.IsLetter(first)
}

func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
