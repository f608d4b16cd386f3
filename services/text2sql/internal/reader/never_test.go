package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Who never did something has no row that says so; a row that denies it is not enough.
func TestNeverOverFlags(t *testing.T) {
	t.Parallel()
	trips := catalog.Table{Name: catalog.Name{Table: "trips"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "trip_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "driver", Type: "varchar", Distinct: 12, Samples: []string{"Ann", "Bo"}},
		{Name: "truck_id", Type: "bigint", Distinct: 9},
		{Name: "late", Type: "varchar", Distinct: 2, Samples: []string{"no", "yes"}},
		{Name: "remark", Type: "varchar", Distinct: 40},
		{Name: "driven_on", Type: "date", Distinct: 300},
		{Name: "distance_km", Type: "double", Distinct: 300},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"truck_id"}, RefTable: catalog.Name{Table: "trucks"}, RefColumns: []string{"truck_id"}}}}
	trucks := catalog.Table{Name: catalog.Name{Table: "trucks"}, RowCount: 9, Columns: []catalog.Column{
		{Name: "truck_id", Type: "bigint", PrimaryKey: true, Distinct: 9},
		{Name: "truck_name", Type: "varchar", Distinct: 9},
	}}
	single, both := open(t, trips), open(t, trips, trucks)
	weixiu := open(t, catalog.Table{Name: catalog.Name{Table: "配送单"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "单号", Type: "varchar", PrimaryKey: true, Distinct: 900},
		{Name: "司机", Type: "varchar", Distinct: 12, Samples: []string{"周明", "吴洁"}},
		{Name: "是否超时", Type: "varchar", Distinct: 2, Samples: []string{"否", "是"}},
	}})
	for _, c := range []struct {
		shop
		question, sql string
	}{
		{single, "Which drivers were never late?", "SELECT driver FROM trips GROUP BY driver HAVING count_if(late = 'yes') = 0"},
		{single, "How many drivers were never late?", "refused"},
		{single, "How many trips were not late?", "SELECT count(*) AS number_of_trips FROM trips WHERE late = 'no'"},
		{single, "Which drivers never drove more than 500 km?", "SELECT driver FROM trips GROUP BY driver HAVING count_if(distance_km > 500) = 0"},
		{single, "Which drivers have never had a distance over 500?", "SELECT driver FROM trips GROUP BY driver HAVING count_if(distance_km > 500) = 0"},
		{single, "Which drivers never had a remark?", "SELECT driver FROM trips GROUP BY driver HAVING count_if(remark IS NOT NULL) = 0"},
		{single, "Which drivers were not late?", "SELECT DISTINCT driver FROM trips WHERE late = 'no'"},
		{both, "Which trucks were never late?", "SELECT t1.truck_name FROM trucks AS t1 WHERE NOT EXISTS (SELECT 1 FROM trips AS t2 WHERE t1.truck_id = t2.truck_id AND t2.late = 'yes')"},
		{weixiu, "哪些司机从来没有超时过？", `SELECT "司机" FROM "配送单" GROUP BY "司机" HAVING count_if("是否超时" = '是') = 0`},
		{weixiu, "没有超时的配送单有多少？", `SELECT count(*) AS "number_of_配送单" FROM "配送单" WHERE "是否超时" = '否'`},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			if c.sql == "refused" {
				require.True(t, read.Doubt.Sum() > 2 || read.Intent.Entity == "" || len(read.Unread) > 0, sql)
				return
			}
			require.Equal(t, c.sql, sql, "%+v", read.Notes)
		})
	}
}
