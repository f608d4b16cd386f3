package analyse

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"unicode"

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
	scope    args // of the slots in, only and on, with the blanks around them; none: empty
}

// scopeSlots are the slots of what an answer is of.
var scopeSlots = [...]string{"in", "only", "on"}

func (m messages) in(l lang.Language) speaker {
	if l != lang.Chinese {
		l = lang.English
	}
	return speaker{messages: m, language: l}
}

// filled puts values into the slots of a message. What a value ends with and the message
// goes on with is said once: a figure called "amount 合计" stands before 合计 in many.
func (s speaker) filled(message string, a args) string {
	for _, slot := range scopeSlots {
		if s.scope[slot] == "" {
			message = strings.ReplaceAll(message, "{"+slot+"}", "")
		}
	}
	var out strings.Builder
	end := 0
	for _, at := range s.slots.FindAllStringIndex(message, -1) {
		out.WriteString(message[end:at[0]])
		end = at[1]
		m := s.slots.FindStringSubmatch(message[at[0]:end])
		value, own := a[m[1]]
		if !own {
			value = s.scope[m[1]]
		}
		switch {
		case m[1] == "be":
			value = be(a["label"])
		case m[2] == "" && m[3] == "":
			value = strings.TrimRight(strings.TrimSuffix(value, repeated(value, message[end:])), " ")
		case value == "1":
			value += " " + m[2]
		default:
			value += " " + m[3]
		}
		out.WriteString(value)
	}
	out.WriteString(message[end:])
	return out.String()
}

// repeated is the word of Chinese characters that a value ends with and the text after it
// begins with; empty: there is none of two characters or more.
func repeated(value, after string) string {
	word := []rune(after)
	n := 0
	for n < len(word) && unicode.Is(unicode.Han, word[n]) {
		n++
	}
	for ; n >= 2; n-- {
		if text := string(word[:n]); strings.HasSuffix(value, text) && value != text {
			return text
		}
	}
	return ""
}

// text fills a message in. {name} is the argument; {name:one|many} is the
// argument, a blank, and the word that goes with it: "1 row", "2 rows".
func (s speaker) text(key string, a args) string {
	message, ok := s.texts[key]
	if !ok {
		return key // a test says all of them
	}
	text := s.filled(message[s.language], a)
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
