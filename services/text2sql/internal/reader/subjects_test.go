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
		Dependencies: []catalog.Dependency{{Column: "play", Determines: []string{"kind", "opened", "score", "play_length"}}},
		Columns: []catalog.Column{
			{Name: "play", Type: "varchar", NotNull: true, Distinct: 60, Samples: []string{"Hamlet", "Faust", "Medea"}}, {Name: "kind", Type: "varchar", NotNull: true, Distinct: 4, Samples: []string{"comedy", "tragedy"}},
			{Name: "opened", Type: "date", NotNull: true, Distinct: 50, Low: "2019-01-01", High: "2024-06-01"}, {Name: "score", Type: "double", NotNull: true, Distinct: 30},
			{Name: "play_length", Type: "bigint", NotNull: true, Distinct: 40, Unit: "minutes", Low: "60", High: "240"},
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
		"How many records are there for Hamlet?":              "SELECT count(*) AS number_of_takings FROM takings WHERE play = 'Hamlet'",
		"What is the average of seats sold in Oslo?":          "SELECT avg(seats_sold) AS average_seats_sold FROM takings WHERE town = 'Oslo'",
		"How many plays took longer than 2 hours?":            "SELECT count(DISTINCT play) AS number_of_plays FROM takings WHERE play_length > 120",
		"What is the average of seats sold across all towns?": "SELECT avg(seats_sold) AS average_seats_sold FROM takings",
	})
	for question, never := range map[string]string{
		"What is the total score of the comedies?": "sum(score)", "Average score by town": "avg(score)", // a play would count as often as it has weeks
		"How many takings were there in Oslo?":     "count(", // of plays, of weeks of them?
		"How many plays ran for at least 8 weeks?": "80640",  // minutes
		"How many plays are there in Oslo?":        "sum(play_length)",
	} {
		sql, _ := open(t, playWeeks()).ask(t, question)
		require.NotContains(t, sql, never, question)
	}
	plain := playWeeks()
	plain.Dependencies = nil
	open(t, plain).answers(t, map[string]string{"What is the average score of the comedies?": "SELECT avg(score) AS average_score FROM takings WHERE kind = 'comedy'"})
}
