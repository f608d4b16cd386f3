package chatbi

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// TestPeriodsOfStatements: two ranges of whole days of one column, in different places, are
// compared; the first in the text is that of the own figures.
func TestPeriodsOfStatements(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ sql, own, base string }{
		"parts": {
			"SELECT sum(v) FROM t WHERE dt >= DATE '2026-11-08' AND dt < DATE '2026-11-15' UNION ALL SELECT sum(v) FROM t WHERE dt >= DATE '2026-11-01' AND dt < DATE '2026-11-08'",
			"2026-11-08 2026-11-15", "2026-11-01 2026-11-08",
		},
		"filters of aggregates, the earlier first": {
			"SELECT x, previous_x FROM (SELECT sum(v) FILTER (WHERE dt >= DATE '2026-11-01' AND dt < DATE '2026-11-08') AS x, sum(v) FILTER (WHERE dt >= DATE '2026-11-08' AND dt < DATE '2026-11-15') AS previous_x " +
				"FROM t WHERE dt >= DATE '2026-11-01' AND dt < DATE '2026-11-08' OR dt >= DATE '2026-11-08' AND dt < DATE '2026-11-15') AS i",
			"2026-11-01 2026-11-08", "2026-11-08 2026-11-15",
		},
		"one period":     {"SELECT sum(v) FROM t WHERE dt >= DATE '2026-11-08' AND dt < DATE '2026-11-15'", "", ""},
		"three periods":  {"SELECT sum(v) FILTER (WHERE dt BETWEEN DATE '2026-01-01' AND DATE '2026-01-31'), sum(v) FILTER (WHERE dt BETWEEN DATE '2026-02-01' AND DATE '2026-02-28'), sum(v) FILTER (WHERE dt BETWEEN DATE '2026-03-01' AND DATE '2026-03-31') FROM t", "", ""},
		"days in common": {"SELECT sum(v) FILTER (WHERE dt BETWEEN DATE '2026-01-01' AND DATE '2026-01-31'), sum(v) FILTER (WHERE dt BETWEEN DATE '2026-01-31' AND DATE '2026-02-28') FROM t", "", ""},
		"two columns":    {"SELECT sum(v) FILTER (WHERE a BETWEEN DATE '2026-01-01' AND DATE '2026-01-31'), sum(v) FILTER (WHERE b BETWEEN DATE '2026-02-01' AND DATE '2026-02-28') FROM t", "", ""},
		"hours":          {"SELECT sum(v) FILTER (WHERE a >= TIMESTAMP '2026-01-01 00:00:00' AND a < TIMESTAMP '2026-01-01 06:00:00'), sum(v) FILTER (WHERE a >= TIMESTAMP '2026-01-02 00:00:00' AND a < TIMESTAMP '2026-01-02 06:00:00') FROM t", "", ""},
	} {
		stmt, err := parser.Parse(c.sql)
		require.NoError(t, err, name)
		got, ok := periodsOf(stmt, now)
		require.Equal(t, c.own != "", ok, name)
		if ok {
			text := func(r analyse.Range) string { return r.From.Format(time.DateOnly) + " " + r.To.Format(time.DateOnly) }
			require.Equal(t, []string{c.own, c.base}, []string{text(got.own), text(got.base)}, name)
		}
	}
}

