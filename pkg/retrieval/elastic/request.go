package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// do sends a request of Elasticsearch's own client and reads the answer into out,
// unless that is nil.
func (c *Client) do(ctx context.Context, timeout time.Duration, request esapi.Request, out any) error {
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := request.Do(bounded, c.transport)
	if err != nil {
		return c.server.Failed(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, c.cfg.MaxResponseBytes+1))
	switch {
	case err != nil:
		return c.server.Failed(ctx, err)
	case int64(len(answer)) > c.cfg.MaxResponseBytes:
		return c.server.Refused(fmt.Errorf("the answer is larger than elasticsearch.max_response_bytes (%d)", c.cfg.MaxResponseBytes))
	case response.IsError():
		return c.refusal(response.StatusCode, answer)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return c.server.Refused(fmt.Errorf("read the answer: %w", err))
	}
	return nil
}

// body writes a request's body as JSON.
func body(content any) (io.Reader, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return bytes.NewReader(text), nil
}

// statusError is an answer that refuses, in the server's words.
type statusError struct {
	status int
	kind   string // Elasticsearch's name for it, such as index_not_found_exception
	said   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s: %s", e.status, e.kind, e.said)
}

// maxSaid bounds what is kept of a refusal.
const maxSaid = 1000

func (c *Client) refusal(status int, answer []byte) error {
	e := &statusError{status: status}
	var told struct {
		Error struct {
			Type   string `json:"type"`
			Reason string `json:"reason"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &told) == nil {
		e.kind, e.said = told.Error.Type, told.Error.Reason
	}
	e.said = e.said[:min(len(e.said), maxSaid)]
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return c.server.Denied(e)
	case status == http.StatusNotFound:
		return c.server.Missing(e)
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return c.server.Unavailable(e)
	}
	return c.server.Refused(e)
}

// kindOf returns Elasticsearch's name for the refusal behind an error.
func kindOf(err error) string {
	var e *statusError
	if errors.As(err, &e) {
		return e.kind
	}
	return ""
}
