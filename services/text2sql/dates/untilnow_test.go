package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// TestUntilNow: whatever a range begins with, the end that is said behind it is its end.
func TestUntilNow(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		text string
		from time.Time
	}{
		{"from July until now", day(2026, 7, 1)},
		{"from July up to now", day(2026, 7, 1)},
		{"from July 2025 to date", day(2025, 7, 1)},
		{"from 3 March 2026 till today", day(2026, 3, 3)},
		{"last month until now", day(2026, 10, 1)},
		{"from last week through yesterday", day(2026, 11, 9)},
		{"from Q2 until yesterday", day(2026, 4, 1)},
		{"上个月到现在", day(2026, 10, 1)},
		{"去年到今天为止", day(2025, 1, 1)},
		{"去年以来", day(2025, 1, 1)},
		{"上季度至今", day(2026, 7, 1)},
		{"上周到昨天", day(2026, 11, 9)},
	} {
		found := r.Periods(c.text, now)
		require.Len(t, found, 1, c.text)
		require.Equal(t, c.from, found[0].From, c.text)
		require.Equal(t, day(2026, 11, 20), found[0].To, c.text)
		require.Equal(t, len(c.text), found[0].End, c.text)
		require.Empty(t, found[0].Period, c.text)
	}
	cut := r.Periods("from Q1 until 3 May 2026", now)
	require.Len(t, cut, 1)
	require.Equal(t, [2]time.Time{day(2026, 1, 1), day(2026, 5, 4)}, [2]time.Time{cut[0].From, cut[0].To})
	require.Len(t, r.Periods("in 2024, before 1 November 2026", now), 2, "what is before is within both")
	for text, to := range map[string]time.Time{ // these say when one looks, or compare
		"in 2024, as of today": day(2025, 1, 1), "in 2024 as of today": day(2025, 1, 1), "last week to yesterday": day(2026, 11, 16),
		"去年截至目前": day(2026, 1, 1), "上个月，目前为止": day(2026, 11, 1),
	} {
		require.Equal(t, to, r.Periods(text, now)[0].To, text)
	}
	plain := r.Periods("in July", now)
	require.Equal(t, day(2026, 8, 1), plain[0].To)
}
