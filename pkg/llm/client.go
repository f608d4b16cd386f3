package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/pause"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Deps of a Client; all may be left out.
type Deps struct {
	// Key returns the API key, "" for an endpoint without one. It is asked before
	// each request, so that a changed file counts at once.
	Key func() (string, error)
	// Transport of HTTP; nil: the default one.
	Transport http.RoundTripper
	// Clock reads the time; nil: time.Now.
	Clock func() time.Time
	// Wait waits between tries; nil: for so long, or until the context ends.
	Wait func(ctx context.Context, d time.Duration) error
	// Jitter returns a number from 0 to 1; nil: at random.
	Jitter func() float64
	// Meter measures; nil: nobody does.
	Meter *meter.Set
}

// Client is a Model behind an endpoint. It is safe for concurrent use.
type Client struct {
	now atomic.Pointer[client]
}

// client is a Client with one configuration. Those that follow each other share what counts:
// requests under way, failures in a row, and what the endpoint was found to lack.
type client struct {
	cfg      Config
	deps     Deps
	endpoint *endpoint
	breaker  *circuit.Breaker
	slots    chan struct{}
}

// New returns a client. It connects to nothing. An error is a fault for the
// configuration.
func New(cfg Config, deps Deps) (*Client, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if !cfg.Enabled() {
		return nil, fault.New(codes.FailedPrecondition, ReasonNotConfigured, "No model is configured: set llm.base_url and llm.model.")
	}
	if deps.Key == nil {
		deps.Key = func() (string, error) { return "", nil }
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	if deps.Wait == nil {
		deps.Wait = pause.For
	}
	if deps.Jitter == nil {
		deps.Jitter = rand.Float64
	}
	c := new(Client)
	c.now.Store(&client{
		cfg: cfg, deps: deps,
		endpoint: &endpoint{
			cfg: cfg, key: deps.Key, http: newHTTPClient(cfg.MaxResponseBytes, deps.Transport), lacking: &lacking{of: make(map[string]parameter)},
		},
		breaker: circuit.New(cfg.BreakerFailures, cfg.BreakerPause, deps.Clock),
		slots:   make(chan struct{}, cfg.MaxConcurrent),
	})
	return c, nil
}

// RestartSettings are the keys of Config that Reconfigure leaves as they are: what was made by
// them is there already, and who spends a budget has its limits.
func RestartSettings() []string {
	return []string{"base_url", "currency", "max_response_bytes", "max_concurrent", "breaker_failures", "breaker_pause", "max_calls", "max_tokens", "max_time"}
}

// Reconfigure takes on another configuration for requests that begin from then on.
// RestartSettings stay as they are. An error changes nothing.
func (c *Client) Reconfigure(cfg Config) error {
	was := c.now.Load()
	cfg.BaseURL, cfg.Currency, cfg.MaxResponseBytes, cfg.MaxConcurrent = was.cfg.BaseURL, was.cfg.Currency, was.cfg.MaxResponseBytes, was.cfg.MaxConcurrent
	cfg.BreakerFailures, cfg.BreakerPause = was.cfg.BreakerFailures, was.cfg.BreakerPause
	cfg.MaxCalls, cfg.MaxTokens, cfg.MaxTime = was.cfg.MaxCalls, was.cfg.MaxTokens, was.cfg.MaxTime
	cfg, err := cfg.Complete()
	if err != nil {
		return err
	}
	next := *was
	next.cfg, next.endpoint = cfg, was.endpoint.with(cfg)
	c.now.Store(&next)
	return nil
}

// Chat implements Model. It spends the budget of the context, if there is one.
func (c *Client) Chat(ctx context.Context, r Request) (Response, error) {
	return c.now.Load().chat(ctx, r)
}

// Health tells that the endpoint failed so often that it is left alone; nil: it is not.
func (c *Client) Health() error { return c.now.Load().health() }

func (c *client) chat(ctx context.Context, r Request) (Response, error) {
	r, err := c.fit(r)
	if err != nil {
		return Response{}, err
	}
	place := c.deps.Meter.Wait(ctx, meter.QueueModel)
	select {
	case c.slots <- struct{}{}:
		leave := place(true, false)
		defer func() { <-c.slots; leave() }()
	case <-ctx.Done():
		place(false, false)
		return Response{}, ctx.Err()
	}
	spending := budget.From(ctx)
	if err := spending.Begin(requestSize(r)); err != nil {
		return Response{}, err
	}
	started := c.deps.Clock()
	ctx, span := c.startSpan(ctx, r)
	answer, err := c.try(ctx, r, spending)
	if err == nil {
		cost := c.cfg.cost(r.Role, answer.Usage)
		spending.Spend(budget.Used{Tokens: answer.Usage.InputTokens + answer.Usage.OutputTokens, Cost: cost})
		c.deps.Meter.Spent(ctx, c.cfg.model(r.Role), answer.Usage.InputTokens, answer.Usage.OutputTokens, cost, c.cfg.Currency)
	}
	spending.Spend(budget.Used{Time: c.deps.Clock().Sub(started)})
	span.end(answer, err)
	return answer, err
}

// fit leaves out old messages that do not fit and fills in the bound of the
// answer.
func (c *client) fit(r Request) (Request, error) {
	if r.MaxAnswerTokens <= 0 || r.MaxAnswerTokens > c.cfg.MaxAnswerTokens {
		r.MaxAnswerTokens = c.cfg.MaxAnswerTokens
	}
	var err error
	r.Messages, _, err = Trim(r.Messages, c.cfg.ContextTokens-r.MaxAnswerTokens-fixedSize(r))
	return r, err
}

// try sends until an answer comes, tries are used up, or trying again does not
// help.
func (c *client) try(ctx context.Context, r Request, spending *budget.Budget) (Response, error) {
	for n := 1; ; n++ {
		answer, failed, err := c.once(ctx, r, spending)
		if err == nil {
			return answer, nil
		}
		again := failed != nil && failed.retry() && n < c.cfg.Attempts
		if !again {
			return Response{}, err
		}
		if err := c.deps.Wait(ctx, c.pause(n, failed.retryAfter)); err != nil {
			return Response{}, err
		}
	}
}

func (c *client) health() error {
	since, open := c.breaker.Open()
	if !open {
		return nil
	}
	return fault.New(codes.Unavailable, ReasonCircuitOpen, fmt.Sprintf(
		"The model fails since %s; rules do its work, and a question tries it again every %s (llm.breaker_pause).", since.UTC().Format(time.RFC3339), c.cfg.BreakerPause))
}

// once tries once, under the breaker and the try's time. failed is nil where
// nothing was sent or the caller has gone.
func (c *client) once(ctx context.Context, r Request, spending *budget.Budget) (Response, *tryError, error) {
	if wait, ok := c.breaker.Allow(); !ok {
		return Response{}, nil, circuitOpen(wait)
	}
	timeout := c.cfg.Timeout
	if left := spending.Left().Time; left != 0 {
		timeout = max(min(timeout, left), time.Millisecond)
	}
	tryCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	told := false
	if onText := r.OnText; onText != nil {
		r.OnText = func(piece string) { told = true; onText(piece) }
	}
	answered := c.deps.Meter.Ask(ctx, meter.Model, meter.OpChat)
	answer, failed := c.endpoint.send(tryCtx, r)
	switch {
	case failed == nil:
		answered(meter.OK)
		c.breaker.Done(circuit.Healthy)
		return answer, nil, nil
	case ctx.Err() != nil:
		answered(meter.ResultOf(ctx.Err()))
		c.breaker.Done(circuit.Unclear)
		return Response{}, nil, ctx.Err()
	}
	err := failed.fault(tryCtx, c.cfg.model(r.Role))
	answered(meter.ResultOf(err))
	if failed.retry() {
		c.breaker.Done(circuit.Broken)
	} else {
		c.breaker.Done(circuit.Healthy)
	}
	if told { // the listener has half an answer
		failed = nil
	}
	return Response{}, failed, err
}

// pause returns how long to wait after try n.
func (c *client) pause(n int, retryAfter string) time.Duration {
	wait := c.cfg.RetryWait << (n - 1)
	wait = wait/2 + time.Duration(c.deps.Jitter()*float64(wait/2))
	if seconds, err := strconv.Atoi(strings.TrimSpace(retryAfter)); err == nil && seconds > 0 {
		wait = max(wait, time.Duration(seconds)*time.Second)
	}
	return min(wait, c.cfg.MaxRetryWait)
}

// retry reports whether another try may help.
func (e *tryError) retry() bool {
	var own *fault.Error
	switch {
	case errors.As(e.cause, &own): // an answer that is no use, or no key
		return false
	case e.status == 0:
		return true
	}
	return e.status == http.StatusRequestTimeout || e.status == http.StatusConflict ||
		e.status == http.StatusTooManyRequests || e.status >= http.StatusInternalServerError
}

// fault says what went wrong to people.
func (e *tryError) fault(ctx context.Context, model string) error {
	var own *fault.Error
	switch {
	case errors.As(e.cause, &own):
		return own
	case e.status != 0:
		return statusFault(e.status, model, e.said, e.hasKey)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return timedOut(e.cause)
	}
	return unavailable(e.cause)
}

func refusedFault(said string) *fault.Error {
	return fault.New(codes.FailedPrecondition, ReasonRefused, "The model does not answer this.").ForOperator("%s", said)
}

func clip(text string, bytes int) string { return lang.Clip(text, bytes) }
