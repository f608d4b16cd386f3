package llm

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/budget"
)

// Config of a Client. The zero value of a field means its default.
type Config struct {
	// BaseURL of an endpoint that speaks OpenAI's chat completions protocol, such
	// as "http://127.0.0.1:11434/v1". Empty: there is no model, rules do all.
	BaseURL string `koanf:"base_url"`
	// Model by its name at the endpoint. Needed with base_url.
	Model string `koanf:"model"`
	// FastModel does small work, such as choosing a scope; empty: model.
	FastModel string `koanf:"fast_model"`
	// ReasoningModel does hard work; empty: model.
	ReasoningModel string `koanf:"reasoning_model"`
	// InputPrice and OutputPrice of model are what a million tokens that it reads and writes
	// cost, in currency; 0: answers tell no cost.
	InputPrice  float64 `koanf:"input_price"`
	OutputPrice float64 `koanf:"output_price"`
	// FastInputPrice and FastOutputPrice of fast_model; both 0: those of model.
	FastInputPrice  float64 `koanf:"fast_input_price"`
	FastOutputPrice float64 `koanf:"fast_output_price"`
	// ReasoningInputPrice and ReasoningOutputPrice of reasoning_model; both 0: those of model.
	ReasoningInputPrice  float64 `koanf:"reasoning_input_price"`
	ReasoningOutputPrice float64 `koanf:"reasoning_output_price"`
	// Currency of the prices, as it is shown behind the cost of an answer.
	Currency string `koanf:"currency"`
	// Temperature of answers, 0 to 2. Below 0 it is left to the endpoint.
	Temperature float64 `koanf:"temperature"`
	// TopP is the share of the likeliest words that answers are drawn from, above 0 and at
	// most 1. 0: it is left to the endpoint.
	TopP float64 `koanf:"top_p"`
	// Sampling by what an answer is for.
	Sampling Sampling `koanf:"sampling"`
	// ContextTokens is what the model's window holds, question and answer
	// together. Older messages are left out to fit.
	ContextTokens int `koanf:"context_tokens"`
	// MaxAnswerTokens of one answer.
	MaxAnswerTokens int `koanf:"max_answer_tokens"`
	// MaxResponseBytes of one answer on the wire.
	MaxResponseBytes int64 `koanf:"max_response_bytes"`
	// Timeout of one try.
	Timeout time.Duration `koanf:"timeout"`
	// Attempts is how often a request is tried in all when the endpoint is busy,
	// out of order or away.
	Attempts int `koanf:"attempts"`
	// RetryWait lies before the second try and doubles with each, at random
	// between half and whole; what the endpoint asks for wins, up to
	// max_retry_wait.
	RetryWait time.Duration `koanf:"retry_wait"`
	// MaxRetryWait bounds the wait between two tries.
	MaxRetryWait time.Duration `koanf:"max_retry_wait"`
	// MaxConcurrent is the number of requests under way at a time; more wait.
	MaxConcurrent int `koanf:"max_concurrent"`
	// BreakerFailures in a row switch the model off for breaker_pause.
	BreakerFailures int `koanf:"breaker_failures"`
	// BreakerPause is how long the model is left alone; then one request tries.
	BreakerPause time.Duration `koanf:"breaker_pause"`
	// MaxCalls is the budget of one question: model calls, in all services.
	MaxCalls int `koanf:"max_calls"`
	// MaxTokens is the budget of one question: tokens in and out, in all services.
	MaxTokens int `koanf:"max_tokens"`
	// MaxTime is the budget of one question: waiting for the model, in all
	// services.
	MaxTime time.Duration `koanf:"max_time"`
	// TraceContent puts messages and answers into spans. They hold what people
	// asked and names of tables: off unless the traces may hold that.
	TraceContent bool `koanf:"trace_content"`
}

// Enabled reports whether there is a model.
func (c Config) Enabled() bool { return c.BaseURL != "" }

