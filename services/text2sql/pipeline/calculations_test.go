package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// garage is a small schema of repairs: amounts, days, and codes that descriptions
// explain.
func garage() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("mechanics"), RowCount: 5, Columns: []catalog.Column{
			{Name: "mechanic_id", Type: "bigint", PrimaryKey: true, Distinct: 5}, {Name: "name", Type: "varchar", Distinct: 5},
			{Name: "phone", Type: "varchar", Distinct: 5},
		}},
		{Name: name("repairs"), RowCount: 200, Columns: []catalog.Column{
			{Name: "repair_id", Type: "bigint", PrimaryKey: true, Distinct: 200}, {Name: "mechanic_id", Type: "bigint"},
			{Name: "estimate", Type: "double"}, {Name: "price", Type: "double"}, {Name: "cost", Type: "double"},
			{Name: "received_on", Type: "date"}, {Name: "returned_on", Type: "date"},
			{Name: "state", Type: "varchar", Distinct: 2, Samples: []string{"D", "F"}, Comment: "D = done, F = fail"},
			{Name: "kind", Type: "varchar", Distinct: 2, Samples: []string{"engine", "brakes"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"mechanic_id"}, RefTable: name("mechanics"), RefColumns: []string{"mechanic_id"}}}},
	}
}

func TestCalculations(t *testing.T) {
	t.Parallel()
	cases := [][2]string{
		{"average difference between price and cost of the repairs", "SELECT avg(price - cost) AS average_difference FROM repairs"},
		{"total of price minus cost per kind", "SELECT kind, sum(price - cost) AS total_difference FROM repairs GROUP BY kind ORDER BY total_difference DESC, kind"},
		{"what is the ratio of price to estimate for each repair", "SELECT CAST(price AS double) / nullif(estimate, 0) AS ratio, repair_id FROM repairs"},
		{"how many repairs have a price higher than the estimate", "SELECT count(*) AS number_of_repairs FROM repairs WHERE price > estimate"},
		{"average number of days between received on and returned on per kind", "SELECT kind, avg(date_diff('day', received_on, returned_on)) AS average_days_from_received_on_to_returned_on FROM repairs GROUP BY kind ORDER BY average_days_from_received_on_to_returned_on DESC, kind"},
		{"what is the average number of repairs per mechanic", "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_repairs FROM (SELECT count(*) AS value_of_group FROM repairs AS t1 JOIN mechanics AS t2 ON t1.mechanic_id = t2.mechanic_id GROUP BY t2.mechanic_id) AS grouped"},
		{"how many mechanics have at least 10 repairs", "SELECT count(*) AS number_of_mechanics FROM (SELECT t1.mechanic_id FROM mechanics AS t1 JOIN repairs AS t2 ON t1.mechanic_id = t2.mechanic_id GROUP BY t1.mechanic_id HAVING count(*) >= 10) AS grouped"},
		{"ratio of engine repairs to brakes repairs", "SELECT CAST(count_if(kind = 'engine') AS double) / nullif(count_if(kind = 'brakes'), 0) AS ratio FROM repairs"},
		{"what percentage of repairs failed", "SELECT 100 * CAST(count_if(state = 'F') AS double) / nullif(count(*), 0) AS f_percentage FROM repairs"},
		{"share of the total price per kind", "SELECT kind, CAST(sum(price) AS double) / nullif(sum(sum(price)) OVER (), 0) AS price_share_of_total FROM repairs GROUP BY kind ORDER BY price_share_of_total DESC, kind"},
		{"how many mechanics have a missing phone", "SELECT count(*) AS number_of_mechanics FROM mechanics WHERE phone IS NULL"},
		{"the latest returned on for each kind", "SELECT kind, max(returned_on) AS highest_returned_on FROM repairs GROUP BY kind ORDER BY highest_returned_on DESC, kind"},
		{"average cost as a percentage of price per kind", "SELECT kind, avg(100 * CAST(cost AS double) / nullif(price, 0)) AS average_percentage FROM repairs GROUP BY kind ORDER BY average_percentage DESC, kind"},
		{"difference between the highest and the lowest price per kind", "SELECT kind, max(price) - min(price) AS difference FROM repairs GROUP BY kind ORDER BY difference DESC, kind"},
		{"total profit per kind, where profit = price - cost", "SELECT kind, sum(price - cost) AS total_difference FROM repairs GROUP BY kind ORDER BY total_difference DESC, kind"},
		{"cost divided by price per kind", "SELECT kind, CAST(sum(cost) AS double) / nullif(sum(price), 0) AS ratio FROM repairs GROUP BY kind ORDER BY ratio DESC, kind"},
		{"what is the cost rate of each mechanic, defined as cost divided by price?", "SELECT t2.name, CAST(sum(t1.cost) AS double) / nullif(sum(t1.price), 0) AS ratio FROM repairs AS t1 JOIN mechanics AS t2 ON t1.mechanic_id = t2.mechanic_id GROUP BY t2.mechanic_id, t2.name ORDER BY ratio DESC, t2.name"},
		{"what is the cost as a percentage of the price of all repairs", "SELECT 100 * CAST(sum(cost) AS double) / nullif(sum(price), 0) AS percentage FROM repairs"},
		{"profit per kind, where profit is price minus cost", "SELECT kind, sum(price - cost) AS total_difference FROM repairs GROUP BY kind ORDER BY total_difference DESC, kind"},
		{"price minus cost of each repair", "SELECT price - cost AS difference, repair_id FROM repairs"},
		{"total price divided by total cost per kind", "SELECT kind, CAST(sum(price) AS double) / nullif(sum(cost), 0) AS ratio FROM repairs GROUP BY kind ORDER BY ratio DESC, kind"},
		{"difference between the most expensive and the cheapest price per kind", "SELECT kind, max(price) - min(price) AS difference FROM repairs GROUP BY kind ORDER BY difference DESC, kind"},
		{"price minus cost per month of 2025", "SELECT date_trunc('month', received_on) AS month, sum(price - cost) AS total_difference FROM repairs WHERE received_on >= DATE '2025-01-01' AND received_on < DATE '2026-01-01' GROUP BY date_trunc('month', received_on) ORDER BY month"},
		{"on average, how many repairs does a mechanic do", "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_repairs FROM (SELECT count(*) AS value_of_group FROM repairs AS t1 JOIN mechanics AS t2 ON t1.mechanic_id = t2.mechanic_id GROUP BY t2.mechanic_id) AS grouped"},
		{"which 2 kinds had the most repairs", "SELECT kind FROM repairs WHERE kind IS NOT NULL GROUP BY kind ORDER BY count(*) DESC LIMIT 2"},
		{"which repairs have a price more than twice the cost", "SELECT repair_id FROM repairs WHERE price > 2 * cost"},
		{"how many repairs have a price less than half the estimate", "SELECT count(*) AS number_of_repairs FROM repairs WHERE price < 0.5 * estimate"},
		{"which mechanics have more than 3 engine repairs? show the name and the number of engine repairs", "SELECT t2.name, count(*) AS number_of_repairs FROM repairs AS t1 JOIN mechanics AS t2 ON t1.mechanic_id = t2.mechanic_id WHERE t1.kind = 'engine' GROUP BY t2.mechanic_id, t2.name HAVING count(*) > 3 ORDER BY number_of_repairs DESC, t2.name"},
		{"what percentage of the price comes from engine repairs", "SELECT 100 * CAST(sum(price) FILTER (WHERE kind = 'engine') AS double) / nullif(sum(price), 0) AS percentage FROM repairs"},
		{"what share of the total cost comes from brakes repairs in 2025", "SELECT CAST(sum(cost) FILTER (WHERE kind = 'brakes') AS double) / nullif(sum(cost), 0) AS ratio FROM repairs WHERE received_on >= DATE '2025-01-01' AND received_on < DATE '2026-01-01'"},
		{"which repair took the longest time", "SELECT repair_id FROM repairs ORDER BY date_diff('day', received_on, returned_on) DESC LIMIT 1"},
		{"which kind has the highest average difference between price and cost", "SELECT kind FROM repairs GROUP BY kind ORDER BY avg(price - cost) DESC LIMIT 1"},
	}
	p := newPipeline(t)
	schema := p.Prepare(garage(), nil)
	for _, c := range cases {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			res := p.Answer(pipeline.Input{Question: c[0], Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
			require.Equal(t, c[1], res.Draft, "%v %v", res.NotUnderstood, res.Doubts)
		})
	}
}

