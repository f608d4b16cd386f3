package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestCurrenciesBesideAmounts: a column that tells the currency of each row is told with the amounts beside it, and
// one currency in all rows is their unit.
func TestCurrenciesBesideAmounts(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{
		"invoices.csv": "no,amount,currency,items\n1,5.50,EUR,3\n2,7.25,USD,4\n3,8.00,EUR,9\n",
		"rents.csv":    "no,rent,币种\n1,500.5,欧元\n2,600.5,欧元\n3,700.5,欧元\n",
	}), ingest.Options{})
	require.NoError(t, err)
	told := fmt.Sprint(report.Problems)
	got := tables(t, s)
	column := func(table, name string) catalog.Column {
		of := got[table]
		c, ok := of.Column(name)
		require.True(t, ok)
		return c
	}
	amount := column("invoices", "amount")
	require.Empty(t, amount.Unit)
	require.Equal(t, `in the currency that column "currency" says in each row`, amount.Written)
	require.Contains(t, told, `column "amount" is in the currency that column "currency" says in each row`)
	require.Empty(t, column("invoices", "items").Written)
	require.Equal(t, "EUR", column("rents", "rent").Unit)
	require.Contains(t, told, `column "rent" is in EUR, as column "币种" says in all rows`)
}
