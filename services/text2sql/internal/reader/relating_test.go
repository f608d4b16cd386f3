package reader_test

import (
	"strings"
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
		{Name: "donor name", Type: "varchar", Distinct: 200, Samples: []string{"Ann Lee", "Ben Ott"}}, texts("appeal", "Roof", "Organ"), {Name: "donation", Type: "decimal(10,2)", NotNull: true, Distinct: 90},
	}}}
}

// pollOf is a file of answers, with no name of anybody.
func pollOf(table string) []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: table}, RowCount: 700, Columns: []catalog.Column{
		{Name: "answered_at", Type: "timestamp", Distinct: 700}, texts("town", "Bern", "Basel"), texts("age_group", "under 30", "over 30"),
	}}}
}

// What only relates what is named is told of and restricts nothing; one or more is that there is one; a time beside
// another is that in which there is more; and words for persons, places and what came in are the rows.
func TestWhatOnlyRelates(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"choir": open(t, choir()...), "gifts": open(t, gifts()...), "survey": open(t, pollOf("member_survey")...), "notes": open(t, pollOf("bookings")...)}
	for _, c := range []struct{ in, question, want, note string }{
		{"gifts", "names of everyone who gave more than €500", `SELECT "donor name" FROM gifts WHERE donation > 500`, "taken_verb"},
		{"gifts", "total raised per appeal", "SELECT appeal, sum(donation) AS total_donation FROM gifts GROUP BY appeal ORDER BY total_donation DESC, appeal", "taken_verb"},
		{"choir", "How many singers sang in at least one concert?", "", ""},
		{"choir", "How many new singers were there in 2025?", "", "taken_new"},
		{"choir", "Were there more Christmas concerts in 2024 or in 2025?", "", ""},
		{"choir", "Did we have more concerts in 2024 than in 2025?", "", ""},
		{"choir", "Which singers performed more than once?", "", ""},
		{"choir", "how many places are there?", "", "kin"},
		{"survey", "How many people are from Bern?", "", ""},
	} {
		got, reading := shops[c.in].ask(t, c.question)
		t.Log(c.question, "\n", got, reading.Unread, reading.Notes)
		if c.want != "" {
			t.Log(c.want == got)
		}
	}
	for _, c := range []struct{ in, question, unread string }{
		{"gifts", "names of everyone who refunded more than €500", "refunded"},
		{"choir", "who resigned from the choir the earliest?", "resigned"},
		{"choir", "How many new concerts were there in 2025?", "new"},
		{"choir", "How many new singers left in 2025?", "new"},
		{"choir", "concerts in 2024 or in 2025", "or"},
		{"notes", "How many people are from Bern?", "people"},
		{"choir", "Who sang more than once?", "once"},
		{"choir", "How many singers sang for at least one week?", "one"},
	} {
		got, reading := shops[c.in].ask(t, c.question)
		t.Log(c.question, "\n", got, reading.Unread)
		_ = strings.HasPrefix
	}
}
