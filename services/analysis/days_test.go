package analysis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/analysis/plan"
)

// TestDaysOfAPeriod: the end of the intent's own period is the day after its last one, that
// of any other text its last day.
func TestDaysOfAPeriod(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	const intent = `{"time":{"from":"2026-10-01","to":"2026-10-08"}}`
	require.Equal(t, plan.Days{First: day(1), Last: day(7)}, daysOf("2026-10-01 to 2026-10-08", intent))
	require.Equal(t, plan.Days{First: day(1), Last: day(8)}, daysOf("2026-10-01 to 2026-10-08", `{"time":{"from":"2026-10-02","to":"2026-10-08"}}`))
	require.Equal(t, plan.Days{First: day(1), Last: day(8)}, daysOf("2026-10-01 to 2026-10-08", ""))
	for _, meaning := range []string{"", "by month", "2026-10-01", "2026-10-01 to 2026-13-08"} {
		require.False(t, daysOf(meaning, intent).Known(), meaning)
	}
}
