package elastic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

// A server that is killed in the middle of searches and of an ingest answers nothing
// wrong and loses and doubles nothing.
func TestKilled(t *testing.T) {
	t.Parallel()
	server := retrievaltest.NewMortal(t, variable, "elasticsearch-start", "ES_PORT")
	server.Start()
	c, err := elastic.Open(elastic.Config{
		Addresses: []string{server.Address}, Replicas: -1, BulkDocuments: 100, RetryWait: 20 * time.Millisecond,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	server.Dies(t, retrievaltest.Generations{
		Build: func(ctx context.Context, seed int, progress func(done, total int)) (retrievaltest.Generation, error) {
			list := make([]retrievaltest.Document, retrievaltest.Size)
			for doc := range list {
				list[doc] = retrievaltest.Document{Name: wordOf(doc % retrievaltest.Groups), Text: fmt.Sprint("seed", seed)}
			}
			x, err := c.Build(ctx, "shop", retrievaltest.Weights(), retrievaltest.Documents(t, list), progress)
			if err != nil {
				return nil, err
			}
			return grouped{x}, nil
		},
		Current: func(ctx context.Context) (string, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.Address+"/_alias/dibrain.shop", nil)
			if err != nil {
				return "", err
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return "", err
			}
			defer func() { _ = response.Body.Close() }()
			content, err := io.ReadAll(response.Body)
			if err != nil {
				return "", err
			}
			var current map[string]any
			if err := json.Unmarshal(content, &current); err != nil {
				return "", err
			}
			return strings.Join(slices.Sorted(maps.Keys(current)), " and "), nil
		},
	})
}

// wordOf is the word that a group has.
func wordOf(group int) string { return fmt.Sprint("g", group) }

// grouped has documents that are found by the word of their group.
type grouped struct{ *elastic.Index }

// Group implements retrievaltest.Generation.
func (g grouped) Group(ctx context.Context, group int) ([]int, error) {
	hits, err := g.Search(ctx, lexical.Query{Terms: words(wordOf(group)), Limit: retrievaltest.Size})
	docs := make([]int, len(hits))
	for i, h := range hits {
		docs[i] = h.Doc
	}
	return docs, err
}
