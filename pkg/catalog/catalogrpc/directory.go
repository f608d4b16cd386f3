package catalogrpc

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// Lister is the part of findata's catalog client that a Directory needs.
type Lister interface {
	ListTables(ctx context.Context, in *findatav1.ListTablesRequest, opts ...grpc.CallOption) (*findatav1.ListTablesResponse, error)
}

// Directory lists the tables of a source through findata, as the asker. It
// implements guard.Directory.
type Directory struct {
	client Lister
	source string
}

// NewDirectory returns the directory of a source.
func NewDirectory(client Lister, source string) *Directory {
	return &Directory{client: client, source: source}
}

// Tables of a page: fewer where they come with their columns, since a message has
// a greatest size.
const (
	pageOfNames   = 1000
	pageOfColumns = 100
)

// Tables implements guard.Directory.
func (d *Directory) Tables(ctx context.Context, filter guard.Filter, limit int) (tables []catalog.Table, more bool, err error) {
	req := &findatav1.ListTablesRequest{Source: d.source, PageSize: pageOfNames, WithColumns: filter.WithColumns, NameContains: contained(filter)}
	if filter.WithColumns {
		req.PageSize = pageOfColumns
	}
	for {
		res, err := d.client.ListTables(ctx, req)
		if err != nil {
			return nil, false, fmt.Errorf("list tables: %w", err)
		}
		for _, t := range catalogpb.ToTables(res.GetTables()) {
			if !filter.Fits(t.Name) {
				continue
			}
			if len(tables) == limit {
				return tables, true, nil
			}
			tables = append(tables, t)
		}
		if req.PageToken = res.GetNextPageToken(); req.PageToken == "" {
			return tables, false, nil
		}
	}
}

// contained is a part of the names that fit, region.schema.table.
func contained(f guard.Filter) string {
	parts := []string{f.Region, f.Schema, f.Table}
	first, last := 0, len(parts)
	for first < last && parts[first] == "" {
		first++
	}
	for i := first; i < last; i++ {
		if parts[i] == "" {
			last = i
		}
	}
	return strings.Join(parts[first:last], ".")
}
