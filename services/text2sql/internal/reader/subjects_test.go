package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// playWeeks are what plays took each week in each town: a play has one kind, one stage and one score in all
// its rows.
func playWeeks() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "takings"}, RowCount: 3600, RowKey: []string{"play", "week", "town"},
		Dependencies: []catalog.Dependency{{Column: "play", Determines: []string{"kind", "opened", "score", "play_length", "ticket_price"}}},
		Columns: []catalog.Column{
			{Name: "play", Type: "varchar", NotNull: true, Distinct: 60, Samples: []string{"Hamlet", "Faust", "Medea"}}, {Name: "kind", Type: "varchar", NotNull: true, Distinct: 4, Samples: []string{"comedy", "tragedy"}},
			{Name: "opened", Type: "date", NotNull: true, Distinct: 50, Low: "2019-01-01", High: "2024-06-01"}, {Name: "score", Type: "double", NotNull: true, Distinct: 30},
			{Name: "play_length", Type: "bigint", NotNull: true, Distinct: 40, Unit: "minutes", Low: "60", High: "240"},
			{Name: "ticket_price", Type: "double", NotNull: true, Distinct: 12, Unit: "EUR"},
			{Name: "week", Type: "bigint", NotNull: true, Distinct: 12}, {Name: "town", Type: "varchar", NotNull: true, Distinct: 5, Samples: []string{"Bergen", "Oslo"}}, {Name: "seats_sold", Type: "bigint", NotNull: true, Distinct: 900},
		}}
}

// What the rows of a thing have in common is the thing's: its mean is that of the things, and a number of
// what has no name is one of things where all that is said is of them.
func TestThingsOfSeveralRows(t *testing.T) {
	t.Parallel()
	open(t, playWeeks()).answers(t, map[string]string{
		"What is the average score of the comedies?":          "SELECT avg(CAST(value_of_group AS double)) AS average_score FROM (SELECT avg(score) AS value_of_group FROM takings WHERE kind = 'comedy' GROUP BY play) AS grouped",
		"How many plays are there of each kind?":              "SELECT kind, count(DISTINCT play) AS number_of_plays FROM takings GROUP BY kind ORDER BY number_of_plays DESC, kind",
		"How many tragedies opened in 2020?":                  "SELECT count(DISTINCT play) AS number_of_plays FROM takings WHERE kind = 'tragedy' AND opened >= DATE '2020-01-01' AND opened < DATE '2021-01-01'",
		"What is the highest score of the tragedies?":         "SELECT max(score) AS highest_score FROM takings WHERE kind = 'tragedy'",
		"What is the total ticket price of the comedies?":     "SELECT sum(ticket_price) AS total_ticket_price FROM takings WHERE kind = 'comedy'",
		"How many records are there for Hamlet?":              "SELECT count(*) AS number_of_takings FROM takings WHERE play = 'Hamlet'",
		"What is the average of seats sold in Oslo?":          "SELECT avg(seats_sold) AS average_seats_sold FROM takings WHERE town = 'Oslo'",
		"How many plays took longer than 2 hours?":            "SELECT count(DISTINCT play) AS number_of_plays FROM takings WHERE play_length > 120",
		"What is the average of seats sold across all towns?": "SELECT avg(seats_sold) AS average_seats_sold FROM takings",
	})
	for question, never := range map[string]string{
		"What is the total score of the comedies?": "sum(score)", "Total score by town": "sum(score)", // a play would count as often as it has weeks
		"How many takings were there in Oslo?":              "count(", // of plays, of weeks of them?
		"How many plays have a length of at least 8 weeks?": "80640",  // minutes
		"How many plays are there in Oslo?":                 "sum(play_length)",
	} {
		sql, _ := open(t, playWeeks()).ask(t, question)
		require.NotContains(t, sql, never, question)
	}
	events := playWeeks() // a row for each ticket that was sold
	events.RowKey = nil
	events.Columns = append([]catalog.Column{key("ticket")}, events.Columns...)
	open(t, events).answers(t, map[string]string{"What is the average score of the comedies?": "SELECT avg(score) AS average_score FROM takings WHERE kind = 'comedy'"})
	placed := playWeeks() // that each play is of one kind makes rows no figures of plays
	placed.RowCount = 1300
	placed.Dependencies = []catalog.Dependency{{Column: "play", Determines: []string{"kind"}}}
	open(t, placed).answers(t, map[string]string{"How many takings were there in Oslo?": "SELECT count(*) AS number_of_takings FROM takings WHERE town = 'Oslo'"})
	plain := playWeeks()
	plain.Dependencies = nil
	open(t, plain).answers(t, map[string]string{"What is the average score of the comedies?": "SELECT avg(score) AS average_score FROM takings WHERE kind = 'comedy'"})
}

