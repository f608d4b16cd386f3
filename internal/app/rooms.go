package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"
)

// startIdentity finds out how callers are known.
func startIdentity(_ context.Context, a *App) (err error) {
	key, err := a.hopKeyBytes()
	if err != nil {
		return misconfigured(err)
	}
	if a.hops, err = auth.NewHopKey(key, a.options.Clock); err != nil {
		return misconfigured(err)
	}
	// A process without a port serves its own user, whatever the mode.
	if a.headless || auth.Mode(a.config.Auth.Mode) == auth.ModeLocal {
		a.edge, err = auth.LocalUser()
		return err
	}
	a.edge, err = auth.OpenTokenFile(a.config.Auth.TokenFile, a.options.Clock, a.options.Logger)
	return misconfigured(err)
}

func (a *App) hopKeyBytes() ([]byte, error) {
	if key, err := configuredKey(a.config.Auth); key != nil || err != nil {
		return key, err
	}
	return auth.EnsureKey(a.config.DataDir, a.options.Random)
}

// configuredKey returns the hop key that the configuration gives, nil when it
// leaves that to the data directory.
func configuredKey(c config.Auth) ([]byte, error) {
	switch {
	case c.HopKey != "":
		return []byte(c.HopKey.Reveal()), nil
	case c.HopKeyFile != "":
		return auth.ReadKey(c.HopKeyFile)
	default:
		return nil, nil
	}
}

