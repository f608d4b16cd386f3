package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"buf.build/go/protovalidate"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/stats"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// ServerConfig holds the limits of a server. Zero values mean the defaults.
type ServerConfig struct {
	// MaxRequestBytes bounds a request. It is far above what the rules of the
	// messages allow, so that too long a question is told in words.
	MaxRequestBytes int
	// MaxResponseBytes bounds an answer, or one message of a stream.
	MaxResponseBytes int
	// MaxStreams bounds the calls at work on one connection.
	MaxStreams uint32
	// MaxDeadline is how long a call may take, whatever the client allows.
	MaxDeadline time.Duration
	// DrainTimeout is how long Stop waits for calls at work.
	DrainTimeout time.Duration
	// ConnectionAge makes clients reconnect, so that they find new replicas.
	ConnectionAge time.Duration
}

// DefaultServerConfig returns the defaults.
func DefaultServerConfig() ServerConfig {
	return ServerConfig{
		MaxRequestBytes: 4 << 20, MaxResponseBytes: 16 << 20, MaxStreams: 1000,
		MaxDeadline: 10 * time.Minute, DrainTimeout: 20 * time.Second, ConnectionAge: 30 * time.Minute,
	}
}

func (c ServerConfig) complete() ServerConfig {
	d := DefaultServerConfig()
	return ServerConfig{
		MaxRequestBytes:  or(c.MaxRequestBytes, d.MaxRequestBytes),
		MaxResponseBytes: or(c.MaxResponseBytes, d.MaxResponseBytes),
		MaxStreams:       or(c.MaxStreams, d.MaxStreams),
		MaxDeadline:      or(c.MaxDeadline, d.MaxDeadline),
		DrainTimeout:     or(c.DrainTimeout, d.DrainTimeout),
		ConnectionAge:    or(c.ConnectionAge, d.ConnectionAge),
	}
}

func or[T int | uint32 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// ServerDeps are what a server is made with. Gate is required; the rest may be
// left out.
type ServerDeps struct {
	Gate    auth.Gate
	Limiter *auth.Limiter
	// SignIns limits failed sign-ins; nil: nobody does.
	SignIns *auth.SignIns
	// Roles says who may make which call; nil: whoever is let in.
	Roles Roles
	// Audit takes a line for each call; nil: nobody does.
	Audit  *slog.Logger
	Logger *slog.Logger
	// Metrics counts the calls; nil: nobody does.
	Metrics *meter.Set
	Tracker *run.Tracker
	// Tracing makes spans of calls; nil makes none.
	Tracing trace.TracerProvider
	// TLS is the server's side; nil serves plaintext.
	TLS *tls.Config
	// Validator checks requests; nil makes one. A process shares one, since it
	// remembers the rules of every message that it has seen.
	Validator protovalidate.Validator
	// CallersOperate says that whoever calls runs this process too, and so may read
	// what errors have for operators, such as paths.
	CallersOperate bool
	// Held keeps health at NOT_SERVING until SetServing, for processes that have to
	// prepare something while they listen already.
	Held bool
}

// Server is a gRPC server with the chain, health and reflection.
type Server struct {
	grpc   *grpc.Server
	health *health.Server
	config ServerConfig
	held   bool
	once   sync.Once

	mu      sync.Mutex
	serving bool
	unready map[string]bool // services that cannot answer now

	// stopping ends, with ErrStopping, when the time of the drain is up.
	stopping context.Context
	endCalls context.CancelCauseFunc
}

// NewServer makes a server. Register services, then call Serve.
func NewServer(c ServerConfig, deps ServerDeps) (*Server, error) {
	c = c.complete()
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Tracker == nil {
		deps.Tracker = &run.Tracker{}
	}
	if deps.Validator == nil {
		v, err := protovalidate.New()
		if err != nil {
			return nil, fmt.Errorf("make the validator of requests: %w", err)
		}
		deps.Validator = v
	}
	stopping, endCalls := context.WithCancelCause(context.Background())
	options, err := Chain(
		metricsLink(deps.Metrics),
		auditLink(deps.Audit),
		logLink(deps.Logger),
		outcomeLink(),
		maskLink(deps.Logger, runIDFor(deps.Tracker.NewID), deps.CallersOperate),
		recoveryLink(),
		stoppingLink(stopping),
		runLink(deps.Tracker),
		budgetLink(),
		authLink(deps.Gate, deps.Limiter, deps.SignIns),
		tablesLink(),
		roleLink(deps.Roles),
		deadlineLink(c.MaxDeadline),
		validateLink(deps.Validator),
		sizeLink(c.MaxResponseBytes),
	)
	if err != nil {
		endCalls(nil)
		return nil, err
	}
	options = append(options,
		grpc.ForceServerCodecV2(newValidCodec()),
		grpc.MaxRecvMsgSize(c.MaxRequestBytes),
		grpc.MaxSendMsgSize(c.MaxResponseBytes),
		grpc.MaxConcurrentStreams(c.MaxStreams),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: c.ConnectionAge, MaxConnectionAgeGrace: c.MaxDeadline}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveEvery / 2, PermitWithoutStream: true}),
		grpc.WaitForHandlers(true),
	)
	if deps.Tracing != nil {
		options = append(options, grpc.StatsHandler(otelgrpc.NewServerHandler(
			otelgrpc.WithTracerProvider(deps.Tracing), otelgrpc.WithPropagators(Propagator()),
			otelgrpc.WithFilter(func(i *stats.RPCTagInfo) bool { return !isOpen(i.FullMethodName) }))))
	}
	if deps.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(deps.TLS)))
	}
	s := &Server{
		grpc: grpc.NewServer(options...), health: health.NewServer(), config: c, held: deps.Held,
		unready:  make(map[string]bool),
		stopping: stopping, endCalls: endCalls,
	}
	healthv1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc) // v1 and v1alpha
	return s, nil
}

// Propagator returns the W3C trace context and baggage.
func Propagator() propagation.TextMapPropagator {
	return propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
}

// RegisterService implements grpc.ServiceRegistrar. The service is NOT_SERVING
// until Serve.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	s.grpc.RegisterService(desc, impl)
	s.SetServing(false)
}

// Serve accepts connections until Stop. It may be called for several listeners.
func (s *Server) Serve(l net.Listener) error {
	if !s.held {
		s.SetServing(true)
	}
	if err := s.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve gRPC on %s: %w", l.Addr(), err)
	}
	return nil
}

// Stop turns health to NOT_SERVING, takes no more calls, lets those at work end
// within DrainTimeout and cancels what is left then, with the cause ErrStopping:
// its handlers have a moment to say what there is. It returns how it went: nil when
// everything had ended by itself.
func (s *Server) Stop(ctx context.Context) error {
	var err error
	s.once.Do(func() { err = s.stop(ctx) })
	return err
}

func (s *Server) stop(ctx context.Context) error {
	s.health.Shutdown()
	ctx, cancel := context.WithTimeout(ctx, s.config.DrainTimeout)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.grpc.GracefulStop()
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
	}
	s.endCalls(ErrStopping)
	select {
	case <-drained:
		return fmt.Errorf("calls still at work after %s were cancelled", s.config.DrainTimeout)
	case <-time.After(handlerGrace):
	}
	// Stop waits for handlers to return; one that does not heed its context must
	// not hold the process up.
	go s.grpc.Stop()
	select {
	case <-drained:
	case <-time.After(handlerGrace):
	}
	return fmt.Errorf("calls still at work after %s did not heed their cancellation", s.config.DrainTimeout)
}

// handlerGrace is how long a cancelled handler has to return.
const handlerGrace = 2 * time.Second
