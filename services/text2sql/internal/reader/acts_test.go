package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// league keeps players, the clubs that they play for, and matches of the clubs.
func league() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "clubs"}, RowCount: 20, Columns: []catalog.Column{key("club_id"), col("club_name", "varchar"), texts("town", "Bern", "Basel"), col("budget", "decimal(10,2)")}},
		{Name: catalog.Name{Table: "languages"}, RowCount: 60, Columns: []catalog.Column{key("language_id"), col("club_id", "bigint"), texts("language", "German", "French")}, ForeignKeys: []catalog.ForeignKey{to("club_id", "clubs")}},
		{Name: catalog.Name{Table: "sponsors"}, RowCount: 30, Columns: []catalog.Column{key("sponsor_id"), texts("branch", "bank", "brewery")}},
		{Name: catalog.Name{Table: "club_sponsors"}, RowCount: 60, Columns: []catalog.Column{col("club_id", "bigint"), col("sponsor_id", "bigint")}, ForeignKeys: []catalog.ForeignKey{to("club_id", "clubs"), to("sponsor_id", "sponsors")}},
		{Name: catalog.Name{Table: "matches"}, RowCount: 900, Columns: []catalog.Column{key("match_id"), col("club_id", "bigint"), texts("result", "won", "lost")}, ForeignKeys: []catalog.ForeignKey{to("club_id", "clubs")}},
	}
}

// Verbs say how things belong together, and what denies them denies that.
func TestVerbsBetweenThings(t *testing.T) {
	t.Parallel()
	s := open(t, league()...)
	speaks := "(SELECT 1 FROM languages AS t2 WHERE t1.club_id = t2.club_id AND t2.language = 'German')"
	for question, want := range map[string]string{
		"Which clubs speak German?":                              "SELECT t1.club_name FROM clubs AS t1 WHERE EXISTS " + speaks,
		"Which clubs do not speak German?":                       "SELECT t1.club_name FROM clubs AS t1 WHERE NOT EXISTS " + speaks,
		"clubs that do not host any matches":                     "SELECT t1.club_name FROM clubs AS t1 WHERE NOT EXISTS (SELECT 1 FROM matches AS t2 WHERE t1.club_id = t2.club_id)",
		"the names of clubs that host matches":                   "SELECT t1.club_name FROM clubs AS t1 WHERE EXISTS (SELECT 1 FROM matches AS t2 WHERE t1.club_id = t2.club_id)",
		"How many matches has the club with the highest budget?": "SELECT count(*) AS number_of_matches FROM matches AS t1 JOIN clubs AS t2 ON t1.club_id = t2.club_id WHERE t2.club_id = (SELECT club_id FROM clubs ORDER BY budget DESC LIMIT 1)",
		// what another table puts beside them
		"the names of clubs that do not have any sponsors":           "SELECT t1.club_name FROM clubs AS t1 WHERE NOT EXISTS (SELECT 1 FROM club_sponsors AS t2 JOIN sponsors AS t3 ON t2.sponsor_id = t3.sponsor_id WHERE t1.club_id = t2.club_id)",
		"Find the towns of clubs that do not have a brewery sponsor": "SELECT DISTINCT t1.town FROM clubs AS t1 WHERE NOT EXISTS (SELECT 1 FROM club_sponsors AS t2 JOIN sponsors AS t3 ON t2.sponsor_id = t3.sponsor_id WHERE t1.club_id = t2.club_id AND t3.branch = 'brewery')",
	} {
		sql, reading := s.ask(t, question)
		require.Equal(t, want, sql, question)
		require.Empty(t, reading.Unread, question)
	}
	for _, question := range []string{
		"Which clubs cancelled matches?", // what was done may be a state of them
	} {
		_, reading := s.ask(t, question)
		require.NotEmpty(t, reading.Unread, question)
	}
}

// What one table calls exactly so is not meant by another word of another table.
func TestExactNamesBeforeOtherWords(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "inns"}, RowCount: 50, Columns: []catalog.Column{key("inn_id"), col("inn_name", "varchar"), {Name: "review_count", Type: "bigint", NotNull: true, Distinct: 40}, texts("place", "Bern", "Basel")}},
		catalog.Table{
			Name: catalog.Name{Table: "stays"}, RowCount: 5000, Columns: []catalog.Column{key("stay_id"), col("inn_id", "bigint"), {Name: "rating", Type: "double", NotNull: true, Distinct: 9}},
			ForeignKeys: []catalog.ForeignKey{to("inn_id", "inns")},
		})
	sql, _ := s.ask(t, "Which inn has the highest rating?")
	require.Contains(t, sql, "rating")
	require.NotContains(t, sql, "review_count")
}

// Two values beside each other are both of a thing that may have many; a thing is known by its
// name; several columns may be wanted of the first of an order; "where" behind a name asks nothing.
func TestThingsAndWhatTheyHave(t *testing.T) {
	t.Parallel()
	s := open(t, league()...)
	speaks := func(language string) string {
		return "EXISTS (SELECT 1 FROM languages AS t2 WHERE t1.club_id = t2.club_id AND t2.language = '" + language + "')"
	}
	for question, want := range map[string]string{
		"Find the names of clubs with the language German and French":                  "SELECT t1.club_name FROM clubs AS t1 WHERE " + speaks("German") + " AND " + speaks("French"),
		"Give the town and budget of the club with the highest budget":                 "SELECT town, budget FROM clubs ORDER BY budget DESC LIMIT 1",
		"What are the clubs where the town is Bern?":                                   "SELECT club_name FROM clubs WHERE town = 'Bern'",
		"Find the club names of clubs with the language German or the language French": "SELECT t1.club_name FROM clubs AS t1 WHERE EXISTS (SELECT 1 FROM languages AS t2 WHERE t1.club_id = t2.club_id AND t2.language IN ('German', 'French'))",
	} {
		sql, _ := s.ask(t, question)
		require.Equal(t, want, sql, question)
	}
	lands := open(t, catalog.Table{Name: catalog.Name{Table: "lands"}, RowCount: 200, Columns: []catalog.Column{
		key("land_id"), {Name: "land_name", Type: "varchar", NotNull: true, Samples: []string{"Angola", "Bhutan"}, Distinct: 200},
		{Name: "local_form", Type: "varchar", NotNull: true, Samples: []string{"Angola", "Druk"}, Distinct: 200}, col("area", "double"),
	}})
	sql, first := lands.ask(t, "What is the area of Angola?")
	require.Contains(t, sql, "land_name = 'Angola'")
	list, _ := lands.reader.Question("What is the area of Angola?", lands.view, today).Readings()
	require.Greater(t, list[1].Cost, first.Cost, "and is sure of it")
}
