// Package llm talks to a chat model behind any endpoint that speaks the OpenAI
// chat completions protocol, and to nothing that only one vendor has.
//
// Model is the one interface. Client is the real one: it bounds, retries, breaks
// the circuit, and makes faults that a person understands. Recorder and Replayer
// keep a model's answers as files for tests. Ask asks for JSON of a Go type, and
// checks what comes. Whatever a model says is input to be checked, and every
// caller goes on by rules where FallBack says so.
//
// Rooms: budget (what a run may spend, over services), schema (JSON schemas of
// Go types), prompt (versioned templates), llmtest (a scripted endpoint).
package llm

import "context"

// Model answers chats. A Model may be used concurrently.
type Model interface {
	// Chat sends a request and returns the whole answer; r.OnText hears of text
	// while it comes. Errors are faults with one of the package's reasons, or the
	// context's error where the caller has gone.
	Chat(ctx context.Context, r Request) (Response, error)
}

// Speaker says who speaks in a message.
type Speaker string

// Speakers.
const (
	System    Speaker = "system"
	User      Speaker = "user"
	Assistant Speaker = "assistant"
	ToolReply Speaker = "tool"
)

// Message is one message of a chat.
type Message struct {
	Speaker Speaker `json:"speaker"`
	Text    string  `json:"text,omitempty"`
	// Calls are the tools that the assistant asked for.
	Calls []ToolCall `json:"calls,omitempty"`
	// CallID names the call that a ToolReply answers.
	CallID string `json:"call_id,omitempty"`
}

// ToolCall is a tool that the model wants called.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is what the model wrote: JSON if all is well, unchecked.
	Arguments string `json:"arguments"`
}

// Tool is a tool offered to the model.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Schema is the JSON schema of the arguments.
	Schema map[string]any `json:"schema"`
}

// Role says how able a model the work needs; the configuration names the models.
type Role string

// Roles. The zero value is Standard.
const (
	Standard  Role = ""
	Fast      Role = "fast"
	Reasoning Role = "reasoning"
)

// Format asks for an answer that is one JSON object of a schema.
type Format struct {
	// Name of the schema: letters, digits, "_" and "-".
	Name   string         `json:"name"`
	Schema map[string]any `json:"schema"`
}

// ToolChoice values other than these name the one tool to be called.
const (
	ToolsAuto     = ""         // the model decides
	ToolsRequired = "required" // one of them, whichever
	ToolsNone     = "none"
)

// Request is a chat to be continued.
type Request struct {
	// Prompt names the prompt that made the messages, "ID@VERSION", for spans.
	Prompt     string
	Role       Role
	Use        Use // decides how the model samples
	Messages   []Message
	Tools      []Tool
	ToolChoice string
	// Format, if any, of the answer. Servers may ignore it: use Ask, which checks.
	Format *Format
	// MaxAnswerTokens bounds the answer; 0: the configured bound.
	MaxAnswerTokens int
	// CacheKey groups requests that begin alike, such as those of a session.
	CacheKey string
	// OnText, if any, is told of the answer's text piece by piece. Pieces of an
	// attempt that broke off are followed by none of another: such a request is
	// not tried again.
	OnText func(piece string)
}

// Finish says why an answer ended.
type Finish string

// Finishes.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length" // cut at the bound
	FinishTools  Finish = "tool_calls"
)

// Response is the model's answer.
type Response struct {
	Text   string     `json:"text,omitempty"`
	Calls  []ToolCall `json:"calls,omitempty"`
	Finish Finish     `json:"finish"`
	// Model that answered, as the endpoint calls it.
	Model string `json:"model,omitempty"`
	Usage Usage  `json:"usage"`
}

// Usage is what a request took. Where an endpoint does not say, tokens are
// estimated.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	CachedTokens int `json:"cached_tokens,omitempty"` // of the input
	OutputTokens int `json:"output_tokens"`
}

// Message returns the answer as a message of the chat.
func (r Response) Message() Message { return Message{Speaker: Assistant, Text: r.Text, Calls: r.Calls} }
