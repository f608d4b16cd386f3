package app

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dibrain/dibrain/internal/config"
)

// TestAnUnwellServiceIsTold: its own health is NOT_SERVING, the process stays ready
// and says what is wrong, until it is well again.
func TestAnUnwellServiceIsTold(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.DataDir, cfg.Admin.Listen = t.TempDir(), ""
	local, err := InProcess(t.Context(), cfg, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, local.Close()) })
	a := local.app
	a.registry = prometheus.NewRegistry()
	const name = "dibrain.chatbi.v1.ChatBIService"
	health := func(service string) healthv1.HealthCheckResponse_ServingStatus {
		response, err := healthv1.NewHealthClient(local.Conn()).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err)
		return response.GetStatus()
	}
	ready := func() (int, string) {
		recorder := httptest.NewRecorder()
		a.adminHandler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
		return recorder.Code, recorder.Body.String()
	}
	require.Eventually(t, func() bool { code, _ := ready(); return code == http.StatusOK }, hangs, 1e6)
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, health(name))

	a.look(ChatBI, name, errors.New("source demo: 1 processes have not ended"))
	require.Equal(t, healthv1.HealthCheckResponse_NOT_SERVING, health(name))
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, health("dibrain.router.v1.RouterService"))
	code, text := ready()
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "degraded: chatbi: source demo")

	a.look(ChatBI, name, nil)
	require.Equal(t, healthv1.HealthCheckResponse_SERVING, health(name))
	_, text = ready()
	require.NotContains(t, text, "degraded")
}

// hangs is how long something may take on a machine that is busy.
const hangs = 60e9
