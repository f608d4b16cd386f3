package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Days of the week and hours of the day come again: rows of all weeks are put together by them,
// the days in their order.
func TestStepsThatComeAgain(t *testing.T) {
	t.Parallel()
	school := open(t, music()...)
	for question, want := range map[string]string{
		"How many lessons were booked per weekday?":              "SELECT date_format(booked_on, '%W') AS weekday, count(*) AS number_of_lessons FROM lessons GROUP BY date_format(booked_on, '%W'), day_of_week(booked_on) ORDER BY day_of_week(booked_on)",
		"On which day of the week were the most lessons booked?": "SELECT date_format(booked_on, '%W') AS weekday FROM lessons GROUP BY date_format(booked_on, '%W'), day_of_week(booked_on) ORDER BY count(*) DESC LIMIT 1",
		"Which weekday had the most lessons in 2025?":            "SELECT date_format(booked_on, '%W') AS weekday FROM lessons WHERE booked_on >= DATE '2025-01-01' AND booked_on < DATE '2026-01-01' GROUP BY date_format(booked_on, '%W'), day_of_week(booked_on) ORDER BY count(*) DESC LIMIT 1",
		"按星期几统计lessons数量":                                        "SELECT date_format(booked_on, '%W') AS weekday, count(*) AS number_of_lessons FROM lessons GROUP BY date_format(booked_on, '%W'), day_of_week(booked_on) ORDER BY day_of_week(booked_on)",
		"星期几的lessons最多？":                                         "SELECT date_format(booked_on, '%W') AS weekday FROM lessons GROUP BY date_format(booked_on, '%W'), day_of_week(booked_on) ORDER BY count(*) DESC LIMIT 1",
	} {
		got, reading := school.ask(t, question)
		require.Equal(t, want, got, question)
		require.Empty(t, reading.Unread, question)
	}
	calls := open(t, catalog.Table{Name: catalog.Name{Table: "calls"}, RowCount: 900, Columns: []catalog.Column{key("call_id"), col("started_at", "timestamp")}})
	got, _ := calls.ask(t, "How many calls per hour of the day?")
	require.Equal(t, "SELECT hour(started_at) AS hour_of_day, count(*) AS number_of_calls FROM calls GROUP BY hour(started_at) ORDER BY hour_of_day", got)
	_, reading := school.ask(t, "How many lessons per hour of the day?") // they have days alone
	require.NotEmpty(t, reading.Unread)
}

// Days of the week and hours of the day restrict rows, too: those of all weeks.
func TestTimesThatComeAgain(t *testing.T) {
	t.Parallel()
	calls := catalog.Table{Name: catalog.Name{Table: "calls"}, RowCount: 900, Columns: []catalog.Column{key("call_id"), col("started_at", "timestamp"), texts("topic", "billing", "delivery")}}
	s := open(t, calls)
	for question, want := range map[string]string{
		"How many calls on Saturdays?":                        "date_format(started_at, '%W') = 'Saturday'",
		"How many calls on Saturdays and Sundays?":            "date_format(started_at, '%W') IN ('Saturday', 'Sunday')",
		"How many calls at weekends in 2025?":                 "started_at >= DATE '2025-01-01' AND started_at < DATE '2026-01-01' AND date_format(started_at, '%W') IN ('Saturday', 'Sunday')",
		"How many calls after 8 pm?":                          "hour(started_at) >= 20",
		"How many billing calls before noon?":                 "topic = 'billing' AND hour(started_at) < 12",
		"How many calls between 9 and 11 am on working days?": "date_format(started_at, '%W') IN ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday') AND hour(started_at) >= 9 AND hour(started_at) < 11",
		"周末有多少calls？":                                         "date_format(started_at, '%W') IN ('Saturday', 'Sunday')",
		"晚上八点以后有多少calls？":                                     "hour(started_at) >= 20",
		"每周六有多少calls？":                                        "date_format(started_at, '%W') = 'Saturday'",
		"工作日的calls有多少？":                                       "date_format(started_at, '%W') IN ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday')",
		"下午3点到5点的calls有多少？":                                   "hour(started_at) >= 15 AND hour(started_at) < 17",
	} {
		got, reading := s.ask(t, question)
		require.ElementsMatch(t, strings.Split(want, " AND "), strings.Split(strings.TrimPrefix(got, "SELECT count(*) AS number_of_calls FROM calls WHERE "), " AND "), question)
		require.Empty(t, reading.Unread, question)
	}
	calls.Columns[1].Type = "date"
	got, _ := open(t, calls).ask(t, "How many calls after 8 pm?")
	require.NotContains(t, got, "WHERE", "days have no hours: %s", got)
}
