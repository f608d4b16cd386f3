// Package library keeps the sources of the service searchable: it indexes a
// source's current generation when it is first asked for, notices when another
// generation has become current, indexes that one beside the old, and swaps it
// in at once; searches under way end on what they began with.
package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata/country"
)

// Config bounds the library.
type Config struct {
	Retrieval retrieval.Config
	// Makers makes the indices of a source; nil: in memory.
	Makers retrieval.Makers
	// Layers are the semantic layers, whose words find tables; nil: there are none.
	Layers *semantic.Layers
	// SwapWait is how long Open waits for the index of a new generation before it
	// gives out the old one.
	SwapWait time.Duration
	// CheckEvery is how often a source is looked at for a new generation.
	CheckEvery time.Duration
	// MaxOpen is how many sources stay indexed.
	MaxOpen int
}

// Library holds the indexed sources.
type Library struct {
	cfg     Config
	sources *source.Store
	clock   func() time.Time
	log     *slog.Logger

	mu      sync.Mutex
	shelves map[string]*shelf
	stood   map[string]bool // sources that have been indexed once
	closed  bool
	builds  sync.WaitGroup
}

// shelf is the place of one source. Its fields are guarded by the library's mu.
type shelf struct {
	current *book
	checked time.Time
	used    time.Time
	build   *build // under way, or nil
	failed  *build // the last one, if it failed
}

// book is an indexed generation with the number of its readers.
type book struct {
	volume  *Volume
	readers int
	retired bool
}

// build is the indexing of an edition. done is closed when it has ended.
type build struct {
	edition string
	done    chan struct{}
	err     error
}

// Volume is an indexed generation of a source.
type Volume struct {
	// Examples are the verified queries of the semantic layer.
	Examples []semantic.Example
	Manifest source.Manifest
	// Edition is another for each generation and each state of its semantic layer.
	Edition string
	Index   *catalog.Index
	Corpus  *retrieval.Corpus
	// Countries tells which countries each table covers.
	Countries *country.Coverage
	// Marts finds the words that stand for a mart; a match's group id is the mart's name.
	Marts *synonym.Dictionary
	// Bytes that the index takes, about: the catalog's text and what is made of it.
	Bytes int64
}

// New returns an empty library.
func New(cfg Config, sources *source.Store, clock func() time.Time, log *slog.Logger) *Library {
	return &Library{cfg: cfg, sources: sources, clock: clock, log: log, shelves: make(map[string]*shelf), stood: make(map[string]bool)}
}

