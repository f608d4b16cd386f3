package auth

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// maxScopes bounds the scopes of a token.
const maxScopes = 100

// scopeForm is "router", a service of the contract, or "router/Ask", one of its calls.
var scopeForm = regexp.MustCompile(`^[a-z][a-z0-9]*(/[A-Z][A-Za-z0-9]*)?$`)

// CheckScopes says what is wrong with the scopes of a token: each is the name of a service,
// such as "router", or of one of its calls, such as "router/Ask".
func CheckScopes(scopes []string) error {
	if len(scopes) > maxScopes {
		return fmt.Errorf("a token has at most %d scopes, and there are %d", maxScopes, len(scopes))
	}
	for _, s := range scopes {
		if !scopeForm.MatchString(s) {
			return fmt.Errorf(`the scope %q is neither a service, such as "router", nor one of its calls, such as "router/Ask"`, s)
		}
	}
	return nil
}

// InScope says whether a principal's credential is for a call, by its full name: a
// PermissionDenied fault where it is not.
func InScope(p run.Principal, fullMethod string) error {
	if len(p.Scopes) == 0 {
		return nil
	}
	service := Audience(fullMethod)
	call := service + fullMethod[strings.LastIndexByte(fullMethod, '/'):]
	if slices.Contains(p.Scopes, service) || slices.Contains(p.Scopes, call) {
		return nil
	}
	return fault.New(codes.PermissionDenied, "TOKEN_SCOPE", fmt.Sprintf(
		"The API token is not for this call. Use one whose scopes have %q or %q, or one without scopes.", service, call))
}
