// Package auth finds out who calls. At the edge a caller is known by an API
// token (mode token), by an ID token of an issuer too (mode oidc), or is the operating system's user (mode local, loopback
// only); mode services lets nobody in. Between services the principal travels in a
// hop token: signed, for one service, and short-lived. Nothing else in a request
// names a principal.
package auth

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Metadata keys of credentials.
const (
	// KeyAuthorization carries "Bearer dib_…".
	KeyAuthorization = "authorization"
	// KeyHop carries a hop token.
	KeyHop = "x-dibrain-hop"
)

// Mode says how callers at the edge are known.
type Mode string

// The modes.
const (
	ModeLocal Mode = "local"
	ModeToken Mode = "token"
	// ModeOIDC lets in who has an ID token of an issuer, or an API token.
	ModeOIDC Mode = "oidc"
	// ModeServices lets no caller from outside in: other services alone, by hop
	// tokens.
	ModeServices Mode = "services"
)

// Edge authenticates callers from outside: Local, *Tokens, AnyTokens or *OIDC.
type Edge interface {
	// Authenticate returns the principal of a call with this metadata, or an
	// Unauthenticated fault.
	Authenticate(md metadata.MD) (run.Principal, error)
}

// Gate authenticates the calls of one server.
type Gate struct {
	// Hops verifies hop tokens; nil refuses all of them.
	Hops *HopKey
	// Audiences are the services for which hop tokens are accepted. A listener names
	// those that other processes of the deployment call; for any other, a hop token
	// can only be a stolen one.
	Audiences []string
	// Edge knows callers from outside; nil accepts hop tokens only.
	Edge Edge
}

// Origin says how a principal was established.
type Origin string

// The origins.
const (
	OriginEdge Origin = "edge"
	OriginHop  Origin = "hop"
)

// Authenticate returns who makes the call of ctx to fullMethod. A hop token
// that is present must be good: there is no falling back to the edge, since the
// caller says that it acts for somebody.
func (g Gate) Authenticate(ctx context.Context, fullMethod string) (run.Principal, Origin, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if hops := md.Get(KeyHop); len(hops) > 0 {
		audience := Audience(fullMethod)
		if len(hops) > 1 || g.Hops == nil || !slices.Contains(g.Audiences, audience) {
			return run.Principal{}, OriginHop, hopInvalid("is not accepted here")
		}
		p, err := g.Hops.Verify(hops[0], audience)
		return p, OriginHop, err
	}
	if g.Edge == nil {
		return run.Principal{}, OriginEdge, fault.New(codes.Unauthenticated, "HOP_TOKEN_MISSING",
			"This listener serves other services only and needs a hop token.")
	}
	p, err := g.Edge.Authenticate(md)
	return p, OriginEdge, err
}

// Audience returns the service that a full method name such as
// "/dibrain.findata.v1.FindDataService/Discover" belongs to: "findata". For
// methods of others it is the whole service name.
func Audience(fullMethod string) string {
	service, _, _ := strings.Cut(strings.TrimPrefix(fullMethod, "/"), "/")
	if rest, ours := strings.CutPrefix(service, "dibrain."); ours {
		name, _, _ := strings.Cut(rest, ".")
		return name
	}
	return service
}

// Local is the edge of mode local: every caller is the given principal. It is
// safe on loopback only, see CheckListen.
type Local struct{ Principal run.Principal }

// Authenticate implements Edge.
func (l Local) Authenticate(metadata.MD) (run.Principal, error) { return l.Principal, nil }

// LocalUser returns the edge of mode local for the operating system's user, who
// may administer what is on the own machine.
func LocalUser() (Local, error) {
	u, err := user.Current()
	if err != nil {
		return Local{}, fmt.Errorf("find out who the operating system's user is: %w", err)
	}
	name := u.Username
	if name == "" {
		name = "uid:" + u.Uid
	}
	return Local{Principal: run.Principal{ID: name, Admin: true}}, nil
}

// ParseMode reads a mode.
func ParseMode(text string) (Mode, error) {
	switch m := Mode(text); m {
	case ModeLocal, ModeToken, ModeOIDC, ModeServices:
		return m, nil
	default:
		return "", errors.New(`auth.mode must be "local", "token", "oidc" or "services"`)
	}
}
