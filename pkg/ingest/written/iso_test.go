package written_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// TestDaysOfISO are those that the calendar has, written with all their digits, and nothing else.
func TestDaysOfISO(t *testing.T) {
	t.Parallel()
	layouts := []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}
	draw := rand.New(rand.NewPCG(13, 26)) //nolint:gosec // a test's own chance
	read := 0
	for range 20_000 {
		text := fmt.Sprintf("%04d-%02d-%02d", draw.IntN(2100), draw.IntN(14), draw.IntN(33))
		if n := draw.IntN(3); n > 0 {
			text += []string{" ", "T"}[draw.IntN(2)] + fmt.Sprintf("%02d:%02d", draw.IntN(26), draw.IntN(62))
			if n > 1 {
				text += fmt.Sprintf(":%02d", draw.IntN(62))
			}
		}
		if draw.IntN(4) == 0 { // one character is another
			at := draw.IntN(len(text))
			text = text[:at] + string("-/ T:.5x"[draw.IntN(8)]) + text[at+1:]
		}
		want := time.Time{}
		for _, layout := range layouts {
			if at, err := time.Parse(layout, text); err == nil && len(text) == len(layout) && at.Year() > 0 && (len(text) < 12 || text[11] != ' ') { // which time.Parse takes for a digit
				want = at
			}
		}
		got, bare, ok := written.ReadISO(text)
		require.Equal(t, !want.IsZero(), ok, text)
		if ok {
			read++
			require.True(t, want.Equal(got), "%s: %s", text, got)
			require.Equal(t, len(text) == len(layouts[0]), bare, text)
		}
	}
	require.Greater(t, read, 5_000)
	for _, other := range []string{"", "0001-01-01", "0000-05-05", "2024-1-31", "2024-02-30", "2023-02-29 10:00", "2024-01-31Z", "2024-01-31 10:00:00.5", "２０２４-01-31"} {
		_, _, ok := written.ReadISO(other)
		require.False(t, ok, other)
	}
}
