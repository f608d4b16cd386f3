package backend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/endpoint"
)

type words struct{}

func (words) Terms(text string) []string { return strings.Fields(text) }

var weights = lexical.Config{Fields: map[string]lexical.Field{"text": {Weight: 1, B: 0.5}}}

func corpus(t *testing.T, texts ...string) vector.Corpus {
	t.Helper()
	docs, err := lexical.NewDocuments([]string{"text"}, 0)
	require.NoError(t, err)
	for n, text := range texts {
		var ids []int32
		for _, w := range strings.Fields(text) {
			ids = append(ids, docs.Intern(w))
		}
		docs.Add(lexical.Labels{Schema: fmt.Sprint("s", n)}, [][]int32{ids})
	}
	cfg, err := weights.Complete()
	require.NoError(t, err)
	return vector.Corpus{Docs: docs, Scorer: lexical.NewScorer(cfg, docs, nil), Analyzer: words{}, Text: func(n int) string { return texts[n] }}
}

func open(t *testing.T, cfg backend.Config, deps backend.Deps) *backend.Backend {
	t.Helper()
	b, err := backend.Open(t.Context(), cfg, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func find(t *testing.T, f retrieval.Finder, text string, filter lexical.Filter) []int {
	t.Helper()
	hits, err := f.Find(t.Context(), vector.Ask{Text: text, Filter: filter, Limit: 2})
	require.NoError(t, err)
	var docs []int
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	return docs
}

func TestByDefaultEmbeddedWithoutVectors(t *testing.T) {
	t.Parallel()
	b := open(t, backend.Config{}, backend.Deps{})
	c := corpus(t, "gmv daily", "parcel route")
	x, err := b.Lexical(t.Context(), "shop", weights, c.Docs, c.Scorer)
	require.NoError(t, err)
	hits, err := x.Search(t.Context(), lexical.Query{Terms: []lexical.Term{{Text: "route", Weight: 1}}, Limit: 3})
	require.NoError(t, err)
	require.Equal(t, 1, hits[0].Doc)
	f, err := b.Vectors(t.Context(), "shop", c)
	require.NoError(t, err)
	require.Nil(t, f)
}

func TestEmbedderOfTheCorpus(t *testing.T) {
	t.Parallel()
	b := open(t, backend.Config{Embedder: "corpus"}, backend.Deps{})
	f, err := b.Vectors(t.Context(), "shop", corpus(t, "gmv daily order", "parcel route hub", "parcel courier"))
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, find(t, f, "parcels", lexical.Filter{}), "by spelling")
	require.Equal(t, []int{1}, find(t, f, "parcel", lexical.Filter{Schemas: []string{"S1"}}))
	byTerms, err := f.Find(t.Context(), vector.Ask{Text: "parcel", Terms: []lexical.Term{{Text: "gmv", Weight: 1}}, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, 0, byTerms[0].Doc, "terms count before the text")
	require.NoError(t, f.Close())

	f, err = b.Vectors(t.Context(), "empty", corpus(t))
	require.NoError(t, err)
	require.Nil(t, f, "no words, no vectors")
}

// vowels is an endpoint whose vectors count the letters a and e.
type vowels struct{ texts []string }

func (v *vowels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Input []string `json:"input"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	v.texts = append(v.texts, asked.Input...)
	var data []string
	for i, text := range asked.Input {
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, strings.Count(text, "a"), strings.Count(text, "e")))
	}
	fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
}

// Vectors of an endpoint are kept on the disk: a restart asks for new texts only,
// a damaged file for all.
func TestEmbedderAtAnEndpoint(t *testing.T) {
	t.Parallel()
	v := &vowels{}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	cfg := backend.Config{Embedder: "endpoint", Endpoint: endpoint.Config{BaseURL: server.URL, Model: "vowels", Dim: 2}}
	dir := filepath.Join(t.TempDir(), "vectors")

	f, err := open(t, cfg, backend.Deps{Dir: dir}).Vectors(t.Context(), "shop", corpus(t, "banana", "tree", "ccc"))
	require.NoError(t, err)
	require.Equal(t, []string{"banana", "tree", "ccc"}, v.texts)
	require.Equal(t, []int{1, 0}, find(t, f, "eeeea", lexical.Filter{}))

	_, err = open(t, cfg, backend.Deps{Dir: dir}).Vectors(t.Context(), "shop", corpus(t, "banana", "apple"))
	require.NoError(t, err)
	require.Equal(t, []string{"banana", "tree", "ccc", "eeeea", "apple"}, v.texts)

	file := filepath.Join(dir, "shop.vectors")
	require.NoError(t, os.WriteFile(file, []byte("rubbish"), 0o600))
	b := open(t, cfg, backend.Deps{Dir: dir})
	_, err = b.Vectors(t.Context(), "shop", corpus(t, "banana"))
	require.NoError(t, err)
	require.Equal(t, "banana", v.texts[5])
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no half-written file")

	require.NoError(t, b.Remove(context.Background(), "shop"))
	require.NoFileExists(t, file)
	require.NoError(t, b.Remove(context.Background(), "shop"))
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]backend.Config{
		`lexical is "lucene"`:     {Lexical: "lucene"},
		`vector is "faiss"`:       {Vector: "faiss"},
		`embedder is "word2vec"`:  {Embedder: "word2vec"},
		"elasticsearch.addresses": {Lexical: "elasticsearch"},
		"credentials":             {Lexical: "elasticsearch", Elasticsearch: elastic.Config{Addresses: []string{"http://u:p@h"}}},
		"embedder is none":        {Vector: "milvus", Milvus: milvus.Config{Address: "h:1"}},
		"milvus.address":          {Vector: "milvus", Embedder: "corpus"},
		"milvus.index":            {Vector: "milvus", Embedder: "corpus", Milvus: milvus.Config{Address: "h:1", Index: "ANNOY"}},
		"milvus.metric":           {Vector: "milvus", Embedder: "corpus", Milvus: milvus.Config{Address: "h:1", Metric: "HAMMING"}},
		"endpoint.base_url":       {Embedder: "endpoint"},
		"effort default":          {Effort: vector.Efforts{Default: vector.Effort{EF: -1}}},
	} {
		_, err := backend.Open(t.Context(), cfg, backend.Deps{})
		require.ErrorContains(t, err, want)
	}
}
