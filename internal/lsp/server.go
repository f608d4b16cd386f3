// Package lsp serves editors: a language server for Presto SQL that reports mistakes,
// repairs them, lays statements out and tells of tables and columns under the cursor. It
// speaks the Language Server Protocol over a pair of pipes; what it says of SQL comes from
// Tools.
package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Problem is a mistake, or what is likely one. Lines and columns are from 1, columns count
// characters.
type Problem struct {
	Line, Column int
	Length       int // in characters; 0: not known
	Warning      bool
	Code         string // Trino's name of the error, or the id of a rule
	Message      string
}

// Repair is another text for bytes [Start, End) of a document, which are one statement.
type Repair struct {
	Start, End int
	Text       string
	Why        string
	Certain    bool
}

// Note is what is known of the bytes [Start, End) of a document.
type Note struct {
	Start, End int
	Text       string
}

// Tools work on the text of a document, which may be anything.
type Tools interface {
	Check(text string) ([]Problem, error)
	// Repairs are the repairs of the statements that reach into bytes [start, end].
	Repairs(ctx context.Context, text string, start, end int) ([]Repair, error)
	// Format lays a document out; false where it cannot be read.
	Format(text string) (string, bool)
	// Hover tells of a table or a column; false where none is there.
	Hover(text string, offset int) (Note, bool)
}

// Config of a server. Zero limits are the defaults.
type Config struct {
	Tools   Tools // required
	Version string
	// MaxMessage bounds a message, MaxText a document, in bytes.
	MaxMessage, MaxText int
	// MaxDocuments bounds the documents that are open, MaxDiagnostics those that are told of one.
	MaxDocuments, MaxDiagnostics int
	// Timeout bounds the work for a repair.
	Timeout time.Duration
}

// Defaults of Config.
const (
	DefaultMaxText        = 4 << 20
	DefaultMaxMessage     = 16 << 20 // a document with every byte escaped, and its frame
	DefaultMaxDocuments   = 200
	DefaultMaxDiagnostics = 200
	DefaultTimeout        = 10 * time.Second
)

func (c Config) complete() Config {
	for _, limit := range []struct {
		value     *int
		otherwise int
	}{
		{&c.MaxMessage, DefaultMaxMessage}, {&c.MaxText, DefaultMaxText}, {&c.MaxDocuments, DefaultMaxDocuments}, {&c.MaxDiagnostics, DefaultMaxDiagnostics},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	return c
}

// Serve talks to one editor until it says exit, ends the pipe, or ctx ends. The error says
// what could not be read, or that the editor left without shutting down.
func Serve(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	c = c.complete()
	s := &server{config: c, documents: map[string]*document{}}
	pipes := newStream(in, out, c.MaxMessage)
	quiet := jsonrpc2.SetLogger(log.New(io.Discard, "", 0)) // texts of people are not logged
	conn := jsonrpc2.NewConn(ctx, pipes, jsonrpc2.HandlerWithError(s.handle), quiet)
	select {
	case <-ctx.Done():
	case <-conn.DisconnectNotify():
	}
	_ = conn.Close() // it may be closed
	if err := pipes.err(); err != nil {
		return err
	}
	if s.left() {
		return fault.Invalid("editor", "EDITOR_LEFT", "the editor said exit and had not said shutdown")
	}
	return nil
}

// server is one conversation. Requests are worked on one after another.
type server struct {
	config Config

	mu        sync.Mutex
	state     state
	documents map[string]*document
}

type state int

const (
	fresh state = iota // nothing but initialize is answered
	serving
	ending // after shutdown
	abandoned
)

func (s *server) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == abandoned
}

// Error codes of the protocol beside those of JSON-RPC.
const codeNotInitialized = -32002

// handle answers a request. A panic is the answer to that request alone.
func (s *server) handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "dibrain failed on this text; please report it"}
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, err, done := s.life(conn, req); done {
		return answer, err
	}
	switch req.Method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose":
		return nil, s.edit(ctx, conn, req)
	case "textDocument/formatting", "textDocument/codeAction", "textDocument/hover":
		var p documentParams
		if err := params(req, &p); err != nil {
			return nil, err
		}
		d, ok := s.documents[p.TextDocument.URI]
		if !ok {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the document is not open"}
		}
		switch req.Method {
		case "textDocument/formatting":
			return s.format(d), nil
		case "textDocument/hover":
			return s.hover(d, p.Position), nil
		}
		return s.actions(ctx, d, p.Range)
	}
	if req.Notif {
		return nil, nil //nolint:nilnil // what is not known may be told
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no method " + fmt.Sprintf("%.100q", req.Method)}
}

