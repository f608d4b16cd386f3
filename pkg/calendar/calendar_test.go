package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/calendar"
)

func TestAddMonths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from string
		n    int
		want string
	}{
		{"2026-05-31", -3, "2026-02-28"},
		{"2024-05-31", -3, "2024-02-29"},
		{"2026-05-29", -3, "2026-02-28"},
		{"2026-05-28", -3, "2026-02-28"},
		{"2026-03-31", -1, "2026-02-28"},
		{"2026-10-31", 1, "2026-11-30"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-02-29", -12, "2023-02-28"},
		{"2024-02-29", 48, "2028-02-29"},
		{"2026-12-31", 2, "2027-02-28"},
		{"2026-01-31", -2, "2025-11-30"},
		{"2026-01-15", -1, "2025-12-15"},
		{"2026-11-20", 0, "2026-11-20"},
	} {
		from, err := time.Parse(time.DateOnly, c.from)
		require.NoError(t, err)
		require.Equal(t, c.want, calendar.AddMonths(from, c.n).Format(time.DateOnly), "%s %d", c.from, c.n)
		require.Equal(t, 7, calendar.AddMonths(from.Add(7*time.Hour), c.n).Hour(), "the time of day stays")
	}
}
