package findata

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/retrieval/vector/endpoint"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"
)

// onServers is a search whose words are on an Elasticsearch and whose vectors come
// from an endpoint that nobody listens at.
func onServers(e *retrievaltest.Elasticsearch) Config {
	return Config{Search: backend.Config{
		Lexical: backend.Elasticsearch, Embedder: backend.Endpoint,
		Budget: 2 * time.Second, Failures: 1, ProbeAfter: time.Millisecond,
		Elasticsearch: elastic.Config{Addresses: []string{e.URL}, Timeout: time.Minute, RetryWait: time.Millisecond},
		Endpoint:      endpoint.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "none", Dim: 4, Attempts: 1},
	}}
}

func warned(r *findatav1.DiscoverResult) (all []string) {
	for _, w := range r.GetWarnings() {
		all = append(all, w.GetCode()+": "+w.GetMessage())
	}
	return all
}

// One search server down takes nothing from the answer but what only it knows: the
// rest answers within its budget, and the answer, the index' status and readiness tell.
func TestSearchGoesOnWithoutAServer(t *testing.T) {
	t.Parallel()
	e := retrievaltest.NewElasticsearch(t)
	s := demoWith(t, onServers(e), nil)
	ask := func(text string) *findatav1.DiscoverResult {
		ctx, cancel := context.WithTimeout(as(t, "ann"), 30*time.Second) // half of what Elasticsearch may take
		defer cancel()
		out, err := (&findDataServer{service: s}).DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: &findatav1.DiscoverQuery{UserQuery: text}})
		require.NoError(t, err)
		require.NotEmpty(t, out.GetResult().GetRelatedTables())
		return out.GetResult()
	}
	lists := func() map[string]*findatav1.SearchList {
		status, err := (&catalogServer{service: s}).GetIndexStatus(admin(t), &findatav1.GetIndexStatusRequest{})
		require.NoError(t, err)
		require.Equal(t, "elasticsearch", status.GetLexicalBackend())
		require.Equal(t, "endpoint", status.GetEmbedder())
		by := make(map[string]*findatav1.SearchList)
		for _, l := range status.GetSearchLists() {
			by[l.GetList()] = l
		}
		return by
	}
	const withoutVectors = "SEARCH_REDUCED: The search by meaning does not answer: tables were found by their words alone."
	const withoutWords = "SEARCH_REDUCED: The search server for words does not answer: tables were searched in the service's own index."

	first := ask("GMV by day")
	require.Contains(t, warned(first), withoutVectors)
	require.NotContains(t, warned(first), withoutWords)
	require.Positive(t, e.Searches.Load())
	require.True(t, lists()["words"].GetServing())
	require.Positive(t, lists()["words"].GetDocuments())
	require.Nil(t, lists()["words"].GetDownSince())
	require.False(t, lists()["vectors"].GetServing())

	e.Hang(true)
	down := ask("GMV by day")
	require.Contains(t, warned(down), withoutWords)
	require.Equal(t, namesOf(first.GetRelatedTables())[0], namesOf(down.GetRelatedTables())[0], "the index in memory stands in")
	words := lists()["words"]
	require.False(t, words.GetServing())
	require.NotNil(t, words.GetDownSince())
	require.Contains(t, []string{remote.ReasonTimeout, remote.ReasonUnavailable}, words.GetLastError())
	ready := s.Ready(t.Context())
	require.ErrorContains(t, ready, "words do not come from elasticsearch since")
	require.True(t, rpc.IsDegraded(ready), "with less it still serves")

	e.Hang(false)
	require.Eventually(t, func() bool { return lists()["words"].GetServing() }, 20*time.Second, 5*time.Millisecond)
	require.NotContains(t, warned(ask("GMV by day")), withoutWords, "what was found with less is not kept")
}

// A server that is away when a source is indexed leaves it searchable.
func TestIndexedWhileAServerIsAway(t *testing.T) {
	t.Parallel()
	e := retrievaltest.NewElasticsearch(t)
	e.Hang(true)
	config := onServers(e)
	config.Search.Elasticsearch.Timeout = time.Second
	s := demoWith(t, config, nil)
	r := discover(t, s, "ann", &findatav1.DiscoverQuery{UserQuery: "GMV by day"})
	require.NotEmpty(t, r.GetRelatedTables())
	e.Hang(false)
	require.Eventually(t, func() bool {
		_ = s.Ready(t.Context())
		for _, l := range s.backend.Status(t.Context(), "demo") {
			if l.List == backend.Words {
				return l.Serving
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond, "its index is made when the server is back")
}

// damage cuts a generation's catalog short.
func damage(t *testing.T, g *source.Generation) {
	t.Helper()
	path := filepath.Join(g.Dir, "catalog.bin")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw[:len(raw)-1], 0o600))
}

// The service is ready when its indices stand; a source that cannot be indexed is told.
func TestReadyWhenIndexed(t *testing.T) {
	t.Parallel()
	store := snapshotStore(t, "books", bookSnapshot())
	s := serviceOver(t, store, nil)
	require.ErrorContains(t, s.Ready(t.Context()), "being indexed for the first time: books")
	require.Eventually(t, func() bool { return s.Ready(t.Context()) == nil }, 20*time.Second, time.Millisecond)

	_, err := store.Make(t.Context(), "bad", func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "bad", DefaultSchema: "main", Version: "1", Origin: "csv"}, bookSnapshot(), nil
	})
	require.NoError(t, err)
	g, err := store.Current("bad")
	require.NoError(t, err)
	damage(t, g)
	require.Eventually(t, func() bool {
		err := s.Ready(t.Context())
		return rpc.IsDegraded(err) && strings.Contains(err.Error(), `source "bad" is not indexed`)
	}, 20*time.Second, time.Millisecond, "the other source is served")

	alone, err := source.Open(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, serviceOver(t, alone, nil).Ready(t.Context()), "nothing to index")
	remake(t, alone, "only", bookSnapshot())
	g, err = alone.Current("only")
	require.NoError(t, err)
	damage(t, g)
	none := serviceOver(t, alone, nil)
	require.Eventually(t, func() bool {
		err := none.Ready(t.Context())
		return err != nil && !rpc.IsDegraded(err) && strings.Contains(err.Error(), `source "only" is not indexed`)
	}, 20*time.Second, time.Millisecond)
}
