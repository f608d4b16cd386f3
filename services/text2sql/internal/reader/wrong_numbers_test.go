package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// stays are the stays of guests of a house: a number that runs within a guest, an amount
// that may be taken for a year, a channel that some have not.
func stays() catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "stays"}, RowCount: 900, Columns: []catalog.Column{
		key("stay_id"),
		{Name: "guest", Type: "varchar", NotNull: true, Distinct: 120},
		{Name: "stay_no", Type: "bigint", NotNull: true, Distinct: 14},
		{Name: "channel", Type: "varchar", Distinct: 4, Samples: []string{"Walk-in", "Agency", "Letter"}},
		{Name: "room_kind", Type: "varchar", NotNull: true, Distinct: 2, Samples: []string{"single", "double"}},
		{Name: "arrived_on", Type: "date", NotNull: true, Distinct: 400},
		{Name: "price_eur", Type: "double", NotNull: true, Distinct: 300},
		{Name: "deposit", Type: "double", Distinct: 300},
	}}
}

// A year that an expression of time has is no amount, a running number is never added up,
// and rows without a value win no ranking.
func TestNumbersThatAreNoAmounts(t *testing.T) {
	t.Parallel()
	s := open(t, stays())
	for _, c := range []struct{ question, has, never string }{
		{"What was the deposit in 2023?", "", "deposit = 2023"},
		{"How many stays with a deposit in 2029?", "", "deposit = 2029"},
		{"How many stays have a deposit of 200?", "deposit = 200", ""},
		{"total stay no by channel", "", "sum(stay_no)"},
		{"Which channel had the most stays?", "channel IS NOT NULL GROUP BY channel", ""},
		{"Which room kind had the most stays?", "GROUP BY room_kind", "IS NOT NULL"},
		{"Which channel has the highest total price?", "channel IS NOT NULL", ""},
		{"How many stays per channel?", "GROUP BY channel", "IS NOT NULL"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := s.ask(t, c.question)
			require.Contains(t, sql, c.has, "%+v", read.Notes)
			if c.never != "" {
				require.NotContains(t, sql, c.never)
			}
		})
	}
}

// Two tables that only lead to the same third one have nothing to do with each other until
// that one is named.
func TestTablesThatMeetInAnother(t *testing.T) {
	t.Parallel()
	s := open(t,
		catalog.Table{Name: catalog.Name{Table: "branches"}, RowCount: 9, Columns: []catalog.Column{key("branch_id"), texts("branch_name", "Quay", "Mill")}},
		catalog.Table{Name: catalog.Name{Table: "loans"}, RowCount: 900, Columns: []catalog.Column{key("loan_id"), col("branch_id", "bigint"), col("amount_eur", "double")}, ForeignKeys: []catalog.ForeignKey{to("branch_id", "branches")}},
		catalog.Table{Name: catalog.Name{Table: "complaints"}, RowCount: 90, Columns: []catalog.Column{key("complaint_id"), col("branch_id", "bigint"), texts("topic", "noise", "delay")}, ForeignKeys: []catalog.ForeignKey{to("branch_id", "branches")}},
	)
	for _, question := range []string{"total amount of loans with noise", "total amount of loans by topic"} {
		sql, _ := s.ask(t, question)
		require.NotContains(t, sql, "complaints", question)
	}
	sql, _ := s.ask(t, "Which branches have complaints?")
	require.Contains(t, sql, "EXISTS (SELECT 1 FROM complaints")
}

