package auth_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestSealedSignIns are opened by the service that they are for, with the hop token that they
// came with, and not otherwise.
func TestSealedSignIns(t *testing.T) {
	t.Parallel()
	clock := newClock()
	key := hopKey(t, 1, clock)
	hop, err := key.Sign(alice, "chatbi")
	require.NoError(t, err)
	clock.Move(time.Second)
	later, err := key.Sign(alice, "chatbi")
	require.NoError(t, err)
	sealed, err := key.Seal("geheim", hop, "chatbi")
	require.NoError(t, err)
	again, err := key.Seal("geheim", hop, "chatbi")
	require.NoError(t, err)
	require.NotEqual(t, sealed, again)
	require.NotContains(t, sealed, "geheim")
	got, err := key.Unseal(sealed, hop, "chatbi")
	require.NoError(t, err)
	require.Equal(t, "geheim", got)
	own, err := key.Audience("chatbi")
	require.NoError(t, err)
	narrow, err := auth.NewHopKeyOf(map[string][]byte{"chatbi": own}, clock.Now)
	require.NoError(t, err)
	got, err = narrow.Unseal(sealed, hop, "chatbi")
	require.NoError(t, err, "who holds the service's key alone")
	require.Equal(t, "geheim", got)

	turned := []byte(sealed)
	turned[len(turned)-3] ^= 1
	for name, open := range map[string]func() (string, error){
		"for another service":  func() (string, error) { return key.Unseal(sealed, hop, "findata") },
		"with another hop":     func() (string, error) { return key.Unseal(sealed, later, "chatbi") },
		"by another key":       func() (string, error) { return hopKey(t, 2, clock).Unseal(sealed, hop, "chatbi") },
		"by a key for another": func() (string, error) { return narrow.Unseal(sealed, hop, "findata") },
		"changed":              func() (string, error) { return key.Unseal(string(turned), hop, "chatbi") },
		"cut":                  func() (string, error) { return key.Unseal(sealed[:12], hop, "chatbi") },
		"in the clear":         func() (string, error) { return key.Unseal("geheim", hop, "chatbi") },
		"too long":             func() (string, error) { return key.Unseal(sealed+strings.Repeat("A", 40<<10), hop, "chatbi") },
		"no base64":            func() (string, error) { return key.Unseal("dibsig1.!", hop, "chatbi") },
	} {
		got, err := open()
		require.Equal(t, "HOP_TOKEN_INVALID", fault.ReasonOf(err), name)
		require.Empty(t, got, name)
	}
}

// TestWhichSignInsArePassedOn: ID tokens of an edge that says so, and no API token.
func TestWhichSignInsArePassedOn(t *testing.T) {
	t.Parallel()
	clock := newClock()
	i := newIssuer(t)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	i.publish(map[string]crypto.Signer{"k": private})
	for pass, want := range map[bool]string{true: "a.b.c", false: ""} {
		edge, err := auth.OpenOIDC(auth.OIDCConfig{
			Issuer: i.URL, Audience: "dibrain", PrincipalClaim: "sub", GroupsClaim: "groups", PassSignIn: pass, Clock: clock.Now, Timeout: time.Minute,
		}, nil)
		require.NoError(t, err)
		for value, want := range map[string]string{"Bearer a.b.c": want, "Bearer " + auth.TokenPrefix + "x": "", "": ""} {
			ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs(auth.KeyAuthorization, value, auth.KeySignIn, "smuggled"))
			got, err := auth.Gate{Edge: edge}.SignIn(ctx, "/dibrain.router.v1.RouterService/Ask", auth.OriginEdge)
			require.NoError(t, err)
			require.Equal(t, want, got, value)
		}
	}
}
