package auth

import (
	"bytes"
	"context"
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
	// unknownEvery is how often tokens that are not known make the source be read again.
	unknownEvery = time.Second
	// loadTimeout bounds reading the source: a call waits for it.
	loadTimeout = 2 * time.Second
	// DefaultTokenGrace is how long tokens stay valid while their file cannot be
	// read again.
	DefaultTokenGrace = 10 * time.Minute
	// ReasonTokenMissing is the reason of the fault of a call without a token.
	ReasonTokenMissing = "TOKEN_MISSING"
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
	// Scopes narrow the calls that the token is for, see CheckScopes; empty: all that the
	// principal may make.
	Scopes []string `yaml:"scopes,omitempty"`
	// ID names the token where people speak of it, such as in the audit log.
	ID string `yaml:"id,omitempty"`
	// Expires is a time in RFC 3339; absent means never.
	Expires time.Time `yaml:"expires,omitempty"`
	// Note is for the people who keep the file.
	Note string `yaml:"note,omitempty"`
}

type tokenDocument struct {
	Tokens []Entry `yaml:"tokens"`
}

// TokenSource is where the entries of API tokens are kept: a file, or a store.
type TokenSource interface {
	// Load returns the entries and the revision that they are of. Where nothing has changed
	// since the given revision, which is empty at first, the entries are nil and the
	// revision is the same.
	Load(ctx context.Context, since string) (entries []Entry, revision string, err error)
}

// Tokens is the edge of mode token: the entries of a TokenSource. Changes are seen within
// seconds, and a token that is not known yet is looked for at once. A source that cannot be
// read again leaves the earlier state in force for the grace, and then nobody is let in:
// the change that cannot be read may be the one that takes a token away.
type Tokens struct {
	source TokenSource
	o      TokenOptions
	what   string // the source's name in the log

	// loading is held by whoever reads the source again; the others go by what is known.
	loading sync.Mutex

	mu       sync.Mutex
	entries  map[[sha256.Size]byte]Entry
	revision string
	known    bool // the source has been read
	checked  time.Time
	problem  error     // why the source could not be read last; nil: it could
	since    time.Time // when the problem was first seen
}

// TokenOptions of Tokens. Zero values mean the defaults.
type TokenOptions struct {
	// Grace is how long tokens stay valid while their source cannot be read again.
	Grace  time.Duration
	Clock  func() time.Time
	Logger *slog.Logger
}

func (o TokenOptions) complete() TokenOptions {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = DefaultTokenGrace
	}
	return o
}

// OpenTokenFile reads the YAML file at path, with a list "tokens" of Entry.
func OpenTokenFile(path string, o TokenOptions) (*Tokens, error) {
	t := newTokens(&tokenFile{path: path}, o)
	t.what = "the token file"
	t.load()
	if t.problem != nil {
		return nil, t.problem
	}
	return t, nil
}

// OpenTokens returns the edge of a store's tokens. One that cannot be read yet is tried
// again by the calls, which are refused until then.
func OpenTokens(source TokenSource, o TokenOptions) *Tokens {
	t := newTokens(source, o)
	t.what = "the store of tokens"
	t.load()
	return t
}

func newTokens(source TokenSource, o TokenOptions) *Tokens {
	return &Tokens{source: source, o: o.complete()}
}

// Authenticate implements Edge.
func (t *Tokens) Authenticate(md metadata.MD) (run.Principal, error) {
	return AnyTokens{t}.Authenticate(md)
}

// AnyTokens is the edge of several sources of tokens: what one of them knows counts.
type AnyTokens []*Tokens

// Authenticate implements Edge. A source that cannot be read is told where no other one
// knows the token.
func (all AnyTokens) Authenticate(md metadata.MD) (run.Principal, error) {
	hash, err := bearerHash(md)
	if err != nil {
		return run.Principal{}, err
	}
	unreadable := error(nil)
	for _, t := range all {
		entry, ok, err := t.lookup(hash)
		switch {
		case err != nil:
			unreadable = err
		case ok:
			return entry.principal(t.o.Clock())
		}
	}
	if unreadable != nil {
		return run.Principal{}, unreadable
	}
	return run.Principal{}, tokenInvalid()
}

// bearerHash is the hash of the API token that a call brings.
func bearerHash(md metadata.MD) (hash [sha256.Size]byte, err error) {
	values := md.Get(KeyAuthorization)
	if len(values) == 0 {
		return hash, fault.New(codes.Unauthenticated, ReasonTokenMissing,
			`Send your API token in the metadata key "authorization" as "Bearer `+TokenPrefix+`…".`)
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "bearer") ||
		!strings.HasPrefix(token, TokenPrefix) || len(token) > maxTokenBytes {
		return hash, tokenInvalid()
	}
	return sha256.Sum256([]byte(token)), nil
}

// principal is who an entry lets in now.
func (e Entry) principal(now time.Time) (run.Principal, error) {
	if !e.Expires.IsZero() && !now.Before(e.Expires) {
		return run.Principal{}, fault.New(codes.Unauthenticated, "TOKEN_EXPIRED",
			"The API token expired on "+e.Expires.UTC().Format(time.DateOnly)+". Ask for a new one.")
	}
	return run.Principal{ID: e.Principal, Groups: e.Groups, Admin: e.Admin, Scopes: e.Scopes, Token: e.ID}, nil
}

