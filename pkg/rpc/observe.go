package rpc

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Metrics counts the calls of a process's servers.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// NewMetrics registers dibrain_rpc_requests_total and dibrain_rpc_seconds, both
// by method and code, and dibrain_rpc_in_flight.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dibrain_rpc_requests_total", Help: "Calls that ended, by method and gRPC code.",
		}, []string{"method", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dibrain_rpc_seconds", Help: "Seconds that calls took, by method and gRPC code.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300},
		}, []string{"method", "code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "dibrain_rpc_in_flight", Help: "Calls at work.",
		}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.inFlight} {
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
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		err := next(ctx)
		method, code := strings.TrimPrefix(call.Method, "/"), status.Code(err).String()
		m.requests.WithLabelValues(method, code).Inc()
		m.seconds.WithLabelValues(method, code).Observe(time.Since(start).Seconds())
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
			"ms", float64(time.Since(start).Microseconds()) / 1000,
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
