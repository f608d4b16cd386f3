// Package rpc starts gRPC servers and clients in one way for every process: the
// same chain of named interceptors, the same error and deadline rules, health,
// reflection, TLS and graceful stop, over TCP and inside one process.
package rpc

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/pkg/run"
)

// Link is one named interceptor of a server's chain, for unary calls and
// streams alike. After names links that must run before it; Chain checks that.
type Link struct {
	Name  string
	After []string
	// Wrap runs a call: it may change the context, refuse, and look at the
	// error. next is the rest of the chain.
	Wrap func(ctx context.Context, call *Call, next func(context.Context) error) error
	// Message looks at one message, of a stream too; nil for most links.
	Message func(ctx context.Context, d Direction, m any) error
}

// Call is what the links of a chain know of a call. Outer links read from it,
// after the call, what inner links found out.
type Call struct {
	// Method is the full name, "/package.Service/Method".
	Method string
	Stream bool
	// Context is the latest context of the call, with run and principal.
	Context context.Context
	// Inside is set where a service of the deployment calls, by a hop token.
	Inside bool
	// Outcome is what came of the call, known when it has ended; empty for probes.
	Outcome run.Outcome
}

// Direction of a message, seen from the server.
type Direction int

// The directions.
const (
	Received Direction = iota
	Sent
)

// Chain returns the server options that run links in the given order, the first
// outermost. It is an error when a link stands before one that it must follow.
func Chain(links ...Link) ([]grpc.ServerOption, error) {
	seen := make([]string, 0, len(links))
	for _, l := range links {
		if slices.Contains(seen, l.Name) {
			return nil, fmt.Errorf("interceptor %q is in the chain twice", l.Name)
		}
		for _, earlier := range l.After {
			if !slices.Contains(seen, earlier) {
				return nil, fmt.Errorf("interceptor %q must come after %q", l.Name, earlier)
			}
		}
		seen = append(seen, l.Name)
	}
	c := chain(links)
	return []grpc.ServerOption{grpc.UnaryInterceptor(c.unary), grpc.StreamInterceptor(c.stream)}, nil
}

type chain []Link

func (c chain) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	var resp any
	call := &Call{Method: info.FullMethod}
	err := c.run(ctx, call, 0, func(ctx context.Context) (err error) {
		if err := c.message(ctx, Received, req); err != nil {
			return err
		}
		if resp, err = handler(ctx, req); err != nil {
			return err
		}
		return c.message(ctx, Sent, resp)
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

func (c chain) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	call := &Call{Method: info.FullMethod, Stream: true}
	return c.run(ss.Context(), call, 0, func(ctx context.Context) error {
		return handler(srv, &chainStream{ServerStream: ss, ctx: ctx, chain: c})
	})
}

func (c chain) run(ctx context.Context, call *Call, i int, handler func(context.Context) error) error {
	call.Context = ctx
	if i == len(c) {
		return handler(ctx)
	}
	if c[i].Wrap == nil {
		return c.run(ctx, call, i+1, handler)
	}
	return c[i].Wrap(ctx, call, func(ctx context.Context) error { return c.run(ctx, call, i+1, handler) })
}

func (c chain) message(ctx context.Context, d Direction, m any) error {
	for i := range c {
		if c[i].Message == nil {
			continue
		}
		if err := c[i].Message(ctx, d, m); err != nil {
			return err
		}
	}
	return nil
}

// chainStream gives the handler the context of the chain and shows every
// message to it.
type chainStream struct {
	grpc.ServerStream
	ctx   context.Context
	chain chain
}

func (s *chainStream) Context() context.Context { return s.ctx }

func (s *chainStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return s.chain.message(s.ctx, Received, m)
}

func (s *chainStream) SendMsg(m any) error {
	if err := s.chain.message(s.ctx, Sent, m); err != nil {
		return err
	}
	return s.ServerStream.SendMsg(m)
}
