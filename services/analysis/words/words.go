// Package words holds the sentences of the analysis service, English and Chinese side by
// side in words.yaml.
package words

import (
	_ "embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed words.yaml
var file []byte

// Words are the sentences. They never change.
type Words struct {
	texts map[string]map[lang.Language]string
}

// New reads words.yaml.
func New() (*Words, error) {
	w := &Words{}
	if err := yaml.Unmarshal(file, &w.texts); err != nil {
		return nil, fmt.Errorf("read words.yaml: %w", err)
	}
	for key, text := range w.texts {
		if text[lang.English] == "" || text[lang.Chinese] == "" {
			return nil, fmt.Errorf("words.yaml: %s needs en and zh", key)
		}
	}
	return w, nil
}

// Say returns a sentence with its places filled in: pairs of name and text.
func (w *Words) Say(l lang.Language, key string, args ...string) string {
	if l != lang.Chinese {
		l = lang.English
	}
	text, known := w.texts[key][l]
	if !known {
		return key // a test says all of them
	}
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, "{"+args[i]+"}", args[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Has reports whether there is such a sentence.
func (w *Words) Has(key string) bool { return w.texts[key] != nil }