// verifyHopKey reads the key that the configuration gives, or the one that is in the
// data directory already; it makes none.
func verifyHopKey(c config.Config) error {
	key, err := configuredKey(c.Auth)
	if err != nil {
		return err
	}
	if key == nil {
		if _, err := os.Stat(filepath.Join(c.DataDir, auth.KeyFileName)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if key, err = auth.EnsureKey(c.DataDir, nil); err != nil {
			return err
		}
	}
	_, err = auth.NewHopKey(key, nil)
	return err
}

// verifyFiles reads the files that the configuration names.
func verifyFiles(c config.Config) error {
	var errs []error
	errs = append(errs, verifyHopKey(c))
	if c.Auth.TokenFile != "" {
		_, err := auth.OpenTokenFile(c.Auth.TokenFile, nil, nil)
		errs = append(errs, err)
	}
	if c.Policy.File != "" {
		_, err := policy.Open(c.Policy.File, nil, nil)
		errs = append(errs, err)
	}
	if c.LLM.APIKeyFile != "" {
		_, err := modelKey(c.LLM)()
		errs = append(errs, err)
	}
	if file := c.Router.Config.AgentsFile; file != "" {
		_, err := readAgents(file)
		errs = append(errs, err)
	}
	files := rpc.TLSFiles{CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile, CAFile: c.TLS.ClientCAFile}
	_, err := files.Server()
	errs = append(errs, err)
	files.CAFile = c.TLS.CAFile
	_, err = files.Client(c.TLS.ServerName)
	return misconfigured(errors.Join(append(errs, err)...))
}

// misconfigured makes a fault of an error that was written for operators, so
// that the command line shows it and ends with the code for bad input.
func misconfigured(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(codes.FailedPrecondition, "CONFIG_INVALID", err.Error()).Because(err)
}

// startSources opens what the services read: the sources, and the policy that says
// who may read what of them.
func startSources(_ context.Context, a *App) (err error) {
	if file := a.config.Policy.File; file != "" {
		if a.policy, err = policy.Open(file, a.options.Clock, a.options.Logger); err != nil {
			return misconfigured(err)
		}
	}
	a.sources, err = source.Open(a.config.DataDir, source.WithClock(a.options.Clock))
	return err
}

// demoEvery is how often a server looks whether a new day needs a new demo
// warehouse.
const demoEvery = 10 * time.Minute

// startDemo keeps the demo warehouse at today's date while the process serves,
// when it is what is asked by default.
func startDemo(_ context.Context, a *App) error {
	if a.config.Source != demo.Name || a.headless {
		return nil
	}
	a.preparations = append(a.preparations, func(ctx context.Context) {
		if _, err := a.sources.Current(demo.Name); fault.ReasonOf(err) != source.ReasonUnknown {
			return // yesterday's answers while today's is made
		}
		a.options.Logger.Info("making the demo warehouse; this happens once")
		if err := a.EnsureDemo(ctx, nil); err != nil && ctx.Err() == nil {
			a.options.Logger.Error("the demo warehouse could not be made", "error", err)
		}
	})
	a.tasks = append(a.tasks, func(ctx context.Context) {
		tick := time.NewTicker(demoEvery)
		defer tick.Stop()
		for {
			if err := a.EnsureDemo(ctx, nil); err != nil && ctx.Err() == nil {
				a.options.Logger.Error("the demo warehouse could not be made", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return nil
}

// EnsureDemo makes the demo warehouse where there is none of today.
func (a *App) EnsureDemo(ctx context.Context, progress demo.Progress) error {
	zone, err := time.LoadLocation(a.config.Router.Config.TimeZone)
	if err != nil {
		return fmt.Errorf("router.time_zone: %w", err)
	}
	_, err = demo.Ensure(ctx, a.sources, demo.Config{Today: a.options.Clock().In(zone)}, progress)
	return err
}

// startInProcess opens the server through which the services of this process
// call each other: the same chain as on the port, without a port.
func startInProcess(_ context.Context, a *App) (err error) {
	gate := auth.Gate{Hops: a.hops}
	if a.headless {
		gate.Edge = a.edge
	}
	if a.inner, err = a.newServer(rpc.ServerDeps{Gate: gate, Metrics: a.metrics}); err != nil {
		return err
	}
	a.pipe = rpc.NewPipe()
	a.serving = append(a.serving, func() error { return a.inner.Serve(a.pipe) })
	a.closers.add("in-process listener", a.pipe.Close)
	return nil
}

// startListener opens the port.
func startListener(ctx context.Context, a *App) error {
	if a.headless {
		return nil
	}
	serverTLS, err := a.tlsFiles().Server()
	if err != nil {
		return misconfigured(err)
	}
	l, err := rpc.Listen(ctx, a.config.Listen, "--listen")
	if err != nil {
		return err
	}
	a.closers.add("gRPC listener", ignoreClosed(l.Close))
	if err := auth.CheckListen(ctx, auth.Mode(a.config.Auth.Mode), l.Addr().String(), "listen"); err != nil {
		return err
	}
	limits := a.config.Limits
	a.outer, err = a.newServer(rpc.ServerDeps{
		Gate: auth.Gate{Hops: a.hops, Edge: a.edge},
		Limiter: auth.NewLimiter(auth.LimitConfig{
			PerSecond: limits.RequestsPerSecond, Burst: limits.RequestBurst, MaxPrincipals: limits.MaxPrincipals,
		}, a.options.Clock),
		Metrics: a.metrics, TLS: serverTLS,
	})
	if err != nil {
		return err
	}
	a.opened = append(a.opened, Address{What: "gRPC", Addr: l.Addr()})
	a.serving = append(a.serving, func() error { return a.outer.Serve(l) })
	return nil
}

// newServer fills in what all servers of the process share.
func (a *App) newServer(deps rpc.ServerDeps) (*rpc.Server, error) {
	deps.Logger, deps.Tracker, deps.Validator = a.options.Logger, a.tracker, a.validator
	// Also between the services of the process, which tell errors on to the caller.
	deps.CallersOperate = a.headless || auth.Mode(a.config.Auth.Mode) == auth.ModeLocal
	deps.Tracing = a.tracing.ByService(auth.Audience)
	l := a.config.Limits
	return rpc.NewServer(rpc.ServerConfig{
		MaxRequestBytes: l.MaxRequestBytes, MaxResponseBytes: l.MaxResponseBytes, MaxStreams: uint32(l.MaxStreams),
		MaxDeadline: l.MaxDeadline, DrainTimeout: l.DrainTimeout,
	}, deps)
}

// register puts a service on every server of the process.
func (a *App) register(add func(grpc.ServiceRegistrar)) {
	add(a.inner)
	if a.outer != nil {
		add(a.outer)
	}
}

// conn returns the connection to a service: through the pipe when it lives in
// this process, else to its configured address.
func (a *App) conn(service string) (*grpc.ClientConn, error) {
	if a.has(service) {
		return a.dial(rpc.PipeTarget, rpc.ClientDeps{Hops: a.hops})
	}
	return a.dial(dialTarget(a.config.Peer(service).Address), rpc.ClientDeps{Hops: a.hops})
}

// dial returns the connection to a target, the one that is there already where it
// can: one that signs who asks and one that does not are kept apart.
func (a *App) dial(target string, deps rpc.ClientDeps) (*grpc.ClientConn, error) {
	key := target
	if deps.Hops == nil {
		key = "outside " + target
	}
	if c, ok := a.conns[key]; ok {
		return c, nil
	}
	deps.Tracing = a.tracing.Inherited("dibrain")
	if target == rpc.PipeTarget {
		deps.Options = append(deps.Options, a.pipe.Dialer())
	} else if files := a.tlsFiles(); a.config.TLS.CAFile != "" || a.config.TLS.CertFile != "" {
		files.CAFile = a.config.TLS.CAFile
		var err error
		if deps.TLS, err = files.Client(a.config.TLS.ServerName); err != nil {
			return nil, misconfigured(err)
		}
	}
	c, err := rpc.Dial(target, a.clientConfig(), deps)
	if err != nil {
		return nil, err
	}
	a.conns[key] = c
	a.closers.add("connection to "+target, c.Close)
	return c, nil
}

func (a *App) clientConfig() rpc.ClientConfig {
	c := a.config.Client
	return rpc.ClientConfig{
		ReadyTimeout: c.ReadyTimeout, CallTimeout: c.CallTimeout, RetryAttempts: c.RetryAttempts,
		MaxResponseBytes: a.config.Limits.MaxResponseBytes,
	}
}

func (a *App) tlsFiles() rpc.TLSFiles {
	t := a.config.TLS
	return rpc.TLSFiles{CertFile: t.CertFile, KeyFile: t.KeyFile, CAFile: t.ClientCAFile}
}

// ignoreClosed makes closing twice no error: a server closes its listener.
func ignoreClosed(close func() error) func() error {
	return func() error {
		if err := close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// dialTarget resolves host names by DNS, so that several replicas share the
// load; an address that already names a scheme stays.
func dialTarget(address string) string {
	if strings.Contains(address, ":///") {
		return address
	}
	return "dns:///" + address
}
