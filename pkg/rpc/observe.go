package rpc

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Metrics counts the calls of a process's servers.
type Metrics struct {
	requests *prometheus.CounterVec
	outcomes *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
}

// NewMetrics registers dibrain_rpc_requests_total and dibrain_rpc_seconds, both
// by method and code, dibrain_rpc_outcomes_total by method and outcome (run.Outcome),
// and dibrain_rpc_in_flight by method.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dibrain_rpc_requests_total", Help: "Calls that ended, by method and gRPC code.",
		}, []string{"method", "code"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dibrain_rpc_outcomes_total",
			Help: "Calls that ended, by method and what came of them; a call without an error may have refused what was asked.",
		}, []string{"method", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dibrain_rpc_seconds", Help: "Seconds that calls took, by method and gRPC code.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300},
		}, []string{"method", "code"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "dibrain_rpc_in_flight", Help: "Calls at work, by method.",
		}, []string{"method"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.outcomes, m.seconds, m.inFlight} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func metricsLink(m *Metrics) Link {
	return Link{Name: linkMetrics, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if m == nil {
			return next(ctx)
		}
		start := time.Now()
		method := strings.TrimPrefix(call.Method, "/")
		atWork := m.inFlight.WithLabelValues(method)
		atWork.Inc()
		defer atWork.Dec()
		err := next(ctx)
		code := status.Code(err).String()
		m.requests.WithLabelValues(method, code).Inc()
		m.seconds.WithLabelValues(method, code).Observe(time.Since(start).Seconds())
		if call.Outcome != "" {
			m.outcomes.WithLabelValues(method, string(call.Outcome)).Inc()
		}
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
