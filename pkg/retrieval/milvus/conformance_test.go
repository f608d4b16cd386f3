package milvus_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/milvus"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

const variable = "DIBRAIN_TEST_MILVUS"

// open returns a client whose names are this test's own.
func open(t *testing.T, cfg milvus.Config) *milvus.Client {
	t.Helper()
	cfg.Address = retrievaltest.Server(t, variable, "milvus-start")
	cfg.Prefix = fmt.Sprintf("test_%x", time.Now().UnixNano())
	cfg.Timeout = time.Minute
	c, err := milvus.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func TestConformance(t *testing.T) {
	c := open(t, milvus.Config{})
	var count atomic.Int64
	retrievaltest.Vector(t, retrievaltest.Ability{Recall: 0.95}, func(t *testing.T, set vector.Set) vector.Index {
		t.Helper()
		source := fmt.Sprintf("s%d", count.Add(1))
		t.Cleanup(func() { require.NoError(t, c.Remove(context.Background(), source)) })
		x, err := c.Build(t.Context(), source, set, nil)
		require.NoError(t, err)
		return x
	})
}
