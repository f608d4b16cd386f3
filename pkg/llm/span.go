package llm

import (
	"context"
	"encoding/json"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Attribute keys of spans, by OpenTelemetry's conventions for generative models.
const (
	attrOperation     = "gen_ai.operation.name"
	attrProvider      = "gen_ai.provider.name"
	attrRequestModel  = "gen_ai.request.model"
	attrResponseModel = "gen_ai.response.model"
	attrMaxTokens     = "gen_ai.request.max_tokens"
	attrInputTokens   = "gen_ai.usage.input_tokens"
	attrOutputTokens  = "gen_ai.usage.output_tokens"
	attrFinish        = "gen_ai.response.finish_reasons"
	attrInput         = "gen_ai.input.messages"
	attrOutput        = "gen_ai.output.messages"
	attrError         = "error.type"
	attrPrompt        = "dibrain.prompt"
)

// chatSpan is the step of one chat: a record of the run and a span.
type chatSpan struct {
	step    *run.Step
	span    trace.Span
	content bool
}

func (c *client) startSpan(ctx context.Context, r Request) (context.Context, *chatSpan) {
	model := c.cfg.model(r.Role)
	ctx, step := run.Start(ctx, "chat "+model, "model", model)
	if r.Prompt != "" {
		step.Set(attrPrompt, r.Prompt)
	}
	s := &chatSpan{step: step, span: trace.SpanFromContext(ctx), content: c.cfg.TraceContent}
	s.span.SetAttributes(
		attribute.String(attrOperation, "chat"), attribute.String(attrProvider, "openai_compatible"),
		attribute.String(attrRequestModel, model), attribute.Int(attrMaxTokens, r.MaxAnswerTokens),
	)
	if s.content {
		s.span.SetAttributes(attribute.String(attrInput, asJSON(r.Messages)))
	}
	return ctx, s
}

func (s *chatSpan) end(answer Response, err error) {
	if err != nil {
		s.span.SetAttributes(attribute.String(attrError, fault.ReasonOf(err)))
		s.step.End(err)
		return
	}
	s.step.Set("tokens", strconv.Itoa(answer.Usage.InputTokens)+" in, "+strconv.Itoa(answer.Usage.OutputTokens)+" out")
	s.span.SetAttributes(
		attribute.String(attrResponseModel, answer.Model), attribute.StringSlice(attrFinish, []string{string(answer.Finish)}),
		attribute.Int(attrInputTokens, answer.Usage.InputTokens), attribute.Int(attrOutputTokens, answer.Usage.OutputTokens),
	)
	if s.content {
		s.span.SetAttributes(attribute.String(attrOutput, asJSON([]Message{answer.Message()})))
	}
	s.step.End(nil)
}

func asJSON(messages []Message) string {
	raw, err := json.Marshal(messages)
	if err != nil { // texts alone: cannot be
		return ""
	}
	return string(raw)
}
