package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// orchards has the same of each year in a column of its own.
func orchards() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "orchards"}, RowCount: 60, Columns: []catalog.Column{
		{Name: "name", Type: "varchar", NotNull: true, Distinct: 60, Samples: []string{"Hillside", "Brook End"}},
		texts("kind", "meadow", "terrace"), col("harvest_2019", "integer"), col("harvest_2022", "integer"), col("harvest_2024", "integer"), col("area_ha", "double"),
	}}}
}

// raffle keeps tickets of a raffle with the one amount of money that was paid.
func raffle() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "tickets"}, RowCount: 3000, Columns: []catalog.Column{
		col("sold_on", "date"), texts("stall", "Tombola", "Cake stand"), {Name: "amount", Type: "decimal(10,2)", Unit: "£", NotNull: true, Distinct: 300},
	}}}
}

// The year that is said of columns which are called the same but for it chooses one of them, and is no
// condition.
func TestYearsInNamesOfColumns(t *testing.T) {
	t.Parallel()
	s := open(t, orchards()...)
	s.answers(t, map[string]string{
		"What was the harvest of Hillside in 2022?":      "SELECT harvest_2022 FROM orchards WHERE name = 'Hillside'",
		"Total harvest in 2024":                          "SELECT sum(harvest_2024) AS total_harvest_2024 FROM orchards",
		"Which orchards had a harvest over 500 in 2019?": "SELECT name FROM orchards WHERE harvest_2019 > 500",
		"biggest terrace by 2024 harvest":                "SELECT name FROM orchards WHERE kind = 'terrace' ORDER BY harvest_2024 DESC LIMIT 1",
		"Hillside在2019年的harvest是多少？":                     "SELECT sum(harvest_2019) AS total_harvest_2019 FROM orchards WHERE name = 'Hillside'",
	})
	_, read := s.ask(t, "the 3 terrace by 2024 harvest") // whether all of them are called so is not known
	require.NotEmpty(t, read.Unread)
	_, reading := s.ask(t, "Total harvest in 2019 and in 2022")
	require.NotEmpty(t, reading.Unread, "one year of two is no answer")
}

// What keeps the rows, and whose they are, restricts nothing; a name of the data does.
func TestWhatKeepsTheRows(t *testing.T) {
	t.Parallel()
	open(t, raffle()...).answers(t, map[string]string{
		"How many tickets are in the log?":             "SELECT count(*) AS number_of_tickets FROM tickets",
		"How many tickets do we have on file?":         "SELECT count(*) AS number_of_tickets FROM tickets",
		"What was the highest amount in the data set?": "SELECT max(amount) AS highest_amount FROM tickets",
		"How many tickets took part?":                  "SELECT count(*) AS number_of_tickets FROM tickets",
	})
}

// A word that says of rows that they are meant one by one keeps sums away.
func TestSingleOnes(t *testing.T) {
	t.Parallel()
	open(t, raffle()...).answers(t, map[string]string{
		"Which stall had the single highest amount?": "SELECT stall FROM tickets GROUP BY stall ORDER BY max(amount) DESC LIMIT 1",
		"Which stall had the highest amount?":        "SELECT stall FROM tickets GROUP BY stall ORDER BY sum(amount) DESC LIMIT 1",
	})
}

// Verbs that say no more than that money came in leave nothing out; others would.
func TestMoneyCameIn(t *testing.T) {
	t.Parallel()
	s := open(t, raffle()...)
	for question, want := range map[string]string{
		"How much money have we raised in total?": "SELECT sum(amount) AS total_amount FROM tickets",
		"How much did the Tombola bring in?":      "SELECT sum(amount) AS total_amount FROM tickets WHERE stall = 'Tombola'",
	} {
		got, reading := s.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	_, reading := s.ask(t, "How much money have we refunded in total?")
	require.Equal(t, []string{"refunded"}, reading.Unread)
}

// Amounts with what they are of before them make a range, and so do two before 之间.
func TestRangesOfAmounts(t *testing.T) {
	t.Parallel()
	open(t, raffle()...).answers(t, map[string]string{
		"How many tickets were between £5 and £20?": "SELECT count(*) AS number_of_tickets FROM tickets WHERE amount BETWEEN 5 AND 20",
	})
}

// Each row of figures with an age and a sex is a person.
func TestRowsOfPersons(t *testing.T) {
	t.Parallel()
	trial := func(more ...catalog.Column) shop {
		return open(t, catalog.Table{Name: catalog.Name{Table: "trial"}, RowCount: 900, Columns: append([]catalog.Column{
			{Name: "age", Type: "integer", Distinct: 60}, texts("sex", "F", "M"), {Name: "is_smoker", Type: "boolean", Distinct: 2}, {Name: "weight_kg", Type: "double", Distinct: 400},
		}, more...)})
	}
	const want = "SELECT avg(weight_kg) AS average_weight_kg FROM trial WHERE age > 70"
	for _, question := range []string{"Average weight of the subjects with an age over 70", "年龄大于70的人平均体重是多少？"} {
		got, reading := trial().ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	_, reading := trial(col("seen_on", "date")).ask(t, "Average weight of the subjects with an age over 70")
	require.NotEmpty(t, reading.Unread, "what is dated is an event, and may be of one person several times")
}

// To come and to go say no more than that something was, where no longer word has them.
func TestComingAndGoing(t *testing.T) {
	t.Parallel()
	s := open(t, library()...)
	for question, want := range map[string]string{
		"去南京的借阅有多少？":  "SELECT count(*) AS \"number_of_借阅\" FROM \"借阅\" WHERE \"城市\" = '南京'",
		"从西安来的借阅有多少？": "SELECT count(*) AS \"number_of_借阅\" FROM \"借阅\" WHERE \"城市\" = '西安'",
	} {
		got, reading := s.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
}
