package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// boats are boats and their trips.
func boats() []catalog.Table {
	ports := catalog.Table{Name: catalog.Name{Table: "ports"}, RowCount: 12, Columns: []catalog.Column{key("port_id"), col("title", "varchar")}}
	ships := catalog.Table{Name: catalog.Name{Table: "ships"}, RowCount: 30, Columns: []catalog.Column{key("ship_id"), col("name", "varchar"), {Name: "home_port_id", Type: "bigint", NotNull: true, Distinct: 12}},
		ForeignKeys: []catalog.ForeignKey{{Columns: []string{"home_port_id"}, RefTable: catalog.Name{Table: "ports"}, RefColumns: []string{"port_id"}}}}
	trips := catalog.Table{Name: catalog.Name{Table: "trips"}, RowCount: 4000, Columns: []catalog.Column{key("trip_id"), {Name: "ship_id", Type: "bigint", NotNull: true, Distinct: 29}, col("left_at", "timestamp"),
		{Name: "delay_min", Type: "double", NotNull: true, Distinct: 120}, {Name: "rating", Type: "double", NotNull: true, Distinct: 90}, texts("status", "done", "cancelled")},
		ForeignKeys: []catalog.ForeignKey{to("ship_id", "ships")}}
	return []catalog.Table{ports, ships, trips}
}

// Months of the year come again; the worst delay is the longest, and the worst rating the lowest; what each
// thing has was never lacking.
func TestStepsThatComeAgainAndWhatIsWorst(t *testing.T) {
	t.Parallel()
	s := open(t, boats()...)
	s.answers(t, map[string]string{
		"In which month of the year are there the most cancelled trips?": "SELECT month(left_at) AS month_of_year FROM trips WHERE status = 'cancelled' GROUP BY month(left_at) ORDER BY count(*) DESC LIMIT 1",
		"Number of trips by month of the year":                           "SELECT month(left_at) AS month_of_year, count(*) AS number_of_trips FROM trips GROUP BY month(left_at) ORDER BY month_of_year",
		"一年中各月份的trips数量":                                                 "SELECT month(left_at) AS month_of_year, count(*) AS number_of_trips FROM trips GROUP BY month(left_at) ORDER BY month_of_year",
		"Average delay_min per ship, worst first":                        "SELECT t2.name, avg(t1.delay_min) AS average_delay_min FROM trips AS t1 JOIN ships AS t2 ON t1.ship_id = t2.ship_id GROUP BY t2.ship_id, t2.name ORDER BY average_delay_min DESC",
		"Average rating per ship, worst first":                           "SELECT t2.name, avg(t1.rating) AS average_rating FROM trips AS t1 JOIN ships AS t2 ON t1.ship_id = t2.ship_id GROUP BY t2.ship_id, t2.name ORDER BY average_rating",
	})
	_, delays := s.ask(t, "Average delay_min per ship")
	require.Contains(t, s.change(t, &delays.Intent, "the worst"), "ORDER BY average_delay_min DESC LIMIT 1")
	got, read := s.ask(t, "Which ship has never left port?")
	require.False(t, got == "SELECT name FROM ships WHERE home_port_id IS NULL" && len(read.Unread) == 0, got)
}

// What is measured in fractions makes no groups, but a price of each; months with their years beside them are
// not counted by their numbers.
func TestWhatIsMeasuredMakesNoGroups(t *testing.T) {
	t.Parallel()
	stones := catalog.Table{Name: catalog.Name{Table: "stones"}, RowCount: 9000, Columns: []catalog.Column{
		{Name: "carat", Type: "double", NotNull: true, Distinct: 270}, texts("color", "D", "E"), {Name: "price", Type: "bigint", NotNull: true, Distinct: 4000}, {Name: "depth", Type: "double", NotNull: true, Distinct: 180},
	}}
	s := open(t, stones)
	s.answers(t, map[string]string{
		"Average price per carat for each color": "SELECT color, avg(CAST(price AS double) / nullif(carat, 0)) AS average_ratio FROM stones GROUP BY color ORDER BY average_ratio DESC, color",
		"Average price per color":                "SELECT color, avg(price) AS average_price FROM stones GROUP BY color ORDER BY average_price DESC, color",
	})
	got, read := s.ask(t, "Number of stones per carat")
	require.False(t, len(read.Unread) == 0 && read.Intent.Entity != "", got)
	rates := catalog.Table{Name: catalog.Name{Table: "rates"}, RowCount: 1700, RowKey: []string{"trade", "year", "month"}, Columns: []catalog.Column{
		texts("trade", "Mining", "Farming"), {Name: "year", Type: "bigint", NotNull: true, Distinct: 11, Low: "2000", High: "2010"}, {Name: "month", Type: "bigint", NotNull: true, Distinct: 12, Low: "1", High: "12"},
		{Name: "count", Type: "bigint", NotNull: true, Distinct: 1000}, {Name: "rate", Type: "double", NotNull: true, Distinct: 180},
	}}
	got, read = open(t, rates).ask(t, "How many months was the rate in Farming above 15?")
	require.False(t, len(read.Unread) == 0 && read.Intent.Entity != "", got)
}