// Open returns the indexed source. The caller calls release when it has done
// with it. Errors: SOURCE_UNKNOWN, SOURCE_DAMAGED, INDEX_FAILED.
func (l *Library) Open(ctx context.Context, name string) (v *Volume, release func(), err error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, nil, closedFault()
	}
	s, known := l.shelves[name]
	if known && s.current != nil && l.clock().Sub(s.checked) < l.cfg.CheckEvery {
		defer l.mu.Unlock()
		v, release = l.lend(s)
		return v, release, nil
	}
	l.mu.Unlock()

	b, _, err := l.refresh(name, nil)
	if err != nil {
		return nil, nil, err
	}
	if b != nil {
		if err := l.await(ctx, name, b); err != nil {
			return nil, nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s = l.shelves[name]
	if l.closed || s == nil || s.current == nil {
		return nil, nil, closedFault()
	}
	v, release = l.lend(s)
	return v, release, nil
}

// Prepare begins to index those of some sources that never were, and says which are
// being indexed for the first time and which cannot be. A source that was indexed once
// is searched from the index that there is; one whose index failed is tried again when
// it has another generation, or when somebody asks for it.
func (l *Library) Prepare(names []string) (indexing []string, failed map[string]error) {
	failed = make(map[string]error)
	for _, name := range names {
		l.mu.Lock()
		s, stood := l.shelves[name], l.stood[name]
		var last *build
		if s != nil {
			last = s.failed
		}
		l.mu.Unlock()
		if last != nil {
			failed[name] = last.err
		}
		if stood || last != nil && !l.isOther(name, last.edition) {
			continue
		}
		b, _, err := l.refresh(name, nil)
		switch {
		case err != nil:
			failed[name] = err
		case b != nil:
			indexing = append(indexing, name)
			delete(failed, name)
		}
	}
	return indexing, failed
}

// Stands reports whether a source has been indexed.
func (l *Library) Stands(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stood[name]
}

// isOther reports whether a source has another edition than the one given.
func (l *Library) isOther(name, edition string) bool {
	g, err := l.sources.Current(name)
	return err == nil && l.editionOf(g).name != edition
}

// Refresh indexes the current generation of a source if it is not indexed yet,
// waits for it and says whether it was swapped in. progress is told how many
// tables of how many are done; only the caller that starts the work is told.
func (l *Library) Refresh(ctx context.Context, name string, progress func(done, total int)) (swapped bool, err error) {
	for {
		b, current, err := l.refresh(name, progress)
		if err != nil || b == nil {
			return swapped, err
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return false, fmt.Errorf("wait for the index of source %q: %w", name, ctx.Err())
		}
		if b.edition == current {
			return b.err == nil, b.err
		}
		// An older generation was being indexed when the current one came.
		swapped = swapped || b.err == nil
	}
}

// refresh starts indexing when the current edition is another than the one that is
// indexed. It returns what to wait for, which is nil when that is nothing and may be
// the indexing of an older edition, and the current edition.
func (l *Library) refresh(name string, progress func(done, total int)) (b *build, current string, err error) {
	g, err := l.sources.Current(name)
	if err != nil {
		l.drop(name, err)
		return nil, "", err
	}
	now := l.editionOf(g)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, "", closedFault()
	}
	s, known := l.shelves[name]
	if !known {
		s = &shelf{}
		l.shelves[name] = s
	}
	s.checked = l.clock()
	if s.build != nil {
		return s.build, now.name, nil
	}
	if s.current != nil && s.current.volume.Edition == now.name {
		return nil, now.name, nil
	}
	b = &build{edition: now.name, done: make(chan struct{})}
	s.build = b
	l.builds.Add(1)
	go l.index(name, s, b, now, progress)
	return b, now.name, nil
}

// drop forgets a source that is no longer there, so that removing it frees its
// memory and its answers.
func (l *Library) drop(name string, err error) {
	if fault.ReasonOf(err) != "SOURCE_UNKNOWN" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.shelves[name]; ok && s.build == nil {
		l.retire(s.current)
		delete(l.shelves, name)
		delete(l.stood, name)
	}
}

// await waits for a build: without end where there is nothing else to answer
// from, else for SwapWait at most.
func (l *Library) await(ctx context.Context, name string, b *build) error {
	l.mu.Lock()
	s := l.shelves[name]
	haveOld := s != nil && s.current != nil
	l.mu.Unlock()
	var patience <-chan time.Time
	if haveOld {
		timer := time.NewTimer(l.cfg.SwapWait)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case <-b.done:
		if b.err != nil && !haveOld {
			return b.err
		}
		return nil
	case <-patience:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the index of source %q: %w", name, ctx.Err())
	}
}

// index runs on its own, bound to no request: whoever asks next profits.
func (l *Library) index(name string, s *shelf, b *build, e edition, progress func(done, total int)) {
	defer l.builds.Done()
	v, err := l.read(e, progress)
	l.mu.Lock()
	defer l.mu.Unlock()
	s.build = nil
	switch {
	case err != nil:
		b.err, s.failed = err, b
		l.log.Error("index of a source failed; the old one keeps answering", "source", name, "generation", e.generation.Generation, "error", err)
	case l.closed:
		b.err = errors.Join(closedFault(), v.Corpus.Close())
	default:
		l.retire(s.current)
		s.current, s.failed = &book{volume: v}, nil
		l.stood[name] = true
		s.used = l.clock()
		l.makeRoom(name)
	}
	close(b.done)
}

