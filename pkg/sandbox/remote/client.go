package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// Client runs programs on a runner. It may be used concurrently.
type Client struct {
	url    string
	token  func() (string, error)
	http   *http.Client
	limits sandbox.Limits

	mu     sync.Mutex
	python *sandbox.Interpreter
}

// Busy is how long a runner that takes no more programs is asked again after.
const busy = 250 * time.Millisecond

// maxDescription bounds what a runner says of its interpreter.
const maxDescription = 1 << 20

// NewClient returns a client of the runner at a URL. token is read for each call, so that it
// may be changed; h holds the runner's authorities and no timeout of its own, as the limits
// bound a run.
func NewClient(at string, token func() (string, error), h *http.Client, l sandbox.Limits) (*Client, error) {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, fmt.Errorf("%q is no address of a runner: write one such as https://python-runner:7443", at)
	}
	if l, err = l.Complete(); err != nil {
		return nil, err
	}
	return &Client{url: strings.TrimRight(at, "/"), token: token, http: h, limits: l}, nil
}

// slack is what a call may take beside the program: waiting for a place, and the way.
const slack = 30 * time.Second

// Run implements the workflow's runner. A runner that is full is asked again until the context
// ends or the limits' time is over. Errors: sandbox.UnfitError, sandbox.AwayError where the
// runner does not answer as it should, the end of the context.
func (c *Client) Run(ctx context.Context, j sandbox.Job) (sandbox.Result, error) {
	body, err := json.Marshal(job{Code: j.Code, Files: fromFiles(j.Files)})
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("send a program to a runner: %w", err)
	}
	ctx, done := context.WithTimeoutCause(ctx, 2*c.limits.Wall+slack, &sandbox.AwayError{Err: fmt.Errorf("the runner at %s did not answer in time", c.url)})
	defer done()
	var got result
	most := onWire(int64(c.limits.Stdout) + int64(c.limits.Stderr) + c.limits.Output)
	for {
		full, err := c.call(ctx, http.MethodPost, pathRun, body, most, &got)
		if err != nil {
			return sandbox.Result{}, err
		}
		if !full {
			break
		}
		wait := time.NewTimer(busy)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return sandbox.Result{}, context.Cause(ctx)
		}
	}
	return sandbox.Result{
		Exit: got.Exit, Code: got.Code, Stdout: got.Stdout, Stderr: got.Stderr, Files: toFiles(got.Files), Problem: got.Problem, Took: got.Took,
	}, nil
}

// Interpreter says what Python the runner has. It is asked once.
func (c *Client) Interpreter(ctx context.Context) (sandbox.Interpreter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.python == nil {
		var found sandbox.Interpreter
		if _, err := c.call(ctx, http.MethodGet, pathInterpreter, nil, maxDescription, &found); err != nil {
			return sandbox.Interpreter{}, err
		}
		c.python = &found
	}
	return *c.python, nil
}

// call asks the runner once; full says that it takes no more at present.
func (c *Client) call(ctx context.Context, method, path string, body []byte, most int64, into any) (full bool, err error) {
	token, err := c.token()
	if err != nil {
		return false, fmt.Errorf("read the token of the runner: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("ask the runner: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		return false, &sandbox.AwayError{Err: fmt.Errorf("ask the runner: %w", err)}
	}
	defer func() { _ = answer.Body.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil:
		return false, fmt.Errorf("read the runner's answer: %w", err)
	case int64(len(text)) > most:
		return false, fmt.Errorf("the runner's answer has more than %d bytes", most)
	case answer.StatusCode == http.StatusTooManyRequests:
		return true, nil
	case answer.StatusCode != http.StatusOK:
		var f failure
		if json.Unmarshal(text, &f) != nil || f.Problem == "" {
			f = failure{Problem: "it says nothing more"}
		}
		if f.Unfit {
			return false, &sandbox.UnfitError{Problem: f.Problem}
		}
		return false, &sandbox.AwayError{Err: fmt.Errorf("the runner at %s answers %s: %s", c.url, answer.Status, f.Problem)}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, errors.Join(errors.New("the runner's answer cannot be read"), err)
	}
	return false, nil
}
