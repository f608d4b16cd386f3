// Package llmtest is a chat completions endpoint for tests, in process and
// scripted: it answers what a test says and keeps what it was sent.
package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Call is a tool call of an answer.
type Call struct{ Name, Arguments string }

// Answer is what the endpoint says to one request.
type Answer struct {
	Text   string
	Calls  []Call
	Finish string // "": stop, or tool_calls
	// Status other than 0 and 200 is an error with Text as its message.
	Status  int
	Header  map[string]string
	NoUsage bool
	// Raw, if any, is the whole body.
	Raw string
	// Hang lets the client wait until it goes away.
	Hang bool
	// Break ends a stream after its first piece, without its end.
	Break bool
}

// Request is what the endpoint was sent.
type Request struct {
	Header http.Header
	Body   map[string]any
	// Raw is the body as it came.
	Raw string
}

// Server is the endpoint.
type Server struct {
	URL string // of its API, ending in /v1

	mu       sync.Mutex
	answer   func(r Request) Answer
	requests []Request
}

// New starts an endpoint that answers by a function. It ends with the test.
func New(t testing.TB, answer func(r Request) Answer) *Server {
	t.Helper()
	s := &Server{answer: answer}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Script starts an endpoint that gives answers in their order; asked once more,
// it says 500.
func Script(t testing.TB, answers ...Answer) *Server {
	t.Helper()
	n := 0
	return New(t, func(Request) Answer {
		if n++; n > len(answers) {
			return Answer{Status: http.StatusInternalServerError, Text: fmt.Sprintf("request %d, %d answers scripted", n, len(answers))}
		}
		return answers[n-1]
	})
}

// Requests returns what was sent so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	req := Request{Header: r.Header.Clone()}
	if r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&raw) != nil || json.Unmarshal(raw, &req.Body) != nil {
		http.Error(w, `{"error":{"message":"no such path, or no JSON"}}`, http.StatusNotFound)
		return
	}
	req.Raw = string(raw)
	s.mu.Lock()
	s.requests = append(s.requests, req)
	a := s.answer(req)
	s.mu.Unlock()
	if a.Hang {
		<-r.Context().Done()
		return
	}
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case a.Status != 0 && a.Status != http.StatusOK:
		w.WriteHeader(a.Status)
		write(w, map[string]any{"error": map[string]any{"message": a.Text, "type": "test", "param": nil, "code": nil}})
	case a.Raw != "":
		_, _ = w.Write([]byte(a.Raw))
	case req.Body["stream"] == true:
		a.stream(w)
	default:
		write(w, a.completion())
	}
}

func (a Answer) message() (message map[string]any, finish string) {
	message, finish = map[string]any{"role": "assistant", "content": a.Text}, "stop"
	var calls []any
	for i, c := range a.Calls {
		calls = append(calls, map[string]any{
			"id": fmt.Sprintf("call_%d", i+1), "type": "function", "index": i,
			"function": map[string]any{"name": c.Name, "arguments": c.Arguments},
		})
	}
	if calls != nil {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	if a.Finish != "" {
		finish = a.Finish
	}
	return message, finish
}

// Usage that answers tell.
const (
	InputTokens  = 100
	OutputTokens = 20
)

func (a Answer) usage() map[string]any {
	return map[string]any{"prompt_tokens": InputTokens, "completion_tokens": OutputTokens, "total_tokens": InputTokens + OutputTokens}
}

func (a Answer) completion() map[string]any {
	message, finish := a.message()
	c := map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}
	if !a.NoUsage {
		c["usage"] = a.usage()
	}
	return c
}

// stream sends the text in pieces of a few characters, then calls, then the end.
func (a Answer) stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	message, finish := a.message()
	chunk := func(delta map[string]any, end any) map[string]any {
		return map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": end}},
		}
	}
	send := func(v any) {
		_, _ = w.Write([]byte("data: "))
		write(w, v)
		_, _ = w.Write([]byte("\n"))
		w.(http.Flusher).Flush()
	}
	const piece = 5
	for text := []rune(a.Text); len(text) > 0; text = text[min(piece, len(text)):] {
		send(chunk(map[string]any{"role": "assistant", "content": string(text[:min(piece, len(text))])}, nil))
		if a.Break {
			panic(http.ErrAbortHandler) // the way to drop a connection
		}
	}
	if calls, ok := message["tool_calls"]; ok {
		send(chunk(map[string]any{"role": "assistant", "tool_calls": calls}, nil))
	}
	send(chunk(map[string]any{}, finish))
	if !a.NoUsage {
		last := chunk(nil, nil)
		last["choices"], last["usage"] = []any{}, a.usage()
		send(last)
	}
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}

func write(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}
