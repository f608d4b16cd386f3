package dates

import (
	"time"

	"github.com/dibrain/dibrain/pkg/calendar"
)

// Today is the day of now, as the asker's clock shows it. Days of this package are
// midnights in UTC.
func Today(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}

// truncate is the first day of the period; weeks start on Monday.
func truncate(t time.Time, unit string) time.Time {
	switch unit {
	case "week":
		return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
	case "month":
		return t.AddDate(0, 0, 1-t.Day())
	case "quarter":
		return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, t.Location())
	case "year":
		return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location())
	}
	return t
}

// shift moves a day by n units; what a month is too short for becomes its last day.
func shift(t time.Time, unit string, n int) time.Time {
	switch unit {
	case "week":
		return t.AddDate(0, 0, 7*n)
	case "month":
		return calendar.AddMonths(t, n)
	case "quarter":
		return calendar.AddMonths(t, 3*n)
	case "year":
		return calendar.AddMonths(t, 12*n)
	}
	return t.AddDate(0, 0, n)
}
