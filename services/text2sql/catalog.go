package text2sql

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc/codes"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// listTables asks the catalog for the tables of a small source. Of a big one it
// gets the first; a question about others has to come with its tables.
func (s *Service) listTables(ctx context.Context, name string) ([]catalog.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CatalogTimeout)
	defer cancel()
	resp, err := s.deps.Catalog.ListTables(ctx, &findatav1.ListTablesRequest{
		Source: name, PageSize: int32(s.config.MaxTables), WithColumns: true, //nolint:gosec // Complete bounds it to 1000
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables of %s: %w", name, err)
	}
	return catalogpb.ToTables(resp.GetTables()), nil
}

// describe asks the catalog for tables by name; unknown ones are left out.
func (s *Service) describe(ctx context.Context, name string, tables []string) ([]catalog.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CatalogTimeout)
	defer cancel()
	resp, err := s.deps.Catalog.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Source: name, Tables: tables})
	if err != nil {
		return nil, fmt.Errorf("describe tables of %s: %w", name, err)
	}
	return catalogpb.ToTables(resp.GetTables()), nil
}

// layers keeps the semantic layer of each source's current generation.
type layers struct {
	store    *source.Store
	pipeline *pipeline.Pipeline

	mu   sync.Mutex
	held map[string]heldLayer // by source
}

type heldLayer struct {
	dir     string
	layer   *pipeline.Layer
	written *semantic.Layer
}

// of returns the layer of a source, nil where it has none.
func (l *layers) of(name string) (*pipeline.Layer, error) {
	h, err := l.get(name)
	return h.layer, err
}

// regions are the data centres of a source, sorted.
func (l *layers) regions(name string) ([]string, error) {
	g, err := l.store.Current(name)
	if err != nil {
		return nil, err
	}
	return g.Regions(), nil
}

func (l *layers) get(name string) (heldLayer, error) {
	g, err := l.store.Current(name)
	if err != nil {
		return heldLayer{}, err
	}
	dir := g.SemanticDir()
	if dir == "" {
		return heldLayer{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if h, ok := l.held[name]; ok && h.dir == dir {
		return h, nil
	}
	written, err := semantic.Load(dir)
	if err != nil {
		return heldLayer{}, fault.New(codes.FailedPrecondition, "SEMANTIC_LAYER_INVALID",
			fmt.Sprintf("the semantic layer of source %q has mistakes; correct them and ingest it again:\n%v", name, err), "source", name)
	}
	h := heldLayer{dir: dir, layer: l.pipeline.PrepareLayer(written), written: written}
	l.held[name] = h
	return h, nil
}
