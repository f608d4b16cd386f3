package retrievaltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

func TestEmbeddedLexical(t *testing.T) {
	t.Parallel()
	retrievaltest.Lexical(t, func(t *testing.T, cfg lexical.Config, docs *lexical.Documents) lexical.Index {
		t.Helper()
		cfg, err := cfg.Complete()
		require.NoError(t, err)
		x, err := lexical.New(cfg, docs, lexical.NewScorer(cfg, docs, nil))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	})
}

func TestFlatVectors(t *testing.T) {
	t.Parallel()
	retrievaltest.Vector(t, retrievaltest.Ability{Recall: 1}, func(t *testing.T, set vector.Set) vector.Index {
		t.Helper()
		x, err := vector.NewFlat(vector.FlatConfig{}, set)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	})
}
