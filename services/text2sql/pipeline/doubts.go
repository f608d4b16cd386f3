package pipeline

import (
	_ "embed" // doubts.yaml
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed doubts.yaml
var doubtFile []byte

// maxDoubts is how many doubts an asker is told: more do not help to ask better.
const maxDoubts = 3

// doubtTexts says doubts, which the stages note in English, in Chinese.
type doubtTexts []doubtText

type doubtText struct {
	en    *regexp.Regexp // of the whole sentence, a group a name
	zh    string
	names int // in zh
}

func loadDoubts() (doubtTexts, error) {
	var list []struct{ EN, ZH string }
	if err := yaml.Unmarshal(doubtFile, &list); err != nil {
		return nil, fmt.Errorf("doubts of text to SQL: %w", err)
	}
	out := make(doubtTexts, len(list))
	for i, d := range list {
		en, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(d.EN), "%s", "(.*)") + "$")
		if err != nil {
			return nil, fmt.Errorf("doubts of text to SQL: %q: %w", d.EN, err)
		}
		out[i] = doubtText{en: en, zh: d.ZH, names: strings.Count(d.ZH, "%")}
	}
	return out, nil
}

// columnID is the id of a column, from its catalog on.
var columnID = regexp.MustCompile(`[^\s.]+(\.[^\s.,;]+){3}`)

// say returns the first doubts, each once, in the asker's language. Doubts that have
// no Chinese are left out: other says what stands for all of them.
func (d doubtTexts) say(l lang.Language, doubts []string, other string) string {
	var out []string
	for _, text := range doubts {
		if l == lang.Chinese {
			text = d.chinese(text)
		} else {
			text = columnID.ReplaceAllStringFunc(text, shortName)
		}
		if text != "" && !slices.Contains(out, text) && len(out) < maxDoubts {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return other
	}
	return strings.Join(out, l.Pick("; ", "；"))
}

// chinese returns a doubt in Chinese, empty where it is not known.
func (d doubtTexts) chinese(text string) string {
	for _, t := range d {
		found := t.en.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		if t.names == 0 {
			return t.zh
		}
		var names []any
		for _, name := range found[1:] {
			names = append(names, shortName(name))
		}
		return fmt.Sprintf(t.zh, names...)
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
