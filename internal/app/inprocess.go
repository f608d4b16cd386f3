package app

import (
	"context"

	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"
)

// Local is a whole DI-Brain inside the process of a command: no port is opened,
// and the caller is the operating system's user.
type Local struct {
	app  *App
	conn *grpc.ClientConn
	stop context.CancelFunc
	done chan error
}

// InProcess starts all services for the command that runs in this process.
// Services open their files when they first need them, so it returns at once.
func InProcess(ctx context.Context, cfg config.Config, o Options) (*Local, error) {
	a, err := build(ctx, cfg, []string{All}, o, true)
	if err != nil {
		return nil, err
	}
	// The command's own calls carry no hop token: the edge says who calls.
	conn, err := rpc.Dial(rpc.PipeTarget, a.clientConfig(), rpc.ClientDeps{
		Tracing: a.tracing.Inherited("cli"), Options: []grpc.DialOption{a.pipe.Dialer()},
	})
	if err != nil {
		_ = a.closers.close()
		return nil, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Local{app: a, conn: conn, stop: stop, done: make(chan error, 1)}
	go func() { l.done <- a.Run(serving) }()
	return l, nil
}

// Conn returns the connection to all services.
func (l *Local) Conn() grpc.ClientConnInterface { return l.conn }

// Sources returns the store of warehouses.
func (l *Local) Sources() *source.Store { return l.app.sources }

// EnsureDemo makes the demo warehouse where there is none of today.
func (l *Local) EnsureDemo(ctx context.Context, progress demo.Progress) error {
	return l.app.EnsureDemo(ctx, progress)
}

// Close ends calls at work and closes everything.
func (l *Local) Close() error {
	_ = l.conn.Close()
	l.stop()
	return <-l.done
}
