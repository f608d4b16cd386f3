package llm_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

const secretKey = "sk-test-0123456789abcdef0123"

// clock is a wall clock that only moves when it is waited by.
type clock struct {
	now   time.Time
	waits []time.Duration
}

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.waits = append(c.waits, d)
	c.now = c.now.Add(d)
	return ctx.Err()
}

func client(t testing.TB, s *llmtest.Server, change func(*llm.Config, *llm.Deps)) (*llm.Client, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}
	cfg := llm.Config{BaseURL: s.URL, Model: "small", Timeout: time.Minute, RetryWait: time.Second}
	deps := llm.Deps{
		Key:   func() (string, error) { return secretKey, nil },
		Clock: func() time.Time { return c.now }, Wait: c.wait, Jitter: func() float64 { return 1 },
	}
	if change != nil {
		change(&cfg, &deps)
	}
	m, err := llm.New(cfg, deps)
	require.NoError(t, err)
	return m, c
}

func hello() llm.Request {
	return llm.Request{Messages: []llm.Message{{Speaker: llm.System, Text: "be short"}, {Speaker: llm.User, Text: "hello"}}}
}

func TestChatSpeaksTheProtocol(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Calls: []llmtest.Call{{Name: "find", Arguments: `{"q":"x"}`}}}, llmtest.Answer{Text: "done"})
	m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.FastModel = "tiny" })
	r := hello()
	r.Role, r.CacheKey, r.MaxAnswerTokens = llm.Fast, "ses_1", 77
	r.Tools = []llm.Tool{{Name: "find", Description: "finds", Schema: map[string]any{"type": "object"}}}
	got, err := m.Chat(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, llm.Response{
		Calls: []llm.ToolCall{{ID: "call_1", Name: "find", Arguments: `{"q":"x"}`}}, Finish: llm.FinishTools, Model: "scripted",
		Usage: llm.Usage{InputTokens: llmtest.InputTokens, OutputTokens: llmtest.OutputTokens},
	}, got)
	r.Messages = append(r.Messages, got.Message(), llm.Message{Speaker: llm.ToolReply, CallID: "call_1", Text: "42"})
	got, err = m.Chat(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, "done", got.Text)
	require.Equal(t, llm.FinishStop, got.Finish)

	sent := s.Requests()
	require.Equal(t, "Bearer "+secretKey, sent[0].Header.Get("Authorization"))
	require.Empty(t, sent[0].Header.Get("X-Stainless-OS"))
	require.Equal(t, "tiny", sent[0].Body["model"])
	require.Equal(t, "ses_1", sent[0].Body["prompt_cache_key"])
	require.EqualValues(t, 77, sent[0].Body["max_tokens"])
	require.EqualValues(t, 0, sent[0].Body["temperature"])
	require.Equal(t, false, sent[0].Body["parallel_tool_calls"])
	messages := sent[1].Body["messages"].([]any)
	require.Len(t, messages, 4)
	require.Equal(t, "call_1", messages[2].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)["id"])
	require.Equal(t, "call_1", messages[3].(map[string]any)["tool_call_id"])
}

func TestStreamTellsTextPieceByPiece(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Text: "Singapore 销售额 is fine"}, llmtest.Answer{Calls: []llmtest.Call{{Name: "f", Arguments: "{}"}}})
	m, _ := client(t, s, nil)
	var pieces []string
	r := hello()
	r.OnText = func(p string) { pieces = append(pieces, p) }
	got, err := m.Chat(t.Context(), r)
	require.NoError(t, err)
	require.Greater(t, len(pieces), 2)
	require.Equal(t, "Singapore 销售额 is fine", strings.Join(pieces, ""))
	require.Equal(t, got.Text, strings.Join(pieces, ""))
	require.Equal(t, llmtest.InputTokens, got.Usage.InputTokens)
	got, err = m.Chat(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, []llm.ToolCall{{ID: "call_1", Name: "f", Arguments: "{}"}}, got.Calls)
}

func TestABrokenStreamIsNotBegunAnew(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Text: "half an answer", Break: true})
	m, _ := client(t, s, nil)
	told := ""
	r := hello()
	r.OnText = func(p string) { told += p }
	_, err := m.Chat(t.Context(), r)
	require.Equal(t, llm.ReasonUnavailable, fault.ReasonOf(err))
	require.Equal(t, "half ", told)
	require.Len(t, s.Requests(), 1)
}

func TestFaultsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer llmtest.Answer
		noKey  bool
		want   string
		tries  int
	}{
		"no key":         {llmtest.Answer{Status: 401, Text: "who"}, true, llm.ReasonKeyMissing, 1},
		"wrong key":      {llmtest.Answer{Status: 401, Text: "who"}, false, llm.ReasonKeyRefused, 1},
		"forbidden":      {llmtest.Answer{Status: 403}, false, llm.ReasonKeyRefused, 1},
		"no such model":  {llmtest.Answer{Status: 404, Text: "no model small"}, false, llm.ReasonModelUnknown, 1},
		"bad request":    {llmtest.Answer{Status: 400, Text: "nonsense"}, false, llm.ReasonInvalid, 1},
		"too large":      {llmtest.Answer{Status: 413}, false, llm.ReasonTooLong, 1},
		"busy":           {llmtest.Answer{Status: 429}, false, llm.ReasonBusy, 3},
		"out of order":   {llmtest.Answer{Status: 503}, false, llm.ReasonUnavailable, 3},
		"no JSON":        {llmtest.Answer{Raw: "<html>"}, false, llm.ReasonUnavailable, 3},
		"no choice":      {llmtest.Answer{Raw: `{"choices":[]}`}, false, llm.ReasonMalformed, 1},
		"content filter": {llmtest.Answer{Finish: "content_filter"}, false, llm.ReasonRefused, 1},
		"refusal":        {llmtest.Answer{Raw: `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","refusal":"no"}}]}`}, false, llm.ReasonRefused, 1},
		"huge":           {llmtest.Answer{Text: strings.Repeat("x", 200_000)}, false, llm.ReasonUnavailable, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return tc.answer })
			m, _ := client(t, s, func(c *llm.Config, d *llm.Deps) {
				c.MaxResponseBytes = 100_000
				if tc.noKey {
					d.Key = nil
				}
			})
			_, err := m.Chat(t.Context(), hello())
			require.Equal(t, tc.want, fault.ReasonOf(err), "%v", err)
			require.Len(t, s.Requests(), tc.tries)
			require.NotContains(t, fault.OperatorText(err)+err.Error(), secretKey)
			reason, ok := llm.FallBack(t.Context(), err)
			require.True(t, ok)
			require.Equal(t, tc.want, reason)
		})
	}
}

func TestConnectionAndTimeFaults(t *testing.T) {
	t.Parallel()
	away, _ := client(t, &llmtest.Server{URL: "http://127.0.0.1:1/v1"}, nil)
	_, err := away.Chat(t.Context(), hello())
	require.Equal(t, llm.ReasonUnavailable, fault.ReasonOf(err))

	hangs := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Hang: true} })
	m, _ := client(t, hangs, func(c *llm.Config, _ *llm.Deps) { c.Timeout, c.Attempts = time.Second, 2 })
	_, err = m.Chat(t.Context(), hello())
	require.Equal(t, llm.ReasonTimeout, fault.ReasonOf(err))
	require.Len(t, hangs.Requests(), 2)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	m, _ = client(t, hangs, nil)
	_, err = m.Chat(ctx, hello())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, ok := llm.FallBack(ctx, err)
	require.False(t, ok, "nobody waits for the answer of a caller that has gone")

	broken := fault.New(9, llm.ReasonKeyMissing, "the key file cannot be read")
	m, _ = client(t, hangs, func(_ *llm.Config, d *llm.Deps) { d.Key = func() (string, error) { return "", broken } })
	_, err = m.Chat(t.Context(), hello())
	require.Equal(t, llm.ReasonKeyMissing, fault.ReasonOf(err))
	_, ok = llm.FallBack(t.Context(), errors.New("something else"))
	require.False(t, ok)
}

func TestRetriesWaitLongerEachTimeAndAsLongAsAsked(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Status: 500}, llmtest.Answer{Status: 429, Header: map[string]string{"Retry-After": "4"}},
		llmtest.Answer{Status: 429, Header: map[string]string{"Retry-After": "3600"}}, llmtest.Answer{Text: "at last"})
	m, c := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.Attempts = 4 })
	got, err := m.Chat(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, "at last", got.Text)
	require.Equal(t, []time.Duration{time.Second, 4 * time.Second, 10 * time.Second}, c.waits)

	s = llmtest.Script(t, llmtest.Answer{Status: 500}, llmtest.Answer{Status: 500}, llmtest.Answer{Text: "x"})
	m, c = client(t, s, func(_ *llm.Config, d *llm.Deps) { d.Jitter = func() float64 { return 0 } })
	_, err = m.Chat(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, []time.Duration{time.Second / 2, time.Second}, c.waits)
}

