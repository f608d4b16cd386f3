package dates_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/dates"
)

// Times that come again have days of the week or hours of the day, and no range; a single one has a
// range, or is not read.
func TestTimesThatComeAgain(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	weekend := []time.Weekday{time.Saturday, time.Sunday}
	for text, want := range map[string]struct {
		days         []time.Weekday
		from, before int
	}{
		"orders on Mondays":        {[]time.Weekday{time.Monday}, 0, 0},
		"orders on a Friday":       {[]time.Weekday{time.Friday}, 0, 0},
		"on Saturdays and Sundays": {weekend, 0, 0},
		"at the weekend":           {weekend, 0, 0},
		"on weekends":              {weekend, 0, 0},
		"周末的订单":                    {weekend, 0, 0},
		"每周三的订单":                   {[]time.Weekday{time.Wednesday}, 0, 0},
		"每个周六和周日":                  {weekend, 0, 0},
		"on working days":          {[]time.Weekday{1, 2, 3, 4, 5}, 0, 0},
		"orders after 8 pm":        {nil, 20, 24},
		"orders before 9:00":       {nil, 0, 9},
		"before noon":              {nil, 0, 12},
		"between 9 and 11 a.m.":    {nil, 9, 11},
		"from 10 pm to midnight":   {nil, 22, 24},
		"晚上八点以后":                   {nil, 20, 24},
		"下午3点到5点":                  {nil, 15, 17},
		"上午十点前":                    {nil, 0, 10},
	} {
		found := r.Recurring(text, now)
		require.Len(t, found, 1, text)
		require.Equal(t, want.days, found[0].Recurs.Weekdays(), text)
		require.Equal(t, []int{want.from, want.before}, []int{found[0].Recurs.From, found[0].Recurs.Before}, text)
		require.True(t, found[0].From.IsZero() && found[0].To.IsZero(), text)
		for _, f := range r.Periods(text, now) {
			require.True(t, f.Recurs.IsZero(), text)
		}
	}
	for _, text := range []string{"last weekend", "上周末", "上周六", "in the past 3 weekends", "after 3 o'clock", "after 27:00", "from 9 pm to 8 pm", "by weekday", "每周的订单", "last Saturday", "5点3分"} {
		for _, f := range r.Recurring(text, now) {
			require.True(t, f.Recurs.IsZero(), "%s: %+v", text, f)
		}
	}
}

// A decade is ten years.
func TestDecades(t *testing.T) {
	t.Parallel()
	r, err := dates.New()
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for text, year := range map[string]int{"films of the 1980s": 1980, "in the 1990s": 1990, "during the 2010's": 2010, "1970年代的电影": 1970, "20世纪九十年代": 1990, "20世纪80年代": 1980} {
		found := r.Periods(text, now)
		require.Len(t, found, 1, text)
		require.Equal(t, []int{year, year + 10}, []int{found[0].From.Year(), found[0].To.Year()}, text)
	}
	require.Empty(t, r.Periods("in the 2030s", now), "not begun")
	require.Empty(t, r.Periods("the 1985s", now), "no decade")
}
