package reader_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// choir keeps singers, the venues where concerts are, and which singers sang in which; gifts are money of people.
func choir() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "singers"}, RowCount: 90, Columns: []catalog.Column{key("singer_id"), col("singer_name", "varchar"), texts("voice", "alto", "bass"), col("joined_on", "date"), col("left_on", "date"), col("years_with_us", "integer")}},
		{Name: catalog.Name{Table: "halls"}, RowCount: 20, Columns: []catalog.Column{key("hall_id"), col("hall_name", "varchar"), col("address", "varchar")}},
		{Name: catalog.Name{Table: "concerts"}, RowCount: 400, Columns: []catalog.Column{key("concert_id"), col("hall_id", "bigint"), texts("kind", "Christmas", "Easter"), col("held_on", "date")}, ForeignKeys: []catalog.ForeignKey{to("hall_id", "halls")}},
		{Name: catalog.Name{Table: "performances"}, RowCount: 3000, Columns: []catalog.Column{key("performance_id"), col("singer_id", "bigint"), col("concert_id", "bigint")}, ForeignKeys: []catalog.ForeignKey{to("singer_id", "singers"), to("concert_id", "concerts")}},
	}
}

// gifts is one file of a charity.
func gifts() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "gifts"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "receipt", Type: "varchar", Distinct: 900}, {Name: "given_on", Type: "date", Distinct: 300},
		{Name: "donor name", Type: "varchar", Distinct: 200, Samples: []string{"Ann Lee", "Ben Ott"}}, texts("appeal", "Roof", "Organ"), {Name: "amount", Type: "decimal(10,2)", Unit: "EUR", NotNull: true, Distinct: 90},
	}}}
}

// pollOf is a file of answers, with no name of anybody.
func pollOf(table string) []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: table}, RowCount: 700, Columns: []catalog.Column{
		{Name: "answered_at", Type: "timestamp", Distinct: 700}, texts("town", "Bern", "Basel"), texts("age_group", "under 30", "over 30"),
	}}}
}

// council is a file of members of one, with the days that each was one.
func council() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "council"}, RowCount: 90, Columns: []catalog.Column{
		key("id"), {Name: "name", Type: "varchar", NotNull: true, Distinct: 90}, {Name: "start_date", Type: "date", Distinct: 40}, {Name: "end_date", Type: "date", Distinct: 40}, {Name: "days", Type: "integer", Distinct: 80},
	}}}
}

// What only relates what is named is told of and restricts nothing; one or more is that there is one; a time beside
// another is that in which there is more; and words for persons, places and what came in are the rows.
func TestWhatOnlyRelates(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"choir": open(t, choir()...), "gifts": open(t, gifts()...), "survey": open(t, pollOf("member_survey")...), "council": open(t, council()...)}
	byYear := "SELECT date_trunc('year', held_on) AS year, count(*) AS number_of_concerts FROM concerts WHERE %sheld_on >= DATE '2024-01-01' AND held_on < DATE '2025-01-01' OR held_on >= DATE '2025-01-01' AND held_on < DATE '2026-01-01'%s GROUP BY date_trunc('year', held_on) ORDER BY year"
	for _, c := range []struct{ in, question, want, note string }{
		{"gifts", "names of everyone who gave more than €500", `SELECT "donor name" FROM gifts WHERE amount > 500`, "taken_verb"},
		{"gifts", "total raised per appeal", `SELECT appeal, sum(amount) AS total_amount FROM gifts GROUP BY appeal ORDER BY total_amount DESC, appeal`, "taken_verb"},
		{"council", "who sat in the council the longest?", "SELECT name FROM council ORDER BY days DESC LIMIT 1", "taken_verb"},
		{"choir", "How many halls have at least one Easter concert?", "SELECT count(*) AS number_of_halls FROM halls AS t1 WHERE EXISTS (SELECT 1 FROM concerts AS t2 WHERE t1.hall_id = t2.hall_id AND t2.kind = 'Easter')", ""},
		{"choir", "How many new singers were there in 2025?", "SELECT count(*) AS number_of_singers FROM singers WHERE joined_on >= DATE '2025-01-01' AND joined_on < DATE '2026-01-01'", "taken_new"},
		{"choir", "Were there more Christmas concerts in 2024 or in 2025?", fmt.Sprintf(byYear, "kind = 'Christmas' AND (", ")"), ""},
		{"choir", "Did we have more concerts in 2024 than in 2025?", fmt.Sprintf(byYear, "", ""), ""},
		{"choir", "how many places are there?", "SELECT count(*) AS number_of_halls FROM halls", "kin"},
	} {
		got, reading := shops[c.in].ask(t, c.question)
		require.Equal(t, c.want, got, c.question)
		require.Empty(t, reading.Unread, c.question)
		require.Contains(t, notesOf(reading.Notes), c.note, c.question)
	}
	_, reading := shops["survey"].ask(t, "How many people are from Bern?")
	require.Empty(t, reading.Notes, "each answer is of a person")
	for _, c := range []struct{ in, question, unread string }{
		{"gifts", "names of everyone who sent back more than €500", "sent"}, // no money that came in
		{"council", "who sat in the council the earliest?", "sat"},          // any day may be that
		{"choir", "How many new concerts were there in 2025?", "new"},       // the day on which they were held
		{"choir", "How many new singers left in 2025?", "new"},
		{"choir", "concerts in 2024 or in 2025", "or"},
		{"choir", "How many singers sang for at least one week?", "one"},
	} {
		_, reading := shops[c.in].ask(t, c.question)
		require.Contains(t, reading.Unread, c.unread, c.question)
	}
}