func TestTheCircuitOpensAndClosesAgain(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer {
		if down.Load() {
			return llmtest.Answer{Status: 502}
		}
		return llmtest.Answer{Text: "up"}
	})
	m, c := client(t, s, func(c *llm.Config, _ *llm.Deps) {
		c.Attempts, c.BreakerFailures, c.BreakerPause = 1, 3, time.Minute
	})
	reason := func() string {
		_, err := m.Chat(t.Context(), hello())
		return fault.ReasonOf(err)
	}
	for range 3 {
		require.Equal(t, llm.ReasonUnavailable, reason())
	}
	require.Equal(t, llm.ReasonCircuitOpen, reason())
	require.Len(t, s.Requests(), 3, "the endpoint is left alone")
	c.now = c.now.Add(time.Minute)
	require.Equal(t, llm.ReasonUnavailable, reason(), "one tries after the pause")
	require.Equal(t, llm.ReasonCircuitOpen, reason())
	c.now = c.now.Add(time.Minute)
	down.Store(false)
	require.Empty(t, reason())
	require.Empty(t, reason())
	require.Len(t, s.Requests(), 6)
}

func TestRefusedRequestsDoNotOpenTheCircuit(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Status: 400, Text: "bad"} })
	m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.BreakerFailures = 2 })
	for range 5 {
		_, err := m.Chat(t.Context(), hello())
		require.Equal(t, llm.ReasonInvalid, fault.ReasonOf(err))
	}
}

// TestParametersThatAnEndpointLacksAreLeftOut: each server of the family takes
// another part of the protocol.
func TestParametersThatAnEndpointLacksAreLeftOut(t *testing.T) {
	t.Parallel()
	refuse := map[string]string{
		"max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "temperature": "temperature is fixed for this model",
		"prompt_cache_key": "unknown field prompt_cache_key",
	}
	s := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		for field, said := range refuse {
			if _, sent := r.Body[field]; sent {
				return llmtest.Answer{Status: 400, Text: said}
			}
		}
		if f, _ := r.Body["response_format"].(map[string]any); f["type"] == "json_schema" {
			return llmtest.Answer{Status: 422, Text: "response_format of type json_schema is not supported"}
		}
		return llmtest.Answer{Text: "ok"}
	})
	m, c := client(t, s, nil)
	r := hello()
	r.CacheKey, r.Format = "k", &llm.Format{Name: "x", Schema: map[string]any{"type": "object"}}
	for range 2 {
		_, err := m.Chat(t.Context(), r)
		require.NoError(t, err)
	}
	sent := s.Requests()
	require.Len(t, sent, 6, "what was learned is remembered")
	last := sent[5].Body
	require.Contains(t, last, "max_completion_tokens")
	require.Equal(t, map[string]any{"type": "json_object"}, last["response_format"])
	require.Empty(t, c.waits)
}

// TestSamplingIsThatOfTheUse: what an answer is for decides temperature and top_p; what is
// not said for a use is as for all, and a top_p that nobody chose is not sent.
func TestSamplingIsThatOfTheUse(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: "ok"} })
	m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) {
		c.Temperature = 0.5
		c.Sampling = llm.Sampling{Rewrite: "top_p=0.9 temperature=0.7", SQL: "temperature=0", Summary: "top_p=0.8"}
	})
	for _, use := range []llm.Use{llm.UseRewrite, llm.UseSQL, llm.UseSummary, llm.UseRank, ""} {
		r := hello()
		r.Use = use
		_, err := m.Chat(t.Context(), r)
		require.NoError(t, err)
	}
	var got [][2]any
	for _, r := range s.Requests() {
		got = append(got, [2]any{r.Body["temperature"], r.Body["top_p"]})
	}
	require.Equal(t, [][2]any{{0.7, 0.9}, {0.0, nil}, {0.5, 0.8}, {0.5, nil}, {0.5, nil}}, got)
}

