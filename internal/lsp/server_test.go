package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/lsp"
	"github.com/dibrain/dibrain/pkg/fault"
)

// editor is a scripted client over pipes.
type editor struct {
	t    *testing.T
	to   *io.PipeWriter
	from *bufio.Reader
	done chan error
	ids  int
}

func open(t *testing.T, c lsp.Config) *editor {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	e := &editor{t: t, to: to, from: bufio.NewReader(from), done: make(chan error, 1)}
	go func() {
		e.done <- lsp.Serve(context.Background(), in, out, c)
		_ = out.Close()
	}()
	t.Cleanup(func() { _ = to.Close(); _ = from.Close() })
	return e
}

func (e *editor) write(message string) {
	e.t.Helper()
	_, err := fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(message), message)
	require.NoError(e.t, err)
}

func (e *editor) tell(method, params string) {
	e.t.Helper()
	e.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// read is the next message of the server.
func (e *editor) read() map[string]any {
	e.t.Helper()
	header, err := textproto.NewReader(e.from).ReadMIMEHeader()
	require.NoError(e.t, err)
	n, err := strconv.Atoi(header.Get("Content-Length"))
	require.NoError(e.t, err)
	body := make([]byte, n)
	_, err = io.ReadFull(e.from, body)
	require.NoError(e.t, err)
	var m map[string]any
	require.NoError(e.t, json.Unmarshal(body, &m))
	return m
}

// ask is the answer to a request, as JSON: its result, or its error.
func (e *editor) ask(method, params string) string {
	e.t.Helper()
	e.ids++
	e.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.ids, method, params))
	m := e.read()
	require.EqualValues(e.t, e.ids, m["id"], "%v", m)
	if m["error"] != nil {
		return text(e.t, m["error"])
	}
	return text(e.t, m["result"])
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// told is what the server tells after a notification.
func (e *editor) told(method, params string) string {
	e.t.Helper()
	e.tell(method, params)
	m := e.read()
	require.NotContains(e.t, m, "id")
	return text(e.t, m)
}

func (e *editor) ready() *editor {
	e.t.Helper()
	require.Contains(e.t, e.ask("initialize", `{}`), `"hoverProvider":true`)
	e.tell("initialized", `{}`)
	return e
}

// echo are tools that find the word bad.
type echo struct{}

func (echo) Check(text string) ([]lsp.Problem, error) {
	var out []lsp.Problem
	for i, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "bad"); at >= 0 {
			out = append(out, lsp.Problem{Line: i + 1, Column: len([]rune(line[:at])) + 1, Length: 3, Code: "BAD", Message: "it is bad"})
		}
	}
	if strings.Contains(text, "panic") {
		panic("as asked")
	}
	return out, nil
}

func (echo) Repairs(_ context.Context, text string, _, _ int) ([]lsp.Repair, error) {
	if strings.Contains(text, "panic") {
		panic("as asked")
	}
	return []lsp.Repair{{Start: 0, End: len(text), Text: strings.ReplaceAll(text, "bad", "good"), Why: "good is meant", Certain: true}}, nil
}

func (echo) Format(text string) (string, bool) { return strings.TrimSpace(text) + "\n", text != "" }

func (echo) Hover(text string, offset int) (lsp.Note, bool) {
	if offset >= len(text) {
		return lsp.Note{}, false
	}
	return lsp.Note{Start: offset, End: offset + 1, Text: text[offset : offset+1]}, true
}

const uri = `"uri":"file:///q.sql"`

func opened(text string) string {
	return fmt.Sprintf(`{"textDocument":{%s,"languageId":"sql","version":1,"text":%q}}`, uri, text)
}

