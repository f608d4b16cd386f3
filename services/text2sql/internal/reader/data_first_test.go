package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// kiosks is one file whose columns are called by words that general language uses otherwise.
func kiosks() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "permits"}, RowCount: 4000, Columns: []catalog.Column{
		key("permit_no"), texts("stay", "weekly", "nightly"), texts("permit_type", "Street Party", "Night Market"), col("fee_total", "double"),
		col("date_in", "date"), {Name: "decided_on", Type: "date", Distinct: 700}, {Name: "licence", Type: "boolean", Distinct: 2},
		{Name: "mail_opt_in", Type: "boolean", Distinct: 2}, {Name: "phone_opt_in", Type: "boolean", Distinct: 2},
		col("visits_7d", "integer"), col("visits_30d", "integer"),
	}}}
}

// stage is two files in Chinese, one of which is called as general language counts how often.
func stage() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "剧目"}, RowCount: 60, Columns: []catalog.Column{{Name: "剧目编号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 60}, col("剧目名", "varchar"), texts("类型", "话剧", "歌剧")}},
		{Name: catalog.Name{Table: "场次"}, RowCount: 5000, Columns: []catalog.Column{{Name: "场次号", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 5000}, {Name: "剧目编号", Type: "varchar", Distinct: 60},
			col("日期", "date"), col("观众人数", "bigint"), col("金额", "double"), texts("渠道", "窗口", "网站")}, ForeignKeys: []catalog.ForeignKey{to("剧目编号", "剧目")}},
	}
}

// What the data call something comes before what its words say otherwise, and names are read as
// people say them: with small words between their words, in brackets behind words of their
// own, with a stretch of time that is part of a name.
func TestTheDataSpeaksFirst(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"kiosks": open(t, kiosks()...), "stage": open(t, stage()...), "clinic": open(t, clinic()...)}
	for _, c := range []struct{ in, question, want string }{
		{"kiosks", "Top 3 stays by fee total, highest first", "SELECT stay, sum(fee_total) AS total_fee_total FROM permits GROUP BY stay ORDER BY total_fee_total DESC LIMIT 3"},
		{"kiosks", "Top 3 stays by number of permits", "SELECT stay, count(*) AS number_of_permits FROM permits GROUP BY stay ORDER BY number_of_permits DESC LIMIT 3"},
		{"clinic", "bottom 2 owners by number of visits", "SELECT t3.first_name, t3.last_name, count(*) AS number_of_visits FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id JOIN owners AS t3 ON t2.owner_id = t3.owner_id GROUP BY t3.owner_id, t3.first_name, t3.last_name ORDER BY number_of_visits LIMIT 2"},
		{"kiosks", "Which stays have never had a Street Party?", "SELECT stay FROM permits GROUP BY stay HAVING count_if(permit_type = 'Street Party') = 0"},
		{"kiosks", "What share of permits was under licence?", "SELECT CAST(count_if(licence = TRUE) AS double) / nullif(count(*), 0) AS licence_rate FROM permits"},
		{"kiosks", "How many permits per month in 2030, by decided on date?", "SELECT date_trunc('month', decided_on) AS month, count(*) AS number_of_permits FROM permits WHERE decided_on >= DATE '2030-01-01' AND decided_on < DATE '2031-01-01' GROUP BY date_trunc('month', decided_on) ORDER BY month"},
		{"kiosks", "fee total per month of date in, 2030", "SELECT date_trunc('month', date_in) AS month, sum(fee_total) AS total_fee_total FROM permits WHERE date_in >= DATE '2030-01-01' AND date_in < DATE '2031-01-01' GROUP BY date_trunc('month', date_in) ORDER BY month"},
		{"kiosks", "How many permits did not opt in to mail?", "SELECT count(*) AS number_of_permits FROM permits WHERE mail_opt_in = FALSE"},
		{"kiosks", "How many permits have a fee total above 2.5 million?", "SELECT count(*) AS number_of_permits FROM permits WHERE fee_total > 2500000"},
		{"kiosks", "average visits in the last 7 days", "SELECT avg(visits_7d) AS average_visits_7_d FROM permits"},
		{"kiosks", "share of fee total by stay in 2030", "SELECT stay, CAST(sum(fee_total) AS double) / nullif(sum(sum(fee_total)) OVER (), 0) AS fee_total_share_of_total FROM permits WHERE date_in >= DATE '2030-01-01' AND date_in < DATE '2031-01-01' GROUP BY stay ORDER BY fee_total_share_of_total DESC, stay"},
		{"kiosks", "What percentage of fee total came from Night Market?", "SELECT 100 * CAST(sum(fee_total) FILTER (WHERE permit_type = 'Night Market') AS double) / nullif(sum(fee_total), 0) AS percentage FROM permits"},
		{"kiosks", "每种停留（stay）的费用（fee total）合计是多少？", "SELECT stay, sum(fee_total) AS total_fee_total FROM permits GROUP BY stay ORDER BY total_fee_total DESC, stay"},
		{"kiosks", "How many permits of the kind 夜市 (Night Market) are there?", "SELECT count(*) AS number_of_permits FROM permits WHERE permit_type = 'Night Market'"},
		{"stage", "各类型剧目分别有多少场次？", `SELECT t2."类型", count(*) AS "number_of_场次" FROM "场次" AS t1 JOIN "剧目" AS t2 ON t1."剧目编号" = t2."剧目编号" GROUP BY t2."类型" ORDER BY "number_of_场次" DESC, t2."类型"`},
		{"stage", "2030年10月的销售额是多少？", `SELECT sum("金额") AS "total_金额" FROM "场次" WHERE "日期" >= DATE '2030-10-01' AND "日期" < DATE '2030-11-01'`},
		{"stage", "各渠道的金额占比", `SELECT "渠道", CAST(sum("金额") AS double) / nullif(sum(sum("金额")) OVER (), 0) AS "金额_share_of_total" FROM "场次" GROUP BY "渠道" ORDER BY "金额_share_of_total" DESC, "渠道"`},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			got, reading := shops[c.in].ask(t, c.question)
			require.Equal(t, c.want, got)
			require.Empty(t, reading.Unread)
		})
	}
}

