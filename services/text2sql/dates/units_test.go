package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

func TestUnitOf(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		require.NoError(t, err)
		return at
	}
	for span, want := range map[[2]string]string{
		{"2026-02-28", "2026-03-01"}: "day",
		{"2026-11-16", "2026-11-23"}: "week",
		{"2026-11-17", "2026-11-24"}: "",
		{"2024-02-01", "2024-03-01"}: "month",
		{"2026-10-01", "2027-01-01"}: "quarter",
		{"2026-02-01", "2026-05-01"}: "",
		{"2026-01-01", "2027-01-01"}: "year",
		{"2026-01-02", "2027-01-02"}: "",
	} {
		require.Equal(t, want, dates.UnitOf(day(span[0]), day(span[1])), span)
	}
	require.Equal(t, day("2025-10-01"), dates.Back(day("2026-01-01"), "quarter", 1))
}