func (l *Library) read(e edition, progress func(done, total int)) (*Volume, error) {
	g := e.generation
	snapshot, err := g.Snapshot()
	if err != nil {
		return nil, err
	}
	index := catalog.NewIndex(snapshot, catalog.Defaults{Region: g.DefaultRegion, Schema: g.DefaultSchema})
	index.ReadyForNames()
	meanings := addQueried(meaningsOf(e.layer, index.All().Tables()), index)
	corpus, err := retrieval.BuildOn(context.Background(), l.cfg.Retrieval,
		retrieval.Subject{Source: g.Name, Index: index, Meanings: meanings}, l.cfg.Makers, progress)
	var server *fault.Error // which says by itself what to do
	if errors.As(err, &server) {
		return nil, server
	}
	if err != nil {
		return nil, fault.New(codes.Internal, "INDEX_FAILED",
			fmt.Sprintf("the tables of source %q could not be indexed: see the service's log, or ingest the source again", g.Name)).Because(err)
	}
	var examples []semantic.Example
	if e.layer != nil {
		examples = e.layer.Examples
	}
	return &Volume{
		Examples: examples,
		Manifest: g.Manifest, Edition: e.name, Index: index, Corpus: corpus, Bytes: sizeOf(snapshot),
		Countries: country.CoverageOf(index),
		Marts:     martWords(corpus, snapshot.Marts),
	}, nil
}

func martWords(corpus *retrieval.Corpus, marts []catalog.Mart) *synonym.Dictionary {
	groups := make([]synonym.Group, 0, len(marts))
	for _, m := range marts {
		groups = append(groups, synonym.Group{ID: m.Name, Entries: append([]string{m.Name}, m.Synonyms...)})
	}
	return synonym.New(corpus.Analyzer(), synonym.Weights{}, groups)
}

// lend counts a reader in. Called with mu held.
func (l *Library) lend(s *shelf) (*Volume, func()) {
	b := s.current
	b.readers++
	s.used = l.clock()
	var once sync.Once
	return b.volume, func() {
		once.Do(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			b.readers--
			l.freeUnread(b)
		})
	}
}

// retire marks a book as replaced; it is freed with its last reader. Called with
// mu held.
func (l *Library) retire(b *book) {
	if b != nil {
		b.retired = true
		l.freeUnread(b)
	}
}

func (l *Library) freeUnread(b *book) {
	if !b.retired || b.readers > 0 {
		return
	}
	if err := b.volume.Corpus.Close(); err != nil {
		l.log.Warn("free an index", "source", b.volume.Manifest.Name, "error", err)
	}
}

// makeRoom drops the sources unused for longest. Called with mu held.
func (l *Library) makeRoom(keep string) {
	for len(l.shelves) > l.cfg.MaxOpen {
		oldest := ""
		for name, s := range l.shelves {
			if name != keep && s.build == nil && (oldest == "" || s.used.Before(l.shelves[oldest].used)) {
				oldest = name
			}
		}
		if oldest == "" {
			return
		}
		l.retire(l.shelves[oldest].current)
		delete(l.shelves, oldest)
	}
}

// Close frees everything. Searches under way end first, on their own time.
func (l *Library) Close() error {
	l.mu.Lock()
	l.closed = true
	for name, s := range l.shelves {
		l.retire(s.current)
		s.current = nil
		if s.build == nil {
			delete(l.shelves, name)
		}
	}
	l.mu.Unlock()
	l.builds.Wait()
	return nil
}

func closedFault() error {
	return fault.New(codes.Unavailable, "SHUTTING_DOWN", "the service is shutting down: try again in a moment")
}

// sizeOf estimates the memory of an indexed snapshot from its text: roughly, for
// an operator who plans memory, not for a bill.
func sizeOf(s *catalog.Snapshot) int64 {
	const perText, perTable, perColumn = 6, 600, 200
	var n int64
	for i := range s.Tables {
		t := &s.Tables[i]
		n += perTable + perText*int64(len(t.Name.Table)+len(t.Description)+len(t.Grain))
		for _, c := range t.Columns {
			n += perColumn + perText*int64(len(c.Name)+len(c.Comment))
			for _, v := range c.Samples {
				n += int64(len(v)) + 16
			}
		}
	}
	return n
}
