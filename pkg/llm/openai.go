package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// endpoint speaks the chat completions protocol: one try, no waiting. It learns
// which optional parameters the endpoint does not take and leaves them out.
type endpoint struct {
	cfg  Config
	key  func() (string, error)
	http *http.Client
	// lacking holds the parameters that each model refused: at one endpoint a model that
	// reasons may take no temperature and another one does.
	lacking *lacking
}

// lacking is what endpoints of one address and one process are known to lack.
type lacking struct {
	mu sync.Mutex
	of map[string]parameter
}

// with is the same endpoint with another configuration.
func (e *endpoint) with(cfg Config) *endpoint {
	next := *e
	next.cfg = cfg
	return &next
}

// parameter is an optional part of a request that some endpoints refuse.
type parameter uint32

const (
	paramSchema parameter = 1 << iota
	paramJSONObject
	paramMaxTokens // the old name; without it the new one is sent
	paramTemperature
	paramCacheKey
	paramParallel
	paramStreamUsage
	paramTopP
)

// refusals are the words by which an endpoint names a parameter that it does not
// take, looked for in this order.
var refusals = []struct {
	param parameter
	words []string
}{
	{paramMaxTokens, []string{"max_tokens"}},
	{paramSchema, []string{"json_schema", "response_format", "structured output"}},
	{paramJSONObject, []string{"json_object", "response_format"}},
	{paramTemperature, []string{"temperature"}},
	{paramTopP, []string{"top_p"}},
	{paramCacheKey, []string{"prompt_cache_key"}},
	{paramParallel, []string{"parallel_tool_calls"}},
	{paramStreamUsage, []string{"stream_options"}},
}

// learn notes the parameter that the endpoint's text on a model complains about. It reports
// false where there is none that was sent.
func (e *endpoint) learn(model string, sent parameter, said string) bool {
	said = strings.ToLower(said)
	for _, r := range refusals {
		if sent&r.param == 0 {
			continue
		}
		for _, w := range r.words {
			if strings.Contains(said, w) {
				e.lacking.mu.Lock()
				defer e.lacking.mu.Unlock()
				e.lacking.of[model] |= r.param
				return true
			}
		}
	}
	return false
}

// params translates a request. sent are the optional parameters in it.
func (e *endpoint) params(r Request) (p openai.ChatCompletionNewParams, sent parameter) {
	model := e.cfg.model(r.Role)
	e.lacking.mu.Lock()
	lacking := e.lacking.of[model]
	e.lacking.mu.Unlock()
	try := func(is parameter, wanted bool) bool {
		if !wanted || lacking&is != 0 {
			return false
		}
		sent |= is
		return true
	}
	p = openai.ChatCompletionNewParams{Model: model}
	for _, m := range r.Messages {
		p.Messages = append(p.Messages, messageParam(m))
	}
	if try(paramMaxTokens, true) {
		p.MaxTokens = openai.Int(int64(r.MaxAnswerTokens))
	} else {
		p.MaxCompletionTokens = openai.Int(int64(r.MaxAnswerTokens))
	}
	sampling, _ := e.cfg.sampling(r.Use) // Complete has read it before
	if try(paramTemperature, sampling.temperature >= 0) {
		p.Temperature = openai.Float(sampling.temperature)
	}
	if try(paramTopP, sampling.topP > 0) {
		p.TopP = openai.Float(sampling.topP)
	}
	if try(paramCacheKey, r.CacheKey != "") {
		p.PromptCacheKey = openai.String(r.CacheKey)
	}
	switch {
	case try(paramSchema, r.Format != nil):
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: r.Format.Name, Schema: r.Format.Schema, Strict: openai.Bool(true),
		}}
	case try(paramJSONObject, r.Format != nil):
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	if len(r.Tools) > 0 {
		for _, t := range r.Tools {
			p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name: t.Name, Description: openai.String(t.Description), Parameters: t.Schema,
			}))
		}
		p.ToolChoice = toolChoice(r.ToolChoice)
		if try(paramParallel, true) {
			p.ParallelToolCalls = openai.Bool(false)
		}
	}
	if r.OnText != nil && try(paramStreamUsage, true) {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return p, sent
}

func messageParam(m Message) openai.ChatCompletionMessageParamUnion {
	switch m.Speaker {
	case System:
		return openai.SystemMessage(m.Text)
	case ToolReply:
		return openai.ToolMessage(m.Text, m.CallID)
	case Assistant:
		if len(m.Calls) == 0 {
			return openai.AssistantMessage(m.Text)
		}
		own := openai.ChatCompletionAssistantMessageParam{}
		if m.Text != "" {
			own.Content.OfString = openai.String(m.Text)
		}
		for _, c := range m.Calls {
			own.ToolCalls = append(own.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID: c.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments},
				},
			})
		}
		return openai.ChatCompletionMessageParamUnion{OfAssistant: &own}
	case User:
	}
	return openai.UserMessage(m.Text)
}

