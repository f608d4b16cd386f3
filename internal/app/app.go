package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"buf.build/go/protovalidate"
	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/telemetry"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// stopTimeout bounds closing what is left after the servers have stopped.
const stopTimeout = 10 * time.Second

// Options are what a process takes from its surroundings. All may be left out.
type Options struct {
	Logger *slog.Logger
	// Getenv reads the OTEL_* variables.
	Getenv func(string) string
	// Clock and Random replace the wall clock and the system's random source.
	Clock  func() time.Time
	Random io.Reader
	// LiveLog is what Logger's level and format are changed by; nil: they stay.
	LiveLog *telemetry.LiveLog
	// Version of the program.
	Version string
	// Program is the program that runs the embedded engines' statements when it is
	// started as their child, this one; empty: they run within this process, for tests.
	Program string
	// Memory of the container or machine, in bytes; 0: it is not known.
	Memory int64
	// Model is asked instead of the configured endpoint: for evaluations, which record and
	// replay it.
	Model llm.Model
	// Spans takes the spans instead of an exporter: for tests.
	Spans sdktrace.SpanProcessor
}

func (o Options) complete() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// launcher starts the embedded engines' children.
func (o Options) launcher() duckdb.Launcher {
	if o.Program == "" {
		return duckdb.InProcess()
	}
	return duckdb.Processes(o.Program)
}

// GCPercent is the garbage collector's target of a server whose environment does
// not set GOGC: most of its memory is indices that stay, and going through them
// less often takes a third off the slowest searches (test/bench/findtables).
const GCPercent = 200

// App is one process, complete: everything is open and nothing serves yet.
type App struct {
	config  config.Config
	options Options
	targets []string
	planned []module
	// headless processes open no port: they serve their own command line.
	headless bool

	tracing   *telemetry.Tracing
	metrics   *telemetry.Metrics
	meter     *meter.Set // those of metrics
	validator protovalidate.Validator
	tracker   *run.Tracker

	hops    *auth.HopKey
	edge    auth.Edge
	sources *source.Store
	policy  *policy.File // nil: there is none
	model   llm.Model    // nil: there is none

	pipe  *rpc.Pipe
	inner *rpc.Server
	outer *rpc.Server
	// auditLog tells of calls from outside and of work in the background; nil: there is none.
	auditLog *slog.Logger
	conns    map[string]*grpc.ClientConn
	serving  []func() error          // each serves until its part is stopped
	tasks    []func(context.Context) // each works until its context ends
	opened   []Address
	ready    *readiness
	reload   reload
	// preparations run once before the process is ready; what fails there is
	// logged, and shows in the answers.
	preparations []func(context.Context)
	closers      closers
}

// Address is something that a process listens on.
type Address struct {
	What string // such as "gRPC"
	Addr net.Addr
}

// New verifies the configuration and opens what the targets need. On error
// everything that was opened is closed again.
func New(ctx context.Context, cfg config.Config, targets []string, o Options) (*App, error) {
	return build(ctx, cfg, targets, o, false)
}

func build(ctx context.Context, cfg config.Config, targets []string, o Options, headless bool) (_ *App, err error) {
	a := &App{config: cfg, options: o.complete(), headless: headless, conns: make(map[string]*grpc.ClientConn)}
	if a.planned, err = plan(targets); err != nil {
		return nil, err
	}
	if err := verify(ctx, a.planned, cfg); err != nil {
		return nil, err
	}
	if err := config.EnsureDataDir(cfg.DataDir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.closers.close())
		}
	}()
	a.targets = targets
	if err := a.observe(ctx); err != nil {
		return nil, err
	}
	if err := a.openAudit(); err != nil {
		return nil, misconfigured(err)
	}
	for _, m := range a.planned {
		if m.start == nil {
			continue
		}
		if err := m.start(ctx, a); err != nil {
			return nil, fmt.Errorf("start %s: %w", m.name, err)
		}
	}
	a.beginReloading()
	return a, nil
}

// observe opens what every module uses to tell what it does.
func (a *App) observe(ctx context.Context) (err error) {
	c := telemetry.Config{Version: a.options.Version, Getenv: a.options.Getenv, Processor: a.options.Spans}
	if len(a.targets) == 1 {
		c.Service = a.targets[0]
	}
	var opened []func(context.Context) error
	log := a.options.Logger // not what sends lines
	a.closers.add("telemetry", func() error {
		if err := inTime(opened); err != nil { // a receiver that is away fails nobody's work
			log.Warn("not all traces, metrics and log lines were sent", "error", err)
		}
		return nil
	})
	if a.tracing, err = telemetry.Start(ctx, c); err != nil {
		return misconfigured(err)
	}
	opened = append(opened, a.tracing.Shutdown)
	if a.metrics, err = telemetry.StartMetrics(ctx, c); err != nil {
		return misconfigured(err)
	}
	opened = append(opened, a.metrics.Shutdown)
	a.meter = a.metrics.Set()
	logs, err := telemetry.StartLogs(ctx, c)
	if err != nil {
		return misconfigured(err)
	}
	opened = append(opened, logs.Shutdown)
	a.options.Logger = logs.Also(a.options.Logger)
	a.ready = newReadiness(a.options.Logger, a.servers, a.meter)
	if a.validator, err = protovalidate.New(); err != nil {
		return fmt.Errorf("make the validator of requests: %w", err)
	}
	a.tracker = &run.Tracker{Clock: a.options.Clock, NewID: a.newID}
	return nil
}

