package e2e

import (
	"context"
	"encoding/hex"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

// collector receives spans over OTLP, as an OpenTelemetry collector does.
type collector struct {
	collectorv1.UnimplementedTraceServiceServer
	mu    sync.Mutex
	spans []span
	addr  string
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &collector{addr: listener.Addr().String()}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	go server.Serve(listener) // ends with Stop
	t.Cleanup(server.Stop)
	return c
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
