package e2e

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// relay stands between routers and the services that they call. It hands calls on as
// they are, remembers those that tools make, and keeps back those that a test chooses.
type relay struct {
	address string
	to      *grpc.ClientConn

	mu       sync.Mutex
	calls    []*toolCall
	sessions map[string]int // in the order in which they came by
	// hold says whether a call waits in a place, for whoever asks.
	hold func(*toolCall, place) bool
	open chan struct{} // closed when what waits may go on
}

// place is where a call waits: on its way there, or with its answer on its way back.
type place string

const (
	there place = "on the way there"
	back  place = "on the way back"
)

// toolCall is one call of a service by a tool.
type toolCall struct {
	method, id, tool, session string
	// of counts the sessions in the order in which they came by, from 0.
	of    int
	waits place // empty: it does not
	ended bool  // at the service
}

// frame is a message that nobody reads.
type frame struct{ bytes []byte }

type frameCodec struct{}

func (frameCodec) Name() string { return "proto" }

func (frameCodec) Marshal(v any) ([]byte, error) { return v.(*frame).bytes, nil }

func (frameCodec) Unmarshal(data []byte, v any) error {
	v.(*frame).bytes = append([]byte(nil), data...)
	return nil
}

// newRelay begins to hand calls on to an address.
func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	r := &relay{to: dial(t, to), sessions: map[string]int{}, open: make(chan struct{})}
	listener, err := net.Listen("tcp", freeAddress(t))
	require.NoError(t, err)
	r.address = listener.Addr().String()
	server := grpc.NewServer(grpc.ForceServerCodec(frameCodec{}), grpc.UnknownServiceHandler(r.handle), grpc.MaxRecvMsgSize(16<<20))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return r
}

// keepBack lets the calls wait that a test chooses, until the function that it returns
// is called.
func (r *relay) keepBack(hold func(*toolCall, place) bool) (letGo func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hold, r.open = hold, make(chan struct{})
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hold = nil
		close(r.open)
	})
}

// made returns the calls of tools so far, as they stand.
func (r *relay) made() []toolCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]toolCall, 0, len(r.calls))
	for _, c := range r.calls {
		out = append(out, *c)
	}
	return out
}

// note remembers the call of a tool; nil for other calls.
func (r *relay) note(method string, md metadata.MD) *toolCall {
	first := func(key string) string {
		if values := md.Get(key); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	c := &toolCall{method: method, id: first("x-dibrain-tool-call-id"), tool: first("x-dibrain-tool-name"), session: first("x-dibrain-session-id")}
	if c.id == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.sessions[c.session]; !known {
		r.sessions[c.session] = len(r.sessions)
	}
	c.of = r.sessions[c.session]
	r.calls = append(r.calls, c)
	return c
}

// wait keeps a call back where the test wants that.
func (r *relay) wait(ctx context.Context, c *toolCall, at place) error {
	if c == nil {
		return nil
	}
	r.mu.Lock()
	c.ended = c.ended || at == back
	open, waits := r.open, r.hold != nil && r.hold(c, at)
	if waits {
		c.waits = at
	}
	r.mu.Unlock()
	if !waits {
		return nil
	}
	select {
	case <-open:
		r.mu.Lock()
		c.waits = ""
		r.mu.Unlock()
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// handle hands one call on, of whatever kind.
func (r *relay) handle(_ any, in grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(in)
	md, _ := metadata.FromIncomingContext(in.Context())
	call := r.note(method, md)
	if err := r.wait(in.Context(), call, there); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(in.Context(), md.Copy()))
	defer cancel()
	out, err := r.to.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method, grpc.ForceCodec(frameCodec{}))
	if err != nil {
		return err
	}
	go func() {
		for {
			var f frame
			switch err := in.RecvMsg(&f); {
			case errors.Is(err, io.EOF):
				_ = out.CloseSend()
				return
			case err != nil || out.SendMsg(&f) != nil:
				cancel()
				return
			}
		}
	}()
	return r.answer(in, out, call)
}

// answer hands the messages of the service back, and its status at the end. A tool's
// call that waits on its way back has its last message kept.
func (r *relay) answer(in grpc.ServerStream, out grpc.ClientStream, call *toolCall) error {
	header, err := out.Header()
	if err != nil {
		return err
	}
	if err := in.SetHeader(header); err != nil {
		return err
	}
	var kept *frame
	for {
		var f frame
		err := out.RecvMsg(&f)
		if kept != nil {
			if err != nil { // it was the last
				if err := r.wait(in.Context(), call, back); err != nil {
					return err
				}
			}
			if err := in.SendMsg(kept); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			in.SetTrailer(out.Trailer())
			return nil
		case status.Code(err) != codes.OK:
			in.SetTrailer(out.Trailer())
			return err
		}
		kept = &f
	}
}
