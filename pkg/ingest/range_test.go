package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestRanges: of numbers and days the least and the greatest value are kept, of data of
// persons and of texts none, and none at all where no stored values are to be.
func TestRanges(t *testing.T) {
	t.Parallel()
	files := map[string]string{"v.csv": "id,amount,paid_on,birth_date,town\n1,\"1,200.50\",05/02/2013,1980-01-01,Leith\n2,-3,28/11/2012,1991-05-06,Oban\n3,,17/01/2013,1975-07-08,Ayr\n"}
	store := newStore(t)
	_, err := ingest.CSV(t.Context(), store, "own", folder(t, files), ingest.Options{})
	require.NoError(t, err)
	got := map[string][2]string{}
	for _, c := range tables(t, store)["v"].Columns {
		got[c.Name] = [2]string{c.Low, c.High}
	}
	require.Equal(t, map[string][2]string{
		"id": {"1", "3"}, "amount": {"-3.0", "1200.5"}, "paid_on": {"2012-11-28", "2013-02-05"}, "birth_date": {}, "town": {},
	}, got)

	store = newStore(t)
	_, err = ingest.CSV(t.Context(), store, "own", folder(t, files), ingest.Options{NoSamples: true})
	require.NoError(t, err)
	for _, c := range tables(t, store)["v"].Columns {
		require.Empty(t, c.Low+c.High, c.Name)
	}
}
