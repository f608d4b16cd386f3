package dates

import (
	"strings"
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

// TestBlanksInChinese: blanks between characters, and between those and figures, say nothing;
// between words in letters, and between figures, they do.
func TestBlanksInChinese(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for text, same := range map[string]string{
		"最近 7 天 的销售额": "最近7天", "2025 年 9 月的订单": "2025年9月", "按 月 的订单": "按月", "SG 最近 30 天 GMV": "最近30天", "上 个 月": "上个月",
	} {
		found, want := r.Find(text, now), r.Find(same, now)
		require.Len(t, want, 1, same)
		require.Len(t, found, 1, text)
		require.Equal(t, text[found[0].Start:found[0].End], found[0].Text)
		require.Equal(t, same, strings.ReplaceAll(found[0].Text, " ", ""))
		found[0].Start, found[0].End, found[0].Text = want[0].Start, want[0].End, want[0].Text
		require.Equal(t, want, found, text)
	}
	require.Empty(t, r.Find("店 20 25年级", now), "two figures are no year")
}
