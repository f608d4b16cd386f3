package reader_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// first is the intent of the likeliest reading of a question.
func (s shop) first(t *testing.T, question string) intent.Intent {
	t.Helper()
	list, _ := s.reader.Question(question, s.view, today).Readings()
	require.NotEmpty(t, list, question)
	return list[0].Intent
}

// talk changes a question again and again, and returns what came of each change.
func (s shop) talk(t *testing.T, question string, said ...string) []string {
	t.Helper()
	prev := s.first(t, question)
	var got []string
	for _, x := range said {
		got = append(got, s.change(t, &prev, x))
		prev = s.reader.Change(x, &prev, s.view, today)[0].Intent
	}
	return got
}

// TestASeriesIsWhole: the limit of a ranking goes where its groups become steps of time, is
// told to go, and stays where the groups are others.
func TestASeriesIsWhole(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for first, limit := range map[string]string{"top 3 species by total fee": " LIMIT 3", "Which species has the most visits?": " LIMIT 1", "top 5 towns by number of visits": " LIMIT 5"} {
		for said, series := range map[string]bool{"by month": true, "per year": true, "by quarter": true, "by year and species": true, "按月看": true, "by outcome": false} {
			prev := s.first(t, first)
			got := s.change(t, &prev, said)
			require.Contains(t, got, "GROUP BY", first+" "+said)
			x := s.reader.Change(said, &prev, s.view, today)[0]
			require.Equal(t, series, slices.ContainsFunc(x.Edits, func(e followup.Edit) bool { return e.Do == followup.NoLimit }), first+" "+said)
			if series {
				require.NotContains(t, got, "LIMIT", first+" "+said)
				require.NotContains(t, got, "DESC", "in the order of time")
				continue
			}
			require.True(t, strings.HasSuffix(got, limit), got)
		}
	}
}

// TestChangesOfFigures: what else a figure leaves behind goes with it, and what cannot be a
// figure is refused.
func TestChangesOfFigures(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	const visits = " FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species"
	for _, c := range [][3]string{
		{"average fee and number of visits by species", "without the average fee", "SELECT t2.species, count(*) AS number_of_visits" + visits + " ORDER BY t2.species"},
		{"average fee and number of visits by species", "without the number of visits", "SELECT t2.species, avg(t1.fee) AS average_fee" + visits + " ORDER BY average_fee DESC, t2.species"},
		{"average fee by species", "without the average fee", "refused: drop_figure nothing_left"},
		{"average fee by species", "sorted by number of visits", "SELECT t2.species, count(*) AS number_of_visits" + visits + " ORDER BY number_of_visits DESC, t2.species"},
		{"average fee by species", "as a share", "refused: share no_whole"},
		{"average fee and number of visits by species", "as a share", "refused: share no_whole"},
		{"number of visits per outcome", "as a percentage", "SELECT outcome, 100 * CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS visits_percentage_of_total FROM visits GROUP BY outcome ORDER BY visits_percentage_of_total DESC, outcome"},
		{"number of visits per outcome", "as a share", "SELECT outcome, CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS visits_share_of_total FROM visits GROUP BY outcome ORDER BY visits_share_of_total DESC, outcome"},
		{"visits with the highest fee", "how many are there?", "refused: set_figure not_over_tables"},
		{"average duration by species", "over 2 minutes", "SELECT t2.species, avg(t1.duration_seconds) AS average_duration_seconds" + visits + " HAVING avg(t1.duration_seconds) > 120 ORDER BY average_duration_seconds DESC, t2.species"},
		{"average duration by species", "longer than 1 hour", "SELECT t2.species, avg(t1.duration_seconds) AS average_duration_seconds" + visits + " HAVING avg(t1.duration_seconds) > 3600 ORDER BY average_duration_seconds DESC, t2.species"},
		{"average duration by species", "over 100", "SELECT t2.species, avg(t1.duration_seconds) AS average_duration_seconds" + visits + " HAVING avg(t1.duration_seconds) > 100 ORDER BY average_duration_seconds DESC, t2.species"},
	} {
		prev := s.first(t, c[0])
		require.Equal(t, c[2], s.change(t, &prev, c[1]), c[0]+" | "+c[1])
	}
}

// TestBoundsOfBothSidesStay: a bound takes the place of one from the same side of the same
// figure, and of no other; the rows behind bounded groups cannot be listed.
func TestBoundsOfBothSidesStay(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	got := s.talk(t, "average fee by species", "more than 50", "at most 80", "more than 60", "at least 10 visits", "at least 12 visits", "list them")
	for i, want := range []string{
		"HAVING avg(t1.fee) > 50 ORDER",
		"HAVING avg(t1.fee) > 50 AND avg(t1.fee) <= 80 ORDER",
		"HAVING avg(t1.fee) <= 80 AND avg(t1.fee) > 60 ORDER",
		"HAVING avg(t1.fee) <= 80 AND avg(t1.fee) > 60 AND count(*) >= 10 ORDER",
		"HAVING avg(t1.fee) <= 80 AND avg(t1.fee) > 60 AND count(*) >= 12 ORDER",
		"refused: list_rows not_over_tables",
	} {
		require.Contains(t, got[i], want)
	}
}

