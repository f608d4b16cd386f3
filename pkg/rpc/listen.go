package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/test/bufconn"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Listen opens address, "host:port". setting names where the address comes
// from, such as "--listen", for the errors.
func Listen(ctx context.Context, address, setting string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.New(codes.FailedPrecondition, "ADDRESS_IN_USE", fmt.Sprintf(
			"Cannot listen on %s: another process uses this port. Stop it, or choose another address with %s.", address, setting),
			"address", address).Because(err)
	case errors.Is(err, os.ErrPermission):
		return nil, fault.New(codes.FailedPrecondition, "ADDRESS_NOT_PERMITTED", fmt.Sprintf(
			"Cannot listen on %s: the operating system does not permit it. Choose a port above 1023 with %s.", address, setting),
			"address", address).Because(err)
	default:
		return nil, fault.New(codes.FailedPrecondition, "ADDRESS_UNUSABLE", fmt.Sprintf(
			"Cannot listen on %s: %v. Choose another address with %s.", address, err, setting),
			"address", address).Because(err)
	}
}

// pipeBytes is the buffer of an in-process connection in one direction.
const pipeBytes = 1 << 20

// Pipe is a listener inside the process, with the dial option that reaches it.
type Pipe struct{ *bufconn.Listener }

// PipeTarget is the target to Dial a Pipe with.
const PipeTarget = "passthrough:///in-process"

// NewPipe returns a listener inside the process.
func NewPipe() *Pipe { return &Pipe{Listener: bufconn.Listen(pipeBytes)} }

// Dialer returns the dial option that makes every connection go to the pipe.
func (p *Pipe) Dialer() grpc.DialOption {
	return grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return p.DialContext(ctx)
	})
}
