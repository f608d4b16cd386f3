package text2sql

import (
	"context"
	"fmt"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
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
