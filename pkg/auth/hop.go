package auth

import (
	"bytes"
	"crypto/hkdf"
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

	yaml "go.yaml.in/yaml/v3"
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
	hopVersion = "dibhop2."
	// KeyFileName is the name of the generated key in a data directory.
	KeyFileName = "hop.key"
)

// HopKey signs and verifies hop tokens. Each audience has a key of its own, made
// from the deployment's key. A process that holds the deployment's key can sign for
// every service; one that holds a few audiences' keys can sign for those alone, so
// that whoever takes it over cannot speak to the others.
type HopKey struct {
	master    []byte            // nil: only the audiences are known
	audiences map[string][]byte // used where there is no master
	clock     func() time.Time
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
	return &HopKey{master: bytes.Clone(key), clock: clock}, nil
}

// NewHopKeyOf returns a key that signs and verifies for the given audiences alone,
// each with what Audience returned for it. A nil clock is the wall clock.
func NewHopKeyOf(audiences map[string][]byte, clock func() time.Time) (*HopKey, error) {
	h := &HopKey{audiences: make(map[string][]byte, len(audiences)), clock: clock}
	if clock == nil {
		h.clock = time.Now
	}
	for name, key := range audiences {
		if len(key) < MinKeyBytes {
			return nil, fmt.Errorf("the hop key for %s has %d bytes and needs at least %d: make it with `dibrain config hop-keys`",
				name, len(key), MinKeyBytes)
		}
		h.audiences[name] = bytes.Clone(key)
	}
	return h, nil
}

// Audience returns the key with which tokens for a service are signed.
func (h *HopKey) Audience(name string) ([]byte, error) {
	if h.master == nil {
		key, ok := h.audiences[name]
		if !ok {
			return nil, fault.New(codes.FailedPrecondition, "HOP_KEY_MISSING", fmt.Sprintf(
				"This process has no hop key for %s. Add it to the file of auth.hop_keys_file: `dibrain config hop-keys` prints it.", name),
				"audience", name)
		}
		return key, nil
	}
	key, err := hkdf.Key(sha256.New, h.master, nil, "dibrain hop token for "+name, MinKeyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive the hop key for %s: %w", name, err)
	}
	return key, nil
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
	key, err := h.Audience(audience)
	if err != nil {
		return "", err
	}
	body := hopVersion + base64.RawURLEncoding.EncodeToString(payload)
	token := body + "." + base64.RawURLEncoding.EncodeToString(hopMAC(key, body))
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
	key, err := h.Audience(audience)
	if err != nil {
		return run.Principal{}, hopInvalid("cannot be checked: this process has no key for the service")
	}
	// The texts are compared: several texts stand for the same bytes.
	if !hmac.Equal([]byte(token[cut+1:]), []byte(base64.RawURLEncoding.EncodeToString(hopMAC(key, body)))) {
		return run.Principal{}, hopInvalid("is not signed for this service with this deployment's key")
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

func hopMAC(key []byte, body string) []byte {
	m := hmac.New(sha256.New, key)
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

// maxKeysFile bounds a file of keys, in bytes.
const maxKeysFile = 1 << 20

// audienceDocument is the file of a process that holds the keys of some audiences.
type audienceDocument struct {
	Audiences map[string]string `yaml:"audiences"` // in hex
}

// ReadKeys reads the keys of a file that WriteKeys wrote.
func ReadKeys(path string) (map[string][]byte, error) {
	fail := func(err error) (map[string][]byte, error) {
		return nil, fmt.Errorf("read the hop keys (auth.hop_keys_file) %s: %w", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	if len(text) > maxKeysFile {
		return fail(fmt.Errorf("it is larger than %d bytes", maxKeysFile))
	}
	var doc audienceDocument
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		return fail(err)
	}
	keys := make(map[string][]byte, len(doc.Audiences))
	for name, digits := range doc.Audiences {
		key, err := hex.DecodeString(digits)
		if err != nil {
			return fail(fmt.Errorf("audiences.%s is no key in hex, as `dibrain config hop-keys` prints it", name))
		}
		keys[name] = key
	}
	return keys, nil
}

// WriteKeys writes the keys of the named audiences, and of no others.
func (h *HopKey) WriteKeys(w io.Writer, audiences []string) error {
	doc := audienceDocument{Audiences: make(map[string]string, len(audiences))}
	for _, name := range audiences {
		key, err := h.Audience(name)
		if err != nil {
			return err
		}
		doc.Audiences[name] = hex.EncodeToString(key)
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write the hop keys: %w", err)
	}
	_, err = w.Write(text)
	return err
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
