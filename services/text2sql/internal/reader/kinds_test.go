package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Who did something often, of which kinds things are, and two numbers in one question.
func TestWhoKindsAndTwoNumbers(t *testing.T) {
	t.Parallel()
	visits := open(t, catalog.Table{Name: catalog.Name{Table: "visits"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "visit_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "visitor_name", Type: "varchar", Distinct: 60},
		{Name: "visitor_town", Type: "varchar", Distinct: 12, Samples: []string{"Ely", "Ware"}},
		{Name: "entrance", Type: "varchar", Distinct: 2, Samples: []string{"North", "South"}},
		{Name: "visited_on", Type: "date", Distinct: 300},
		{Name: "paid_EUR", Type: "decimal(8,2)", Distinct: 40},
	}})
	birds := open(t, catalog.Table{Name: catalog.Name{Table: "鸟类"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "编号", Type: "bigint", PrimaryKey: true, Distinct: 90},
		{Name: "品种", Type: "varchar", Distinct: 4, Samples: []string{"麻雀", "喜鹊"}},
		{Name: "公园", Type: "varchar", Distinct: 3, Samples: []string{"北园", "南园"}},
	}})
	boats := open(t, catalog.Table{Name: catalog.Name{Table: "boats"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "boat_id", Type: "bigint", PrimaryKey: true, Distinct: 90},
		{Name: "boat_type", Type: "varchar", Distinct: 4, Samples: []string{"barge", "yacht"}},
	}})
	for _, c := range []struct {
		shop
		question, sql string
	}{
		{visits, "Who came more than 20 times?", "SELECT visitor_name FROM visits GROUP BY visitor_name HAVING count(*) > 20"},
		{visits, "visitors with more than 20 visits", "SELECT visitor_name FROM visits GROUP BY visitor_name HAVING count(*) > 20"},
		{visits, "Which visitors paid more than 20 times?", ""}, // nothing that is paid is a number of times
		{visits, "How many visits were by the North and how many by the South entrance?", "SELECT entrance, count(*) AS number_of_visits FROM visits WHERE entrance IN ('North', 'South') GROUP BY entrance ORDER BY number_of_visits DESC, entrance"},
		{birds, "北园有哪几种鸟类？", `SELECT DISTINCT "品种" FROM "鸟类" WHERE "公园" = '北园'`},
		{birds, "有多少种鸟类？", `SELECT count(DISTINCT "品种") AS "number_of_品种" FROM "鸟类"`},
		{boats, "What kinds of boats are there?", "SELECT DISTINCT boat_type FROM boats"},
		{boats, "How many kinds of boats are there?", "SELECT count(DISTINCT boat_type) AS number_of_boat_types FROM boats"},
		{visits, "What kinds of visits are there?", ""}, // no column says
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			if c.sql == "" {
				require.NotContains(t, sql, "paid_EUR >")
				require.NotContains(t, sql, "DISTINCT")
				return
			}
			require.Equal(t, c.sql, sql, "%+v", read.Notes)
		})
	}
}
