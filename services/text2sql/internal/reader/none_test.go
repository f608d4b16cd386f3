package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestNoneIsAnAmount: without an amount is 0 as well as nothing; an amount that is missing
// is nothing alone.
func TestNoneIsAnAmount(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "stays"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "stay_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "guest", Type: "varchar", Distinct: 300},
		{Name: "children", Type: "bigint", Distinct: 4}, {Name: "deposit", Type: "double", Distinct: 50, Unit: "EUR"},
	}})
	for question, condition := range map[string]string{
		"How many stays are without children?":                   "children IS NULL OR children = 0",
		"How many stays have children?":                          "children > 0",
		"How many stays are there where the deposit is missing?": "deposit IS NULL",
		"没有deposit的stays有多少":                                     "deposit IS NULL OR deposit = 0",
	} {
		got, _ := s.ask(t, question)
		require.True(t, strings.HasSuffix(got, "WHERE "+condition), "%s: %s", question, got)
	}
}

// TestWhatIsDoneIsNoFlag: shipping is not what was shipped.
func TestWhatIsDoneIsNoFlag(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "parcels"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "parcel_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "shipped", Type: "boolean", Distinct: 2}, {Name: "cost", Type: "double", Distinct: 90, Unit: "EUR"},
	}})
	got, _ := s.ask(t, "What are the total shipping costs?")
	require.NotContains(t, got, "shipped")
	got, _ = s.ask(t, "What is the total cost of shipped parcels?")
	require.Contains(t, got, "WHERE shipped")
}
