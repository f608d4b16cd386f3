package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// What is said of the whole question, how long things last, and what has not
// happened yet.
func TestDurationsStatesAndWholes(t *testing.T) {
	t.Parallel()
	const average = "SELECT kind, avg(date_diff('day', received_on, returned_on)) AS average_days FROM repairs GROUP BY kind ORDER BY average_days DESC, kind"
	const told = "SELECT kind, avg(date_diff('day', received_on, returned_on)) AS average_days_from_received_on_to_returned_on FROM repairs GROUP BY kind ORDER BY average_days_from_received_on_to_returned_on DESC, kind"
	cases := []struct{ name, question, sql string }{
		{"a pair of days", "What is the average time in days to return a repair, by kind?", average},
		{"no column named", "What is the average duration of repairs in days per kind?", told},
		{"on average at the end", "How long does it take on average to return a repair, in days?", "SELECT avg(date_diff('day', received_on, returned_on)) AS average_days_from_received_on_to_returned_on FROM repairs"},
		{"mean of counts", "How many repairs did each mechanic get on average?", "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_repairs FROM (SELECT count(*) AS value_of_group FROM repairs AS t1 JOIN mechanics AS t2 ON t1.mechanic_id = t2.mechanic_id GROUP BY t2.mechanic_id) AS grouped"},
		{"not yet", "How many repairs are unreturned?", "SELECT count(*) AS number_of_repairs FROM repairs WHERE returned_on IS NULL"},
		{"state of a day", "How many repairs are still outstanding?", "SELECT count(*) AS number_of_repairs FROM repairs WHERE returned_on IS NULL"},
		{"two values compared", "What is the average price of engine repairs compared with brakes repairs?", "SELECT kind, avg(price) AS average_price FROM repairs WHERE kind IN ('engine', 'brakes') GROUP BY kind ORDER BY average_price DESC, kind"},
		{"verb of a day", "How many repairs were returned in 2024?", "SELECT count(*) AS number_of_repairs FROM repairs WHERE returned_on >= DATE '2024-01-01' AND returned_on < DATE '2025-01-01'"},
		{"rounded", "What is the average price per kind, rounded to 2 decimals?", "SELECT kind, round(avg(price), 2) AS average_price FROM repairs GROUP BY kind ORDER BY average_price DESC, kind"},
		{"as a percentage", "What is the ratio of total cost to total price, as a percentage?", "SELECT 100 * CAST(sum(cost) AS double) / nullif(sum(price), 0) AS percentage FROM repairs"},
		{"both kinds of rows", "Which mechanics have both engine and brakes repairs?", "SELECT t1.name FROM mechanics AS t1 WHERE EXISTS (SELECT 1 FROM repairs AS t2 WHERE t1.mechanic_id = t2.mechanic_id AND t2.kind = 'engine') AND EXISTS (SELECT 1 FROM repairs AS t2 WHERE t1.mechanic_id = t2.mechanic_id AND t2.kind = 'brakes')"},
	}
	p := newPipeline(t)
	schema := p.Prepare(garage(), nil)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c.question, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
			require.Equal(t, c.sql, res.Draft, "%v %v", res.NotUnderstood, res.Doubts)
		})
	}
}