func TestRulesOfQuestions(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	ask := func(question string, rules ...string) pipeline.Result {
		in := pipeline.Input{Question: question, Schema: p.Prepare(garage(), nil), Now: time.Now()}
		for _, text := range rules {
			in.Rules = append(in.Rules, catalog.Rule{Text: text})
		}
		return p.Answer(in)
	}
	plain := ask("average profit per kind", "Profit = price - cost")
	require.Equal(t, "SELECT kind, avg(price - cost) AS average_difference FROM repairs GROUP BY kind ORDER BY average_difference DESC, kind", plain.Draft)
	require.Equal(t, plain.Draft, ask("average PFT per kind", "profit (PFT) is defined as price minus cost. Use ILIKE for names.").Draft, "an abbreviation, and a rule that holds anyway")
	require.Equal(t, plain.Confidence, ask("average profit per kind", "Profit = price - cost\nStations are open on Sundays").Confidence, "a rule of other things")

	sure, unread := ask("total price per kind"), ask("total price per kind", "A price counts once it was checked by two people")
	require.Equal(t, sure.Draft, unread.Draft)
	require.InDelta(t, sure.Confidence/2, unread.Confidence, 0.05, "a rule of what was asked that was not read")
	require.Equal(t, pipeline.Abstained, unread.Outcome)
}
