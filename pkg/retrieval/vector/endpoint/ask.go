package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// request and answer of the protocol.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type answer struct {
	Model string `json:"model"`
	Data  []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// ask embeds one batch, trying again while that may help.
func (e *Embedder) ask(ctx context.Context, texts []string) ([][]float32, error) {
	asked := request{Model: e.cfg.Model, Input: texts, Format: "float"}
	if e.cfg.AskDim {
		asked.Dimensions = e.cfg.Dim
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	for attempt := 1; ; attempt++ {
		answered := e.meter.Ask(ctx, meter.Embeddings, meter.OpEmbed)
		got, err := e.try(ctx, body)
		answered(e.result(ctx, err))
		if err == nil {
			return e.read(got, len(texts))
		}
		var again *retryable
		if ctx.Err() != nil || !errors.As(err, &again) {
			return nil, e.failed(ctx, err)
		}
		if attempt == e.cfg.Attempts {
			return nil, e.failed(ctx, err)
		}
		if err := e.wait(ctx, e.pause(attempt, again.after)); err != nil {
			return nil, e.failed(ctx, err)
		}
	}
}

// result is how a try ended, for the meter.
func (e *Embedder) result(ctx context.Context, err error) meter.Result {
	var refused *statusError
	switch {
	case err == nil:
		return meter.OK
	case ctx.Err() != nil:
		return meter.ResultOf(ctx.Err())
	case errors.As(err, &refused) && refused.status == http.StatusTooManyRequests:
		return meter.Busy
	case errors.As(err, &refused) && refused.status < http.StatusInternalServerError:
		return meter.Refused
	case errors.Is(err, context.DeadlineExceeded):
		return meter.Timeout
	}
	return meter.Failed
}

// pause is how long to wait after a try: what the endpoint asked for, else twice
// as long as the time before.
func (e *Embedder) pause(attempt int, asked time.Duration) time.Duration {
	const doublings = 20
	wait := e.cfg.RetryWait << min(attempt-1, doublings)
	if asked > 0 {
		wait = asked
	}
	return min(wait, e.cfg.MaxRetryWait)
}

// retryable is a failure after which another try may help.
type retryable struct {
	cause error
	after time.Duration // that the endpoint asked for; 0: none
}

func (r *retryable) Error() string { return r.cause.Error() }
func (r *retryable) Unwrap() error { return r.cause }

// statusError is an answer that refuses.
type statusError struct {
	status int
	said   string
}

func (s *statusError) Error() string { return fmt.Sprintf("status %d: %s", s.status, s.said) }

// maxSaid bounds what is kept of a refusal.
const maxSaid = 500

// try sends a request once.
func (e *Embedder) try(ctx context.Context, body []byte) (*answer, error) {
	bounded, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	address := strings.TrimRight(e.cfg.BaseURL, "/") + "/embeddings"
	r, err := http.NewRequestWithContext(bounded, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		r.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := e.client.Do(r)
	if err != nil {
		return nil, &retryable{cause: err}
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, e.cfg.MaxResponseBytes+1))
	if err != nil {
		return nil, &retryable{cause: err}
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response, raw)
	}
	if int64(len(raw)) > e.cfg.MaxResponseBytes {
		return nil, fmt.Errorf("the answer is larger than endpoint.max_response_bytes (%d)", e.cfg.MaxResponseBytes)
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &a, nil
}

func refusal(response *http.Response, raw []byte) error {
	refused := &statusError{status: response.StatusCode, said: string(raw[:min(len(raw), maxSaid)])}
	var told struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &told) == nil && told.Error.Message != "" {
		refused.said = told.Error.Message[:min(len(told.Error.Message), maxSaid)]
	}
	busy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusRequestTimeout
	if !busy && response.StatusCode < http.StatusInternalServerError {
		return refused
	}
	again := &retryable{cause: refused}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		again.after = time.Duration(min(seconds, maxAsked)) * time.Second
	}
	return again
}

// maxAsked bounds the seconds that an endpoint may ask to wait for.
const maxAsked = 3600

// failed turns what went wrong into a fault.
func (e *Embedder) failed(ctx context.Context, err error) error {
	var refused *statusError
	var again *retryable
	switch {
	case ctx.Err() != nil:
		return e.server.Failed(ctx, err)
	case errors.As(err, &refused) && (refused.status == http.StatusUnauthorized || refused.status == http.StatusForbidden):
		return e.server.Denied(refused)
	case errors.As(err, &again) && refused != nil:
		return e.server.Unavailable(refused)
	case again != nil:
		return e.server.Failed(ctx, again.cause)
	}
	return e.server.Refused(err)
}

// read checks an answer and puts its vectors into the order of the texts.
func (e *Embedder) read(a *answer, texts int) ([][]float32, error) {
	if a.Model != "" && !sameModel(a.Model, e.cfg.Model) {
		return nil, e.server.Refused(fmt.Errorf("the endpoint answered with model %q instead of %q", a.Model, e.cfg.Model))
	}
	if len(a.Data) != texts {
		return nil, e.server.Refused(fmt.Errorf("the endpoint answered with %d vectors for %d texts", len(a.Data), texts))
	}
	out := make([][]float32, texts)
	for _, d := range a.Data {
		switch {
		case d.Index < 0 || d.Index >= texts || out[d.Index] != nil:
			return nil, e.server.Refused(fmt.Errorf("the endpoint answered with no vector of its own for each text (index %d)", d.Index))
		case len(d.Embedding) != e.cfg.Dim:
			return nil, e.server.Refused(fmt.Errorf("model %q has vectors of dimension %d: set endpoint.dim to it", e.cfg.Model, len(d.Embedding)))
		}
		for _, v := range d.Embedding {
			if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
				return nil, e.server.Refused(errors.New("the endpoint answered with what is no number"))
			}
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// sameModel compares names of models: an endpoint may answer with a version or a
// path added to the name that was asked for.
func sameModel(got, asked string) bool {
	return strings.Contains(strings.ToLower(got), strings.ToLower(asked)) || strings.Contains(strings.ToLower(asked), strings.ToLower(got))
}
