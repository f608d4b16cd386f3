package llm

import (
	"encoding/json"
	"unicode"
	"unicode/utf8"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// What messages and tools take beside their text.
const (
	messageTokens = 4
	toolTokens    = 8
)

// EstimateTokens says about how many tokens a text takes, without a model's own
// vocabulary: a word of up to six letters is one and longer ones are one for each
// four letters, three digits are one, a Han character is one, other signs are one
// each. It is meant to be high rather than low; on English and SQL it is about a
// fifth above what common vocabularies count.
func EstimateTokens(text string) int {
	const (
		shortWord   = 6
		longWord    = 4
		digitsToken = 3
	)
	tokens, letters, digits := 0, 0, 0
	end := func() {
		switch {
		case letters > shortWord:
			tokens += (letters + longWord - 1) / longWord
		case letters > 0:
			tokens++
		}
		tokens += (digits + digitsToken - 1) / digitsToken
		letters, digits = 0, 0
	}
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			if letters > 0 {
				end()
			}
			digits++
		case r < utf8.RuneSelf && unicode.IsLetter(r), unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek):
			if digits > 0 {
				end()
			}
			letters++
		case r == ' ':
			end()
		default:
			end()
			tokens++
		}
	}
	end()
	return tokens
}

func messageSize(m Message) int {
	n := messageTokens + EstimateTokens(m.Text)
	for _, c := range m.Calls {
		n += toolTokens + EstimateTokens(c.Name) + EstimateTokens(c.Arguments)
	}
	return n
}

// requestSize estimates the input tokens of a request.
func requestSize(r Request) int {
	n := 0
	for _, m := range r.Messages {
		n += messageSize(m)
	}
	return n + fixedSize(r)
}

// fixedSize estimates what a request takes beside its messages.
func fixedSize(r Request) int {
	n := 0
	for _, t := range r.Tools {
		n += toolTokens + EstimateTokens(t.Name) + EstimateTokens(t.Description) + schemaSize(t.Schema)
	}
	if r.Format != nil {
		n += schemaSize(r.Format.Schema)
	}
	return n
}

func schemaSize(schema map[string]any) int {
	raw, err := json.Marshal(schema)
	if err != nil { // found when the request is written
		return 0
	}
	return EstimateTokens(string(raw))
}

// Trim leaves out the oldest messages until the rest takes at most so many
// tokens. System messages, and all from the last message of the user on, stay. An
// answer with tool calls goes together with the replies to them. dropped is the
// number of messages left out; the error is a LLM_TOO_LONG fault where what has
// to stay is too much.
func Trim(messages []Message, tokens int) (kept []Message, dropped int, err error) {
	size := 0
	for _, m := range messages {
		size += messageSize(m)
	}
	if size <= tokens {
		return messages, 0, nil
	}
	lastUser := len(messages)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Speaker == User {
			lastUser = i
			break
		}
	}
	for i, m := range messages {
		// Replies follow the call that they belong to out of the chat.
		orphan := m.Speaker == ToolReply && dropped > 0 && !answersKept(kept, m.CallID)
		if m.Speaker == System || i >= lastUser || size <= tokens && !orphan {
			kept = append(kept, m)
			continue
		}
		size -= messageSize(m)
		dropped++
	}
	if size > tokens {
		return nil, 0, fault.New(codes.InvalidArgument, ReasonTooLong, "The question with its context is too long for the model.").
			ForOperator("about %d tokens, llm.context_tokens leaves %d", size, tokens)
	}
	return kept, dropped, nil
}

func answersKept(kept []Message, callID string) bool {
	for _, m := range kept {
		for _, c := range m.Calls {
			if c.ID == callID {
				return true
			}
		}
	}
	return false
}
