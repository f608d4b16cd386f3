package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dibrain/dibrain/pkg/rpc"
)

// adminTimeout bounds one request to the admin port.
const adminTimeout = 10 * time.Second

// liveness is the name by which gRPC health tells that the process lives, whatever its
// services can do.
const liveness = "liveness"

// startAdmin opens the HTTP port for operators: /healthz says that the process
// lives, /readyz that it takes calls, /metrics what it did. It speaks gRPC health too,
// without TLS, which the probes of Kubernetes do not speak.
func startAdmin(ctx context.Context, a *App) error {
	if a.headless || a.config.Admin.Listen == "" {
		return nil
	}
	if err := a.registerProcessMetrics(ctx); err != nil {
		return err
	}
	l, err := rpc.Listen(ctx, a.config.Admin.Listen, "--admin-listen")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: a.adminHandler(), ReadHeaderTimeout: adminTimeout, ReadTimeout: adminTimeout, WriteTimeout: adminTimeout,
		Protocols: new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	// Closed last, so that probes can see the process drain.
	a.closers.add("admin listener", func() error { return errors.Join(server.Close(), ignoreClosed(l.Close)()) })
	a.opened = append(a.opened, Address{What: "admin", Addr: l.Addr()})
	a.serving = append(a.serving, func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve the admin port: %w", err)
		}
		return nil
	})
	return nil
}

func (a *App) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		ready, lines := a.ready.report()
		word := "ready"
		if !ready {
			word = "not ready"
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprintln(w, strings.Join(append([]string{word}, lines...), "\n"))
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics.Gatherer(), promhttp.HandlerOpts{
		Timeout: adminTimeout, EnableOpenMetrics: true, // which has exemplars
	}))
	probes := grpc.NewServer(grpc.MaxRecvMsgSize(maxProbeBytes))
	healthv1.RegisterHealthServer(probes, portHealth{HealthServer: a.outer.Health()})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			probes.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// maxProbeBytes bounds the request of a probe, which is one name.
const maxProbeBytes = 4 << 10

// portHealth is the health of the gRPC port, and liveness.
type portHealth struct{ healthv1.HealthServer }

// Check implements grpc.health.v1.Health.
func (p portHealth) Check(ctx context.Context, r *healthv1.HealthCheckRequest) (*healthv1.HealthCheckResponse, error) {
	if r.GetService() == liveness {
		return &healthv1.HealthCheckResponse{Status: healthv1.HealthCheckResponse_SERVING}, nil
	}
	return p.HealthServer.Check(ctx, r)
}

func (a *App) registerProcessMetrics(ctx context.Context) error {
	a.meter.Build(ctx, a.options.Version, runtime.Version())
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := a.metrics.Others().Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}
