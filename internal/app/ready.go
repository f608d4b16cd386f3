package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

const (
	// readyEvery is how often the parts of a process are asked whether they serve.
	readyEvery = time.Second
	// readyTimeout bounds one such question: a part that does not answer it in time
	// does not serve.
	readyTimeout = 5 * time.Second
	// askedFor is how long a part has to find out what it answers. It is less than
	// readyTimeout, so that a part which waits for another server in vain can still say
	// that it serves with less.
	askedFor = 4 * time.Second
)

// readier is what a service implements that may be unable to answer although it is
// open: nil says that it serves, rpc.Degraded that it serves with less.
type readier interface {
	Ready(context.Context) error
}

// check asks one part of the process whether it serves.
type check struct {
	module string
	// services are the gRPC services whose health it decides; none for parts that
	// all services need.
	services []string
	ask      func(context.Context) error
	busy     *atomic.Bool
}

// put asks the part, and does not wait for one that does not heed its context. Such
// a part is not asked again before it has answered.
func (c check) put(ctx context.Context) error {
	if !c.busy.CompareAndSwap(false, true) {
		return errors.New("it has not answered since it was asked last")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		defer c.busy.Store(false)
		asked, cancel := context.WithTimeout(ctx, askedFor)
		defer cancel()
		answer <- c.ask(asked)
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer within %s", readyTimeout)
	}
}

// readiness knows whether the process can answer, and tells health, probes,
// metrics and the log.
type readiness struct {
	log      *slog.Logger
	checks   []check
	servers  func() []*rpc.Server
	meter    *meter.Set
	serving  atomic.Bool // it has started and does not drain
	latest   atomic.Pointer[[]verdict]
	lastTold map[string]string // what the log was told of each module; one goroutine
}

// verdict is what a check came to.
type verdict struct {
	check check
	err   error
}

// States of a module, as the metric has them.
const (
	stateReady    = "ready"
	stateDegraded = "degraded"
	stateNotReady = "not_ready"
)

func (v verdict) state() string {
	switch {
	case v.err == nil:
		return stateReady
	case rpc.IsDegraded(v.err):
		return stateDegraded
	default:
		return stateNotReady
	}
}

func newReadiness(log *slog.Logger, servers func() []*rpc.Server, m *meter.Set) *readiness {
	return &readiness{log: log, servers: servers, lastTold: make(map[string]string), meter: m}
}

// add lets a part be asked, from the next look on.
func (r *readiness) add(module string, ask func(context.Context) error, services ...string) {
	r.checks = append(r.checks, check{module: module, services: services, ask: ask, busy: new(atomic.Bool)})
}

// look asks every part and tells what it said.
func (r *readiness) look(ctx context.Context) {
	verdicts := make([]verdict, len(r.checks))
	var asked sync.WaitGroup
	for i, c := range r.checks {
		asked.Go(func() {
			verdicts[i] = verdict{c, c.put(ctx)}
		})
	}
	asked.Wait()
	if ctx.Err() != nil {
		return // the process ends, and so do the questions
	}
	r.latest.Store(&verdicts)
	serves := make(map[string]bool) // by gRPC service: each part that decides it has to serve
	for _, v := range verdicts {
		r.meter.Module(ctx, v.check.module, v.state())
		for _, name := range v.check.about() {
			others, told := serves[name]
			serves[name] = v.state() != stateNotReady && (others || !told)
		}
		r.note(ctx, v)
	}
	for _, server := range r.servers() {
		for name, ready := range serves {
			server.SetReady(name, ready)
		}
	}
}

// about returns what a check decides: its gRPC services, else the process by the
// name of the module.
func (c check) about() []string {
	if len(c.services) > 0 {
		return c.services
	}
	return []string{c.module}
}

// note writes a line when the state of a part changed, and none while it lasts.
func (r *readiness) note(ctx context.Context, v verdict) {
	told, known := r.lastTold[v.check.module]
	if told == v.state() || !known && v.err == nil {
		r.lastTold[v.check.module] = v.state()
		return
	}
	r.lastTold[v.check.module] = v.state()
	if v.err == nil {
		r.log.InfoContext(ctx, "a part of the process serves again", "module", v.check.module)
		return
	}
	r.log.WarnContext(ctx, "a part of the process is "+strings.ReplaceAll(v.state(), "_", " "), "module", v.check.module, "error", v.err)
}

// watch asks again and again until ctx ends.
func (r *readiness) watch(ctx context.Context) {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.look(ctx)
		}
	}
}

// set says whether the process takes calls at all.
func (r *readiness) set(serving bool) {
	r.serving.Store(serving)
	for _, server := range r.servers() {
		server.SetServing(serving)
	}
}

// report is the answer for probes: whether calls can be answered, and a line for
// each part that has something to say.
func (r *readiness) report() (ready bool, lines []string) {
	ready = r.serving.Load()
	if verdicts := r.latest.Load(); verdicts != nil {
		for _, v := range *verdicts {
			if v.err == nil {
				continue
			}
			ready = ready && v.state() == stateDegraded
			lines = append(lines, fmt.Sprintf("%s is %s: %s", v.check.module, strings.ReplaceAll(v.state(), "_", " "), operatorText(v.err)))
		}
	}
	return ready, lines
}

// operatorText is what a probe's reader is told: whoever reads it operates the process.
func operatorText(err error) string {
	var own *fault.Error
	if errors.As(err, &own) {
		return fault.OperatorText(own)
	}
	return err.Error()
}

// recorder notes the names of the services that a module registers.
type recorder struct{ names []string }

// RegisterService implements grpc.ServiceRegistrar.
func (r *recorder) RegisterService(desc *grpc.ServiceDesc, _ any) {
	if !slices.Contains(r.names, desc.ServiceName) {
		r.names = append(r.names, desc.ServiceName)
	}
}
