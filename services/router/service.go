// Package router is the supervisor that other teams call. It works out what a
// person finally wants, calls the specialist services one after another until
// that is reached, and answers. It never writes SQL or looks at rows itself.
package router

import (
	"errors"

	"google.golang.org/grpc"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// Service is the router. It is safe for concurrent use.
type Service struct {
	routerv1.UnimplementedRouterServiceServer
	cfg  Config
	deps Deps
}

// New returns a router. Its clients are used as they are: deadlines, retries
// and metadata belong to the connection that they were made with.
func New(cfg Config, deps Deps) (*Service, error) {
	cfg = cfg.Complete()
	if deps.Store == nil || deps.FindData == nil || deps.Text2SQL == nil || deps.FixSQL == nil || deps.ChatBI == nil {
		return nil, errors.New("router: the store and the clients of findata, text2sql, fixsql and chatbi are needed")
	}
	return &Service{cfg: cfg, deps: deps.complete()}, nil
}

// Register registers the router's gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { routerv1.RegisterRouterServiceServer(r, s) }

// Close ends the runs that are at work and waits for them. The store and the
// clients belong to the caller.
func (s *Service) Close() error { return nil }
