package analyse

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

//go:embed messages.yaml
var messagesYAML []byte

// messages are the sentences: a key's text by language.
type messages struct {
	texts map[string]map[lang.Language]string
	slots *regexp.Regexp
}

// args are what a message's placeholders stand for.
type args map[string]string

func loadMessages() (messages, error) {
	m := messages{slots: regexp.MustCompile(`\{([a-z_]+)(?::([^|}]*)\|([^}]*))?\}`)}
	if err := yaml.Unmarshal(messagesYAML, &m.texts); err != nil {
		return messages{}, fmt.Errorf("read messages.yaml: %w", err)
	}
	for key, texts := range m.texts {
		if texts[lang.English] == "" || texts[lang.Chinese] == "" {
			return messages{}, fmt.Errorf("messages.yaml: %s needs en and zh", key)
		}
	}
	return m, nil
}

// speaker says messages in one language.
type speaker struct {
	messages
	language lang.Language
}

func (m messages) in(l lang.Language) speaker {
	if l != lang.Chinese {
		l = lang.English
	}
	return speaker{messages: m, language: l}
}

// text fills a message in. {name} is the argument; {name:one|many} is the
// argument, a blank, and the word that goes with it: "1 row", "2 rows".
func (s speaker) text(key string, a args) string {
	message, ok := s.texts[key]
	if !ok {
		return key // a test says all of them
	}
	text := s.slots.ReplaceAllStringFunc(message[s.language], func(slot string) string {
		m := s.slots.FindStringSubmatch(slot)
		value := a[m[1]]
		switch {
		case m[1] == "be":
			return be(a["label"])
		case m[2] == "" && m[3] == "":
			return value
		case value == "1":
			return value + " " + m[2]
		default:
			return value + " " + m[3]
		}
	})
	sentence := strings.HasSuffix(message[lang.English], ".") || strings.HasSuffix(message[lang.English], "?")
	if s.language == lang.English && (sentence || strings.HasPrefix(key, "title_")) && !startsWithValue(message[s.language]) {
		return upperFirst(text)
	}
	return text
}

// be is the verb that goes with a label: "orders are", "the number of orders is".
func be(label string) string {
	head, _, _ := strings.Cut(strings.ToLower(label), " of ")
	plural := strings.HasSuffix(head, "s")
	for _, end := range [...]string{"ss", "us", "is"} {
		plural = plural && !strings.HasSuffix(head, end)
	}
	if plural {
		return "are"
	}
	return "is"
}

// startsWithValue tells whether a message begins with a stored value, which is
// written as it is stored.
func startsWithValue(message string) bool {
	for _, slot := range [...]string{"{name}", "{names}", "{top}"} {
		if strings.HasPrefix(message, slot) {
			return true
		}
	}
	return false
}

// list joins items: "a, b and c".
func (s speaker) list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], s.language.Pick(", ", "、")) + s.language.Pick(" and ", "和") + items[last]
}

// upperFirst starts a sentence. A name with capitals or digits of its own, such
// as iPhone or gmv_1d, stays as it is.
func upperFirst(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsAny(word, "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.@/") || word == "" {
		return text
	}
	return lang.Capital(text)
}

func count(n int) string { return result.Int(int64(n)).String() }

// Sentence says one of the messages, for what surrounds an analysis.
func (a *Analyst) Sentence(l lang.Language, key string, values map[string]string) string {
	return a.messages.in(l).text(key, values)
}
