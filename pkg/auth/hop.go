package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

const (
	// HopTTL is how long a hop token is good.
	HopTTL = 60 * time.Second
	// MinKeyBytes is the least length of a hop key.
	MinKeyBytes = 32
	// hopSkew is how far apart the clocks of two services may be.
	hopSkew = 5 * time.Second
	// maxHopBytes bounds a hop token; some hundred groups fit.
	maxHopBytes = 16 << 10
	// hopVersion begins every token and is signed with it, so that the key signs
	// nothing that could be read as something else.
	hopVersion = "dibhop1."
	// KeyFileName is the name of the generated key in a data directory.
	KeyFileName = "hop.key"
)

// HopKey signs and verifies hop tokens. All services of a deployment share it.
type HopKey struct {
	key   []byte
	clock func() time.Time
}

type hopClaims struct {
	Principal string   `json:"p"`
	Groups    []string `json:"g,omitempty"`
	Admin     bool     `json:"a,omitempty"`
	Audience  string   `json:"aud"`
	IssuedAt  int64    `json:"iat"` // Unix milliseconds, as Expires
	Expires   int64    `json:"exp"`
}

// NewHopKey returns a key of at least MinKeyBytes. A nil clock is the wall clock.
func NewHopKey(key []byte, clock func() time.Time) (*HopKey, error) {
	if len(key) < MinKeyBytes {
		return nil, fmt.Errorf("the hop key has %d bytes and needs at least %d: make one with `openssl rand -hex 32`",
			len(key), MinKeyBytes)
	}
	if clock == nil {
		clock = time.Now
	}
	return &HopKey{key: bytes.Clone(key), clock: clock}, nil
}

// Sign returns a token with which p may be named to the service audience.
func (h *HopKey) Sign(p run.Principal, audience string) (string, error) {
	if p.IsZero() {
		return "", errors.New("sign a hop token: nobody is authenticated")
	}
	now := h.clock()
	payload, err := json.Marshal(hopClaims{
		Principal: p.ID, Groups: p.Groups, Admin: p.Admin, Audience: audience,
		IssuedAt: now.UnixMilli(), Expires: now.Add(HopTTL).UnixMilli(),
	})
	if err != nil {
		return "", fmt.Errorf("sign a hop token: %w", err)
	}
	body := hopVersion + base64.RawURLEncoding.EncodeToString(payload)
	token := body + "." + base64.RawURLEncoding.EncodeToString(h.mac(body))
	if len(token) > maxHopBytes {
		return "", fmt.Errorf("sign a hop token: %d groups of principal %s do not fit into %d bytes",
			len(p.Groups), p.ID, maxHopBytes)
	}
	return token, nil
}

// Verify returns the principal of a token for this audience. Every error is an
// Unauthenticated fault.
func (h *HopKey) Verify(token, audience string) (run.Principal, error) {
	cut := strings.LastIndexByte(token, '.')
	if len(token) > maxHopBytes || cut < len(hopVersion) || !strings.HasPrefix(token, hopVersion) {
		return run.Principal{}, hopInvalid("is not a hop token")
	}
	body := token[:cut]
	mac, err := base64.RawURLEncoding.DecodeString(token[cut+1:])
	if err != nil || !hmac.Equal(mac, h.mac(body)) {
		return run.Principal{}, hopInvalid("is not signed with this deployment's key")
	}
	payload, err := base64.RawURLEncoding.DecodeString(body[len(hopVersion):])
	if err != nil {
		return run.Principal{}, hopInvalid("cannot be read")
	}
	var c hopClaims
	if err := json.Unmarshal(payload, &c); err != nil {
		return run.Principal{}, hopInvalid("cannot be read")
	}
	now := h.clock()
	switch {
	case c.Audience != audience:
		return run.Principal{}, fault.New(codes.Unauthenticated, "HOP_TOKEN_AUDIENCE",
			"The hop token is for another service.", "audience", c.Audience)
	case c.Principal == "":
		return run.Principal{}, hopInvalid("names nobody")
	case now.UnixMilli() >= c.Expires:
		return run.Principal{}, fault.New(codes.Unauthenticated, "HOP_TOKEN_EXPIRED",
			"The hop token has expired. Check that the clocks of the services agree.")
	case c.IssuedAt > now.Add(hopSkew).UnixMilli():
		return run.Principal{}, hopInvalid("comes from the future: check that the clocks of the services agree")
	}
	return run.Principal{ID: c.Principal, Groups: c.Groups, Admin: c.Admin}, nil
}

func (h *HopKey) mac(body string) []byte {
	m := hmac.New(sha256.New, h.key)
	m.Write([]byte(body))
	return m.Sum(nil)
}

func hopInvalid(what string) error {
	return fault.New(codes.Unauthenticated, "HOP_TOKEN_INVALID", "The hop token "+what+".")
}

// ReadKey reads a hop key from a file that somebody else made, such as a
// mounted secret. White space around it does not count.
func ReadKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the hop key (auth.hop_key_file): %w", err)
	}
	return bytes.TrimSpace(key), nil
}

// EnsureKey reads the hop key of a data directory and makes one where there is
// none. It is safe when several processes start at once: one key wins.
func EnsureKey(dataDir string, random io.Reader) ([]byte, error) {
	path := filepath.Join(dataDir, KeyFileName)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeKey(path, random); err != nil {
			return nil, fmt.Errorf("make the hop key %s: %w", path, err)
		}
	case err != nil:
		return nil, fmt.Errorf("read the hop key: %w", err)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("the hop key %s can be read by others (mode %04o): run `chmod 600 %s`, or delete it for a new one",
			path, info.Mode().Perm(), path)
	}
	return ReadKey(path)
}

func makeKey(path string, random io.Reader) error {
	if random == nil {
		random = rand.Reader
	}
	var key [MinKeyBytes]byte
	if _, err := io.ReadFull(random, key[:]); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".hop-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(hex.EncodeToString(key[:]) + "\n")
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	// Link, not rename: the first process wins and the others read its key.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