// TestWhatAModelRefusesIsItsOwn: a parameter that one model refuses is left out for it from
// then on, and goes to the others.
func TestWhatAModelRefusesIsItsOwn(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, func(r llmtest.Request) llmtest.Answer {
		for _, field := range []string{"temperature", "top_p"} {
			if _, sent := r.Body[field]; sent && r.Body["model"] == "thinker" {
				return llmtest.Answer{Status: 400, Text: "Unsupported value: '" + field + "' does not support this value with this model."}
			}
		}
		return llmtest.Answer{Text: "ok"}
	})
	m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.ReasoningModel, c.TopP = "thinker", 0.9 })
	for _, role := range []llm.Role{llm.Reasoning, llm.Reasoning, llm.Standard} {
		r := hello()
		r.Role = role
		_, err := m.Chat(t.Context(), r)
		require.NoError(t, err)
	}
	var got [][3]any
	for _, r := range s.Requests() {
		got = append(got, [3]any{r.Body["model"], r.Body["temperature"], r.Body["top_p"]})
	}
	require.Equal(t, [][3]any{{"thinker", 0.0, 0.9}, {"thinker", nil, 0.9}, {"thinker", nil, nil}, {"thinker", nil, nil}, {"small", 0.0, 0.9}}, got)
}

func TestBudgetEndsTheWork(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: "x"} })
	m, _ := client(t, s, nil)
	for name, limits := range map[string]budget.Limits{
		"calls":  {Calls: 2},
		"tokens": {Tokens: 2*(llmtest.InputTokens+llmtest.OutputTokens) + 5},
	} {
		b := budget.New(limits)
		ctx := budget.With(t.Context(), b)
		for range 2 {
			_, err := m.Chat(ctx, hello())
			require.NoError(t, err, name)
		}
		_, err := m.Chat(ctx, hello())
		require.Equal(t, llm.ReasonBudgetSpent, fault.ReasonOf(err), name)
		require.Contains(t, err.Error(), name)
		require.Equal(t, 2, b.Used().Calls)
		require.Equal(t, 240, b.Used().Tokens)
	}
}

func TestSpansTellTokensAndNoContent(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("t")
		s := llmtest.Script(t, llmtest.Answer{Text: "the-answer"}, llmtest.Answer{Status: 404})
		m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.TraceContent = content })
		recorder := run.NewRecorder(0)
		ctx := run.WithRecorder(run.WithTracker(t.Context(), &run.Tracker{Tracer: tracer}), recorder)
		r := hello()
		r.Prompt = "test.hello@3"
		_, err := m.Chat(ctx, r)
		require.NoError(t, err)
		_, err = m.Chat(ctx, r)
		require.Error(t, err)

		ended := spans.Ended()
		require.Len(t, ended, 2)
		require.Equal(t, "chat small", ended[0].Name())
		all := map[string]string{}
		for _, a := range ended[0].Attributes() {
			all[string(a.Key)] = a.Value.String()
		}
		require.Equal(t, "100", all["gen_ai.usage.input_tokens"])
		require.Equal(t, "20", all["gen_ai.usage.output_tokens"])
		require.Equal(t, "scripted", all["gen_ai.response.model"])
		require.Equal(t, "test.hello@3", all["dibrain.prompt"])
		text := ""
		for _, v := range all {
			text += v
		}
		require.Equal(t, content, strings.Contains(text, "the-answer"))
		require.Equal(t, content, strings.Contains(text, "hello\""))
		records, _ := recorder.Records()
		require.Len(t, records, 2)
		require.Equal(t, "100 in, 20 out", records[0].Attributes["tokens"])
		require.NotEmpty(t, records[1].Error)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: "stolen"} })
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer {
		return llmtest.Answer{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": other.URL + "/chat/completions"}}
	})
	m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.Attempts = 1 })
	_, err := m.Chat(t.Context(), hello())
	require.Error(t, err)
	require.Empty(t, other.Requests())
}

