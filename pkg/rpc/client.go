package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// keepaliveEvery is how often an idle connection is probed.
const keepaliveEvery = 30 * time.Second

// firstBackoff is the pause after the first failure to connect; they grow from it to
// ClientConfig.MaxBackoff.
const firstBackoff = 100 * time.Millisecond

// ClientConfig holds the limits of a client. Zero values mean the defaults.
type ClientConfig struct {
	// ReadyTimeout is how long a call waits for a connection.
	ReadyTimeout time.Duration
	// MaxBackoff is the longest pause between two tries to connect. gRPC's own, two
	// minutes, leaves callers deaf long after a service is back.
	MaxBackoff time.Duration
	// CallTimeout is the deadline of a call whose context has none.
	CallTimeout time.Duration
	// MaxResponseBytes bounds an answer.
	MaxResponseBytes int
	// RetryAttempts is how often an idempotent call is tried in all, 1 to 5.
	RetryAttempts int
	// Idempotent names further methods, "/package.Service/Method", that may be
	// tried again, beside those whose proto says NO_SIDE_EFFECTS or IDEMPOTENT.
	Idempotent []string
}

// DefaultClientConfig returns the defaults.
func DefaultClientConfig() ClientConfig {
	return ClientConfig{
		ReadyTimeout: 3 * time.Second, MaxBackoff: 2 * time.Second, CallTimeout: 2 * time.Minute, MaxResponseBytes: 16 << 20, RetryAttempts: 3,
	}
}

func (c ClientConfig) complete() ClientConfig {
	d := DefaultClientConfig()
	c.ReadyTimeout = or(c.ReadyTimeout, d.ReadyTimeout)
	c.MaxBackoff = or(c.MaxBackoff, d.MaxBackoff)
	c.CallTimeout = or(c.CallTimeout, d.CallTimeout)
	c.MaxResponseBytes = or(c.MaxResponseBytes, d.MaxResponseBytes)
	c.RetryAttempts = min(or(c.RetryAttempts, d.RetryAttempts), 5) // gRPC's own ceiling
	return c
}

// ClientDeps are what a client is made with; all may be left out.
type ClientDeps struct {
	// Hops signs the principal of the run context for each call. Service to
	// service; nil for callers from outside.
	Hops *auth.HopKey
	// SignInsFor are the services that are told by which ID token the asker signed in,
	// sealed for each, where it is known.
	SignInsFor []string
	// Token is an API token, for callers from outside.
	Token string
	// TLS is what TLSFiles.Client returned; nil speaks plaintext.
	TLS credentials.TransportCredentials
	// Tracing makes spans of calls; nil makes none.
	Tracing trace.TracerProvider
	// Options come last, such as the dialer of an in-process listener.
	Options []grpc.DialOption
}

// Dial returns a connection to target, "host:port", "dns:///name:port" or
// another gRPC target. It does not connect yet; a call does, and waits at most
// ReadyTimeout for it. Several addresses of a name share the load.
func Dial(target string, c ClientConfig, deps ClientDeps) (*grpc.ClientConn, error) {
	c = c.complete()
	if deps.Token != "" && deps.TLS == nil && !auth.IsLoopback(context.Background(), target) {
		return nil, fault.New(codes.FailedPrecondition, "TOKEN_WITHOUT_TLS",
			"An API token is not sent to "+target+" without TLS. Give the CA with tls.ca_file.")
	}
	serviceConfig, err := retryServiceConfig(c)
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if deps.TLS != nil {
		transport = deps.TLS
	}
	caller := &caller{config: c, deps: deps}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // retries and balancing are ours, not DNS's to say
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(c.MaxResponseBytes), grpc.ForceCodecV2(newValidCodec())),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: min(firstBackoff, c.MaxBackoff), Multiplier: 1.6, Jitter: 0.2, MaxDelay: c.MaxBackoff,
			},
			// An address that swallows packets is given up when no call waits for it any more.
			MinConnectTimeout: c.ReadyTimeout,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveEvery, Timeout: keepaliveEvery / 3}),
		grpc.WithChainUnaryInterceptor(caller.unary),
		grpc.WithChainStreamInterceptor(caller.stream),
	}
	if deps.Tracing != nil {
		options = append(options, grpc.WithStatsHandler(otelgrpc.NewClientHandler(
			otelgrpc.WithTracerProvider(deps.Tracing), otelgrpc.WithPropagators(Propagator()))))
	}
	conn, err := grpc.NewClient(target, append(options, deps.Options...)...)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}
	return conn, nil
}

// caller is what every call of a connection goes through.
type caller struct {
	config ClientConfig
	deps   ClientDeps
}

func (c *caller) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.config.CallTimeout)
		defer cancel()
	}
	ctx, err := c.prepare(ctx, method, cc)
	if err != nil {
		return err
	}
	ctx, spent := c.spending(ctx)
	var trailer metadata.MD
	err = invoke(ctx, method, req, reply, cc, append(opts[:len(opts):len(opts)], grpc.Trailer(&trailer))...)
	spent.settle(trailer)
	return c.inWords(err, method, cc)
}

