package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// Places in an order are conditions where the tables have one column of places; where they have none, or two, nothing
// is said of them.
func TestPlacesInAnOrder(t *testing.T) {
	t.Parallel()
	results := catalog.Table{Name: catalog.Name{Table: "results"}, RowCount: 3000, RowKey: []string{"song", "week"}, Columns: []catalog.Column{
		texts("song", "Amber", "Slate", "Umber"), {Name: "week", Type: "date", NotNull: true, Distinct: 300}, {Name: "rank", Type: "bigint", NotNull: true, Distinct: 100, Low: "1", High: "100"},
	}}
	s := open(t, results)
	s.answers(t, map[string]string{
		"Which songs reached number one?":               "SELECT DISTINCT song FROM results WHERE rank = 1",
		"What was the number one song on 2030-04-22?":   "SELECT DISTINCT song FROM results WHERE rank = 1 AND week >= DATE '2030-04-22' AND week < DATE '2030-04-23'",
		"How many different songs were in the top ten?": "SELECT count(DISTINCT song) AS number_of_songs FROM results WHERE rank <= 10",
		"2030年4月22日第三名是哪个song？":                         "SELECT DISTINCT song FROM results WHERE rank = 3 AND week >= DATE '2030-04-22' AND week < DATE '2030-04-23'",
		"Which songs made the top 3 in 2030?":           "SELECT DISTINCT song FROM results WHERE rank <= 3 AND week >= DATE '2030-01-01' AND week < DATE '2031-01-01'",
	})
	results.Columns = append(results.Columns, catalog.Column{Name: "position", Type: "bigint", NotNull: true, Distinct: 100, Low: "1", High: "100"})
	got, read := open(t, results).ask(t, "Which songs reached number one?")
	require.NotEmpty(t, read.Unread, got)
}

// How something went on over the years is asked by a verb that adds nothing; a kind before the name of a group tells
// whose; better than a number is said of the one figure there is.
func TestHowThingsWentOn(t *testing.T) {
	t.Parallel()
	open(t, trades()).answers(t, map[string]string{
		"How did the number of weavers change over the years?": "SELECT year, sum(count) AS total_count FROM trades WHERE trade = 'Weaver' GROUP BY year ORDER BY year",
		"历年Weaver有多少人？":                                        "SELECT year, sum(count) AS total_count FROM trades WHERE trade = 'Weaver' GROUP BY year ORDER BY year",
	})
	open(t, kennel()...).answers(t, map[string]string{
		"Average weight_kg for each cat gender":           "SELECT gender, avg(weight_kg) AS average_weight_kg FROM animals WHERE species = 'cat' GROUP BY gender ORDER BY average_weight_kg DESC, gender",
		"How many stays per month do we have on average?": "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_stays FROM (SELECT count(*) AS value_of_group FROM stays GROUP BY date_trunc('month', began_on)) AS grouped",
		"平均每个月有多少stays？":                                  "SELECT avg(CAST(value_of_group AS double)) AS average_number_of_stays FROM (SELECT count(*) AS value_of_group FROM stays GROUP BY date_trunc('month', began_on)) AS grouped",
	})
	ratings := catalog.Table{Name: catalog.Name{Table: "ratings"}, RowCount: 900, Columns: []catalog.Column{key("rating_id"), {Name: "score", Type: "bigint", NotNull: true, Distinct: 5, Low: "1", High: "5"}}}
	open(t, ratings).answers(t, map[string]string{
		"How many ratings were worse than 3?":  "SELECT count(*) AS number_of_ratings FROM ratings WHERE score < 3",
		"How many ratings were better than 3?": "SELECT count(*) AS number_of_ratings FROM ratings WHERE score > 3",
	})
}

// Things are those that are there, what was done is no wish for when, and all the values of a column are not put
// together.
func TestThingsAreThoseThatAreThere(t *testing.T) {
	t.Parallel()
	members := catalog.Table{Name: catalog.Name{Table: "members"}, RowCount: 800, Columns: []catalog.Column{key("member_id"), col("full_name", "varchar"), texts("gender", "F", "M"),
		{Name: "company", Type: "varchar", Distinct: 90, Missing: 40}, {Name: "left_on", Type: "date", Distinct: 80, Missing: 700}, texts("plan", "desk", "room", "day")}}
	open(t, members).answers(t, map[string]string{
		"Which companies have at least 7 members?":      "SELECT company FROM members WHERE company IS NOT NULL GROUP BY company HAVING count(*) >= 7",
		"哪些members已经离开了？":                               "SELECT full_name FROM members WHERE left_on IS NOT NULL",
		"How many women and men do we have as members?": "SELECT gender, count(*) AS number_of_members FROM members WHERE gender IN ('F', 'M') GROUP BY gender ORDER BY number_of_members DESC, gender",
		"How many members have a desk or a room plan?":  "SELECT count(*) AS number_of_members FROM members WHERE plan IN ('desk', 'room')",
	})
}

// What a column is called in other words is said right before its value; "one" stands for the rows that a value is of.
func TestWordsBesideValues(t *testing.T) {
	t.Parallel()
	stones := catalog.Table{Name: catalog.Name{Table: "stones"}, RowCount: 9000, Columns: []catalog.Column{texts("cut", "Fair", "Ideal"), texts("color", "D", "E"), {Name: "price", Type: "bigint", NotNull: true, Distinct: 4000}}}
	s := open(t, stones)
	s.answers(t, map[string]string{
		"切工为Fair的stones有多少？":                                                     "SELECT count(*) AS number_of_stones FROM stones WHERE cut = 'Fair'",
		"How much more is the average price of a fair one than of an ideal one?": "SELECT avg(price) FILTER (WHERE cut = 'Fair') AS average_price_fair, avg(price) FILTER (WHERE cut = 'Ideal') AS average_price_ideal, avg(price) FILTER (WHERE cut = 'Fair') - avg(price) FILTER (WHERE cut = 'Ideal') AS difference FROM stones",
	})
	_, read := s.ask(t, "切工为Fair的stones有多少？")
	require.Contains(t, read.Notes, reader.Note{ID: "taken_column", Args: []string{"切工", "cut"}})
	got, read := s.ask(t, "切工和Fair的stones有多少？")
	require.NotEmpty(t, read.Unread, got)
}