// TestCallsHaveTheirCost: tokens read and written cost what the model that was asked costs; a
// model without prices of its own costs what the common one does.
func TestCallsHaveTheirCost(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, func(llmtest.Request) llmtest.Answer { return llmtest.Answer{Text: "x"} })
	for name, c := range map[string]struct {
		role llm.Role
		want float64
	}{
		"standard": {llm.Standard, (llmtest.InputTokens*3 + llmtest.OutputTokens*15) / 1e6},
		"fast":     {llm.Fast, llmtest.InputTokens * 0.5 / 1e6},
		"as dear":  {llm.Reasoning, (llmtest.InputTokens*3 + llmtest.OutputTokens*15) / 1e6},
	} {
		m, _ := client(t, s, func(c *llm.Config, _ *llm.Deps) { c.InputPrice, c.OutputPrice, c.FastInputPrice = 3, 15, 0.5 })
		b := budget.New(budget.Limits{})
		r := hello()
		r.Role = c.role
		_, err := m.Chat(budget.With(t.Context(), b), r)
		require.NoError(t, err, name)
		require.InDelta(t, c.want, b.Used().Cost, 1e-12, name)
	}
	m, _ := client(t, s, nil)
	b := budget.New(budget.Limits{})
	_, err := m.Chat(budget.With(t.Context(), b), hello())
	require.NoError(t, err)
	require.Zero(t, b.Used().Cost, "no price is configured")
	cfg, err := llm.Config{}.Complete()
	require.NoError(t, err)
	require.Equal(t, "USD", cfg.Currency)
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	_, err := llm.New(llm.Config{}, llm.Deps{})
	require.Equal(t, llm.ReasonNotConfigured, fault.ReasonOf(err))
	for name, tc := range map[string]struct {
		cfg  llm.Config
		want string
	}{
		"no address":   {llm.Config{BaseURL: "localhost:1", Model: "m"}, "base_url"},
		"key in it":    {llm.Config{BaseURL: "http://me:secret@host/v1", Model: "m"}, "base_url"},
		"no model":     {llm.Config{BaseURL: "http://host/v1"}, "model"},
		"hot":          {llm.Config{Temperature: 3}, "temperature"},
		"no share":     {llm.Config{TopP: 1.5}, "top_p"},
		"no number":    {llm.Config{Sampling: llm.Sampling{SQL: "temperature=warm"}}, "sampling.sql"},
		"too hot":      {llm.Config{Sampling: llm.Sampling{Rank: "top_p=0.5 temperature=2.5"}}, "sampling.rank"},
		"no such word": {llm.Config{Sampling: llm.Sampling{Answer: "top_k=3"}}, "sampling.answer"},
		"no tries":     {llm.Config{Attempts: -1}, "attempts"},
		"no room":      {llm.Config{ContextTokens: 100, MaxAnswerTokens: 100}, "max_answer_tokens"},
		"no timeout":   {llm.Config{Timeout: -1}, "timeout"},
		"small reply":  {llm.Config{MaxResponseBytes: -5}, "max_response_bytes"},
		"a gift":       {llm.Config{InputPrice: -1}, "input_price"},
		"no price":     {llm.Config{FastOutputPrice: math.NaN()}, "fast_output_price"},
		"too dear":     {llm.Config{ReasoningInputPrice: 2e6}, "reasoning_input_price"},
	} {
		_, err := tc.cfg.Complete()
		require.Equal(t, "CONFIG_INVALID", fault.ReasonOf(err), name)
		require.ErrorContains(t, err, "llm."+tc.want, name)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestTriesTokensAndCostAreMeasured(t *testing.T) {
	t.Parallel()
	s := llmtest.Script(t, llmtest.Answer{Status: 503}, llmtest.Answer{Text: "hello"})
	measures, read := metertest.New(t)
	m, _ := client(t, s, func(c *llm.Config, d *llm.Deps) { d.Meter, c.InputPrice, c.Currency = measures, 1e6, "EUR" })
	_, err := m.Chat(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, map[string]float64{
		`dibrain_dependency_seconds{dependency="model",operation="chat",result="failed"}`: 1,
		`dibrain_dependency_seconds{dependency="model",operation="chat",result="ok"}`:     1,
		`dibrain_dependency_in_flight{dependency="model"}`:                                0,
		`dibrain_model_tokens_total{direction="input",model="small"}`:                     llmtest.InputTokens,
		`dibrain_model_tokens_total{direction="output",model="small"}`:                    llmtest.OutputTokens,
		`dibrain_model_cost_total{currency="EUR",model="small"}`:                          llmtest.InputTokens,
		`dibrain_queue_seconds{queue="model"}`:                                            1,
		`dibrain_queue_waiting{queue="model"}`:                                            0,
		`dibrain_queue_in_use{queue="model"}`:                                             0,
	}, read())
}
