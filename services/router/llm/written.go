package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/router/decide"
)

// maxWritten bounds the text in which a written call is looked for, in bytes, and
// maxStarts the places where one may begin.
const (
	maxWritten = 64 << 10
	maxStarts  = 50
)

// writtenCall is a call as models write it into their text that do not know, or whose
// server does not know, how to make one.
type writtenCall struct {
	Name       string          `json:"name"`
	Tool       string          `json:"tool"`
	ToolName   string          `json:"tool_name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Args       json.RawMessage `json:"args"`
	Input      json.RawMessage `json:"input"`
	Function   json.RawMessage `json:"function"`
	Calls      []writtenCall   `json:"tool_calls"`
}

// written returns the first call of a tool on offer that stands in a text: as a JSON
// object with its name and arguments, bare, in a fence or between tags, or as
// NAME({...}). ok is false where there is none.
func written(text string, offered []decide.Tool) (call chat.ToolCall, ok bool) {
	text = text[:min(len(text), maxWritten)]
	if _, after, thought := strings.Cut(text, "</think>"); thought {
		text = after
	}
	isOffered := func(name string) bool {
		return slices.ContainsFunc(offered, func(t decide.Tool) bool { return t.Name == name })
	}
	rest := text
	for range maxStarts {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			return chat.ToolCall{}, false
		}
		before := text[:len(text)-len(rest)+at]
		rest = rest[at:]
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&raw) != nil {
			rest = rest[1:]
			continue
		}
		var w writtenCall
		if json.Unmarshal(raw, &w) == nil {
			if call, ok = w.call(isOffered); ok {
				return call, true
			}
		}
		if name := nameBefore(before); isOffered(name) {
			return chat.ToolCall{Name: name, Arguments: string(raw)}, true
		}
		rest = rest[len(raw):]
	}
	return chat.ToolCall{}, false
}

// call reads the spellings of a name and its arguments.
func (w *writtenCall) call(isOffered func(string) bool) (chat.ToolCall, bool) {
	for i := range w.Calls {
		if c, ok := w.Calls[i].call(isOffered); ok {
			return c, true
		}
	}
	if len(w.Function) > 0 {
		var name string
		if json.Unmarshal(w.Function, &name) == nil {
			w.Name = firstOf(w.Name, name)
		} else {
			var inner writtenCall
			if json.Unmarshal(w.Function, &inner) == nil {
				if c, ok := inner.call(isOffered); ok {
					return c, true
				}
			}
		}
	}
	name := firstOf(w.Name, w.Tool, w.ToolName)
	if !isOffered(name) {
		return chat.ToolCall{}, false
	}
	for _, raw := range []json.RawMessage{w.Arguments, w.Parameters, w.Args, w.Input} {
		if len(raw) == 0 {
			continue
		}
		var quoted string
		if json.Unmarshal(raw, &quoted) == nil { // arguments as a text that is JSON
			return chat.ToolCall{Name: name, Arguments: quoted}, true
		}
		return chat.ToolCall{Name: name, Arguments: string(raw)}, true
	}
	return chat.ToolCall{Name: name, Arguments: "{}"}, true
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// opened is a name before the arguments of a call: NAME(, <NAME>, NAME: or NAME alone.
var opened = regexp.MustCompile("([A-Za-z_][A-Za-z0-9_]*)[\\s`*\"'(:>=]*$")

func nameBefore(text string) string {
	const longest = 200
	if m := opened.FindStringSubmatch(text[max(0, len(text)-longest):]); m != nil {
		return m[1]
	}
	return ""
}
