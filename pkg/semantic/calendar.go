package semantic

import (
	"slices"
	"strings"
)

// calendarWords are last words of the names of columns that hold a part of a date as a number.
var calendarWords = []string{"year", "yr", "month", "quarter", "week", "weekday", "day", "hour", "minute", "年", "年份", "月", "月份", "季度", "周", "小时"}

// CalendarName reports whether the words of a name say that a column holds a part of a date: its
// year, its hour.
func CalendarName(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.ContainsFunc(calendarWords, func(w string) bool { return last == w || w[0] > 0x7f && strings.HasSuffix(last, w) })
}
