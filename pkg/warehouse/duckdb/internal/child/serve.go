// Package child is the half of the embedded engine that holds DuckDB: it opens the
// databases that its parent names and runs the statements that its parent sends,
// one at a time. It knows no principal and checks no approval: only the parent has
// the other end of its stream, and sends approved statements only.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/dibrain/dibrain/pkg/warehouse/duckdb/internal/wire"
)

// Argument is the only argument of a program that is to be a child.
const Argument = "embedded-engine"

// Descriptor is the stream to the parent in a child process.
const Descriptor = 3

// Main serves the stream of an inherited descriptor and returns the exit code. The
// process ends with its parent, whatever it is doing then.
func Main() int {
	file := os.NewFile(Descriptor, "parent")
	if file == nil {
		fmt.Fprintln(os.Stderr, "this command is the product's own: it is given the databases by the process that starts it")
		return 2
	}
	confine()
	err := serve(file, bound, func() { os.Exit(0) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Serve serves a stream within this process, until its end.
func Serve(stream io.ReadWriteCloser) error { return serve(stream, nil, nil) }

// session is one parent's.
type session struct {
	conn     *wire.Conn
	database *database

	mu      sync.Mutex
	cancel  context.CancelFunc // of the statement received last
	queries chan query
}

type query struct {
	wire.Query
	ctx context.Context
}

// serve opens what the first frame names, then runs statements. bound is told the
// limits before anything is opened; ended is called when the parent is gone.
func serve(stream io.ReadWriteCloser, bound func(wire.Open) error, ended func()) (err error) {
	s := &session{conn: wire.New(stream), cancel: func() {}, queries: make(chan query, 1)}
	defer s.conn.Close() //nolint:errcheck // the parent is gone, or told
	kind, payload, err := s.conn.Receive()
	if err != nil {
		return ignoreEnd(err)
	}
	if kind != wire.KindOpen {
		return fmt.Errorf("the embedded engine was sent %d before it was told what to open", kind)
	}
	open, err := wire.Read[wire.Open](payload)
	if err != nil {
		return err
	}
	if bound != nil {
		if err := bound(open); err != nil {
			return errors.Join(err, s.conn.Send(wire.KindFailed, wire.Failed{Text: err.Error()}))
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	received := make(chan error, 1)
	go func() {
		err := s.receive(ctx)
		if ended != nil {
			ended()
		}
		stop()
		close(s.queries)
		received <- err
	}()
	if s.database, err = openDatabase(ctx, open); err != nil {
		failed := wire.Failed{Text: err.Error()}
		var attach *attachError
		if errors.As(err, &attach) {
			failed.Region = attach.region
		}
		return ignoreEnd(s.conn.Send(wire.KindFailed, failed))
	}
	defer func() { err = errors.Join(err, s.database.close()) }()
	if err := s.conn.Send(wire.KindOpened, nil); err != nil {
		return ignoreEnd(err)
	}
	for q := range s.queries {
		if err := s.run(q); err != nil {
			return ignoreEnd(err)
		}
	}
	return <-received
}

// receive reads what the parent sends until it is gone. A statement is made known
// here, so that a cancel that follows it finds it.
func (s *session) receive(ctx context.Context) error {
	for {
		kind, payload, err := s.conn.Receive()
		if err != nil {
			return ignoreEnd(err)
		}
		switch kind {
		case wire.KindCancel:
			s.cancelLast()
		case wire.KindQuery:
			q, err := wire.Read[wire.Query](payload)
			if err != nil {
				return err
			}
			s.cancelLast() // it has ended, or the parent would not send another
			statement, cancel := context.WithCancel(ctx)
			s.mu.Lock()
			s.cancel = cancel
			s.mu.Unlock()
			select {
			case s.queries <- query{Query: q, ctx: statement}:
			case <-ctx.Done():
				return nil
			}
		default:
			return fmt.Errorf("the embedded engine was sent a frame that it does not know: %d", kind)
		}
	}
}

func (s *session) cancelLast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
}

// ignoreEnd takes the parent's going for the end that it is.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) || isReset(err) {
		return nil
	}
	return err
}
