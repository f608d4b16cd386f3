package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Index is one generation of a source on the server.
type Index struct {
	c        *Client
	name     string
	fields   []string
	maxTerms int
	size     int
}

// Name returns the name that the generation has on the server.
func (x *Index) Name() string { return x.name }

// Close implements lexical.Index. The index stays on the server.
func (x *Index) Close() error { return nil }

// Count asks the server how many documents the index has.
func (x *Index) Count(ctx context.Context) (int, error) {
	var counted struct {
		Count int `json:"count"`
	}
	err := x.c.do(ctx, x.c.cfg.Timeout, esapi.CountRequest{Index: []string{x.name}}, &counted)
	return counted.Count, err
}

// maxPage is the most that the server hands over at once.
const maxPage = 10_000

// Search implements lexical.Index. Documents that Keep does not accept are found
// out after ranking: page after page is fetched until there are enough, at most
// Config.MaxFetched documents.
func (x *Index) Search(ctx context.Context, q lexical.Query) ([]lexical.Hit, error) {
	limit := min(q.Limit, x.size)
	clauses := x.clauses(q.Terms)
	if limit <= 0 || len(clauses) == 0 {
		return nil, ctx.Err()
	}
	ask := request{
		Query: boolean{Should: clauses, Filter: filters(q.Filter), Least: 1},
		Sort:  []map[string]string{{"_score": "desc"}, {fieldDoc: "asc"}},
	}
	ask.Size = limit
	if q.Keep != nil {
		ask.Size = 2*limit + 16
	}
	ask.Size = min(ask.Size, maxPage, x.size)
	hits := make([]lexical.Hit, 0, limit)
	for fetched := 0; fetched < x.c.cfg.MaxFetched; fetched += ask.Size {
		page, err := x.fetch(ctx, &ask)
		if err != nil {
			return nil, err
		}
		for _, h := range page {
			if q.Keep == nil || q.Keep(h.Doc) {
				hits = append(hits, h)
			}
			if len(hits) == limit {
				return hits, nil
			}
		}
		if len(page) < ask.Size {
			break
		}
	}
	return hits, nil
}

// request is a search in Elasticsearch's words.
type request struct {
	Size   int                 `json:"size"`
	Source bool                `json:"_source"`
	Total  bool                `json:"track_total_hits"`
	Query  boolean             `json:"query"`
	Sort   []map[string]string `json:"sort"`
	After  []json.RawMessage   `json:"search_after,omitempty"`
}

type boolean struct {
	Should []any
	Filter []any
	Least  int
}

// MarshalJSON implements json.Marshaler.
func (b boolean) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"bool": map[string]any{"should": b.Should, "filter": b.Filter, "minimum_should_match": b.Least}})
}

// clauses returns one clause a term. The analyzer splits at white space alone, so
// a term is found as it was sent.
func (x *Index) clauses(terms []lexical.Term) []any {
	if len(x.fields) == 0 {
		return nil
	}
	var clauses []any
	for _, t := range terms[:min(len(terms), x.maxTerms)] {
		if t.Weight <= 0 || strings.TrimSpace(t.Text) == "" {
			continue
		}
		clauses = append(clauses, map[string]any{"combined_fields": map[string]any{
			"query": t.Text, "fields": x.fields, "boost": t.Weight, "operator": "and",
		}})
	}
	return clauses
}

func filters(f lexical.Filter) []any {
	clauses := []any{}
	for _, one := range []struct {
		field string
		list  []string
	}{{fieldRegion, f.Regions}, {fieldSchema, f.Schemas}, {fieldMart, f.Marts}} {
		if len(one.list) == 0 {
			continue
		}
		lower := make([]string, len(one.list))
		for i, v := range one.list {
			lower[i] = strings.ToLower(v)
		}
		clauses = append(clauses, map[string]any{"terms": map[string]any{one.field: lower}})
	}
	return clauses
}

// fetch returns the next page and makes the request ask for the one after it.
func (x *Index) fetch(ctx context.Context, page *request) ([]lexical.Hit, error) {
	var answer struct {
		TimedOut bool `json:"timed_out"`
		Hits     struct {
			Hits []struct {
				Sort []json.RawMessage `json:"sort"`
			} `json:"hits"`
		} `json:"hits"`
	}
	content, err := body(page)
	if err != nil {
		return nil, err
	}
	if err := x.c.do(ctx, x.c.cfg.Timeout, esapi.SearchRequest{Index: []string{x.name}, Body: content}, &answer); err != nil {
		return nil, fmt.Errorf("search index %s: %w", x.name, err)
	}
	hits := make([]lexical.Hit, len(answer.Hits.Hits))
	for i, h := range answer.Hits.Hits {
		if len(h.Sort) != 2 || json.Unmarshal(h.Sort[0], &hits[i].Score) != nil || json.Unmarshal(h.Sort[1], &hits[i].Doc) != nil {
			return nil, x.c.server.Refused(fmt.Errorf("a hit of index %s has no score and number", x.name))
		}
		if hits[i].Doc < 0 || hits[i].Doc >= x.size {
			return nil, x.c.server.Refused(fmt.Errorf("index %s has a document %d, which it was not given", x.name, hits[i].Doc))
		}
		page.After = h.Sort
	}
	return hits, nil
}
