package e2e

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// TestTrace checks the edges of the trace that leaves the processes by OTLP, and that
// metrics and log lines leave them too and lead to it.
func TestTrace(t *testing.T) {
	t.Parallel()
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		spans := startCollector(t)
		c := start(t, freshDemo(t),
			"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+spans.addr,
			"OTEL_EXPORTER_OTLP_INSECURE=true", "OTEL_BSP_SCHEDULE_DELAY=100", "OTEL_BLRP_SCHEDULE_DELAY=100", "OTEL_METRIC_EXPORT_INTERVAL=200")
		a := c.ask(&routerv1.Turn{Question: "What was the GMV in Singapore yesterday?"})
		methods := []string{
			"dibrain.findata.v1.FindDataService", "dibrain.text2sql.v1.Text2SQLService", "dibrain.chatbi.v1.ChatBIService",
		}
		serverSpan := func(all []span, service string) *span {
			for i, s := range all {
				if s.attributes["rpc.service"] == service || (len(s.name) > len(service) && s.name[:len(service)] == service) {
					// The client and the server have a span each; the server's has the
					// client's as its parent.
					for _, parent := range all {
						if parent.id == s.parent && parent.name == s.name {
							return &all[i]
						}
					}
				}
			}
			return nil
		}
		all := spans.ofRun(t, a.GetRunId(), func(found []span) bool {
			return spanOf(found, "chatbi.run") != nil && !slices.ContainsFunc(methods, func(m string) bool { return serverSpan(found, m) == nil })
		})
		byID := make(map[string]span, len(all))
		byRun := make(map[string]span, len(all))
		for _, s := range all {
			byID[s.id] = s
			if id := s.attributes["run_id"]; id != "" {
				byRun[id] = s
			}
		}
		for _, method := range methods {
			server := serverSpan(all, method)
			reached := false
			for up, ok := byID[server.parent]; ok; up, ok = byID[up.parent] {
				reached = reached || up.attributes["run_id"] == a.GetRunId()
			}
			require.True(t, reached, "%s is not below the run's span", method)
		}
		// parent_run_id says the same as the spans' own edges do: the parent run's
		// span is among a span's ancestors.
		edges := 0
		for _, s := range all {
			parentRun, ok := byRun[s.attributes["parent_run_id"]]
			if !ok {
				continue
			}
			edges++
			reached := false
			for up, ok := byID[s.parent]; ok; up, ok = byID[up.parent] {
				reached = reached || up.id == parentRun.id
			}
			require.True(t, reached, "%s has parent_run_id %s, whose span is not its ancestor", s.name, s.attributes["parent_run_id"])
			require.Equal(t, a.GetSessionId(), s.attributes["session_id"], s.name)
		}
		require.Greater(t, edges, 6)

		// The engine's statement is at the end of the tree: chat BI ran it, for a call of
		// the router, in the turn.
		statement := spanOf(all, "chatbi.run")
		require.Equal(t, "dibrain-chatbi", statement.service)
		for _, key := range []string{"run_id", "parent_run_id", "tool_call_id"} {
			require.NotEmpty(t, statement.attributes[key], key)
		}
		above := []string{}
		for up, ok := byID[statement.parent]; ok; up, ok = byID[up.parent] {
			if len(above) == 0 || above[len(above)-1] != up.service {
				above = append(above, up.service)
			}
		}
		require.Equal(t, []string{"dibrain-chatbi", "dibrain-router"}, above)

		// What was measured arrives too, and the log lines of the turn.
		router, chatbi, process := "dibrain-router", "dibrain-chatbi", c.processes["router"]
		if process == nil {
			router, chatbi, process = "dibrain-all", "dibrain-all", c.processes["all"]
		}
		spans.measured(t, router, "dibrain.turn.seconds")
		spans.measured(t, router, "dibrain.dependency.seconds")
		spans.measured(t, router, "go_goroutines")
		spans.measured(t, chatbi, "dibrain.engine.seconds")
		require.Equal(t, statement.trace, spans.logged(t, router, map[string]string{"method": "dibrain.router.v1.RouterService/Ask", "session_id": a.GetSessionId()}))

		// A histogram on the Prometheus endpoint names the trace as its exemplar.
		require.Contains(t, scrape(t, process), `trace_id="`+statement.trace+`"`)
		labelsAreBounded(t, scrape(t, process))
	})
}

