package followup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// A range that is moved keeps its last day: a month before the first 30 days of March
// is all of February.
func TestShifted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, unit, wantFrom, wantTo string }{
		{"2026-03-01", "2026-03-31", "month", "2026-02-01", "2026-03-01"},
		{"2026-05-31", "2026-06-01", "month", "2026-04-30", "2026-05-01"},
		{"2026-05-29", "2026-05-31", "quarter", "2026-02-28", "2026-03-01"},
		{"2024-02-01", "2024-03-01", "previous", "2024-01-01", "2024-02-01"},
		{"2024-02-29", "2024-03-01", "year", "2023-02-28", "2023-03-01"},
		{"2026-03-29", "2026-04-05", "previous", "2026-03-22", "2026-03-29"},
	} {
		from, to, why := shifted(intent.Time{From: c.from, To: c.to}, c.unit)
		require.Empty(t, why)
		require.Equal(t, []string{c.wantFrom, c.wantTo}, []string{from, to}, "%v", c)
	}
}
