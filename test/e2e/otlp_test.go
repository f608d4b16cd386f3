package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	logsv1 "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricsv1 "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonotlp "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/grpc"
)

// span is what the tests need of an exported span.
type span struct {
	trace, id, parent string
	name, service     string
	attributes        map[string]string
}

// logged is what the tests need of an exported log line.
type logged struct {
	trace, service string
	attributes     map[string]string
}

// collector receives spans, metrics and log lines over OTLP: itself, or what an OpenTelemetry
// Collector that stands before it hands on.
type collector struct {
	collectorv1.UnimplementedTraceServiceServer
	addr string

	mu      sync.Mutex
	spans   []span
	metrics map[string]bool // "service metric"
	lines   []logged
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &collector{addr: listener.Addr().String(), metrics: map[string]bool{}}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	metricsv1.RegisterMetricsServiceServer(server, metricsOf{collector: c})
	logsv1.RegisterLogsServiceServer(server, logsOf{collector: c})
	go server.Serve(listener) // ends with Stop
	t.Cleanup(server.Stop)
	if program := os.Getenv(otelcol); program != "" {
		c.addr = standBefore(t, program, c.addr)
	}
	return c
}

// otelcol names the program of tools/otelcol, an OpenTelemetry Collector.
const otelcol = "DIBRAIN_TEST_OTELCOL"

// standBefore starts a collector that hands on to an address what it takes at the one that is
// returned.
func standBefore(t *testing.T, program, to string) string {
	t.Helper()
	address, settings := freeAddress(t), filepath.Join(t.TempDir(), "otelcol.yaml")
	pipe := "{receivers: [otlp], exporters: [otlp_grpc]}"
	require.NoError(t, os.WriteFile(settings, fmt.Appendf(nil, `receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}, sending_queue: {batch: {flush_timeout: 50ms}}}}
service: {telemetry: {metrics: {level: none}}, pipelines: {traces: %[3]s, metrics: %[3]s, logs: %[3]s}}
`, address, to, pipe), 0o600))
	command, log := exec.Command(program, "--config", settings), &lockedBuffer{}
	command.Stdout, command.Stderr = log, log
	require.NoError(t, command.Start())
	t.Cleanup(func() { _, _ = command.Process.Kill(), command.Wait() })
	require.Eventually(t, func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		return err == nil && conn.Close() == nil
	}, time.Minute, 50*time.Millisecond, "the collector does not listen:\n%s", log)
	return address
}

// Export implements the OTLP trace service.
func (c *collector) Export(_ context.Context, request *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		service := attributesOf(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{
					trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()),
					parent: hex.EncodeToString(s.GetParentSpanId()), name: s.GetName(), service: service,
					attributes: attributesOf(s.GetAttributes()),
				})
			}
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// metricsOf is the OTLP metrics service of a collector.
type metricsOf struct {
	metricsv1.UnimplementedMetricsServiceServer
	collector *collector
}

// Export implements the OTLP metrics service.
func (m metricsOf) Export(_ context.Context, request *metricsv1.ExportMetricsServiceRequest) (*metricsv1.ExportMetricsServiceResponse, error) {
	m.collector.mu.Lock()
	defer m.collector.mu.Unlock()
	for _, resource := range request.GetResourceMetrics() {
		service := attributesOf(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeMetrics() {
			for _, metric := range scope.GetMetrics() {
				m.collector.metrics[service+" "+metric.GetName()] = true
			}
		}
	}
	return &metricsv1.ExportMetricsServiceResponse{}, nil
}

// logsOf is the OTLP logs service of a collector.
type logsOf struct {
	logsv1.UnimplementedLogsServiceServer
	collector *collector
}

// Export implements the OTLP logs service.
func (l logsOf) Export(_ context.Context, request *logsv1.ExportLogsServiceRequest) (*logsv1.ExportLogsServiceResponse, error) {
	l.collector.mu.Lock()
	defer l.collector.mu.Unlock()
	for _, resource := range request.GetResourceLogs() {
		service := attributesOf(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeLogs() {
			for _, line := range scope.GetLogRecords() {
				l.collector.lines = append(l.collector.lines, logged{
					trace: hex.EncodeToString(line.GetTraceId()), service: service, attributes: attributesOf(line.GetAttributes()),
				})
			}
		}
	}
	return &logsv1.ExportLogsServiceResponse{}, nil
}

// measured waits for a metric of a service.
func (c *collector) measured(t *testing.T, service, metric string) {
	t.Helper()
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.metrics[service+" "+metric]
	}, 20*time.Second, 50*time.Millisecond, "%s of %s did not arrive", metric, service)
}

// logged waits for a log line of a service with these attributes, and returns its trace.
func (c *collector) logged(t *testing.T, service string, attributes map[string]string) (trace string) {
	t.Helper()
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, line := range c.lines {
			has := line.service == service
			for key, value := range attributes {
				has = has && line.attributes[key] == value
			}
			if has {
				trace = line.trace
				return true
			}
		}
		return false
	}, 20*time.Second, 50*time.Millisecond, "no line of %s has %v", service, attributes)
	return trace
}

func attributesOf(list []*commonotlp.KeyValue) map[string]string {
	attributes := make(map[string]string, len(list))
	for _, kv := range list {
		attributes[kv.GetKey()] = kv.GetValue().GetStringValue()
	}
	return attributes
}

// ofRun returns the spans of the trace that a run belongs to, once want says
// that they are complete.
func (c *collector) ofRun(t *testing.T, runID string, want func([]span) bool) []span {
	t.Helper()
	var found []span
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		found = nil
		trace := ""
		for _, s := range c.spans {
			if s.attributes["run_id"] == runID {
				trace = s.trace
			}
		}
		for _, s := range c.spans {
			if trace != "" && s.trace == trace {
				found = append(found, s)
			}
		}
		return want(found)
	}, 20*time.Second, 50*time.Millisecond, "the spans of %s did not arrive", runID)
	return found
}
