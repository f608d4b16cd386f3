package rpc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dibrain/dibrain/pkg/rpc"
)

// TestHealthIsWhatIsKnown: whatever came before, a probe of a service is told whether
// the server takes calls and the service can answer, and one of the process whether all
// can.
func TestHealthIsWhatIsKnown(t *testing.T) {
	t.Parallel()
	server, conn := serve(t, &fake{}, rpc.ServerConfig{}, rpc.ServerDeps{Gate: localGate(nil)}, rpc.ClientDeps{})
	const fixsql, router = "dibrain.fixsql.v1.FixSQLService", "dibrain.router.v1.RouterService"
	services := []string{fixsql, router}
	serving, unready := true, map[string]bool{}
	server.SetServing(true)
	health := healthv1.NewHealthClient(conn)
	check := func(service string, want bool) {
		t.Helper()
		got, err := health.Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
		require.NoError(t, err)
		require.Equal(t, want, got.GetStatus() == healthv1.HealthCheckResponse_SERVING, "%q; serving %t, not ready %v", service, serving, unready)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		if random.IntN(4) == 0 {
			serving = random.IntN(2) == 0
			server.SetServing(serving)
		} else {
			service, ready := services[random.IntN(2)], random.IntN(2) == 0
			delete(unready, service)
			if !ready {
				unready[service] = true
			}
			server.SetReady(service, ready)
		}
		check("", serving && len(unready) == 0)
		for _, s := range services {
			check(s, serving && !unready[s])
		}
	}
}
