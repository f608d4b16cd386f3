package rpc

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// auditKey is where the context of a call has what the line is to say besides.
type auditKey struct{}

// AuditObject has the audit line of the present call say on what it was, such as whose data were
// exported: an id, never a value.
func AuditObject(ctx context.Context, object string) {
	if to, ok := ctx.Value(auditKey{}).(*atomic.Pointer[string]); ok {
		to.Store(&object)
	}
}

// auditLink writes a line for each call: who made it, from where, what it was, whether it was
// allowed, and what came of it. No word of a request or an answer is in it. nil: nobody keeps
// them.
func auditLink(log *slog.Logger) Link {
	return Link{Name: linkAudit, After: []string{linkMetrics}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if log == nil || isOpen(call.Method) {
			return next(ctx)
		}
		var object atomic.Pointer[string]
		err := next(context.WithValue(ctx, auditKey{}, &object))
		rc := run.From(call.Context)
		decision := "allowed"
		switch status.Code(err).String() {
		case "Unauthenticated", "PermissionDenied":
			decision = "refused"
		case "ResourceExhausted":
			if rc.Principal.IsZero() { // so many had failed that nobody looked who it is
				decision = "refused"
			}
		}
		on := ""
		if named := object.Load(); named != nil {
			on = *named
		}
		// The line is written whatever has become of the call's context.
		log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "call",
			slog.String("principal", rc.Principal.ID), slog.Bool("admin", rc.Principal.Admin), slog.String("token", rc.Principal.Token), slog.String("from", from(ctx)),
			slog.String("method", strings.TrimPrefix(call.Method, "/")), slog.String("object", on), slog.String("decision", decision), slog.String("code", status.Code(err).String()),
			slog.String("reason", fault.ReasonOf(err)), slog.String("outcome", string(call.Outcome)), slog.String("run_id", rc.RunID), slog.String("session_id", rc.SessionID))
		return err
	}}
}
