package findata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Behind "by" and "per" stands what figures are split by, and behind another preposition of what they are.
func TestWhatFiguresAreSplitBy(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]bool{
		"Give me the breakdown by ":             true,
		"something by day and ":                 true,
		"figures across product, ":              true,
		"a number for each ":                    true,
		"按":                                     true,
		"Give me the breakdown by channel of ":  false,
		"figures by month for ":                 false,
		"a report by country and month on the ": false,
		"the table with the ":                   false,
	} {
		require.Equal(t, want, splits(before), before)
	}
}
