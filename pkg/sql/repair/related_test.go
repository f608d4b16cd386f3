package repair_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/repair"
)

// TestRelatedTables: who knows only the tables of the statement is asked once for those
// that keys lead to, and only where a column is missing.
func TestRelatedTables(t *testing.T) {
	t.Parallel()
	asked := 0
	options := repair.Options{Scopes: repair.Fixed(shop()), Related: func(_ context.Context, tables []catalog.Table) ([]catalog.Table, error) {
		asked++
		require.Len(t, tables, 1)
		require.Equal(t, "buyers", tables[0].Name.Table)
		return shopTables(), nil
	}}
	r, err := repair.Run(t.Context(), "SELECT buyer_id, T2.city FROM buyers", options)
	require.NoError(t, err)
	require.Equal(t, "SELECT buyer_id, T2.city FROM buyers JOIN places T2 ON buyers.home_id = T2.place_id", r.Text)
	require.Equal(t, 1, asked)
	_, err = repair.Run(t.Context(), "SELECT buyer_id FORM buyers", options)
	require.NoError(t, err)
	require.Equal(t, 1, asked, "nothing is missing")

	away := errors.New("away")
	options.Related = func(context.Context, []catalog.Table) ([]catalog.Table, error) { return nil, away }
	_, err = repair.Run(t.Context(), "SELECT city FROM buyers", options)
	require.ErrorIs(t, err, away)
}
