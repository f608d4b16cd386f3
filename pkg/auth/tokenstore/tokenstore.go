// Package tokenstore keeps API tokens: their hashes, whose they are, what they are for, until
// when, and who made or revoked them. The tokens themselves are nowhere. One store is a SQLite
// file of the data directory, the other is in the PostgreSQL database that processes share.
package tokenstore

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// Bounds of a token.
const (
	// MaxLife is the longest life of a token.
	MaxLife = 366 * 24 * time.Hour
	// Remembered is how long a token is listed after its end.
	Remembered = 90 * 24 * time.Hour

	maxPrincipal = 128
	maxNote      = 500
	maxGroups    = 100
	// maxListed bounds a list.
	maxListed = 10_000
)

// Token is an API token without itself.
type Token struct {
	ID        string // "tok_" and 24 hex digits
	Principal string
	Groups    []string
	Admin     bool
	// Scopes narrow the calls that it is for, see auth.CheckScopes; empty: all.
	Scopes []string
	Note   string
	// CreatedBy is who made it, Created when, Expires until when it is good.
	CreatedBy string
	Created   time.Time
	Expires   time.Time
	// Revoked is when it was revoked; zero: it was not.
	Revoked time.Time
	// Replaces is the id of the token that was rotated into this one.
	Replaces string

	hash string
}

// Good reports whether the token lets somebody in at a time.
func (t Token) Good(at time.Time) bool { return t.Revoked.IsZero() && at.Before(t.Expires) }

// Store keeps tokens.
type Store interface {
	auth.TokenSource
	// add stores a new token where there are fewer than most that are good, and forgets those
	// that ended before old. Where it replaces one, that one ends at until if it would later.
	add(ctx context.Context, t Token, most int, now, old, until time.Time) error
	get(ctx context.Context, id string) (Token, error)
	list(ctx context.Context, principal string, limit int) ([]Token, error)
	// revoke ends the good tokens with this id, or of this principal, and says how many.
	revoke(ctx context.Context, id, principal string, now time.Time) (int64, error)
	Close() error
}

// Tokens makes and ends tokens of a store.
type Tokens struct {
	Store  Store
	Clock  func() time.Time
	Random io.Reader // nil: the system's
	// Most is how many may be good at once.
	Most int
}

// unknown says that there is no such token.
func unknown(id string) error {
	return fault.NotFound("TOKEN_UNKNOWN", "There is no API token %q that is good. `dibrain token list` shows them.", id)
}

// full says that there are as many tokens as there may be.
func full(most int) error {
	return fault.New(codes.ResourceExhausted, "TOO_MANY_TOKENS", fmt.Sprintf(
		"There are %d API tokens that are good, as many as there may be (auth.max_tokens). Revoke some that nobody needs.", most))
}

// Create makes a token of what want says (Principal, Groups, Admin, Scopes, Note, CreatedBy),
// good for life, and returns it; it cannot be had again.
func (s Tokens) Create(ctx context.Context, want Token, life time.Duration) (Token, string, error) {
	if err := check(want, life); err != nil {
		return Token{}, "", err
	}
	return s.make(ctx, want, life, time.Time{})
}

// Rotate makes a token that stands instead of another one, which is good for overlap more at
// most, so that whoever uses it has time to change.
func (s Tokens) Rotate(ctx context.Context, id, by string, life, overlap time.Duration) (Token, string, error) {
	old, err := s.Store.get(ctx, id)
	if err != nil {
		return Token{}, "", err
	}
	now := s.Clock()
	if !old.Good(now) {
		return Token{}, "", unknown(id)
	}
	want := old
	want.CreatedBy, want.Replaces = by, old.ID
	if err := check(want, life); err != nil {
		return Token{}, "", err
	}
	if overlap < 0 {
		return Token{}, "", fault.Invalid("overlap", "TOKEN_INVALID_OVERLAP", "The overlap is %s: it cannot be below zero.", overlap)
	}
	return s.make(ctx, want, life, now.Add(overlap))
}

