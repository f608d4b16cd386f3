package rpc

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
)

// ErrStopping is the cause of the end of a call that was still at work when a
// server's time to drain was up.
var ErrStopping = errors.New("the server is stopping")

// ReasonStopping is the reason of the error of such a call.
const ReasonStopping = "SERVER_STOPPING"

const linkStopping = "stopping"

// stoppingLink ends calls when stopping ends, while their connections still stand,
// so that a handler can answer with what there is and a caller reads what happened.
func stoppingLink(stopping context.Context) Link {
	return Link{Name: linkStopping, After: []string{linkMask}, Wrap: func(ctx context.Context, _ *Call, next func(context.Context) error) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(stopping, func() { cancel(context.Cause(stopping)) })()
		err := next(ctx)
		if err == nil || !errors.Is(context.Cause(ctx), ErrStopping) {
			return err
		}
		f := fault.New(codes.Unavailable, ReasonStopping, "This server is being stopped, and ended the call early. Ask again in a moment.")
		f.RetryAfter = time.Second
		return f.Because(err)
	}}
}
