package auth

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	yaml "go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

const (
	// TokenPrefix begins every API token, so that secret scanners know one.
	TokenPrefix = "dib_"
	tokenBytes  = 32
	// maxTokenBytes bounds what is hashed for a caller that nobody knows.
	maxTokenBytes = 256
	// maxTokenFile bounds the token file, in bytes.
	maxTokenFile = 8 << 20
	hashPrefix   = "sha256:"
	// reloadEvery is how long a revoked token may go on working.
	reloadEvery = 5 * time.Second
)

// NewToken returns a new API token and the hash under which it is stored. The
// token has 256 random bits, so a plain SHA-256 is as good as a slow hash.
func NewToken(random io.Reader) (token, hash string, err error) {
	if random == nil {
		random = rand.Reader
	}
	var b [tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", "", fmt.Errorf("make an API token: %w", err)
	}
	token = TokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	return token, HashToken(token), nil
}

// HashToken returns the form in which a token is stored: "sha256:" and hex.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// Entry is one token of a token file.
type Entry struct {
	// Hash is what HashToken returned.
	Hash      string   `yaml:"hash"`
	Principal string   `yaml:"principal"`
	Groups    []string `yaml:"groups,omitempty"`
	Admin     bool     `yaml:"admin,omitempty"`
	// Expires is a time in RFC 3339; absent means never.
	Expires time.Time `yaml:"expires,omitempty"`
	// Note is for the people who keep the file.
	Note string `yaml:"note,omitempty"`
}

type tokenDocument struct {
	Tokens []Entry `yaml:"tokens"`
}

// TokenFile is the edge of mode token: a YAML file with a list "tokens" of
// Entry. Changes of the file are seen within seconds; a change that cannot be
// read leaves the earlier state in force and is logged.
type TokenFile struct {
	path   string
	clock  func() time.Time
	logger *slog.Logger

	mu      sync.Mutex
	entries map[[sha256.Size]byte]Entry
	stamp   fileStamp
	checked time.Time
}

type fileStamp struct {
	modified time.Time
	size     int64
}

// OpenTokenFile reads the file at path. A nil clock is the wall clock.
func OpenTokenFile(path string, clock func() time.Time, logger *slog.Logger) (*TokenFile, error) {
	if clock == nil {
		clock = time.Now
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	f := &TokenFile{path: path, clock: clock, logger: logger, checked: clock()}
	entries, stamp, err := readTokens(path)
	if err != nil {
		return nil, err
	}
	f.entries, f.stamp = entries, stamp
	return f, nil
}

// Authenticate implements Edge.
func (f *TokenFile) Authenticate(md metadata.MD) (run.Principal, error) {
	values := md.Get(KeyAuthorization)
	if len(values) == 0 {
		return run.Principal{}, fault.New(codes.Unauthenticated, "TOKEN_MISSING",
			`Send your API token in the metadata key "authorization" as "Bearer `+TokenPrefix+`…".`)
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "bearer") ||
		!strings.HasPrefix(token, TokenPrefix) || len(token) > maxTokenBytes {
		return run.Principal{}, tokenInvalid()
	}
	hash := sha256.Sum256([]byte(token))
	entry, ok := f.lookup(hash)
	if !ok {
		return run.Principal{}, tokenInvalid()
	}
	if !entry.Expires.IsZero() && !f.clock().Before(entry.Expires) {
		return run.Principal{}, fault.New(codes.Unauthenticated, "TOKEN_EXPIRED",
			"The API token expired on "+entry.Expires.UTC().Format(time.DateOnly)+". Ask for a new one.")
	}
	return run.Principal{ID: entry.Principal, Groups: entry.Groups, Admin: entry.Admin}, nil
}

// lookup finds the entry by the hash of a token. The map's own comparison may
// stop early, which tells something about hashes, not about tokens; the final
// comparison takes constant time.
func (f *TokenFile) lookup(hash [sha256.Size]byte) (Entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	entry, ok := f.entries[hash]
	if !ok {
		return Entry{}, false
	}
	stored, err := parseHash(entry.Hash)
	return entry, err == nil && subtle.ConstantTimeCompare(stored[:], hash[:]) == 1
}

func (f *TokenFile) refresh() {
	now := f.clock()
	if now.Sub(f.checked) < reloadEvery {
		return
	}
	f.checked = now
	if info, err := os.Stat(f.path); err == nil && stampOf(info) == f.stamp {
		return
	}
	entries, stamp, err := readTokens(f.path)
	if err != nil {
		f.logger.Error("the token file cannot be read again; the earlier tokens stay in force", "error", err)
		return
	}
	f.entries, f.stamp = entries, stamp
	f.logger.Info("token file read again", "tokens", len(entries))
}

func readTokens(path string) (map[[sha256.Size]byte]Entry, fileStamp, error) {
	fail := func(err error) (map[[sha256.Size]byte]Entry, fileStamp, error) {
		return nil, fileStamp{}, fmt.Errorf("read the token file (auth.token_file) %s: %w", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenFile+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxTokenFile {
		return fail(fmt.Errorf("it is larger than %d bytes", maxTokenFile))
	}
	entries, err := parseTokens(text)
	if err != nil {
		return fail(err)
	}
	return entries, stampOf(info), nil
}

func parseTokens(text []byte) (map[[sha256.Size]byte]Entry, error) {
	var doc tokenDocument
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true) // a misspelt "expires" must not mean "never"
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	entries := make(map[[sha256.Size]byte]Entry, len(doc.Tokens))
	for i, e := range doc.Tokens {
		hash, err := parseHash(e.Hash)
		if err != nil {
			return nil, fmt.Errorf("tokens[%d]: %w", i, err)
		}
		if e.Principal == "" {
			return nil, fmt.Errorf("tokens[%d]: principal is missing", i)
		}
		if _, twice := entries[hash]; twice {
			return nil, fmt.Errorf("tokens[%d]: the same hash is there twice", i)
		}
		entries[hash] = e
	}
	return entries, nil
}

func parseHash(text string) (hash [sha256.Size]byte, err error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	raw, err := hex.DecodeString(digits)
	if !ok || err != nil || len(raw) != sha256.Size {
		return hash, errors.New(`hash must be "sha256:" and 64 hex digits, as "dibrain config new-token" prints it`)
	}
	copy(hash[:], raw)
	return hash, nil
}

func stampOf(info os.FileInfo) fileStamp {
	return fileStamp{modified: info.ModTime(), size: info.Size()}
}

func tokenInvalid() error {
	return fault.New(codes.Unauthenticated, "TOKEN_INVALID",
		"The API token is not known. Check it, or ask for a new one.")
}