func (s Tokens) make(ctx context.Context, want Token, life time.Duration, until time.Time) (Token, string, error) {
	token, hash, err := auth.NewToken(s.Random)
	if err != nil {
		return Token{}, "", err
	}
	now := s.Clock().UTC().Truncate(time.Second)
	want.ID, want.hash, want.Created, want.Expires, want.Revoked = run.NewID("tok_", s.Random), hash, now, now.Add(life), time.Time{}
	if err := s.Store.add(ctx, want, s.Most, s.Clock(), now.Add(-Remembered), until); err != nil {
		return Token{}, "", err
	}
	return want, token, nil
}

// List returns the tokens of a principal, or all, the newest first.
func (s Tokens) List(ctx context.Context, principal string) ([]Token, error) {
	return s.Store.list(ctx, principal, maxListed)
}

// Revoke ends a token at once; servers see it within seconds.
func (s Tokens) Revoke(ctx context.Context, id string) error {
	n, err := s.Store.revoke(ctx, id, "", s.Clock())
	if err == nil && n == 0 {
		return unknown(id)
	}
	return err
}

// RevokeAll ends all tokens of a principal, and says how many there were.
func (s Tokens) RevokeAll(ctx context.Context, principal string) (int64, error) {
	return s.Store.revoke(ctx, "", principal, s.Clock())
}

func check(t Token, life time.Duration) error {
	refuse := func(format string, args ...any) error {
		return fault.Invalid("token", "TOKEN_NOT_MADE", format, args...)
	}
	switch {
	case t.Principal == "" || len(t.Principal) > maxPrincipal || postgresText(t.Principal) != t.Principal:
		return refuse("Say whose token it is, in at most %d characters.", maxPrincipal)
	case len(t.Groups) > maxGroups || slices.Contains(t.Groups, ""):
		return refuse("A token has at most %d groups, none of them empty.", maxGroups)
	case len(t.Note) > maxNote:
		return refuse("The note has more than %d characters.", maxNote)
	case life < time.Minute || life > MaxLife:
		return refuse("A token is good for a minute at least, and for %d days at most.", int(MaxLife.Hours()/24))
	}
	if err := auth.CheckScopes(t.Scopes); err != nil {
		return refuse("%v.", err)
	}
	return nil
}

// entry is what authentication needs of a token.
func (t Token) entry() auth.Entry {
	return auth.Entry{ID: t.ID, Hash: t.hash, Principal: t.Principal, Groups: t.Groups, Admin: t.Admin, Scopes: t.Scopes, Expires: t.Expires}
}

// countChange makes the revision another one, in either kind of store.
const countChange = `UPDATE api_tokens_revision SET revision = revision + 1`

// columns are those of a token, in the order of scan and values.
const columns = `id, hash, principal, groups, admin, scopes, note, created_by, created_at, expires_at, revoked_at, replaces`

func scan(row interface{ Scan(...any) error }) (Token, error) {
	var t Token
	var groups, scopes string
	var created, expires, revoked int64
	err := row.Scan(&t.ID, &t.hash, &t.Principal, &groups, &t.Admin, &scopes, &t.Note, &t.CreatedBy, &created, &expires, &revoked, &t.Replaces)
	if err != nil {
		return Token{}, err
	}
	for _, list := range []struct {
		text string
		to   *[]string
	}{{groups, &t.Groups}, {scopes, &t.Scopes}} {
		if err := json.Unmarshal([]byte(list.text), list.to); err != nil {
			return Token{}, fmt.Errorf("read a list of the token %s: %w", t.ID, err)
		}
	}
	t.Created, t.Expires, t.Revoked = store.FromNanos(created), store.FromNanos(expires), store.FromNanos(revoked)
	return t, nil
}

func (t Token) values() ([]any, error) {
	groups, err := json.Marshal(t.Groups)
	if err != nil {
		return nil, err
	}
	scopes, err := json.Marshal(t.Scopes)
	if err != nil {
		return nil, err
	}
	return []any{
		t.ID, t.hash, t.Principal, string(groups), t.Admin, string(scopes), postgresText(t.Note), postgresText(t.CreatedBy),
		store.Nanos(t.Created), store.Nanos(t.Expires), store.Nanos(t.Revoked), t.Replaces,
	}, nil
}