// TestGapsOfPeriods: a day without rows is missing where days without rows are rare, and
// not where they come by chance, or are still to come.
func TestGapsOfPeriods(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 9, n, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		from, middle, to int // days of September 2026 on which base, own and what is after begin
		today            int
		has              func(n int) bool
		want             []int
	}{
		"all there":                {1, 8, 15, 20, func(int) bool { return true }, nil},
		"one in the middle":        {1, 8, 15, 20, func(n int) bool { return n != 5 }, []int{5}},
		"they begin later":         {1, 8, 15, 20, func(n int) bool { return n >= 5 }, []int{1, 2, 3, 4}},
		"the base is not there":    {1, 8, 15, 20, func(n int) bool { return n >= 8 }, []int{1, 2, 3, 4, 5, 6, 7}},
		"late":                     {1, 8, 15, 15, func(n int) bool { return n < 13 }, []int{13, 14}},
		"still to come":            {1, 8, 15, 12, func(n int) bool { return n < 12 }, nil},
		"no Sundays":               {1, 29, 57, 90, func(n int) bool { return n%7 != 6 }, nil},
		"no Sundays, then no week": {1, 29, 57, 90, func(n int) bool { return n%7 != 6 && (n < 30 || n > 36) }, []int{30, 31, 32, 33, 34, 35, 36}},
		"every third day":          {1, 29, 57, 90, func(n int) bool { return n%3 == 0 }, nil},
		"nothing":                  {1, 8, 15, 20, func(int) bool { return false }, []int{}},
	} {
		periods := comparedPeriods{own: analyse.Range{From: day(c.middle), To: day(c.to)}, base: analyse.Range{From: day(c.from), To: day(c.middle)}}
		there := map[string]bool{}
		for n := c.from; n < c.to; n++ {
			if c.has(n) {
				there[day(n).Format(time.DateOnly)] = true
			}
		}
		var want []time.Time
		for _, n := range c.want {
			want = append(want, day(n))
		}
		require.Equal(t, want, gapsOf(periods, there, day(c.today)), name)
	}
}

// TestDaysThatAreNotKnown: where more came than there can be days of two periods, or what is
// no day, nothing is known of what is missing.
func TestDaysThatAreNotKnown(t *testing.T) {
	t.Parallel()
	rows := func(n int) (rows [][]any) {
		for i := range n {
			rows = append(rows, []any{time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)})
		}
		return rows
	}
	there, ok := daysTold(rows(maxDaysOfPeriods))
	require.True(t, ok)
	require.Len(t, there, maxDaysOfPeriods)
	for name, unknown := range map[string][][]any{
		"cut off": rows(maxDaysOfPeriods + 1), "none": nil, "months": append(rows(3), []any{"2026-05"}), "no text": {{nil}},
		"written otherwise": {{"2026/05/01"}}, "part of a text": {{"May 1, 202"}},
	} {
		_, ok := daysTold(unknown)
		require.False(t, ok, name)
	}
}

// TestDaysOfPeriodsAreThoseOfTheCalendar, whatever the clocks do.
func TestDaysOfPeriodsAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for month, want := range map[time.Month]int{time.February: 28, time.March: 31, time.October: 31} {
		from := time.Date(2026, month, 1, 0, 0, 0, 0, berlin)
		require.Equal(t, want, daysIn(explain.Period{From: from, To: from.AddDate(0, 1, 0)}), month)
	}
	require.Equal(t, 1, daysIn(explain.Period{From: time.Date(2026, 3, 29, 0, 0, 0, 0, berlin), To: time.Date(2026, 3, 30, 0, 0, 0, 0, berlin)}))
}

// TestNamesInDayStatements: names are quoted where they have to be, and a column that keeps
// no days is not asked.
func TestNamesInDayStatements(t *testing.T) {
	t.Parallel()
	require.False(t, strings.Contains(sqlOfDays(t, "integer"), "SELECT"))
	require.Contains(t, sqlOfDays(t, "timestamp(3)"), `CAST("the day" AS date)`)
	require.Contains(t, sqlOfDays(t, "timestamp(3)"), `"the day" < TIMESTAMP '2026-09-08 00:00:00'`)
	require.Contains(t, sqlOfDays(t, "varchar"), `"the day" < '2026-09-08'`)
	require.Contains(t, sqlOfDays(t, "varchar"), `SELECT DISTINCT substr("the day", 1, 10) AS day`)
	_, err := parser.Parse(sqlOfDays(t, "date"))
	require.NoError(t, err)
}

func sqlOfDays(t *testing.T, kind string) string {
	t.Helper()
	day := func(n int) time.Time { return time.Date(2026, 9, n, 0, 0, 0, 0, time.UTC) }
	sql, ok := daysSQL(catalog.Name{Region: "sg", Schema: "shop", Table: "a b"}, catalog.Column{Name: "the day", Type: kind},
		comparedPeriods{own: analyse.Range{From: day(8), To: day(15)}, base: analyse.Range{From: day(1), To: day(8)}})
	require.Equal(t, ok, sql != "")
	return sql
}
