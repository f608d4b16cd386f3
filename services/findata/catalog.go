package findata

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/services/findata/answer"
)

// catalogServer is CatalogService over the use cases. It translates only.
type catalogServer struct {
	findatav1.UnimplementedCatalogServiceServer
	service *Service
}

// ListSources implements CatalogService.
func (s *catalogServer) ListSources(ctx context.Context, _ *findatav1.ListSourcesRequest) (*findatav1.ListSourcesResponse, error) {
	sources, err := s.service.listSources(ctx)
	if err != nil {
		return nil, err
	}
	out := &findatav1.ListSourcesResponse{}
	for _, i := range sources {
		out.Sources = append(out.Sources, &findatav1.Source{
			Name: i.Name, Engine: i.Engine, TableCount: int32(i.Tables), IsDefault: i.IsDefault, Origin: i.Origin,
			DefaultRegion: i.DefaultRegion, DefaultSchema: i.DefaultSchema,
		})
	}
	return out, nil
}

// ListMarts implements CatalogService.
func (s *catalogServer) ListMarts(ctx context.Context, r *findatav1.ListMartsRequest) (*findatav1.ListMartsResponse, error) {
	d, err := s.service.open(ctx, r.GetSource())
	if err != nil {
		return nil, err
	}
	defer d.release()
	marts, count := d.marts()
	out := &findatav1.ListMartsResponse{}
	for _, m := range marts {
		out.Marts = append(out.Marts, &findatav1.Mart{Name: m.Name, Description: m.Description, Synonyms: m.Synonyms, TableCount: int32(count[m.Name])})
	}
	return out, nil
}

// ListTables implements CatalogService.
func (s *catalogServer) ListTables(ctx context.Context, r *findatav1.ListTablesRequest) (*findatav1.ListTablesResponse, error) {
	page, err := s.service.listTables(ctx, r.GetSource(), r.GetMart(), r.GetNameContains(), int(r.GetPageSize()), r.GetPageToken(), r.GetWithColumns())
	if err != nil {
		return nil, err
	}
	return &findatav1.ListTablesResponse{Tables: catalogpb.FromTables(page.Tables), NextPageToken: page.Next, Total: int32(page.Total)}, nil
}

// DescribeTables implements CatalogService.
func (s *catalogServer) DescribeTables(ctx context.Context, r *findatav1.DescribeTablesRequest) (*findatav1.DescribeTablesResponse, error) {
	found, err := s.service.describeTables(ctx, r.GetSource(), r.GetTables())
	if err != nil {
		return nil, err
	}
	out := &findatav1.DescribeTablesResponse{Tables: catalogpb.FromTables(found.Tables)}
	for _, name := range found.Missing {
		out.UnknownTables = append(out.UnknownTables, &findatav1.UnknownTable{Name: name, Near: answer.Names(found.Unknown[name])})
	}
	return out, nil
}

// GetGlossary implements CatalogService.
func (s *catalogServer) GetGlossary(ctx context.Context, r *findatav1.GetGlossaryRequest) (*findatav1.GetGlossaryResponse, error) {
	d, err := s.service.open(ctx, r.GetSource())
	if err != nil {
		return nil, err
	}
	defer d.release()
	terms, rules := d.glossary(r.GetMart())
	out := &findatav1.GetGlossaryResponse{}
	for _, t := range terms {
		out.Terms = append(out.Terms, catalogpb.FromTerm(t))
	}
	for _, rule := range rules {
		out.Rules = append(out.Rules, catalogpb.FromRule(rule))
	}
	return out, nil
}

// Ingest implements CatalogService.
func (s *catalogServer) Ingest(r *findatav1.IngestRequest, stream grpc.ServerStreamingServer[findatav1.IngestResponse]) error {
	// Progress is told by the goroutine that indexes, which outlives a caller who
	// goes away: after that nothing may be sent.
	var mu sync.Mutex
	gone := false
	var sendErr error
	send := func(m *findatav1.IngestResponse) {
		mu.Lock()
		defer mu.Unlock()
		if !gone && sendErr == nil {
			sendErr = stream.Send(m)
		}
	}
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		gone = true
	}()
	tables, swapped, err := s.service.ingest(stream.Context(), r.GetSource(), func(done, total int) {
		send(&findatav1.IngestResponse{Done: int32(done), Total: int32(total), Message: "indexing tables"})
	})
	if err != nil {
		return err
	}
	message := "the current generation is indexed already"
	if swapped {
		message = "the new index answers"
	}
	send(&findatav1.IngestResponse{Done: int32(tables), Total: int32(tables), Message: message, Swapped: true})
	return sendErr
}

// GetIndexStatus implements CatalogService.
func (s *catalogServer) GetIndexStatus(ctx context.Context, r *findatav1.GetIndexStatusRequest) (*findatav1.GetIndexStatusResponse, error) {
	status, err := s.service.indexStatus(ctx, r.GetSource())
	if err != nil {
		return nil, err
	}
	out := &findatav1.GetIndexStatusResponse{
		Tables: int32(status.Tables), Generation: status.Generation, MemoryBytes: status.Bytes,
		Use: fromFigures(status.Use), KnowledgeBases: status.Knowledge,
	}
	if !status.BuiltAt.IsZero() {
		out.BuiltAt = timestamppb.New(status.BuiltAt)
	}
	for _, l := range status.Lists {
		list := &findatav1.SearchList{List: l.List, Backend: l.Backend, Serving: l.Serving, Documents: int64(l.Documents), LastError: l.Reason}
		if !l.Since.IsZero() {
			list.DownSince = timestamppb.New(l.Since)
		}
		out.SearchLists = append(out.SearchLists, list)
		switch l.List {
		case backend.Words:
			out.LexicalBackend = l.Backend
		case backend.Vectors:
			out.VectorBackend, out.Embedder = l.Backend, l.Embedder
		}
	}
	for _, l := range status.Lost {
		out.FailedCatalogs = append(out.FailedCatalogs, &findatav1.FailedCatalog{Catalog: l.Where, Message: l.Why})
	}
	return out, nil
}
