package reader_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersThatOnlyTellRowsApart: whether one is more than a number says nothing of a row,
// so a question that compares it so is refused; the same words over an amount are read.
func TestNumbersThatOnlyTellRowsApart(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for words, condition := range map[string]string{
		"of more than 100": "%s > 100", "of less than 100": "%s < 100", "of at least 100": "%s >= 100", "of at most 100": "%s <= 100",
		"between 100 and 200": "%s BETWEEN 100 AND 200",
	} {
		for _, name := range []string{"visit id", "pet id"} {
			question := fmt.Sprintf("How many visits have a %s %s?", name, words)
			got, reading := s.ask(t, question)
			require.Empty(t, reading.Intent, "%s: %s", question, got)
			require.Contains(t, got, "refused: ", question)
		}
		got, _ := s.ask(t, "How many visits have a fee "+words+"?")
		require.Equal(t, "SELECT count(*) AS number_of_visits FROM visits WHERE "+fmt.Sprintf(condition, "fee"), got)
	}
}
