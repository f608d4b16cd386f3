package run

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
)

// Metadata keys of the run context. They stand beside the W3C trace context;
// the principal is not among them (pkg/auth).
const (
	KeyRunID       = "x-dibrain-run-id"
	KeyParentRunID = "x-dibrain-parent-run-id"
	KeyRootRunID   = "x-dibrain-root-run-id"
	KeySessionID   = "x-dibrain-session-id"
	KeyChatID      = "x-dibrain-chat-id"
	KeyToolCallID  = "x-dibrain-tool-call-id"
	KeyToolName    = "x-dibrain-tool-name"
	KeyNow         = "x-dibrain-now"
	KeyTimeZone    = "x-dibrain-time-zone"
)

// Outgoing returns a context whose gRPC calls carry the run context of ctx.
// Values of an earlier Outgoing are replaced, not doubled.
func Outgoing(ctx context.Context) context.Context {
	rc := From(ctx)
	md, ok := metadata.FromOutgoingContext(ctx) // a copy
	if !ok {
		md = metadata.MD{}
	}
	set := func(key, value string) {
		delete(md, key)
		if value != "" {
			md.Set(key, value)
		}
	}
	set(KeyRunID, rc.RunID)
	set(KeyParentRunID, rc.ParentRunID)
	set(KeyRootRunID, rc.RootRunID)
	set(KeySessionID, rc.SessionID)
	set(KeyChatID, rc.ChatID)
	set(KeyToolCallID, rc.ToolCallID)
	set(KeyToolName, rc.ToolName)
	set(KeyTimeZone, rc.TimeZone)
	now := ""
	if !rc.Now.IsZero() {
		now = rc.Now.UTC().Format(time.RFC3339Nano)
	}
	set(KeyNow, now)
	return metadata.NewOutgoingContext(ctx, md)
}

// Incoming reads the run context that a call carries. The run id is the
// caller's run, so a Start in the handler makes a child of it. A value that no
// well-behaved caller sends is an InvalidArgument fault. The principal is left
// empty.
func Incoming(ctx context.Context) (Context, error) {
	md, ok := metadata.FromIncomingContext(ctx)
	if !ok {
		return Context{}, nil
	}
	var rc Context
	for _, id := range []struct {
		key string
		to  *string
	}{
		{KeyRunID, &rc.RunID}, {KeyParentRunID, &rc.ParentRunID}, {KeyRootRunID, &rc.RootRunID}, {KeySessionID, &rc.SessionID},
		{KeyChatID, &rc.ChatID}, {KeyToolCallID, &rc.ToolCallID}, {KeyToolName, &rc.ToolName},
	} {
		v, err := one(md, id.key)
		if err != nil {
			return Context{}, err
		}
		if v != "" && !ValidID(v) {
			return Context{}, badMetadata(id.key, "must be 1 to 64 letters, digits or signs of \"_-.:\"")
		}
		*id.to = v
	}
	if err := readTime(md, &rc); err != nil {
		return Context{}, err
	}
	return rc, nil
}

// FromOutside returns what is kept of a run context that a caller from outside
// sent. Only a service of the deployment may say in which run a call takes place,
// for whoever names a run joins its tree, and whoever sets its "now" sets the clock
// of what the policy permits. The caller's run stays as a fact about the own run,
// the time zone as the asker's setting. A "now" is refused and not left out, so that
// nobody takes today's figures for those of the day that was asked for.
func (c Context) FromOutside() (Context, error) {
	if !c.Now.IsZero() {
		return Context{}, fault.Invalid(KeyNow, "NOW_FROM_OUTSIDE", "Metadata %s is for calls between services of DI-Brain. "+
			"Leave it out: the server's clock says what day it is. Ask for a date by naming it in the question.", KeyNow)
	}
	caller := c.RunID
	if caller == "" {
		caller = c.ParentRunID
	}
	return Context{CallerRunID: caller, TimeZone: c.TimeZone}, nil
}

// ValidTimeZone reports whether name is an IANA time zone that this process
// knows. "Local" is none: it means another place on each machine.
func ValidTimeZone(name string) bool {
	if name == "" || len(name) > MaxIDLength || name == "Local" || strings.Contains(name, "..") {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func readTime(md metadata.MD, rc *Context) error {
	zone, err := one(md, KeyTimeZone)
	if err != nil {
		return err
	}
	if zone != "" && !ValidTimeZone(zone) {
		return badMetadata(KeyTimeZone, "must be an IANA time zone such as Asia/Singapore")
	}
	rc.TimeZone = zone
	text, err := one(md, KeyNow)
	if err != nil || text == "" {
		return err
	}
	now, perr := time.Parse(time.RFC3339Nano, text)
	if perr != nil || len(text) > MaxIDLength || now.Year() < 1970 || now.Year() > 9999 {
		return badMetadata(KeyNow, "must be a time in RFC 3339 such as 2026-01-31T08:00:00Z")
	}
	rc.Now = now.In(rc.Location())
	return nil
}

func one(md metadata.MD, key string) (string, error) {
	switch v := md.Get(key); len(v) {
	case 0:
		return "", nil
	case 1:
		return v[0], nil
	default:
		return "", badMetadata(key, "must be given once")
	}
}

func badMetadata(key, rule string) error {
	return fault.Invalid(key, "RUN_CONTEXT_INVALID", "Metadata %s %s.", key, rule)
}

// IsKey reports whether key is one of the run context's metadata keys.
func IsKey(key string) bool {
	switch key {
	case KeyRunID, KeyParentRunID, KeyRootRunID, KeySessionID, KeyChatID, KeyToolCallID, KeyToolName, KeyNow, KeyTimeZone:
		return true
	default:
		return false
	}
}
