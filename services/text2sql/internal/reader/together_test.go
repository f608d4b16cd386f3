package reader_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// rides keeps one table: what members rode, when and for how much.
func rides() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "rides"}, RowCount: 800, Columns: []catalog.Column{
		key("ride_id"), texts("member", "Ann Lee", "Ben Ott", "Cleo Roth"), texts("bike", "Road", "Gravel", "Tandem"), col("ridden_on", "date"), col("price", "decimal(10,2)"), {Name: "age", Type: "bigint", Distinct: 60},
	}}
}

// What is compared with an average is compared with that of all rows, and it is told.
func TestComparedWithTheAverage(t *testing.T) {
	t.Parallel()
	school, shop := open(t, music()...), open(t, rides())
	for question, want := range map[string]string{
		"List the lessons with a fee above the average":                "SELECT lesson_id FROM lessons WHERE fee > (SELECT avg(CAST(fee AS double)) AS average_fee FROM lessons)",
		"How many lessons had a fee below average?":                    "SELECT count(*) AS number_of_lessons FROM lessons WHERE fee < (SELECT avg(CAST(fee AS double)) AS average_fee FROM lessons)",
		"How many lessons had a fee above the average fee?":            "SELECT count(*) AS number_of_lessons FROM lessons WHERE fee > (SELECT avg(CAST(fee AS double)) AS average_fee FROM lessons)",
		"费用高于平均费用的lessons有多少？":                                         "SELECT count(*) AS number_of_lessons FROM lessons WHERE fee > (SELECT avg(CAST(fee AS double)) AS average_fee FROM lessons)",
		"How many lessons of pupils in Bern had an above average fee?": "SELECT count(*) AS number_of_lessons FROM lessons AS t1 JOIN pupils AS t2 ON t1.pupil_id = t2.pupil_id WHERE t1.fee > (SELECT avg(CAST(fee AS double)) AS average_fee FROM lessons) AND t2.town = 'Bern'",
	} {
		got, reading := school.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
		require.True(t, slices.ContainsFunc(reading.Notes, func(n reader.Note) bool { return n.ID == "mean_of_all" }), question)
	}
	for question, want := range map[string]string{
		"How many rides were above age 60?": "SELECT count(*) AS number_of_rides FROM rides WHERE age > 60",
	} {
		got, _ := shop.ask(t, question)
		require.Equal(t, want, got, question)
	}
	// what many rows of a thing come to is compared with no average of the rows
	for _, question := range []string{"Which pupils paid more than the average fee?", "Which pupils have a fee above average?"} {
		got, reading := school.ask(t, question)
		require.True(t, strings.HasPrefix(got, "refused: ") || len(reading.Unread) > 0, "%s: %s", question, got)
	}
}

