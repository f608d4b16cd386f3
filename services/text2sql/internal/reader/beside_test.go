package reader_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// gardens are where collectors, whose first and last names are kept, collect seeds.
func gardens() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "gardens"}, RowCount: 80, Columns: []catalog.Column{
			key("garden_id"), {Name: "name", Type: "varchar", NotNull: true, Distinct: 80, Samples: []string{"Rose Walk", "Upper Terrace"}},
			texts("garden_type", "Orchard", "Maze"), texts("street", "Mill Lane", "High Street", "Quay"), {Name: "benches", Type: "bigint", NotNull: true, Distinct: 12},
		}},
		{Name: catalog.Name{Table: "collectors"}, RowCount: 6, Columns: []catalog.Column{
			key("collector_id"), texts("first_name", "Ines", "Otto"), texts("last_name", "Falk", "Brandt"), col("hired_on", "date"),
		}},
		{Name: catalog.Name{Table: "collections"}, RowCount: 700, Columns: []catalog.Column{
			col("collector_id", "bigint"), col("garden_id", "bigint"), col("collected_on", "date"),
		}, ForeignKeys: []catalog.ForeignKey{to("collector_id", "collectors"), to("garden_id", "gardens")}},
	}
}

// What is theirs is shown beside what they are called, never alone, and restricts nothing.
func TestShownBesideNames(t *testing.T) {
	t.Parallel()
	s := open(t, gardens()...)
	s.answers(t, map[string]string{
		"List all the orchards with more than 5 benches, with their street":         "SELECT name, street FROM gardens WHERE benches > 5 AND garden_type = 'Orchard'",
		"orchards with less than 5 benches with their street and number of benches": "SELECT name, street, benches FROM gardens WHERE benches < 5 AND garden_type = 'Orchard'",
		"gardens with their street":         "SELECT name, street FROM gardens",
		"list everyone with their hired on": "SELECT first_name, last_name, hired_on FROM collectors",
	})
	_, read := s.ask(t, "gardens with their street")
	require.True(t, read.Theirs)
	_, read = s.ask(t, "street of Rose Walk")
	require.False(t, read.Theirs)
}

// The rows of a table are no part of the name of another table's column that fits badly.
func TestFirstOfTheRows(t *testing.T) {
	t.Parallel()
	open(t, gardens()...).answers(t, map[string]string{
		"When was Ines Falk's first collection?": "SELECT min(t1.collected_on) AS lowest_collected_on FROM collections AS t1 JOIN collectors AS t2 ON t1.collector_id = t2.collector_id WHERE t2.first_name = 'Ines' AND t2.last_name = 'Falk'",
	})
}

// poll has a column for each question of a survey, which is a sentence.
func poll() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "poll_export"}, RowCount: 900, Columns: []catalog.Column{
		texts("I feel at home in the museum", "Yes, always", "Sometimes", "Never"), texts("The museum is too crowded", "Agree", "Disagree"),
		texts("The museum is a fair deal for my money", "Agree", "Disagree"), texts("Has museum card", "yes", "no"), texts("Remark", "Too crowded on Sundays", "Lovely"),
	}}}
}

// A column that is a sentence is named by what is said about others, and no word of it names another column.
func TestNamesThatAreSentences(t *testing.T) {
	t.Parallel()
	open(t, poll()...).answers(t, map[string]string{
		"How many people disagree that the museum is too crowded?":              `SELECT count(*) AS number_of_polls FROM poll_export WHERE "The museum is too crowded" = 'Disagree'`,
		"How many people agree that the museum is a fair deal for their money?": `SELECT count(*) AS number_of_polls FROM poll_export WHERE "The museum is a fair deal for my money" = 'Agree'`,
	})
}

// A noun is the rows where the name of their table has it within it or it may mean that, and is open else.
func TestNounsOfOtherThings(t *testing.T) {
	t.Parallel()
	donations := open(t, catalog.Table{Name: catalog.Name{Table: "donations"}, RowCount: 1200, Columns: []catalog.Column{
		col("given_on", "date"), texts("appeal", "Roof", "Organ"), {Name: "amount", Type: "decimal(10,2)", Unit: "£", NotNull: true, Distinct: 300},
	}})
	strikes := open(t, catalog.Table{Name: catalog.Name{Table: "lightningstrikes"}, RowCount: 500, Columns: []catalog.Column{
		col("seen_on", "date"), texts("county", "Kent", "Fife"),
	}})
	for _, test := range []struct {
		shop     shop
		question string
		note     string
	}{
		{donations, "How many refunds have there been?", "rows_open"},
		{strikes, "How many strikes were there in Kent?", "rows_are"},
		{strikes, "How many outages were there in Kent?", "rows_open"},
		{strikes, "How many records are there in Kent?", ""},
	} {
		_, read := test.shop.ask(t, test.question)
		require.Equal(t, test.note != "", slices.ContainsFunc(read.Notes, func(n reader.Note) bool { return n.ID == test.note }), "%s: %v", test.question, read.Notes)
	}
}
