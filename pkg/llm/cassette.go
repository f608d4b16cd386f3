package llm

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

// exchange is one line of a cassette: a request and its answer, or the fault that
// came instead.
type exchange struct {
	Key     string    `json:"key"`
	Prompt  string    `json:"prompt,omitempty"`
	Request recorded  `json:"request"`
	Answer  *Response `json:"answer,omitempty"`
	Fault   string    `json:"fault,omitempty"` // its reason
	Message string    `json:"message,omitempty"`
}

// recorded is what of a request decides its answer. There is no key, address or
// session in it.
type recorded struct {
	Role       Role      `json:"role,omitempty"`
	Messages   []Message `json:"messages"`
	Tools      []Tool    `json:"tools,omitempty"`
	ToolChoice string    `json:"tool_choice,omitempty"`
	Format     *Format   `json:"format,omitempty"`
}

// record copies a request without what looks like a secret.
func record(r Request) recorded {
	out := recorded{Role: r.Role, Tools: r.Tools, ToolChoice: r.ToolChoice, Format: r.Format}
	for _, m := range r.Messages {
		m.Text = telemetry.Redact(m.Text)
		calls := m.Calls
		m.Calls = nil
		for _, c := range calls {
			c.Arguments = telemetry.Redact(c.Arguments)
			m.Calls = append(m.Calls, c)
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

// key is the identity of a request: it stays the same over processes and
// machines, models, sessions and ways of streaming.
func (r recorded) key() (string, error) {
	raw, err := json.Marshal(r) // maps are written in the order of their keys
	if err != nil {
		return "", fmt.Errorf("write a request for its key: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16]), nil
}

// Recorder is a Model that writes what another one answers to a cassette, a file
// of one JSON object a line. What looks like a secret is left out.
type Recorder struct {
	model Model

	mu   sync.Mutex
	file *os.File
}

// Record returns a recorder that adds to the cassette at path. The caller closes
// it.
func Record(path string, m Model) (*Recorder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("make the folder of a cassette: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a cassette: %w", err)
	}
	return &Recorder{model: m, file: f}, nil
}

// Chat implements Model.
func (r *Recorder) Chat(ctx context.Context, req Request) (Response, error) {
	answer, err := r.model.Chat(ctx, req)
	if reason, own := FallBack(ctx, err); err != nil && !own {
		return answer, err // the caller went away: no answer of the model
	} else if err != nil {
		return answer, r.write(req, exchange{Fault: reason, Message: telemetry.Redact(err.Error())}, err)
	}
	kept := answer
	kept.Text = telemetry.Redact(answer.Text)
	return answer, r.write(req, exchange{Answer: &kept}, nil)
}

// write adds a line. It returns the model's error, or its own where there is none.
func (r *Recorder) write(req Request, e exchange, answered error) error {
	e.Request, e.Prompt = record(req), req.Prompt
	key, err := e.Request.key()
	if err != nil {
		return err
	}
	e.Key = key
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // people read it
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("write a line of a cassette: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write a line of a cassette: %w", err)
	}
	return answered
}

// Close closes the cassette.
func (r *Recorder) Close() error { return r.file.Close() }

// Replayer is a Model that answers from a cassette. A request that was answered
// several times gets the answers in their order and then the last one.
type Replayer struct {
	path string

	mu      sync.Mutex
	answers map[string][]exchange
	asked   map[string]bool
}

// maxCassetteLine bounds one exchange, in bytes.
const maxCassetteLine = 4 << 20

// Replay reads a cassette.
func Replay(path string) (*Replayer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a cassette: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	r := &Replayer{path: path, answers: make(map[string][]exchange), asked: make(map[string]bool)}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxCassetteLine)
	for n := 1; lines.Scan(); n++ {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if e.Answer == nil && e.Fault == "" {
			return nil, fmt.Errorf("%s, line %d: neither an answer nor a fault", path, n)
		}
		// The key is made anew, so that a request that was edited by hand is found.
		key, err := e.Request.key()
		if err != nil {
			return nil, err
		}
		r.answers[key] = append(r.answers[key], e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return r, nil
}

// Chat implements Model.
func (r *Replayer) Chat(_ context.Context, req Request) (Response, error) {
	key, err := record(req).key()
	if err != nil {
		return Response{}, err
	}
	r.mu.Lock()
	list := r.answers[key]
	if len(list) == 0 {
		r.mu.Unlock()
		return Response{}, fault.New(codes.NotFound, ReasonNotRecorded, "The cassette has no such request: record it anew.").
			ForOperator("%s has no %s of prompt %s", r.path, key, req.Prompt)
	}
	e := list[0]
	if len(list) > 1 {
		r.answers[key] = list[1:]
	}
	r.asked[key] = true
	r.mu.Unlock()
	if e.Fault != "" {
		return Response{}, fault.New(codes.Unavailable, e.Fault, e.Message)
	}
	if req.OnText != nil && e.Answer.Text != "" {
		req.OnText(e.Answer.Text)
	}
	return *e.Answer, nil
}

// Unasked returns how many requests of the cassette nobody has asked for: what a
// test of a changed prompt wants to be zero.
func (r *Replayer) Unasked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.answers) - len(r.asked)
}
