// Package router is the supervisor that other teams call. It works out what a
// person finally wants, calls the specialist services one after another until
// that is reached, and answers. It never writes SQL or looks at rows itself.
//
// Where to look: graph.go has the graph, route.go its beginning, dispatch.go the
// numbered rules after every step, call.go the calls of services and resolve.go
// how SQL and tables travel by tool_call_id. ask.go holds a turn together. The
// decision is in package decide, the tools in package tools, the sentences in
// package words.
package router

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/flow"
	"github.com/dibrain/dibrain/services/router/decide"
	routerllm "github.com/dibrain/dibrain/services/router/llm"
	"github.com/dibrain/dibrain/services/router/outside"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// Service is the router. It is safe for concurrent use.
type Service struct {
	routerv1.UnimplementedRouterServiceServer
	settings atomic.Pointer[Config] // read by config
	deps     Deps
	graph    *flow.Graph[turn]
	strategy decide.Strategy
	rules    *decide.Rules
	others   []decide.Outside // what the rules know of outside
	words    *words.Book
	tools    *tools.Set
	outside  map[string]*outside.Tool // by tool name
	fixable  map[string]bool
	active   activeRuns
	person   sync.Mutex // held while somebody's data are exported or deleted
	gate     *gate
	sweeper  sweeper
}

// New returns a router. Its clients are used as they are: deadlines, retries
// and metadata belong to the connection that they were made with.
func New(cfg Config, deps Deps) (*Service, error) {
	cfg = cfg.Complete()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if deps.Store == nil || deps.FindData == nil || deps.Text2SQL == nil || deps.FixSQL == nil || deps.ChatBI == nil {
		return nil, errors.New("router: the store and the clients of findata, text2sql, fixsql and chatbi are needed")
	}
	s := &Service{deps: deps.complete(), gate: newGate(cfg.MaxTurns, cfg.MaxOwnTurns)}
	s.settings.Store(&cfg)
	var err error
	if s.words, err = words.Open(); err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	if s.rules, err = decide.NewRules(s.words); err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	if err := s.addOutside(s.deps.Outside); err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	if s.strategy, err = s.chooseStrategy(); err != nil {
		return nil, err
	}
	if s.fixable, err = fixableErrors(); err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	if s.graph, err = newGraph(s); err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	s.startSweeping()
	return s, nil
}

// config is the configuration in use. Nobody writes to it.
func (s *Service) config() *Config { return s.settings.Load() }

// Reconfigure takes on another configuration while turns are at work: whatever asks for a
// setting from then on gets the new one. RestartSettings stay as they are. An error changes
// nothing.
func (s *Service) Reconfigure(c Config) error {
	was := s.config()
	c.Strategy, c.DefaultSource, c.AgentsFile, c.Secret = was.Strategy, was.DefaultSource, was.AgentsFile, was.Secret
	c.Lease, c.MaxTurns, c.MaxOwnTurns, c.Retention.SweepEvery = was.Lease, was.MaxTurns, was.MaxOwnTurns, was.Retention.SweepEvery
	c = c.Complete()
	if err := c.check(); err != nil {
		return err
	}
	s.settings.Store(&c)
	return nil
}

// chooseStrategy returns what decides.
func (s *Service) chooseStrategy() (decide.Strategy, error) {
	switch {
	case s.deps.Strategy != nil:
		return s.deps.Strategy, nil
	case s.deps.Model == nil || s.config().Strategy == StrategyRules:
		return s.rules, nil
	}
	return routerllm.New(routerllm.Config{}, s.deps.Model, s.rules)
}

// Register registers the router's gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { routerv1.RegisterRouterServiceServer(r, s) }

// Close ends the runs that are at work and waits until they are stored. The
// store and the clients belong to the caller.
func (s *Service) Close() error {
	s.active.close()
	s.stopSweeping()
	return nil
}

// Ask implements the contract.
func (s *Service) Ask(ctx context.Context, r *routerv1.AskRequest) (*routerv1.AskResponse, error) {
	answer, err := s.Execute(ctx, r.GetTurn(), nil)
	if err != nil {
		return nil, err
	}
	return &routerv1.AskResponse{Answer: answer}, nil
}

// Chat implements the contract.
func (s *Service) Chat(r *routerv1.ChatRequest, stream grpc.ServerStreamingServer[routerv1.ChatResponse]) error {
	answer, err := s.Execute(stream.Context(), r.GetTurn(), stream.Send)
	if err != nil {
		return err
	}
	return stream.Send(&routerv1.ChatResponse{Event: &routerv1.ChatResponse_Answer{Answer: answer}})
}
