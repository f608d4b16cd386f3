package reader_test

import (
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
