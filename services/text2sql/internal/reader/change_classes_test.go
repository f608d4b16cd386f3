package reader_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// piers are files of a harbour: amounts that count, and rows that have their owner's name.
func piers() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "piers"}, RowCount: 40, Columns: []catalog.Column{key("pier_id"), texts("side", "north", "south"), texts("pier_kind", "stone", "wood")}},
		{Name: catalog.Name{Table: "trips"}, RowCount: 9000, Columns: []catalog.Column{
			key("trip_id"), {Name: "pier_id", Type: "bigint", Distinct: 40}, col("left_on", "date"), texts("weather", "calm", "storm"), col("bags", "bigint"), col("数量_盒", "bigint"), col("price", "double"),
		}, ForeignKeys: []catalog.ForeignKey{to("pier_id", "piers")}},
	}
}

// TestClassesOfChanges holds what kinds of parts a change may have, and what of the earlier
// question each takes the place of.
func TestClassesOfChanges(t *testing.T) {
	t.Parallel()
	s := open(t, piers()...)
	for _, c := range []struct {
		first   string
		then    string // a change that comes before each of those
		changes [][2]string
	}{
		{"average price by weather in 2030", "", [][2]string{
			{"no, I meant the number of bags", "SELECT weather, sum(bags) AS total_bags FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' GROUP BY weather ORDER BY total_bags DESC, weather"},
			{"and the maximum?", "SELECT weather, max(price) AS highest_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' GROUP BY weather ORDER BY highest_price DESC, weather"},
			{"compared with 2029", "SELECT weather, average_price, previous_average_price, average_price - previous_average_price AS average_price_change, CAST(average_price - previous_average_price AS double) / abs(nullif(previous_average_price, 0)) AS average_price_change_rate FROM (SELECT weather AS weather, avg(price) FILTER (WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01') AS average_price, avg(price) FILTER (WHERE left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01') AS previous_average_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' OR left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01' GROUP BY weather) AS grouped ORDER BY average_price DESC, weather"},
			{"compared with 2029 by side", "SELECT side, average_price, previous_average_price, average_price - previous_average_price AS average_price_change, CAST(average_price - previous_average_price AS double) / abs(nullif(previous_average_price, 0)) AS average_price_change_rate FROM (SELECT t2.side AS side, avg(t1.price) FILTER (WHERE t1.left_on >= DATE '2030-01-01' AND t1.left_on < DATE '2031-01-01') AS average_price, avg(t1.price) FILTER (WHERE t1.left_on >= DATE '2029-01-01' AND t1.left_on < DATE '2030-01-01') AS previous_average_price FROM trips AS t1 JOIN piers AS t2 ON t1.pier_id = t2.pier_id WHERE t1.left_on >= DATE '2030-01-01' AND t1.left_on < DATE '2031-01-01' OR t1.left_on >= DATE '2029-01-01' AND t1.left_on < DATE '2030-01-01' GROUP BY t2.side) AS grouped ORDER BY average_price DESC, side"},
			{"vs last year", "SELECT weather, average_price, previous_average_price, average_price - previous_average_price AS average_price_change, CAST(average_price - previous_average_price AS double) / abs(nullif(previous_average_price, 0)) AS average_price_change_rate FROM (SELECT weather AS weather, avg(price) FILTER (WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01') AS average_price, avg(price) FILTER (WHERE left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01') AS previous_average_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' OR left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01' GROUP BY weather) AS grouped ORDER BY average_price DESC, weather"},
			{"and the year before versus that", "SELECT weather, average_price, previous_average_price, average_price - previous_average_price AS average_price_change, CAST(average_price - previous_average_price AS double) / abs(nullif(previous_average_price, 0)) AS average_price_change_rate FROM (SELECT weather AS weather, avg(price) FILTER (WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01') AS average_price, avg(price) FILTER (WHERE left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01') AS previous_average_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' OR left_on >= DATE '2029-01-01' AND left_on < DATE '2030-01-01' GROUP BY weather) AS grouped ORDER BY average_price DESC, weather"},
			{"我要的是数量", "either"},
			{"by trips weather", "SELECT weather, avg(price) AS average_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' GROUP BY weather ORDER BY average_price DESC, weather"},
			{"按trips weather分", "SELECT weather, avg(price) AS average_price FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01' GROUP BY weather ORDER BY average_price DESC, weather"},
			{"by piers weather", "not understood: piers"},
		}},
		{"total price by weather", "top 1", [][2]string{
			{"all weathers again", "SELECT weather, sum(price) AS total_price FROM trips GROUP BY weather ORDER BY total_price DESC, weather"},
			{"占比呢", "SELECT weather, CAST(sum(price) AS double) / nullif(sum(sum(price)) OVER (), 0) AS price_share_of_total FROM trips GROUP BY weather ORDER BY price_share_of_total DESC LIMIT 1"},
			{"各weather的占比呢", "SELECT weather, CAST(sum(price) AS double) / nullif(sum(sum(price)) OVER (), 0) AS price_share_of_total FROM trips GROUP BY weather ORDER BY price_share_of_total DESC, weather"},
			{"compared with 2029", "refused: compare no_period"},
			{"what is that in total?", "SELECT sum(price) AS total_price FROM trips"},
		}},
		{"How many trips were there in 2030?", "per month", [][2]string{
			{"how many is that in total?", "SELECT count(*) AS number_of_trips FROM trips WHERE left_on >= DATE '2030-01-01' AND left_on < DATE '2031-01-01'"},
			{"compared with 2029", "refused: compare not_over_tables"},
		}},
	} {
		readings, _ := s.reader.Question(c.first, s.view, today).Readings()
		require.NotEmpty(t, readings, c.first)
		prev := readings[0].Intent
		if c.then != "" {
			prev = s.reader.Change(c.then, &prev, s.view, today)[0].Intent
		}
		before, err := json.Marshal(prev)
		require.NoError(t, err)
		for _, change := range c.changes {
			t.Run(c.first+" "+change[0], func(t *testing.T) {
				t.Parallel()
				require.Equal(t, change[1], s.change(t, &prev, change[0]))
				after, err := json.Marshal(prev)
				require.NoError(t, err)
				require.Equal(t, string(before), string(after), "the question before stays as it was")
			})
		}
	}
}
