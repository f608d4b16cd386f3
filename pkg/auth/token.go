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
	// DefaultTokenGrace is how long tokens stay valid while their file cannot be
	// read again.
	DefaultTokenGrace = 10 * time.Minute
	// ReasonTokensUnreadable is the reason of the fault when the grace is over.
	ReasonTokensUnreadable = "TOKENS_UNREADABLE"
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
// Entry. Changes of the file are seen within seconds. A file that cannot be read
// again leaves the earlier state in force for the grace, and then nobody is let in:
// the change that cannot be read may be the one that takes a token away.
type TokenFile struct {
	path string
	o    TokenOptions

	mu      sync.Mutex
	entries map[[sha256.Size]byte]Entry
	stamp   fileStamp
	checked time.Time
	problem error     // why the file could not be read last; nil: it could
	since   time.Time // when the problem was first seen
}

// TokenOptions of a TokenFile. Zero values mean the defaults.
type TokenOptions struct {
	// Grace is how long tokens stay valid while the file cannot be read again.
	Grace  time.Duration
	Clock  func() time.Time
	Logger *slog.Logger
}

type fileStamp struct {
	modified time.Time
	size     int64
}

// OpenTokenFile reads the file at path.
func OpenTokenFile(path string, o TokenOptions) (*TokenFile, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = DefaultTokenGrace
	}
	f := &TokenFile{path: path, o: o, checked: o.Clock()}
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
	entry, ok, err := f.lookup(hash)
	switch {
	case err != nil:
		return run.Principal{}, err
	case !ok:
		return run.Principal{}, tokenInvalid()
	}
	if !entry.Expires.IsZero() && !f.o.Clock().Before(entry.Expires) {
		return run.Principal{}, fault.New(codes.Unauthenticated, "TOKEN_EXPIRED",
			"The API token expired on "+entry.Expires.UTC().Format(time.DateOnly)+". Ask for a new one.")
	}
	return run.Principal{ID: entry.Principal, Groups: entry.Groups, Admin: entry.Admin}, nil
}

// lookup finds the entry by the hash of a token. The map's own comparison may
// stop early, which tells something about hashes, not about tokens; the final
// comparison takes constant time.
func (f *TokenFile) lookup(hash [sha256.Size]byte) (Entry, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	if f.graceOver() {
		return Entry{}, false, tokensUnreadable().Because(f.problem)
	}
	entry, ok := f.entries[hash]
	if !ok {
		return Entry{}, false, nil
	}
	stored, err := parseHash(entry.Hash)
	return entry, err == nil && subtle.ConstantTimeCompare(stored[:], hash[:]) == 1, nil
}

func (f *TokenFile) refresh() {
	now := f.o.Clock()
	if now.Sub(f.checked) < reloadEvery {
		return
	}
	f.checked = now
	if info, err := os.Stat(f.path); err == nil && stampOf(info) == f.stamp {
		f.problem = nil // what was read last is there again
		return
	}
	entries, stamp, err := readTokens(f.path)
	if err != nil {
		if f.problem == nil {
			f.since = now
			f.o.Logger.Error("the token file cannot be read again; the earlier tokens stay in force for a while",
				"until", now.Add(f.o.Grace), "error", err)
		}
		f.problem = err
		return
	}
	f.entries, f.stamp, f.problem = entries, stamp, nil
	f.o.Logger.Info("token file read again", "tokens", len(entries))
}

func (f *TokenFile) graceOver() bool {
	return f.problem != nil && f.o.Clock().Sub(f.since) >= f.o.Grace
}

// State tells why the file cannot be read again, nil when it can, how long that has
// lasted, and whether its tokens have stopped being valid for it.
func (f *TokenFile) State() (lasts time.Duration, closed bool, problem error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	if f.problem == nil {
		return 0, false, nil
	}
	return f.o.Clock().Sub(f.since), f.graceOver(), f.problem
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

func tokensUnreadable() *fault.Error {
	return fault.New(codes.Unavailable, ReasonTokensUnreadable,
		"This server cannot read its API tokens, so it lets nobody in. Whoever operates it has to mend the file of auth.token_file.")
}

func tokenInvalid() error {
	return fault.New(codes.Unauthenticated, "TOKEN_INVALID",
		"The API token is not known. Check it, or ask for a new one.")
}