// Both of two stored values is each of them, of rows that may have one each.
func TestBothOfTwo(t *testing.T) {
	t.Parallel()
	school, shop := open(t, music()...), open(t, rides())
	for question, want := range map[string]string{
		"Which pupils had both Fail and Pass lessons?": "SELECT t1.full_name FROM pupils AS t1 WHERE EXISTS (SELECT 1 FROM lessons AS t2 WHERE t1.pupil_id = t2.pupil_id AND t2.outcome = 'Fail') AND EXISTS (SELECT 1 FROM lessons AS t2 WHERE t1.pupil_id = t2.pupil_id AND t2.outcome = 'Pass')",
	} {
		got, reading := school.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	for question, want := range map[string]string{
		"Which members rode both Road and Gravel?": "SELECT member FROM rides GROUP BY member HAVING count_if(bike = 'Road') > 0 AND count_if(bike = 'Gravel') > 0",
		"哪些member既有Road又有Gravel？":                  "SELECT member FROM rides GROUP BY member HAVING count_if(bike = 'Road') > 0 AND count_if(bike = 'Gravel') > 0",
	} {
		got, reading := shop.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	// a row has one value of a column
	got, reading := shop.ask(t, "How many rides were both Road and Gravel?")
	require.True(t, strings.HasPrefix(got, "refused: ") || len(reading.Unread) > 0, got)
}

// What stands between "break" and "down by" is counted; "number per" is one of rows; things with
// and without something are two groups, where a column of yes and no tells them apart.
func TestDividedByWords(t *testing.T) {
	t.Parallel()
	table := rides()
	table.Columns = append(table.Columns, catalog.Column{Name: "helmet", Type: "boolean", NotNull: true, Distinct: 2})
	shop := open(t, table)
	for question, want := range map[string]string{
		"Can you break the rides down by bike?":            "SELECT bike, count(*) AS number_of_rides FROM rides GROUP BY bike ORDER BY number_of_rides DESC, bike",
		"Break the rides down by bike and member":          "SELECT bike, member, count(*) AS number_of_rides FROM rides GROUP BY bike, member ORDER BY number_of_rides DESC, bike, member",
		"Number per bike please":                           "SELECT bike, count(*) AS number_of_rides FROM rides GROUP BY bike ORDER BY number_of_rides DESC, bike",
		"Average price of rides with and without a helmet": "SELECT helmet, avg(CAST(price AS double)) AS average_price FROM rides GROUP BY helmet ORDER BY average_price DESC, helmet",
	} {
		got, reading := shop.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	got, reading := shop.ask(t, "Totals per bike") // of what is not said: no number of rows
	require.True(t, !strings.Contains(got, "count(*)") || len(reading.Unread) > 0, got)
	got, reading = shop.ask(t, "Average price of rides with and without an age") // one of the two is no answer
	require.True(t, strings.HasPrefix(got, "refused: ") || len(reading.Unread) > 0, got)
}

// What is named apart is asked for once, and one of many is no number of them.
func TestWhoseTheyAre(t *testing.T) {
	t.Parallel()
	members := catalog.Table{Name: catalog.Name{Table: "members"}, RowCount: 90, Columns: []catalog.Column{key("member_id"), col("full_name", "varchar"), texts("country", "Malta", "Wales"), {Name: "age", Type: "bigint", Distinct: 50}}}
	club := open(t, members)
	for _, question := range []string{"What are the different countries with members above age 20?", "What are the different countries of members above age 20?"} {
		got, _ := club.ask(t, question)
		require.Equal(t, "SELECT DISTINCT country FROM members WHERE age > 20", got, question)
	}
	got, reading := club.ask(t, "Show countries where a member below 30 is from")
	require.True(t, !strings.Contains(got, "count(") || len(reading.Unread) > 0, got)
}

// Of what is lacking nothing is shown; two values beside each other stay apart in each of two years.
func TestWhoLacksAndWhatIsApart(t *testing.T) {
	t.Parallel()
	works := open(t, catalog.Table{Name: catalog.Name{Table: "contractors"}, RowCount: 60, Columns: []catalog.Column{key("contractor_id"), col("name", "varchar")}},
		catalog.Table{
			Name: catalog.Name{Table: "permit_applications"}, RowCount: 900, Columns: []catalog.Column{
				{Name: "permit_no", Type: "varchar", PrimaryKey: true, NotNull: true, Distinct: 900}, col("contractor_id", "bigint"), col("filed_on", "date"),
			},
			ForeignKeys: []catalog.ForeignKey{to("contractor_id", "contractors")},
		},
		catalog.Table{
			Name: catalog.Name{Table: "site_inspections"}, RowCount: 2000, Columns: []catalog.Column{key("inspection_id"), {Name: "permit_no", Type: "varchar", Distinct: 800}, col("inspected_on", "date")},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"permit_no"}, RefTable: catalog.Name{Table: "permit_applications"}, RefColumns: []string{"permit_no"}}},
		})
	got, _ := works.ask(t, "Are there contractors who have never applied for a permit? List them.")
	require.NotContains(t, got, "permit_no IS NULL")
	got, reading := open(t, rides()).ask(t, "Road versus Gravel: how many rides did each get in 2024 and in 2025?")
	require.Equal(t, "SELECT bike, date_trunc('year', ridden_on) AS year, count(*) AS number_of_rides FROM rides WHERE bike IN ('Road', 'Gravel') AND (ridden_on >= DATE '2024-01-01' AND ridden_on < DATE '2025-01-01' OR ridden_on >= DATE '2025-01-01' AND ridden_on < DATE '2026-01-01') GROUP BY bike, date_trunc('year', ridden_on) ORDER BY bike, year", got)
	require.Empty(t, reading.Unread)
}
