package retrievaltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

func TestEmbeddedLexical(t *testing.T) {
	t.Parallel()
	retrievaltest.Lexical(t, func(t *testing.T, cfg lexical.Config, docs *lexical.Documents) lexical.Index {
		t.Helper()
		cfg, err := cfg.Complete()
		require.NoError(t, err)
		x, err := lexical.New(cfg, docs, lexical.NewScorer(cfg, docs))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	})
}
