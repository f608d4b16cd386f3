package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAConditionThatALineLosesIsFound(t *testing.T) {
	t.Parallel()
	const before = "SELECT sum(x) FROM reg WHERE grass_region = 'SG' AND day >= DATE '2026-10-01' AND kind <> 'Toys'"
	for after, kept := range map[string]bool{
		before + " GROUP BY day": true,
		"SELECT sum(x) FROM orders__sg_s0 WHERE day >= DATE '2026-10-01' AND kind <> 'Toys'": true, // the table is the country's
		"SELECT sum(x) FROM orders__th_s0 WHERE day >= DATE '2026-10-01' AND kind <> 'Toys'": false,
		"SELECT sum(x) FROM orders__sg_s0 WHERE day >= DATE '2026-10-01'":                    false,
	} {
		require.Equal(t, kept, keepsValues(before, after), after)
	}
}

func TestSuggestionMetrics(t *testing.T) {
	t.Parallel()
	item := func(lines, holds, kept int) Item {
		return Item{Detail: map[string]any{"lines": lines, "holds": holds, "kept": kept}}
	}
	m, notes := (&suggestionsRun{}).Metrics([]Item{item(3, 3, 2), item(0, 0, 0), item(1, 0, 0)})
	require.Equal(t, map[string]float64{"n": 3, "lines": 4, "holds": 0.75, "kept": 0.5}, m)
	require.Contains(t, notes[0], "1 answers")
}
