package milvus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Index is one generation of a source on the server.
type Index struct {
	c    *Client
	name string
	dim  int
	size int // documents
	rows int // of them, those with a direction
}

// Name returns the name that the generation has on the server.
func (x *Index) Name() string { return x.name }

// Close implements vector.Index. The collection stays on the server.
func (x *Index) Close() error { return nil }

// Count asks the server how many documents the collection has, those that were sent
// last perhaps not included.
func (x *Index) Count(ctx context.Context) (int, error) {
	bounded, cancel := context.WithTimeout(ctx, x.c.cfg.Timeout)
	defer cancel()
	n, err := x.c.count(bounded, x.name, entity.ClEventually)
	if err != nil {
		return 0, x.c.failed(ctx, fmt.Errorf("count collection %s: %w", x.name, err))
	}
	return n, nil
}

// Search implements vector.Index. Documents that Keep does not accept are found
// out after ranking: more and more are fetched until there are enough, at most
// Config.MaxFetched.
func (x *Index) Search(ctx context.Context, q vector.Query) ([]vector.Hit, error) {
	if len(q.Vector) != x.dim {
		return nil, fmt.Errorf("milvus: the question has %d dimensions, the index %d", len(q.Vector), x.dim)
	}
	direction := slices.Clone(q.Vector)
	limit := min(q.Limit, x.rows)
	if limit <= 0 || !vector.Normalise(direction) {
		return nil, ctx.Err()
	}
	bounded, cancel := context.WithTimeout(ctx, x.c.cfg.Timeout)
	defer cancel()
	most := min(x.c.cfg.MaxFetched, x.rows)
	fetch := min(limit, most)
	if q.Keep != nil {
		fetch = min(2*limit+16, most)
	}
	for {
		found, err := x.fetch(bounded, direction, q, fetch)
		if err != nil {
			return nil, x.c.failed(ctx, fmt.Errorf("search collection %s: %w", x.name, err))
		}
		hits := kept(found, q, limit)
		if len(hits) == limit || len(found) < fetch || fetch == most {
			return hits, nil
		}
		fetch = min(4*fetch, most)
	}
}

// kept leaves of ranked documents those that are near enough and that Keep
// accepts.
func kept(found []vector.Hit, q vector.Query, limit int) []vector.Hit {
	hits := make([]vector.Hit, 0, limit)
	for _, h := range found {
		if len(hits) == limit || q.MaxDistance > 0 && h.Distance() > q.MaxDistance {
			break
		}
		if q.Keep == nil || q.Keep(h.Doc) {
			hits = append(hits, h)
		}
	}
	return hits
}

// fetch returns the nearest documents, at most count.
func (x *Index) fetch(ctx context.Context, direction []float32, q vector.Query, count int) ([]vector.Hit, error) {
	param, err := x.c.cfg.param(q.Effort, count)
	if err != nil {
		return nil, err
	}
	// What was sent was waited for when the collection was made: no search needs to
	// wait for writes.
	results, err := x.c.sdk.Search(ctx, x.name, nil, expression(q.Filter), nil, []entity.Vector{entity.FloatVector(direction)},
		fieldVector, entity.MetricType(x.c.cfg.Metric), count, param, client.WithSearchQueryConsistencyLevel(entity.ClEventually))
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("%d results for one question", len(results))
	}
	if results[0].Err != nil {
		return nil, results[0].Err
	}
	return x.hits(results[0])
}

// hits reads documents and distances, and orders equally near ones.
func (x *Index) hits(result client.SearchResult) ([]vector.Hit, error) {
	if result.ResultCount == 0 {
		return nil, nil
	}
	ids, ok := result.IDs.(*entity.ColumnInt64)
	if !ok || ids.Len() != len(result.Scores) {
		return nil, errors.New("the result has no numbers of documents")
	}
	hits := make([]vector.Hit, ids.Len())
	for i, doc := range ids.Data() {
		if doc < 0 || doc >= int64(x.size) {
			return nil, fmt.Errorf("the collection has a document %d, which it was not given", doc)
		}
		score := float64(result.Scores[i])
		if entity.MetricType(x.c.cfg.Metric) == entity.L2 {
			score = 1 - score/2
		}
		hits[i] = vector.Hit{Doc: int(doc), Score: score}
	}
	slices.SortFunc(hits, vector.Compare)
	return hits, nil
}

// param returns the effort in the SDK's words; where a number is 0 the default one
// of the configuration counts.
func (c Config) param(e vector.Effort, count int) (entity.SearchParam, error) {
	if e.EF == 0 {
		e.EF = c.Efforts.Default.EF
	}
	if e.NProbe == 0 {
		e.NProbe = c.Efforts.Default.NProbe
	}
	if e.ReorderK == 0 {
		e.ReorderK = c.Efforts.Default.ReorderK
	}
	switch c.Index {
	case "HNSW":
		return entity.NewIndexHNSWSearchParam(max(e.EF, count))
	case "IVF_FLAT":
		return entity.NewIndexIvfFlatSearchParam(min(e.NProbe, c.NList))
	case "SCANN":
		return entity.NewIndexSCANNSearchParam(min(e.NProbe, c.NList), max(e.ReorderK, count))
	}
	return entity.NewIndexFlatSearchParam()
}

// expression returns a filter in Milvus' words; empty: none.
func expression(f lexical.Filter) string {
	var parts []string
	for _, one := range []struct {
		field string
		list  []string
	}{{fieldRegion, f.Regions}, {fieldSchema, f.Schemas}, {fieldMart, f.Marts}} {
		if len(one.list) == 0 {
			continue
		}
		quoted := make([]string, len(one.list))
		for i, v := range one.list {
			quoted[i] = strconv.Quote(stored(v))
		}
		parts = append(parts, one.field+" in ["+strings.Join(quoted, ",")+"]")
	}
	return strings.Join(parts, " and ")
}
