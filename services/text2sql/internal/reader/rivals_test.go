package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// The highest ever is that of a row, and no sum; what is paid is no flag and no year of birth.
func TestTheHighestEverAndWhatIsPaid(t *testing.T) {
	t.Parallel()
	herd := open(t, catalog.Table{Name: catalog.Name{Table: "milkings"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "milking_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "cow", Type: "varchar", Distinct: 12, Samples: []string{"Bess", "Dot"}},
		{Name: "litres", Type: "double", Distinct: 300},
		{Name: "is_paid", Type: "boolean", Distinct: 2},
		{Name: "birth_year", Type: "integer", Distinct: 9},
	}})
	for question, want := range map[string]string{
		"Which cow had the highest litres ever?": "max(litres)",
		"Which cow had the highest litres?":      "sum(litres)",
	} {
		sql, _ := herd.ask(t, question)
		require.Contains(t, sql, want, question)
	}
	sql, _ := herd.ask(t, "How many milkings in 2023?")
	require.NotContains(t, sql, "birth_year")
	sql, _ = herd.ask(t, "income by cow")
	require.NotContains(t, sql, "is_paid")
}

// Which of two has more: both are shown with their numbers.
func TestWhichOfTwoHasMore(t *testing.T) {
	t.Parallel()
	visits := open(t, catalog.Table{Name: catalog.Name{Table: "visits"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "visit_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "entrance", Type: "varchar", Distinct: 2, Samples: []string{"North", "South"}},
		{Name: "ticket", Type: "varchar", Distinct: 2, Samples: []string{"adult", "child"}},
		{Name: "visited_on", Type: "date", Distinct: 300},
		{Name: "fee_EUR", Type: "decimal(8,2)", Distinct: 40},
		{Name: "temperature", Type: "double", Distinct: 40},
	}})
	maidan := open(t, catalog.Table{Name: catalog.Name{Table: "买单"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "单号", Type: "varchar", PrimaryKey: true, Distinct: 900},
		{Name: "渠道", Type: "varchar", Distinct: 2, Samples: []string{"门店", "外卖"}},
		{Name: "实付(元)", Type: "double", Distinct: 300},
		{Name: "评分", Type: "double", Distinct: 5},
	}})
	for _, c := range []struct {
		shop
		question, sql string
	}{
		{visits, "Do more visits come by the North or by the South entrance?", "SELECT entrance, count(*) AS number_of_visits FROM visits WHERE entrance IN ('North', 'South') GROUP BY entrance ORDER BY number_of_visits DESC, entrance"},
		{visits, "Which has more visits, North or South?", "SELECT entrance, count(*) AS number_of_visits FROM visits WHERE entrance IN ('North', 'South') GROUP BY entrance ORDER BY number_of_visits DESC, entrance"},
		{visits, "Is the fee higher for adult or child tickets on average?", "SELECT ticket, avg(CAST(fee_EUR AS double)) AS average_fee_eur FROM visits WHERE ticket IN ('adult', 'child') GROUP BY ticket ORDER BY average_fee_eur DESC, ticket"},
		{maidan, "门店和外卖哪个实付多？", `SELECT "渠道", sum("实付(元)") AS "total_实付_元" FROM "买单" WHERE "渠道" IN ('门店', '外卖') GROUP BY "渠道" ORDER BY "total_实付_元" DESC, "渠道"`},
		{maidan, "门店和外卖哪个评分低？", `SELECT "渠道", avg("评分") AS "average_评分" FROM "买单" WHERE "渠道" IN ('门店', '外卖') GROUP BY "渠道" ORDER BY "average_评分"`},
		{maidan, "门店和外卖哪个买单多？", `SELECT "渠道", count(*) AS "number_of_买单" FROM "买单" WHERE "渠道" IN ('门店', '外卖') GROUP BY "渠道" ORDER BY "number_of_买单" DESC, "渠道"`},
		{maidan, "哪个渠道实付多？", ""}, // no two are named
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			if c.sql == "" {
				require.NotContains(t, sql, " IN (")
				return
			}
			require.Equal(t, c.sql, sql, "%+v", read.Notes)
		})
	}
}