// What stands beside a name of a group, of a size, of a person, counts.
func TestWhatStandsBesideCounts(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	house := open(t, catalog.Table{Name: catalog.Name{Table: "bookings"}, RowCount: 900, Columns: []catalog.Column{
		key("booking_id"), col("arrival", "date"), col("departure", "date"), {Name: "filled", Type: "double", Unit: "%", NotNull: true, Distinct: 90}, col("cost_per_night", "double"),
		{Name: "fee", Type: "double", Unit: "$", Distinct: 90}, col("night", "bigint"), texts("country", "Chile", "Peru"),
	}})
	for _, c := range []struct {
		shop
		question, has, never string
	}{
		{s, "total fee by species and year", "GROUP BY t2.species, date_trunc('year', t1.visit_date)", ""},
		{s, "number of visits by outcome and month", "GROUP BY outcome, date_trunc('month', visit_date)", ""},
		{s, "pets heavier than 20 kg ordered by weight", "WHERE weight_kg > 20 ORDER BY weight_kg", ""},
		{s, "Who owns the heaviest pet?", "last_name", "SELECT name"},
		{s, "number of visits per day of the week", "", "date_trunc"},
		{s, "How many visits are there where the year of the pet is not known?", "", "IS NULL"},
		{house, "How many fees were there?", "count(*) AS number_of_bookings FROM bookings WHERE fee IS NOT NULL", ""},
		{house, "Which country had the most fees?", "ORDER BY count(*) DESC", ""},
		{house, "Which country had the most nights?", "ORDER BY sum(night) DESC", ""},
		{s, "total fee, this month compared with last month", "total_fee - previous_total_fee AS total_fee_change", ""},
		{s, "total fee this month and last month", "", "AND visit_date >= DATE '2031-04-01' AND"},
		{house, "What is the longest stay in days?", "date_diff('day', arrival, departure)", ""},
		{house, "How many bookings were filled more than 50 %?", "filled > 0.5", ""},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			sql, read := c.ask(t, c.question)
			require.Contains(t, sql, c.has, "%+v", read.Notes)
			if c.never != "" {
				require.NotContains(t, sql, c.never)
			}
		})
	}
	_, read := s.ask(t, "Which owners have fewer than 2 visits?")
	require.Contains(t, read.Notes, reader.Note{ID: "none_left_out", Args: []string{"visits"}})
}

// Answers that were wrong and sure over files of people.
func TestNumbersOfTheRightThing(t *testing.T) {
	t.Parallel()
	shops := catalog.Table{Name: catalog.Name{Table: "门店"}, RowCount: 8, Columns: []catalog.Column{key("门店编号"), {Name: "门店名称", Type: "varchar", Distinct: 8}, texts("城市", "成都", "重庆")}}
	staff := catalog.Table{Name: catalog.Name{Table: "店员"}, RowCount: 40, Columns: []catalog.Column{key("工号"), {Name: "姓名", Type: "varchar", Distinct: 40}, col("门店编号", "bigint")}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"门店编号"}, RefTable: catalog.Name{Table: "门店"}, RefColumns: []string{"门店编号"}}}}
	got, _ := open(t, shops, staff).ask(t, "成都的门店一共有多少名店员？")
	require.Equal(t, `SELECT count(*) AS "number_of_店员" FROM "店员" AS t1 JOIN "门店" AS t2 ON t1."门店编号" = t2."门店编号" WHERE t2."城市" = '成都'`, got)

	people := catalog.Table{Name: catalog.Name{Table: "employees"}, RowCount: 60, Columns: []catalog.Column{
		key("employee_id"), {Name: "first_name", Type: "varchar", Distinct: 50}, {Name: "last_name", Type: "varchar", Distinct: 60}, texts("gender", "female", "male"), col("hired_on", "date"), col("born_on", "date"),
	}}
	reviews := catalog.Table{Name: catalog.Name{Table: "reviews"}, RowCount: 200, Columns: []catalog.Column{key("review_id"), col("employee_id", "bigint"), col("review_year", "bigint"), col("rating", "bigint")},
		ForeignKeys: []catalog.ForeignKey{to("employee_id", "employees")}}
	shifts := catalog.Table{Name: catalog.Name{Table: "shifts"}, RowCount: 900, Columns: []catalog.Column{key("shift_id"), col("employee_id", "bigint"), col("event_id", "bigint"), col("hours", "double")},
		ForeignKeys: []catalog.ForeignKey{to("employee_id", "employees"), to("event_id", "events")}}
	events := catalog.Table{Name: catalog.Name{Table: "events"}, RowCount: 90, Columns: []catalog.Column{key("event_id"), col("held_on", "date"), texts("kind", "fair", "walk")}}
	s := open(t, people, reviews, shifts, events)
	for question, want := range map[string]string{
		"Average rating by gender in 2030, best first": "SELECT t2.gender, avg(t1.rating) AS average_rating FROM reviews AS t1 JOIN employees AS t2 ON t1.employee_id = t2.employee_id WHERE t1.review_year = 2030 GROUP BY t2.gender ORDER BY average_rating DESC",
		"Average rating per year":                      "SELECT review_year, avg(rating) AS average_rating FROM reviews GROUP BY review_year ORDER BY review_year",
		"Total hours of shifts in 2030":                "SELECT sum(t1.hours) AS total_hours FROM shifts AS t1 JOIN events AS t2 ON t1.event_id = t2.event_id WHERE t2.held_on >= DATE '2030-01-01' AND t2.held_on < DATE '2031-01-01'",
		"How many employees are over 60?":              "SELECT count(*) AS number_of_employees FROM employees WHERE date_diff('year', born_on, CURRENT_DATE) > 60",
	} {
		got, _ := s.ask(t, question)
		require.Equal(t, want, got, question)
	}
	got, _ = s.ask(t, "男女employees各有多少人？")
	require.Equal(t, "SELECT gender, count(*) AS number_of_employees FROM employees WHERE gender IN ('male', 'female') GROUP BY gender ORDER BY number_of_employees DESC, gender", got, "both are meant")
	lands := catalog.Table{Name: catalog.Name{Table: "lands"}, RowCount: 1704, Columns: []catalog.Column{
		{Name: "country", Type: "varchar", Distinct: 142}, {Name: "year", Type: "bigint", Distinct: 12, Low: "1952", High: "2007"}, {Name: "pop", Type: "bigint", Distinct: 1704, Low: "60011", High: "1318683096"},
	}}
	got, _ = open(t, lands).ask(t, "What are the ten most populous countries in 2007?")
	require.NotContains(t, got, "count(*)", "populous is no deed")
}

