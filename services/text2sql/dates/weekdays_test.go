package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// Days of the week are no step of time, and leave none.
func TestDaysOfTheWeekAreNoStep(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for _, text := range []string{"notices per day of the week", "sales by weekday", "每个星期几的销量", "按周几统计"} {
		require.Empty(t, r.Periods(text, now), text)
	}
	require.Len(t, r.Periods("notices per day", now), 1)
}
