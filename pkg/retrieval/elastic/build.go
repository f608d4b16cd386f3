package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
)

// Fields of a document beside its own: its number and its labels.
const (
	fieldDoc    = "doc"
	fieldRegion = "region"
	fieldSchema = "schema"
	fieldMart   = "mart"
	// ownPrefix begins the fields of a document.
	ownPrefix = "t_"
)

// Build fills the index of a source with documents and makes it the current one;
// an index with the same content is taken as it is. cfg weighs the fields as it
// does in the embedded index. progress, if any, is told how many documents are
// sent. Errors: faults of the server, ctx's.
func (c *Client) Build(ctx context.Context, source string, cfg lexical.Config, docs *lexical.Documents, progress func(done, total int)) (*Index, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if !remote.IsPlain(source) {
		return nil, fmt.Errorf("elasticsearch: source name %q: use lower-case letters, digits and _", source)
	}
	b := &build{c: c, source: source, weights: weightsOf(cfg), cfg: cfg, docs: docs, progress: progress}
	settings, err := json.Marshal(b.settings())
	if err != nil {
		return nil, fmt.Errorf("write the index' settings: %w", err)
	}
	b.index = c.names.Generation(source, remote.PrintOfDocuments(docs, string(settings)))
	filled, err := b.filled(ctx)
	if err != nil {
		return nil, err
	}
	if !filled {
		if err := b.fill(ctx); err != nil {
			return nil, fmt.Errorf("fill index %s: %w", b.index, err)
		}
	}
	if err := b.publish(ctx); err != nil {
		return nil, fmt.Errorf("make index %s the current one: %w", b.index, err)
	}
	return &Index{c: c, name: b.index, fields: b.weights.boosts(), maxTerms: cfg.MaxQueryTerms, size: docs.Size()}, nil
}

// build is the making of one generation.
type build struct {
	c        *Client
	source   string
	index    string
	cfg      lexical.Config
	weights  weights
	docs     *lexical.Documents
	progress func(done, total int)
}

// weights of fields on a scale on which the least is 1, which is the least that
// the server takes.
type weights struct {
	scale  float64
	fields map[string]float64
	b      float64
}

func weightsOf(cfg lexical.Config) weights {
	w := weights{scale: 1, fields: make(map[string]float64)}
	least, sum := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(cfg.Fields)) {
		f := cfg.Fields[name]
		if f.Weight <= 0 {
			continue
		}
		if least == 0 || f.Weight < least {
			least = f.Weight
		}
		w.fields[name] = f.Weight
		w.b += f.Weight * f.B
		sum += f.Weight
	}
	if least > 0 {
		w.scale, w.b = 1/least, w.b/sum
	}
	return w
}

// boosts returns the fields as the server weighs them, in an order that is always
// the same.
func (w weights) boosts() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(w.fields)) {
		list = append(list, ownPrefix+name+"^"+strconv.FormatFloat(w.fields[name]*w.scale, 'f', 4, 64))
	}
	return list
}

