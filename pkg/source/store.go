package source

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/spelling"
)

// Defaults of a Store.
const (
	// DefaultGrace is how long a generation stays after another took its place.
	DefaultGrace = time.Hour
	// DefaultKeepRetired bounds how many replaced generations wait out their
	// grace period, so that somebody who ingests in a loop does not fill the disk.
	DefaultKeepRetired = 8
	// DefaultLockWait bounds the wait for another process that makes the same source.
	DefaultLockWait = 2 * time.Minute
	// MaxNameLength of a source, in characters.
	MaxNameLength = 64

	sourcesDir    = "sources"
	currentFile   = "CURRENT"
	lockFile      = "lock"
	manifestFile  = "source.json"
	catalogFile   = "catalog.bin"
	oldCatalog    = "catalog.json" // of generations made before catalog.bin
	semanticDir   = "semantic"
	retiredFile   = "RETIRED"
	notesFile     = "notes"
	makingPrefix  = ".making-"
	lockPollEvery = 50 * time.Millisecond
	maxSmallFile  = 1 << 20 // bytes of CURRENT and source.json that are read
)

// ReasonUnknown is the reason of the error about a source that is not there.
const ReasonUnknown = "SOURCE_UNKNOWN"

// Store keeps the sources of one data directory. Its methods may be called
// concurrently, from any number of processes.
type Store struct {
	root        string // DATA_DIR/sources
	dataDir     string
	clock       func() time.Time
	random      io.Reader
	grace       time.Duration
	keepRetired int
	lockWait    time.Duration
}

// Option changes a Store's defaults.
type Option func(*Store)

// WithClock replaces time.Now.
func WithClock(clock func() time.Time) Option { return func(s *Store) { s.clock = clock } }

// WithRandom replaces the random source of generation names.
func WithRandom(random io.Reader) Option { return func(s *Store) { s.random = random } }

// WithGrace replaces DefaultGrace.
func WithGrace(d time.Duration) Option { return func(s *Store) { s.grace = d } }

// WithKeepRetired replaces DefaultKeepRetired.
func WithKeepRetired(n int) Option { return func(s *Store) { s.keepRetired = n } }

// WithLockWait replaces DefaultLockWait.
func WithLockWait(d time.Duration) Option { return func(s *Store) { s.lockWait = d } }

// Open returns the store of a data directory and makes the directory where it is
// missing. A directory that is there but cannot be written can still be read;
// Make then fails with reason DATA_DIR_NOT_WRITABLE.
func Open(dataDir string, options ...Option) (*Store, error) {
	if dataDir == "" {
		return nil, fault.Invalid("data_dir", "DATA_DIR_MISSING", "no data directory given: set --data-dir")
	}
	s := &Store{
		root:        filepath.Join(dataDir, sourcesDir),
		dataDir:     dataDir,
		clock:       time.Now,
		random:      rand.Reader,
		grace:       DefaultGrace,
		keepRetired: DefaultKeepRetired,
		lockWait:    DefaultLockWait,
	}
	for _, o := range options {
		o(s)
	}
	if info, err := os.Stat(s.root); err == nil && info.IsDir() {
		return s, nil
	}
	if err := os.MkdirAll(s.root, 0o700); err != nil {
		return nil, s.storageFault("make the data directory", err)
	}
	return s, nil
}

// ValidateName checks the name of a source. It becomes a catalog name in SQL, so
// it is an identifier that never needs quotes for its letters.
func ValidateName(name string) error {
	if name == "" {
		return fault.Invalid("source", "SOURCE_NAME_INVALID", "the source has no name: give one with --name, for example --name sales")
	}
	if len(name) > MaxNameLength {
		return fault.Invalid("source", "SOURCE_NAME_INVALID", "the source name has %d characters: at most %d", len(name), MaxNameLength)
	}
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return fault.Invalid("source", "SOURCE_NAME_INVALID",
				"source name %q: use lower-case letters, digits and _, beginning with a letter, for example %q", name, suggestName(name))
		}
	}
	if slices.Contains(reservedNames(), name) {
		return fault.Invalid("source", "SOURCE_NAME_INVALID", "source name %q is a name of the engine's own: choose another, for example %q", name, "my_"+name)
	}
	return nil
}

