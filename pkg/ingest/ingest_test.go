package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/source"
)

func newStore(t *testing.T) *source.Store {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return s
}