// life answers what begins and ends a conversation.
func (s *server) life(conn *jsonrpc2.Conn, req *jsonrpc2.Request) (answer any, err error, done bool) { //nolint:revive // done says whether the others count
	switch {
	case req.Method == "exit":
		if s.state != ending {
			s.state = abandoned
		}
		return nil, conn.Close(), true
	case req.Method == "initialize" && s.state == fresh:
		s.state = serving
		var r initializeResult
		r.Capabilities.TextDocumentSync = 1
		r.Capabilities.DocumentFormattingProvider, r.Capabilities.CodeActionProvider, r.Capabilities.HoverProvider = true, true, true
		r.ServerInfo.Name, r.ServerInfo.Version = "dibrain", s.config.Version
		return r, nil, true
	case s.state == fresh && !req.Notif:
		return nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "say initialize first"}, true
	case s.state != serving && req.Notif:
		return nil, nil, true
	case s.state != serving || req.Method == "initialize":
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "it is too late for " + req.Method}, true
	case req.Method == "shutdown":
		s.state = ending
		return nil, nil, true
	}
	return nil, nil, false
}

func params(req *jsonrpc2.Request, v any) error {
	if req.Params == nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: req.Method + " needs params"}
	}
	if err := json.Unmarshal(*req.Params, v); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the params of " + req.Method + " cannot be read: " + err.Error()}
	}
	return nil
}

// edit keeps the documents up to date and tells what is wrong with the one that changed.
func (s *server) edit(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) error {
	var id documentID
	var text string
	switch req.Method {
	case "textDocument/didOpen":
		var p openParams
		if err := params(req, &p); err != nil {
			return err
		}
		id, text = p.TextDocument.documentID, p.TextDocument.Text
		if _, open := s.documents[id.URI]; !open && len(s.documents) >= s.config.MaxDocuments {
			return s.complain(ctx, conn, fmt.Sprintf("%d documents are open: this one is not looked at", s.config.MaxDocuments))
		}
	case "textDocument/didChange":
		var p changeParams
		if err := params(req, &p); err != nil {
			return err
		}
		d, open := s.documents[p.TextDocument.URI]
		if !open || len(p.ContentChanges) == 0 {
			return nil
		}
		last := p.ContentChanges[len(p.ContentChanges)-1]
		if last.Range != nil {
			delete(s.documents, d.uri)
			return s.complain(ctx, conn, "the editor sends parts of documents, though it was asked for whole ones")
		}
		id, text = p.TextDocument, last.Text
	default:
		var p documentParams
		if err := params(req, &p); err != nil {
			return err
		}
		delete(s.documents, p.TextDocument.URI)
		return conn.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: p.TextDocument.URI, Version: p.TextDocument.Version, Diagnostics: []diagnostic{}})
	}
	if len(text) > s.config.MaxText {
		delete(s.documents, id.URI)
		return s.complain(ctx, conn, fmt.Sprintf("a document of more than %d bytes is not looked at", s.config.MaxText))
	}
	d := newDocument(id, text)
	s.documents[id.URI] = d
	found, err := s.diagnostics(d)
	if err != nil {
		return err
	}
	return conn.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: d.uri, Version: d.version, Diagnostics: found})
}

func (s *server) complain(ctx context.Context, conn *jsonrpc2.Conn, message string) error {
	return conn.Notify(ctx, "window/showMessage", showMessage{Type: 1, Message: "dibrain: " + message})
}

func (s *server) diagnostics(d *document) ([]diagnostic, error) {
	problems, err := s.config.Tools.Check(d.text)
	if err != nil {
		return nil, err
	}
	out := []diagnostic{}
	for _, p := range problems[:min(len(problems), s.config.MaxDiagnostics)] {
		severity := severityError
		if p.Warning {
			severity = severityWarning
		}
		out = append(out, diagnostic{
			Range:    d.span(d.runes(p.Line, p.Column), d.runes(p.Line, p.Column+max(p.Length, 1))),
			Severity: severity, Code: p.Code, Source: "dibrain", Message: p.Message,
		})
	}
	return out, nil
}

func (s *server) format(d *document) []textEdit {
	laid, ok := s.config.Tools.Format(d.text)
	if !ok || laid == d.text {
		return []textEdit{}
	}
	return []textEdit{d.change(0, len(d.text), laid)}
}

func (s *server) hover(d *document, p position) *hover {
	note, ok := s.config.Tools.Hover(d.text, d.offset(p))
	if !ok {
		return nil
	}
	return &hover{Contents: markup{Kind: "plaintext", Value: note.Text}, Range: d.span(note.Start, note.End)}
}

// Kinds of actions.
const quickFix = "quickfix"

func (s *server) actions(ctx context.Context, d *document, at span) ([]codeAction, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	repairs, err := s.config.Tools.Repairs(ctx, d.text, d.offset(at.Start), d.offset(at.End))
	if err != nil {
		return nil, err
	}
	out := []codeAction{}
	for _, r := range repairs {
		a := codeAction{Title: r.Why, Kind: quickFix, IsPreferred: r.Certain}
		a.Edit.Changes = map[string][]textEdit{d.uri: {d.change(r.Start, r.End, r.Text)}}
		out = append(out, a)
	}
	return out, nil
}
