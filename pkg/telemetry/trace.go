// Package telemetry makes the traces, metrics and log lines of a process: they go to
// where the standard OTEL_* variables say, metrics to a Prometheus endpoint beside it, and
// log lines to where the process writes. Log lines carry the run, session, call and trace
// that they belong to.
package telemetry

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// maxProviders bounds the services of one process that have a resource of their
// own; the name of a service comes from the contract, so a handful is normal.
const maxProviders = 64

// Config of Start.
type Config struct {
	// Version of the program, for the resource.
	Version string
	// Service names the process where a signal does not tell its services apart: its one
	// target, or "" for several.
	Service string
	// Getenv reads the OTEL_* variables that choose the exporter; os.Getenv.
	// Those that tune it are read by OpenTelemetry itself.
	Getenv func(string) string
	// Processor takes the spans instead of an exporter: for tests.
	Processor sdktrace.SpanProcessor
}

// Tracing makes the tracer providers of a process, one for each service that
// lives in it, so that a trace of the monolith shows the same services as one
// of separate processes.
type Tracing struct {
	processor sdktrace.SpanProcessor // nil: off
	version   string
	named     bool // OTEL_SERVICE_NAME says what all of them are called

	mu        sync.Mutex
	providers map[string]trace.TracerProvider
}

// Start reads the variables and opens the exporter. It does not connect yet, so
// a collector that is away costs nothing but a line in the log.
func Start(ctx context.Context, c Config) (*Tracing, error) {
	t := &Tracing{
		version: c.Version, named: c.Getenv("OTEL_SERVICE_NAME") != "",
		providers: make(map[string]trace.TracerProvider), processor: c.Processor,
	}
	if t.processor != nil || !wanted(c.Getenv, "TRACES") {
		return t, nil
	}
	exporter, err := newExporter(ctx, c.Getenv)
	if err != nil {
		return nil, fmt.Errorf("open the trace exporter that the OTEL_* variables ask for: %w", err)
	}
	t.processor = sdktrace.NewBatchSpanProcessor(exporter)
	return t, nil
}

// On reports whether spans go anywhere.
func (t *Tracing) On() bool { return t != nil && t.processor != nil }

// Provider returns the provider of a service; its service.name is "dibrain-"
// and the name, or what OTEL_SERVICE_NAME says.
func (t *Tracing) Provider(service string) trace.TracerProvider {
	if !t.On() {
		return noop.NewTracerProvider()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.providers[service]; ok {
		return p
	}
	if len(t.providers) >= maxProviders {
		service = "other"
		if p, ok := t.providers[service]; ok {
			return p
		}
	}
	p := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(keepOpen{t.processor}), sdktrace.WithResource(t.resource(service)))
	t.providers[service] = p
	return p
}

// ByService returns a provider whose spans belong to the service that the
// span's name says. Names of RPC spans are "dibrain.SERVICE.v1.Name/Method".
func (t *Tracing) ByService(serviceOf func(fullMethod string) string) trace.TracerProvider {
	if !t.On() {
		return nil
	}
	return &byService{tracing: t, serviceOf: serviceOf}
}

// Shutdown sends what is left. It is bounded by ctx.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if !t.On() {
		return nil
	}
	return t.processor.Shutdown(ctx)
}

// Flush sends what there is.
func (t *Tracing) Flush(ctx context.Context) error {
	if !t.On() {
		return nil
	}
	return t.processor.ForceFlush(ctx)
}

func (t *Tracing) resource(service string) *resource.Resource {
	return describe(t.version, t.named, service)
}

// resourceOf says what a process of these services is, for signals that do not tell
// services apart.
func resourceOf(c Config) *resource.Resource {
	service := c.Service
	if service == "" {
		service = "all"
	}
	return describe(c.Version, c.Getenv("OTEL_SERVICE_NAME") != "", service)
}

func describe(version string, named bool, service string) *resource.Resource {
	attrs := []attribute.KeyValue{attribute.String("service.version", version)}
	if !named {
		attrs = append(attrs, attribute.String("service.name", "dibrain-"+service))
	}
	own := resource.NewSchemaless(attrs...)
	merged, err := resource.Merge(resource.Environment(), own)
	if err != nil { // schemas that differ; own has none
		return own
	}
	return merged
}

// wanted reports whether a signal, TRACES, METRICS or LOGS, is to be sent.
func wanted(getenv func(string) string, signal string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	switch getenv("OTEL_" + signal + "_EXPORTER") {
	case "none":
		return false
	case "":
		return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
	default:
		return true
	}
}

// protocol says whether a signal is sent over gRPC; else it is over HTTP.
func protocol(getenv func(string) string, signal string) (overGRPC bool, err error) {
	if name := getenv("OTEL_" + signal + "_EXPORTER"); name != "" && name != "otlp" {
		return false, fmt.Errorf("OTEL_%s_EXPORTER is %q: this program knows \"otlp\" and \"none\"", signal, name)
	}
	said := getenv("OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL")
	if said == "" {
		said = getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	switch said {
	case "grpc":
		return true, nil
	case "", "http/protobuf":
		return false, nil
	default:
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: this program knows \"grpc\" and \"http/protobuf\"", said)
	}
}

func newExporter(ctx context.Context, getenv func(string) string) (sdktrace.SpanExporter, error) {
	overGRPC, err := protocol(getenv, "TRACES")
	if err != nil {
		return nil, err
	}
	if overGRPC {
		return otlptracegrpc.New(ctx)
	}
	return otlptracehttp.New(ctx)
}

// keepOpen leaves shutting down to Tracing: providers share the processor.
type keepOpen struct{ sdktrace.SpanProcessor }

// Shutdown does nothing.
func (keepOpen) Shutdown(context.Context) error { return nil }

type byService struct {
	noop.TracerProvider
	tracing   *Tracing
	serviceOf func(string) string
}

// Tracer implements trace.TracerProvider.
func (b *byService) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return &serviceTracer{by: b, name: name, options: options}
}

type serviceTracer struct {
	noop.Tracer
	by      *byService
	name    string
	options []trace.TracerOption
}

// Start implements trace.Tracer.
func (s *serviceTracer) Start(ctx context.Context, span string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	provider := s.by.tracing.Provider(s.by.serviceOf("/" + strings.TrimPrefix(span, "/")))
	return provider.Tracer(s.name, s.options...).Start(ctx, span, options...)
}

// Inherited returns a provider whose spans belong to the service of the span
// that they are made in, and to fallback where there is none: for clients, which
// every service of a process shares.
func (t *Tracing) Inherited(fallback string) trace.TracerProvider {
	if !t.On() {
		return nil
	}
	return &inherited{fallback: t.Provider(fallback)}
}

type inherited struct {
	noop.TracerProvider
	fallback trace.TracerProvider
}

// Tracer implements trace.TracerProvider.
func (i *inherited) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return &inheritingTracer{from: i, name: name, options: options}
}

type inheritingTracer struct {
	noop.Tracer
	from    *inherited
	name    string
	options []trace.TracerOption
}

// Start implements trace.Tracer.
func (t *inheritingTracer) Start(ctx context.Context, span string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	provider := t.from.fallback
	if parent := trace.SpanFromContext(ctx); parent.IsRecording() {
		provider = parent.TracerProvider()
	}
	return provider.Tracer(t.name, t.options...).Start(ctx, span, options...)
}
