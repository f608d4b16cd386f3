package llm

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReconfigure: all settings change while requests are made, but those that wait for a
// restart; what counts goes on counting, and a configuration that is refused changes nothing.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	c, err := New(Config{BaseURL: "http://127.0.0.1:1/v1", Model: "small"}, Deps{})
	require.NoError(t, err)
	was := c.now.Load()
	next := Config{
		BaseURL: "http://127.0.0.1:2/v1", Model: "a", FastModel: "b", ReasoningModel: "c", InputPrice: 1, OutputPrice: 2, FastInputPrice: 3, FastOutputPrice: 4,
		ReasoningInputPrice: 5, ReasoningOutputPrice: 6, Currency: "EUR", Temperature: 1, TopP: 0.5, ContextTokens: 5001, MaxAnswerTokens: 1000, MaxResponseBytes: 12,
		Timeout: 13, Attempts: 14, RetryWait: time.Second + 15, MaxRetryWait: time.Minute + 16, MaxConcurrent: 17, BreakerFailures: 18, BreakerPause: 19,
		MaxCalls: 20, MaxTokens: 21, MaxTime: 22, TraceContent: true, Sampling: Sampling{Rewrite: "temperature=0.3"},
	}
	require.NoError(t, c.Reconfigure(next))
	now := c.now.Load()
	var stay []string
	for i := range reflect.TypeFor[Config]().NumField() {
		if reflect.DeepEqual(reflect.ValueOf(was.cfg).Field(i).Interface(), reflect.ValueOf(now.cfg).Field(i).Interface()) {
			stay = append(stay, reflect.TypeFor[Config]().Field(i).Tag.Get("koanf"))
		}
	}
	require.ElementsMatch(t, RestartSettings(), stay)
	require.Equal(t, now.cfg, now.endpoint.cfg)
	require.Same(t, was.breaker, now.breaker)
	require.Equal(t, was.slots, now.slots)
	require.Same(t, was.endpoint.lacking, now.endpoint.lacking)
	require.Same(t, was.endpoint.http, now.endpoint.http)

	next.InputPrice, next.Model = -1, "d"
	require.Error(t, c.Reconfigure(next))
	require.Equal(t, "a", c.now.Load().cfg.Model)
}