// Rows that meet those of the question only in a third are no number of theirs, and what only tells rows
// apart is no order of others.
func TestFiguresOfOthers(t *testing.T) {
	t.Parallel()
	fair := []catalog.Table{
		{Name: catalog.Name{Table: "years"}, RowCount: 5, Columns: []catalog.Column{key("year_id"), texts("motto", "sun", "rain")}},
		{Name: catalog.Name{Table: "shows"}, RowCount: 400, Columns: []catalog.Column{key("show_id"), {Name: "year_id", Type: "bigint", Distinct: 5}, texts("title", "Fado", "Polka")}, ForeignKeys: []catalog.ForeignKey{to("year_id", "years")}},
		{Name: catalog.Name{Table: "guests"}, RowCount: 5000, Columns: []catalog.Column{key("guest_id"), {Name: "year_id", Type: "bigint", Distinct: 5}, col("paid", "double")}, ForeignKeys: []catalog.ForeignKey{to("year_id", "years")}},
		{Name: catalog.Name{Table: "booths"}, RowCount: 30, Columns: []catalog.Column{key("booth_id"), {Name: "name", Type: "varchar", NotNull: true, Distinct: 30}, texts("kind", "food", "craft")}},
		{Name: catalog.Name{Table: "booth_hauls"}, RowCount: 900, Columns: []catalog.Column{key("haul_id"), {Name: "booth_id", Type: "bigint", Distinct: 30}, col("amount", "double")}, ForeignKeys: []catalog.ForeignKey{to("booth_id", "booths")}},
	}
	for question, never := range map[string]string{
		"Which shows had more than 300 guests?":  "guest",
		"How many guests did each show have?":    "show",
		"Top 5 food booths by hauls, best first": "ORDER BY t2.haul_id",
	} {
		sql, _ := open(t, fair...).ask(t, question)
		require.NotContains(t, sql, never, question)
	}
	open(t, fair...).answers(t, map[string]string{
		"Show the amount of booth hauls sorted by haul id": "SELECT amount FROM booth_hauls ORDER BY haul_id",
		"How many guests were there by motto?":             "SELECT t2.motto, count(*) AS number_of_guests FROM guests AS t1 JOIN years AS t2 ON t1.year_id = t2.year_id GROUP BY t2.motto ORDER BY number_of_guests DESC, t2.motto",
	})
}

// What is owed in kilos is no money, what something costs is not what was done with it, and how often is no year.
func TestWordsOfOtherColumns(t *testing.T) {
	t.Parallel()
	dairy := []catalog.Table{
		{Name: catalog.Name{Table: "产品"}, RowCount: 40, Columns: []catalog.Column{key("产品编号"), {Name: "产品名称", Type: "varchar", NotNull: true, Distinct: 40}, {Name: "售价", Type: "double", Distinct: 30}}},
		{Name: catalog.Name{Table: "deliveries"}, RowCount: 900, Columns: []catalog.Column{key("delivery_id"), {Name: "sent_on", Type: "date", NotNull: true, Distinct: 300}, {Name: "kg", Type: "double", NotNull: true, Distinct: 300},
			{Name: "price_per_kg", Type: "double", NotNull: true, Distinct: 90}, {Name: "paid_on", Type: "date", Distinct: 300, Missing: 40}, {Name: "year", Type: "bigint", NotNull: true, Distinct: 9, Low: "2010", High: "2018"}}},
	}
	for question, never := range map[string]string{
		"How much money is still owed for deliveries?":           "sum(kg)",
		"Which products have never been sold?":                   "售价",
		"What is the average yearly number of kg of deliveries?": "avg(year)",
	} {
		sql, _ := open(t, dairy...).ask(t, question)
		require.NotContains(t, sql, never, question)
	}
	open(t, dairy...).answers(t, map[string]string{
		"哪些产品没有售价？": `SELECT "产品名称" FROM "产品" WHERE "售价" IS NULL`,
	})
}
