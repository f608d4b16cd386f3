package semantic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestSaidTellsWordsAndWhatIsRead covers each kind of item.
func TestSaidTellsWordsAndWhatIsRead(t *testing.T) {
	t.Parallel()
	layer := &semantic.Layer{
		Entities:   []semantic.Entity{{ID: "pupil", Names: semantic.Text{EN: "pupil"}, Table: "s.pupil", Key: []string{"id"}}, {ID: "idea", Names: semantic.Text{EN: "idea"}}},
		Dimensions: []semantic.Dimension{{ID: "town__pupil", Names: semantic.Text{EN: "town", ZH: "城市"}, Synonyms: []string{"Town", "city"}, Table: "s.pupil"}},
		Metrics: []semantic.Metric{
			{ID: "fees", Names: semantic.Text{EN: "fees"}, Synonyms: []string{"income"}, Table: "s.bill", Expr: "SUM(amount)", Time: "day", DefaultFilters: []string{"paid = 1"}},
			{ID: "fees__term", Names: semantic.Text{EN: "fees of terms"}, Table: "s.term", Expr: "SUM(fees)"},
			{ID: "hours", Names: semantic.Text{EN: "hours"}, Table: "s.lesson", Expr: "SUM(hours)"},
			{ID: "rate", Names: semantic.Text{EN: "hourly fee"}, Type: semantic.Ratio, Numerator: "fees", Denominator: "hours"},
			{ID: "share", Names: semantic.Text{EN: "share"}, Type: semantic.Derived, Expr: "fees / (fees + fees)"},
			{ID: "round", Names: semantic.Text{EN: "round"}, Type: semantic.Derived, Expr: "round + 1"},
			{ID: "broken", Names: semantic.Text{EN: "broken"}, Table: "s.bill", Expr: "SUM("},
		},
	}
	bill := semantic.Read{Table: "s.bill", Columns: []string{"amount", "day", "paid"}}
	got := map[string]semantic.Said{}
	for _, s := range layer.Said() {
		got[s.Words[len(s.Words)-1]] = s
	}
	require.Len(t, got, 7, "what has no table, no formula or is made of itself is left out")
	require.Equal(t, []semantic.Read{bill}, got["income"].Reads)
	require.True(t, got["income"].Metric)
	require.Equal(t, []string{"fees", "income", "fees of terms"}, got["fees of terms"].Words, "a variant is asked for by the words of its metric")
	require.Equal(t, "fees", got["fees of terms"].Names.EN)
	require.Equal(t, []semantic.Read{bill, {Table: "s.lesson", Columns: []string{"hours"}}}, got["hourly fee"].Reads)
	require.Len(t, got["share"].Reads, 1, "a table is told once")
	require.Equal(t, []string{"town", "城市", "city"}, got["city"].Words)
	require.Equal(t, []semantic.Read{{Table: "s.pupil", Columns: []string{"town"}}}, got["city"].Reads)
	require.False(t, got["city"].Metric)
	require.Equal(t, []string{"id"}, got["pupil"].Reads[0].Columns)
}
