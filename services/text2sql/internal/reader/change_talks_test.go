package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// depot are files of a carrier: places in more than one table, two days of each run, and a
// song that is called as money is.
func depot() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "vans"}, RowCount: 20, Columns: []catalog.Column{key("van_id"), texts("city", "Bern", "Chur"), texts("kind", "box", "tipper"), texts("radio_song", "Money", "Roads")}},
		{Name: catalog.Name{Table: "drivers"}, RowCount: 50, Columns: []catalog.Column{key("driver_id"), texts("city", "Bern", "Chur"), texts("licence", "small", "heavy"), texts("shift", "day", "night")}},
		{Name: catalog.Name{Table: "runs"}, RowCount: 9000, Columns: []catalog.Column{
			key("run_id"), {Name: "van_id", Type: "bigint", Distinct: 20}, {Name: "driver_id", Type: "bigint", Distinct: 50}, col("left_on", "date"), col("paid_on", "date"), col("load_kg", "bigint"), col("crates", "bigint"), col("toll_total", "double"), col("price", "double"), col("数量", "bigint"),
		}, ForeignKeys: []catalog.ForeignKey{to("van_id", "vans"), to("driver_id", "drivers")}},
	}
}

// TestWhatTurnsOfATalkChange follows talks: each turn is an edit of the question before it, and
// what it does not touch stays.
func TestWhatTurnsOfATalkChange(t *testing.T) {
	t.Parallel()
	s := open(t, depot()...)
	s.talks(t, []talk{
		{"a name is first that of a column in the tables of the question before", "How many drivers are there per licence?", [][2]string{
			{"换成city呢", "SELECT city, count(*) AS number_of_drivers FROM drivers GROUP BY city ORDER BY number_of_drivers DESC, city"},
			{"by shift instead", "SELECT shift, count(*) AS number_of_drivers FROM drivers GROUP BY shift ORDER BY number_of_drivers DESC, shift"},
		}},
		{"a day that is named beside a time is what the time is of, and another stays beside it", "How many runs were there per driver shift?", [][2]string{
			{"only those left in 2030", "SELECT t2.shift, count(*) AS number_of_runs FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t1.left_on >= DATE '2030-01-01' AND t1.left_on < DATE '2031-01-01' GROUP BY t2.shift ORDER BY number_of_runs DESC, t2.shift"},
			{"only paid on in March 2030", "SELECT t2.shift, count(*) AS number_of_runs FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t1.left_on >= DATE '2030-01-01' AND t1.left_on < DATE '2031-01-01' AND t1.paid_on >= DATE '2030-03-01' AND t1.paid_on < DATE '2030-04-01' GROUP BY t2.shift ORDER BY number_of_runs DESC, t2.shift"},
		}},
		{"a list by steps shows the steps", "total price in March 2030", [][2]string{
			{"list them by day", "SELECT left_on, sum(price) AS total_price FROM runs WHERE left_on >= DATE '2030-03-01' AND left_on < DATE '2030-04-01' GROUP BY left_on ORDER BY left_on"},
		}},
		{"another column is shown in all ways of the one before", "total and average crates by driver shift", [][2]string{
			{"换成load", "SELECT t2.shift, sum(t1.load_kg) AS total_load_kg, avg(t1.load_kg) AS average_load_kg FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY total_load_kg DESC, t2.shift"},
		}},
		{"a word of money is an amount before it is a value", "How many runs were there in 2030?", [][2]string{
			{"改看金额", "SELECT sum(toll_total) AS total_toll_total FROM runs WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01'"},
		}},
		{"what was not meant goes with what was", "average price by driver shift", [][2]string{
			{"not the average, the total", "SELECT t2.shift, sum(t1.price) AS total_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY total_price DESC, t2.shift"},
			{"sort it, cheapest first", "SELECT t2.shift, sum(t1.price) AS total_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY total_price, t2.shift"},
			{"sort from highest to lowest", "SELECT t2.shift, sum(t1.price) AS total_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY total_price DESC, t2.shift"},
		}},
		{"what is most takes the place of what was not meant", "average price by driver shift", [][2]string{
			{"not the average, the highest", "SELECT t2.shift, max(t1.price) AS highest_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY highest_price DESC, t2.shift"},
			{"只看Bern的", "SELECT t2.shift, max(t1.price) AS highest_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t2.city = 'Bern' GROUP BY t2.shift ORDER BY highest_price DESC, t2.shift"},
		}},
		{"a list of those with a value shows them", "How many drivers are there in Bern?", [][2]string{
			{"list the heavy ones", "SELECT driver_id, city, licence, shift FROM drivers WHERE city = 'Bern' AND licence = 'heavy' LIMIT 1000"},
		}},
		{"and so in Chinese", "How many drivers are there in Bern?", [][2]string{
			{"列出其中heavy的", "SELECT driver_id, city, licence, shift FROM drivers WHERE city = 'Bern' AND licence = 'heavy' LIMIT 1000"},
		}},
		{"a verb with its complement says no more than the verb", "total price in 2030", [][2]string{
			{"按shift分开看", "SELECT t2.shift, sum(t1.price) AS total_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t1.left_on >= DATE '2030-01-01' AND t1.left_on < DATE '2031-01-01' GROUP BY t2.shift ORDER BY total_price DESC, t2.shift"},
		}},
		{"a share of what has a value is a part of the figure", "How many drivers are there in Bern?", [][2]string{
			{"其中heavy占多少比例？", "SELECT CAST(count_if(licence = 'heavy') AS double) / nullif(count(*), 0) AS heavy_share FROM drivers WHERE city = 'Bern'"},
		}},
		{"a share of nothing that is said is that of the one condition", "How many drivers are there in Bern?", [][2]string{
			{"what share is that?", "SELECT CAST(count_if(city = 'Bern') AS double) / nullif(count(*), 0) AS bern_share FROM drivers"},
		}},
		{"a value is first one of the things that are shown", "top 5 drivers by total price", [][2]string{
			{"just the ones from Bern", "SELECT t2.driver_id, sum(t1.price) AS total_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t2.city = 'Bern' GROUP BY t2.driver_id ORDER BY total_price DESC LIMIT 5"},
		}},
		{"the highest of each, then the lowest of each", "maximum price by driver shift", [][2]string{
			{"and the lowest?", "SELECT t2.shift, min(t1.price) AS lowest_price FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY lowest_price DESC, t2.shift"},
		}},
		{"another number takes the place of the one before", "How many runs have a price above 200?", [][2]string{
			{"more than 100?", "SELECT count(*) AS number_of_runs FROM runs WHERE price > 100"},
			{"what share of all runs is that?", "SELECT CAST(count_if(price > 100) AS double) / nullif(count(*), 0) AS runs_share FROM runs"},
		}},
		{"what the figure before was of is not meant", "total price per month in 2030", [][2]string{
			{"the number of runs, not the price", "SELECT date_trunc('month', left_on) AS month, count(*) AS number_of_runs FROM runs WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' GROUP BY date_trunc('month', left_on) ORDER BY month"},
			{"not the crates", "not understood: crates"},
		}},
		{"rows of what is shown are those of the groups that are shown", "Which shift has the most runs?", [][2]string{
			{"list the runs in it", "SELECT t1.run_id, t1.van_id, t1.driver_id, t1.left_on, t1.paid_on, t1.load_kg, t1.crates, t1.toll_total, t1.price, t1.\"数量\" FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id WHERE t2.shift IN (SELECT t2.shift FROM runs AS t1 JOIN drivers AS t2 ON t1.driver_id = t2.driver_id GROUP BY t2.shift ORDER BY count(*) DESC LIMIT 1) LIMIT 1000"},
		}},
	})
}

