// Package backend chooses what searches: the embedded lexical index or
// Elasticsearch, no vectors or those of an embedder, the exact scan or Milvus. It
// is all that package retrieval's user configures; retrieval itself knows only the
// interfaces.
package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/endpoint"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/lsa"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// Names of back ends.
const (
	Embedded      = "embedded"
	Elasticsearch = "elasticsearch"
	Flat          = "flat"
	Milvus        = "milvus"
	None          = "none"
	OfCorpus      = "corpus"
	Endpoint      = "endpoint"
)

// Limits where Config has none.
const (
	DefaultBudget     = 1500 * time.Millisecond
	DefaultProbeAfter = 5 * time.Second
	DefaultFailures   = 3
)

// Config chooses the back ends. The zero value is the embedded index without
// vectors.
type Config struct {
	// Lexical is where words are searched: embedded or elasticsearch.
	Lexical string `koanf:"lexical"`
	// Vector is where vectors are searched: flat (in memory, exact) or milvus.
	Vector string `koanf:"vector"`
	// Embedder makes the vectors: none (off), corpus (fitted on the tables
	// themselves) or endpoint (a server with a model).
	Embedder string `koanf:"embedder"`
	// Budget is how long one search waits for a list (words, vectors) that is on a
	// server, the vector of the question included, before it goes on without it.
	Budget time.Duration `koanf:"budget"`
	// Failures in a row after which a server is left alone.
	Failures int `koanf:"failures"`
	// ProbeAfter is how long such a server is left alone before one search tries it
	// again, and how often health looks at each server.
	ProbeAfter time.Duration `koanf:"probe_after"`
	// Effort of vector searches, and how far a table may be.
	Effort        vector.Efforts  `koanf:"effort"`
	Elasticsearch elastic.Config  `koanf:"elasticsearch"`
	Milvus        milvus.Config   `koanf:"milvus"`
	Corpus        lsa.Config      `koanf:"corpus"`
	Endpoint      endpoint.Config `koanf:"endpoint"`
}

// Complete fills in defaults and checks what is chosen; what is not chosen is not
// looked at.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		key   string
		value *string
		known []string
	}{
		{"lexical", &c.Lexical, []string{Embedded, Elasticsearch}},
		{"vector", &c.Vector, []string{Flat, Milvus}},
		{"embedder", &c.Embedder, []string{None, OfCorpus, Endpoint}},
	} {
		if *f.value == "" {
			*f.value = f.known[0]
		}
		if !slices.Contains(f.known, *f.value) {
			return c, fmt.Errorf("%s is %q: use one of %v", f.key, *f.value, f.known)
		}
	}
	c.Budget, c.ProbeAfter, c.Failures = cmp.Or(c.Budget, DefaultBudget), cmp.Or(c.ProbeAfter, DefaultProbeAfter), cmp.Or(c.Failures, DefaultFailures)
	if c.Budget < 0 || c.ProbeAfter < 0 || c.Failures < 0 {
		return c, errors.New("budget, probe_after and failures have to be above 0")
	}
	c.Elasticsearch, c.Milvus, c.Endpoint = c.Elasticsearch.Defaults(), c.Milvus.Defaults(), c.Endpoint.Defaults()
	var err error
	if c.Effort, err = c.Effort.Complete(); err != nil {
		return c, err
	}
	if c.Lexical == Elasticsearch {
		if c.Elasticsearch, err = c.Elasticsearch.Complete(); err != nil {
			return c, err
		}
	}
	if c.Vector == Milvus {
		if c.Embedder == None {
			return c, errors.New("vector is milvus and embedder is none: there are no vectors to search; set embedder to corpus or endpoint")
		}
		c.Milvus.Efforts = c.Effort
		if c.Milvus, err = c.Milvus.Complete(); err != nil {
			return c, err
		}
	}
	if c.Embedder == Endpoint {
		if c.Endpoint, err = c.Endpoint.Complete(); err != nil {
			return c, err
		}
	}
	c.Corpus, err = c.Corpus.Complete()
	return c, err
}