// stream leaves the deadline to the caller: a stream's end is not seen here.
func (c *caller) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, err := c.prepare(ctx, method, cc)
	if err != nil {
		return nil, err
	}
	ctx, spent := c.spending(ctx)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		return nil, c.inWords(err, method, cc)
	}
	return &wordedStream{ClientStream: s, caller: c, method: method, cc: cc, spent: spent}, nil
}

func (c *caller) prepare(ctx context.Context, method string, cc *grpc.ClientConn) (context.Context, error) {
	if err := c.awaitReady(ctx, method, cc); err != nil {
		return nil, err
	}
	rc := run.From(ctx)
	if c.deps.Hops == nil { // a server outside of the deployment has its own clock
		rc.Now = time.Time{}
	}
	ctx = run.Outgoing(run.With(ctx, rc))
	switch p := rc.Principal; {
	case c.deps.Hops != nil && !p.IsZero():
		token, err := c.deps.Hops.Sign(p, auth.Audience(method))
		if err != nil {
			return nil, err
		}
		ctx = withOutgoing(ctx, auth.KeyHop, token)
		signIn, audience := auth.SignIn(ctx), auth.Audience(method)
		if signIn == "" || !slices.Contains(c.deps.SignInsFor, audience) {
			return ctx, nil
		}
		sealed, err := c.deps.Hops.Seal(signIn, token, audience)
		if err != nil {
			return nil, err
		}
		return withOutgoing(ctx, auth.KeySignIn, sealed), nil
	case c.deps.Token != "":
		return withOutgoing(ctx, auth.KeyAuthorization, "Bearer "+c.deps.Token), nil
	default:
		return ctx, nil
	}
}

// withOutgoing sets a key, so that nothing that was put there earlier stays.
func withOutgoing(ctx context.Context, key, value string) context.Context {
	md, ok := metadata.FromOutgoingContext(ctx) // a copy
	if !ok {
		md = metadata.MD{}
	}
	md.Set(key, value)
	return metadata.NewOutgoingContext(ctx, md)
}

// awaitReady waits for a connection, through failures to connect as happen
// while a service restarts, but not for long.
func (c *caller) awaitReady(ctx context.Context, method string, cc *grpc.ClientConn) error {
	state := cc.GetState()
	if state == connectivity.Ready {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, c.config.ReadyTimeout)
	defer cancel()
	for state != connectivity.Ready {
		if state == connectivity.Shutdown {
			return c.unreachable(method, cc, errors.New("the connection is closed"))
		}
		cc.Connect()
		if !cc.WaitForStateChange(waiting, state) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return c.unreachable(method, cc, fmt.Errorf("not connected within %s", c.config.ReadyTimeout))
		}
		state = cc.GetState()
	}
	return nil
}

// ReasonServiceUnreachable is the reason of the error about a service that is not
// there; an error that a service returns has another.
const ReasonServiceUnreachable = "SERVICE_UNREACHABLE"

// inWords turns what the transport says when a server is away into our error.
// What a server said itself has details and passes.
func (c *caller) inWords(err error, method string, cc *grpc.ClientConn) error {
	if err == nil {
		return nil
	}
	var told interface{ GRPCStatus() *status.Status }
	if errors.As(err, &told) { // without what gRPC adds of its own tries
		err = told.GRPCStatus().Err()
	}
	if status.Code(err) != codes.Unavailable {
		return err
	}
	if st, _ := status.FromError(err); len(st.Details()) > 0 {
		return err
	}
	return c.unreachable(method, cc, err)
}

// unreachable names the address to callers from outside, who chose it; what a
// service calls is no news for its callers, so the log has it.
func (c *caller) unreachable(method string, cc *grpc.ClientConn, cause error) error {
	service := auth.Audience(method)
	text := fmt.Sprintf("The service %s does not answer. Try again in a moment; "+
		"whoever operates DI-Brain should check that it runs at the configured address.", service)
	if c.deps.Hops == nil {
		text = fmt.Sprintf("Nothing answers for %s at %s. Check the address, and that the server runs there.",
			service, strings.TrimPrefix(cc.Target(), "dns:///"))
	}
	f := fault.New(codes.Unavailable, ReasonServiceUnreachable, text, "service", service)
	f.RetryAfter = time.Second
	return f.Because(fmt.Errorf("call %s at %s: %w", method, cc.Target(), cause))
}

type wordedStream struct {
	grpc.ClientStream
	caller *caller
	method string
	cc     *grpc.ClientConn
	spent  spending
}

func (s *wordedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil { // its end, in most cases; there is a trailer then
		s.spent.settle(s.Trailer())
		s.spent = spending{}
	}
	return s.caller.inWords(err, s.method, s.cc)
}
