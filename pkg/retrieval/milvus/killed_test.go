package milvus_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// A server that is killed in the middle of searches and of an ingest answers nothing
// wrong and loses and doubles nothing.
func TestKilled(t *testing.T) {
	t.Parallel()
	const dim = 8
	server := retrievaltest.NewMortal(t, variable, "milvus-start", "MILVUS_PORT", "MILVUS_HEALTH_PORT")
	server.Start()
	c, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, BatchBytes: 100 * (4*dim + 100)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	server.Dies(t, retrievaltest.Generations{
		Build: func(ctx context.Context, seed int, progress func(done, total int)) (retrievaltest.Generation, error) {
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			set := vector.Set{Dim: dim, Labels: make([]lexical.Labels, retrievaltest.Size)}
			for doc := range retrievaltest.Size {
				for range dim {
					set.Data = append(set.Data, float32(random.NormFloat64()))
				}
				set.Labels[doc].Schema = schemaOf(doc % retrievaltest.Groups)
			}
			x, err := c.Build(ctx, "shop", set, progress)
			if err != nil {
				return nil, err
			}
			return grouped{x, set.Row(0)}, nil
		},
		Current: func(ctx context.Context) (string, error) {
			sdk, err := client.NewClient(ctx, client.Config{Address: server.Address})
			if err != nil {
				return "", err
			}
			described, err := sdk.DescribeCollection(ctx, "dibrain__shop")
			if err != nil {
				return "", err
			}
			return described.Name, sdk.Close()
		},
	})
}

func schemaOf(group int) string { return fmt.Sprint("g", group) }

// grouped has documents whose schema is that of their group.
type grouped struct {
	*milvus.Index
	near []float32
}

// Group implements retrievaltest.Generation.
func (g grouped) Group(ctx context.Context, group int) ([]int, error) {
	hits, err := g.Search(ctx, vector.Query{Vector: g.near, Filter: lexical.Filter{Schemas: []string{schemaOf(group)}}, Limit: retrievaltest.Size})
	docs := make([]int, len(hits))
	for i, h := range hits {
		docs[i] = h.Doc
	}
	slices.Sort(docs)
	return docs, err
}