// TestTheEndOfATableNameSaysItsRows: the rows of birdstrikes are strikes; another word is still
// told as not understood.
func TestTheEndOfATableNameSaysItsRows(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "hailstorms"}, RowCount: 90, Columns: []catalog.Column{key("id"), texts("phase", "early", "late"), texts("daytime", "Night", "Noon"), col("speed", "bigint")}})
	readings, _ := s.reader.Question("average speed by phase", s.view, today).Readings()
	require.NotEmpty(t, readings)
	prev := readings[0].Intent
	require.Equal(t, "SELECT phase, avg(speed) AS average_speed FROM hailstorms WHERE daytime <> 'Night' GROUP BY phase ORDER BY average_speed DESC, phase", s.change(t, &prev, "leave out night storms"))
	require.Equal(t, "not understood: zeppelins", s.change(t, &prev, "leave out night zeppelins"))
}

// TestNoFigureIsPutTogetherOverAComma: what stands behind it says something else.
func TestNoFigureIsPutTogetherOverAComma(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "订单"}, RowCount: 900, Columns: []catalog.Column{key("订单编号"), texts("城市", "北京", "上海"), col("数量", "bigint"), col("金额", "double")}})
	readings, _ := s.reader.Question("哪个城市的订单最多？", s.view, today).Readings()
	require.NotEmpty(t, readings)
	require.Equal(t, `SELECT "城市", avg("金额") AS "average_金额" FROM "订单" GROUP BY "城市" ORDER BY "average_金额" LIMIT 1`, s.change(t, &readings[0].Intent, "不看数量，看平均金额最低的"))
}

// TestNamesNearByAreNoRivals: a column of the table that was asked about is far ahead of one of
// another table that is called the same, and what the rows are called of a column.
func TestNamesNearByAreNoRivals(t *testing.T) {
	t.Parallel()
	s := open(t, depot()...)
	readings, _ := s.reader.Question("How many drivers are there per licence?", s.view, today).Readings()
	require.NotEmpty(t, readings)
	list := s.reader.Change("换成city呢", &readings[0].Intent, s.view, today)
	require.Contains(t, list[0].Intent.GroupBy[0].ID, "drivers.city")
	require.Greater(t, len(list), 1)
	require.Greater(t, list[1].Cost, list[0].Cost+0.6)
}

// TestATotalByItsNameIsNoGuess: the sum of what is called a total is sure, that of another amount
// is not as sure.
func TestATotalByItsNameIsNoGuess(t *testing.T) {
	t.Parallel()
	s := open(t, depot()...)
	readings, _ := s.reader.Question("How many runs were there in 2030?", s.view, today).Readings()
	require.NotEmpty(t, readings)
	prev := readings[0].Intent
	total, crates := s.reader.Change("what about toll total", &prev, s.view, today)[0], s.reader.Change("what about crates", &prev, s.view, today)[0]
	require.Nil(t, total.Refused)
	require.Nil(t, crates.Refused)
	require.Less(t, total.Doubt, crates.Doubt)
}
