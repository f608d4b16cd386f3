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
		{"this year", "2026-01-01", "2026-11-20", ""},
		{"今年", "2026-01-01", "2026-11-20", ""},
		{"去年", "2025-01-01", "2026-01-01", ""},
		{"orders after 2026-11-10", "2026-11-11", "2026-11-20", ""},
		{"orders before 2026-11-10", "", "2026-11-10", ""},
		{"orders until 2026-11-10", "", "2026-11-11", ""},
		{"截至11月10日的订单", "", "2026-11-11", ""},
		{"between 20 December and 5 January", "2025-12-20", "2026-01-06", ""},
		{"since 1 May", "2026-05-01", "2026-11-20", ""},
		{"5月1日以来", "2026-05-01", "2026-11-20", ""},
		{"from 2026-09-01 to 2026-09-09", "2026-09-01", "2026-09-10", ""},
		{"9月1日到9月9日", "2026-09-01", "2026-09-10", ""},
		{"in Q3 2026", "2026-07-01", "2026-10-01", ""},
		{"in December", "2025-12-01", "2026-01-01", ""},
		{"in March 2025", "2025-03-01", "2025-04-01", ""},
		{"2025年3月", "2025-03-01", "2025-04-01", ""},
		{"on November 11", "2026-11-11", "2026-11-12", ""},
		{"in 2025", "2025-01-01", "2026-01-01", ""},
		{"orders in the last 8 full weeks", "2026-09-21", "2026-11-16", ""},
		{"last four complete weeks", "2026-10-19", "2026-11-16", ""},
		{"最近4个完整周", "2026-10-19", "2026-11-16", ""},
		{"最近三个完整月", "2026-08-01", "2026-11-01", ""},
		{"past 2 calendar months", "2026-09-01", "2026-11-01", ""},
		{"the last full month", "2026-10-01", "2026-11-01", ""},
		{"so far this month", "2026-11-01", "2026-11-20", ""},
		{"month to date", "2026-11-01", "2026-11-20", ""},
		{"本月截至昨天", "2026-11-01", "2026-11-20", ""},
		{"year-to-date GMV", "2026-01-01", "2026-11-20", ""},
		{"今年以来", "2026-01-01", "2026-11-20", ""},
		{"this week so far", "2026-11-16", "2026-11-20", ""},
		{"since January", "2026-01-01", "2026-11-20", ""},
		{"from July on", "2026-07-01", "2026-11-20", ""},
		{"From October 2025 onwards", "2025-10-01", "2026-11-20", ""},
		{"since October 2025", "2025-10-01", "2026-11-20", ""},
		{"since December", "2025-12-01", "2026-11-20", ""},
		{"9月以来", "2026-09-01", "2026-11-20", ""},
		{"past 3 months", "2026-08-20", "2026-11-20", ""},
		{"近半年", "2026-05-20", "2026-11-20", ""},
		{"on 11.11", "2026-11-11", "2026-11-12", ""},
		{"双11当天", "2026-11-11", "2026-11-12", ""},
		{"双十一", "2026-11-11", "2026-11-12", ""},
		{"双12", "2025-12-12", "2025-12-13", ""},
		{"去年双11", "2025-11-11", "2025-11-12", ""},
		{"10.10当天", "2026-10-10", "2026-10-11", ""},
		{"a rating of 2.5", "", "", "none"},
		{"on 3 November", "2026-11-03", "2026-11-04", ""},
		{"in October", "2026-10-01", "2026-11-01", ""},
		{"October GMV", "2026-10-01", "2026-11-01", ""},
		{"October last year", "2025-10-01", "2025-11-01", ""},
		{"去年10月", "2025-10-01", "2025-11-01", ""},
		{"10月", "2026-10-01", "2026-11-01", ""},
		{"十月份", "2026-10-01", "2026-11-01", ""},
		{"in November", "2026-11-01", "2026-11-20", ""},
		{"from August to October", "2026-08-01", "2026-11-01", ""},
		{"8月到10月", "2026-08-01", "2026-11-01", ""},
		{"between November and January", "2026-11-01", "2026-11-20", ""},
		{"上半年", "2026-01-01", "2026-07-01", ""},
		{"in the first half of 2026", "2026-01-01", "2026-07-01", ""},
		{"去年第四季度", "2025-10-01", "2026-01-01", ""},
		{"up to yesterday", "", "2026-11-20", ""},
		{"今年第三季度的订单", "2026-07-01", "2026-10-01", ""},
		{"daily GMV", "", "", "day"},
		{"上周三的订单", "2026-11-11", "2026-11-12", ""},
		{"on Monday", "2026-11-16", "2026-11-17", ""},
		{"last Friday", "2026-11-13", "2026-11-14", ""},
		{"本周一", "2026-11-16", "2026-11-17", ""},
		{"上周", "2026-11-09", "2026-11-16", ""},
		{"分月", "", "", "month"},
		{"week by week", "", "", "week"},
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

// A current period on its first day is that day: there is nothing before it.
func TestFindOnTheFirstDay(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	found := r.Find("orders this month", time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC))
	require.Len(t, found, 1)
	require.Equal(t, "2026-11-01", dayText(found[0].From))
	require.Equal(t, "2026-12-01", dayText(found[0].To))
	require.True(t, found[0].Today)
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	found := r.Find("the past 8 weeks", now)
	require.Len(t, found, 1)
	require.Equal(t, "week", found[0].Unit)
	from, to := found[0].Calendar(now)
	require.Equal(t, "2026-09-21", dayText(from)) // a Monday
	require.Equal(t, "2026-11-16", dayText(to))
}

func TestComparisonsOfThings(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	found := r.Find("GMV of Singapore vs Malaysia", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	require.Len(t, found, 1)
	require.True(t, found[0].Between)
}

// A day that does not exist, and a range whose end comes before its beginning, are
// no dates, nor are parts of them.
func TestNoDates(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, text := range []string{"目前天河店有多少会员", "之前天天来的人", "GMV in 2026-02-30", "GMV in 2026-13-01", "in 2026/02/30"} {
		require.Empty(t, r.Find(text, now), text)
	}
	for _, f := range r.Find("orders from 2026-11-19 to 2026-11-10", now) {
		require.NotEqual(t, "from 2026-11-19 to 2026-11-10", f.Text)
		require.Equal(t, 2026, f.From.Year(), "the year that was said is kept")
	}
}