// settings of the index. Occurrences are scaled as the weights are, and so is k1,
// where they saturate.
func (b *build) settings() map[string]any {
	properties := map[string]any{
		fieldDoc:    map[string]any{"type": "integer"},
		fieldRegion: map[string]any{"type": "keyword"},
		fieldSchema: map[string]any{"type": "keyword"},
		fieldMart:   map[string]any{"type": "keyword"},
	}
	for name := range b.weights.fields {
		properties[ownPrefix+name] = map[string]any{"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
	}
	return map[string]any{
		"settings": map[string]any{
			"index": map[string]any{
				"number_of_shards": 1, "number_of_replicas": max(0, b.c.cfg.Replicas), "refresh_interval": "-1",
				"similarity": map[string]any{"default": map[string]any{"type": "BM25", "k1": b.cfg.K1 * b.weights.scale, "b": b.weights.b}},
			},
		},
		"mappings": map[string]any{"dynamic": "strict", "_source": map[string]any{"enabled": false}, "properties": properties},
	}
}

// meta is written to the index when it is whole.
type meta struct {
	Documents int  `json:"documents"`
	Whole     bool `json:"whole"`
}

// filled tells whether the index is there with all its documents.
func (b *build) filled(ctx context.Context) (bool, error) {
	var answer map[string]struct {
		Mappings struct {
			Meta meta `json:"_meta"`
		} `json:"mappings"`
	}
	err := b.c.do(ctx, b.c.cfg.Timeout, esapi.IndicesGetMappingRequest{Index: []string{b.index}}, &answer)
	if kindOf(err) == "index_not_found_exception" {
		return false, nil
	}
	return answer[b.index].Mappings.Meta == meta{Documents: b.docs.Size(), Whole: true}, err
}

// fill sends all documents. Another replica may do the same at the same time:
// documents have ids, so that both end with the same index.
func (b *build) fill(ctx context.Context) error {
	settings, err := body(b.settings())
	if err != nil {
		return err
	}
	err = b.c.do(ctx, b.c.cfg.BulkTimeout, esapi.IndicesCreateRequest{Index: b.index, Body: settings}, nil)
	if err != nil && kindOf(err) != "resource_already_exists_exception" {
		return err
	}
	var lines []byte
	for n := range b.docs.Size() {
		if lines, err = b.appendDocument(lines, n); err != nil {
			return err
		}
		if (n+1)%b.c.cfg.BulkDocuments != 0 && len(lines) < b.c.cfg.BulkBytes && n+1 < b.docs.Size() {
			continue
		}
		if err := b.send(ctx, lines); err != nil {
			return fmt.Errorf("send documents up to %d of %d: %w", n+1, b.docs.Size(), err)
		}
		lines = lines[:0]
		if b.progress != nil {
			b.progress(n+1, b.docs.Size())
		}
	}
	return b.finish(ctx)
}

// appendDocument writes a document as two lines of JSON.
func (b *build) appendDocument(lines []byte, n int) ([]byte, error) {
	d := b.docs.Document(n)
	fields := map[string]any{
		fieldDoc: n, fieldRegion: strings.ToLower(d.Region), fieldSchema: strings.ToLower(d.Schema), fieldMart: strings.ToLower(d.Mart),
	}
	for name, terms := range d.Fields {
		if _, weighed := b.weights.fields[name]; weighed {
			fields[ownPrefix+name] = strings.Join(terms[:min(len(terms), b.cfg.MaxFieldTerms)], " ")
		}
	}
	content, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write document %d: %w", n, err)
	}
	lines = fmt.Appendf(lines, "{\"index\":{\"_id\":\"%d\"}}\n", n)
	lines = append(lines, content...)
	return append(lines, '\n'), nil
}

// send hands documents over; one that is not taken fails all.
func (b *build) send(ctx context.Context, lines []byte) error {
	var answer struct {
		Errors bool `json:"errors"`
		Items  []map[string]struct {
			ID     string `json:"_id"`
			Status int    `json:"status"`
			Error  struct {
				Type   string `json:"type"`
				Reason string `json:"reason"`
			} `json:"error"`
		} `json:"items"`
	}
	if err := b.c.do(ctx, b.c.cfg.BulkTimeout, esapi.BulkRequest{Index: b.index, Body: bytes.NewReader(lines)}, &answer); err != nil {
		return err
	}
	if !answer.Errors {
		return nil
	}
	for _, item := range answer.Items {
		for _, r := range item {
			if r.Status >= http.StatusBadRequest {
				e := &statusError{status: r.Status, kind: r.Error.Type, said: "document " + r.ID + ": " + r.Error.Reason}
				if r.Status == http.StatusTooManyRequests {
					return b.c.server.Unavailable(e)
				}
				return b.c.server.Refused(e)
			}
		}
	}
	return nil
}

