package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// Logs sends log lines to an OTLP receiver too, where the OTEL_* variables name one.
type Logs struct {
	provider *sdklog.LoggerProvider // nil: off
}

// StartLogs opens the exporter. It does not connect yet.
func StartLogs(ctx context.Context, c Config) (*Logs, error) {
	if !wanted(c.Getenv, "LOGS") {
		return &Logs{}, nil
	}
	exporter, err := newLogExporter(ctx, c.Getenv)
	if err != nil {
		return nil, fmt.Errorf("open the log exporter that the OTEL_* variables ask for: %w", err)
	}
	return &Logs{provider: sdklog.NewLoggerProvider(
		sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)), sdklog.WithResource(resourceOf(c)))}, nil
}

// Also returns a logger whose lines go where those of l go and to the receiver, with the
// run of their context and without secrets in both.
func (l *Logs) Also(to *slog.Logger) *slog.Logger {
	if l.provider == nil {
		return to
	}
	sent := otelslog.NewHandler(scopeName, otelslog.WithLoggerProvider(l.provider))
	return slog.New(both{to.Handler(), runHandler{redacting{sent}}})
}

// Flush sends what there is.
func (l *Logs) Flush(ctx context.Context) error {
	if l.provider == nil {
		return nil
	}
	return l.provider.ForceFlush(ctx)
}

// Shutdown sends what is left. It is bounded by ctx.
func (l *Logs) Shutdown(ctx context.Context) error {
	if l.provider == nil {
		return nil
	}
	return l.provider.Shutdown(ctx)
}

const scopeName = "github.com/dibrain/dibrain/pkg/telemetry"

func newLogExporter(ctx context.Context, getenv func(string) string) (sdklog.Exporter, error) {
	overGRPC, err := protocol(getenv, "LOGS")
	if err != nil {
		return nil, err
	}
	if overGRPC {
		return otlploggrpc.New(ctx)
	}
	return otlploghttp.New(ctx)
}

// both hands lines to two handlers. The first says which levels there are: the receiver
// gets what the operator chose to see.
type both struct{ first, second slog.Handler }

// Enabled implements slog.Handler.
func (b both) Enabled(ctx context.Context, level slog.Level) bool {
	return b.first.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (b both) Handle(ctx context.Context, r slog.Record) error {
	return errors.Join(b.first.Handle(ctx, r.Clone()), b.second.Handle(ctx, r.Clone()))
}

// WithAttrs implements slog.Handler.
func (b both) WithAttrs(attrs []slog.Attr) slog.Handler {
	return both{b.first.WithAttrs(attrs), b.second.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (b both) WithGroup(name string) slog.Handler {
	return both{b.first.WithGroup(name), b.second.WithGroup(name)}
}

// redacting takes secrets out of lines, as slog's own handlers do by ReplaceAttr.
type redacting struct{ slog.Handler }

// Handle implements slog.Handler.
func (h redacting) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAll(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = redactAll(a)
	}
	return redacting{h.Handler.WithAttrs(clean)}
}

// WithGroup implements slog.Handler.
func (h redacting) WithGroup(name string) slog.Handler { return redacting{h.Handler.WithGroup(name)} }

// redactAll redacts an attribute, and those of a group.
func redactAll(a slog.Attr) slog.Attr {
	if v := a.Value.Resolve(); v.Kind() == slog.KindGroup {
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, inner := range group {
			clean[i] = redactAll(inner)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	}
	return redact(nil, a)
}
