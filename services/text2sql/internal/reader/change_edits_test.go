package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// crossings are files of a shipping company: names that general words are a part of, one value in
// several tables, days of more than one kind.
func crossings() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "ports"}, RowCount: 20, Columns: []catalog.Column{key("port_no"), texts("port", "Kiel", "Oslo"), texts("country", "Norway", "Poland")}},
		{Name: catalog.Name{Table: "captains"}, RowCount: 60, Columns: []catalog.Column{key("captain_no"), texts("country", "Norway", "Poland")}},
		{Name: catalog.Name{Table: "crossings"}, RowCount: 9000, Columns: []catalog.Column{
			key("crossing_no"), {Name: "port_no", Type: "bigint", Distinct: 20}, {Name: "captain_no", Type: "bigint", Distinct: 60}, texts("kind", "freight", "leisure"), texts("flag_country", "Norway", "Poland"),
			col("first_day", "date"), col("last_day", "date"), {Name: "working_days", Type: "bigint", NotNull: true, Distinct: 30}, col("arr_delay", "double"), col("fare", "double"), {Name: "on_display", Type: "boolean", NotNull: true, Distinct: 2},
		}, ForeignKeys: []catalog.ForeignKey{to("port_no", "ports"), to("captain_no", "captains")}},
	}
}

// TestKindsOfEdits: each is a rule by what a change does, whatever the words of the data.
func TestKindsOfEdits(t *testing.T) {
	t.Parallel()
	s := open(t, crossings()...)
	s.talks(t, []talk{
		{"a kind of figure orders by that figure, though a key is called a number", "How many crossings were there per port no?", [][2]string{
			{"sort by number, lowest first", "SELECT port_no, count(*) AS number_of_crossings FROM crossings GROUP BY port_no ORDER BY number_of_crossings, port_no"},
			{"按数量从高到低排序", "SELECT port_no, count(*) AS number_of_crossings FROM crossings GROUP BY port_no ORDER BY number_of_crossings DESC, port_no"},
		}},
		{"what stands for a figure is a figure, and no step of time", "How many crossings were there of each kind?", [][2]string{
			{"what about days instead of the number?", "SELECT kind, sum(working_days) AS total_working_days FROM crossings GROUP BY kind ORDER BY total_working_days DESC, kind"},
			{"the average instead of the total", "SELECT kind, avg(working_days) AS average_working_days FROM crossings GROUP BY kind ORDER BY average_working_days DESC, kind"},
		}},
		{"a day beside a time says what the time is of, where the answer is split by something else", "total fare per kind", [][2]string{
			{"in 2030, by last day", "SELECT kind, sum(fare) AS total_fare FROM crossings WHERE last_day >= DATE '2030-01-01' AND last_day < DATE '2031-01-01' GROUP BY kind ORDER BY total_fare DESC, kind"},
			{"which one is the lowest?", "SELECT kind, sum(fare) AS total_fare FROM crossings WHERE last_day >= DATE '2030-01-01' AND last_day < DATE '2031-01-01' GROUP BY kind ORDER BY total_fare LIMIT 1"},
			{"and the number of crossings instead of the fare, for all kinds", "SELECT kind, count(*) AS number_of_crossings FROM crossings WHERE last_day >= DATE '2030-01-01' AND last_day < DATE '2031-01-01' GROUP BY kind ORDER BY number_of_crossings, kind"},
		}},
		{"a value is one of those that the answer shows", "total fare by captain country", [][2]string{
			{"leave out Poland", "SELECT t2.country, sum(t1.fare) AS total_fare FROM crossings AS t1 JOIN captains AS t2 ON t1.captain_no = t2.captain_no WHERE t2.country <> 'Poland' GROUP BY t2.country ORDER BY total_fare DESC, t2.country"},
		}},
		{"the whole of a share is all that there is", "How many crossings were there per kind?", [][2]string{
			{"as a percentage of the whole", "SELECT kind, 100 * CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS crossings_percentage_of_total FROM crossings GROUP BY kind ORDER BY crossings_percentage_of_total DESC, kind"},
			{"same thing for 2030", "SELECT kind, 100 * CAST(count(*) AS double) / nullif(sum(count(*)) OVER (), 0) AS crossings_percentage_of_total FROM crossings WHERE first_day >= DATE '2030-01-01' AND first_day < DATE '2031-01-01' GROUP BY kind ORDER BY crossings_percentage_of_total DESC, kind"},
		}},
		{"what the rows are called says whose a condition is, and a name of the data comes before a verb", "average fare per kind", [][2]string{
			{"only crossings on display", "SELECT kind, avg(fare) AS average_fare FROM crossings WHERE on_display = TRUE GROUP BY kind ORDER BY average_fare DESC, kind"},
			{"not the average, the total", "SELECT kind, sum(fare) AS total_fare FROM crossings WHERE on_display = TRUE GROUP BY kind ORDER BY total_fare DESC, kind"},
			{"just the crossings from Kiel", "SELECT t1.kind, sum(t1.fare) AS total_fare FROM crossings AS t1 JOIN ports AS t2 ON t1.port_no = t2.port_no WHERE t1.on_display = TRUE AND t2.port = 'Kiel' GROUP BY t1.kind ORDER BY total_fare DESC, t1.kind"},
			{"not the average, the highest", "not understood: average"},
			{"the total instead of the median", "not understood: the median"},
		}},
		{"so many minutes are no number of rows, and an unknown whole is told", "How many crossings were there per kind?", [][2]string{
			{"only those with more than 60 minutes", "refused: bound not_said"},
			{"as a percentage of the zeppelins", "not understood: zeppelins"},
		}},
	})
}

// TestATimeOverRowsWithABeginningAndAnEnd: whether it is asked what went on then is read from the
// change itself.
func TestATimeOverRowsWithABeginningAndAnEnd(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "stays"}, RowCount: 900, Columns: []catalog.Column{
		key("stay_id"), col("check_in", "date"), col("check_out", "date"), texts("status", "paid", "due"), col("amount", "double"),
	}})
	readings, _ := s.reader.Question("total amount by status", s.view, today).Readings()
	require.NotEmpty(t, readings)
	require.Equal(t, "SELECT status, sum(amount) AS total_amount FROM stays WHERE check_in >= DATE '2030-01-01' AND check_in < DATE '2031-01-01' GROUP BY status ORDER BY total_amount DESC, status",
		s.change(t, &readings[0].Intent, "in 2030"))
}