// TestConversation: places are UTF-16 units of lines, and edits change no more than the
// middle that differs.
func TestConversation(t *testing.T) {
	t.Parallel()
	e := open(t, lsp.Config{Tools: echo{}, Version: "v1"}).ready()
	require.JSONEq(t, `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"file:///q.sql","version":1,"diagnostics":[
		{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":7}},"severity":1,"code":"BAD","source":"dibrain","message":"it is bad"}]}}`,
		e.told("textDocument/didOpen", opened("one\r\n𝒳国 bad end\n")))
	require.JSONEq(t, `[{"title":"good is meant","kind":"quickfix","isPreferred":true,"edit":{"changes":{"file:///q.sql":[
		{"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":6}},"newText":"goo"}]}}}]`,
		e.ask("textDocument/codeAction", `{"textDocument":{`+uri+`},"range":{"start":{"line":1,"character":0},"end":{"line":9,"character":9}}}`))
	require.JSONEq(t, `{"contents":{"kind":"plaintext","value":"b"},"range":{"start":{"line":1,"character":4},"end":{"line":1,"character":5}}}`,
		e.ask("textDocument/hover", `{"textDocument":{`+uri+`},"position":{"line":1,"character":4}}`))
	require.Equal(t, `null`, e.ask("textDocument/hover", `{"textDocument":{`+uri+`},"position":{"line":7,"character":0}}`))
	require.Contains(t, e.told("textDocument/didChange", `{"textDocument":{`+uri+`,"version":2},"contentChanges":[{"text":"  fine "}]}`), `"diagnostics":[]`)
	require.JSONEq(t, `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":7}},"newText":"fine\n"}]`,
		e.ask("textDocument/formatting", `{"textDocument":{`+uri+`},"options":{"tabSize":2}}`))
	require.Contains(t, e.told("textDocument/didClose", `{"textDocument":{`+uri+`}}`), `"diagnostics":[]`)
	require.Contains(t, e.ask("textDocument/hover", `{"textDocument":{`+uri+`},"position":{"line":0,"character":0}}`), "not open")
	require.Equal(t, `null`, e.ask("shutdown", `null`))
	require.Contains(t, e.ask("textDocument/hover", `{}`), "too late")
	e.tell("exit", `null`)
	require.NoError(t, <-e.done)
}

// TestWrongUse: requests that cannot be answered get an error, and the conversation goes on.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	e := open(t, lsp.Config{Tools: echo{}, MaxText: 20, MaxDocuments: 1, MaxDiagnostics: 2})
	require.Contains(t, e.ask("textDocument/hover", `{}`), "-32002")
	e.tell("textDocument/didOpen", opened("bad")) // before initialize: ignored
	e.ready()
	require.Contains(t, e.ask("initialize", `{}`), "too late")
	require.Contains(t, e.ask("workspace/symbol", `{}`), "-32601")
	e.tell("$/setTrace", `{}`)
	require.Contains(t, e.ask("textDocument/hover", `7`), "-32602")
	require.Contains(t, e.told("textDocument/didOpen", opened(strings.Repeat("long", 9))), "more than 20 bytes")
	require.Equal(t, 2, strings.Count(e.told("textDocument/didOpen", opened("bad\nbad\nbad\nbad")), `"BAD"`), "bounded")
	require.Contains(t, e.told("textDocument/didOpen", `{"textDocument":{"uri":"file:///other.sql","text":""}}`), "1 documents are open")
	require.Contains(t, e.ask("textDocument/hover", `{"textDocument":{"uri":"file:///other.sql"}}`), "not open")
	e.tell("textDocument/didChange", `{"textDocument":{`+uri+`,"version":2},"contentChanges":[{"text":"panic"}]}`)
	require.Contains(t, e.ask("textDocument/codeAction", `{"textDocument":{`+uri+`}}`), "report")
	require.Contains(t, e.told("textDocument/didChange", `{"textDocument":{`+uri+`,"version":3},"contentChanges":[{"range":{},"text":"x"}]}`), "whole ones")
	e.tell("exit", `null`)
	require.Equal(t, "EDITOR_LEFT", fault.ReasonOf(<-e.done))
}

// TestBytesThatAreNoMessages end the conversation with what was wrong, and ask for no memory.
func TestBytesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ bytes, reason string }{
		"nothing":         {"", ""},
		"cut off":         {"Content-Length: 10\r\n\r\n{", ""},
		"a text":          {"SELECT 1 FROM t\n\n", "MESSAGE_UNREADABLE"},
		"too large":       {"Content-Length: 999999999999\r\n\r\n", "MESSAGE_TOO_LARGE"},
		"less than none":  {"Content-Length: -1\r\n\r\n", "MESSAGE_UNREADABLE"},
		"a long header":   {strings.Repeat("x", 5000) + "\r\n\r\n", "MESSAGE_UNREADABLE"},
		"many headers":    {strings.Repeat("x: y\r\n", 5000), "MESSAGE_UNREADABLE"},
		"no JSON":         {"Content-Length: 3\r\n\r\n{x}", "MESSAGE_UNREADABLE"},
		"no JSON-RPC":     {"Content-Length: 2\r\n\r\n[]", "MESSAGE_UNREADABLE"},
		"a strange field": {"Content-Length: 4\r\nX: y\r\n\r\nnull", "MESSAGE_UNREADABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := lsp.Serve(t.Context(), strings.NewReader(c.bytes), io.Discard, lsp.Config{Tools: echo{}, MaxMessage: 1000})
			require.Equal(t, c.reason, fault.ReasonOf(err), "%v", err)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	cancel()
	require.NoError(t, lsp.Serve(ctx, in, io.Discard, lsp.Config{Tools: echo{}}))
	_ = in.Close()
}
