package reader_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// takings are two tables of a club, one called as money is.
func takings() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "members"}, RowCount: 400, Columns: []catalog.Column{key("member_no"), col("full_name", "varchar"), texts("town", "Leith", "Marchmont")}},
		{Name: catalog.Name{Table: "payments"}, RowCount: 1600, Columns: []catalog.Column{key("receipt"), {Name: "member_no", Type: "bigint", Distinct: 400}, col("paid_on", "date"), col("amount", "double"), texts("method", "Card", "Cash")},
			ForeignKeys: []catalog.ForeignKey{to("member_no", "members")}},
		{Name: catalog.Name{Table: "loans"}, RowCount: 3200, Columns: []catalog.Column{key("loan_id"), {Name: "member_no", Type: "bigint", Distinct: 400}, col("lent_on", "date"), texts("category", "Garden", "Access")},
			ForeignKeys: []catalog.ForeignKey{to("member_no", "members")}},
	}
}

// TestTwoPeriodsAreCompared: each figure is shown for the one period beside the other, in
// both languages and however the periods are named; a period that goes on is compared with
// the same days of the other.
func TestTwoPeriodsAreCompared(t *testing.T) {
	t.Parallel()
	s := open(t, takings()...)
	const (
		sum   = "sum(amount) FILTER (WHERE paid_on >= DATE '%s' AND paid_on < DATE '%s'), 0) AS %s"
		count = "count(*) FILTER (WHERE lent_on >= DATE '%s' AND lent_on < DATE '%s') AS %s"
	)
	for _, c := range []struct{ question, form, of, from, to, wasFrom, wasTo string }{
		{"Compare payments in the first half of 2030 with the first half of 2029", sum, "total_amount", "2030-01-01", "2030-07-01", "2029-01-01", "2029-07-01"},
		{"payments this year versus last", sum, "total_amount", "2031-01-01", "2031-05-14", "2030-01-01", "2030-05-14"},
		{"payments in Q1 compared with Q2 2030", sum, "total_amount", "2030-04-01", "2030-07-01", "2030-01-01", "2030-04-01"},
		{"今年的付款金额与去年相比", sum, "total_amount", "2031-01-01", "2031-05-14", "2030-01-01", "2030-05-14"},
		{"2030年上半年和2029年上半年的付款对比", sum, "total_amount", "2030-01-01", "2030-07-01", "2029-01-01", "2029-07-01"},
		{"how do loans in October differ from September", count, "number_of_loans", "2030-10-01", "2030-11-01", "2030-09-01", "2030-10-01"},
		{"how many more loans in October 2030 than in October 2029", count, "number_of_loans", "2030-10-01", "2030-11-01", "2029-10-01", "2029-11-01"},
		{"how many more loans in 2028 than in 2030", count, "number_of_loans", "2028-01-01", "2029-01-01", "2030-01-01", "2031-01-01"},
		{"Compare loans in 2029 with 2030", count, "number_of_loans", "2030-01-01", "2031-01-01", "2029-01-01", "2030-01-01"},
	} {
		got, x := s.ask(t, c.question)
		require.Empty(t, x.Unread, c.question)
		require.Contains(t, got, fmt.Sprintf(c.form, c.from, c.to, c.of), c.question)
		require.Contains(t, got, fmt.Sprintf(c.form, c.wasFrom, c.wasTo, "previous_"+c.of), c.question)
		require.Contains(t, got, fmt.Sprintf("%[1]s - previous_%[1]s AS %[1]s_change", c.of), c.question)
	}
	got, _ := s.ask(t, "loans by town in 2030 compared with 2029")
	require.Contains(t, got, "GROUP BY t2.town) AS grouped ORDER BY number_of_loans DESC, town")
	got, _ = s.ask(t, "average amount in 2030 compared with 2029")
	require.Contains(t, got, "average_amount - previous_average_amount AS average_amount_change")
	got, _ = s.ask(t, "loans in 2030 and 2029") // side by side, and not one against the other
	require.NotContains(t, got, "_change")
	require.Contains(t, got, "GROUP BY date_trunc('year', lent_on)")
	got, _ = s.ask(t, "Compare loans in Leith and Marchmont")
	require.Contains(t, got, "WHERE t2.town IN ('Leith', 'Marchmont') GROUP BY t2.town")
	for _, question := range []string{"how many more loans are there", "how many more loans in Leith", "how many more loans in 2030", "how do loans in 2030 differ from March 2030"} {
		_, x := s.ask(t, question)
		require.NotEmpty(t, x.Unread, "%s: no comparison is made in silence", question)
	}
}

// TestChangesKeepBothPeriods: what is said after a comparison keeps its periods, or says
// that they are compared no more.
func TestChangesKeepBothPeriods(t *testing.T) {
	t.Parallel()
	s := open(t, takings()...)
	_, x := s.ask(t, "How many more loans in October 2030 than in October 2029?")
	for said, want := range map[string][]string{
		"and by town?":  {"GROUP BY t2.town", "previous_number_of_loans AS number_of_loans_change", "DATE '2030-10-01'", "DATE '2029-10-01'"},
		"only Leith":    {"t2.town = 'Leith' AND (", "previous_number_of_loans AS number_of_loans_change", "DATE '2029-10-01'"},
		"top 3 members": {"full_name", "previous_number_of_loans AS number_of_loans_change", "LIMIT 3"},
		"按城镇":           {"GROUP BY t2.town", "previous_number_of_loans AS number_of_loans_change"},
	} {
		got := s.change(t, &x.Intent, said)
		for _, part := range want {
			require.Contains(t, got, part, said)
		}
	}
	for _, said := range []string{"in 2028", "by month", "list them"} {
		list := s.reader.Change(said, &x.Intent, s.view, today)
		require.NotContains(t, s.change(t, &x.Intent, said), "previous_", said)
		require.Contains(t, list[0].Notes, reader.Note{ID: "compares_no_more"}, said)
	}
	list := s.reader.Change("the average instead", &x.Intent, s.view, today)
	require.NotNil(t, list[0].Refused)
	require.Equal(t, x.Intent, list[0].Intent, "what cannot be changed stays as it was")
}
