package backend_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

// Words on Elasticsearch and vectors on Milvus find what the embedded back ends
// find, and a source can be removed from both.
func TestBothServers(t *testing.T) {
	es := retrievaltest.Server(t, "DIBRAIN_TEST_ELASTICSEARCH", "elasticsearch-start")
	mv := retrievaltest.Server(t, "DIBRAIN_TEST_MILVUS", "milvus-start")
	prefix := fmt.Sprintf("test_%x", time.Now().UnixNano())
	servers := open(t, backend.Config{
		Lexical: "elasticsearch", Elasticsearch: elastic.Config{Addresses: []string{es}, Prefix: prefix, Timeout: time.Minute},
		Vector: "milvus", Milvus: milvus.Config{Address: mv, Prefix: prefix, Timeout: time.Minute}, Embedder: "corpus",
	}, backend.Deps{})
	t.Cleanup(func() { require.NoError(t, servers.Remove(context.Background(), "shop")) })
	here := open(t, backend.Config{Embedder: "corpus"}, backend.Deps{})
	c := corpus(t, "gmv daily order", "parcel route hub", "parcel courier", "order item buyer", "courier route")
	query := lexical.Query{Terms: []lexical.Term{{Text: "parcel", Weight: 1}, {Text: "order", Weight: 0.5}}, Limit: 10}

	var words, vectors [2][]int
	for i, b := range []*backend.Backend{servers, here} {
		x, err := b.Lexical(t.Context(), "shop", weights, c.Docs, c.Scorer)
		require.NoError(t, err)
		hits, err := x.Search(t.Context(), query)
		require.NoError(t, err)
		for _, h := range hits {
			words[i] = append(words[i], h.Doc)
		}
		f, err := b.Vectors(t.Context(), "shop", c)
		require.NoError(t, err)
		vectors[i] = find(t, f, "parcels", lexical.Filter{})
		require.NoError(t, x.Close())
		require.NoError(t, f.Close())
	}
	require.Equal(t, words[1], words[0])
	require.Equal(t, vectors[1], vectors[0])
}
