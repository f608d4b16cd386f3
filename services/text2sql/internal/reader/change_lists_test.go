package reader_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/followup"
)

// theatre is a house with its patrons, not all of whom subscribe.
func theatre() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "plays"}, RowCount: 40, Columns: []catalog.Column{key("play_id"), texts("title", "Hamlet", "Medea"), texts("genre", "comedy", "drama"), col("opened_on", "date")}},
		{Name: catalog.Name{Table: "patrons"}, RowCount: 400, Columns: []catalog.Column{key("patron_id"), texts("name", "Ann", "Ben"), texts("town", "Bern", "Chur"), texts("subscription", "gold", "silver", "none"), col("seats", "bigint")}},
		{Name: catalog.Name{Table: "bookings"}, RowCount: 9000, Columns: []catalog.Column{
			key("booking_id"), {Name: "play_id", Type: "bigint", Distinct: 40}, {Name: "patron_id", Type: "bigint", Distinct: 400}, col("booked_on", "date"), col("tickets", "bigint"), col("amount", "double"), texts("channel", "phone", "website"),
		}, ForeignKeys: []catalog.ForeignKey{to("play_id", "plays"), to("patron_id", "patrons")}},
	}
}

// hits is one file: the same tracks are there week after week.
func hits() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "hits"}, RowCount: 5300, Columns: []catalog.Column{
		texts("artist", "Creed", "Cher"), {Name: "track", Type: "varchar", Distinct: 300, Missing: 40}, col("week_of", "date"), col("rank", "bigint"),
	}}}
}

// TestWhatWasCountedIsListed: "list them" shows what the number before was of, and the first of
// what was counted are rows, not a figure.
func TestWhatWasCountedIsListed(t *testing.T) {
	t.Parallel()
	shops := map[string]shop{"theatre": open(t, theatre()...), "hits": open(t, hits()...), "clinic": open(t, clinic()...)}
	const patrons = "SELECT patron_id, name, town, subscription, seats FROM patrons WHERE town = 'Bern'"
	for _, c := range []struct{ in, first, said, want string }{
		{"hits", "number of different artists", "list them", "SELECT DISTINCT artist FROM hits LIMIT 1000"},
		{"hits", "number of different tracks of Creed", "list them", "SELECT DISTINCT track FROM hits WHERE artist = 'Creed' AND track IS NOT NULL LIMIT 1000"},
		{"hits", "number of different artists", "列出来", "SELECT DISTINCT artist FROM hits LIMIT 1000"},
		{"clinic", "How many visits were there in 2030?", "list them", "SELECT visit_id, pet_id, visit_date, fee, duration_seconds, is_urgent, outcome FROM visits WHERE visit_date >= DATE '2030-01-01' AND visit_date < DATE '2031-01-01' LIMIT 1000"},
		{"theatre", "How many patrons live in Bern?", "list the five with the most seats", patrons + " ORDER BY seats DESC LIMIT 5"},
		{"theatre", "How many patrons live in Bern?", "the 3 with the lowest seats", patrons + " ORDER BY seats LIMIT 3"},
		{"theatre", "How many patrons live in Bern?", "the top 5 by seats", patrons + " ORDER BY seats DESC LIMIT 5"},
		{"theatre", "How many patrons live in Bern?", "列出seats最多的五位", patrons + " ORDER BY seats DESC LIMIT 5"},
		{"theatre", "How many patrons live in Bern?", "which has the most seats?", patrons + " ORDER BY seats DESC LIMIT 1"},
		{"theatre", "How many patrons live in Bern?", "the most seats", "SELECT max(seats) AS highest_seats FROM patrons WHERE town = 'Bern'"},
		{"theatre", "Which patrons live in Bern?", "with their seats", "SELECT patron_id, name, seats FROM patrons WHERE town = 'Bern'"},
		{"hits", "tracks with rank at most 5", "make it the top 10", "either"},
	} {
		s := shops[c.in]
		prev := s.first(t, c.first)
		require.Equal(t, c.want, s.change(t, &prev, c.said), c.first+" | "+c.said)
	}
}

