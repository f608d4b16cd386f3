package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestScopesOverEveryCall makes every call of every service with tokens of the store that are
// for some of them alone; an administrator's too.
func TestScopesOverEveryCall(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.Mode, c.Auth.AuditFile, c.Limits.RequestBurst = string(auth.ModeToken), filepath.Join(t.TempDir(), "audit.jsonl"), 1000
	store, err := app.OpenTokens(t.Context(), c, app.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	tokens := tokenstore.Tokens{Store: store, Clock: time.Now, Most: 10}
	made, secret, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "root", Admin: true, Scopes: []string{"router", "chatbi/GetResultPage", "findata/GetUseStats"}}, time.Hour)
	require.NoError(t, err)
	r := start(t, c, app.All)
	conn := r.dial()
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret), time.Minute)
	t.Cleanup(cancel)
	allowed := 0
	for _, m := range methods() {
		name := nameOf(m)
		reason := ""
		if err := call(ctx, conn, m); err != nil {
			reason = fault.ReasonOf(err)
		}
		if strings.HasPrefix(name, "/dibrain.router.v1.") || name == "/dibrain.chatbi.v1.ChatBIService/GetResultPage" || name == "/dibrain.findata.v1.FindDataService/GetUseStats" {
			require.NotContains(t, []string{"TOKEN_SCOPE", "TOKEN_INVALID"}, reason, name)
			allowed++
			continue
		}
		require.Equal(t, "TOKEN_SCOPE", reason, name)
	}
	require.Greater(t, allowed, 10)
	r.end()
	raw, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"token":"`+made.ID+`"`)
	require.Contains(t, string(raw), `"reason":"TOKEN_SCOPE"`)
	require.NotContains(t, string(raw), secret)
}

// TestGuessesAreLimited: a server looks at no more than so many bad tokens of an address, and
// goes on to serve those who are signed in from there.
func TestGuessesAreLimited(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.Mode, c.Auth.FailedSignIns, c.Auth.FailedSignInEvery = string(auth.ModeToken), 3, time.Hour
	c.Auth.AuditFile = filepath.Join(t.TempDir(), "audit.jsonl")
	store, err := app.OpenTokens(t.Context(), c, app.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	tokens := tokenstore.Tokens{Store: store, Clock: time.Now, Most: 10}
	_, early, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "early"}, time.Hour)
	require.NoError(t, err)
	_, late, err := tokens.Create(t.Context(), tokenstore.Token{Principal: "late"}, time.Hour)
	require.NoError(t, err)
	r := start(t, c, app.Logify)
	conn := r.dial()
	as := func(token string) error {
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), time.Minute)
		defer cancel()
		for _, m := range methods() {
			if nameOf(m) == "/dibrain.logify.v1.LogifyService/ValidateLogQL" {
				return call(ctx, conn, m)
			}
		}
		return nil
	}
	require.NotEqual(t, "TOKEN_INVALID", fault.ReasonOf(as(early)))
	for range 3 {
		require.Equal(t, "TOKEN_INVALID", fault.ReasonOf(as("dib_guess")))
	}
	err = as("dib_guess")
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(err))
	require.Equal(t, codes.ResourceExhausted, fault.FromStatus(err).Code)
	require.Equal(t, "SIGN_INS_LIMITED", fault.ReasonOf(as(late)), "nobody looks at it")
	require.NotContains(t, []string{"SIGN_INS_LIMITED", "TOKEN_INVALID"}, fault.ReasonOf(as(early)))
	r.end()
	raw, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	limited := 0
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, "SIGN_INS_LIMITED") {
			require.Contains(t, line, `"decision":"refused"`)
			limited++
		}
	}
	require.Equal(t, 2, limited)
}
