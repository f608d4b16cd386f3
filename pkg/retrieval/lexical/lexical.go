package lexical

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/custom" // registers the analyzer type that names below use
)

// Embedded is an index in memory.

type Embedded struct {
	bleve  bleve.Index
	cfg    Config
	fields []string // of cfg, in an order that is always the same
	labels []Labels
	size   int
}

// Build indexes the documents; document n is known as n afterwards. progress, if
// any, is told how many are done. The caller closes the index.
func Build(ctx context.Context, cfg Config, size int, document func(n int) Document, progress func(done int)) (*Embedded, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	m, err := mappingOf(cfg)
	if err != nil {
		return nil, err
	}
	b, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("open an index in memory: %w", err)
	}
	x := &Embedded{bleve: b, cfg: cfg, fields: slices.Sorted(maps.Keys(cfg.Fields)), size: size, labels: make([]Labels, size)}
	if err := x.fill(ctx, document, progress); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return x, nil
}

const (
	termsAnalyzer = "terms"
	maxFields     = 16
	batchSize     = 2000
)

// mappingOf indexes only the named fields, as they come, and stores nothing.
func mappingOf(cfg Config) (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	if err := m.AddCustomAnalyzer(termsAnalyzer, map[string]any{"type": "custom", "tokenizer": whitespace.Name}); err != nil {
		return nil, fmt.Errorf("define the analyzer: %w", err)
	}
	doc := bleve.NewDocumentStaticMapping()
	for name := range cfg.Fields {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = termsAnalyzer
		f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = false, false, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	return m, nil
}

func (x *Embedded) fill(ctx context.Context, document func(int) Document, progress func(int)) error {
	for from := 0; from < x.size; from += batchSize {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("index documents: %w", err)
		}
		to := min(from+batchSize, x.size)
		batch := x.bleve.NewBatch()
		for n := from; n < to; n++ {
			fields := make(map[string]any, len(x.cfg.Fields))
			d := document(n)
			x.labels[n] = d.Labels
			for name, terms := range d.Fields {
				if _, known := x.cfg.Fields[name]; known && len(terms) > 0 {
					fields[name] = strings.Join(terms[:min(len(terms), x.cfg.MaxFieldTerms)], " ")
				}
			}
			if err := batch.Index(strconv.Itoa(n), fields); err != nil {
				return fmt.Errorf("index document %d: %w", n, err)
			}
		}
		if err := x.bleve.Batch(batch); err != nil {
			return fmt.Errorf("index documents %d to %d: %w", from, to, err)
		}
		if progress != nil {
			progress(to)
		}
	}
	return nil
}

// Search ranks the documents by BM25.
func (x *Embedded) Search(ctx context.Context, query Query) ([]Hit, error) {
	q, limit := x.queryOf(query.Terms), query.Limit
	if q == nil || limit <= 0 || x.size == 0 {
		return nil, nil
	}
	// What is not kept is found out after ranking; so the first try takes more
	// than asked for, and each further one all that is needed at most.
	for size := min(2*limit+16, x.size); ; size = min(size*4, x.size) {
		request := bleve.NewSearchRequestOptions(q, size, 0, false)
		request.SortBy([]string{"-_score", "_id"})
		result, err := x.bleve.SearchInContext(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		hits := make([]Hit, 0, min(limit, len(result.Hits)))
		for _, h := range result.Hits {
			n, err := strconv.Atoi(h.ID)
			if err != nil {
				return nil, fmt.Errorf("document id %q of the index: %w", h.ID, err)
			}
			if query.Filter.Accepts(x.labels[n]) && (query.Keep == nil || query.Keep(n)) {
				hits = append(hits, Hit{Doc: n, Score: rounded(h.Score)})
			}
			if len(hits) == limit {
				return hits, nil
			}
		}
		if len(result.Hits) < size || size >= x.size {
			return hits, nil
		}
	}
}

// rounded drops the last bits of a score: they depend on the order in which parts
// of it were added up, and would tell twins apart by chance.
func rounded(score float64) float64 { return float64(float32(score)) }

func (x *Embedded) queryOf(terms []Term) query.Query {
	terms = terms[:min(len(terms), x.cfg.MaxQueryTerms)]
	var clauses []query.Query
	for _, t := range terms {
		for _, field := range x.fields {
			if boost := x.cfg.Fields[field].Weight * t.Weight; boost > 0 {
				c := query.NewTermQuery(t.Text)
				c.SetField(field)
				c.SetBoost(boost)
				clauses = append(clauses, c)
			}
		}
	}
	if len(clauses) == 0 {
		return nil
	}
	return query.NewDisjunctionQuery(clauses)
}

// Close frees the index. No search may be under way.
func (x *Embedded) Close() error {
	if err := x.bleve.Close(); err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}
