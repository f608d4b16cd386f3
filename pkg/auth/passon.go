package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"google.golang.org/grpc/metadata"
)

// KeySignIn carries, beside a hop token, the ID token with which its principal signed in.
const KeySignIn = "x-dibrain-sign-in"

// sealedVersion begins every sealed sign-in.
const sealedVersion = "dibsig1."

type signInKey struct{}

// WithSignIn returns a context in which the asker's ID token is known.
func WithSignIn(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return context.WithValue(ctx, signInKey{}, token)
}

// SignIn returns the asker's ID token, by which a service can ask the issuer for a token of
// another system; empty: the asker has none, or sign-ins are not passed on. It is a secret.
func SignIn(ctx context.Context) string {
	token, _ := ctx.Value(signInKey{}).(string)
	return token
}

// Seal returns a sign-in as it travels with a hop token, which alone it can be opened with:
// by the service that the hop token is for, for the hop token's principal and time.
func (h *HopKey) Seal(signIn, hop, audience string) (string, error) {
	aead, err := h.sealer(audience)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(signIn)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("seal a sign-in: %w", err)
	}
	return sealedVersion + base64.RawURLEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(signIn), []byte(hop))), nil
}

// Unseal returns the sign-in that came with a hop token. Every error is an Unauthenticated
// fault.
func (h *HopKey) Unseal(sealed, hop, audience string) (string, error) {
	broken := func() (string, error) { return "", hopInvalid("came with a sign-in that does not belong to it") }
	text, ours := strings.CutPrefix(sealed, sealedVersion)
	if !ours || len(sealed) > 2*maxJWTBytes {
		return broken()
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return broken()
	}
	aead, err := h.sealer(audience)
	if err != nil || len(raw) < aead.NonceSize() {
		return broken()
	}
	signIn, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], []byte(hop))
	if err != nil {
		return broken()
	}
	return string(signIn), nil
}

func (h *HopKey) sealer(audience string) (cipher.AEAD, error) {
	key, err := h.Audience(audience)
	if err != nil {
		return nil, err
	}
	key, err = hkdf.Key(sha256.New, key, nil, "dibrain sign-in", MinKeyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sign-ins for %s: %w", audience, err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of sign-ins: %w", err)
	}
	return cipher.NewGCM(block)
}

// SignIn returns the ID token that came with a call which Authenticate let in, where sign-ins
// are passed on; empty: none came. Errors are Unauthenticated faults.
func (g Gate) SignIn(ctx context.Context, fullMethod string, origin Origin) (string, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if origin == OriginEdge {
		if o, ok := g.Edge.(*OIDC); ok && o.config.PassSignIn {
			return idToken(md), nil
		}
		return "", nil
	}
	switch sealed := md.Get(KeySignIn); len(sealed) {
	case 0:
		return "", nil
	case 1:
		return g.Hops.Unseal(sealed[0], md.Get(KeyHop)[0], Audience(fullMethod))
	}
	return "", hopInvalid("came with several sign-ins")
}

// idToken is the bearer's token, where it is none of this product's own.
func idToken(md metadata.MD) string {
	if values := md.Get(KeyAuthorization); len(values) == 1 {
		if _, token, _ := strings.Cut(values[0], " "); !strings.HasPrefix(token, TokenPrefix) {
			return token
		}
	}
	return ""
}
