package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// TestWhatHasNoEndGoesOn: a range that ends today because nothing says another end takes in
// what is dated later; one whose words say that end is over.
func TestWhatHasNoEndGoesOn(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC) // a Sunday
	for text, on := range map[string]bool{
		"since 2026-11-20": true, "after 20 November 2026": true, "in the past 8 weeks": true, "this month": true, "since Monday": true, "最近7天": true, "本月": true,
		"on 2026-11-28": false, "on 28 November 2026": false, "yesterday": false, "昨天": false, "between 2026-11-20 and 2026-11-28": false,
		"before 2026-11-29": false, "until 2026-11-28": false, "on Saturday": false, "11月28日": false,
	} {
		found := r.Periods(text, now)
		require.Len(t, found, 1, text)
		require.True(t, found[0].To.Equal(dates.Today(now)), "%s: it ends today", text)
		require.Equal(t, on, found[0].GoesOn, text)
	}
}
