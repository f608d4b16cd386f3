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

// TestAConditionIsOnTheColumnAndNotOnItsName: a statement may give the columns of the
// listing other names, and those of each other.
func TestAConditionIsOnTheColumnAndNotOnItsName(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	g := o.open.Under(guard.Terms{Policy: policyOf(t, oraclePolicy), Directory: oracleListing()})
	all := rowsOf(t, o, g, "select table_name from information_schema.tables where table_schema = 'shop' order by 1")
	require.Greater(t, len(all), 1)
	for _, text := range []string{
		"select name from information_schema.tables as t (table_schema, table_name, name, kind) where table_schema = 'w' and table_name = 'shop' order by 1",
		"select name from information_schema.tables as t (a, b, name, table_name) where table_name = 'base table' or b = 'shop' order by 1",
		"select name from information_schema.tables as t (a, schema_name, name, d) where schema_name = 'shop' order by 1",
	} {
		require.Equal(t, all, rowsOf(t, o, g, text), text)
	}
}
