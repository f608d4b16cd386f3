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
