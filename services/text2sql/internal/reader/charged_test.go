package reader_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// lessons keeps what is asked for each, in a column that is called name.
func lessons(name string) catalog.Table {
	return catalog.Table{Name: catalog.Name{Table: "lessons"}, RowCount: 900, Columns: []catalog.Column{
		col("given_on", "date"), texts("pupil", "Edda Moor", "Jon Vik"), texts("tutor", "Ruth", "Omar"), texts("instrument", "cello", "harp"),
		{Name: name, Type: "double", NotNull: true, Distinct: 400},
	}}
}

// A word for amounts of money that no name has is the one column of what is charged, which is told.
func TestWhatIsChargedIsSpentAndEarned(t *testing.T) {
	t.Parallel()
	s := open(t, lessons("fee_eur"))
	for question, c := range map[string][2]string{
		"which pupil spent the most on harp?":        {"spent", "SELECT pupil FROM lessons WHERE instrument = 'harp' GROUP BY pupil ORDER BY sum(fee_eur) DESC LIMIT 1"},
		"How much did Edda Moor spend on cello?":     {"spend", "SELECT sum(fee_eur) AS total_fee_eur FROM lessons WHERE pupil = 'Edda Moor' AND instrument = 'cello'"},
		"total revenue by tutor":                     {"revenue", "SELECT tutor, sum(fee_eur) AS total_fee_eur FROM lessons GROUP BY tutor ORDER BY total_fee_eur DESC, tutor"},
		"2024年的总收入是多少":                               {"收入", "SELECT sum(fee_eur) AS total_fee_eur FROM lessons WHERE given_on >= DATE '2024-01-01' AND given_on < DATE '2025-01-01'"},
		"Which tutor earned the most with the harp?": {"earned", "SELECT tutor FROM lessons WHERE instrument = 'harp' GROUP BY tutor ORDER BY sum(fee_eur) DESC LIMIT 1"},
	} {
		got, reading := s.ask(t, question)
		require.Equal(t, c[1], got, question)
		require.Empty(t, reading.Unread, question)
		require.Contains(t, reading.Notes, reader.Note{ID: "kin", Args: []string{c[0], "fee_eur"}}, question)
	}
	got, reading := open(t, practice()...).ask(t, "Which physician earned the most money?")
	require.Equal(t, "SELECT t2.physician_name FROM consultations AS t1 JOIN physicians AS t2 ON t1.physician_id = t2.physician_id GROUP BY t2.physician_id, t2.physician_name ORDER BY sum(t1.fee_eur) DESC LIMIT 1", got)
	require.Empty(t, reading.Unread)
}

// Who spends the most is never who has the most rows: where it is not known what was spent, the word stays.
func TestMoneyThatIsNotThereIsNoNumberOfRows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"salary_eur", "cost_eur", "minutes"} {
		got, reading := open(t, lessons(name)).ask(t, "which pupil spent the most on harp?")
		require.True(t, strings.HasPrefix(got, "refused") || len(reading.Unread) > 0, "%s: %s %v", name, got, reading.Notes)
	}
}
