package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/telemetry"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

const findataService = "dibrain.findata.v1.FindDataService"

// probed is a server with one service, and readiness over it.
func probed(t *testing.T, ask func(context.Context) error) (*App, func(service string) healthv1.HealthCheckResponse_ServingStatus) {
	t.Helper()
	server, err := rpc.NewServer(rpc.ServerConfig{}, rpc.ServerDeps{Gate: auth.Gate{}, Held: true})
	require.NoError(t, err)
	for _, name := range []string{findataService, "dibrain.chatbi.v1.ChatBIService"} {
		server.RegisterService(&grpc.ServiceDesc{ServiceName: name}, nil)
	}
	a := &App{outer: server}
	a.metrics, err = telemetry.StartMetrics(t.Context(), telemetry.Config{Getenv: func(string) string { return "" }})
	require.NoError(t, err)
	a.ready = newReadiness(slog.New(slog.DiscardHandler), a.servers, a.metrics.Set())
	a.ready.add("findata", ask, findataService)
	pipe := rpc.NewPipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(pipe) }()
	conn, err := rpc.Dial(rpc.PipeTarget, rpc.ClientConfig{}, rpc.ClientDeps{Options: []grpc.DialOption{pipe.Dialer()}})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = server.Stop(context.Background())
		require.NoError(t, <-served)
	})
	return a, func(service string) healthv1.HealthCheckResponse_ServingStatus {
		response, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err)
		return response.GetStatus()
	}
}

func (a *App) probe() (int, string) {
	w := httptest.NewRecorder()
	a.adminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestHealthSaysWhatAModuleSaysOfItself(t *testing.T) {
	t.Parallel()
	const serving, not = healthv1.HealthCheckResponse_SERVING, healthv1.HealthCheckResponse_NOT_SERVING
	said := errors.New("its index is being made")
	a, health := probed(t, func(context.Context) error { return said })
	state := func(s string) float64 {
		value, known := metertest.Read(t, a.metrics.Gatherer())[`dibrain_module_state{module="findata",state="`+s+`"}`]
		require.True(t, known)
		return value
	}

	code, text := a.probe()
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "not ready", text)
	require.Equal(t, not, health(findataService), "before anything was asked")

	a.ready.look(t.Context())
	a.ready.set(true)
	code, text = a.probe()
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "not ready\nfindata is not ready: its index is being made", text)
	require.Equal(t, not, health(findataService))
	require.Equal(t, not, health(""))
	require.Equal(t, serving, health("dibrain.chatbi.v1.ChatBIService"), "the other service can answer")
	require.Equal(t, []float64{0, 0, 1}, []float64{state("ready"), state("degraded"), state("not_ready")})

	said = rpc.Degraded(errors.New("one search server is away"))
	a.ready.look(t.Context())
	code, text = a.probe()
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "ready\nfindata is degraded: one search server is away", text)
	require.Equal(t, serving, health(findataService))
	require.Equal(t, []float64{0, 1, 0}, []float64{state("ready"), state("degraded"), state("not_ready")})

	said = nil
	a.ready.look(t.Context())
	code, text = a.probe()
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "ready", text)
	require.Equal(t, serving, health(""))
	require.Equal(t, []float64{1, 0, 0}, []float64{state("ready"), state("degraded"), state("not_ready")})

	a.ready.set(false)
	code, _ = a.probe()
	require.Equal(t, http.StatusServiceUnavailable, code, "it drains")
	require.Equal(t, not, health(findataService))
}

// TestEachCheckOfAServiceHasToServe: two parts decide over one service, in either order.
func TestEachCheckOfAServiceHasToServe(t *testing.T) {
	t.Parallel()
	const serving, not = healthv1.HealthCheckResponse_SERVING, healthv1.HealthCheckResponse_NOT_SERVING
	var service, store error
	a, health := probed(t, func(context.Context) error { return service })
	a.ready.add("preferences-store", func(context.Context) error { return store }, findataService)
	a.ready.set(true)
	away := errors.New("away")
	for _, of := range []struct {
		service, store error
		want           healthv1.HealthCheckResponse_ServingStatus
	}{{nil, nil, serving}, {away, nil, not}, {nil, away, not}, {away, rpc.Degraded(away), not}, {nil, rpc.Degraded(away), serving}} {
		service, store = of.service, of.store
		a.ready.look(t.Context())
		require.Equal(t, of.want, health(findataService), "%v", of)
	}
}

func TestAModuleThatDoesNotAnswerIsNotReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		release := make(chan struct{})
		r := newReadiness(slog.New(slog.DiscardHandler), func() []*rpc.Server { return nil }, nil)
		r.add("findata", func(context.Context) error { asked.Add(1); <-release; return nil })
		r.set(true)
		r.look(t.Context())
		ready, lines := r.report()
		require.False(t, ready)
		require.Equal(t, []string{"findata is not ready: no answer within 5s"}, lines)
		r.look(t.Context())
		require.EqualValues(t, 1, asked.Load(), "a part that hangs is not asked again and again")
		close(release)
		synctest.Wait()
		r.look(t.Context())
		ready, _ = r.report()
		require.True(t, ready)
	})
}
