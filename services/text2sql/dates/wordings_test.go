package dates

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates/datestest"
)

// now is a Friday.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

type wording struct{ text, from, to string }

// wordings are those of a range, each the only one of its text, with its days on now.
func wordings() []wording {
	return []wording{
		// keywords
		{"gmv sg 14d", "2026-11-06", "2026-11-20"},
		{"gmv last 14d", "2026-11-06", "2026-11-20"},
		{"gmv L7D", "2026-11-13", "2026-11-20"},
		{"past 4w orders", "2026-10-23", "2026-11-20"},
		{"orders 3mo", "2026-08-20", "2026-11-20"},
		{"gmv last 3 mos", "2026-08-20", "2026-11-20"},
		{"gmv last 30-day period", "2026-10-21", "2026-11-20"},
		{"gmv ytd", "2026-01-01", "2026-11-20"},
		{"gmv mtd", "2026-11-01", "2026-11-20"},
		{"gmv qtd", "2026-10-01", "2026-11-20"},
		{"gmv ttm", "2025-11-20", "2026-11-20"},
		// a few
		{"gmv in the last few days", "2026-11-13", "2026-11-20"},
		{"orders over the past several weeks", "2026-10-23", "2026-11-20"},
		{"最近几天的订单", "2026-11-13", "2026-11-20"},
		{"过去几个月的订单", "2026-08-20", "2026-11-20"},
		// years
		{"GMV for 2025", "2025-01-01", "2026-01-01"},
		{"the full year 2025", "2025-01-01", "2026-01-01"},
		{"2025年全年的GMV", "2025-01-01", "2026-01-01"},
		{"GMV from 2023 to 2025", "2023-01-01", "2026-01-01"},
		{"2024年到2025年的GMV", "2024-01-01", "2026-01-01"},
		{"GMV since 2024", "2024-01-01", "2026-11-20"},
		{"GMV before 2025", "", "2025-01-01"},
		{"drivers hired in 2024 or later", "2024-01-01", "2026-11-20"},
		{"hired 2024 and after", "2024-01-01", "2026-11-20"},
		{"2024年及以后入职的", "2024-01-01", "2026-11-20"},
		{"hired in 2024 or earlier", "", "2025-01-01"},
		{"until the end of 2024", "", "2025-01-01"},
		{"2024年或之前入职的", "", "2025-01-01"},
		{"the month of 2025 with most orders", "2025-01-01", "2026-01-01"},
		// weeks of a day, and parts of months
		{"visits in the week of October 21", "2026-10-19", "2026-10-26"},
		{"the week containing 25 October 2026", "2026-10-19", "2026-10-26"},
		{"orders of the week of November 18", "2026-11-16", "2026-11-20"},
		{"10月21日那周的订单", "2026-10-19", "2026-10-26"},
		{"10月21日所在周的订单", "2026-10-19", "2026-10-26"},
		{"orders in early October", "2026-10-01", "2026-10-11"},
		{"orders in mid-October", "2026-10-11", "2026-10-21"},
		{"orders in late October 2025", "2025-10-21", "2025-11-01"},
		{"10月初的订单", "2026-10-01", "2026-10-11"},
		{"8月底的订单", "2026-08-21", "2026-09-01"},
		{"orders since late August", "2026-08-21", "2026-11-20"},
		{"从8月底开始的订单", "2026-08-21", "2026-11-20"},
		// complete periods
		{"past eight weeks, not counting the current one", "2026-09-21", "2026-11-16"},
		{"the last three months excluding this month", "2026-08-01", "2026-11-01"},
		{"the last 7 days (not counting today)", "2026-11-13", "2026-11-20"},
		{"the last six weeks, complete weeks only", "2026-10-05", "2026-11-16"},
		{"过去八周（不含本周）", "2026-09-21", "2026-11-16"},
		{"最近三个月，不算这个月", "2026-08-01", "2026-11-01"},
		{"the last 7 days including today", "2026-11-14", "2026-11-21"},
		{"the last 4 weeks including the current one", "2026-10-26", "2026-11-20"},
		{"最近7天含今天", "2026-11-14", "2026-11-21"},
		{"the last couple of weeks", "2026-11-06", "2026-11-20"},
		// days in words
		{"on the fourth of July", "2026-07-04", "2026-07-05"},
		{"July 4th", "2026-07-04", "2026-07-05"},
		{"4 July", "2026-07-04", "2026-07-05"},
		{"July the 4th", "2026-07-04", "2026-07-05"},
		{"on July the fourth", "2026-07-04", "2026-07-05"},
		{"the 4th of July 2025", "2025-07-04", "2025-07-05"},
		{"on the twenty-first of May", "2026-05-21", "2026-05-22"},
		{"since the first of October", "2026-10-01", "2026-11-20"},
		{"on the 5th of last month", "2026-10-05", "2026-10-06"},
		{"本月5号", "2026-11-05", "2026-11-06"},
		{"上个月15日", "2026-10-15", "2026-10-16"},
		{"11月5号", "2026-11-05", "2026-11-06"},
		// so far
		{"so far this month", "2026-11-01", "2026-11-20"},
		{"so far in November", "2026-11-01", "2026-11-20"},
		{"November so far", "2026-11-01", "2026-11-20"},
		{"this quarter so far", "2026-10-01", "2026-11-20"},
		{"2026 to date", "2026-01-01", "2026-11-20"},
		{"本月至今", "2026-11-01", "2026-11-20"},
		{"11月截至目前", "2026-11-01", "2026-11-20"},
		{"从一月开始累计", "2026-01-01", "2026-11-20"},
		{"截至目前", "", "2026-11-20"},
		// days of a month
		{"1 to 19 November", "2026-11-01", "2026-11-20"},
		{"Nov 1-19", "2026-11-01", "2026-11-20"},
		{"from November 1st through 19th", "2026-11-01", "2026-11-20"},
		{"1–19 Nov 2025", "2025-11-01", "2025-11-20"},
		{"from the 1st to the 19th", "2026-11-01", "2026-11-20"},
		{"from the first to the nineteenth of November", "2026-11-01", "2026-11-20"},
		{"between the 3rd and the 9th of October", "2026-10-03", "2026-10-10"},
		{"between November 3 and 9", "2026-11-03", "2026-11-10"},
		{"from the 1st to the 19th of last month", "2026-10-01", "2026-10-20"},
		{"1到19号", "2026-11-01", "2026-11-20"},
		{"1号至19号", "2026-11-01", "2026-11-20"},
		{"11月1日到19日", "2026-11-01", "2026-11-20"},
		{"十月一号到七号", "2026-10-01", "2026-10-08"},
		{"上个月1号到19号", "2026-10-01", "2026-10-20"},
		{"本月1日至10日", "2026-11-01", "2026-11-11"},
		// ranges across months
		{"from 28 October to 3 November", "2026-10-28", "2026-11-04"},
		{"Oct 28 - Nov 3", "2026-10-28", "2026-11-04"},
		{"between the 28th of October and the 3rd of November", "2026-10-28", "2026-11-04"},
		{"10月28日到11月3日", "2026-10-28", "2026-11-04"},
		{"10月28号至11月3号", "2026-10-28", "2026-11-04"},
		{"2026-10-28 to 2026-11-03", "2026-10-28", "2026-11-04"},
		// months of two years, and of one
		{"from November to January 2025", "2024-11-01", "2025-02-01"},
		{"2025年11月到1月", "2024-11-01", "2025-02-01"},
		{"from December to February", "2025-12-01", "2026-03-01"},
		{"from March to May", "2026-03-01", "2026-06-01"},
		{"from September to December", "2026-09-01", "2026-11-20"},
		{"in December", "2025-12-01", "2026-01-01"},
		{"in January 2027", "2027-01-01", "2027-02-01"},
		{"H2 2027", "2027-07-01", "2028-01-01"},
		// parts
		{"on the last day of October", "2026-10-31", "2026-11-01"},
		{"10月最后一天", "2026-10-31", "2026-11-01"},
		{"10月的最后3天", "2026-10-29", "2026-11-01"},
		{"11月第一周", "2026-11-01", "2026-11-08"},
		{"first week of November", "2026-11-01", "2026-11-08"},
		{"the first ten days of November", "2026-11-01", "2026-11-11"},
		{"last 7 days of October", "2026-10-25", "2026-11-01"},
		{"the first three months of 2026", "2026-01-01", "2026-04-01"},
		{"the last day of last month", "2026-10-31", "2026-11-01"},
		{"上个月最后一天", "2026-10-31", "2026-11-01"},
		{"last week of December last year", "2025-12-25", "2026-01-01"},
		{"10月下旬", "2026-10-21", "2026-11-01"},
		{"本月上旬", "2026-11-01", "2026-11-11"},
		{"the second half of October", "2026-10-16", "2026-11-01"},
		{"10月上半月", "2026-10-01", "2026-10-16"},
		{"今年前三个月", "2026-01-01", "2026-04-01"},
		// halves and quarters
		{"H1", "2026-01-01", "2026-07-01"},
		{"in H2 2025", "2025-07-01", "2026-01-01"},
		{"2025 H2", "2025-07-01", "2026-01-01"},
		{"下半年", "2026-07-01", "2026-11-20"},
		{"去年下半年", "2025-07-01", "2026-01-01"},
		{"2025年上半年", "2025-01-01", "2025-07-01"},
		{"the second half of last year", "2025-07-01", "2026-01-01"},
		{"2025 Q3", "2025-07-01", "2025-10-01"},
		{"Q3 last year", "2025-07-01", "2025-10-01"},
		{"third quarter of last year", "2025-07-01", "2025-10-01"},
		{"今年三季度", "2026-07-01", "2026-10-01"},
		{"Q1 to Q3", "2026-01-01", "2026-10-01"},
		{"2025年一季度到三季度", "2025-01-01", "2025-10-01"},
		// days around today
		{"the day before yesterday", "2026-11-18", "2026-11-19"},
		{"大前天", "2026-11-17", "2026-11-18"},
		{"3 days ago", "2026-11-17", "2026-11-18"},
		{"last Monday", "2026-11-16", "2026-11-17"},
		{"Wednesday last week", "2026-11-11", "2026-11-12"},
		{"上周三", "2026-11-11", "2026-11-12"},
		{"上上周三", "2026-11-04", "2026-11-05"},
		{"since last Wednesday", "2026-11-18", "2026-11-20"},
		{"上周三以来", "2026-11-11", "2026-11-20"},
		{"Monday to Friday last week", "2026-11-09", "2026-11-14"},
		{"上周一到周五", "2026-11-09", "2026-11-14"},
		{"last weekend", "2026-11-14", "2026-11-16"},
		{"上周末", "2026-11-14", "2026-11-16"},
		{"the quarter before last", "2026-04-01", "2026-07-01"},
	}
}

