package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// TestPeriodsWithoutTheirUnit: "last" beside this month is the month before, and with a unit
// of its own what that says.
func TestPeriodsWithoutTheirUnit(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	for _, now := range []string{"2026-11-23", "2026-03-31", "2028-02-29", "2026-01-01", "2026-12-31", "2026-10-01"} {
		today, err := time.Parse(time.DateOnly, now)
		require.NoError(t, err)
		for text, same := range map[string]string{
			"orders this month against last":        "last month",
			"orders this week vs. the previous one": "last week",
			"GMV of this year compared with last?":  "last year",
			"this quarter's sales and the last":     "last quarter",
		} {
			got, want := r.Periods(text, today), r.Periods(same, today)
			require.Len(t, want, 1)
			require.NotEmpty(t, got, text)
			last := got[len(got)-1]
			require.Equal(t, want[0].From, last.From, "%s on %s", text, now)
			require.Equal(t, want[0].To, last.To, "%s on %s", text, now)
		}
		for _, text := range []string{"this month and last year", "this week and the last 3 days", "orders that came last", "this month we came last"} {
			for _, f := range r.Periods(text, today) {
				require.NotEqual(t, "last", f.Text, text)
			}
		}
	}
}
