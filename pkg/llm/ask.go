package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/llm/schema"
)

// Ask asks for an answer that is a T: the schema goes with the request and, for
// endpoints that pass over it, in words at the end of the system message. What
// comes is read, checked against the schema and by check, which says what is wrong
// with a value in words that the model can act on (nil: nothing more to check). Texts
// are made fit to be shown (pkg/prose), but for fields tagged verbatim:"true".
// After one wrong answer the model of the next abler role is told and asked; a
// second one is a LLM_OUTPUT_MALFORMED fault.
func Ask[T any](ctx context.Context, m Model, r Request, check func(*T) []string) (T, error) {
	var out T
	s, err := schema.For[T]()
	if err != nil {
		return out, err
	}
	r.Format = &Format{Name: formatName(r.Prompt), Schema: s.Map()}
	r.Messages = withOutline(r.Messages, s.Outline())
	for again := false; ; again = true {
		answer, err := m.Chat(ctx, r)
		if err != nil {
			return out, err
		}
		value, problems := parse(s, answer, check)
		if len(problems) == 0 {
			return *value, nil
		}
		if again {
			return out, malformed("The model's answer is not what was asked for.").ForOperator("%s", strings.Join(problems, "; "))
		}
		r.Role = abler(r.Role)
		r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)],
			Message{Speaker: Assistant, Text: clip(answer.Text, maxEcho)},
			Message{Speaker: User, Text: "That cannot be used: " + strings.Join(problems, "; ") + ". Answer again with the JSON object alone."})
	}
}

// abler returns the role to turn to where one was not able enough.
func abler(r Role) Role {
	if r == Fast {
		return Standard
	}
	return Reasoning
}

// maxEcho bounds what a model is shown of its own wrong answer, in bytes.
const maxEcho = 4096

// Salvager is an answer that can be made of a text which is not of the form that was asked
// for, so that a model that is bad at JSON is not asked again. FromText reports whether it
// was; a text that was cut off for its length is not tried.
type Salvager interface{ FromText(text string) bool }

func parse[T any](s *schema.Schema, answer Response, check func(*T) []string) (*T, []string) {
	if answer.Finish == FinishLength {
		return nil, []string{"it was cut off: be shorter"}
	}
	raw, ok := jsonObject(answer.Text)
	problems := []string{"there is no JSON object in it"}
	if ok {
		problems = s.Check(raw)
	}
	if len(problems) > 0 {
		value := new(T)
		if from, can := any(value).(Salvager); !can || !from.FromText(afterThoughts(answer.Text)) {
			return nil, problems
		}
		makeShown(reflect.ValueOf(value).Elem())
		if check == nil {
			return value, nil
		}
		return value, check(value)
	}
	value := new(T)
	if err := json.Unmarshal(raw, value); err != nil {
		return nil, []string{err.Error()}
	}
	makeShown(reflect.ValueOf(value).Elem())
	if check != nil {
		return value, check(value)
	}
	return value, nil
}

// afterThoughts leaves out what a model thought aloud.
func afterThoughts(text string) string {
	if _, after, ok := strings.Cut(text, "</think>"); ok {
		return after
	}
	return text
}

// jsonObject returns the first complete JSON object in a text: models like to
// put words or a code fence around it, and some think aloud before.
func jsonObject(text string) ([]byte, bool) {
	text = afterThoughts(text)
	const maxStarts = 20
	for range maxStarts {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return nil, false
		}
		text = text[i:]
		var raw json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&raw); err == nil {
			return bytes.TrimSpace(raw), true
		}
		text = text[1:]
	}
	return nil, false
}

// withOutline adds the form of the answer to the system message.
func withOutline(messages []Message, outline string) []Message {
	form := "Answer with one JSON object of this form and nothing else:\n" + outline
	out := slices.Clone(messages)
	for i := range out {
		if out[i].Speaker == System {
			out[i].Text += "\n\n" + form
			return out
		}
	}
	return append([]Message{{Speaker: System, Text: form}}, out...)
}

// formatName makes a schema's name of a prompt's.
func formatName(prompt string) string {
	id, _, _ := strings.Cut(prompt, "@")
	if id == "" {
		return "answer"
	}
	return strings.ReplaceAll(id, ".", "_")
}
