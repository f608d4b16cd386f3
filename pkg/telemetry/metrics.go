package telemetry

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/otlptranslator"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// maxSeries bounds the series of one instrument: what is beyond is counted in one that
// has the label otel_metric_overflow. The labels of the product's instruments have few
// values each; this holds where an operator has thousands of sources or models.
const maxSeries = 2000

// Metrics are the instruments of a process and where they go: a Prometheus endpoint, and
// an OTLP receiver where the OTEL_* variables name one.
type Metrics struct {
	set      *meter.Set
	provider *sdkmetric.MeterProvider
	own      *prometheus.Registry // what the instruments measured
	others   *prometheus.Registry // what client_golang knows of the runtime and the process
}

// StartMetrics makes the instruments. It connects to nothing: a receiver that is away
// costs nothing but lines in the log.
func StartMetrics(ctx context.Context, c Config) (*Metrics, error) {
	m := &Metrics{own: prometheus.NewRegistry(), others: prometheus.NewRegistry()}
	// There is one scope, and what a process is called its scraper knows.
	scraped, err := otelprometheus.New(otelprometheus.WithRegisterer(m.own),
		otelprometheus.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes),
		otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	if err != nil {
		return nil, fmt.Errorf("make the Prometheus endpoint: %w", err)
	}
	options := []sdkmetric.Option{
		sdkmetric.WithReader(scraped), sdkmetric.WithCardinalityLimit(maxSeries),
		sdkmetric.WithResource(resourceOf(c)),
	}
	if wanted(c.Getenv, "METRICS") {
		exporter, err := newMetricExporter(ctx, c.Getenv)
		if err != nil {
			return nil, fmt.Errorf("open the metric exporter that the OTEL_* variables ask for: %w", err)
		}
		options = append(options, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter,
			sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(m.others))))))
	}
	m.provider = sdkmetric.NewMeterProvider(options...)
	if m.set, err = meter.New(m.provider); err != nil {
		return nil, errors.Join(err, m.provider.Shutdown(ctx))
	}
	return m, nil
}

// Set returns the instruments.
func (m *Metrics) Set() *meter.Set { return m.set }

// Others takes collectors of client_golang, such as those of the Go runtime.
func (m *Metrics) Others() prometheus.Registerer { return m.others }

// Gatherer returns all that there is, for a Prometheus endpoint.
func (m *Metrics) Gatherer() prometheus.Gatherer { return prometheus.Gatherers{m.own, m.others} }

// Flush sends what there is.
func (m *Metrics) Flush(ctx context.Context) error { return m.provider.ForceFlush(ctx) }

// Shutdown sends what is left. It is bounded by ctx.
func (m *Metrics) Shutdown(ctx context.Context) error { return m.provider.Shutdown(ctx) }

func newMetricExporter(ctx context.Context, getenv func(string) string) (sdkmetric.Exporter, error) {
	overGRPC, err := protocol(getenv, "METRICS")
	if err != nil {
		return nil, err
	}
	if overGRPC {
		return otlpmetricgrpc.New(ctx)
	}
	return otlpmetrichttp.New(ctx)
}
