package rpc

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

func metricsLink(m *meter.Set) Link {
	return Link{Name: linkMetrics, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		ended := m.Call(ctx, strings.TrimPrefix(call.Method, "/"))
		err := next(ctx)
		ended(status.Code(err), call.Outcome)
		return err
	}}
}

// outcomeLink finds out what came of a call: what the handler concluded, else what
// its error stands for. It tells the call's span, whose status is an error when the
// asker did not get what a working system gives, though the call ended well.
func outcomeLink() Link {
	return Link{Name: linkOutcome, After: []string{linkMetrics, linkLog}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if isOpen(call.Method) {
			return next(ctx)
		}
		ctx, concluded := run.NotingOutcome(ctx)
		err := next(ctx)
		if call.Outcome = concluded(); call.Outcome == "" || err != nil && call.Outcome.Good() {
			call.Outcome = run.OutcomeOf(err)
		}
		span := trace.SpanFromContext(ctx)
		span.SetAttributes(attribute.String(run.AttrOutcome, string(call.Outcome)))
		if !call.Outcome.Good() {
			span.SetStatus(otelcodes.Error, string(call.Outcome))
		}
		return err
	}}
}

// logLink writes a line for every call that ended. The run, session and trace
// come from the context (pkg/telemetry).
func logLink(logger *slog.Logger) Link {
	return Link{Name: linkLog, After: []string{linkMetrics}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		start := time.Now()
		err := next(ctx)
		code := status.Code(err)
		level := levelOf(code)
		if isOpen(call.Method) {
			level = slog.LevelDebug
		}
		if !logger.Enabled(call.Context, level) {
			return err
		}
		attrs := []any{
			"method", strings.TrimPrefix(call.Method, "/"), "code", code.String(),
			"outcome", string(call.Outcome), "ms", float64(time.Since(start).Microseconds()) / 1000,
		}
		if p := run.From(call.Context).Principal; !p.IsZero() {
			attrs = append(attrs, "principal", p.ID)
		}
		if err != nil {
			attrs = append(attrs, "reason", fault.ReasonOf(err))
		}
		logger.Log(call.Context, level, "rpc", attrs...)
		return err
	}}
}

func levelOf(code codes.Code) slog.Level {
	switch code {
	case codes.OK, codes.Canceled, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists,
		codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented:
		return slog.LevelInfo
	case codes.Internal, codes.Unknown, codes.DataLoss:
		return slog.LevelError
	default:
		return slog.LevelWarn
	}
}
