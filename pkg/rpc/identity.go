package rpc

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/run"
)

// openServices may be called by anybody, without limits: probes and tools that
// read the contract, which is public.
var openServices = []string{"/grpc.health.v1.Health/", "/grpc.reflection."}

func isOpen(method string) bool {
	for _, prefix := range openServices {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// runLink reads the run context of the call and puts it, with the process's
// tracker, where run.Start finds it.
func runLink(tracker *run.Tracker) Link {
	return Link{Name: linkRun, After: []string{linkMask}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		rc, err := run.Incoming(ctx)
		if err != nil {
			return err
		}
		t := *tracker
		if t.Service == "" { // one server may hold several services
			t.Service = auth.Audience(call.Method)
		}
		// The handler's first run is what the log line of the call is about.
		var first atomic.Pointer[run.Context]
		t.OnStart = func(rc run.Context) { first.CompareAndSwap(nil, &rc) }
		err = next(run.With(run.WithTracker(ctx, &t), rc))
		if rc := first.Load(); rc != nil {
			call.Context = run.With(call.Context, *rc)
		}
		return err
	}}
}

// authLink puts the authenticated principal into the run context and takes
// credentials, and whatever else looks like an identity, out of the metadata. What a
// caller from outside says of the run is believed as far as run.FromOutside says.
func authLink(gate auth.Gate, limiter *auth.Limiter, signIns *auth.SignIns) Link {
	return Link{Name: linkAuth, After: []string{linkRun, linkBudget}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if isOpen(call.Method) {
			return next(ctx)
		}
		principal, origin, err := authenticate(ctx, call.Method, gate, signIns)
		if err != nil {
			return err
		}
		signIn, err := gate.SignIn(ctx, call.Method, origin)
		if err != nil {
			return err
		}
		rc := run.From(ctx)
		outside := origin != auth.OriginHop
		call.Inside = !outside
		if outside {
			if rc, err = rc.FromOutside(); err != nil {
				return err
			}
		}
		rc.Principal = principal
		ctx = auth.WithSignIn(run.With(dropIdentity(ctx, outside), rc), signIn)
		call.Context = ctx
		if err := auth.InScope(principal, call.Method); err != nil {
			return err
		}
		if outside { // a hop belongs to an edge call that was counted
			if err := limiter.Allow(principal.ID); err != nil {
				return err
			}
		}
		return next(ctx)
	}}
}

// authenticate finds out who calls, where there were not too many who failed to say it.
func authenticate(ctx context.Context, method string, gate auth.Gate, signIns *auth.SignIns) (run.Principal, auth.Origin, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	done, err := signIns.Attempt(from(ctx), md)
	if err != nil {
		return run.Principal{}, auth.OriginEdge, err
	}
	principal, origin, err := gate.Authenticate(ctx, method)
	done(err)
	return principal, origin, err
}

// from is the address that a call comes from, empty where it is not known.
func from(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		return p.Addr.String()
	}
	return ""
}

// dropIdentity removes credentials and every x-dibrain key that is not part of
// the run context, so that no handler can take an unsigned name for a principal. Of
// a call from outside it removes the run context too.
func dropIdentity(ctx context.Context, outside bool) context.Context {
	md, ok := metadata.FromIncomingContext(ctx) // a copy
	if !ok {
		return ctx
	}
	delete(md, auth.KeyAuthorization)
	for key := range md {
		if strings.HasPrefix(key, "x-dibrain-") && (outside || !run.IsKey(key)) {
			delete(md, key)
		}
	}
	return metadata.NewIncomingContext(ctx, md)
}

// deadlineLink gives every call a deadline: the client's, at most limit.
func deadlineLink(limit time.Duration) Link {
	return Link{Name: linkDeadline, After: []string{linkMask}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if isOpen(call.Method) { // health watches are long on purpose
			return next(ctx)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := next(ctx)
		if err != nil && ctx.Err() != nil && ownStatus(err) == nil {
			// What a driver says when it is interrupted is seldom the context's error.
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return err
	}}
}