// Budget returns the limits of one question.
func (c Config) Budget() budget.Limits {
	return budget.Limits{Calls: c.MaxCalls, Tokens: c.MaxTokens, Time: c.MaxTime}
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if err := c.checkEndpoint(); err != nil {
		return c, err
	}
	if err := c.checkSampling(); err != nil {
		return c, err
	}
	if c.Currency == "" {
		c.Currency = "USD"
	}
	if err := c.checkPrices(); err != nil {
		return c, err
	}
	for _, f := range []struct {
		key   string
		value *int
		byDef int
	}{
		{"context_tokens", &c.ContextTokens, 16_000}, {"max_answer_tokens", &c.MaxAnswerTokens, 1_500},
		{"attempts", &c.Attempts, 3}, {"max_concurrent", &c.MaxConcurrent, 8}, {"breaker_failures", &c.BreakerFailures, 5},
		{"max_calls", &c.MaxCalls, 24}, {"max_tokens", &c.MaxTokens, 200_000},
	} {
		if err := positive(f.key, f.value, f.byDef); err != nil {
			return c, err
		}
	}
	if err := positive("max_response_bytes", &c.MaxResponseBytes, 1<<20); err != nil {
		return c, err
	}
	for _, f := range []struct {
		key   string
		value *time.Duration
		byDef time.Duration
	}{
		{"timeout", &c.Timeout, 30 * time.Second}, {"retry_wait", &c.RetryWait, 500 * time.Millisecond},
		{"max_retry_wait", &c.MaxRetryWait, 10 * time.Second}, {"breaker_pause", &c.BreakerPause, 30 * time.Second},
		{"max_time", &c.MaxTime, 90 * time.Second},
	} {
		if err := positive(f.key, f.value, f.byDef); err != nil {
			return c, err
		}
	}
	if c.MaxAnswerTokens >= c.ContextTokens {
		return c, invalid("max_answer_tokens", "is %d and leaves no room in llm.context_tokens (%d)", c.MaxAnswerTokens, c.ContextTokens)
	}
	return c, nil
}

// maxPrice of a million tokens: what is above is a slip of the hand.
const maxPrice = 1e6

func (c Config) checkPrices() error {
	for _, f := range []struct {
		key   string
		value float64
	}{
		{"input_price", c.InputPrice}, {"output_price", c.OutputPrice}, {"fast_input_price", c.FastInputPrice},
		{"fast_output_price", c.FastOutputPrice}, {"reasoning_input_price", c.ReasoningInputPrice}, {"reasoning_output_price", c.ReasoningOutputPrice},
	} {
		if !(f.value >= 0 && f.value <= maxPrice) { // NaN is neither
			return invalid(f.key, "is %v: give the price of a million tokens, from 0 to %d", f.value, int(maxPrice))
		}
	}
	return nil
}

// cost is what a model's tokens cost, in currency.
func (c Config) cost(r Role, u Usage) float64 {
	in, out := c.InputPrice, c.OutputPrice
	switch {
	case r == Fast && (c.FastInputPrice > 0 || c.FastOutputPrice > 0):
		in, out = c.FastInputPrice, c.FastOutputPrice
	case r == Reasoning && (c.ReasoningInputPrice > 0 || c.ReasoningOutputPrice > 0):
		in, out = c.ReasoningInputPrice, c.ReasoningOutputPrice
	}
	return (in*float64(u.InputTokens) + out*float64(u.OutputTokens)) / 1e6
}

func (c Config) checkEndpoint() error {
	if c.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return invalid("base_url", "is no http or https address, such as http://127.0.0.1:11434/v1")
	case u.User != nil:
		return invalid("base_url", "holds credentials: put the key into llm.api_key_file")
	case strings.TrimSpace(c.Model) == "":
		return invalid("model", "is missing: name the model that llm.base_url serves")
	}
	return nil
}

func positive[T int | int64 | time.Duration](key string, value *T, byDef T) error {
	if *value == 0 {
		*value = byDef
	}
	if *value < 0 {
		return invalid(key, "is %v: it has to be above 0", *value)
	}
	return nil
}

func invalid(key, format string, args ...any) error {
	return fault.Invalid("llm."+key, "CONFIG_INVALID", "llm.%s %s", key, fmt.Sprintf(format, args...))
}

// model returns the name of the model for a role.
func (c Config) model(r Role) string {
	named := map[Role]string{Fast: c.FastModel, Reasoning: c.ReasoningModel}[r]
	if named == "" {
		return c.Model
	}
	return named
}
