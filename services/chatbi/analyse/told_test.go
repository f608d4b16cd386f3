package analyse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestSeriesWithoutANumber: several courses of nothing but missing values are told so.
func TestSeriesWithoutANumber(t *testing.T) {
	t.Parallel()
	rows := [][]any{}
	for _, day := range []string{"2026-11-01", "2026-11-02", "2026-11-03"} {
		rows = append(rows, []any{day, "Oslo", nil}, []any{day, "Rome", nil})
	}
	out := analysed(t, analyse.Input{Table: table("day date, city varchar, rides bigint", rows...), Columns: make([]analyse.Column, 3)})
	require.Contains(t, out.Answer, "rides")
	require.Equal(t, []string{"nulls"}, findingsOf(out), "nothing is compared")
}

// TestLongValuesAreCutInSentences: in characters, and what just fits stays whole.
func TestLongValuesAreCutInSentences(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		strings.Repeat("字", 80): strings.Repeat("字", 80),
		strings.Repeat("字", 81): strings.Repeat("字", 79) + "…",
	} {
		out := analysed(t, analyse.Input{Table: table("city varchar, rides bigint", []any{value, int64(5)}), Columns: make([]analyse.Column, 2)})
		require.Equal(t, want+": rides are 5.", out.Answer)
	}
}
