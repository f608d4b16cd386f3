package pipeline

import (
	_ "embed" // messages.yaml
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
)

//go:embed messages.yaml
var messageFile []byte

type messages map[string]semantic.Text

func loadMessages() (messages, error) {
	var m messages
	if err := yaml.Unmarshal(messageFile, &m); err != nil {
		return nil, fmt.Errorf("messages of text to SQL: %w", err)
	}
	return m, nil
}

func (m messages) text(l lang.Language, id string, args ...any) string {
	t := m[id]
	s := l.Pick(t.EN, t.ZH)
	if len(args) == 0 || !strings.Contains(s, "%") {
		return s
	}
	return fmt.Sprintf(s, args...)
}
