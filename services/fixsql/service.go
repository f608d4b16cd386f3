// Package fixsql repairs, checks and explains Presto SQL. A repair is the
// smallest change that makes a statement valid: each rule edits the text in
// place, and all that no rule touches stays byte for byte.
package fixsql

import (
	"errors"

	"google.golang.org/grpc"

	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
)

// Service implements fixsqlv1.FixSQLServiceServer.
type Service struct {
	fixsqlv1.UnimplementedFixSQLServiceServer

	config Config
	deps   Deps
}

// New returns the service.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Catalog == nil {
		return nil, errors.New("fixsql needs a catalog client")
	}
	return &Service{config: config, deps: deps}, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { fixsqlv1.RegisterFixSQLServiceServer(r, s) }

// Close is there because every service has it; this one holds nothing open.
func (s *Service) Close() error { return nil }