// inTime lets what sends to a receiver send the rest, side by side, and waits no longer
// than stopTimeout for a receiver that does not answer.
func inTime(shutdowns []func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	errs := make([]error, len(shutdowns))
	var ended sync.WaitGroup
	for i, shutdown := range shutdowns {
		ended.Go(func() { errs[i] = shutdown(ctx) })
	}
	ended.Wait()
	return errors.Join(errs...)
}

// callIDs is newID where the random source is replaced: the router need not look for ids of
// the system's own, which come once.
func (a *App) callIDs() func(prefix string) string {
	if a.options.Random == nil {
		return nil
	}
	return a.newID
}

// newID makes an id; one of a random source that was put in is of that source alone.
func (a *App) newID(prefix string) string {
	if a.options.Random != nil {
		return run.NewID(prefix, a.options.Random)
	}
	return run.NewIDAt(prefix, a.options.Clock(), nil)
}

// has reports whether a module is part of this process.
func (a *App) has(name string) bool {
	return holds(a.planned, name)
}

// Addresses returns what the process listens on.
func (a *App) Addresses() []Address { return slices.Clone(a.opened) }

// Registry returns the metrics of the process.
func (a *App) Registry() prometheus.Gatherer { return a.metrics.Gatherer() }

// Run serves until ctx ends or a server fails, then lets calls at work end and
// closes everything. It may be called once.
func (a *App) Run(ctx context.Context) error {
	failed := make(chan error, len(a.serving))
	for _, serve := range a.serving {
		go func() { failed <- serve() }()
	}
	working, stopTasks := context.WithCancel(ctx)
	finished := a.work(working)
	prepared := a.becomeReady(working)

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stopTasks()
	<-prepared
	a.ready.set(false)
	if err == nil {
		a.drainDelay()
	}
	a.stopServers()
	err = errors.Join(err, a.closeAfter(finished))
	a.options.Logger.Info("stopped")
	return err
}

// becomeReady does what has to be done before calls can be answered, then tells
// probes so, and goes on to ask the parts until ctx ends. The returned channel is
// closed when that is over.
func (a *App) becomeReady(ctx context.Context) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		for _, prepare := range a.preparations {
			prepare(ctx)
		}
		if a.headless { // nobody probes it
			return
		}
		a.ready.look(ctx)
		if ctx.Err() == nil {
			a.ready.set(true)
			a.options.Logger.Info("started", "targets", a.targetNames())
			a.ready.watch(ctx)
		}
	}()
	return over
}

// work runs the tasks and closes the returned channel when all have ended.
func (a *App) work(ctx context.Context) <-chan struct{} {
	finished := make(chan struct{})
	done := make(chan struct{})
	for _, task := range a.tasks {
		go func() {
			defer func() { done <- struct{}{} }()
			task(ctx)
		}()
	}
	go func() {
		defer close(finished)
		for range a.tasks {
			<-done
		}
	}()
	return finished
}

// drainDelay leaves probes and balancers time to see that the process goes.
func (a *App) drainDelay() {
	if a.config.Limits.DrainDelay <= 0 {
		return
	}
	<-time.After(a.config.Limits.DrainDelay)
}

// stopServers stops the port first: calls at work there still need the services
// behind the pipe.
func (a *App) stopServers() {
	for _, s := range a.servers() {
		if err := s.Stop(context.Background()); err != nil {
			a.options.Logger.Warn("not everything ended by itself", "error", err)
		}
	}
}

// servers returns the servers of the process, the port's first.
func (a *App) servers() []*rpc.Server {
	return slices.DeleteFunc([]*rpc.Server{a.outer, a.inner}, func(s *rpc.Server) bool { return s == nil })
}

func (a *App) closeAfter(finished <-chan struct{}) error {
	select {
	case <-finished:
	case <-time.After(stopTimeout):
		a.options.Logger.Warn("background work did not end in time", "waited", stopTimeout)
	}
	return a.closers.close()
}

func (a *App) targetNames() []string {
	var names []string
	for _, m := range a.planned {
		if m.doc != "" && m.name != All {
			names = append(names, m.name)
		}
	}
	return names
}

// closers undo what was opened, the last first.
type closers struct {
	names []string
	funcs []func() error
}

func (c *closers) add(name string, f func() error) {
	c.names, c.funcs = append(c.names, name), append(c.funcs, f)
}

func (c *closers) close() error {
	var errs []error
	for i := len(c.funcs) - 1; i >= 0; i-- {
		if err := c.funcs[i](); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", c.names[i], err))
		}
	}
	c.names, c.funcs = nil, nil
	return errors.Join(errs...)
}
