package dates_test

import (
	"fmt"
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

// A range of days within a month whose last day the month lacks is not read, on whatever
// day it is asked: it does not run into the next month. Up to the last day that the month
// has it is read.
func TestRangesEndWithTheirMonth(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	type month struct {
		year, days int
		month      time.Month
	}
	months := []month{
		{2026, 28, time.February}, {2024, 29, time.February}, {2000, 29, time.February},
		{2026, 30, time.April}, {2025, 30, time.June}, {2025, 30, time.November}, {2025, 31, time.December},
	}
	asked := map[time.Time]bool{}
	for _, c := range datestest.Cases(t) {
		if asked[c.Now] {
			continue
		}
		asked[c.Now] = true
		for _, m := range months {
			first := time.Date(m.year, m.month, 1, 0, 0, 0, 0, time.UTC)
			for _, last := range []int{m.days, m.days + 1, 31} {
				for _, text := range []string{
					fmt.Sprintf("orders from %s 3 to %d, %d", m.month, last, m.year),
					fmt.Sprintf("orders between %s 3 and %d, %d", m.month, last, m.year),
					fmt.Sprintf("orders from the 3rd to %d of %s %d", last, m.month, m.year),
					fmt.Sprintf("orders between 3 and %d %s %d", last, m.month, m.year),
					fmt.Sprintf("%d年%d月3日到%d日的订单", m.year, m.month, last),
				} {
					for name, found := range map[string][]dates.Found{"Find": r.Find(text, c.Now), "Periods": r.Periods(text, c.Now)} {
						if last == m.days {
							require.Len(t, found, 1, "%s of %q on %s", name, text, c.Now)
							require.Equal(t, first.AddDate(0, 0, 2), found[0].From, "%s of %q on %s", name, text, c.Now)
							require.Equal(t, first.AddDate(0, 1, 0), found[0].To, "%s of %q on %s", name, text, c.Now)
							continue
						}
						for _, f := range found { // the year alone may be read, the days may not
							require.Greater(t, f.To.Sub(f.From), 200*24*time.Hour, "%s of %q on %s: %v", name, text, c.Now, f)
						}
					}
				}
			}
		}
		for _, text := range []string{
			"orders from February 1 to 30", "orders between February 1 and 31", "orders from the 1st to the 30th of February", "2月1日到30日的订单", "去年2月1日到30日的订单",
			"June 20 to 31", "orders between 20 and 31 November", "9月20日至31日的订单",
		} {
			require.Empty(t, r.Find(text, c.Now), "%q on %s", text, c.Now)
			require.Empty(t, r.Periods(text, c.Now), "%q on %s", text, c.Now)
		}
	}
	require.GreaterOrEqual(t, len(asked), 8)
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
