package dates

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnchors: what a range is counted from, on days of several years; a part of the
// calendar without its year is not one that a word ties to today.
func TestAnchors(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	for text, want := range map[string]Anchor{
		"in July": Yearless, "in Q3": Yearless, "the second quarter": Yearless, "from May to July": Yearless, "between 20 December and 5 January": Yearless,
		"on November 11": Yearless, "since 1 May": Yearless, "since January": Yearless, "before 3 March": Yearless, "in the first half of May": Yearless, "on the 5th of May": Yearless,
		"七月份": Yearless, "第三季度": Yearless, "5月1日到5月5日": Yearless, "双11": Yearless, "上半年": Yearless,
		"in July 2013": Absolute, "in 2025": Absolute, "after 2025-11-10": Absolute, "before 2025-11-10": Absolute, "2025年3月": Absolute, "from 2025-09-01 to 2025-09-09": Absolute, "in Q3 2025": Absolute,
		"last month": Current, "this year": Current, "yesterday": Current, "past 30 days": Current, "in July last year": Current, "the 5th of last month": Current, "until now": Current,
		"上个月": Current, "去年7月": Current, "今年第三季度": Current, "近七天": Current, "3 days ago": Current,
		"in the last month of the data": OfData, "during the final 3 months in this file": OfData, "in the latest month": OfData, "数据里最后一个月": OfData, "最后3个月": OfData,
	} {
		for _, now := range []time.Time{time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC), time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2027, 7, 1, 23, 0, 0, 0, time.UTC)} {
			found := r.Find("orders "+text, now)
			if want == Absolute && len(found) == 0 {
				continue // no range at all
			}
			require.Len(t, found, 1, text)
			require.Equal(t, want, found[0].Anchor, "%s on %s", text, now)
		}
	}
}

// TestTheLastOfTheData: counted from the day after the last that the data have.
func TestTheLastOfTheData(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	after := time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string][2]string{
		"in the last month of the data":    {"2013-12-01", "2014-01-01"},
		"in the last 3 months of the data": {"2013-10-01", "2014-01-01"},
		"in the latest year":               {"2013-01-01", "2014-01-01"},
		"数据中的最后两周":                         {"2013-12-23", "2014-01-06"},
		"in July":                          {"2013-07-01", "2013-08-01"},
	} {
		found := r.Find("orders "+text, after)
		require.Len(t, found, 1, text)
		require.Equal(t, want, [2]string{found[0].From.Format(time.DateOnly), found[0].To.Format(time.DateOnly)}, text)
	}
}
