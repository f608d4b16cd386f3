// Package run carries the context of a run: who asks, in which run, session and
// tool call, at which "now". It makes ids, keeps the run tree of a process's
// part of a run, and moves both through gRPC metadata.
package run

import (
	"context"
	"slices"
	"time"
)

// Principal is the authenticated asker. It comes from authentication at the
// edge, or from a signed hop token between services, and from nothing else.
type Principal struct {
	// ID is stable and unique, such as "alice" or "svc:reporting".
	ID string
	// Groups are the groups that the authenticator vouches for.
	Groups []string
	// Admin may ingest, see index state and read other people's run trees.
	Admin bool
	// Scopes narrow the calls from outside that the credential of this call is for; empty:
	// all that the principal may make. They bind the call at the edge, and are not told to
	// the services that it needs.
	Scopes []string
	// Token is the id of the API token by which the principal is known, for the audit log;
	// empty: another way.
	Token string
}

// IsZero reports whether nobody is authenticated.
func (p Principal) IsZero() bool { return p.ID == "" }

// InAny reports whether the principal is in one of some groups.
func (p Principal) InAny(groups []string) bool {
	return slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(groups, g) })
}

// Context says in which run a piece of work takes place. It is a value: a child
// run is made with Child, never by changing one that somebody else holds.
type Context struct {
	RunID       string // "run_" and 24 hex digits
	ParentRunID string // empty at the root
	// RootRunID is the run that the tree is kept under and that its asker knows;
	// empty before the first Start.
	RootRunID  string
	SessionID  string
	ChatID     string
	ToolCallID string // "call_" and 24 hex digits; idempotency key of the call
	ToolName   string
	Principal  Principal
	// Now is the run's one clock reading, in Location.
	Now time.Time
	// TimeZone is an IANA name; empty means UTC.
	TimeZone string
	// CallerRunID is the run that a caller from outside says the call serves. It is
	// told of the first run that the call begins and makes that run nobody's child.
	CallerRunID string
}

// Tag is what engines and their logs are told: the run that can be looked up. It is
// the root's, for the runs of steps have no entry of their own.
func (c Context) Tag() string {
	if c.RootRunID != "" {
		return c.RootRunID
	}
	return c.RunID
}

// AsRoot makes the run of rc the root of those that begin below it, whatever run
// called it.
func (c Context) AsRoot() Context {
	c.RootRunID = c.RunID
	return c
}

// Location returns the asker's time zone, UTC where it is unknown.
func (c Context) Location() *time.Location {
	if c.TimeZone == "" {
		return time.UTC
	}
	loc, err := time.LoadLocation(c.TimeZone)
	if err != nil {
		return time.UTC
	}
	return loc
}

type contextKey struct{}

// With returns a context that carries rc.
func With(ctx context.Context, rc Context) context.Context {
	return context.WithValue(ctx, contextKey{}, rc)
}

// From returns the run context of ctx, and the zero Context where there is none.
func From(ctx context.Context) Context {
	rc, _ := ctx.Value(contextKey{}).(Context)
	return rc
}
