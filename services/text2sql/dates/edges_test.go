package dates

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLeapDays: 29 February without a year is the last there was, eight years back around a
// century that has none; and it is no day of a year without one.
func TestLeapDays(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for now, want := range map[string]string{
		"2024-02-28": "2020-02-29", "2024-03-01": "2024-02-29", "2027-12-31": "2024-02-29", "2028-02-28": "2024-02-29",
		"2103-06-01": "2096-02-29", "2104-02-28": "2096-02-29", "2104-03-01": "2104-02-29",
	} {
		at, err := time.Parse(time.DateOnly, now)
		require.NoError(t, err)
		for _, text := range []string{"orders on February 29", "2月29日的订单"} {
			found := r.Find(text, at)
			require.Len(t, found, 1, "%s on %s", text, now)
			require.Equal(t, want, found[0].From.Format(time.DateOnly), "%s on %s", text, now)
			require.Equal(t, found[0].From.AddDate(0, 0, 1), found[0].To)
		}
	}
	for _, text := range []string{"orders on 2023-02-29", "orders on February 29, 2023", "2100年2月29日的订单"} {
		require.Empty(t, r.Find(text, now), text)
	}
}

// TestPartsOfCodesAreNoPeriods: a number that goes on behind a sign is a code, whichever of
// its parts would be a year.
func TestPartsOfCodesAreNoPeriods(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	require.NotEmpty(t, r.Find("orders in 2025", now))
	require.NotEmpty(t, r.Find("orders in 2025.", now))
	require.NotEmpty(t, r.Find("orders in 2025, by city", now))
	for _, code := range []string{"2025-7788", "2025.5", "2025/7788", "2025-77-1", "7788-2025", "7788.2025", "1/2025/7788"} {
		require.Empty(t, r.Find("orders in "+code, now), code)
		require.Empty(t, r.Periods("orders in "+code, now), code)
	}
}

// TestHowFarBackAnExpressionReaches: there is a bound, and a number beyond it is no period.
func TestHowFarBackAnExpressionReaches(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for n, read := range map[string]bool{"0": false, "1": true, "10000": true, "10001": false, "999999999": false, "99999999999999999999": false} {
		for _, text := range []string{"orders " + n + " days ago", "orders over the past " + n + " days", "过去" + n + "天的订单"} {
			require.Equal(t, read, len(r.Find(text, now)) == 1, text)
		}
	}
}