// Numbers of a stretch of time by their names are none of another.
func TestOtherStretchesAreNotRead(t *testing.T) {
	t.Parallel()
	s := open(t, kiosks()...)
	_, reading := s.ask(t, "average visits in the last 90 days")
	require.NotEmpty(t, reading.Unread)
	_, reading = s.ask(t, "average visits in the last 30 days")
	require.Contains(t, notesOf(reading.Notes), "in_window")
}

// Where a column holds the numbers of months and another dates the rows, months are those of the
// column if all rows are of one year; else it is left open.
func TestMonthsOfColumnsAndOfDays(t *testing.T) {
	t.Parallel()
	sailings := func(years int64) shop {
		return open(t, catalog.Table{Name: catalog.Name{Table: "sailings"}, RowCount: 900, Columns: []catalog.Column{
			key("sailing_id"), {Name: "year", Type: "integer", NotNull: true, Distinct: years}, {Name: "month", Type: "integer", NotNull: true, Distinct: 12}, col("departed_at", "timestamp"),
		}})
	}
	got, reading := sailings(1).ask(t, "How many sailings were there per month?")
	require.Equal(t, "SELECT month, count(*) AS number_of_sailings FROM sailings GROUP BY month ORDER BY month", got)
	require.NotContains(t, notesOf(reading.Notes), "steps_open")
	_, reading = sailings(4).ask(t, "How many sailings were there per month?")
	require.Contains(t, notesOf(reading.Notes), "steps_open")
	_, reading = sailings(4).ask(t, "How many sailings were there per month in 2030?") // the same, whichever is meant
	require.NotContains(t, notesOf(reading.Notes), "steps_open")
	_, reading = sailings(4).ask(t, "How many sailings were there per year?")
	require.NotContains(t, notesOf(reading.Notes), "steps_open")
}
