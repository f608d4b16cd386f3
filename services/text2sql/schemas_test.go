package text2sql

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

func TestSchemasAreKeptByContentAndBounded(t *testing.T) {
	t.Parallel()
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	s := newSchemas(p)
	tables := func(column string) []catalog.Table {
		return []catalog.Table{{Name: catalog.Name{Table: "shelf"}, Columns: []catalog.Column{{Name: column, Type: "bigint"}}}}
	}
	first, err := s.get(tables("height"), nil)
	require.NoError(t, err)
	again, err := s.get(tables("height"), nil)
	require.NoError(t, err)
	require.Same(t, first, again)
	other, err := s.get(tables("depth"), nil)
	require.NoError(t, err)
	require.NotSame(t, first, other, "same name, other columns")

	for i := range maxSchemas - 1 {
		_, err = s.get(tables(fmt.Sprintf("column_%d", i)), nil)
		require.NoError(t, err)
		_, err = s.get(tables("height"), nil) // stays in use
		require.NoError(t, err)
	}
	require.Len(t, s.held, maxSchemas)
	require.Len(t, s.order, maxSchemas)
	again, err = s.get(tables("height"), nil)
	require.NoError(t, err)
	require.Same(t, first, again, "what is used stays")
	again, err = s.get(tables("depth"), nil)
	require.NoError(t, err)
	require.NotSame(t, other, again, "what is not used goes")
}