// A table that has one row for each thing and time counts neither by its rows; what was open at a time had
// begun and not ended; and which thing and when it was is one answer, not the first of each time.
func TestFiguresOfThingsAtTimes(t *testing.T) {
	t.Parallel()
	homes := catalog.Table{Name: catalog.Name{Table: "homes"}, RowCount: 46 * 187, Columns: []catalog.Column{
		{Name: "city", Type: "varchar", Distinct: 46}, {Name: "year", Type: "bigint", Distinct: 16, Low: "2000", High: "2015"}, {Name: "month", Type: "bigint", Distinct: 12, Low: "1", High: "12"},
		{Name: "date", Type: "double", Distinct: 187}, {Name: "listings", Type: "double", Distinct: 3000}, {Name: "volume", Type: "double", Distinct: 8000},
	}}
	s := open(t, homes)
	for _, question := range []string{"2014年一共卖了多少套房？", "How many flats were there in 2014?"} {
		got, reading := s.ask(t, question)
		require.False(t, strings.Contains(got, "count(*)") && len(reading.Unread) == 0, "%s: %s", question, got)
	}
	got, _ := s.ask(t, "Which city had the most listings, and in which month?")
	require.NotContains(t, got, "PARTITION BY")
	homes.RowCount++
	got, _ = open(t, homes).ask(t, "How many flats were there in 2014?")
	require.Equal(t, "SELECT count(*) AS number_of_homes FROM homes WHERE year = 2014", got, "no row for each thing and time")

	shows := catalog.Table{Name: catalog.Name{Table: "exhibitions"}, RowCount: 22, Columns: []catalog.Column{
		key("id"), {Name: "title", Type: "varchar", Distinct: 22}, {Name: "opens_on", Type: "date"}, {Name: "closes_on", Type: "date"},
	}}
	for question, where := range map[string]string{
		"How many exhibitions were open on 1 June 2030?": "opens_on < DATE '2030-06-02' AND closes_on >= DATE '2030-06-01'",
		"How many exhibitions were running in 2030?":     "opens_on < DATE '2031-01-01' AND closes_on >= DATE '2030-01-01'",
		"How many exhibitions opened in 2030?":           "opens_on >= DATE '2030-01-01' AND opens_on < DATE '2031-01-01'",
	} {
		got, _ := open(t, shows).ask(t, question)
		require.Equal(t, "SELECT count(*) AS number_of_exhibitions FROM exhibitions WHERE "+where, got, question)
	}
	shows.Columns[3].Missing = 3
	got, _ = open(t, shows).ask(t, "How many exhibitions were running in 2030?")
	require.Contains(t, got, "(closes_on IS NULL OR closes_on >= DATE '2030-01-01')")
}