// reservedNames are databases and schemas that the engine makes itself.
func reservedNames() []string {
	return []string{"system", "temp", "memory", "main", "information_schema", "pg_catalog"}
}

// suggestName turns any text into a valid source name.
func suggestName(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if n := strings.Trim(b.String(), "_"); n != "" {
		return n
	}
	return "my_data"
}

// NotesPath returns a file that belongs to whoever makes a generation of a source,
// while they do: it outlives a maker that dies, for the next one to go on from.
func (s *Store) NotesPath(name string) string { return filepath.Join(s.root, name, notesFile) }

// Names returns the names of all sources in order, also of damaged ones.
func (s *Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.storageFault("list the sources", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || ValidateName(e.Name()) != nil {
			continue
		}
		// A source that was never finished, or that was removed, has no CURRENT.
		if _, err := os.Lstat(filepath.Join(s.root, e.Name(), currentFile)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// List returns the current manifests by name. Where some sources are damaged it
// returns the others together with an error that tells of each damaged one.
func (s *Store) List() ([]Manifest, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	manifests := make([]Manifest, 0, len(names))
	var damaged []error
	for _, name := range names {
		g, err := s.Current(name)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		manifests = append(manifests, g.Manifest)
	}
	return manifests, errors.Join(damaged...)
}

// Current returns the current generation of a source. Errors: SOURCE_UNKNOWN
// (lists the known sources), SOURCE_DAMAGED (says which file and what to do).
func (s *Store) Current(name string) (*Generation, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.root, name)
	// A writer may swap and clean up between the reads of CURRENT and of the
	// folder that it names; then CURRENT has changed and is read again.
	const attempts = 50 // each needs another swap in between
	var last string
	var lastErr error
	for range attempts {
		id, err := s.currentID(name)
		if err != nil {
			return nil, err
		}
		if id == last {
			break
		}
		g, err := s.open(name, filepath.Join(dir, id))
		if err == nil {
			return g, nil
		}
		last, lastErr = id, err
	}
	return nil, lastErr
}

func (s *Store) currentID(name string) (string, error) {
	path := filepath.Join(s.root, name, currentFile)
	raw, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", s.unknown(name)
	}
	if err != nil {
		return "", s.damaged(name, path, "cannot be read", err)
	}
	id := strings.TrimSpace(string(raw))
	if !filepath.IsLocal(id) || filepath.Base(id) != id || strings.HasPrefix(id, ".") {
		return "", s.damaged(name, path, "does not name a generation", nil)
	}
	return id, nil
}

func (s *Store) unknown(name string) error {
	known, err := s.Names()
	hint := ""
	if near := spelling.Nearest(name, known, 1); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	e := fault.NotFound(ReasonUnknown, "there is no source %q: known sources are %s; make one with `dibrain ingest`%s", name, strings.Join(known, ", "), hint)
	if len(known) == 0 {
		e = fault.NotFound(ReasonUnknown, "there is no source %q, and no other: make one with `dibrain ingest`", name).ForOperator("in %s", s.root)
	}
	e.Meta = map[string]string{"source": name, "known": strings.Join(known, ",")}
	return e.Because(err)
}

func (s *Store) damaged(name, path, what string, cause error) error {
	return fault.New(codes.FailedPrecondition, "SOURCE_DAMAGED",
		"source \""+name+"\" is damaged and cannot be asked: whoever operates this server can ingest it again, or remove it",
		"source", name).ForOperator("%s %s: make the source again with `dibrain ingest`, or delete the folder %s", path, what, filepath.Join(s.root, name)).Because(cause)
}
