package rpc

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Role is the least that somebody has to be to make a call.
type Role string

// The roles.
const (
	// Member is whoever is signed in. What is theirs, and what the policy lets them read, is
	// decided by the services.
	Member Role = "member"
	// Admin is whose token or group says so.
	Admin Role = "admin"
)

// Roles has the role of each method, "package.Service/Method". A method that it does not
// have is called by nobody.
type Roles map[string]Role

// roleLink lets those make a call who have its role; nil roles let everybody.
func roleLink(roles Roles) Link {
	return Link{Name: linkRole, After: []string{linkAuth}, Wrap: func(ctx context.Context, call *Call, next func(context.Context) error) error {
		if roles == nil || isOpen(call.Method) {
			return next(ctx)
		}
		role, ok := roles[strings.TrimPrefix(call.Method, "/")]
		switch {
		case !ok:
			return fault.New(codes.PermissionDenied, "METHOD_NOT_ALLOWED", "Nobody may make this call: it is in no list of who may.")
		case role == Admin && !run.From(ctx).Principal.Admin:
			return fault.New(codes.PermissionDenied, "ADMIN_ONLY", "Only an administrator may make this call: ask one, or use a token with the admin right.")
		}
		return next(ctx)
	}}
}