// TestValuesComeAndGo follows which of three species are counted through each row of changes
// of two steps, against a set of them.
func TestValuesComeAndGo(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	all := []string{"dog", "cat", "guinea pig"}
	// condition is what keeps the rows of a set: the SQL may name those in it or the others.
	condition := func(in []string) []string {
		quoted := func(list []string) string { return "'" + strings.Join(list, "', '") + "'" }
		var others []string
		for _, x := range all {
			if !slices.Contains(in, x) {
				others = append(others, x)
			}
		}
		switch len(others) {
		case 0:
			return []string{"SELECT count(*) AS number_of_pets FROM pets"}
		case 1:
			return []string{"species <> " + quoted(others), "species IN (" + quoted(in) + ")"}
		}
		return []string{"species NOT IN (" + quoted(others) + ")", "species = " + quoted(in)}
	}
	for _, c := range []struct {
		said []string
		in   []string // empty: the last one is refused
	}{
		{[]string{"without dogs"}, []string{"cat", "guinea pig"}},
		{[]string{"without dogs", "without cats"}, []string{"guinea pig"}},
		{[]string{"without dogs", "without cats", "and dogs too"}, []string{"dog", "guinea pig"}},
		{[]string{"without dogs", "without cats", "and dogs too", "and cats too"}, all},
		{[]string{"without dogs", "and dogs too"}, all},
		{[]string{"without dogs", "and cats too"}, nil},
		{[]string{"only dogs"}, []string{"dog"}},
		{[]string{"only dogs", "and cats too"}, []string{"dog", "cat"}},
		{[]string{"only dogs", "and cats too", "without dogs"}, []string{"cat"}},
		{[]string{"only dogs", "without cats"}, nil},
		{[]string{"only dogs", "also dogs"}, nil},
		{[]string{"only dogs", "only cats"}, []string{"cat"}},
	} {
		got := s.talk(t, "How many pets are there?", c.said...)
		last := got[len(got)-1]
		if c.in == nil {
			require.True(t, strings.HasPrefix(last, "refused: "), "%v %s", c.said, last)
			continue
		}
		require.True(t, slices.ContainsFunc(condition(c.in), func(want string) bool { return strings.HasSuffix(last, want) }), "%v %s", c.said, last)
	}
}

// TestRangesMoveByTheirUnit: each unit moves both ends by itself, whatever the range.
func TestRangesMoveByTheirUnit(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for first, moves := range map[string]map[string]string{
		"How many visits were there in 2030?": {
			"the year before": "2029-01-01 2030-01-01", "the quarter before": "2029-10-01 2030-10-01", "the month before": "2029-12-01 2030-12-01",
			"the week before": "2029-12-25 2030-12-25", "the day before": "2029-12-31 2030-12-31",
		},
		"How many visits were there in March 2030?": {
			"the year before": "2029-03-01 2029-04-01", "the quarter before": "2029-12-01 2030-01-01", "the month before": "2030-02-01 2030-03-01",
			"the week before": "2030-02-22 2030-03-25", "the day before": "2030-02-28 2030-03-31",
		},
	} {
		prev := s.first(t, first)
		for said, want := range moves {
			from, to, _ := strings.Cut(want, " ")
			require.Equal(t, fmt.Sprintf("SELECT count(*) AS number_of_visits FROM visits WHERE visit_date >= DATE '%s' AND visit_date < DATE '%s'", from, to), s.change(t, &prev, said), first+" "+said)
		}
	}
}

// TestRowsOfWideTables: of the rows behind a figure as many columns are shown as are bounded.
func TestRowsOfWideTables(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{2: 3, 15: 16, 16: 16, 40: 16} {
		table := catalog.Table{Name: catalog.Name{Table: "voyages"}, RowCount: 900, Columns: []catalog.Column{key("voyage_id")}}
		for i := range columns {
			table.Columns = append(table.Columns, col(fmt.Sprintf("deck%d_load", i), "double"))
		}
		s := open(t, table)
		prev := s.first(t, "How many voyages are there?")
		got := s.change(t, &prev, "list them")
		list, _, _ := strings.Cut(strings.TrimPrefix(got, "SELECT "), " FROM ")
		require.Len(t, strings.Split(list, ", "), want, got)
		require.True(t, strings.HasSuffix(got, " LIMIT 1000"), got)
	}
}
