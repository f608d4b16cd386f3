package reader_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// How long something lasts is counted between the days and times of its rows.
func TestHowLongThingsLast(t *testing.T) {
	t.Parallel()
	boats := open(t, catalog.Table{Name: catalog.Name{Table: "rentals"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "rental_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "boat", Type: "varchar", Distinct: 3, Samples: []string{"Heron", "Otter", "Swift"}},
		{Name: "start_time", Type: "timestamp", Distinct: 890},
		{Name: "end_time", Type: "timestamp", Distinct: 880},
		{Name: "price", Type: "decimal(8,2)", Distinct: 40},
	}})
	trees := open(t, catalog.Table{Name: catalog.Name{Table: "loans"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "loan_id", Type: "bigint", PrimaryKey: true, Distinct: 900},
		{Name: "tool", Type: "varchar", Distinct: 3, Samples: []string{"drill", "saw", "ladder"}},
		{Name: "lent_on", Type: "date", Distinct: 300},
		{Name: "due_on", Type: "date", Distinct: 300},
		{Name: "brought_back_on", Type: "date", Distinct: 300},
	}})
	films := open(t, catalog.Table{Name: catalog.Name{Table: "films"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "film", Type: "varchar", Distinct: 900},
		{Name: "duration", Type: "integer", Distinct: 90},
		{Name: "shooting_start", Type: "date", Distinct: 300},
		{Name: "shooting_end", Type: "date", Distinct: 300},
	}})
	gongdan := open(t, catalog.Table{Name: catalog.Name{Table: "报修单"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "单号", Type: "varchar", PrimaryKey: true, Distinct: 900},
		{Name: "楼栋", Type: "varchar", Distinct: 2, Samples: []string{"东楼", "西楼"}},
		{Name: "受理日期", Type: "date", Distinct: 300},
		{Name: "完工日期", Type: "date", Distinct: 300},
	}})
	const (
		hours   = "CAST(date_diff('second', start_time, end_time) AS double) / 3600"
		minutes = "CAST(date_diff('second', start_time, end_time) AS double) / 60"
	)
	cases := []struct {
		shop
		question, sql string
	}{
		{boats, "How long does a rental last on average?", "SELECT avg(" + hours + ") AS x FROM rentals"},
		{boats, "How long do rentals last?", "SELECT avg(" + hours + ") AS x FROM rentals"},
		{boats, "How many minutes does a rental last on average?", "SELECT avg(" + minutes + ") AS x FROM rentals"},
		{boats, "average duration of a rental per boat, in minutes", "SELECT boat, avg(" + minutes + ") AS x FROM rentals GROUP BY boat ORDER BY x DESC, boat"},
		{boats, "What is the average length of rentals of the Heron?", "SELECT avg(" + hours + ") AS x FROM rentals WHERE boat = 'Heron'"},
		{boats, "How many rentals were longer than 3 hours?", "SELECT count(*) AS x FROM rentals WHERE " + hours + " > 3"},
		{boats, "How many rentals lasted more than 45 minutes?", "SELECT count(*) AS x FROM rentals WHERE " + minutes + " > 45"},
		{boats, "What is the total duration of rentals in hours?", "SELECT sum(" + hours + ") AS x FROM rentals"},
		{boats, "Which boat has the longest average duration?", "SELECT boat FROM rentals WHERE boat IS NOT NULL GROUP BY boat ORDER BY avg(" + hours + ") DESC LIMIT 1"},
		{boats, "How many minutes did the longest rental last?", "SELECT rental_id, " + minutes + " AS minutes FROM rentals ORDER BY minutes DESC LIMIT 1"},
		{boats, "the 3 longest rentals", "SELECT rental_id FROM rentals ORDER BY " + hours + " DESC LIMIT 3"},
		{boats, "average hours per boat", "SELECT boat, avg(" + hours + ") AS x FROM rentals GROUP BY boat ORDER BY x DESC, boat"},
		{boats, "On how many days was the Heron rented?", ""},
		{boats, "How many dollars did the Heron bring in?", ""},
		{trees, "average time between lent on and brought back on per tool in weeks", "SELECT tool, avg(CAST(date_diff('day', lent_on, brought_back_on) AS double) / 7) AS x FROM loans GROUP BY tool ORDER BY x DESC, tool"},
		{boats, "平均每次租了多久？", "SELECT avg(" + hours + ") AS x FROM rentals"},
		{trees, "How many days from lent on to brought back on, on average?", "SELECT avg(date_diff('day', lent_on, brought_back_on)) AS x FROM loans"},
		{trees, "How long does a loan last on average?", ""}, // which of three days ends it is not said
		{trees, "How many loans are there per tool?", "SELECT tool, count(*) AS x FROM loans GROUP BY tool ORDER BY x DESC, tool"},
		{films, "What is the average duration of films?", "SELECT avg(duration) AS x FROM films"},
		{films, "How many days from shooting start to shooting end on average?", "SELECT avg(date_diff('day', shooting_start, shooting_end)) AS x FROM films"},
		{boats, "What is the average time from end time to start time in hours?", "SELECT avg(CAST(date_diff('second', end_time, start_time) AS double) / 3600) AS x FROM rentals"},
		{gongdan, "从受理到完工平均要几天？", "SELECT avg(date_diff('day', 受理日期, 完工日期)) AS x FROM 报修单"},
		{gongdan, "各楼栋从受理到完工平均多少天？", "SELECT 楼栋, avg(date_diff('day', 受理日期, 完工日期)) AS x FROM 报修单 GROUP BY 楼栋 ORDER BY x DESC, 楼栋"},
		{gongdan, "平均耗时多少天？", "SELECT avg(date_diff('day', 受理日期, 完工日期)) AS x FROM 报修单"},
		{gongdan, "耗时超过5天的报修单有多少？", "SELECT count(*) AS x FROM 报修单 WHERE date_diff('day', 受理日期, 完工日期) > 5"},
	}
	for _, c := range cases {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			if c.sql == "" {
				require.NotContains(t, sql, "date_diff")
				return
			}
			require.Equal(t, c.sql, aliased.ReplaceAllString(strings.ReplaceAll(sql, `"`, ""), "x"), "%+v", read.Doubt)
			require.Empty(t, read.Unread)
		})
	}
}

// aliased are the names of computed columns.
var aliased = regexp.MustCompile(`\b(number|average|total)_[^ ,]+`)