func TestPeriodsWordings(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for _, c := range wordings() {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			found := r.Periods(c.text, now)
			require.Len(t, found, 1, "%v", found)
			require.Equal(t, c.from, dayText(found[0].From), found[0].Text)
			require.Equal(t, c.to, dayText(found[0].To), found[0].Text)
		})
	}
}

// On any of the todays each wording is a range of whole days that has begun, or is left
// unread; nothing else of its text is read for it.
func TestWordingsOnTodays(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	asked := map[time.Time]bool{}
	for _, c := range datestest.Cases(t) {
		if asked[c.Now] {
			continue
		}
		asked[c.Now] = true
		for _, w := range wordings() {
			found := r.Periods(w.text, c.Now)
			if len(found) == 0 {
				continue // "so far in November", on any other day
			}
			require.Len(t, found, 1, "%s on %s", w.text, c.Now)
			f := found[0]
			require.False(t, f.From.IsZero() && f.To.IsZero(), "%s on %s", w.text, c.Now)
			for _, at := range []time.Time{f.From, f.To} {
				require.True(t, at.IsZero() || at.Equal(Today(at)), "%s on %s: %s", w.text, c.Now, at)
			}
			require.True(t, f.To.IsZero() || f.From.Before(f.To), "%s on %s: %s to %s", w.text, c.Now, f.From, f.To)
			if !strings.Contains(w.text, "202") && !strings.ContainsAny(w.text, "HQ") {
				require.False(t, f.From.After(Today(c.Now)), "%s on %s begins on %s", w.text, c.Now, f.From)
			}
		}
	}
	require.GreaterOrEqual(t, len(asked), 8)
}