func toolChoice(choice string) openai.ChatCompletionToolChoiceOptionUnionParam {
	switch choice {
	case ToolsAuto:
		choice = "auto"
	case ToolsNone, ToolsRequired:
	default:
		return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
	}
	return openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String(choice)}
}

// send tries once. Parameters that the endpoint does not take are left out and
// the request goes again at once, each of them at most once.
func (e *endpoint) send(ctx context.Context, r Request) (Response, *tryError) {
	key, err := e.key()
	if err != nil {
		return Response{}, &tryError{cause: err}
	}
	options := []option.RequestOption{
		option.WithBaseURL(e.cfg.BaseURL), option.WithHTTPClient(e.http), option.WithMaxRetries(0),
	}
	for _, name := range []string{"OS", "Arch", "Runtime", "Runtime-Version"} { // nobody's business
		options = append(options, option.WithHeaderDel("X-Stainless-"+name))
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	service := openai.NewChatCompletionService(options...)
	for {
		params, sent := e.params(r)
		answer, err := complete(ctx, service, params, r.OnText)
		if err == nil {
			return response(answer, r)
		}
		failed := &tryError{cause: err, hasKey: key != ""}
		var refused *openai.Error
		if errors.As(err, &refused) {
			failed.status, failed.said = refused.StatusCode, saidBy(refused)
			if refused.Response != nil {
				failed.retryAfter = refused.Response.Header.Get("Retry-After")
			}
		}
		isRequest := failed.status == http.StatusBadRequest || failed.status == http.StatusUnprocessableEntity
		if !isRequest || !e.learn(params.Model, sent, failed.said) {
			return Response{}, failed
		}
	}
}

// maxSaid bounds what is kept of an endpoint's error text.
const maxSaid = 500

func saidBy(e *openai.Error) string {
	said := e.Message
	if said == "" {
		said = e.RawJSON()
	}
	if e.Param != "" {
		said += " (" + e.Param + ")"
	}
	return clip(said, maxSaid)
}

func complete(ctx context.Context, s openai.ChatCompletionService, p openai.ChatCompletionNewParams, onText func(string)) (*openai.ChatCompletion, error) {
	if onText == nil {
		return s.New(ctx, p)
	}
	stream := s.NewStreaming(ctx, p)
	defer func() { _ = stream.Close() }() // what matters is in stream.Err
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			return nil, errors.New("the stream's pieces do not fit together")
		}
		for _, c := range chunk.Choices {
			if c.Index == 0 && c.Delta.Content != "" {
				onText(c.Delta.Content)
			}
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	return &all.ChatCompletion, nil
}

// response translates an answer. Usage that is not told is estimated.
func response(c *openai.ChatCompletion, r Request) (Response, *tryError) {
	if len(c.Choices) == 0 {
		return Response{}, &tryError{cause: malformed("The model endpoint sent an answer without content.")}
	}
	choice := c.Choices[0]
	if choice.Message.Refusal != "" || choice.FinishReason == "content_filter" {
		return Response{}, &tryError{cause: refusedFault(clip(choice.Message.Refusal, maxSaid))}
	}
	out := Response{
		Text: choice.Message.Content, Finish: FinishStop, Model: c.Model,
		Usage: Usage{
			InputTokens: int(c.Usage.PromptTokens), OutputTokens: int(c.Usage.CompletionTokens),
			CachedTokens: int(c.Usage.PromptTokensDetails.CachedTokens),
		},
	}
	for _, call := range choice.Message.ToolCalls {
		out.Calls = append(out.Calls, ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	switch {
	case choice.FinishReason == "length":
		out.Finish = FinishLength
	case len(out.Calls) > 0:
		out.Finish = FinishTools
	}
	if out.Usage.InputTokens == 0 {
		out.Usage.InputTokens = requestSize(r)
	}
	if out.Usage.OutputTokens == 0 {
		out.Usage.OutputTokens = messageSize(out.Message())
	}
	return out, nil
}

// tryError is why one try failed.
type tryError struct {
	cause      error
	status     int // 0: no answer came
	said       string
	retryAfter string
	hasKey     bool
}

// newHTTPClient bounds answers and follows no redirects: a key goes to the
// configured address alone.
func newHTTPClient(maxBytes int64, transport http.RoundTripper) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.ResponseHeaderTimeout = 0 // a model thinks as long as the try may take
		own.IdleConnTimeout = time.Minute
		transport = own
	}
	return &http.Client{
		Transport:     bounded{transport, maxBytes},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type bounded struct {
	http.RoundTripper
	maxBytes int64
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: b.maxBytes}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is larger than llm.max_response_bytes")
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