// TestConditionsAndFiguresThatArePut holds what else a name in a change is: those that have one of
// it, what so many of are meant, whose it is, and what a mean is of.
func TestConditionsAndFiguresThatArePut(t *testing.T) {
	t.Parallel()
	s := open(t, theatre()...)
	const perTown = "SELECT town, count(*) AS number_of_patrons FROM patrons"
	const byTown = " GROUP BY town ORDER BY number_of_patrons DESC, town"
	const year = " WHERE t1.booked_on >= DATE '2029-01-01' AND t1.booked_on < DATE '2030-01-01'"
	for _, c := range [][3]string{
		{"How many patrons are there per town?", "only those with a subscription", perTown + " WHERE subscription <> 'none'" + byTown},
		{"How many patrons are there per town?", "without a subscription", perTown + " WHERE subscription = 'none'" + byTown},
		{"How many patrons are there per town?", "only with subscription", perTown + " WHERE subscription <> 'none'" + byTown},
		{"How many patrons are there per town?", "only the name", "refused: set_value not_said"},
		{"How many patrons are there per town?", "list their names", "SELECT patron_id, name, town, subscription, seats FROM patrons LIMIT 1000"},
		{"How many patrons are there per town?", "which patrons and their names are there?", "own"},
		{"How many patrons are there per subscription?", "without a subscription", "either"},
		{"total amount by channel", "the oldest", "refused: turn not_said"},
		{"average tickets by channel", "the worst", "either"},
		{"total amount by channel", "the best two", "SELECT channel, sum(amount) AS total_amount FROM bookings GROUP BY channel ORDER BY total_amount DESC LIMIT 2"},
		{"average amount by channel", "the cheapest", "SELECT channel, avg(amount) AS average_amount FROM bookings GROUP BY channel ORDER BY average_amount LIMIT 1"},
		{"Which patrons live in Bern?", "only those with a subscription", "either"},
		{"How many patrons are there per town?", "only patrons with more than 4 seats", perTown + " WHERE seats > 4" + byTown},
		{"number of bookings by channel in 2029", "by town of the patron", "SELECT t2.town, count(*) AS number_of_bookings FROM bookings AS t1 JOIN patrons AS t2 ON t1.patron_id = t2.patron_id" + year + " GROUP BY t2.town ORDER BY number_of_bookings DESC, t2.town"},
		{"number of bookings by channel", "by town and patron", "SELECT t2.town, t2.name, count(*) AS number_of_bookings FROM bookings AS t1 JOIN patrons AS t2 ON t1.patron_id = t2.patron_id GROUP BY t2.town, t2.patron_id, t2.name ORDER BY number_of_bookings DESC, t2.town, t2.name"},
		{"total amount by channel", "average per booking", "SELECT channel, avg(amount) AS average_amount FROM bookings GROUP BY channel ORDER BY average_amount DESC, channel"},
		{"total amount by channel", "how many bookings is that?", "SELECT channel, count(*) AS number_of_bookings FROM bookings GROUP BY channel ORDER BY number_of_bookings DESC, channel"},
		{"total amount by channel", "how many bookings were there?", "own"},
		{"top 1 channel by total amount and total tickets", "without the total tickets", "SELECT channel, sum(amount) AS total_amount FROM bookings GROUP BY channel ORDER BY total_amount DESC LIMIT 1"},
	} {
		prev := s.first(t, c[0])
		require.Equal(t, c[2], s.change(t, &prev, c[1]), c[0]+" | "+c[1])
	}
	got := s.talk(t, "total amount and total tickets by channel", "top 1", "drop the total amount")
	require.Equal(t, "SELECT channel, sum(tickets) AS total_tickets FROM bookings GROUP BY channel ORDER BY sum(amount) DESC LIMIT 1", got[1], "the same channel with a column less")
}

// TestPartsOfWhatIsAsked: a part in the figure is of all rows, also where a condition kept only the
// part; what happened to some says which, and not of what; a condition on groups goes with them, and is
// told to go; and what is related in a roundabout way is no sure reading.
func TestPartsOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	rate := "SELECT t2.species, CAST(count_if(t1.is_urgent = TRUE) AS double) / nullif(count(*), 0) AS is_urgent_rate FROM visits AS t1 JOIN pets AS t2 ON t1.pet_id = t2.pet_id GROUP BY t2.species ORDER BY is_urgent_rate DESC, t2.species"
	require.Equal(t, rate, s.talk(t, "How many visits are there per species?", "what share were urgent?")[0])
	require.Equal(t, rate, s.talk(t, "How many visits are there per species?", "only urgent ones", "what share were urgent?")[1])

	prev := s.first(t, "How many visits are there per species?")
	prev = s.reader.Change("more than 5", &prev, s.view, today)[0].Intent
	x := s.reader.Change("in total", &prev, s.view, today)[0]
	require.Empty(t, x.Intent.Having)
	require.True(t, slices.ContainsFunc(x.Edits, func(e followup.Edit) bool { return e.Do == followup.DropCondition }), "it is told")

	returns := open(t, catalog.Table{Name: catalog.Name{Table: "loans"}, RowCount: 846, Columns: []catalog.Column{
		key("loan_id"), texts("town", "Bern", "Chur"), col("lent_on", "date"), {Name: "returned_on", Type: "date", Distinct: 50, Missing: 790},
	}})
	const returned = "SELECT town, count(*) AS number_of_loans FROM loans WHERE returned_on IS NOT NULL GROUP BY town ORDER BY number_of_loans DESC, town"
	for _, said := range []string{"how many were returned?", "only returned ones"} {
		prev := returns.first(t, "How many loans are there per town?")
		require.Equal(t, returned, returns.change(t, &prev, said), said)
	}

	likely := open(t, catalog.Table{Name: catalog.Name{Table: "loans"}, RowCount: 846, Columns: []catalog.Column{
		key("loan_id"), texts("town", "Bern", "Chur"), {Name: "damaged", Type: "varchar", Distinct: 2, Missing: 700, Samples: []string{"p", "q"}},
	}})
	prev = likely.first(t, "How many loans are there?")
	for _, said := range []string{"only those with a damaged", "only the damaged", "without a damaged"} {
		require.NotContains(t, likely.change(t, &prev, said), "GROUP BY", said)
	}

	owners := s.first(t, "How many owners are there?")
	near, far := s.reader.Change("only dogs", &owners, s.view, today)[0], s.reader.Change("only healed", &owners, s.view, today)[0]
	require.Greater(t, far.Doubt, near.Doubt+0.5, "visits of pets of owners")
}
