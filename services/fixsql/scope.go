package fixsql

import (
	"context"
	"fmt"
	"slices"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// desk is what one request works with: the source's defaults and the tables that
// came with the request. It asks findata for the others as they are named.
type desk struct {
	catalog  findatav1.CatalogServiceClient
	source   string
	defaults catalog.Defaults
	known    []catalog.Table
}

func (s *Service) desk(ctx context.Context, source string, known []catalog.Table) (*desk, error) {
	if source == "" {
		source = s.config.DefaultSource
	}
	res, err := s.deps.Catalog.ListSources(ctx, &findatav1.ListSourcesRequest{})
	if err != nil {
		return nil, fmt.Errorf("look the source up: %w", err)
	}
	for _, src := range res.GetSources() {
		if src.GetName() == source {
			return &desk{catalog: s.deps.Catalog, source: source, known: known,
				defaults: catalog.Defaults{Region: src.GetDefaultRegion(), Schema: src.GetDefaultSchema()}}, nil
		}
	}
	return nil, fault.NotFound("SOURCE_UNKNOWN", "there is no source %q: `dibrain ingest` makes one", source)
}

// scope describes the tables that a statement names.
func (d *desk) scope(ctx context.Context, stmt *tree.Statement) (resolve.Scope, error) {
	excerpt, err := catalogrpc.Describe(ctx, d.catalog, d.source, d.defaults, catalogrpc.Names(stmt), d.known)
	if err != nil {
		return resolve.Scope{}, err
	}
	d.known = excerpt.Tables()
	return resolve.Scope{Catalog: excerpt, DefaultRegion: d.defaults.Region, DefaultSchema: d.defaults.Schema}, nil
}

// maxRelated bounds the tables that keys lead to and that are described for a missing join.
const maxRelated = 20

// related describes the tables that the foreign keys of known tables point to, as far as
// the asker may see them.
func (d *desk) related(ctx context.Context, tables []catalog.Table) ([]catalog.Table, error) {
	have := map[catalog.Name]bool{}
	for _, t := range append(slices.Clone(tables), d.known...) {
		have[t.Name] = true
	}
	var names []catalog.Name
	for _, t := range append(slices.Clone(tables), d.known...) {
		for _, k := range t.ForeignKeys {
			if !have[k.RefTable] && len(names) < maxRelated {
				have[k.RefTable] = true
				names = append(names, k.RefTable)
			}
		}
	}
	if len(names) > 0 {
		excerpt, err := catalogrpc.Describe(ctx, d.catalog, d.source, d.defaults, names, d.known)
		if err != nil {
			return nil, err
		}
		d.known = excerpt.Tables()
	}
	return d.known, nil
}
