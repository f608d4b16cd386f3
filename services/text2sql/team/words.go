package team

import (
	_ "embed" // words.yaml
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/semantic"
)

//go:embed words.yaml
var wordsFile []byte

// words are what the team says to people, by id, in both languages.
type words map[string]semantic.Text

func loadWords() (words, error) {
	var w words
	if err := yaml.Unmarshal(wordsFile, &w); err != nil {
		return nil, fmt.Errorf("words of the team: %w", err)
	}
	return w, nil
}

// say fills a text in the asker's language; what is filled in may come from a
// model or from data and is not read as a format.
func (b *Board) say(id string, args ...any) string {
	t := b.words[id]
	text := b.Task.Language.Pick(t.EN, t.ZH)
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}
