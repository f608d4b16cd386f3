package elastic_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

const variable = "DIBRAIN_TEST_ELASTICSEARCH"

// open returns a client whose names are this test's own; they go with the test.
func open(t *testing.T) *elastic.Client {
	t.Helper()
	address := retrievaltest.Server(t, variable, "elasticsearch-start")
	c, err := elastic.Open(elastic.Config{
		Addresses: []string{address}, Replicas: -1, Timeout: 30 * time.Second,
		Prefix: fmt.Sprintf("test_%x", time.Now().UnixNano()),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func TestConformance(t *testing.T) {
	c := open(t)
	var count atomic.Int64
	retrievaltest.Lexical(t, func(t *testing.T, cfg lexical.Config, docs *lexical.Documents) lexical.Index {
		t.Helper()
		source := fmt.Sprintf("s%d", count.Add(1))
		t.Cleanup(func() { require.NoError(t, c.Remove(context.Background(), source)) })
		x, err := c.Build(t.Context(), source, cfg, docs, nil)
		require.NoError(t, err)
		return x
	})
}

func words(text string) (list []lexical.Term) {
	for _, w := range strings.Fields(text) {
		list = append(list, lexical.Term{Text: w, Weight: 1})
	}
	return list
}