// finish makes the documents findable, in one segment, which makes scores exact
// and searches fast, and notes that all are there.
func (b *build) finish(ctx context.Context) error {
	index, one := []string{b.index}, 1
	for _, request := range []esapi.Request{
		esapi.IndicesForcemergeRequest{Index: index, MaxNumSegments: &one}, esapi.IndicesRefreshRequest{Index: index},
	} {
		if err := b.c.do(ctx, b.c.cfg.BulkTimeout, request, nil); err != nil {
			return err
		}
	}
	var counted struct {
		Count int `json:"count"`
	}
	if err := b.c.do(ctx, b.c.cfg.BulkTimeout, esapi.CountRequest{Index: index}, &counted); err != nil {
		return err
	}
	if counted.Count != b.docs.Size() {
		return b.c.server.Refused(fmt.Errorf("the index has %d documents instead of %d", counted.Count, b.docs.Size()))
	}
	whole, err := body(map[string]any{"_meta": meta{Documents: b.docs.Size(), Whole: true}})
	if err != nil {
		return err
	}
	return b.c.do(ctx, b.c.cfg.Timeout, esapi.IndicesPutMappingRequest{Index: index, Body: whole}, nil)
}

// publish moves the alias in one step and deletes generations that are too old.
func (b *build) publish(ctx context.Context) error {
	alias := b.c.names.Alias(b.source)
	all, err := b.generations(ctx)
	if err != nil {
		return err
	}
	actions := []any{map[string]any{"add": map[string]any{"index": b.index, "alias": alias}}}
	for _, g := range all {
		if g.name != b.index && g.current {
			actions = append(actions, map[string]any{"remove": map[string]any{"index": g.name, "alias": alias, "must_exist": false}})
		}
	}
	moves, err := body(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	if err := b.c.do(ctx, b.c.cfg.Timeout, esapi.IndicesUpdateAliasesRequest{Body: moves}, nil); err != nil {
		return err
	}
	kept := 0
	for _, g := range all {
		if g.name == b.index {
			continue
		}
		if kept++; kept <= b.c.cfg.KeepGenerations {
			continue
		}
		err := b.c.do(ctx, b.c.cfg.BulkTimeout, esapi.IndicesDeleteRequest{Index: []string{g.name}}, nil)
		if err != nil && kindOf(err) != "index_not_found_exception" {
			return err
		}
	}
	return nil
}

// generation is an index of the source on the server.
type generation struct {
	name    string
	created int64 // milliseconds
	current bool
}

// generations returns what there is, the current one and then the latest first.
func (b *build) generations(ctx context.Context) ([]generation, error) {
	alias := b.c.names.Alias(b.source)
	var answer map[string]struct {
		Aliases  map[string]any `json:"aliases"`
		Settings struct {
			Index struct {
				Created string `json:"creation_date"`
			} `json:"index"`
		} `json:"settings"`
	}
	allowNone := true
	request := esapi.IndicesGetRequest{Index: []string{alias + b.c.names.Separator + "*"}, Features: "aliases,settings", AllowNoIndices: &allowNone}
	if err := b.c.do(ctx, b.c.cfg.Timeout, request, &answer); err != nil {
		return nil, err
	}
	var all []generation
	for name, index := range answer {
		if !b.c.names.IsGeneration(b.source, name) {
			continue
		}
		g := generation{name: name}
		_, g.current = index.Aliases[alias]
		if created, err := strconv.ParseInt(index.Settings.Index.Created, 10, 64); err == nil {
			g.created = created
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b generation) int {
		if a.current != b.current {
			if a.current {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// Remove deletes all generations of a source, and with them its alias.
func (c *Client) Remove(ctx context.Context, source string) error {
	all, err := (&build{c: c, source: source}).generations(ctx)
	if err != nil {
		return err
	}
	for _, g := range all {
		err := c.do(ctx, c.cfg.BulkTimeout, esapi.IndicesDeleteRequest{Index: []string{g.name}}, nil)
		if err != nil && kindOf(err) != "index_not_found_exception" {
			return fmt.Errorf("remove index %s: %w", g.name, err)
		}
	}
	return nil
}
