package fixsql

import (
	_ "embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed words.yaml
var wordsFile []byte

// words are the sentences of words.yaml: a key's text by language.
type words map[string]map[lang.Language]string

func loadWords() (words, error) {
	var w words
	if err := yaml.Unmarshal(wordsFile, &w); err != nil {
		return nil, fmt.Errorf("read words.yaml: %w", err)
	}
	for key, texts := range w {
		if texts[lang.English] == "" || texts[lang.Chinese] == "" {
			return nil, fmt.Errorf("words.yaml: %s needs en and zh", key)
		}
	}
	return w, nil
}

// say fills {name} in.
func (w words) say(l lang.Language, key string, args map[string]string) string {
	if l != lang.Chinese {
		l = lang.English
	}
	text, ok := w[key][l]
	if !ok {
		return key
	}
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// list joins items: "a, b and c".
func list(l lang.Language, items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], l.Pick(", ", "、")) + l.Pick(" and ", "和") + items[last]
}
