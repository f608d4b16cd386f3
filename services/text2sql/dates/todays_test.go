package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/dates/datestest"
)

func TestTodays(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	for _, c := range datestest.Cases(t) {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			for name, found := range map[string][]dates.Found{"Find": r.Find(c.Text, c.Now), "Periods": r.Periods(c.Text, c.Now)} {
				require.Len(t, found, 1, "%s: %v", name, found)
				require.Equal(t, c.From, found[0].From.Format(time.DateOnly), "%s: %s, %s", name, found[0].Text, c.Why)
				require.Equal(t, c.To, found[0].To.Format(time.DateOnly), "%s: %s, %s", name, found[0].Text, c.Why)
			}
		})
	}
}

// A day that no year has is not read as its month.
func TestDaysThatNoYearHas(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	for _, text := range []string{"orders on 30 February", "2月30日的订单", "on February 31st", "29 February 2026", "on 2.30 last year"} {
		for _, found := range [][]dates.Found{r.Find(text, time.Date(2026, 5, 31, 9, 0, 0, 0, time.UTC)), r.Periods(text, time.Date(2026, 5, 31, 9, 0, 0, 0, time.UTC))} {
			for _, f := range found {
				require.True(t, f.From.IsZero() || f.To.Sub(f.From) > 200*24*time.Hour, "%s: %v", text, f)
			}
		}
	}
}

// A range moves with its last day: up to 30 March becomes up to 28 February.
func TestEndBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		to, unit string
		n        int
		want     string
	}{
		{"2026-03-31", "month", 1, "2026-03-01"},
		{"2026-04-01", "month", 1, "2026-03-01"},
		{"2024-03-01", "year", 1, "2023-03-01"},
		{"2024-02-29", "year", 1, "2023-03-01"},
		{"2026-05-31", "quarter", 1, "2026-03-01"},
		{"2026-11-16", "week", 2, "2026-11-02"},
	} {
		to, err := time.Parse(time.DateOnly, c.to)
		require.NoError(t, err)
		require.Equal(t, c.want, dates.EndBack(to, c.unit, c.n).Format(time.DateOnly), "%v", c)
	}
}
