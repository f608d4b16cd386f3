package words

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed messages.yaml
var messagesYAML []byte

// messages are the sentences: a key's text by language.
type messages struct {
	texts map[string]map[lang.Language]string
	slots *regexp.Regexp
}

// args are what a message's slots stand for.
type args map[string]string

func loadMessages(raw []byte) (messages, error) {
	m := messages{slots: regexp.MustCompile(`\{[a-z_]+\}`)}
	if err := yaml.Unmarshal(raw, &m.texts); err != nil {
		return messages{}, fmt.Errorf("read messages.yaml: %w", err)
	}
	for key, texts := range m.texts {
		if texts[lang.English] == "" || texts[lang.Chinese] == "" {
			return messages{}, fmt.Errorf("messages.yaml: %s needs en and zh", key)
		}
	}
	return m, nil
}

// text fills a message in. Values are put in as they are: slots in them stay text.
func (s *saying) text(key string, a args) string {
	texts, ok := s.texts[key]
	if !ok {
		return key // a test says all of them
	}
	return s.slots.ReplaceAllStringFunc(texts[s.language], func(slot string) string {
		return a[strings.Trim(slot, "{}")]
	})
}

// list joins items: "a, b and c".
func (s *saying) list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], s.text("comma", nil)) + s.text("and", nil) + items[last]
}

// sentence ends a text and, in English, starts it with a capital.
func (s *saying) sentence(text string) string {
	if s.language == lang.English {
		text = lang.Capital(text)
	}
	return text + s.text("stop", nil)
}
