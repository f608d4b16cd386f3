package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// TestNamesOfTheListingAreLeftOut: a condition that leaves a table out of the listing leaves out that one only.
func TestNamesOfTheListingAreLeftOut(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	g := o.open.Under(guard.Terms{Policy: policyOf(t, oraclePolicy), Directory: oracleListing()})
	all := rowsOf(t, o, g, "select table_name from information_schema.tables where table_schema = 'shop' order by 1")
	got := rowsOf(t, o, g, "select table_name from information_schema.tables where table_schema = 'shop' and table_name <> 'customer' order by 1")
	require.Len(t, got, len(all)-1, "%v of %v", got, all)
}

// TestAConditionOnAnotherRelationLeavesNoTableOut: beside a relation whose columns have the
// names of the listing's, a condition on them is none on the listing.
func TestAConditionOnAnotherRelationLeavesNoTableOut(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	g := o.open.Under(guard.Terms{Policy: policyOf(t, oraclePolicy), Directory: oracleListing()})
	all := rowsOf(t, o, g, "select table_name from information_schema.tables where table_schema = 'shop' order by 1")
	require.Greater(t, len(all), 1)
	for _, join := range []string{"cross join (values 'customer') as v (table_name)", "join (values 'customer') as v (table_name) on true"} {
		got := rowsOf(t, o, g, "select t.table_name from information_schema.tables t "+join+" where v.table_name = 'customer' and t.table_schema = 'shop' order by 1")
		require.Equal(t, all, got, join)
	}
}