func spanOf(all []span, name string) *span {
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// scrape reads the metrics of a process, with exemplars.
func scrape(t *testing.T, p *process) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.admin+"/metrics", nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// labelsAreBounded holds what a process shows against the definitions: each series of the
// product has the labels of its instrument, with values that they may have.
func labelsAreBounded(t *testing.T, text string) {
	t.Helper()
	known := map[string]meter.Definition{}
	for _, d := range meter.Definitions() {
		for _, name := range d.Prometheus() {
			known[name] = d
		}
	}
	series := regexp.MustCompile(`^(dibrain_[a-z_]+)(?:\{([^}]*)\})? `)
	label := regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
	seen := 0
	for line := range strings.Lines(text) {
		m := series.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seen++
		d, ok := known[m[1]]
		require.True(t, ok, "%s is in no definition", m[1])
		for _, pair := range label.FindAllStringSubmatch(m[2], -1) {
			key, value := pair[1], pair[2]
			if key == "le" {
				continue
			}
			at := slices.IndexFunc(d.Labels, func(l meter.Label) bool { return l.Key == key })
			require.GreaterOrEqual(t, at, 0, "%s has the label %s", m[1], key)
			if values := d.Labels[at].Values; len(values) > 0 {
				require.Contains(t, append(slices.Clone(values), meter.Other), value, "%s{%s}", m[1], key)
			}
			require.NotRegexp(t, `(?i)select|orders|gmv`, value, "%s{%s}", m[1], key)
		}
	}
	require.Greater(t, seen, 50)
}

// TestReflection does what `grpcurl list` and `describe` do.
func TestReflection(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t))
	conn := dial(t, c.router)
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	call := func(request *grpc_reflection_v1.ServerReflectionRequest) *grpc_reflection_v1.ServerReflectionResponse {
		require.NoError(t, stream.Send(request))
		response, err := stream.Recv()
		require.NoError(t, err)
		return response
	}
	var names []string
	for _, s := range call(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{ListServices: "*"},
	}).GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	require.Subset(t, names, []string{
		"dibrain.router.v1.RouterService", "dibrain.findata.v1.FindDataService", "dibrain.findata.v1.CatalogService",
		"dibrain.text2sql.v1.Text2SQLService", "dibrain.fixsql.v1.FixSQLService", "dibrain.chatbi.v1.ChatBIService",
		"grpc.health.v1.Health",
	})
	files := call(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "dibrain.router.v1.RouterService"},
	}).GetFileDescriptorResponse().GetFileDescriptorProto()
	found := false
	for _, raw := range files {
		var file descriptorpb.FileDescriptorProto
		require.NoError(t, proto.Unmarshal(raw, &file))
		for _, service := range file.GetService() {
			for _, method := range service.GetMethod() {
				found = found || method.GetName() == "Ask"
			}
		}
	}
	require.True(t, found, "reflection does not describe RouterService.Ask")

	for _, service := range append(names[:0:0], "", "dibrain.router.v1.RouterService") {
		response, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err)
		require.Equal(t, healthv1.HealthCheckResponse_SERVING, response.GetStatus())
	}
}

// TestAskByJSON calls Ask the way grpcurl does: by name, without generated stubs.
func TestAskByJSON(t *testing.T) {
	t.Parallel()
	c := monolith(t, freshDemo(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var response routerv1.AskResponse
	err := dial(t, c.router).Invoke(ctx, "/dibrain.router.v1.RouterService/Ask",
		&routerv1.AskRequest{Turn: &routerv1.Turn{Question: "How many orders were there in Singapore yesterday?"}}, &response, grpc.WaitForReady(true))
	require.NoError(t, err)
	require.Len(t, executed(t, response.GetAnswer()).GetPage().GetRows(), 1)
}
