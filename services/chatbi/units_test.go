package chatbi_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/services/chatbi"
)

// TestUnitsOfFilesReachTheAnswer: what the ingest of a file found to be the unit of a
// column is the unit of the amounts made from it: percentages are told as such and are not
// added up, and a unit that was found counts before the currency in a name.
func TestUnitsOfFilesReachTheAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ unit, sql, want string }{
		{written.Percent, "SELECT max(fee_sgd) / 1000 AS share FROM orders", "Share is 1.00."},
		{written.Percent, "SELECT max(fee_sgd) AS fee FROM orders WHERE order_id = 1", "Fee (order ID: 1) is 100%."},
		{written.Percent, "SELECT fee_sgd * 2 AS fee FROM orders WHERE order_id = 1", "Fee (order ID: 1) is 200%."},
		{written.Percent, "SELECT count(fee_sgd) AS fees FROM orders", "There are 900 fees."},
		{"EUR", "SELECT max(fee_sgd) AS fee FROM orders WHERE order_id = 1", "Fee (order ID: 1) is 1.00 EUR."},
		{"kg", "SELECT sum(fee_sgd) AS fees FROM orders WHERE order_id < 3", "Fees (order ID below 3) are 3.00 kg."},
		{"", "SELECT max(fee_sgd) AS fee FROM orders WHERE order_id = 1", "Fee (order ID: 1) is 1.00 SGD."},
	} {
		all := tables()
		at := slices.IndexFunc(all[0].Columns, func(col catalog.Column) bool { return col.Name == "fee_sgd" })
		all[0].Columns[at].Unit = c.unit
		s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
			d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: all}, catalog.Defaults{Region: "sg", Schema: "shop"})}
		})
		require.Equal(t, c.want, execute(t, s, &chatbiv1.ExecuteQuery{Sql: c.sql}).GetAnswer(), "%q %s", c.unit, c.sql)
	}
}
