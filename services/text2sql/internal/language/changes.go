package language

import (
	_ "embed" // changes.yaml
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed changes.yaml
var changesFile []byte

// LoadChanges reads the embedded words that say what is done with an earlier question.
// They stand beside the general words, which keep their meanings.
func LoadChanges() (*Words, error) {
	w := newWords()
	var tags map[string][]string
	if err := yaml.Unmarshal(changesFile, &tags); err != nil {
		return nil, fmt.Errorf("words of changes: %w", err)
	}
	for name, list := range tags {
		for _, phrase := range list {
			w.add(phrase, tagOf(name))
		}
	}
	return w, nil
}