// A range and what it is cut by, or the unit of an earlier word.
func TestPeriodsInContext(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for _, c := range []struct{ text, span, from, to, grain string }{
		{"gmv monthly 2026", "2026", "2026-01-01", "2026-11-20", "month"},
		{"monthly gmv 2026", "2026", "2026-01-01", "2026-11-20", "month"},
		{"orders 2025 by quarter", "2025", "2025-01-01", "2026-01-01", "quarter"},
		{"orders each day of November so far", "of November so far", "2026-11-01", "2026-11-20", "day"},
		{"gmv 14d daily", "14d", "2026-11-06", "2026-11-20", "day"},
		{"on how many days in the past 30 were there refunds", "in the past 30", "2026-10-21", "2026-11-20", ""},
		{"how many weeks of the last 8 had refunds", "of the last 8", "2026-09-25", "2026-11-20", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			var spans []Found
			var grain string
			for _, f := range r.Periods(c.text, now) {
				if f.Grain != "" {
					grain = f.Grain
				} else {
					spans = append(spans, f)
				}
			}
			require.Len(t, spans, 1, "%v", spans)
			require.Equal(t, c.span, spans[0].Text)
			require.Equal(t, c.from, dayText(spans[0].From))
			require.Equal(t, c.to, dayText(spans[0].To))
			require.Equal(t, c.grain, grain)
		})
	}
}

// What has several meanings, or no range yet, is left unread, and so are its parts.
func TestPeriodsLeavesUnread(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for _, text := range []string{
		"the last two weekends", "最近两个周末", "the past 5 business days",
		"last day of November", "11月最后一天", "this weekend",
		"from the 1st to the 25th", "25号到28号", "on the 5th",
		"7d retention", "printers in 3D and 2D versions", "30d active users",
		"days and weeks of sales in the past 30",
		"the 31st of this month", "Monday to Sunday this week",
		"item 1999", "1到3号仓库", "1-5号店", "the fifth quarter",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, r.Periods(text, now))
		})
	}
}

// Years without a word for time are numbers of a column as much as dates.
func TestFindLeavesPlainYears(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for _, text := range []string{"cars between 1970 and 1980", "cars since 1970", "cars before 1970", "movies in 3D"} {
		require.Empty(t, r.Find(text, now), text)
	}
}
