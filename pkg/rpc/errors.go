package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Names of the links, for After.
const (
	linkMetrics  = "metrics"
	linkLog      = "log"
	linkOutcome  = "outcome"
	linkMask     = "mask"
	linkRecovery = "recovery"
	linkRun      = "run"
	linkBudget   = "budget"
	linkAuth     = "auth"
	linkRole     = "role"
	linkAudit    = "audit"
	linkTables   = "tables"
	linkDeadline = "deadline"
	linkValidate = "validate"
	linkSize     = "size"
)

// panicError is what recovery makes of a panic; mask turns it into Internal.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// recoveryLink turns a panic of a handler, or of a link after it, into an error.
func recoveryLink() Link {
	return Link{Name: linkRecovery, After: []string{linkMask}, Wrap: func(ctx context.Context, _ *Call, next func(context.Context) error) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &panicError{value: v, stack: debug.Stack()}
			}
		}()
		return next(ctx)
	}}
}

// maskLink lets errors pass that own their status, words those of the context,
// and hides all others behind Internal with an id that the log has too. What an
// error has for operators goes to the log, and to the caller if toldInFull.
func maskLink(logger *slog.Logger, newID func(prefix string) string, toldInFull bool) Link {
	return Link{Name: linkMask, After: []string{linkLog, linkOutcome}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		err := next(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(ctx.Err(), context.Canceled) && status.Code(err) == codes.Unavailable {
			err = ctx.Err() // the client is gone, and what was sent to it failed
		}
		if st := ownStatus(err); st != nil {
			var own *fault.Error
			if !errors.As(err, &own) || own.Operator == "" {
				return st.Err()
			}
			level := slog.LevelWarn
			if toldInFull { // the caller reads it: no need to warn
				level, st = slog.LevelInfo, own.ToldInFull().GRPCStatus()
			}
			logger.Log(call.Context, level, "a call failed for a reason that operators can mend",
				"method", call.Method, "reason", own.Reason, "error", own, "detail", own.Operator)
			return st.Err()
		}
		if st := contextStatus(ctx, err); st != nil {
			return st.Err()
		}
		id := newID("err_")
		attrs := []any{"error_id", id, "method", call.Method, "error", err}
		var p *panicError
		if errors.As(err, &p) {
			attrs = append(attrs, "stack", string(p.stack))
		}
		logger.ErrorContext(call.Context, "internal error", attrs...)
		return fault.New(codes.Internal, "INTERNAL",
			"Something went wrong inside DI-Brain. Give the id "+id+" to whoever operates it: the log has the cause.",
			"error_id", id).GRPCStatus().Err()
	}}
}

// ownStatus returns the status of an error that was written for clients. A
// status Unknown, and Internal or the end of a context without details, is what
// libraries make of an unexpected error: not for clients.
func ownStatus(err error) *status.Status {
	var own interface{ GRPCStatus() *status.Status }
	if !errors.As(err, &own) {
		return nil
	}
	st := own.GRPCStatus()
	switch st.Code() {
	case codes.OK, codes.Unknown:
		return nil
	case codes.Internal, codes.Canceled, codes.DeadlineExceeded:
		if len(st.Details()) == 0 {
			return nil
		}
	}
	return st
}

func contextStatus(ctx context.Context, err error) *status.Status {
	switch {
	case errors.Is(err, context.DeadlineExceeded), status.Code(err) == codes.DeadlineExceeded,
		errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.New(codes.DeadlineExceeded, "DEADLINE_EXCEEDED",
			"The time for this call was up before the answer was there. Ask for less, or allow more time.").GRPCStatus()
	case errors.Is(err, context.Canceled), status.Code(err) == codes.Canceled:
		return fault.New(codes.Canceled, "CANCELLED", "The call was cancelled.").GRPCStatus()
	default:
		return nil
	}
}

// requestError is a request that breaks the rules of its message.
type requestError struct {
	violations []*errdetails.BadRequest_FieldViolation
}

func (e *requestError) Error() string {
	v := e.violations[0]
	text := fmt.Sprintf("The request is not valid: %s %s.", v.GetField(), v.GetDescription())
	if v.GetField() == "" {
		text = fmt.Sprintf("The request is not valid: %s.", v.GetDescription())
	}
	if more := len(e.violations) - 1; more > 0 {
		text += fmt.Sprintf(" (%d more)", more)
	}
	return text
}

// GRPCStatus implements the interface that grpc's status package asks for.
func (e *requestError) GRPCStatus() *status.Status {
	st := status.New(codes.InvalidArgument, e.Error())
	detailed, err := st.WithDetails(
		&errdetails.ErrorInfo{Reason: "REQUEST_INVALID", Domain: fault.Domain},
		&errdetails.BadRequest{FieldViolations: e.violations})
	if err != nil { // only for messages that cannot be marshalled: none of these
		return st
	}
	return detailed
}

// runIDFor gives the id source of a server its default.
func runIDFor(newID func(string) string) func(string) string {
	if newID != nil {
		return newID
	}
	return func(prefix string) string { return run.NewID(prefix, nil) }
}