// lookup finds the entry by the hash of a token. The map's own comparison may
// stop early, which tells something about hashes, not about tokens; the final
// comparison takes constant time.
func (t *Tokens) lookup(hash [sha256.Size]byte) (Entry, bool, error) {
	t.refresh(reloadEvery)
	entry, ok, err := t.find(hash)
	if !ok && err == nil && t.refresh(unknownEvery) { // it may have been made a moment ago
		entry, ok, err = t.find(hash)
	}
	return entry, ok, err
}

func (t *Tokens) find(hash [sha256.Size]byte) (Entry, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.graceOver() {
		return Entry{}, false, tokensUnreadable().Because(t.problem)
	}
	entry, ok := t.entries[hash]
	if !ok {
		return Entry{}, false, nil
	}
	stored, err := parseHash(entry.Hash)
	return entry, err == nil && subtle.ConstantTimeCompare(stored[:], hash[:]) == 1, nil
}

// refresh reads the source again where that was not done for as long as every, and says
// whether it did. Of several at once one does.
func (t *Tokens) refresh(every time.Duration) bool {
	t.mu.Lock()
	stale := t.o.Clock().Sub(t.checked) >= every
	t.mu.Unlock()
	if !stale || !t.loading.TryLock() {
		return false
	}
	defer t.loading.Unlock()
	t.load()
	return true
}

// load reads the source.
func (t *Tokens) load() {
	ctx, done := context.WithTimeout(context.Background(), loadTimeout)
	defer done()
	t.mu.Lock()
	now, since := t.o.Clock(), t.revision
	t.checked = now
	t.mu.Unlock()
	list, revision, err := t.source.Load(ctx, since)
	var entries map[[sha256.Size]byte]Entry
	if err == nil && list != nil {
		entries, err = byHash(list)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		if t.problem == nil {
			t.since = now
			t.o.Logger.Error(t.what+" cannot be read again; the earlier tokens stay in force for a while", "until", now.Add(t.o.Grace), "error", err)
		}
		t.problem = err
	case entries == nil:
		t.problem = nil // what was read last is there again
	default:
		if t.known {
			t.o.Logger.Info(t.what+" was read again", "tokens", len(entries))
		}
		t.entries, t.revision, t.problem, t.known = entries, revision, nil, true
	}
}

func (t *Tokens) graceOver() bool {
	return t.problem != nil && (!t.known || t.o.Clock().Sub(t.since) >= t.o.Grace)
}

// State tells why the source cannot be read again, nil when it can, how long that has
// lasted, and whether its tokens have stopped being valid for it.
func (t *Tokens) State() (lasts time.Duration, closed bool, problem error) {
	t.refresh(reloadEvery)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.problem == nil {
		return 0, false, nil
	}
	return t.o.Clock().Sub(t.since), t.graceOver(), t.problem
}

// tokenFile is a file of tokens.
type tokenFile struct{ path string }

// Load implements TokenSource: the revision is when the file was changed, and its size.
func (f *tokenFile) Load(_ context.Context, since string) ([]Entry, string, error) {
	if info, err := os.Stat(f.path); err == nil && stampOf(info) == since {
		return nil, since, nil
	}
	return readTokens(f.path)
}

func readTokens(path string) ([]Entry, string, error) {
	fail := func(err error) ([]Entry, string, error) {
		return nil, "", fmt.Errorf("read the token file (auth.token_file) %s: %w", path, err)
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
	if err == nil {
		_, err = byHash(entries)
	}
	if err != nil {
		return fail(err)
	}
	return entries, stampOf(info), nil
}

func parseTokens(text []byte) ([]Entry, error) {
	var doc tokenDocument
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true) // a misspelt "expires" must not mean "never"
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return append([]Entry{}, doc.Tokens...), nil
}

// byHash checks entries, and finds them by the hash of their token.
func byHash(list []Entry) (map[[sha256.Size]byte]Entry, error) {
	entries := make(map[[sha256.Size]byte]Entry, len(list))
	for i, e := range list {
		hash, err := parseHash(e.Hash)
		if err != nil {
			return nil, fmt.Errorf("tokens[%d]: %w", i, err)
		}
		if e.Principal == "" {
			return nil, fmt.Errorf("tokens[%d]: principal is missing", i)
		}
		if err := CheckScopes(e.Scopes); err != nil {
			return nil, fmt.Errorf("tokens[%d]: %w", i, err)
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

func stampOf(info os.FileInfo) string {
	return fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
}

func tokensUnreadable() *fault.Error {
	return fault.New(codes.Unavailable, ReasonTokensUnreadable,
		"This server cannot read its API tokens, so it lets nobody in. Whoever operates it has to mend the file of auth.token_file, or the store.")
}

func tokenInvalid() error {
	return fault.New(codes.Unauthenticated, "TOKEN_INVALID",
		"The API token is not known. Check it, or ask for a new one.")
}
