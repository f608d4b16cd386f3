package pipeline

import (
	_ "embed" // doubts.yaml
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
)

//go:embed doubts.yaml
var doubtFile []byte

// maxDoubts is how many doubts an asker is told: more do not help to ask better.
const maxDoubts = 3

// doubtTexts says the doubts that the stages note to people.
type doubtTexts []doubtText

type doubtText struct {
	is    *regexp.Regexp // of the whole doubt, a group a name
	words semantic.Text
}

func loadDoubts() (doubtTexts, error) {
	var list []struct{ IS, EN, ZH string }
	if err := yaml.Unmarshal(doubtFile, &list); err != nil {
		return nil, fmt.Errorf("doubts of text to SQL: %w", err)
	}
	out := make(doubtTexts, len(list))
	for i, d := range list {
		is, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(d.IS), "%s", "(.*)") + "$")
		if err != nil {
			return nil, fmt.Errorf("doubts of text to SQL: %q: %w", d.IS, err)
		}
		out[i] = doubtText{is: is, words: semantic.Text{EN: d.EN, ZH: d.ZH}}
	}
	return out, nil
}

// say returns the first doubts, each once, as sentences in the asker's language. What no
// sentence is known for is left out: other says what stands for all of them.
func (d doubtTexts) say(l lang.Language, doubts []string, other string) string {
	var out []string
	for _, doubt := range doubts {
		text := d.sentence(l, doubt)
		if text != "" && !slices.Contains(out, text) && len(out) < maxDoubts {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return other
	}
	return strings.Join(out, l.Pick(" ", ""))
}

// sentence says a doubt; empty where none is known for it.
func (d doubtTexts) sentence(l lang.Language, doubt string) string {
	for _, t := range d {
		found := t.is.FindStringSubmatch(doubt)
		if found == nil {
			continue
		}
		text := l.Pick(t.words.EN, t.words.ZH)
		if !strings.Contains(text, "%") {
			return text
		}
		var names []any
		for _, name := range found[1:] {
			names = append(names, shortName(name))
		}
		return fmt.Sprintf(text, names...)
	}
	return ""
}

// shortName leaves catalog and schema out of the id of a table or a column.
func shortName(id string) string {
	parts := strings.Split(id, ".")
	if len(parts) < 3 || strings.ContainsAny(id, " \"") {
		return id
	}
	return strings.Join(parts[2:], ".")
}
