package analysis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/plan"
)

// TestDaysOfAPeriod: text to SQL says the first day of a period and the one after its last.
func TestDaysOfAPeriod(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	require.Equal(t, plan.Days{First: day(1), Last: day(7)}, daysOf("2026-10-01 to 2026-10-08"))
	require.Equal(t, plan.Days{First: day(1), Last: day(1)}, daysOf("2026-10-01 to 2026-10-02"))
	for _, meaning := range []string{"", "by month", "2026-10-01", "2026-10-01 to 2026-13-08", "2026-10-01 to 2026-10-01"} {
		require.False(t, daysOf(meaning).Known(), meaning)
	}
}
