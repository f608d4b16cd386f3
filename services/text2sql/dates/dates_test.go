package dates

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	t.Parallel()
	sg, err := time.LoadLocation("Asia/Singapore")
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 1, 30, 0, 0, sg) // a Friday; still the 19th in UTC
	cases := []struct{ text, from, to, grain string }{
		{"GMV over the past 30 days", "2026-10-21", "2026-11-20", ""},
		{"过去30天新加坡的GMV", "2026-10-21", "2026-11-20", ""},
		{"近七天的订单", "2026-11-13", "2026-11-20", ""},
		{"orders in the last two weeks", "2026-11-06", "2026-11-20", ""},
		{"最近三个月", "2026-08-20", "2026-11-20", ""},
		{"orders yesterday", "2026-11-19", "2026-11-20", ""},
		{"昨天的订单", "2026-11-19", "2026-11-20", ""},
		{"前天", "2026-11-18", "2026-11-19", ""},
		{"last week", "2026-11-09", "2026-11-16", ""},
		{"上周", "2026-11-09", "2026-11-16", ""},
		{"last month", "2026-10-01", "2026-11-01", ""},
		{"上个月", "2026-10-01", "2026-11-01", ""},
		{"last quarter", "2026-07-01", "2026-10-01", ""},
		{"上季度", "2026-07-01", "2026-10-01", ""},
		{"this year", "2026-01-01", "2027-01-01", ""},
		{"今年", "2026-01-01", "2027-01-01", ""},
		{"去年", "2025-01-01", "2026-01-01", ""},
		{"since 1 May", "2026-05-01", "", ""},
		{"5月1日以来", "2026-05-01", "", ""},
		{"from 2026-09-01 to 2026-09-09", "2026-09-01", "2026-09-10", ""},
		{"9月1日到9月9日", "2026-09-01", "2026-09-10", ""},
		{"in Q3 2026", "2026-07-01", "2026-10-01", ""},
		{"今年第三季度", "", "", ""}, // two expressions; see below
		{"in December", "2025-12-01", "2026-01-01", ""},
		{"in March 2025", "2025-03-01", "2025-04-01", ""},
		{"2025年3月", "2025-03-01", "2025-04-01", ""},
		{"on November 11", "2026-11-11", "2026-11-12", ""},
		{"in 2025", "2025-01-01", "2026-01-01", ""},
		{"daily GMV", "", "", "day"},
		{"按周", "", "", "week"},
		{"每月", "", "", "month"},
		{"what may happen", "", "", "none"},
		{"GMV of item 1999", "", "", "none"},
	}
	r, err := New()
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			found := r.Find(c.text, now)
			if c.grain == "none" {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			if c.from == "" && c.grain == "" {
				return
			}
			require.Len(t, found, 1, "%v", found)
			f := found[0]
			require.Equal(t, c.grain, f.Grain)
			require.Equal(t, c.from, dayText(f.From))
			require.Equal(t, c.to, dayText(f.To))
		})
	}
}

func dayText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

func TestFindKeepsPlaces(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	text := "过去30天新加坡每天的GMV是多少？"
	found := r.Find(text, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	require.Len(t, found, 2)
	require.Equal(t, "过去30天", text[found[0].Start:found[0].End])
	require.Equal(t, "每天", text[found[1].Start:found[1].End])
}

func TestComparisonsAreNotPassedOver(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for _, text := range []string{"GMV growth", "GMV yoy", "GMV同比", "GMV compared to last month"} {
		found := r.Find(text, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
		require.NotEmpty(t, found)
		require.True(t, found[0].Comparison, text)
	}
}