// Deps are what a Backend is made of.
type Deps struct {
	// Dir keeps the vectors of texts between starts; empty: they are not kept. It
	// is made when it is needed.
	Dir string
	// Endpoint reaches the embedding endpoint.
	Endpoint endpoint.Deps
	// Log takes what an operator should know; nil: slog.Default().
	Log *slog.Logger
	// Clock tells since when a server is away; nil: time.Now.
	Clock func() time.Time
	// Meter measures what the servers are asked; nil: nobody does.
	Meter *meter.Set
}

// Backend makes the indices of sources. It may be used concurrently.
type Backend struct {
	cfg     Config
	deps    Deps
	elastic *elastic.Client
	milvus  *milvus.Client
	embed   *endpoint.Embedder

	mu    sync.Mutex
	lists map[string][]looker // of each source
}

// Open connects to what is chosen; no server is asked anything yet. The caller
// closes it after its indices.
func Open(ctx context.Context, cfg Config, deps Deps) (*Backend, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.Default()
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	b := &Backend{cfg: cfg, deps: deps, lists: make(map[string][]looker)}
	if cfg.Lexical == Elasticsearch {
		b.elastic, err = elastic.Open(cfg.Elasticsearch)
	}
	if err == nil && cfg.Vector == Milvus {
		b.milvus, err = milvus.Open(ctx, cfg.Milvus)
	}
	if err == nil && cfg.Embedder == Endpoint {
		deps.Endpoint.Meter = deps.Meter
		b.embed, err = endpoint.New(cfg.Endpoint, deps.Endpoint)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Close ends the connections.
func (b *Backend) Close() error {
	var errs []error
	if b.elastic != nil {
		errs = append(errs, b.elastic.Close())
	}
	if b.milvus != nil {
		errs = append(errs, b.milvus.Close())
	}
	return errors.Join(errs...)
}

// Remove deletes what the servers and the disk hold of a source.
func (b *Backend) Remove(ctx context.Context, source string) error {
	var errs []error
	if b.elastic != nil {
		errs = append(errs, b.elastic.Remove(ctx, source))
	}
	if b.milvus != nil {
		errs = append(errs, b.milvus.Remove(ctx, source))
	}
	if b.deps.Dir != "" {
		if err := os.Remove(b.file(source)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove the vectors of source %q: %w", source, err))
		}
	}
	return errors.Join(errs...)
}

// Lexical returns the lexical index of a source's documents. One on a server that is
// away is returned too: it fails until the server is back.
func (b *Backend) Lexical(ctx context.Context, source string, cfg lexical.Config, docs *lexical.Documents, scorer *lexical.Scorer) (lexical.Index, error) {
	if b.elastic == nil {
		b.know(source, embedded{Status{List: Words, Backend: Embedded, Serving: true, Documents: docs.Size()}})
		return lexical.New(cfg, docs, scorer)
	}
	g, err := guard(ctx, b, Status{List: Words, Backend: Elasticsearch, Documents: docs.Size()}, source, "Elasticsearch", func(ctx context.Context) (*elastic.Index, error) {
		answered := b.deps.Meter.Ask(ctx, meter.Elasticsearch, meter.OpIndex)
		index, err := b.elastic.Build(ctx, source, cfg, docs, nil)
		answered(meter.ResultOf(err))
		return index, err
	})
	if err != nil {
		return nil, err
	}
	b.know(source, g)
	return words{b, source, g}, nil
}

// Vectors returns what finds a source's documents by vector; nil where embedder is
// none, or where the corpus has no words to make vectors of. What needs a server that
// is away is returned too: it fails until the server is back.
func (b *Backend) Vectors(ctx context.Context, source string, corpus vector.Corpus) (retrieval.Finder, error) {
	status := Status{List: Vectors, Backend: b.cfg.Vector, Embedder: b.cfg.Embedder, Documents: corpus.Docs.Size()}
	var set vector.Set
	var asked vector.Embedder
	switch b.cfg.Embedder {
	case OfCorpus:
		model, fitted, err := lsa.Fit(ctx, b.cfg.Corpus, corpus.Docs, corpus.Scorer, corpus.Analyzer)
		if errors.Is(err, lsa.ErrEmpty) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if b.milvus == nil {
			index, err := vector.NewFlat(vector.FlatConfig{}, fitted)
			if err != nil {
				return nil, err
			}
			status.Serving = true
			b.know(source, embedded{status})
			return vector.NewFinder(model, index, b.cfg.Effort)
		}
		set, asked = fitted, model
	case Endpoint:
		asked = b.embed.Questions()
	default:
		return nil, nil
	}
	server := "Milvus"
	if b.milvus == nil {
		server = "The endpoint of embeddings"
	}
	g, err := guard(ctx, b, status, source, server, func(ctx context.Context) (*onServer, error) {
		vectors := set
		if b.cfg.Embedder == Endpoint {
			var err error
			if vectors, err = b.embedTexts(ctx, source, corpus); err != nil {
				return nil, err
			}
		}
		return b.found(ctx, source, asked, vectors)
	})
	if err != nil {
		return nil, err
	}
	b.know(source, g)
	return vectors{b, source, g}, nil
}

// found makes what finds vectors, on Milvus or in memory.
func (b *Backend) found(ctx context.Context, source string, asked vector.Embedder, set vector.Set) (*onServer, error) {
	list := &onServer{}
	var index vector.Index
	var err error
	if b.milvus != nil {
		answered := b.deps.Meter.Ask(ctx, meter.Milvus, meter.OpIndex)
		collection, err := b.milvus.Build(ctx, source, set, nil)
		answered(meter.ResultOf(err))
		if err != nil {
			return nil, err
		}
		index, list.count = measuredIndex{collection, b.deps.Meter}, collection.Count
	} else {
		if index, err = vector.NewFlat(vector.FlatConfig{}, set); err != nil {
			return nil, err
		}
		list.count = func(context.Context) (int, error) { return set.Len(), nil }
	}
	if b.embed != nil {
		list.check = func(ctx context.Context) error {
			_, err := asked.Embed(ctx, []string{"orders"})
			return err
		}
	}
	list.finder, err = vector.NewFinder(asked, index, b.cfg.Effort)
	return list, err
}

// embedTexts asks the endpoint for the vectors of texts that are new.
func (b *Backend) embedTexts(ctx context.Context, source string, corpus vector.Corpus) (vector.Set, error) {
	texts := make([]string, corpus.Docs.Size())
	for n := range texts {
		texts[n] = corpus.Text(n)
	}
	set, store, err := b.stored(source).Embed(ctx, b.embed, texts, nil)
	if err != nil {
		return set, err
	}
	set.Labels = corpus.Labels()
	if err := b.store(source, store); err != nil {
		// The vectors are there; they will be asked for again at the next start.
		b.deps.Log.Warn("vectors are not kept", "source", source, "error", err)
	}
	return set, nil
}

func (b *Backend) file(source string) string { return filepath.Join(b.deps.Dir, source+".vectors") }

// stored returns the vectors that were kept; nil where there are none that can be
// read.
func (b *Backend) stored(source string) *vector.Store {
	if b.deps.Dir == "" {
		return nil
	}
	f, err := os.Open(b.file(source))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	store, err := vector.ReadStore(f)
	if err != nil {
		b.deps.Log.Warn("kept vectors cannot be read and are made again", "source", source, "error", err)
		return nil
	}
	return store
}

// store keeps vectors: written beside and put in place when whole.
func (b *Backend) store(source string, s *vector.Store) (err error) {
	if b.deps.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(b.deps.Dir, 0o700); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	f, err := os.CreateTemp(b.deps.Dir, source+".*.tmp")
	if err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = errors.Join(s.Write(f), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	if err = os.Rename(f.Name(), b.file(source)); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	return nil
}
