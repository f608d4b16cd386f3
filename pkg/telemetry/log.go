package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"

	"github.com/dibrain/dibrain/pkg/run"
)

// LogConfig says what is logged and how.
type LogConfig struct {
	// Level is debug, info, warn or error.
	Level string
	// Format is json or text.
	Format string
	// Live is what level and format may be changed by later; nil: they stay.
	Live *LiveLog
}

// LiveLog changes what a logger writes while it is in use. The zero value is for one logger.
type LiveLog struct {
	level slog.LevelVar
	text  atomic.Bool
}

// Set sets the level and the format by their names in a configuration; an error changes
// neither.
func (l *LiveLog) Set(level, format string) error {
	var parsed slog.Level
	if err := parsed.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("log.level is %q: use debug, info, warn or error", level)
	}
	if format != "json" && format != "text" {
		return fmt.Errorf("log.format is %q: use json or text", format)
	}
	l.level.Set(parsed)
	l.text.Store(format == "text")
	return nil
}

// formatHandler writes a line in the format that is set when it comes.
type formatHandler struct {
	asJSON, asText slog.Handler
	live           *LiveLog
}

// Enabled implements slog.Handler.
func (h formatHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.asJSON.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h formatHandler) Handle(ctx context.Context, r slog.Record) error {
	if h.live.text.Load() {
		return h.asText.Handle(ctx, r)
	}
	return h.asJSON.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h formatHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return formatHandler{h.asJSON.WithAttrs(attrs), h.asText.WithAttrs(attrs), h.live}
}

// WithGroup implements slog.Handler.
func (h formatHandler) WithGroup(name string) slog.Handler {
	return formatHandler{h.asJSON.WithGroup(name), h.asText.WithGroup(name), h.live}
}

// NewLogger returns a logger that writes to w. Its lines carry run_id,
// session_id, tool_call_id and trace_id of their context, and no secrets.
func NewLogger(w io.Writer, c LogConfig) (*slog.Logger, error) {
	live := c.Live
	if live == nil {
		live = new(LiveLog)
	}
	if err := live.Set(c.Level, c.Format); err != nil {
		return nil, err
	}
	options := &slog.HandlerOptions{Level: &live.level, ReplaceAttr: redact}
	// Each handler writes a line by one call of Write, and lineWriter lets one of them in at a time.
	out := &lineWriter{w: w}
	return slog.New(runHandler{formatHandler{slog.NewJSONHandler(out, options), slog.NewTextHandler(out, options), live}}), nil
}

// lineWriter lets one line be written at a time, by whichever handler.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}

// runHandler adds to each line what its context says about the run.
type runHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h runHandler) Handle(ctx context.Context, r slog.Record) error {
	rc := run.From(ctx)
	for _, kv := range [...][2]string{
		{run.AttrRunID, rc.RunID}, {run.AttrSessionID, rc.SessionID}, {run.AttrToolCallID, rc.ToolCallID},
	} {
		if kv[1] != "" {
			r.AddAttrs(slog.String(kv[0], kv[1]))
		}
	}
	if sc := trace.SpanContextFromContext(ctx); sc.HasTraceID() {
		r.AddAttrs(slog.String("trace_id", sc.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h runHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return runHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h runHandler) WithGroup(name string) slog.Handler { return runHandler{h.Handler.WithGroup(name)} }

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// secretKeys are parts of names whose values are never logged.
var secretKeys = []string{"password", "passwd", "secret", "authorization", "api_key", "apikey", "hop_key", "private_key", "credential"}

// secretValues are the looks of secrets in texts: our API and hop tokens, keys
// of model providers, bearer headers, and passwords in URLs.
var secretValues = regexp.MustCompile(`\bdib_[A-Za-z0-9_-]{20,}|\bdibhop\d\.[A-Za-z0-9_.-]+|\bsk-[A-Za-z0-9_-]{16,}|(?i:\bbearer )[A-Za-z0-9_.~+/=-]{8,}|://[^\s/:@]+:[^\s/@]+@`)

func redact(_ []string, a slog.Attr) slog.Attr {
	key := strings.ToLower(a.Key)
	for _, part := range secretKeys {
		if strings.Contains(key, part) {
			return slog.String(a.Key, Redacted)
		}
	}
	if key == "token" || strings.HasSuffix(key, "_token") {
		return slog.String(a.Key, Redacted)
	}
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, Redact(v.String()))
	case slog.KindAny:
		switch x := v.Any().(type) {
		case error:
			return slog.String(a.Key, Redact(x.Error()))
		case fmt.Stringer:
			return slog.String(a.Key, Redact(x.String()))
		}
	}
	return a
}

// Redact replaces what looks like a secret in a text.
func Redact(text string) string { return secretValues.ReplaceAllString(text, Redacted) }
